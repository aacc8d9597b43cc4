/* SPDX-License-Identifier: Apache-2.0 */
/* A row of measured training: the workload and the machine that it states. */
#include "validation/cases/training_case.h"

#include "model/memory.h"
#include "sim/mapping/setup.h"
#include "validation/cases/training_machine.h"
#include "validation/cases/training_attention.h"
#include "validation/cases/training_framework.h"
#include "validation/cases/training_plan.h"
#include "validation/cases/training_restatement.h"

#include <string.h>

/* Whether the words of @column name adapters beside frozen weights, which have no gradients of
 * weights and no states of an optimizer. */
static gboolean
names_adapters(const LpTableRow *row, const char *column)
{
    static const char *const adapters[] = {"lora", "qlora", "dora", NULL};
    g_autofree char *words = lp_public_model_words(lp_table_text(row, column));
    g_auto(GStrv) parts = g_strsplit(words, " ", -1);
    for (guint i = 0; parts[i] != NULL; i++)
        if (g_strv_contains(adapters, parts[i]))
            return TRUE;
    return FALSE;
}

static gboolean
is_in_scope(const LpTrainingRestatement *self, GError **error)
{
    const char *kind = self->model != NULL ? self->model->out_of_scope : NULL;
    if (kind == NULL && (names_adapters(self->row, "model") || names_adapters(self->row, "source")))
        kind = "adapters (LoRA) beside frozen weights";
    if (kind == NULL)
        return TRUE;
    lp_outcome_fail(self->outcome, LP_OUTCOME_OUT_OF_SCOPE, kind);
    g_autofree char *wanted = g_strdup_printf("a model without %s", kind);
    return lp_table_fault(self->row, "model", wanted, error);
}

static gboolean
is_known_kind(const LpTableRow *row, GError **error)
{
    static const char *const kinds[] = {"", "training", "layer", "composed", "memory", NULL};
    return g_strv_contains(kinds, lp_table_text(row, "kind")) ||
           lp_table_fault(row, "kind", "training, layer, composed or memory", error);
}

static gboolean
restate(LpTrainingRestatement *self, LpTrainingCase *out_case, GError **error)
{
    if (!is_in_scope(self, error) || !is_known_kind(self->row, error) ||
        !lp_training_restatement_apply(self, error))
        return FALSE;
    out_case->machine = lp_training_machine_read(self->row, self->models, self->outcome,
                                                 &out_case->platform, error);
    self->machine = out_case->machine;
    if (out_case->machine == NULL)
        return FALSE;
    lp_training_attention_choose(self);
    out_case->workload = lp_training_plan_new(self, error);
    return out_case->workload != NULL;
}

gboolean
lp_training_case_read(LpTrainingCase *self, const LpTableRow *row, LpOutcome *outcome,
                      GError **error)
{
    *self = (LpTrainingCase){NULL, NULL, NULL};
    LpTrainingRestatement restatement;
    gboolean good = lp_training_restatement_init(&restatement, row, outcome, error) &&
                    restate(&restatement, self, error);
    lp_training_restatement_clear(&restatement);
    return good;
}

void
lp_training_case_clear(LpTrainingCase *self)
{
    g_clear_pointer(&self->workload, lp_workload_free);
    g_clear_pointer(&self->machine, lp_machine_free);
    g_clear_pointer(&self->platform, g_free);
}

/* Whether @word, "name=value" of column "set", is of a plan. */
static gboolean
is_of_plan(const char *word)
{
    static const char *const names[] = {
        "cp-kind",          "ep-relay",     "expert-tp",    "gradient-sync",
        "placement",        "prefetch",     "rank-order",   "recompute",
        "recompute-layers", "reshard",      "schedule",     "selective",
        "shard-degree",     "stage-layers", "zero-variant", NULL};
    g_autofree char *name = g_strndup(word, strcspn(word, "="));
    return g_strv_contains(names, name);
}

/* Names the work of a row: model, batch, precision, machine and software. Rows of one group differ
 * in their plans. Returns: (transfer full). */
static char *
group_of(const LpTableRow *row)
{
    g_auto(GStrv) columns =
        g_strsplit("kind model layers hidden ffn ffn_kind heads kv_heads vocab tied seq experts "
                   "attention precision global_batch system accelerator accelerators "
                   "accelerators_per_domain scale_up_GBps scale_out_Gbps nics_per_domain",
                   " ", -1);
    g_autoptr(LpOutcome) scratch = lp_outcome_new(LP_MEASURE_TIME, "", "");
    GString *group = g_string_new(NULL);
    g_autofree char *framework = lp_training_framework_name(row, scratch);
    g_string_append(group, framework);
    for (guint i = 0; columns[i] != NULL; i++)
        g_string_append_printf(group, "|%s", lp_table_text(row, columns[i]));
    g_auto(GStrv) words = g_strsplit(lp_table_text(row, "set"), " ", -1);
    for (guint i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0' && !is_of_plan(words[i]))
            g_string_append_printf(group, "|%s", words[i]);
    return g_string_free(group, FALSE);
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
    outcome->group = group_of(row);
    if (is_memory(row))
        outcome->measure = LP_MEASURE_MEMORY;
    if (!lp_table_measured(row, is_memory(row) ? "memory_GB" : "iteration_s", &outcome->measured,
                           &fault))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
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
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
        return;
    }
    if (is_memory(row)) {
        predict_memory(&restated, outcome);
        return;
    }
    if (!lp_prediction_run(restated.workload, restated.machine, constants, outcome, &fault))
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, fault->message);
}

const LpCaseKind lp_training_case = {LP_MEASURE_TIME, describe, inputs, predict};
