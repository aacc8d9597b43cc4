/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath calibrate: fits constants to measured rows, or compares measured kernels. */
#include "cli/commands.h"
#include "cli/kernel_calibration.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "cli/row_options.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "report/calibration_report.h"
#include "validation/calibration/calibration_file.h"
#include "validation/cases/measurements.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 3

typedef struct {
    char *cases, *start, *format, *jobs, *resume, *every, *others, *rounds, *output; /* owned */
    char *kernels, *accelerator;                                                     /* owned */
    char **fit, **rows, **without;                                                   /* owned */
    gboolean is_dense, is_alone;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->cases);
    g_free(self->start);
    g_free(self->format);
    g_free(self->jobs);
    g_free(self->resume);
    g_free(self->every);
    g_free(self->others);
    g_free(self->rounds);
    g_free(self->output);
    g_free(self->kernels);
    g_free(self->accelerator);
    g_strfreev(self->fit);
    g_strfreev(self->rows);
    g_strfreev(self->without);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* Shows the stage of a fit, on a terminal only. */
static void
show_stage(const char *text, void *data)
{
    (void)data;
    fprintf(stderr, "%s\n", text);
}

static gboolean
blame_option(const char *option, GError **error)
{
    g_autofree char *message = g_strdup((*error)->message);
    g_clear_error(error);
    return lp_usage_error(error, "--%s: %s", option, message);
}

/* The constants that stay fixed, followed by those that are fitted. */
static LpConstants *
read_constants(const Options *options, GError **error)
{
    if (options->fit == NULL || options->cases == NULL) {
        (void)lp_usage_error(error, "got no --%s, wanted --cases=FILE.csv and --fit=OWNER:NAME,...",
                             options->fit == NULL ? "fit" : "cases");
        return NULL;
    }
    g_autoptr(LpConstants) constants = options->start != NULL
                                           ? lp_calibration_file_load(options->start, error)
                                           : lp_constants_new();
    for (guint i = 0; constants != NULL && options->fit[i] != NULL; i++) {
        GError *fault = NULL;
        if (lp_constants_add(constants, options->fit[i], &fault))
            continue;
        (void)blame_option("fit", &fault);
        g_propagate_error(error, fault);
        return NULL;
    }
    return g_steal_pointer(&constants);
}

static gboolean
print_tables(const LpFit *fit, const Options *options, LpFormat format, GError **error)
{
    if (format == LP_FORMAT_JSON)
        return lp_print_json(lp_calibration_to_json(fit, options->cases), error);
    g_autofree char *text = lp_calibration_to_text(fit, options->cases);
    return lp_print_result(text, error);
}

static gboolean
print_fit(const LpFit *fit, const Options *options, LpFormat format, GError **error)
{
    g_autoptr(GError) fault = NULL;
    gboolean is_written = TRUE;
    if (options->output != NULL) {
        g_autofree char *xml = lp_calibration_file_text(fit, options->cases);
        is_written = lp_file_write(options->output, xml, strlen(xml), &fault);
        if (strcmp(options->output, "-") == 0)
            return lp_outputs_join(TRUE, is_written, &fault, error);
    }
    gboolean good = print_tables(fit, options, format, error);
    return lp_outputs_join(good, is_written, &fault, error);
}

static gboolean
calibrate(const Options *options, GError **error)
{
    LpFormat format;
    LpFitOptions fit_options = {.rows = (const char *const *)options->rows,
                                .without = (const char *const *)options->without,
                                .is_dense = options->is_dense};
    g_auto(LpProgress) progress = lp_progress_start("rows");
    g_autofree char *version = NULL, *unknown = NULL;
    if (!lp_format_parse(options->format, &format, error) ||
        !lp_option_count("every", options->every, 1, G_MAXUINT16, 1, &fit_options.every, error) ||
        !lp_option_count("others", options->others, 0, G_MAXUINT16, 1, &fit_options.others_every,
                         error) ||
        !lp_option_count("rounds", options->rounds, 1, 100, ROUNDS, &fit_options.n_rounds, error) ||
        !lp_row_options_read(options->jobs, options->resume, &fit_options.run, &version, &progress,
                             error))
        return FALSE;
    g_autoptr(LpConstants) constants = read_constants(options, error);
    /* Before hours are spent on what cannot be kept. */
    const LpOutputPath output = {"--output", options->output, FALSE};
    char *inputs[] = {options->cases, options->start, NULL};
    if (constants == NULL || !lp_check_outputs(&output, 1, inputs, error))
        return FALSE;
    g_autoptr(LpTable) table = lp_measurements_load(options->cases, &unknown, error);
    if (table == NULL)
        return FALSE;
    fit_options.constants = constants;
    if (isatty(STDERR_FILENO))
        fit_options.stage = show_stage;
    g_autoptr(LpFit) fit = lp_fit_run(table, &fit_options, error);
    if (fit == NULL || !print_fit(fit, options, format, error))
        return FALSE;
    lp_row_options_warn(table, unknown);
    return TRUE;
}

