/* SPDX-License-Identifier: Apache-2.0 */
/* Which library and algorithm is best for each collective: of a grid of sizes, or of a workload. */
#pragma once

#include "model/network/library_mix.h"
#include "sim/mapping/placement.h"
#include "sim/run/collective_run.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** The relative error of a library's modelled times where they were measured: the median of 177
 * rows (docs/collectives.md). */
#define LP_TUNING_MODEL_ERROR 0.03
/** Libraries that can be compared. */
#define LP_TUNING_LIBRARIES_MAX 16

/** What a library takes for a collective. */
typedef struct {
    double time_s; /**< without other traffic; 0: it has no such collective */
    gboolean is_measured;
    char algorithm[96];
    char protocol[LP_LIBRARY_NAME_MAX];
} LpTuningTime;

/** A collective of a group. */
typedef struct {
    LpCollective collective;
    LpTraffic traffic; /**< of the group; LP_N_TRAFFIC: a grid's, which is of no class */
    guint64 bytes;     /**< LpOp.bytes */
    guint32 n_ranks, n_nodes;
    guint32 *accelerators; /* owned: by member */
    guint64 n_calls;       /**< in an iteration, of one rank of each stage, summed; of a grid 1 */
    guint32 key;           /**< in LpTuning.keys */
    LpTuningTime times[LP_TUNING_LIBRARIES_MAX]; /**< by library */
} LpTuningPoint;

/** What a plan can choose a library for: collectives of one operation, class and size. */
typedef struct {
    LpCollective collective;
    LpTraffic traffic;
    guint64 bytes;
} LpTuningKey;

/** Libraries, and what they are compared for. */
typedef struct {
    const LpMachine *machine; /* borrowed */
    guint n_libraries;
    LpLibrary *libraries; /* owned */
    GArray *points;       /* owned: LpTuningPoint, by operation, class, ranks, nodes and size */
    GArray *keys;         /* owned: LpTuningKey, by operation, class and size */
    double *follows; /* owned: [key][other]: how often, in an iteration, a stream goes from a call
                        of the one to a call of the other, of one rank of each stage, summed */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< told of runs; or NULL */
    void *progress_data;
    double change_s; /**< what a change of libraries costs a stream of the program: an event, or
                        what the start of a collective costs a host that has waited */
} LpTuning;

/** A tuning of @names, libraries or LP_LIBRARY_AUTO; NULL: the machine's library and those that
 * were measured on its accelerator. Errors: LP_INPUT_ERROR, "got, wanted". Returns: (transfer
 * full). */
LpTuning *lp_tuning_new(const LpMachine *machine, const char *const *names,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_tuning_free(LpTuning *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTuning, lp_tuning_free)

/** Adds the collective of @point once more, with @bytes and without times. */
void lp_tuning_add_like(LpTuning *self, const LpTuningPoint *point, guint64 bytes);
/** Puts points in order, and finds the key of each. */
void lp_tuning_sort(LpTuning *self);
/** Adds @collective of each of @bytes (guint64, the smallest first) among the first @n_ranks
 * accelerators, if any of the libraries has it. */
void lp_tuning_add_grid(LpTuning *self, LpCollective collective, guint32 n_ranks,
                        const GArray *bytes);
/** Adds what @program calls, whose ranks stand as @placement says. */
void lp_tuning_add_program(LpTuning *self, const LpProgram *program, const LpPlacement *placement);
/** Finds the times of all points, in processes of their own. Errors: LP_INPUT_ERROR where none of
 * the libraries has what is called; as of lp_collective_run_all(). */
gboolean lp_tuning_measure(LpTuning *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Puts points between two sizes of a grid of which others are best: the largest size, to a
 * hundredth, for which the first still is, and the next. Errors: as lp_tuning_measure(). */
gboolean lp_tuning_refine(LpTuning *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The points of @self of which @keeps says so, for @libraries (transfer full,
 * LP_TUNING_LIBRARIES_MAX of them, @n in use) in place of its own; those that none has are left
 * out. Errors: as of lp_tuning_measure(). Returns: (transfer full), measured. */
LpTuning *lp_tuning_among(const LpTuning *self, LpLibrary *libraries, guint n,
                          gboolean (*keeps)(const LpTuningPoint *point),
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

const LpTuningPoint *lp_tuning_point(const LpTuning *self, guint index);
/** The library that takes least, the first of those that take as long; and that which is next, or
 * LP_TUNING_LIBRARIES_MAX. */
guint lp_tuning_best(const LpTuning *self, const LpTuningPoint *point);
guint lp_tuning_next(const LpTuning *self, const LpTuningPoint *point, guint best);
/** How much longer @library takes than @best: 0.1 is 10 %. */
double lp_tuning_margin(const LpTuningPoint *point, guint best, guint library);
/** Whether that lies within what the times of both scatter by. */
gboolean lp_tuning_is_tie(const LpTuning *self, const LpTuningPoint *point, guint best,
                          guint library);

/** Seconds that all calls of @key take by @library; INFINITY: it has not all of them. */
double lp_tuning_key_s(const LpTuning *self, guint key, guint library);
/** "NAME; OPERATION@CLASS: ..." as plans take it, where @chosen says by key which library runs it.
 * One for all: its name alone. Error: LP_INPUT_ERROR where that is more than a plan has room for.
 * Returns: (transfer full). */
char *lp_tuning_library_text(const LpTuning *self, const guint32 *chosen,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
