/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads, scenarios and platforms that a command line names. */
#include "cli/inputs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/xml.h"
#include "cli/made_machine.h"
#include "cli/plan_fit.h"
#include "cli/options.h"

#include <string.h>

static const struct {
    LpInputKind kind;
    const char *root;   /* the root element of such a file */
    const char *folder; /* of shipped ones */
    const char *named;
    const char *hint; /* where it belongs */
} kinds[] = {
    {LP_INPUT_WORKLOAD, "workload", "workloads", "a workload", "workloads come before platforms"},
    {LP_INPUT_WORKLOAD, "program", "workloads/programs", "a program by hand",
     "programs are taken where workloads are"},
    {LP_INPUT_SCENARIO, "scenario", "workloads/scenarios", "a scenario",
     "lightpath simulate runs scenarios"},
    {LP_INPUT_PLATFORM, "platform", "platforms", "a platform", "platforms come after workloads"},
};

/* "a workload or a scenario". Returns: (transfer full). */
static char *
wanted_text(guint wanted)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if ((kinds[i].kind & wanted) != 0 && (i == 0 || kinds[i].kind != kinds[i - 1].kind))
            g_string_append_printf(text, "%s%s", text->len > 0 ? " or " : "", kinds[i].named);
    return g_string_free(text, FALSE);
}

static void
refuse_kind(const char *name, guint index, guint wanted, GError **error)
{
    g_autofree char *shown = lp_error_quote(name);
    g_autofree char *text = wanted_text(wanted);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "%s is %s, wanted %s (%s)", shown,
                kinds[index].named, text, kinds[index].hint);
}

/* A path, if its file does not say of itself that it is something else. */
static char *
find_path(const char *name, guint wanted, GError **error)
{
    g_autofree char *path = lp_file_argument(name, error);
    /* Reading a pipe would empty it. */
    if (path == NULL || !g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer(&path);
    g_autofree char *root = lp_xml_root_name(path);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (g_strcmp0(root, kinds[i].root) == 0 && (kinds[i].kind & wanted) == 0) {
            refuse_kind(name, i, wanted, error);
            return NULL;
        }
    return g_steal_pointer(&path);
}

static void
refuse_unknown(const char *name, guint wanted, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char **shipped = lp_file_shipped(kinds[i].folder);
        for (char **item = shipped; *item != NULL; item++)
            if ((kinds[i].kind & wanted) != 0)
                g_ptr_array_add(names, *item);
            else
                g_free(*item);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *shown = lp_error_quote(name);
    g_autofree char *text = wanted_text(wanted);
    const char *like = lp_like_name(name, (const char *const *)names->pdata);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "%s is neither a file nor the name of %s that is shipped%s%s (lightpath %s list)",
                shown, text, like != NULL ? "; the nearest is " : "", like != NULL ? like : "",
                (wanted & LP_INPUT_PLATFORM) != 0 ? "platform" : "workload");
}

char *
lp_input_find(const char *name, guint wanted, GError **error)
{
    if ((wanted & LP_INPUT_PLATFORM) != 0 && lp_made_machine_is(name))
        return g_strdup(name);
    if (lp_file_is_path(name))
        return find_path(name, wanted, error);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
            gboolean is_wanted = (kinds[i].kind & wanted) != 0;
            g_auto(GStrv) shipped = lp_file_shipped(kinds[i].folder);
            if (is_wanted != (pass == 0) || !g_strv_contains((const char *const *)shipped, name))
                continue;
            if (is_wanted)
                return lp_file_find(kinds[i].folder, name, error);
            refuse_kind(name, i, wanted, error);
            return NULL;
        }
    refuse_unknown(name, wanted, error);
    return NULL;
}

LpMachine *
lp_input_load_machine(const char *name, GError **error)
{
    g_autofree char *path = lp_input_find(name, LP_INPUT_PLATFORM, error);
    return path != NULL ? lp_made_machine_load(path, error) : NULL;
}

const char *
lp_input_reason(const char *message, const char *setting)
{
    g_autofree char *place = g_strdup_printf("--set %s: ", setting);
    return g_str_has_prefix(message, place) ? message + strlen(place) : message;
}

char *
lp_input_attribute(const LpWorkload *workload, const char *name)
{
    const char *other;
    char *text;
    for (guint i = 0; (text = lp_workload_attribute(workload, i, &other)) != NULL; i++) {
        if (strcmp(other, name) == 0)
            return text;
        g_free(text);
    }
    return NULL;
}