/* Kernels are compared, and nothing is fitted. */
static gboolean
compare_kernels(const Options *options, GError **error)
{
    LpKernelCalibration self = {options->kernels, options->accelerator, options->output,
                                options->is_alone, LP_FORMAT_TEXT};
    if (options->cases != NULL || options->fit != NULL)
        return lp_usage_error(error, "--%s: got it beside --kernels, wanted one of them",
                              options->cases != NULL ? "cases" : "fit");
    if (options->accelerator == NULL)
        return lp_usage_error(error, "--kernels: got no --accelerator beside it, wanted the one "
                                     "that was measured");
    return lp_format_parse(options->format, &self.format, error) &&
           lp_kernel_calibration_run(&self, error);
}

gboolean
lp_cmd_calibrate(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"fit", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.fit,
         "Constants to fit, such as a100-80:launch,host-kernel, nccl-ampere/simple:base, or one "
         "for two, a100-40+a100-80:launch; may be given again",
         "OWNER:NAME,..."},
        {"cases", 0, 0, G_OPTION_ARG_FILENAME, &options.cases, "Measured training steps",
         "FILE.csv"},
        {"rows", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.rows,
         "Fit on rows whose source or id contains this; may be given again (default: all rows "
         "that depend on the constants)",
         "TEXT"},
        {"without", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.without,
         "Neither fit nor test on rows whose source or id contains this; may be given again",
         "TEXT"},
        {"dense", 0, 0, G_OPTION_ARG_NONE, &options.is_dense,
         "Neither fit nor test on rows of models with experts", NULL},
        {"every", 0, 0, G_OPTION_ARG_STRING, &options.every,
         "Of each source's rows fit on every N-th (default 1)", "N"},
        {"others", 0, 0, G_OPTION_ARG_STRING, &options.others,
         "Of each source's rows left out test on every N-th; 0: on none (default 1)", "N"},
        {"start", 0, 0, G_OPTION_ARG_FILENAME, &options.start,
         "Start from the constants of this calibration; those that are not fitted are held",
         "FILE.xml"},
        {"rounds", 0, 0, G_OPTION_ARG_STRING, &options.rounds,
         "Simulate and search again at most so often (default 3)", "N"},
        {"kernels", 0, 0, G_OPTION_ARG_FILENAME, &options.kernels,
         "Measured kernels, which are compared with the model in place of a fit", "FILE.csv"},
        {"accelerator", 0, 0, G_OPTION_ARG_STRING, &options.accelerator,
         "Which accelerator ran the kernels", "NAME"},
        {"alone", 0, 0, G_OPTION_ARG_NONE, &options.is_alone,
         "The kernels ran alone, before a limit of power lowered the clock, as it does in training",
         NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "Write the constants, or the kernels' table", "FILE"},
        LP_ROW_FORMAT(&options.format),
        {"jobs", 0, 0, G_OPTION_ARG_STRING, &options.jobs,
         "Rows side by side (default: the number of processors)", "N"},
        {"resume", 0, 0, G_OPTION_ARG_FILENAME, &options.resume,
         "Keep finished rows in this folder, and take them from there", "DIR"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("calibrate", NULL,
                          "Fits constants of accelerators and communication libraries to measured "
                          "training steps, and tells the error on steps that it left out.",
                          entries, &argc, &argv, 0, 0, error))
        return FALSE;
    return options.kernels != NULL ? compare_kernels(&options, error) : calibrate(&options, error);
}
