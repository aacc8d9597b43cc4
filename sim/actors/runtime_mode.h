/* SPDX-License-Identifier: Apache-2.0 */
/* How a communicator runs its collectives in a run. */
#pragma once

#include "sim/actors/call_times.h"
#include "sim/fidelity.h"

G_BEGIN_DECLS

typedef struct LpCommunicatorRuntime LpCommunicatorRuntime;

/** How a communicator runs its collectives in a run. */
typedef struct {
    LpFidelity fidelity;
    gboolean as_delay;  /**< they take their isolated time, and send nothing */
    guint64 n_actors;   /**< members that have an actor: all, or one that stands for its mirror
                             images */
    guint64 weight;     /**< replicas that it stands for, or communicators of its class */
    gboolean is_class;  /**< its actors stand for classes of ranks, and are numbered as they come */
    LpCallTimes *times; /* borrowed: told how long collectives take; or NULL */
} LpRuntimeMode;

/** An actor of a communicator that stands for a class of them. */
typedef struct {
    guint64 rank;    /**< whose actor it is */
    guint64 n;       /**< members of each communicator that are of its class */
    guint64 n_ranks; /**< ranks of its class */
} LpClassMember;

G_END_DECLS
