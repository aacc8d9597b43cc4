/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training: the workload and the machine that it states. */
#include "validation/cases/training_case.h"

#include "model/memory/memory.h"
#include "platforms/generation/generate.h"
#include "sim/mapping/setup.h"
#include "validation/cases/row_fields.h"
#include "workloads/description/framework.h"

#include <string.h>

/* What nobody states takes the framework's default. */
static void
list_defaults(const LpWorkload *workload, LpOutcome *outcome)
{
    g_autoptr(GString) all = g_string_new(NULL);
    const char *name = NULL;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        if (lp_workload_origin(workload, i) == LP_ORIGIN_FRAMEWORK)
            g_string_append_printf(all, " %s=%s", name, value);
        g_free(value);
    }
    if (all->len > 0)
        lp_outcome_infer(outcome, "by %s:%s", workload->framework, all->str);
}

/* Column "workload", and whose software ran. */
static LpWorkload *
read_workload(const LpTableRow *row, const LpMachine *machine, LpOutcome *outcome, GError **error)
{
    g_autofree char *where = lp_table_where(row);
    const char *name = lp_table_text(row, "model"), *framework = lp_table_text(row, "framework");
    g_autofree char *all =
        g_strconcat(lp_table_text(row, "workload"),
                    " framework=", *framework != '\0' ? framework : LP_FRAMEWORK_NONE, NULL);
    g_auto(GStrv) settings = g_strsplit(all, " ", -1);
    g_autoptr(LpWorkload) workload = lp_workload_new(where, *name != '\0' ? name : outcome->id,
                                                     (const char *const *)settings, error);
    if (workload == NULL ||
        !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error)) {
        (void)lp_table_prefix(row, "workload", error);
        return NULL;
    }
    list_defaults(workload, outcome);
    return g_steal_pointer(&workload);
}

gboolean
lp_training_case_read(LpTrainingCase *self, const LpTableRow *row, LpOutcome *outcome,
                      GError **error)
{
    *self = (LpTrainingCase){NULL, NULL, NULL};
    lp_row_take_inferred(row, outcome);
    if (!lp_row_check_refused(row, outcome, error))
        return FALSE;
    g_autoptr(LpMachineSpecification) specification = lp_row_machine(row, "machine", error);
    if (specification == NULL)
        return FALSE;
    g_autofree char *where = lp_table_where(row);
    self->platform = lp_generate(specification, error);
    self->machine = self->platform != NULL ? lp_machine_parse(where, self->platform, error) : NULL;
    if (self->machine == NULL) {
        g_prefix_error(error, "%s: ", where);
        return FALSE;
    }
    outcome->runs_as_stated = strcmp(lp_table_text(row, "unchecked"), "memory") == 0;
    self->workload = read_workload(row, self->machine, outcome, error);
    return self->workload != NULL;
}

void
lp_training_case_clear(LpTrainingCase *self)
{
    g_clear_pointer(&self->workload, lp_workload_free);
    g_clear_pointer(&self->machine, lp_machine_free);
    g_clear_pointer(&self->platform, g_free);
}

static gboolean
is_memory(const LpTableRow *row)
{
    return strcmp(lp_table_text(row, "kind"), "memory") == 0;
}

/* What a process shows to have on the plan's fullest stage: one prediction, which all models
 * share. */
static void
predict_memory(const LpTrainingCase *restated, LpOutcome *outcome)
{
    const LpWorkload *workload = restated->workload;
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    outcome->predicted[LP_PREDICTION_SIMULATED] = lp_memory_reserved(&memory);
    outcome->predicted[LP_PREDICTION_CONSISTENT] = lp_memory_reserved(&memory);
}

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) fault = NULL;
    /* Rows of one group differ in nothing but their plans. */
    const char *group = lp_table_text(row, "group");
    outcome->group = g_strdup(*group != '\0' ? group : outcome->id);
    if (is_memory(row))
        outcome->measure = LP_MEASURE_MEMORY;
    if (!lp_table_measured(row, is_memory(row) ? "memory_GB" : "iteration_s", &outcome->measured,
                           &fault))
        lp_outcome_fail_by(outcome, fault);
    outcome->measured *= is_memory(row) ? 1e9 : 1.0;
}

/* The values of all attributes, and the file of the machine: --write-inputs writes no more than
 * these, and a simulation of that gives the same to the last digit. What is read to set them up
 * need not be read in the processes of rows. */
static char *
inputs(const LpTableRow *row, LpOutcome *scratch)
{
    g_auto(LpTrainingCase) restated = {.workload = NULL};
    if (is_memory(row) || !lp_training_case_read(&restated, row, scratch, NULL))
        return NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(restated.workload, restated.machine, NULL);
    if (setup == NULL)
        return NULL;
    GString *text = g_string_new(restated.platform);
    char *value;
    const char *name;
    for (guint i = 0; (value = lp_workload_attribute(restated.workload, i, &name)) != NULL; i++) {
        g_string_append_printf(text, "%s=%s\n", name, value);
        g_free(value);
    }
    return g_string_free(text, FALSE);
}

static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    g_autoptr(GError) fault = NULL;
    g_auto(LpTrainingCase) restated = {.workload = NULL};
    if (!lp_training_case_read(&restated, row, outcome, &fault)) {
        lp_outcome_fail_by(outcome, fault);
        return;
    }
    if (is_memory(row)) {
        predict_memory(&restated, outcome);
        return;
    }
    if (!lp_prediction_run(restated.workload, restated.machine, constants, outcome, &fault))
        lp_outcome_fail_by(outcome, fault);
}

const LpCaseKind lp_training_case = {LP_MEASURE_TIME, describe, inputs, predict};
