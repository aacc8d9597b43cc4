/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that fill a machine, and machines that a plan runs on. */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** What a plan is to run on. */
typedef struct {
    const LpMachine *const *machines; /**< borrowed: each of them */
    guint n_machines;
    gboolean ignore_memory; /**< whatever memory that takes */
} LpFitTarget;

/**
 * Settings with which the workload of @path fills the smallest machine of @target: as many replicas
 * (dp) as it holds, the global batch that is nearest to the workload's own, and, where memory
 * demands, a smaller micro-batch. Everything else of the plan stays.
 * @settings: the user's own, or NULL; they come first in the result.
 * Errors: LP_SIMULATION_ERROR_FIT, and those of lp_workload_load(). Returns: (transfer
 * full), NULL-ended.
 */
char **lp_fit_plan(const char *path, const char *const *settings, const LpFitTarget *target,
                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @machine has room for the ranks of @workload, and memory. */
gboolean lp_fit_runs_on(const LpWorkload *workload, const LpMachine *machine);

/** How to come by the machine that @workload was published for: the name of the smallest of
 * @machines (of LpMachine, shipped ones) that is of that system and runs it, or the options of
 * "lightpath platform generate"; NULL: its file names none. Returns: (transfer full). */
char *lp_fit_find_machine(const LpWorkload *workload, const GPtrArray *machines);

/** The shipped machines, the smallest first. Returns: (transfer full) of LpMachine. */
GPtrArray *lp_fit_shipped_machines(GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
