/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a search leaves behind. */
#include "cli/search_outputs.h"

#include "base/file.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "cli/page_file.h"
#include "report/plan_export.h"
#include "report/search_csv.h"
#include "sim/simulation_error.h"
#include "workloads/description/workload_text.h"

#include <string.h>

void
lp_search_outputs_clear(LpSearchOutputs *self)
{
    g_free(self->workload);
    g_free(self->csv);
    g_free(self->export);
}

gboolean
lp_search_outputs_prepare(LpSearchOutputs *self, char *const *inputs, const char *format,
                          GError **error)
{
    const LpOutputPath paths[] = {{"--output", self->workload}, {"--csv", self->csv}};
    return lp_export_parse(self->export, format, &self->format, error) &&
           lp_check_not_output("--csv", self->csv, error) &&
           lp_check_outputs(paths, G_N_ELEMENTS(paths), inputs, error);
}

static gboolean
write_workload(const char *path, const LpWorkload *workload, GError **error)
{
    g_autofree char *text = lp_workload_to_xml(workload, (const char *const[]){NULL});
    return lp_file_write(path, text, strlen(text), error);
}

static gboolean
write_csv(const char *path, const LpSearchReport *report, GError **error)
{
    g_autofree char *text = lp_search_report_to_csv(report);
    return lp_file_write(path, text, strlen(text), error);
}

static gboolean
print_export(const LpWorkload *workload, LpExport format, GError **error)
{
    g_autofree char *text = lp_plan_export(workload, format);
    return lp_print_result(text, error);
}

static gboolean
has_run(const LpSearchOutputs *self, const LpSearchResult *result, GError **error)
{
    if (result->runs->len > 0 || self->format == LP_N_EXPORTS)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "search: got no plan that was simulated, wanted one to export");
    return FALSE;
}

gboolean
lp_search_outputs_write(const LpSearchOutputs *self, const LpSearchReport *report,
                        gboolean *out_printed, GError **error)
{
    *out_printed = self->format < LP_N_EXPORTS;
    if (!has_run(self, report->result, error) ||
        (self->csv != NULL && !write_csv(self->csv, report, error)))
        return FALSE;
    if (report->result->runs->len == 0)
        return TRUE;
    const LpSearchRun *first = &g_array_index(report->result->runs, LpSearchRun, 0);
    g_autoptr(LpWorkload) workload = lp_search_space_workload(report->space, &first->plan, error);
    return workload != NULL &&
           (self->workload == NULL || write_workload(self->workload, workload, error)) &&
           (!*out_printed || print_export(workload, (LpExport)self->format, error));
}
