/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a workload against a machine, and keeps what the check had to read. */
#include "sim/mapping/setup.h"

#include "base/file.h"
#include "base/units.h"
#include "model/memory/memory_fit.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "sim/simulation_error.h"

#include <string.h>

/* Checks the starts of collectives. With checks in some jobs alone, a library that does not give
 * their cost charges none. */
static gboolean
check_starts(const LpWorkload *workload, LpLibrary *libraries, GError **error)
{
    for (guint32 i = 0; i < lp_library_n_mixed(libraries); i++) {
        const LpLibrary *library = lp_library_mixed(libraries, i);
        if (workload->plan.traits[LP_TRAIT_COLLECTIVE_CHECKS] != LP_COLLECTIVE_CHECKS_YES ||
            library->start.near_s > 0.0 || library->start.far_s > 0.0)
            continue;
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                    "collective-checks: got yes, wanted no: library %s does not say what a check "
                    "costs",
                    library->name);
        return FALSE;
    }
    return TRUE;
}

/* Returns: (transfer full). */
static LpLibrary *
find_library(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    g_autoptr(LpLibrary) library = lp_machine_libraries(machine, &workload->plan.library, error);
    if (library != NULL && check_starts(workload, library, error))
        return g_steal_pointer(&library);
    lp_workload_prefix(workload, error);
    return NULL;
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
    if (!check_precision(workload, machine, error))
        return NULL;
    self->library = find_library(workload, machine, error);
    return self->library != NULL ? g_steal_pointer(&self) : NULL;
}

LpClosedFormInput
lp_setup_closed_form_input(const LpSetup *self, const LpFabric *fabric)
{
    return (LpClosedFormInput){.transformer = &self->workload->transformer,
                               .plan = &self->workload->plan,
                               .accelerator = &self->machine->accelerator,
                               .fabric = fabric,
                               .accelerators = self->placement->accelerators,
                               .library = self->library};
}

gboolean
lp_setup_check_kind(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    if (!check_precision(workload, machine, error))
        return FALSE;
    g_autoptr(LpLibrary) library = find_library(workload, machine, error);
    return library != NULL;
}

void
lp_setup_free(LpSetup *self)
{
    if (self == NULL)
        return;
    lp_placement_free(self->placement);
    lp_library_free(self->library);
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
