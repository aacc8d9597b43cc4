/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a store and writes its page. */
#include "cli/sweep_plot.h"

#include "base/file.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "report/study_page.h"
#include "report/vega.h"
#include "study/study_export.h"

#include <string.h>

typedef struct {
    char *x, *y, *series, *log, *study, *output; /* owned */
} Options;

static void
options_clear(Options *self)
{
    g_free(self->x);
    g_free(self->y);
    g_free(self->series);
    g_free(self->log);
    g_free(self->study);
    g_free(self->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* STORE.html beside STORE.sqlite. */
static char *
page_beside(const char *store)
{
    gsize length = strlen(store) - (g_str_has_suffix(store, ".sqlite") ? strlen(".sqlite") : 0);
    g_autofree char *stem = g_strndup(store, length);
    return g_strconcat(stem, ".html", NULL);
}

static gboolean
draw(const Options *options, const char *path, const char *output, GError **error)
{
    static const char *const axes[] = {"none", "x", "y", "xy", NULL};
    guint log = 0;
    gint64 study;
    if (!lp_option_choice("log", options->log, axes, 0, &log, error))
        return FALSE;
    g_autofree char *vega = lp_vega_load(lp_vega_folder(), error);
    g_autoptr(LpStudyStore) store = vega != NULL ? lp_study_store_read(path, error) : NULL;
    if (store == NULL || !lp_study_export_find(store, options->study, &study, error))
        return FALSE;
    g_autoptr(json_t) document = lp_study_export_json(store, study, G_MAXUINT, error);
    LpStudyPlot plot = {.x = options->x,
                        .y = options->y,
                        .series = options->series,
                        .log_x = log == 1 || log == 3,
                        .log_y = log >= 2};
    g_autofree char *page = document != NULL ? lp_study_page(document, &plot, vega, error) : NULL;
    return page != NULL && lp_file_write(output, page, strlen(page), error);
}

gboolean
lp_sweep_plot(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"x", 0, 0, G_OPTION_ARG_STRING, &options.x,
         "Column along the page (default: the first axis)", "NAME"},
        {"y", 0, 0, G_OPTION_ARG_STRING, &options.y,
         "Column up the page (default: the first that is recorded)", "NAME"},
        {"series", 0, 0, G_OPTION_ARG_STRING, &options.series,
         "A line for each value of this column (default: of the next axis; empty: one line)",
         "NAME"},
        {"log", 0, 0, G_OPTION_ARG_STRING, &options.log, "Logarithmic scales (default none)",
         "none|x|y|xy"},
        {"study", 0, 0, G_OPTION_ARG_STRING, &options.study,
         "Of several studies in the store this one (default: the last)", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "The page (default: STORE.html)",
         "FILE.html"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse(
            "sweep plot", "STORE",
            "Draws a column of a study over another, as a page that needs no network.", entries,
            &argc, &argv, 1, 1, error))
        return FALSE;
    g_autofree char *output =
        options.output != NULL ? g_strdup(options.output) : page_beside(argv[1]);
    return lp_check_outputs(&(LpOutputPath){"--output", output, FALSE}, 1, argv + 1, error) &&
           draw(&options, argv[1], output, error);
}
