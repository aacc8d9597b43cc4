/* SPDX-License-Identifier: Apache-2.0 */
/* Families whose layers have a mixer in attention's place: what they are called and their keys. */
#pragma once

#include "workloads/import/family_types.h"

G_BEGIN_DECLS

/** Of each family or several that are alike. */
extern const LpFamilyLayers lp_nemotron_layers, lp_granite_layers, lp_bamba_layers,
    lp_mamba2_layers, lp_qwen3_next_layers, lp_kimi_layers, lp_sparse_layers;

G_END_DECLS
