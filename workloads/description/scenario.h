/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios, read from files. */
#pragma once

#include "model/times/accelerator.h"
#include "workloads/description/scenario_data.h"

G_BEGIN_DECLS

/** Whether the file's root element is <scenario>. Only a regular or a shipped file can be one. */
gboolean lp_scenario_is_file(const char *path);

/**
 * Reads a scenario (docs/scenario-format.md) and its workloads. @settings: "name=value" for every
 * job's workload, or NULL; they beat the file. The order of elements does not matter.
 * Errors: as lp_workload_load(), and "FILE:LINE: what, got, wanted". Returns: (transfer full).
 */
LpScenario *lp_scenario_load(const char *path, const char *const *settings,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A scenario of one job, @workload, alone on the machine and placed as its plan says. @workload:
 * (transfer full). @path: what messages name. Returns: (transfer full). */
LpScenario *lp_scenario_new_single(LpWorkload *workload, const char *path);
/** Has @error begin with where @self stands and with its name; where it is a workload alone, with
 * the workload's file, if it does not yet. */
void lp_scenario_job_prefix(const LpScenarioJob *self, GError **error);
/** lp_workload_apply_machine() of every job's workload. Errors: as there, with the job before. */
gboolean lp_scenario_apply_machine(LpScenario *self, guint64 domain_size,
                                   const LpAccelerator *accelerator,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees @self and all that it owns; nothing if it is NULL. */
void lp_scenario_free(LpScenario *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpScenario, lp_scenario_free)

/** The job at @index of LpScenario.jobs. Borrowed. */
const LpScenarioJob *lp_scenario_job(const LpScenario *self, guint index);

G_END_DECLS
