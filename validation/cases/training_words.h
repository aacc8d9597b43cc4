/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of measured training says in words, beyond its columns. */
#pragma once

#include "validation/cases/measurements.h"
#include "validation/cases/settings.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/**
 * Takes what columns note and recompute_as_stated say of the plan in the words of the software that
 * ran, beside or against columns framework and set, and notes it in the outcome: "torch.compile"
 * fuses kernels; "HSDP" shares states inside domains (PyTorch, ShardingStrategy.HYBRID_SHARD);
 * "zero1=8" shares them among so many replicas (InternLM/InternEvo, parallel.zero1), -1 among all;
 * "MFU 0.61 HFU 0.69" says how much is recomputed: layers whose attention keeps no scores, so that
 * selective recomputation has nothing to do, are recomputed whole, as many as hardware FLOP beyond
 * the model's need (foundation-model-stack/fms-fsdp calls that selective,
 * fms_fsdp/policies/ac_handler.py). Only the ratio is taken, which speed is no part of;
 * a policy of XLA's rematerialisation says what is recomputed: lp_remat_policy_parts();
 * "DeepEP" and "HybridEP", also in column overlap, relay experts' tokens inside domains;
 * "capacity factor 1.25" and "head_dim 256" are of the shape, and so is "tokendrop" in the model's
 * name, a capacity factor of 1.
 */
void lp_training_words_take(const LpTableRow *row, LpSettings *settings, LpOutcome *outcome);

/** What column recompute states, in our words: "full" where the note says that "selective" means
 * whole layers, "selective" where a policy is named. Borrowed from the row, or static. */
const char *lp_training_words_recompute(const LpTableRow *row, const LpSettings *settings);

G_END_DECLS
