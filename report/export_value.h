/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that training software asks for and that follow from a workload's attributes. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/**
 * The attribute @name of @workload, or what follows from several:
 * "ranks"; "heads-per-kv"; "accumulation", micro-batches of a replica; "replica-batch", sequences
 * of a replica; "shards" and "copies", sets of replicas that share all states and how often there
 * is such a set, where context parallelism shares them too; "instances", sets of ranks that share
 * states; "slice-layers", layers of each virtual stage where they divide; "slice-units", the same
 * where embedding and logits count as a layer each; "layout", the layers of each virtual stage as
 * Megatron-Core writes a list of them; "expert-layers", which layers have experts, as it writes
 * that; "shared-width", of all shared experts together; "expert-width", of one; "bucket-size" in
 * parameters; "every", of which so many layers one is recomputed.
 * Returns: (transfer full) (nullable): NULL where there is no such value.
 */
char *lp_export_value(const LpWorkload *workload, const char *name);

G_END_DECLS
