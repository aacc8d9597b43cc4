/* SPDX-License-Identifier: Apache-2.0 */
/* Goodput over days: the share of its work that a machine gets done which fails and is repaired, in
 * closed form; and the description that closed form and Monte Carlo share. */
#pragma once

#include "model/reliability/checkpoint.h"

G_BEGIN_DECLS

/** The parts of a machine that fail. */
typedef enum {
    LP_PART_ACCELERATOR,
    LP_PART_HOST,
    LP_PART_CARD,     /**< a port of the scale-out network at its domain */
    LP_PART_LINK,     /**< what joins a card to the network: cable and transceivers */
    LP_PART_SWITCH,   /**< of packets */
    LP_PART_OCS,      /**< of circuits */
    LP_PART_SOFTWARE, /**< no part of the machine, but it fails */
    LP_N_PARTS
} LpGoodputPart;

/** The effect of a failure: what it stops. */
typedef enum {
    LP_EFFECT_BLOCK,   /**< the block that holds the part, until it is back */
    LP_EFFECT_JOB,     /**< one job, which has such a part of its own; it starts again */
    LP_EFFECT_MACHINE, /**< every job, until the part is back */
    LP_EFFECT_SLOW,    /**< nothing; until it is back all jobs take slowdown times as long */
    LP_N_EFFECTS
} LpEffect;

/** Names as in files, NULL-ended, by the enums above. */
extern const char *const lp_part_names[];
extern const char *const lp_effect_names[];

/** Parts of a kind. Both times are drawn from exponential distributions. */
typedef struct {
    guint64 count;   /**< in a block, of a job, or of the machine: what the effect stops */
    double mtbf_s;   /**< of one, from a repair to the next failure; INFINITY: it never fails */
    double repair_s; /**< from a failure until it is back; not of LP_EFFECT_JOB */
    LpEffect effect;
    double slowdown; /**< of LP_EFFECT_SLOW: at least 1 */
} LpFailingParts;

/** Which blocks make a slice. */
typedef enum {
    LP_PACKING_ANY,        /**< any: circuits or packet switches join them */
    LP_PACKING_FIXED,      /**< sets that follow each other, which the cabling gives */
    LP_PACKING_CONTIGUOUS, /**< a box of a torus of blocks, turned as you like */
    LP_PACKING_PODS,       /**< groups of blocks, each within one pod */
    LP_PACKING_RINGS,      /**< groups of blocks in a line, each within reach of the one before */
    LP_N_PACKINGS
} LpPacking;

extern const char *const lp_packing_names[];

/** What becomes of the blocks of running jobs when another form of groups would give a waiting job
 * its slice. It matters where jobs stand in each other's way: several slices of LP_PACKING_RINGS or
 * LP_PACKING_CONTIGUOUS. */
typedef enum {
    LP_REGROUP_NEVER, /**< a job keeps its blocks until it is interrupted; others wait */
    LP_REGROUP_FREE,  /**< all groups are formed anew, which takes no time: as many jobs run as the
                         blocks that are up allow */
    LP_N_REGROUPS
} LpRegroup;

extern const char *const lp_regroup_names[];

/** A machine of equal blocks, and the equal jobs on it, each on a slice of blocks. Blocks beyond
 * those of the jobs are spares. */
typedef struct {
    guint64 n_blocks;
    guint64 slice_blocks; /**< of a job, at least 1 */
    guint64 n_slices;     /**< jobs at a time */
    double slice_share;   /**< of the machine's accelerators that a job computes on */
    LpPacking packing;
    guint64 grid[3], shape[3]; /**< LP_PACKING_CONTIGUOUS: blocks of the torus, of a slice */
    guint64 pod_blocks;        /**< LP_PACKING_PODS */
    guint64 group_blocks;      /**< LP_PACKING_PODS, LP_PACKING_RINGS */
    guint64 hops;              /**< LP_PACKING_RINGS: a block is joined to so many on either side */
    LpRegroup regroup;
    LpFailingParts parts[LP_N_PARTS];
} LpFleet;

/** The inputs of the goodput of some days. */
typedef struct {
    LpFleet fleet;
    double interval_s, write_s, restart_s; /**< as in LpCheckpointing */
    double period_s;
} LpGoodputInput;

/** The causes for which time does no work. */
typedef enum {
    LP_LOSS_CHECKPOINTING,
    LP_LOSS_LOST_WORK,
    LP_LOSS_RESTART,
    LP_LOSS_WAITING,  /**< for repair: too few blocks are up, or none that make a slice */
    LP_LOSS_DEGRADED, /**< work that took longer */
    LP_LOSS_IDLE,     /**< accelerators that no job is meant for: spares, and what fits no slice */
    LP_N_LOSSES
} LpLoss;

extern const char *const lp_loss_names[];

/** The use of the time: shares of accelerators and period. */
typedef struct {
    double goodput;           /**< work that is kept, over all accelerators of the machine */
    double slice_goodput;     /**< over those of the jobs */
    double availability;      /**< time in which a job has its blocks */
    double loss[LP_N_LOSSES]; /**< with goodput they sum to 1 */
    double interruptions;     /**< of all jobs in the period */
} LpGoodput;

/** Failures that interrupt a job while it has its blocks, per second: those of its blocks' parts,
 * of the machine's, and of its own. */
double lp_fleet_interruptions_per_s(const LpFleet *self);
/** Failures of all parts of the machine and its jobs a second, those that interrupt nobody
 * included; jobs as if they always had their blocks. */
double lp_fleet_failures_per_s(const LpFleet *self);
/** Share of time in which a block is up: the product of its parts' availabilities. */
double lp_fleet_block_availability(const LpFleet *self);
/** Share of time in which no part of the machine's stops every job. */
double lp_fleet_machine_availability(const LpFleet *self);
/** Work in a second of work, over that of a machine with all parts up. */
double lp_fleet_speed(const LpFleet *self);

/** Numbers that lp_goodput() needs to work with; 0: none. */
gsize lp_goodput_workspace(const LpFleet *self);
/** Whether there is a closed form: not of LP_PACKING_CONTIGUOUS. */
gboolean lp_goodput_is_closed(const LpFleet *self);
/** Whether the closed form is exact. Otherwise it is that of LP_REGROUP_FREE, a bound: of several
 * slices of LP_PACKING_RINGS that are never moved. In other packings no job leaves gaps: what any
 * job gives back is worth the same to each. */
gboolean lp_goodput_is_exact(const LpFleet *self);
/**
 * The long run. While a job has its blocks, it is interrupted at random,
 * lp_fleet_interruptions_per_s() times a second, whatever else is up or down; and time in which it
 * has not stands still for it. So goodput = slice share * E(slices that are there) * share of work
 * of lp_checkpoint_shares() * speed; exact for exponential times between failures where
 * lp_goodput_is_exact(). @workspace: of
 * lp_goodput_workspace() numbers. Needs lp_goodput_is_closed().
 */
LpGoodput lp_goodput(const LpGoodputInput *self, double *workspace);

G_END_DECLS
