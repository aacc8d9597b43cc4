/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run's files. */
#include "cli/run_files.h"

#include "base/file.h"
#include "base/folder.h"
#include "cli/output_paths.h"
#include "report/csv_tables.h"
#include "report/page_report.h"
#include "report/paje.h"
#include "report/perfetto.h"

#include <string.h>

void
lp_run_files_clear(LpRunFiles *self)
{
    lp_page_file_clear(&self->page);
    g_free(self->trace);
    g_free(self->csv);
    g_free(self->paje);
}

gboolean
lp_run_files_prepare(LpRunFiles *self, char *const *inputs, GError **error)
{
    const LpOutputPath outputs[] = {{"--report", self->page.path, FALSE},
                                    {"--trace", self->trace, FALSE},
                                    {"--csv", self->csv, TRUE},
                                    {"--paje", self->paje, FALSE}};
    return lp_check_not_output("--trace", self->trace, error) &&
           lp_check_not_output("--csv", self->csv, error) &&
           lp_check_not_output("--paje", self->paje, error) &&
           (self->csv == NULL || lp_folder_check(self->csv, lp_csv_names, error)) &&
           lp_check_outputs(outputs, G_N_ELEMENTS(outputs), inputs, error) &&
           lp_page_file_load(&self->page, error);
}

gboolean
lp_run_files_any(const LpRunFiles *self)
{
    return self->page.path != NULL || self->trace != NULL || self->csv != NULL ||
           self->paje != NULL;
}

static gboolean
write_text(const char *path, const char *text, GError **error)
{
    return lp_file_write(path, text, strlen(text), error);
}

static gboolean
write_tables(const char *path, const json_t *document, const LpObservation *observation,
             const LpTrack *tracks, guint n_tracks, GError **error)
{
    g_autoptr(GArray) tables = lp_csv_tables_new(document, observation, tracks, n_tracks);
    g_autofree LpFolderFile *files = g_new(LpFolderFile, tables->len);
    for (guint i = 0; i < tables->len; i++) {
        const LpCsvTable *table = &g_array_index(tables, LpCsvTable, i);
        files[i] = (LpFolderFile){table->name, table->text->str, table->text->len};
    }
    return lp_folder_write(path, files, tables->len, error);
}

gboolean
lp_run_files_write(const LpRunFiles *self, json_t *document, const LpObservation *observation,
                   const LpTrack *tracks, guint n_tracks, GError **error)
{
    if (!lp_run_files_any(self))
        return TRUE;
    const json_t *name = json_object_get(document, "scenario");
    if (name == NULL)
        name = json_object_get(document, "workload");
    g_autoptr(GError) fault = NULL;
    gboolean good = TRUE;
    if (self->trace != NULL) {
        g_autofree char *text =
            lp_perfetto_trace(tracks, n_tracks, observation, json_string_value(name));
        good = write_text(self->trace, text, error);
    }
    if (self->paje != NULL) {
        g_autofree char *text = lp_paje_trace(tracks, n_tracks, observation);
        good = lp_outputs_join(good, write_text(self->paje, text, &fault), &fault, error);
    }
    if (self->csv != NULL)
        good = lp_outputs_join(
            good, write_tables(self->csv, document, observation, tracks, n_tracks, &fault), &fault,
            error);
    lp_observed_add(document, observation, tracks, n_tracks);
    gboolean has_page = lp_page_file_write(&self->page, lp_page_of_simulation, document, &fault);
    return lp_outputs_join(good, has_page, &fault, error);
}
