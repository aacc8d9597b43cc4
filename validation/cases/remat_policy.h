/* SPDX-License-Identifier: Apache-2.0 */
/* Recomputation by its names in other software. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The parts of a layer that a policy which @text names makes again, as attribute selective has
 * them. A policy says what it saves or offloads, and so all else is made again: MaxText's
 * (maxtext, src/maxtext/layers/decoders.py: get_remat_policy), also where only the words say that
 * queries, keys and values are offloaded. @out_name: its name, static. Returns: static; NULL if it
 * names none, or one that says nothing by itself ("full", "custom"). */
const char *lp_remat_policy_parts(const char *text, const char **out_name);

G_END_DECLS
