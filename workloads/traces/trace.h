/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a job did, as traces of other tools have it: nodes that depend on each other,
 * rank by rank. Readers of formats fill one in, and writers write one. */
#pragma once

#include "workloads/given/given_program.h"

G_BEGIN_DECLS

/** Streams of nodes that name none: their kind decides. */
#define LP_TRACE_NO_STREAM G_MININT64
/** What hosts do runs beside all streams of the device. */
#define LP_TRACE_HOST_STREAM (G_MININT64 + 1)
/** The compute stream of programs that are written as traces. */
#define LP_TRACE_COMPUTE_STREAM 0

/** Nodes of all ranks, at most. */
#define LP_TRACE_NODES_MAX 8000000u

/** A group that has not been found. */
#define LP_TRACE_NO_GROUP G_MAXUINT32

/** A node. */
typedef struct {
    guint64 id;         /**< as its file calls it: unlike all others of the rank */
    gboolean is_joint;  /**< does nothing: what depends on it depends on all that it depends on */
    gboolean is_pass;   /**< of a joint: a pass begins (LP_HOST_SYNC_PASSES) */
    gboolean is_launch; /**< written: its first dependency is who launches it */
    gint64 stream;
    /** What it does, but for its queue and dependencies. The group is one of LpTrace.groups, the
     * peer a rank, and the line its number in its file, from 1. */
    LpGivenOp op;
    guint first_dep, n_deps; /**< in LpTraceRank.deps */
    guint n_callers;         /**< the last of these, which may name nodes that the file has not */
} LpTraceNode;

/** The trace of a rank. */
typedef struct {
    char *path;    /* owned, or NULL */
    GArray *nodes; /* owned: LpTraceNode, in the order of the file */
    GArray *deps;  /* owned: guint64, the ids of nodes */
    /** The rank below that has the nodes, of which this one does the same: with peers as far from
     * it and in its own groups of the same kinds. The rank itself: it is like none below. */
    guint32 like;
    /** owned: guint32, indices of LpTrace.groups: those of its collectives, in the order in which
     * they come first, if lp_trace_alike_add() looked for them. */
    GArray *groups;
} LpTraceRank;

/** A process group. */
typedef struct {
    char *name; /* owned: as nodes call it */
    char *kind; /* owned: what it is for; groups of one kind have no ranks in common */
    LpTraffic traffic;
    LpAlgorithms algorithms;
    GArray *ranks; /* owned: guint32, in their order */
} LpTraceGroup;

/** Traces of all ranks of a job. */
typedef struct {
    char *path; /* owned: what messages call them all */
    char *name; /* owned: of the job */
    char
        *settings; /* owned: attributes of its program, "library=nccl precision=bf16"; NULL: none */
    LpExecution execution;
    double speed_flop_per_s; /**< of the hosts that formats without times count on; 0: not known */
    gint64 compute_stream;   /**< LP_TRACE_NO_STREAM: the one that computes most */
    GPtrArray *ranks;        /* owned: LpTraceRank */
    GArray *groups;          /* owned: LpTraceGroup */
    guint n_unsized; /**< operations that are known to communicate, but not what: computing */
    guint n_shared;  /**< streams that share a queue, as there are too many */
    gboolean groups_are_used; /**< all of them, also by ranks that have no nodes of their own */
} LpTrace;

/** One of @n_ranks ranks without nodes. Returns: (transfer full). */
LpTrace *lp_trace_new(const char *path, guint32 n_ranks);
void lp_trace_free(LpTrace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTrace, lp_trace_free)

/** The rank, node or group at an index. Borrowed. */
LpTraceRank *lp_trace_rank(const LpTrace *self, guint32 rank);
LpTraceNode *lp_trace_node(const LpTraceRank *self, guint place);
LpTraceGroup *lp_trace_group(const LpTrace *self, guint32 index);
/** A group of no members. Returns: its index. */
guint32 lp_trace_add_group(LpTrace *self, const char *name, const char *kind);
/** Adds @node, which depends on nothing yet. Returns: it, until another is added. */
LpTraceNode *lp_trace_add_node(LpTraceRank *self, const LpTraceNode *node);
/** The node added last depends on that called @id. */
void lp_trace_add_dep(LpTraceRank *self, guint64 id);

G_END_DECLS
