/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of a command line once more, with something changed: another plan or machine, another
 * fidelity, other seeds. Each runs in a process of its own, before the engine starts here. */
#pragma once

#include "report/contention_data.h"

G_BEGIN_DECLS

/** The command line that is varied. */
typedef struct {
    const char *workload;        /* borrowed: path of a workload or a scenario */
    const char *platform;        /* borrowed: path of a platform file */
    const char *const *settings; /* borrowed: "name=value", or NULL */
    LpFidelity fidelity;
    gboolean collapse;
    gboolean ignore_memory; /**< run plans that do not fit in memory, too */
    guint n_jobs;           /**< of the scenario */
    guint n_at_once;        /**< processes side by side */
    void (*progress)(double n_done, guint64 n_all, void *data); /**< told of runs; or NULL */
    void *progress_data;
} LpVariantBase;

/** Adds @seed to all seeds of @scenario and @machine. */
void lp_variant_shift_seeds(LpScenario *scenario, LpMachine *machine, guint32 seed);

/** Runs what each of @what_ifs ("name=value" of plans or of generated machines, or several parted
 * by commas; NULL-ended, or NULL) would change. Adds a row for each to @out: LpVariantRow; of what
 * does not fit on the machine without times. Errors: LP_INPUT_ERROR of what cannot be changed so;
 * as lp_scenario_setup_new(). */
gboolean lp_variants_what_if(const LpVariantBase *base, const char *const *what_ifs, GArray *out,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Runs @n_runs times, each time with other seeds of jitter, traffic, hashes and skew. Adds a row
 * for each. Errors: as lp_scenario_setup_new(). */
gboolean lp_variants_runs(const LpVariantBase *base, guint n_runs, GArray *out,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The distribution of the iteration of each job over runs with different seeds. Fills @out of
 * n_jobs. Errors: as lp_scenario_setup_new(). */
gboolean lp_variants_distribution(const LpVariantBase *base, guint n_runs, LpDistribution *out,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Runs with both fidelities, with hashed paths where the machine is a generated tree that has
 * none, and with ideal ones. Adds a row for each. Errors: as lp_scenario_setup_new(). */
gboolean lp_variants_band(const LpVariantBase *base, GArray *out,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
