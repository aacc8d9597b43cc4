/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath validate: predicts measured rows and compares. */
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "cli/preparation.h"
#include "cli/row_options.h"

#include "base/file.h"
#include "report/validation_page.h"
#include "report/vega.h"
#include "validation/cases/measurements.h"
#include "validation/cases/training_inputs.h"
#include "validation/calibration/calibration_file.h"

#define SHIPPED_CASES "resource:///lightpath/validation/training.csv"

typedef enum {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_HTML
} Format;
static const char *const format_names[] = {"text", "json", "html", NULL};

typedef struct {
    char *cases, *model, *format, *jobs, *resume, *calibration, *inputs; /* owned */
} Options;

static void
options_clear(Options *self)
{
    g_free(self->cases);
    g_free(self->model);
    g_free(self->format);
    g_free(self->jobs);
    g_free(self->resume);
    g_free(self->calibration);
    g_free(self->inputs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean
print_validation(const LpValidation *validation, Format format, const char *vega, GError **error)
{
    if (format == FORMAT_JSON)
        return lp_print_json(lp_validation_to_json(validation), error);
    g_autofree char *text = format == FORMAT_HTML ? lp_validation_to_page(validation, vega)
                                                  : lp_validation_to_text(validation);
    return lp_print_result(text, error);
}

/* A table of which nothing could be predicted says that something is wrong with all of it: a
 * column's name, it may be. */
static gboolean
check_any(const GPtrArray *outcomes, const LpTable *table, const char *unknown, GError **error)
{
    for (guint i = 0; i < outcomes->len; i++) {
        const LpOutcome *outcome = g_ptr_array_index(outcomes, i);
        if (outcome->status != LP_OUTCOME_FAILED)
            return TRUE;
    }
    if (outcomes->len == 0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                "%s: all of %u rows failed, wanted one that can be predicted%s%s",
                lp_file_label(lp_table_path(table)), outcomes->len, unknown != NULL ? "; " : "",
                unknown != NULL ? unknown : "");
    return FALSE;
}

static gboolean
validate(const Options *options, GError **error)
{
    guint model = 0, format = 0;
    g_autofree char *vega = NULL;
    g_autofree char *version = NULL, *unknown = NULL;
    LpRunnerOptions run = {.n_jobs = 0};
    g_auto(LpProgress) progress = lp_progress_start("rows");
    if (!lp_option_choice("format", options->format, format_names, FORMAT_TEXT, &format, error) ||
        !lp_option_choice("model", options->model, lp_prediction_names, LP_PREDICTION_SIMULATED,
                          &model, error) ||
        !lp_row_options_read(options->jobs, options->resume, &run, &version, &progress, error))
        return FALSE;
    const char *path = options->cases != NULL ? options->cases : SHIPPED_CASES;
    g_autoptr(LpTable) table = lp_measurements_load(path, &unknown, error);
    if (table == NULL)
        return FALSE;
    g_autoptr(LpConstants) constants = NULL;
    if (options->calibration != NULL) {
        constants = lp_calibration_file_load(options->calibration, error);
        if (constants == NULL)
            return FALSE;
    }
    run.constants = constants;
    if (options->inputs != NULL && !lp_training_inputs_write(table, options->inputs, error))
        return FALSE;
    /* Before all rows are run, not behind them. */
    if (format == FORMAT_HTML && (vega = lp_vega_load(lp_vega_folder(), error)) == NULL)
        return FALSE;
    g_autoptr(GError) unkept = NULL;
    run.out_unkept = &unkept;
    lp_interruption_hold();
    run.is_stopped = lp_interruption_has_come;
    g_autoptr(GPtrArray) outcomes = lp_runner_run(table, &run, error);
    if (outcomes == NULL)
        return FALSE;
    guint n_left = lp_table_n_rows(table) - outcomes->len;
    if (outcomes->len == 0 && n_left > 0)
        return TRUE;
    LpValidation validation = {lp_table_path(table), lp_table_kind(table), (LpPrediction)model,
                               outcomes, n_left};
    if (!print_validation(&validation, (Format)format, vega, error) ||
        !check_any(outcomes, table, unknown, error) ||
        !lp_outputs_join(TRUE, unkept == NULL, &unkept, error))
        return FALSE;
    lp_row_options_warn(table, unknown);
    return TRUE;
}

gboolean
lp_cmd_validate(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    gboolean answers = FALSE;
    const GOptionEntry entries[] = {
        {"cases", 0, 0, G_OPTION_ARG_FILENAME, &options.cases,
         "Measured rows, the same as FILE.csv (default: those that are shipped)", "FILE.csv"},
        {"model", 0, 0, G_OPTION_ARG_STRING, &options.model,
         "Whose predictions are judged (default simulated)", "simulated|consistent|amped"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, "Output format (default text)",
         "text|json|html"},
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Rows side by side (default: the number of processors)", "N"},
        {"resume", 0, 0, G_OPTION_ARG_FILENAME, &options.resume,
         "Keep finished rows in this folder, and take them from there", "DIR"},
        {"calibration", 0, 0, G_OPTION_ARG_FILENAME, &options.calibration,
         "Take the constants of this file, which calibrate wrote, in place of the shipped ones",
         "FILE.xml"},
        {"write-inputs", 0, 0, G_OPTION_ARG_FILENAME, &options.inputs,
         "Write each row's workload and platform to this folder, and the commands", "DIR"},
        {"answer", 0, 0, G_OPTION_ARG_NONE, &answers,
         "Answer what prepare.py asks of catalogues, frameworks and plans, a line each", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("validate", "[FILE.csv]",
                          "Predicts measured steps, collectives or matrix products, a row of a "
                          "CSV file each, and compares.",
                          entries, &argc, &argv, 0, 1, error))
        return FALSE;
    if (argc > 1 && options.cases != NULL)
        return lp_usage_error(error, "--cases=%s: got \"%s\" too, wanted one file of rows",
                              options.cases, argv[1]);
    if (argc > 1)
        options.cases = g_strdup(argv[1]);
    return answers ? lp_preparation_answer(error) : validate(&options, error);
}
