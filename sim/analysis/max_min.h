/* SPDX-License-Identifier: Apache-2.0 */
/* Max-min fair rates of flows on links, by progressive filling (Bertsekas and Gallager, Data
 * Networks, 1992, section 6.5.2), worked out anew for those flows that a change can reach.
 *
 * Links have a capacity. Flows that use the same links equally often are one class, of as many
 * flows as there are at the moment. Rates are those of each flow. SimGrid shares links in the same
 * way, but runs once in a process and names neither a flow's tightest link nor its classes: this
 * solver gives the rates of isolated times, of contention studies and of classes. */
#pragma once

#include "sim/engine/network.h"

G_BEGIN_DECLS

/** Relative slack within which instants and shares count as equal: rounding, not physics. */
#define LP_MAX_MIN_SLACK 1e-12

/** A class's use of a link. */
typedef struct {
    guint32 link;
    double n; /**< how often each flow crosses it: once, by a share of its bytes, or several times
                 where it stands for others */
} LpMaxMinUse;

typedef struct LpMaxMin LpMaxMin;

/** No links and no classes yet. @network: whose ports may lose by the flows that come in
 * (lp_network_share()), borrowed; NULL: none do. @repeats: the same few flows come again and again,
 * so that rates are kept and looked up; else lp_max_min_share_out() names the classes that a change
 * reaches. Returns: (transfer full). */
LpMaxMin *lp_max_min_new(const LpNetwork *network, gboolean repeats);
void lp_max_min_free(LpMaxMin *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMaxMin, lp_max_min_free)

/** A link more, numbered from 0 on, of @bytes_per_s. @index: of the network, or the caller's. */
guint32 lp_max_min_add_link(LpMaxMin *self, guint32 index, double bytes_per_s);
guint32 lp_max_min_link_index(const LpMaxMin *self, guint32 link);
/** Where nothing @repeats. */
void lp_max_min_set_capacity(LpMaxMin *self, guint32 link, double bytes_per_s);
/** What @link has for @n flows on it. */
double lp_max_min_capacity(const LpMaxMin *self, guint32 link, guint32 n);

/** A class more, numbered from 0 on, which uses no link. */
guint32 lp_max_min_add_class(LpMaxMin *self);
/** @class, which has no flow, uses the links of @uses (@n LpMaxMinUse), each of its flows at most
 * at
 * @cap_bytes_per_s. */
void lp_max_min_set_uses(LpMaxMin *self, guint32 class, const LpMaxMinUse *uses, guint32 n,
                         double cap_bytes_per_s);
/** One flow more, or less, in @class. */
void lp_max_min_enter(LpMaxMin *self, guint32 class);
void lp_max_min_leave(LpMaxMin *self, guint32 class);

/** Works out rates. Returns: (transfer none) the @out_n classes that were given one, until the next
 * call; without those whose rates were looked up. */
const guint32 *lp_max_min_share_out(LpMaxMin *self, guint32 *out_n);
/** By class: what each of its flows has. Borrowed until a class is added. */
const double *lp_max_min_rates(const LpMaxMin *self);
/** Whether @link, which @class uses, is full, and nobody on it has more than flows of @class; of
 * classes that are not looked up. */
gboolean lp_max_min_is_held_by(const LpMaxMin *self, guint32 class, guint32 link);
/** The first of the links that @class uses which holds it back; -1: none does, but its own cap. */
gint64 lp_max_min_holder(const LpMaxMin *self, guint32 class);
/** A class that has flows on a link, and how often one is there. */
typedef struct {
    guint32 class, use; /**< use: the solver's */
    double n;
} LpMaxMinUser;

/** Those of @link, @out_n of them. Borrowed until flows change. */
const LpMaxMinUser *lp_max_min_users(const LpMaxMin *self, guint32 link, guint32 *out_n);

G_END_DECLS
