/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run's files. */
#include "cli/run_files.h"

#include "base/file.h"
#include "report/page_report.h"

#include <string.h>

void
lp_run_files_clear(LpRunFiles *self)
{
    lp_page_file_clear(&self->page);
    g_free(self->trace);
}

gboolean
lp_run_files_prepare(LpRunFiles *self, GError **error)
{
    return lp_check_not_output("--trace", self->trace, error) &&
           lp_page_file_prepare(&self->page, error);
}

gboolean
lp_run_files_any(const LpRunFiles *self)
{
    return self->page.path != NULL || self->trace != NULL;
}

static gboolean
write_text(const char *path, const char *text, GError **error)
{
    return lp_file_write(path, text, strlen(text), error);
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
    if (self->trace != NULL) {
        g_autofree char *text = lp_report_trace_tracks(tracks, n_tracks, json_string_value(name));
        if (!write_text(self->trace, text, error))
            return FALSE;
    }
    lp_observed_add(document, observation, tracks, n_tracks);
    return lp_page_file_write(&self->page, lp_page_of_simulation, document, error);
}
