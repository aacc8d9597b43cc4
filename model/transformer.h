/* SPDX-License-Identifier: Apache-2.0 */
/* A Transformer: its shape, its layers, its parameters and operations. */
#pragma once

#include "model/transformer_flop.h"
#include "model/transformer_layers.h"
#include "model/transformer_parameters.h"
#include "model/transformer_shape.h"
