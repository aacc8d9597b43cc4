/* SPDX-License-Identifier: Apache-2.0 */
/* A workload with one attribute at several values, each in a process of its own. */
#pragma once

#include "cli/inputs.h"
#include "report/characterization_data.h"

G_BEGIN_DECLS

/** What all points of a sweep share. */
typedef struct {
    const char *workload;        /* borrowed: name or path */
    const char *platform;        /* borrowed: name or path; NULL: bytes are counted, nothing runs */
    const char *const *settings; /* borrowed: "name=value", or NULL */
    LpPlanChoice plan;
    LpFidelity fidelity;
    gboolean collapse, ignore_memory;
    guint n_at_once; /**< processes side by side */
} LpSweepBase;

/** The program of @workload, with the kernel times of @machine's accelerator; without a machine
 * (NULL) with those of any accelerator for its precision, since what is sent does not depend on it.
 * Errors: LP_PROGRAM_ERROR, LP_INPUT_ERROR. Returns: (transfer full). */
LpProgram *lp_sweep_program(const LpWorkload *workload, const LpMachine *machine,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * Runs @text: "NAME=VALUE,VALUE..." or "NAME", for a quarter, half, once, twice and four times the
 * value of @workload, as far as these are whole. With "hidden" go ffn, heads and kv-heads, so that
 * heads keep their width. What cannot run is a point with a reason.
 * @out_parameter: (transfer full), NAME. Errors: LP_INPUT_ERROR_USAGE, LP_INPUT_ERROR_VALUE
 * if no point can run, LP_CHILD_PROCESS_ERROR.
 * Returns: (transfer full) array of LpSweepPoint.
 */
GArray *lp_sweep_run(const LpSweepBase *base, const LpWorkload *workload, const char *text,
                     char **out_parameter, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
