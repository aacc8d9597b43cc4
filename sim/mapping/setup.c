/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a workload against a machine, and keeps what the check had to read. */
#include "sim/mapping/setup.h"

#include "base/file.h"
#include "base/units.h"
#include "model/memory_fit.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "sim/simulation_error.h"

#include <string.h>

/* With checks in some jobs alone, those of a library that does not say their cost cost nothing. */
static gboolean
check_starts(const LpWorkload *workload, const LpLibrary *library, GError **error)
{
    if (workload->plan.host.checks != LP_COLLECTIVE_CHECKS_YES || library->start.near_s > 0.0 ||
        library->start.far_s > 0.0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "collective-checks: got yes, wanted no: library %s does not say what a check costs",
                library->name);
    lp_workload_prefix(workload, error);
    return FALSE;
}

static gboolean
find_library(const LpWorkload *workload, const LpMachine *machine, LpLibrary *out_library,
             GError **error)
{
    const LpPlan *plan = &workload->plan;
    const char *name = lp_library_name_or_auto(plan->library.name);
    if (!lp_machine_library(machine, name, out_library, error)) {
        g_prefix_error(error, "library: ");
        lp_workload_prefix(workload, error);
        return FALSE;
    }
    if (lp_library_is_named(plan->library.protocol) &&
        !lp_library_restrict(out_library, plan->library.protocol, error)) {
        g_prefix_error(error, "protocol: ");
        lp_workload_prefix(workload, error);
        return FALSE;
    }
    return check_starts(workload, out_library, error);
}

/* An accelerator without fp32 may have no units at all for a precision. */
static gboolean
check_precision(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    LpPrecision precision = workload->plan.format.precision;
    if (lp_accelerator_peak_flop_per_s(&machine->accelerator, precision) > 0.0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "precision: got %s, wanted one that %s has units for",
                lp_precision_names[precision], machine->accelerator.name);
    lp_workload_prefix(workload, error);
    return FALSE;
}

static gboolean
check_size(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    guint64 n_ranks = lp_plan_n_ranks(&workload->plan);
    if (n_ranks <= machine->n_accelerators)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "%s: got a %s of %" G_GUINT64_FORMAT
                " ranks%s, wanted at most the %" G_GUINT64_FORMAT " accelerators of %s",
                lp_file_label(workload->path), workload->given != NULL ? "program" : "plan",
                n_ranks, workload->given != NULL ? "" : " (tp x cp x dp x pp)",
                machine->n_accelerators, lp_file_label(machine->path));
    return FALSE;
}

LpSetup *
lp_setup_new(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    if (!check_size(workload, machine, error))
        return NULL;
    g_autoptr(LpPlacement) placement = lp_placement_new(workload, machine, error);
    return placement == NULL
               ? NULL
               : lp_setup_new_placed(workload, machine, g_steal_pointer(&placement), error);
}

LpSetup *
lp_setup_new_placed(const LpWorkload *workload, const LpMachine *machine, LpPlacement *placement,
                    GError **error)
{
    g_autoptr(LpSetup) self = g_new0(LpSetup, 1);
    self->workload = workload;
    self->machine = machine;
    self->placement = placement;
    self->library = g_new0(LpLibrary, 1);
    return check_precision(workload, machine, error) &&
                   find_library(workload, machine, self->library, error)
               ? g_steal_pointer(&self)
               : NULL;
}

gboolean
lp_setup_check_kind(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    LpLibrary library;
    return check_precision(workload, machine, error) &&
           find_library(workload, machine, &library, error);
}

void
lp_setup_free(LpSetup *self)
{
    if (self == NULL)
        return;
    lp_placement_free(self->placement);
    g_free(self->library);
    g_free(self);
}

gboolean
lp_setup_check_memory(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    if (workload->given != NULL)
        return TRUE;
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    LpMemoryFit fit = lp_memory_fit(&memory, &workload->plan, &machine->accelerator);
    if (fit.fits)
        return TRUE;
    g_autofree char *sum = lp_quantity_format(LP_QUANTITY_SIZE, fit.total_bytes);
    g_autofree char *weights = lp_quantity_format(LP_QUANTITY_SIZE, memory.weights_bytes);
    g_autofree char *gradients = lp_quantity_format(LP_QUANTITY_SIZE, memory.gradients_bytes);
    g_autofree char *optimizer = lp_quantity_format(LP_QUANTITY_SIZE, memory.optimizer_bytes);
    g_autofree char *activations = lp_quantity_format(LP_QUANTITY_SIZE, memory.activations_bytes);
    g_autofree char *buffers = lp_quantity_format(LP_QUANTITY_SIZE, memory.buffers_bytes);
    g_autofree char *step = lp_quantity_format(LP_QUANTITY_SIZE, memory.step_bytes);
    g_autofree char *reserve = lp_quantity_format(LP_QUANTITY_SIZE, fit.reserve_bytes);
    g_autofree char *has = lp_quantity_format(LP_QUANTITY_SIZE, fit.capacity_bytes);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMORY,
                "%s: memory: got a plan of %s an accelerator (weights %s, gradients %s, optimizer "
                "%s, activations %s, buffers %s, the optimizer's step %s more), wanted at most the "
                "%s of %s less a reserve of %s (--memory-reserve); --ignore-memory simulates it "
                "all the same",
                lp_file_label(workload->path), sum, weights, gradients, optimizer, activations,
                buffers, step, has, machine->accelerator.name, reserve);
    return FALSE;
}
