/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath describe: what a profile of PyTorch spends its time on, beside what is predicted. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/plan_arguments.h"
#include "cli/progress.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text_table.h"
#include "model/times/kernel_census.h"
#include "workloads/description/given_workload.h"
#include "workloads/traces/kineto_profile.h"

typedef struct {
    char *workload, *platform, *format; /* owned */
    LpPlanArguments plan;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->workload);
    g_free(self->platform);
    g_free(self->format);
    lp_plan_arguments_clear(&self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* A column: of a rank's profile, or of the prediction. */
typedef struct {
    const char *name; /* borrowed */
    LpKinetoProfile of;
    gboolean has_kinds; /**< sums by kind are there */
} Column;

/* --- prediction --- */

/* Kernels of an iteration, on the mean stage. */
static void
add_kernels(LpKinetoProfile *self, const LpWorkload *workload, const LpMachine *machine)
{
    const LpPlan *plan = &workload->plan;
    double times = lp_plan_n_micro_batches(plan) / (double)plan->degree[LP_AXIS_PP];
    g_autoptr(GArray) counts =
        lp_kernel_census(&workload->transformer, plan, &machine->accelerator);
    for (guint i = 0; i < counts->len; i++) {
        const LpKernelCount *count = &g_array_index(counts, LpKernelCount, i);
        LpKinetoKind kind = count->kernel.fused           ? LP_KINETO_ATTENTION
                            : count->kernel.n_batch > 0.0 ? LP_KINETO_PRODUCTS
                                                          : LP_KINETO_OTHERS;
        guint n_launches = MAX(count->kernel.n_launches, 1) * count->n_runs;
        self->n[kind] += (guint)(n_launches * times + 0.5);
        self->sum_s[kind] += count->n_runs * times * count->time_s;
    }
}

/* Adds the terms of the critical path to a profile. Waits for communication count as exposed; waits
 * for stages, hosts and circuits as idle. */
static void
add_terms(LpKinetoProfile *self, const LpTerms *terms)
{
    self->span_s = lp_terms_sum(terms);
    self->idle_s =
        terms->s[LP_TERM_BUBBLE] + terms->s[LP_TERM_HOST] + terms->s[LP_TERM_RECONFIGURATION];
    self->computing_s = terms->s[LP_TERM_COMPUTE] + terms->s[LP_TERM_OPTIMIZER];
    self->communicating_s = self->span_s - self->idle_s - self->computing_s;
    self->sum_s[LP_KINETO_OTHERS] += terms->s[LP_TERM_OPTIMIZER];
}

static gboolean
predict(const Options *options, Column *out, GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    g_autoptr(LpMachine) machine = NULL;
    if (!lp_load_inputs(options->workload, options->platform,
                        lp_plan_arguments_settings(&options->plan), options->plan.choice, &workload,
                        &machine, error))
        return FALSE;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    LpSimulationOptions run = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .alone = TRUE};
    g_auto(LpProgress) progress = lp_progress_start("steps");
    lp_progress_watch(&progress, &run.run);
    g_autoptr(LpSimulation) simulation =
        setup != NULL ? lp_simulation_run_in_child(setup, run, error) : NULL;
    if (simulation == NULL)
        return FALSE;
    *out = (Column){.name = "predicted", .has_kinds = workload->given == NULL};
    if (out->has_kinds)
        add_kernels(&out->of, workload, machine);
    add_terms(&out->of, &simulation->run.terms);
    return TRUE;
}

/* --- profiles --- */

static gboolean
read_profile(const char *path, LpKinetoProfile *out_profile, GError **error)
{
    g_autoptr(LpKinetoEvents) events = lp_kineto_events_load(path, error);
    if (events == NULL)
        return FALSE;
    *out_profile = lp_kineto_profile(events);
    return TRUE;
}

/* --- output --- */

/* What is not of a kind. */
static const struct {
    const char *label, *key;
    gsize offset;
} rows[] = {{"iteration", "span_s", G_STRUCT_OFFSET(LpKinetoProfile, span_s)},
            {"computing", "computing_s", G_STRUCT_OFFSET(LpKinetoProfile, computing_s)},
            {"communicating", "communicating_s", G_STRUCT_OFFSET(LpKinetoProfile, communicating_s)},
            {"  beside kernels", "overlap_s", G_STRUCT_OFFSET(LpKinetoProfile, overlap_s)},
            {"idle", "idle_s", G_STRUCT_OFFSET(LpKinetoProfile, idle_s)}};

static double
value_of(const LpKinetoProfile *self, guint row)
{
    return *(const double *)(gconstpointer)((const char *)self + rows[row].offset);
}

/* What the critical path does not tell is not known of predictions: what is hidden. */
static gboolean
is_known(const Column *column, gboolean is_prediction, guint row)
{
    return !is_prediction || rows[row].offset != G_STRUCT_OFFSET(LpKinetoProfile, overlap_s) ||
           column->of.overlap_s > 0.0;
}

