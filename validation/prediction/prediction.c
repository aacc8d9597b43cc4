/* SPDX-License-Identifier: Apache-2.0 */
/* One plan on one machine, by the simulation and by both closed forms. */
#include "validation/prediction/prediction.h"

#include "base/table.h"
#include "model/closed_form/amped.h"
#include "model/network/library_mix.h"
#include "platforms/catalogue/libraries.h"
#include "sim/mapping/placement.h"
#include "sim/run/simulation.h"
#include "validation_resource.h"

#include <string.h>

#define AMPED_EFFICIENCIES "resource:///lightpath/validation/amped-efficiencies.csv"

double
lp_prediction_closed_s(const LpWorkload *workload, const LpAccelerator *accelerator,
                       const LpFabric *fabric, const guint32 *places)
{
    LpClosedFormInput input = {.transformer = &workload->transformer,
                               .plan = &workload->plan,
                               .accelerator = accelerator,
                               .fabric = fabric,
                               .accelerators = places};
    LpFabric wide = *fabric;
    wide.n_levels = 0;
    input.fabric = &wide;
    LpTerms terms = lp_closed_form_unhidden_terms(&input);
    return lp_terms_sum(&terms);
}

double
lp_prediction_consistent_s(const LpWorkload *workload, const LpMachine *machine)
{
    LpFabric fabric = lp_machine_fabric(machine);
    return lp_prediction_closed_s(workload, &machine->accelerator, &fabric, NULL);
}

/* AMPeD's share of the peak, fitted to steps as that of the simulation is; the accelerator's own
 * where none was. */
static double
amped_efficiency(const LpAccelerator *accelerator)
{
    static LpTable *table;
    double efficiency = accelerator->gemm_efficiency;
    if (table == NULL) {
        /* Without a reference the linker leaves the resources of this static library out. */
        (void)lp_validation_get_resource();
        g_autoptr(GError) error = NULL;
        table = lp_table_load(AMPED_EFFICIENCIES, &error);
        g_assert_no_error(error);
    }
    for (guint i = 0; i < lp_table_n_rows(table); i++) {
        const LpTableRow *row = lp_table_row(table, i);
        if (strcmp(lp_table_text(row, "accelerator"), accelerator->name) == 0 &&
            lp_table_number(row, "efficiency", 0.01, 1.0, &efficiency, NULL))
            return efficiency;
    }
    return efficiency;
}

double
lp_prediction_amped_s(const LpWorkload *workload, const LpMachine *machine)
{
    LpFabric fabric = lp_machine_fabric(machine);
    LpClosedFormInput input = {.transformer = &workload->transformer,
                               .plan = &workload->plan,
                               .accelerator = &machine->accelerator,
                               .fabric = &fabric};
    LpTerms terms = lp_amped_terms(&input);
    return lp_terms_sum(&terms);
}

static void
predict_closed(const LpSetup *setup, LpOutcome *outcome)
{
    LpFabric fabric = lp_machine_fabric(setup->machine);
    LpClosedFormInput input = lp_setup_closed_form_input(setup, &fabric);
    LpTerms consistent = lp_closed_form_terms(&input);
    LpAccelerator fitted = setup->machine->accelerator;
    fitted.gemm_efficiency = amped_efficiency(&fitted);
    input.accelerator = &fitted;
    LpTerms amped = lp_amped_terms(&input);
    outcome->predicted[LP_PREDICTION_CONSISTENT] = lp_terms_sum(&consistent);
    outcome->predicted[LP_PREDICTION_AMPED] = lp_terms_sum(&amped);
}

static gboolean
simulate(const LpSetup *setup, LpOutcome *outcome, GError **error)
{
    g_autoptr(GError) refusal = NULL;
    if (!outcome->runs_as_stated &&
        !lp_setup_check_memory(setup->workload, setup->machine, &refusal))
        lp_outcome_fail(outcome, LP_OUTCOME_REFUSED_MEMORY, refusal->message);
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW,
                                   .collapse = TRUE,
                                   .alone = TRUE,
                                   .negligible = LP_SIMULATION_NEGLIGIBLE,
                                   .shares_max = LP_SIMULATION_SHARES_MAX};
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    if (simulation->is_isolated)
        lp_outcome_infer(outcome, "contention left out: more than %u shares in collectives",
                         LP_SIMULATION_SHARES_MAX);
    outcome->has_terms = TRUE;
    outcome->terms = simulation->run.terms;
    outcome->predicted[LP_PREDICTION_SIMULATED] = simulation->run.iteration_time_s;
    predict_closed(setup, outcome);
    return TRUE;
}

gboolean
lp_prediction_run(const LpWorkload *workload, const LpMachine *machine,
                  const LpConstants *constants, LpOutcome *outcome, GError **error)
{
    if (constants == NULL) {
        g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
        return setup != NULL && simulate(setup, outcome, error);
    }
    /* What they own stays theirs: only values change. */
    LpWorkload workload_with = *workload;
    LpMachine machine_with = *machine;
    lp_constants_to_accelerator(constants, &machine_with.accelerator);
    lp_constants_to_plan(constants, machine->accelerator.name, &workload_with.plan);
    g_autoptr(LpSetup) setup = lp_setup_new(&workload_with, &machine_with, error);
    if (setup == NULL)
        return FALSE;
    for (guint32 i = 0; i < lp_library_n_mixed(setup->library); i++)
        lp_constants_to_library(constants, lp_library_mixed(setup->library, i));
    return simulate(setup, outcome, error);
}
