/* SPDX-License-Identifier: Apache-2.0 */
/* The framework that a row of measured training ran on, as far as its columns say, and what that
 * framework does: what it overlaps, where its hosts wait, how it assigns layers to stages. */
#pragma once

#include "validation/prediction/outcome.h"
#include "validation/cases/settings.h"
#include "validation/cases/table.h"

G_BEGIN_DECLS

/** Software that trains. */
typedef enum {
    LP_FRAMEWORK_MEGATRON_LM,   /**< up to 2023, without flash attention */
    LP_FRAMEWORK_MEGATRON_CORE, /**< and what is built on it */
    LP_FRAMEWORK_DEEPSPEED,
    LP_FRAMEWORK_FSDP, /**< PyTorch's fully sharded data parallelism */
    LP_FRAMEWORK_NANOTRON,
} LpFramework;

/** Decided by the columns overlap and zero, and by the attention in @settings. */
LpFramework lp_framework_of(const LpTableRow *row, const LpSettings *settings);

/** Adds to @settings, which hold shape and plan, the attributes of what @self does, and to @outcome
 * notes of what is inferred. */
void lp_framework_apply(LpFramework self, const LpTableRow *row, LpSettings *settings,
                        LpOutcome *outcome);

G_END_DECLS
