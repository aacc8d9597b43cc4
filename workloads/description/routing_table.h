/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measured routings: how many tokens came to each expert. */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** What stands for no table where a workload names one. */
#define LP_ROUTING_NONE "none"

/**
 * Reads the CSV file @path for a model with @n_experts, at least 1: columns layer, expert and load,
 * and micro-batch if loads were counted for each; all count from 0, and there is one row for each.
 * Loads are tokens or any multiple of them: 0 or more, and above 0 for some expert of each layer
 * and micro-batch. Errors: LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer full).
 */
LpRoutingTable *lp_routing_table_load(const char *path, guint32 n_experts,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees @self; nothing if it is NULL. */
void lp_routing_table_free(LpRoutingTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRoutingTable, lp_routing_table_free)

G_END_DECLS
