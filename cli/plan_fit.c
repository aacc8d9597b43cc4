/* SPDX-License-Identifier: Apache-2.0 */
/* Fits plans to machines and machines to plans, by trying. */
#include "cli/plan_fit.h"

#include "base/file.h"
#include "workloads/description/given_workload.h"

#include <string.h>

/* Counts of replicas that are tried one by one, from the most; then halves. */
#define NEAR_TRIES 16

static guint64
n_model_ranks(const LpPlan *plan)
{
    return lp_plan_n_ranks(plan) / plan->degree[LP_AXIS_DP];
}

/* @settings, and those that make dp, micro-batch and global-batch what they are to be. */
static char **
with_batch(const char *const *settings, guint64 dp, guint64 micro, guint64 global)
{
    GPtrArray *all = g_ptr_array_new();
    for (; settings != NULL && *settings != NULL; settings++)
        g_ptr_array_add(all, g_strdup(*settings));
    g_ptr_array_add(all, g_strdup_printf("dp=%" G_GUINT64_FORMAT, dp));
    g_ptr_array_add(all, g_strdup_printf("micro-batch=%" G_GUINT64_FORMAT, micro));
    g_ptr_array_add(all, g_strdup_printf("global-batch=%" G_GUINT64_FORMAT, global));
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

/* The multiple of @unit that is nearest to @wanted, at least one. */
static guint64
nearest_multiple(guint64 wanted, guint64 unit)
{
    return MAX((wanted + unit / 2) / unit, 1) * unit;
}

static gboolean
runs_on(const LpWorkload *workload, const LpMachine *machine, gboolean ignore_memory)
{
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    return setup != NULL && (ignore_memory || lp_setup_check_memory(workload, machine, NULL));
}

gboolean
lp_fit_runs_on(const LpWorkload *workload, const LpMachine *machine)
{
    return runs_on(workload, machine, FALSE);
}

static gboolean
runs_on_each(const char *path, char **settings, const LpFitTarget *target)
{
    for (guint i = 0; i < target->n_machines; i++) {
        const LpMachine *machine = target->machines[i];
        g_autoptr(LpWorkload) workload =
            lp_workload_load(path, (const char *const *)settings, NULL);
        if (workload == NULL ||
            !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator,
                                       NULL) ||
            !runs_on(workload, machine, target->ignore_memory))
            return FALSE;
    }
    return TRUE;
}

/* The settings for @dp replicas: the largest micro-batch that fits into memory, and whole rounds of
 * a pipeline if its schedule wants them. */
static char **
try_replicas(const char *path, const char *const *settings, const LpPlan *plan, guint64 dp,
             const LpFitTarget *target)
{
    for (guint64 micro = plan->batch.micro; micro >= 1; micro /= 2)
        for (guint whole = 0; whole < 2; whole++) {
            guint64 unit = dp * micro * (whole == 0 ? 1 : plan->degree[LP_AXIS_PP]);
            g_auto(GStrv) all =
                with_batch(settings, dp, micro, nearest_multiple(plan->batch.global, unit));
            if (runs_on_each(path, all, target))
                return g_steal_pointer(&all);
        }
    return NULL;
}

static const LpMachine *
smallest(const LpFitTarget *target)
{
    const LpMachine *found = target->machines[0];
    for (guint i = 1; i < target->n_machines; i++)
        if (target->machines[i]->n_accelerators < found->n_accelerators)
            found = target->machines[i];
    return found;
}

static void
set_too_small(GError **error, const LpWorkload *workload, const LpFitTarget *target)
{
    const LpMachine *machine = smallest(target);
    const char *memory = target->n_machines == 1 ? " and their memory"
                                                 : ", the smallest machine, and the memory of each";
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "%s: got tp x cp x pp of %" G_GUINT64_FORMAT
                ", wanted one that a number of replicas makes fit the %" G_GUINT64_FORMAT
                " accelerators of %s%s",
                lp_file_label(workload->path), n_model_ranks(&workload->plan),
                machine->n_accelerators, lp_file_label(machine->path),
                target->ignore_memory ? "" : memory);
}

char **
lp_fit_plan(const char *path, const char *const *settings, const LpFitTarget *target,
            GError **error)
{
    g_autoptr(LpWorkload) workload = lp_workload_load(path, settings, error);
    if (workload == NULL ||
        !lp_given_workload_refuse(workload, "the program has the ranks that it has", error))
        return NULL;
    for (guint i = 0; i < target->n_machines; i++)
        if (!lp_setup_check_kind(workload, target->machines[i], error))
            return NULL;
    guint64 most = smallest(target)->n_accelerators / n_model_ranks(&workload->plan);
    guint n_tries = 0;
    for (guint64 dp = most; dp >= 1; n_tries++) {
        char **found = try_replicas(path, settings, &workload->plan, dp, target);
        if (found != NULL)
            return found;
        dp = n_tries < NEAR_TRIES ? dp - 1 : dp / 2;
    }
    set_too_small(error, workload, target);
    return NULL;
}

static int
compare_machines(gconstpointer a, gconstpointer b)
{
    const LpMachine *first = *(LpMachine *const *)a, *second = *(LpMachine *const *)b;
    if (first->n_accelerators != second->n_accelerators)
        return first->n_accelerators < second->n_accelerators ? -1 : 1;
    return strcmp(first->path, second->path);
}

GPtrArray *
lp_fit_shipped_machines(GError **error)
{
    g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func((GDestroyNotify)lp_machine_free);
    g_auto(GStrv) names = lp_file_shipped("platforms");
    for (char **name = names; *name != NULL; name++) {
        g_autofree char *path = lp_file_find("platforms", *name, error);
        LpMachine *machine = path != NULL ? lp_machine_load(path, error) : NULL;
        if (machine == NULL)
            return NULL;
        g_ptr_array_add(machines, machine);
    }
    g_ptr_array_sort(machines, compare_machines);
    return g_steal_pointer(&machines);
}

char *
lp_fit_find_machine(const LpWorkload *workload, const GPtrArray *machines)
{
    if (workload->machine == NULL)
        return NULL;
    for (guint i = 0; i < machines->len; i++) {
        const LpMachine *machine = g_ptr_array_index(machines, i);
        if (strcmp(machine->system, workload->machine) != 0 || !lp_fit_runs_on(workload, machine))
            continue;
        const char *label = lp_file_label(machine->path);
        return g_strndup(label, strlen(label) - strlen(".xml"));
    }
    return g_strdup_printf("--system=%s --accelerators=%" G_GUINT64_FORMAT, workload->machine,
                           lp_plan_n_ranks(&workload->plan));
}
