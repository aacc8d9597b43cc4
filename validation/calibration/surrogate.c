/* SPDX-License-Identifier: Apache-2.0 */
/* Closed forms of rows, scaled to what was simulated. */
#include "validation/calibration/surrogate.h"

#include "validation/cases/case.h"

#include "platforms/machine/machine_library.h"
#include "sim/mapping/placement.h"

#include <string.h>

/* The first, if there are several. Returns: (transfer full), or NULL if the plan names none that
 * there is. */
static char *
library_of(const LpTrainingCase *restated)
{
    g_autoptr(LpLibrary) library =
        lp_machine_libraries(restated->machine, &restated->workload->plan.library, NULL);
    return library != NULL ? g_strdup(library->name) : NULL;
}

LpSurrogate *
lp_surrogate_new(const LpTable *table, guint row, guint n_variables)
{
    const LpTableRow *stated = lp_table_row(table, row);
    g_autoptr(LpSurrogate) self = g_new0(LpSurrogate, 1);
    g_autoptr(LpOutcome) outcome = lp_case_describe(&lp_training_case, stated);
    if (outcome->status != LP_OUTCOME_OK ||
        !lp_training_case_read(&self->restated, stated, outcome, NULL))
        return NULL;
    self->library = library_of(&self->restated);
    self->placement = lp_placement_new(self->restated.workload, self->restated.machine, NULL);
    if (self->library == NULL || self->placement == NULL)
        return NULL;
    self->row = row;
    self->source = g_strdup(outcome->source);
    self->measured_s = outcome->measured;
    self->fabric = lp_machine_fabric(self->restated.machine);
    self->slopes = g_new0(double, MAX(n_variables, 1));
    self->anchors_x = g_new0(double, MAX(n_variables, 1));
    self->n_variables = n_variables;
    return g_steal_pointer(&self);
}

void
lp_surrogate_free(LpSurrogate *self)
{
    if (self == NULL)
        return;
    g_free(self->source);
    g_free(self->library);
    lp_training_case_clear(&self->restated);
    lp_placement_free(self->placement);
    g_free(self->slopes);
    g_free(self->anchors_x);
    g_free(self);
}

gboolean
lp_surrogate_is_closed(const LpConstant *constant)
{
    return lp_constant_kinds[constant->kind].place == LP_CONSTANT_OF_ACCELERATOR;
}

double
lp_surrogate_x(const LpConstant *constant)
{
    return lp_constant_kinds[constant->kind].is_share ? 1.0 / constant->value : constant->value;
}

gboolean
lp_surrogate_depends_on(const LpSurrogate *self, const LpConstant *constant)
{
    return lp_constant_applies(constant, self->restated.machine->accelerator.name, self->library);
}

double
lp_surrogate_closed_s(const LpSurrogate *self, const LpConstants *constants)
{
    LpAccelerator accelerator = self->restated.machine->accelerator;
    lp_constants_to_accelerator(constants, &accelerator);
    return lp_prediction_closed_s(self->restated.workload, &accelerator, &self->fabric,
                                  self->placement->accelerators);
}

void
lp_surrogate_anchor(LpSurrogate *self, const LpConstants *constants, double simulated_s)
{
    self->is_known = TRUE;
    self->ratio = simulated_s / lp_surrogate_closed_s(self, constants);
    for (guint i = 0; i < lp_constants_n(constants); i++) {
        const LpConstant *constant = lp_constants_at(constants, i);
        if (constant->variable < self->n_variables)
            self->anchors_x[constant->variable] = lp_surrogate_x(constant);
    }
}

double
lp_surrogate_predict(const LpSurrogate *self, const LpConstants *constants)
{
    double scaled_s = self->ratio * lp_surrogate_closed_s(self, constants), sum_s = scaled_s;
    guint last = LP_CONSTANT_FIXED;
    for (guint i = 0; i < lp_constants_n(constants); i++) {
        const LpConstant *constant = lp_constants_at(constants, i);
        guint variable = constant->variable;
        /* Constants that share a variable stand side by side; its slope is that of all. */
        if (variable >= self->n_variables || variable == last || lp_surrogate_is_closed(constant))
            continue;
        sum_s += self->slopes[variable] * (lp_surrogate_x(constant) - self->anchors_x[variable]);
        last = variable;
    }
    return MAX(sum_s, 0.1 * scaled_s);
}
