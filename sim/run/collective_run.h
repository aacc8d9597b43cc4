/* SPDX-License-Identifier: Apache-2.0 */
/* A single collective on a machine, and nothing else: what benchmarks of communication measure. */
#pragma once

#include "model/network/library.h"
#include "sim/run/simulation.h"

G_BEGIN_DECLS

typedef struct {
    LpCollective collective;
    guint64 bytes;    /**< of the whole buffer, as LpOp.bytes */
    guint32 n_ranks;  /**< of a group */
    guint32 n_groups; /**< that do the same at the same time; 0: as 1 */
    gboolean strided; /**< member i of group g is rank i n_groups + g; else g n_ranks + i */
    LpAlgorithms algorithms;
    LpLibrary library;
    LpFidelity fidelity;
    gboolean collapse; /**< where all groups have their links to themselves, each takes its isolated
                          time, worked out from its steps, and nothing is simulated; else one member
                          of each class of a quotient, if that leaves few */
    const guint32 *accelerators; /* borrowed: by rank, or NULL: rank r is r */
} LpCollectiveRequest;

typedef struct {
    LpRunResult run;
    double isolated_s;  /**< of a group that has the machine to itself */
    char algorithm[96]; /**< what was chosen */
    char protocol[LP_LIBRARY_NAME_MAX];
} LpCollectiveResult;

/** Runs @self with every flow simulated, unless collapse says otherwise; once a process. Errors:
 * LP_SIMULATION_ERROR, LP_SIMULATION_ERROR, GFileError. */
gboolean lp_collective_run(const LpCollectiveRequest *self, const LpMachine *machine,
                           LpCollectiveResult *out_result,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_collective_run(), in a process of its own, so any number of times. Errors: besides,
 * LP_CHILD_PROCESS_ERROR. */
gboolean lp_collective_run_in_child(const LpCollectiveRequest *self, const LpMachine *machine,
                                    LpCollectiveResult *out_result,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What one member of the first group sends to another. */
typedef struct {
    guint64 from, to;                /**< accelerators */
    guint64 bytes;                   /**< of data, in all steps */
    char from_port[64], to_port[64]; /**< the ports, as hosts of the engine's platform */
    char relay[64];  /**< the port by which it comes to an accelerator in between, or "" */
    guint32 n_links; /**< on the way */
    double latency_s, bytes_per_s; /**< of the route */
} LpCollectiveFlow;

/** Who sends how much to whom, by which ports; runs nothing. Once a process. Errors: as
 * lp_collective_run(). Returns: (transfer full) LpCollectiveFlow, by sender. */
GArray *lp_collective_run_flows(const LpCollectiveRequest *self, const LpMachine *machine,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What came of a collective run among several. */
typedef struct {
    LpCollectiveResult result;
    GError *error; /* owned: why there is no result; NULL: there is one */
} LpCollectiveOutcome;

/** Frees @n outcomes of a g_new0(). */
void lp_collective_outcomes_free(LpCollectiveOutcome *self, guint n);

/** Runs @n collective runs on one machine, two at a time, in processes of their own.
 * @progress: told of them; or NULL. @out_outcomes: by collective run. Error: LP_CHILD_PROCESS_ERROR
 * if there are no outcomes. */
gboolean lp_collective_run_all(const LpCollectiveRequest *requests, guint n,
                               const LpMachine *machine,
                               void (*progress)(double n_done, guint64 n_all, void *data),
                               void *progress_data, LpCollectiveOutcome *out_outcomes,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Factor from bytes over time to bus bandwidth, which is comparable to a link's rate whatever the
 * number of ranks: 2 (n-1)/n of an all-reduce, (n-1)/n of its halves and of an all-to-all, else 1.
 * (NVIDIA nccl-tests, doc/PERFORMANCE.md.) */
double lp_collective_bus_factor(LpCollective collective, guint64 n_ranks);

G_END_DECLS