static char *
to_text(const GArray *columns, gboolean has_prediction)
{
    g_autofree const char **heads = g_new0(const char *, columns->len + 2);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    heads[0] = "seconds";
    for (guint i = 0; i < columns->len; i++) {
        g_ptr_array_add(names, g_strconcat("#", g_array_index(columns, Column, i).name, NULL));
        heads[i + 1] = names->pdata[i];
    }
    g_autoptr(LpTextTable) table = lp_text_table_new(heads);
    for (guint row = 0; row < G_N_ELEMENTS(rows); row++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", rows[row].label);
        for (guint i = 0; i < columns->len; i++) {
            const Column *column = &g_array_index(columns, Column, i);
            if (is_known(column, has_prediction && i + 1 == columns->len, row))
                lp_text_table_add_cell(table, "%.6f", value_of(&column->of, row));
            else
                lp_text_table_add_cell(table, "-");
        }
    }
    for (LpKinetoKind kind = 0; kind < LP_N_KINETO_KINDS; kind++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s, summed", lp_kineto_kind_names[kind]);
        for (guint i = 0; i < columns->len; i++) {
            const Column *column = &g_array_index(columns, Column, i);
            gboolean is_left_out = !column->has_kinds || (has_prediction && i + 1 == columns->len &&
                                                          kind >= LP_KINETO_COPIES);
            if (is_left_out)
                lp_text_table_add_cell(table, "-");
            else
                lp_text_table_add_cell(table, "%.6f", column->of.sum_s[kind]);
        }
    }
    GString *text = g_string_new(NULL);
    lp_text_table_append(text, table, 0);
    return g_string_free(text, FALSE);
}

static char *
to_json(const GArray *columns, gboolean has_prediction)
{
    g_autoptr(json_t) root = lp_json_document();
    json_t *profiles = lp_json_set_array(root, "profiles");
    for (guint i = 0; i < columns->len; i++) {
        const Column *column = &g_array_index(columns, Column, i);
        gboolean is_prediction = has_prediction && i + 1 == columns->len;
        json_t *object =
            is_prediction ? lp_json_set_object(root, "predicted") : lp_json_append_object(profiles);
        if (!is_prediction)
            lp_json_set_text(object, "file", column->name);
        for (guint row = 0; row < G_N_ELEMENTS(rows); row++)
            if (is_known(column, is_prediction, row))
                lp_json_set_number(object, rows[row].key, value_of(&column->of, row));
        for (LpKinetoKind kind = 0; kind < LP_N_KINETO_KINDS; kind++) {
            if (!column->has_kinds || (is_prediction && kind >= LP_KINETO_COPIES))
                continue;
            json_t *of = lp_json_set_object(object, lp_kineto_kind_names[kind]);
            lp_json_set_count(of, "kernels", column->of.n[kind]);
            lp_json_set_number(of, "time_s", column->of.sum_s[kind]);
        }
    }
    return lp_json_print(root);
}

static gboolean
describe(char **paths, guint n_paths, const Options *options, LpFormat format, GError **error)
{
    g_autoptr(GArray) columns = g_array_new(FALSE, TRUE, sizeof(Column));
    for (guint i = 0; i < n_paths; i++) {
        Column column = {.name = lp_file_label(paths[i]), .has_kinds = TRUE};
        if (!read_profile(paths[i], &column.of, error))
            return FALSE;
        g_array_append_val(columns, column);
    }
    gboolean has_prediction = options->workload != NULL;
    Column predicted;
    if (has_prediction) {
        if (!predict(options, &predicted, error))
            return FALSE;
        g_array_append_val(columns, predicted);
    }
    g_autofree char *text = format == LP_FORMAT_JSON ? to_json(columns, has_prediction)
                                                     : to_text(columns, has_prediction);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_describe(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {{"workload", 0, 0, G_OPTION_ARG_STRING, &options.workload,
                                     "With --platform: simulate this beside the profiles",
                                     "WORKLOAD"},
                                    {"platform", 0, 0, G_OPTION_ARG_STRING, &options.platform,
                                     "The machine of that", "PLATFORM"},
                                    LP_ROW_SET(&options.plan.settings),
                                    LP_ROW_FRAMEWORK(&options.plan.framework),
                                    LP_ROW_PLAN(&options.plan.plan),
                                    LP_ROW_FORMAT(&options.format),
                                    {NULL, 0, 0, 0, NULL, NULL, NULL}};
    LpFormat format;
    if (!lp_options_parse("describe", "FILE...",
                          "Says what profiles of PyTorch (Kineto, .json) spend their time on: by "
                          "kind of kernel, beside communication, and idle.",
                          entries, &argc, &argv, 1, G_MAXINT, error) ||
        !lp_format_parse(options.format, &format, error) ||
        !lp_plan_arguments_read(&options.plan, error))
        return FALSE;
    if ((options.workload == NULL) != (options.platform == NULL))
        return lp_usage_error(error, "--%s: got it alone, wanted --workload with --platform",
                              options.workload != NULL ? "workload" : "platform");
    return describe(argv + 1, (guint)argc - 1, &options, format, error);
}
