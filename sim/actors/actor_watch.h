/* SPDX-License-Identifier: Apache-2.0 */
/* Watches over a run in which links die: which messages they hold, and whether anything that a job
 * does still ends by itself.
 *
 * What a rank does either takes no time, or is a delay or a message, and those are counted here
 * while they last. When none is left, and a moment later there is still none, no rank can go on,
 * unless a dead link will be revived. */
#pragma once

#include "sim/actors/actor_tokens.h"
#include "sim/engine/network.h"

G_BEGIN_DECLS

typedef struct LpWatch LpWatch;

/** A message on its way; lives on its sender's stack. */
typedef struct LpFlight LpFlight;
struct LpFlight {
    const LpRoute *route;
    guint32 job;
    guint64 from, to;    /**< ranks of the job */
    gboolean is_held;    /**< a dead link holds it, */
    gboolean is_waiting; /**< before it has begun */
    LpFlight *previous, *next;
};

/** Why a run stopped before its end. Plain data: it travels between processes. */
typedef struct {
    gboolean is_stalled;    /**< a rank waits for ever */
    gboolean is_overloaded; /**< background messages pile up */
    double at_s;            /**< when that was certain */
    guint32 job;            /**< whose rank waits; overloaded: the generator's index */
    guint64 from, to;       /**< ranks: @to waits for @from */
    gboolean has_link;      /**< a dead link holds the message between them */
    guint32 link;           /**< this one */
    double died_s;          /**< when it died */
    guint64 n_flights;      /**< messages that dead links hold */
} LpStall;

/** @n_links: of the network. Returns: (transfer full). */
LpWatch *lp_watch_new(guint32 n_links);
void lp_watch_free(LpWatch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpWatch, lp_watch_free)

/** Starts the actor that ends the run when nothing moves any more, on @home. */
void lp_watch_start(LpWatch *self, struct s4u_Host *home);
/** Nothing crosses @link from now on: what is on its way over it does not arrive. The caller slows
 * the link down, so that the engine sees no end either. @returns: it will be revived. Actors only.
 */
void lp_watch_fail_link(LpWatch *self, guint32 link, gboolean returns);
/** @link carries again what was on its way over it, and what waited for it: the caller has given it
 * its bandwidth. Nothing, if it is not dead. Actors only. */
void lp_watch_revive_link(LpWatch *self, guint32 link);
gboolean lp_watch_is_dead(const LpWatch *self, const LpRoute *route);
/** Waits until no link of @route is dead. Actors only. */
void lp_watch_await(LpWatch *self, const LpRoute *route);
/** Ends the run: background traffic of generator @index has piled up. Actors only. */
void lp_watch_report_overload(LpWatch *self, guint32 index);
/** Why the run stopped; not stalled if it did not. */
LpStall lp_watch_stall(const LpWatch *self);

/* What a job's actors use; @self may be NULL, if no link ever dies. */

/** Sleeps. Actors only. */
void lp_watch_sleep(LpWatch *self, double duration_s);
/** Sleeps until one of @tokens is there, at most @duration_s. Returns: whether it was not. Actors
 * only. */
gboolean lp_watch_sleep_or(LpWatch *self, LpTokens *tokens, double duration_s);
/** Before a message of @flight's job goes on its way; waits as long as a link is dead. */
void lp_watch_depart(LpWatch *self, LpFlight *flight);
/** After it has arrived. */
void lp_watch_arrive(LpWatch *self, LpFlight *flight);

G_END_DECLS
