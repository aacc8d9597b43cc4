/* SPDX-License-Identifier: Apache-2.0 */
/* What sources of shipped workloads measured, beside what a simulation says. */
#include "cli/measured_list.h"

#include "base/child_pool.h"
#include "base/error.h"
#include "base/file.h"
#include "platforms/generation/generate.h"
#include "validation/prediction/prediction.h"
#include "workloads/description/measured.h"

/* A workload with a measured step. */
typedef struct {
    char *name;           /* owned, as all below */
    LpWorkload *workload; /* with the measured run's settings */
    LpMachine *machine;
    LpMeasured measured;
} Row;

/* What came of its simulation. */
typedef struct {
    double step_s; /* 0: none */
    GError *error; /* owned: then it says why */
} Result;

static void
row_free(gpointer data)
{
    Row *self = data;
    g_free(self->name);
    g_clear_pointer(&self->workload, lp_workload_free);
    g_clear_pointer(&self->machine, lp_machine_free);
    lp_measured_clear(&self->measured);
    g_free(self);
}

static gboolean
load_machine(Row *self, GError **error)
{
    g_autofree char *options =
        g_strdup_printf("--system=%s --accelerators=%" G_GUINT64_FORMAT, self->workload->machine,
                        lp_plan_n_ranks(&self->workload->plan));
    g_autoptr(LpMachineSpecification) specification = lp_specification_parse(options, error);
    if (specification != NULL)
        self->machine = lp_generate_machine(specification, options, error);
    return self->machine != NULL &&
           lp_workload_apply_machine(self->workload, self->machine->domain_size,
                                     &self->machine->accelerator, error);
}

/* @out_row: (transfer full) NULL where nothing was measured, or on no machine. */
static gboolean
load_row(const char *name, Row **out_row, GError **error)
{
    Row *self = g_new0(Row, 1);
    self->name = g_strdup(name);
    g_autofree char *path = lp_file_find("workloads", name, error);
    gboolean good = path != NULL && lp_measured_load(path, &self->measured, error);
    gboolean has_step = good && self->measured.step_s > 0.0;
    if (has_step)
        self->workload =
            lp_workload_load(path, (const char *const *)self->measured.settings, error);
    good = good && (!has_step || self->workload != NULL);
    has_step = has_step && good && self->workload->machine != NULL;
    good = good && (!has_step || load_machine(self, error));
    *out_row = good && has_step ? self : NULL;
    if (*out_row == NULL)
        row_free(self);
    return good;
}

static gboolean
simulate(const void *data, GByteArray *result, GError **error)
{
    const Row *row = data;
    double *out_step_s = (gpointer)result->data;
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, row->name, "");
    if (!lp_prediction_run(row->workload, row->machine, NULL, outcome, error))
        return FALSE;
    if (outcome->status != LP_OUTCOME_OK)
        return lp_value_error(error, "%s", outcome->reason);
    *out_step_s = outcome->predicted[LP_PREDICTION_SIMULATED];
    return TRUE;
}

static void
add_row(const Row *row, const Result *result, LpTextTable *table, json_t *list)
{
    double difference = result->step_s / row->measured.step_s - 1.0;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", row->name);
    lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, lp_plan_n_ranks(&row->workload->plan));
    lp_text_table_add_cell(table, "%.4g s", row->measured.step_s);
    if (result->step_s > 0.0) {
        lp_text_table_add_cell(table, "%.4g s", result->step_s);
        lp_text_table_add_cell(table, "%+.1f %%", 100.0 * difference);
    } else {
        lp_text_table_add_cell(table, "-");
        lp_text_table_add_cell(table, "-");
    }
    const char *why = row->measured.apart != NULL ? row->measured.apart : "";
    lp_text_table_add_cell(table, "%s", result->step_s > 0.0 ? why : result->error->message);
    json_t *object = lp_json_append_object(list);
    lp_json_set_text(object, "name", row->name);
    lp_json_set_count(object, "accelerators", lp_plan_n_ranks(&row->workload->plan));
    lp_json_set_text(object, "machine", row->workload->machine);
    lp_json_set_number(object, "measured_s", row->measured.step_s);
    lp_json_set_text(object, "quantity", row->measured.quantity);
    lp_json_set_text(object, "source", row->measured.source);
    json_t *settings = lp_json_set_array(object, "settings");
    for (char **setting = row->measured.settings; *setting != NULL; setting++)
        lp_json_append_text(settings, *setting);
    if (result->step_s > 0.0) {
        lp_json_set_number(object, "simulated_s", result->step_s);
        lp_json_set_number(object, "difference_fraction", difference);
    } else {
        lp_json_set_text(object, "reason", result->error->message);
    }
    if (row->measured.apart != NULL)
        lp_json_set_text(object, "apart", row->measured.apart);
}

static GPtrArray *
load_rows(char *const *names, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);
    for (; *names != NULL; names++) {
        Row *row = NULL;
        if (!load_row(*names, &row, error))
            return NULL;
        if (row != NULL)
            g_ptr_array_add(rows, row);
    }
    return g_steal_pointer(&rows);
}

gboolean
lp_measured_list(char *const *names, LpTextTable **out_table, json_t **out_document, GError **error)
{
    g_autoptr(GPtrArray) rows = load_rows(names, error);
    if (rows == NULL)
        return FALSE;
    g_autofree Result *results = g_new0(Result, rows->len);
    g_autofree LpChildTask *tasks = g_new(LpChildTask, rows->len);
    for (guint i = 0; i < rows->len; i++)
        tasks[i] = (LpChildTask){.work = simulate,
                                 .data = g_ptr_array_index(rows, i),
                                 .out_result = &results[i].step_s,
                                 .size_bytes = sizeof results[i].step_s,
                                 .out_error = &results[i].error};
    LpChildPool pool = {.name = "workload list", .n_at_once = g_get_num_processors()};
    if (!lp_child_pool_run(&pool, tasks, rows->len, NULL, error))
        return FALSE;
    *out_table = lp_text_table_new((const char *const[]){"workload", "#accelerators", "#measured",
                                                         "#simulated", "#difference", "why", NULL});
    *out_document = lp_json_document();
    json_t *list = lp_json_set_array(*out_document, "measured");
    for (guint i = 0; i < rows->len; i++)
        add_row(g_ptr_array_index(rows, i), &results[i], *out_table, list);
    return TRUE;
}
