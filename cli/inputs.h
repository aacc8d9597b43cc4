/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads, scenarios and platforms that a command line names. */
#pragma once

#include "report/report.h"

G_BEGIN_DECLS

/** What a file describes; bits, since a command may take one of several. */
typedef enum {
    LP_INPUT_WORKLOAD = 1 << 0,
    LP_INPUT_SCENARIO = 1 << 1,
    LP_INPUT_PLATFORM = 1 << 2
} LpInputKind;

/**
 * The path of the file that @name means: a path, "-" for standard input, or a shipped name; or the
 * options of a machine that is made (cli/made_machine.h), which stand for themselves.
 * @wanted: LpInputKind bits; a file or name of another kind is refused as what it is.
 * Errors: LP_INPUT_ERROR_NAME, LP_INPUT_ERROR_FILE. Returns: (transfer full).
 */
char *lp_input_find(const char *name, guint wanted, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Loads the machine that @name means. Returns: (transfer full). */
LpMachine *lp_input_load_machine(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What the plan of @workload says of the attribute @name. Returns: (transfer full), NULL: it has
 * no such attribute. */
char *lp_input_attribute(const LpWorkload *workload, const char *name);

/** @message of a run that had "--set @setting" put in, without that place in front: what asked for
 * it, such as "--sweep", is the place. Borrowed from @message. */
const char *lp_input_reason(const char *message, const char *setting);

/** Which plan a workload is run with. */
typedef enum {
    LP_PLAN_FILE,              /**< the file's, with the settings */
    LP_PLAN_FIT,               /**< and as many replicas as the machine holds (cli/plan_fit.h) */
    LP_PLAN_FIT_WITHOUT_MEMORY /**< and whatever memory that takes */
} LpPlanChoice;

/** Settings with which the workload of @path fills the smallest of @machines, @n of them, which all
 * run it: @settings, and what @plan, not LP_PLAN_FILE, adds. Errors: as lp_fit_plan(). Returns:
 * (transfer full), NULL-ended. */
char **lp_plan_choice_fit(LpPlanChoice plan, const char *path, const char *const *settings,
                          const LpMachine *const *machines, guint n,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Loads the workload and the platform that the command line names. A plan of too many ranks is
 * refused, with settings that fit if there are any. Errors: as lp_workload_load(),
 * lp_machine_load(), lp_fit_plan(), and LP_SIMULATION_ERROR_FIT. */
gboolean lp_load_inputs(const char *workload_name, const char *platform_name,
                        const char *const *settings, LpPlanChoice plan, LpWorkload **out_workload,
                        LpMachine **out_machine, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether the plan of each job of @scenario fits in the memory of @machine's accelerators. Errors:
 * as lp_setup_check_memory(), with the job before. */
gboolean lp_check_scenario_memory(const LpScenario *scenario, const LpMachine *machine,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
