/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a search leaves behind. */
#include "cli/search_outputs.h"

#include "base/file.h"
#include "cli/output_paths.h"
#include "report/observed.h"
#include "report/page_search.h"
#include "report/plan_export.h"
#include "report/report.h"
#include "report/report_parts.h"
#include "report/search_candidates.h"
#include "report/search_csv.h"
#include "sim/mapping/setup.h"
#include "sim/run/simulation.h"
#include "sim/simulation_error.h"
#include "workloads/description/workload_text.h"

#include <string.h>

void
lp_search_outputs_clear(LpSearchOutputs *self)
{
    g_free(self->workload);
    g_free(self->csv);
    lp_page_file_clear(&self->page);
    g_free(self->export);
}

gboolean
lp_search_outputs_prepare(LpSearchOutputs *self, char *const *inputs, const char *format,
                          GError **error)
{
    const LpOutputPath paths[] = {{"--output", self->workload, FALSE},
                                  {"--csv", self->csv, FALSE},
                                  {"--report", self->page.path, FALSE}};
    return lp_export_parse(self->export, format, &self->format, error) &&
           lp_check_not_output("--csv", self->csv, error) &&
           lp_check_outputs(paths, G_N_ELEMENTS(paths), inputs, error) &&
           lp_page_file_load(&self->page, error);
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

/* What simulate prints of @workload, and the timeline and the links beside it. */
static gboolean
add_first_run(json_t *document, const LpWorkload *workload, const LpMachine *machine,
              GError **error)
{
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpTimeline) timeline = lp_timeline_new();
    g_autoptr(LpObservation) observation = lp_observation_new();
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW,
                                   .collapse = TRUE,
                                   .run = {.timeline = timeline},
                                   .observation = observation};
    g_autoptr(LpSimulation) simulation =
        setup != NULL ? lp_simulation_run(setup, options, error) : NULL;
    if (simulation == NULL)
        return FALSE;
    LpReport report;
    lp_report_init(&report, setup, simulation);
    report.fidelity = options.fidelity;
    report.collapse = options.collapse;
    (void)json_object_set_new(document, "first", lp_report_to_json(&report));
    lp_observed_add(document, observation, &(LpTrack){timeline, NULL}, 1);
    lp_report_clear(&report);
    return TRUE;
}

/* @workload: of the first plan, or NULL. */
static gboolean
write_page(const LpPageFile *page, const LpSearchReport *report, const LpWorkload *workload,
           GError **error)
{
    if (page->path == NULL)
        return TRUE;
    g_autoptr(json_t) document = lp_search_report_to_json(report);
    lp_search_report_add_candidates(document, report);
    if (workload != NULL) {
        const LpSearchRun *first = &g_array_index(report->result->runs, LpSearchRun, 0);
        const LpMachine *machine = report->space->machines[first->plan.machine];
        if (!add_first_run(document, workload, machine, error))
            return FALSE;
    }
    return lp_page_file_write(page, lp_page_of_search, document, error);
}

static gboolean
has_run(const LpSearchResult *result, GError **error)
{
    if (result->runs->len > 0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "search: got no plan that was simulated, wanted one to export");
    return FALSE;
}

/* @workload: of the first plan, or NULL. */
static gboolean
print_answer(const LpSearchOutputs *self, const LpSearchReport *report, const LpWorkload *workload,
             LpFormat format, GError **error)
{
    if (self->format == LP_N_EXPORTS && format == LP_FORMAT_JSON)
        return lp_print_json(lp_search_report_to_json(report), error);
    if (self->format < LP_N_EXPORTS && !has_run(report->result, error))
        return FALSE;
    g_autofree char *text = self->format < LP_N_EXPORTS
                                ? lp_plan_export(workload, (LpExport)self->format)
                                : lp_search_report_to_text(report);
    return lp_print_result(text, error);
}

gboolean
lp_search_outputs_give(const LpSearchOutputs *self, const LpSearchReport *report, LpFormat format,
                       GError **error)
{
    g_autoptr(LpWorkload) workload = NULL;
    if (report->result->runs->len > 0) {
        const LpSearchRun *first = &g_array_index(report->result->runs, LpSearchRun, 0);
        workload = lp_search_space_workload(report->space, &first->plan, error);
        if (workload == NULL)
            return FALSE;
    }
    g_autoptr(GError) fault = NULL;
    gboolean good = print_answer(self, report, workload, format, error);
    if (self->csv != NULL)
        good = lp_outputs_join(good, write_csv(self->csv, report, &fault), &fault, error);
    if (self->workload != NULL && workload != NULL)
        good =
            lp_outputs_join(good, write_workload(self->workload, workload, &fault), &fault, error);
    gboolean has_page = write_page(&self->page, report, workload, &fault);
    return lp_outputs_join(good, has_page, &fault, error);
}
