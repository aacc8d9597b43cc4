/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts, printed. */
#include "cli/dry_run.h"

#include "cli/machine_speed.h"

#include "report/forecast_report.h"

static gboolean
print(LpForecastReport *report, LpFormat format, GError **error)
{
    report->setup_s = lp_processor_s();
    report->peak_rss_bytes = lp_peak_rss_bytes();
    report->slowness = lp_machine_slowness();
    g_autofree char *text = format == LP_FORMAT_JSON ? lp_forecast_report_to_json_text(report)
                                                     : lp_forecast_report_to_text(report);
    return lp_print_result(text, error);
}

gboolean
lp_dry_run(const LpSetup *setup, LpSimulationOptions options, LpFormat format, GError **error)
{
    g_auto(LpForecast) forecast = lp_forecast();
    options.forecast = &forecast;
    g_autoptr(LpSimulation) simulation = lp_simulation_run(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    LpForecastReport report = {.name = setup->workload->name,
                               .platform = setup->machine->path,
                               .accelerators = lp_plan_n_ranks(&setup->workload->plan),
                               .fidelity = options.fidelity,
                               .forecast = &forecast};
    return print(&report, format, error);
}

gboolean
lp_dry_run_scenario(const LpScenario *scenario, const LpMachine *machine, LpScenarioOptions options,
                    LpFormat format, GError **error)
{
    g_auto(LpForecast) forecast = lp_forecast();
    options.forecast = &forecast;
    g_autoptr(LpScenarioSimulation) simulation =
        lp_scenario_simulation_run(scenario, machine, options, error);
    if (simulation == NULL)
        return FALSE;
    guint64 n_ranks = 0;
    for (guint i = 0; i < simulation->n_jobs; i++)
        n_ranks += lp_plan_n_ranks(&simulation->jobs[i].job->workload->plan);
    LpForecastReport report = {.name = scenario->name,
                               .is_scenario = TRUE,
                               .platform = machine->path,
                               .accelerators = n_ranks,
                               .fidelity = options.fidelity,
                               .forecast = &forecast};
    return print(&report, format, error);
}
