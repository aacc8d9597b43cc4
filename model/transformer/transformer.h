/* SPDX-License-Identifier: Apache-2.0 */
/* A Transformer: its shape, its layers, its parameters and operations. */
#pragma once

#include "model/transformer/transformer_flop.h"
#include "model/transformer/transformer_layers.h"
#include "model/transformer/transformer_parameters.h"
#include "model/transformer/transformer_shape.h"