char **
lp_plan_choice_fit(LpPlanChoice plan, const char *path, const char *const *settings,
                   const LpMachine *const *machines, guint n, GError **error)
{
    return lp_fit_plan(path, settings,
                       &(LpFitTarget){machines, n, plan == LP_PLAN_FIT_WITHOUT_MEMORY}, error);
}

/* What of dp, micro-batch and global-batch, the last three of @fitting, is not as @workload has it:
 * " --set dp=8 --set global-batch=16". Returns: (transfer full). */
static char *
changes_text(char **fitting, const LpWorkload *workload)
{
    GString *text = g_string_new(NULL);
    const LpPlan *plan = &workload->plan;
    const guint32 values[] = {plan->degree[LP_AXIS_DP], plan->batch.micro, plan->batch.global};
    guint n = g_strv_length(fitting);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        const char *setting = fitting[n - G_N_ELEMENTS(values) + i];
        if (g_ascii_strtoull(strchr(setting, '=') + 1, NULL, 10) != values[i])
            g_string_append_printf(text, " --set %s", setting);
    }
    return g_string_free(text, FALSE);
}

/* Refuses more ranks than accelerators with a way out, as far as there is one. */
static gboolean
check_ranks(const LpWorkload *workload, const char *const *settings, const LpMachine *machine,
            GError **error)
{
    guint64 n_ranks = lp_plan_n_ranks(&workload->plan);
    if (n_ranks <= machine->n_accelerators)
        return TRUE;
    gboolean is_given = workload->given != NULL;
    g_auto(GStrv) fitting =
        is_given ? NULL
                 : lp_plan_choice_fit(LP_PLAN_FIT, workload->path, settings, &machine, 1, NULL);
    g_autofree char *changes = fitting != NULL ? changes_text(fitting, workload) : NULL;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "%s: got a %s of %" G_GUINT64_FORMAT
                " ranks%s, wanted at most the %" G_GUINT64_FORMAT " accelerators of %s%s%s%s",
                lp_file_label(workload->path), is_given ? "program" : "plan", n_ranks,
                is_given ? "" : " (tp x cp x dp x pp)", machine->n_accelerators,
                lp_file_label(machine->path), changes != NULL ? ", such as with" : "",
                changes != NULL ? changes : "", changes != NULL ? " (or --plan=fit)" : "");
    return FALSE;
}

/* @workload with as many replicas as @machine holds. */
static LpWorkload *
load_fitting(const LpWorkload *workload, const char *const *settings, LpPlanChoice plan,
             const LpMachine *machine, GError **error)
{
    g_auto(GStrv) fitting = lp_plan_choice_fit(plan, workload->path, settings, &machine, 1, error);
    return fitting != NULL ? lp_workload_load(workload->path, (const char *const *)fitting, error)
                           : NULL;
}

gboolean
lp_load_inputs(const char *workload_name, const char *platform_name, const char *const *settings,
               LpPlanChoice plan, LpWorkload **out_workload, LpMachine **out_machine,
               GError **error)
{
    g_autofree char *workload_path = lp_input_find(workload_name, LP_INPUT_WORKLOAD, error);
    if (workload_path == NULL)
        return FALSE;
    g_autofree char *platform_path = lp_input_find(platform_name, LP_INPUT_PLATFORM, error);
    if (platform_path == NULL)
        return FALSE;
    /* What is wrong with the workload alone is said before anything about the machine. */
    g_autoptr(LpWorkload) workload = lp_workload_load(workload_path, settings, error);
    g_autoptr(LpMachine) machine =
        workload != NULL ? lp_made_machine_load(platform_path, error) : NULL;
    if (machine == NULL ||
        (plan == LP_PLAN_FILE && !check_ranks(workload, settings, machine, error)))
        return FALSE;
    *out_workload = plan == LP_PLAN_FILE ? g_steal_pointer(&workload)
                                         : load_fitting(workload, settings, plan, machine, error);
    if (*out_workload == NULL)
        return FALSE;
    if (!lp_workload_apply_machine(*out_workload, machine->domain_size, &machine->accelerator,
                                   error)) {
        g_clear_pointer(out_workload, lp_workload_free);
        return FALSE;
    }
    *out_machine = g_steal_pointer(&machine);
    return TRUE;
}

gboolean
lp_check_scenario_memory(const LpScenario *scenario, const LpMachine *machine, GError **error)
{
    for (guint i = 0; i < scenario->jobs->len; i++) {
        const LpScenarioJob *job = lp_scenario_job(scenario, i);
        if (lp_setup_check_memory(job->workload, machine, error))
            continue;
        lp_scenario_job_prefix(job, error);
        return FALSE;
    }
    return TRUE;
}
