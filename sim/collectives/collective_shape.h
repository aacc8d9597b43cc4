/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a collective, and of what is derived from it: messages, phases, stages. */
#pragma once

#include "model/plan/collective.h"
#include "model/network/torus.h"
#include "sim/collectives/blocks.h"
#include "sim/simulation_error.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

#define LP_STEP_SCHEDULE_LEVELS_MAX 3

/** The ways in a torus between all of its ports. */
typedef struct {
    const LpTorus *torus;     /* borrowed */
    const guint64 *crossings; /* borrowed: as lp_torus_crossings() */
} LpTorusPaths;

/** The description of a collective. Members that an algorithm does not use are ignored. */
typedef struct {
    LpCollective collective;
    LpAlgorithm algorithm;
    guint64 n_members;
    guint64 bytes; /**< as LpOp.bytes: of the whole buffer, summed or gathered, on each member;
                      of an all-to-all what a member holds before it (of one weighted by sender:
                      after it); of a barrier or a send, of the message */
    guint64 root;  /**< of a broadcast or reduce */
    guint64 chunk_bytes; /**< trees, rings' broadcasts and switches work in chunks of at most this
                            much of what they carry at once, each channel and each of two trees by
                            itself; 0: one chunk */
    guint32 n_levels;    /**< hierarchical: 2 or 3; torus: dimensions, 1 to 6 */
    guint64 level_size[LP_TORUS_DIMENSIONS_MAX]; /**< innermost first; their product is n_members */
    double level_links[LP_TORUS_DIMENSIONS_MAX]; /**< torus: that a member's rings of the dimension
                                                    have, both ways together; 0: 1 */
    LpAlgorithm level_algorithm[LP_STEP_SCHEDULE_LEVELS_MAX]; /**< hierarchical: at each level */
    guint64 n_channels;  /**< ring: parallel rings in different orders; tree (all-reduce only):
                            double trees between domains' heads, chains inside; torus: 2 uses both
                            directions of each dimension; 0 and 1: one */
    guint64 n_intra;     /**< ring and tree with channels: members of each domain, who follow each
                           other; 0: all */
    gboolean aggregates; /**< in-network: the switch hands its sum to all at once, as aggregation
                            trees do; else each member fetches its share of the sum and stores it
                            to all, as over NVLink */
    const double *loads; /**< all-to-all: borrowed, by member, over the mean; NULL: even */
    LpWeight weight;     /**< whose load decides */
    const LpStepList *list;   /**< listed: borrowed, of the collective and as many members */
    const LpTorusPaths *ways; /**< all-to-all in a torus: borrowed; member i is its port i */
} LpCollectiveShape;

/** One message: @bytes > 0 to participant @to. */
typedef struct {
    guint64 to;
    guint64 bytes;
    guint lane; /**< of a step: a tree with chains has one a tree, each a connection of its own that
                   has a fair share of its port; else, and of a phase, 0 */
} LpSend;

/** A range of the logical buffer. */
typedef struct {
    guint64 offset, bytes;
    gboolean reduces; /**< the receiver adds it to what it has; else it replaces that */
} LpSpan;

/** Steps in a row in which no member's partners change, so that one fluid flow a partner can stand
 * for them all. */
typedef struct {
    guint64 first_step, n_steps;
    guint64 n_latencies;   /**< steps on the longest way of any byte: a pipeline pays for distance
                              while it fills, not once a chunk */
    gboolean runs_one_way; /**< a chain: every message may come late, since nobody waits for those
                              behind */
    guint64 fill_bytes;    /**< what one port carries, one after the other, while the pipeline fills
                              and drains: time that fluid flows of the phase would not show; 0 where
                              every step is alike */
} LpStepPhase;

/** A stage of a hierarchical collective: a collective at one level. */
typedef struct {
    LpCollective collective;
    guint32 level;
    guint64 first_step, first_phase;
} LpStepStage;

#define LP_STEP_SCHEDULE_STAGES_MAX (2 * LP_STEP_SCHEDULE_LEVELS_MAX - 1)

/** A shape and what follows from it. Plain data: may be copied, needs no freeing. */
typedef struct LpStepSchedule {
    LpCollectiveShape shape;
    LpBlocks blocks; /**< the buffer over the members */
    guint64 n_steps;
    gboolean is_plain;  /**< ring: one of blocks that all pass on, which is asked for most */
    guint64 n_channels; /**< ring, tree with chains: at least 1 */
    guint64 n_intra;    /**< the same: members of a domain; n_members where order does not matter */
    guint64 n_chunks;
    guint64 n_nodes;     /**< tree: of each of the two trees; with chains, domains */
    guint64 n_core;      /**< doubling, halving, Bruck: the powers of two up to n */
    guint32 n_doublings; /**< how often one doubles to get there */
    guint64 pitch[LP_TORUS_DIMENSIONS_MAX]; /**< levels: from a member to the next of its group */
    guint64 n_phases, most_sends;           /**< hierarchical: over all stages */
    guint32 n_stages;                       /**< hierarchical */
    LpStepStage stages[LP_STEP_SCHEDULE_STAGES_MAX];
    guint64 n_stage_steps; /**< torus: of a stage, in which every part has one dimension */
    guint64 part_begin[2 * LP_TORUS_DIMENSIONS_MAX + 1]; /**< torus: where the parts of the buffer
                                                            begin, and the last one's end */
    const struct LpStepSchedule
        *whole;     /**< borrowed: a stage's all-to-all has its pairs from there */
    guint32 level;  /**< of it */
    guint64 anchor; /**< the first member of the stage's group there */
} LpStepSchedule;

G_END_DECLS
