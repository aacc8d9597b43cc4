/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as tables for people. */
#include "base/file.h"
#include "base/c_locale.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/expected_text.h"
#include "report/circuits.h"
#include "report/difference_parts.h"
#include "report/doubts.h"
#include "report/energy.h"
#include "report/given_text.h"
#include "report/kernel_rows.h"
#include "report/closed_form_limits.h"
#include "report/network_text.h"
#include "report/report.h"
#include "report/report_parts.h"
#include "sim/engine/engine.h"
#include <math.h>
#include <string.h>

void
lp_report_append_workload(GString *out, const LpWorkload *workload)
{
    if (workload->given != NULL) {
        g_autofree char *text = lp_given_text(workload->given);
        g_string_append_printf(out, "workload    %s, a program by hand: %s\n", workload->name,
                               text);
        return;
    }
    g_string_append_printf(out, "workload    %s, %.4g billion parameters\n", workload->name,
                           lp_transformer_parameters(&workload->transformer) * 1e-9);
}

static void
append_head(GString *out, const LpReport *self)
{
    const LpMachine *machine = self->machine;
    lp_report_append_workload(out, self->workload);
    g_string_append_printf(
        out,
        "platform    %s (%s), %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " accelerators %s\n",
        lp_file_label(machine->path), machine->system, lp_plan_n_ranks(&self->workload->plan),
        machine->n_accelerators, machine->accelerator.name);
    lp_report_append_plan(out, self->workload, self->whole_plan);
}

static gboolean
is_shown(const LpTerms *const *columns, guint n_columns, LpTerm term)
{
    for (guint i = 0; i < n_columns; i++)
        if (columns[i]->s[term] != 0.0)
            return TRUE;
    return FALSE;
}

/* Terms that are 0 everywhere share one line, so that the others stand out. */
static void
append_zero_terms(GString *out, const LpTerms *const *columns, guint n_columns)
{
    GString *zero = g_string_new(NULL);
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        if (!is_shown(columns, n_columns, term))
            g_string_append_printf(zero, "%s%s", zero->len > 0 ? ", " : "", lp_term_names[term]);
    if (zero->len > 0)
        g_string_append_printf(out, "  %s: 0\n", zero->str);
    g_string_free(zero, TRUE);
}

/* @digits: behind the point. */
static void
add_values(LpTextTable *table, const char *label, const double *values, guint n, int digits)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", label);
    for (guint i = 0; i < n; i++)
        lp_text_table_add_cell(table, "%.*f", digits, values[i]);
}

static void
add_figures(LpTextTable *table, const LpReport *self, const double *times_s, guint n)
{
    double mfu[3], hfu[3], tokens[3], model[3], hardware[3];
    for (guint i = 0; i < n; i++) {
        LpFigures figures = lp_figures(self->workload, self->machine, times_s[i]);
        mfu[i] = figures.mfu;
        hfu[i] = figures.hfu;
        tokens[i] = figures.tokens_per_s;
        model[i] = figures.model_tflops_per_accelerator;
        hardware[i] = figures.hardware_tflops_per_accelerator;
    }
    add_values(table, "MFU", mfu, n, 4);
    add_values(table, "HFU", hfu, n, 4);
    add_values(table, "tokens/s", tokens, n, 0);
    add_values(table, "model TFLOP/s", model, n, 1);
    add_values(table, "hardware TFLOP/s", hardware, n, 1);
}

/* @headings: of the labels and of the @n columns, NULL-ended. */
static void
append_terms(GString *out, const LpReport *self, const char *const *headings,
             const LpTerms *const *columns, const double *times_s, guint n)
{
    g_autoptr(LpTextTable) table = lp_text_table_new(headings);
    add_values(table, "iteration time", times_s, n, 6);
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        double values[3];
        if (!is_shown(columns, n, term))
            continue;
        for (guint i = 0; i < n; i++)
            values[i] = columns[i]->s[term];
        g_autofree char *label = g_strconcat("  ", lp_term_names[term], NULL);
        add_values(table, label, values, n, 6);
    }
    if (self->workload->given == NULL)
        add_figures(table, self, times_s, n);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    append_zero_terms(out, columns, n);
}

/* What six digits would show as 0, so that rounding errors bring no sign. */
static double
steady(double seconds)
{
    return fabs(seconds) < 0.5e-6 ? 0.0 : seconds;
}

static void
append_job_parts(GString *out, const LpReport *self)
{
    if (self->is_job)
        g_string_append_printf(out,
                               "  (other jobs and traffic cost it %+.6f s, slow ranks and failures "
                               "%+.6f s)\n",
                               steady(self->others_s), steady(self->faults_s));
}

static void
append_difference(GString *out, const LpReport *self)
{
    const LpDifference *difference = &self->difference;
    double whole = self->simulation->run.iteration_time_s - lp_terms_sum(&self->closed_form);
    g_string_append_printf(out, "\nsimulated less closed form: %+.6f s (%+.2f %%), of which\n",
                           steady(whole), 100.0 * difference->iteration_fraction);
    LpDifferencePart parts[LP_DIFFERENCE_PARTS_MAX];
    guint n_parts = lp_difference_parts(self, parts);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", NULL});
    for (guint i = 0; i < n_parts; i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", parts[i].name);
        lp_text_table_add_cell(table, "%+.6f s", steady(parts[i].seconds));
    }
    lp_text_table_append(out, table, 2);
    g_string_append_printf(
        out,
        "  (runs: %.6f s as it is, %.6f s uncontended, %.6f s balanced too,\n"
        "   %.6f s with free messages between stages too;\n"
        "   hidden communication: %.6f s as it is, %.6f s balanced)\n",
        self->simulation->run.iteration_time_s, self->simulation->uncontended.iteration_time_s,
        self->simulation->balanced.iteration_time_s,
        self->simulation->free_messages.iteration_time_s, steady(self->simulation->run.overlap_s),
        steady(self->simulation->balanced.overlap_s));
    append_job_parts(out, self);
    lp_closed_form_limits_append_text(out, self, FALSE);
}

static void
append_given_difference(GString *out, const LpReport *self)
{
    g_string_append_printf(out,
                           "\nclosed form %s\ncontention  %+.6f s (%.6f s as it is, %.6f s "
                           "uncontended)\n",
                           lp_given_no_closed_form, steady(self->difference.contention_s),
                           self->simulation->run.iteration_time_s,
                           self->simulation->uncontended.iteration_time_s);
    append_job_parts(out, self);
}

static void
append_traffic(GString *out, const LpReport *self)
{
    static const LpTerm terms[LP_N_TRAFFIC] = {LP_TERM_TP, LP_TERM_PP, LP_TERM_DP,
                                               LP_TERM_EP, LP_TERM_CP, LP_TERM_DP};
    const LpSimulation *simulation = self->simulation;
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", "", NULL});
    g_string_append(out, "\ntraffic on the wire, all ranks (narrowest tier)\n");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        LpTerm term = terms[traffic];
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_traffic_names[traffic]);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT " B",
                               simulation->run.traffic_bytes[traffic]);
        if (simulation->tiers.has_tier[term])
            lp_text_table_add_cell(table, "%s", lp_tier_names[simulation->tiers.narrowest[term]]);
    }
    lp_text_table_append(out, table, 2);
}

void
lp_report_append_memory_fit(GString *out, LpTextTable *table, const LpMemoryFit *fit,
                            const char *accelerator)
{
    g_autofree char *spare = lp_quantity_format(LP_QUANTITY_SIZE, fabs(fit->spare_bytes));
    lp_text_table_add_quantity_row(table, "total without cached", LP_QUANTITY_SIZE,
                                   fit->total_bytes);
    lp_text_table_add_quantity_row(table, "reserve", LP_QUANTITY_SIZE, fit->reserve_bytes);
    lp_text_table_add_quantity_row(table, "capacity", LP_QUANTITY_SIZE, fit->capacity_bytes);
    lp_text_table_append(out, table, 2);
    g_string_append_printf(out, "  %s %s: %s %s\n", fit->fits ? "fits" : "does not fit",
                           accelerator, spare, fit->fits ? "to spare" : "too many");
}

static void
append_memory(GString *out, const LpReport *self)
{
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "#", NULL});
    lp_text_table_add_quantity_row(table, "weights", LP_QUANTITY_SIZE, self->memory.weights_bytes);
    lp_text_table_add_quantity_row(table, "gradients", LP_QUANTITY_SIZE,
                                   self->memory.gradients_bytes);
    lp_text_table_add_quantity_row(table, "optimizer", LP_QUANTITY_SIZE,
                                   self->memory.optimizer_bytes);
    lp_text_table_add_quantity_row(table, "activations", LP_QUANTITY_SIZE,
                                   self->memory.activations_bytes);
    lp_text_table_add_quantity_row(table, "buffers", LP_QUANTITY_SIZE, self->memory.buffers_bytes);
    lp_text_table_add_quantity_row(table, "optimizer's step", LP_QUANTITY_SIZE,
                                   self->memory.step_bytes);
    lp_text_table_add_quantity_row(table, "cached", LP_QUANTITY_SIZE, self->memory.cached_bytes);
    g_string_append(out, "\nmemory of an accelerator, fullest stage\n");
    lp_report_append_memory_fit(out, table, &self->memory_fit, self->machine->accelerator.name);
}

/* A line each. */
void
lp_report_append_contention(GString *out, const char *contention)
{
    g_auto(GStrv) clauses = g_strsplit(contention, "; ", -1);
    for (guint i = 0; clauses[i] != NULL; i++)
        g_string_append_printf(out, "            %s\n", clauses[i]);
}

void
lp_report_append_engine(GString *out, LpFidelity fidelity, gboolean collapse,
                        const char *contention, const GArray *engine_options)
{
    g_string_append_printf(out, "\nengine      %s, fidelity=%s, collapse=%s\n", lp_engine_version(),
                           lp_fidelity_names[fidelity], collapse ? "on" : "off");
    if (contention != NULL)
        lp_report_append_contention(out, contention);
    g_string_append(out, "           ");
    for (guint i = 0; i < engine_options->len; i++) {
        const LpEngineOption *option = &g_array_index(engine_options, LpEngineOption, i);
        g_string_append_printf(out, " %s:%s", option->name, option->value);
        if (i % 4 == 3)
            g_string_append(out, "\n           ");
    }
    g_string_append_c(out, '\n');
}

void
lp_report_append_classes(GString *out, const LpQuotientSize *size)
{
    if (size->n_ranks == 0)
        return;
    g_string_append_printf(out,
                           "            %" G_GUINT64_FORMAT " ranks in %" G_GUINT64_FORMAT
                           " classes, %" G_GUINT64_FORMAT " links in %" G_GUINT64_FORMAT
                           ", %" G_GUINT64_FORMAT " flows in %" G_GUINT64_FORMAT "\n",
                           size->n_ranks, size->n_rank_classes, size->n_links, size->n_link_classes,
                           size->n_flows, size->n_flow_classes);
    if (size->n_ways == 0)
        return;
    g_string_append_printf(out,
                           "            %" G_GUINT64_FORMAT
                           " ways over links, assumed alike within a class of flows: ",
                           size->n_ways);
    if (size->n_trials > 0)
        g_string_append_printf(out, "checked at every instant, run %u\n", size->n_trials);
    else
        g_string_append(out, "more classes if that does not hold\n");
}

static void
append_end(GString *out, const LpReport *self)
{
    for (guint i = 0; i < self->warnings->len; i++)
        g_string_append_printf(out, "warning     %s\n", (const char *)self->warnings->pdata[i]);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "cost        %.2f s, %s, %" G_GUINT64_FORMAT " activities\n",
                               self->cost.wall_s, rss, self->simulation->run.n_activities);
        lp_report_append_classes(out, &self->simulation->quotient);
    }
}

void
lp_report_append_needs(GString *out, const LpReport *self)
{
    append_traffic(out, self);
    if (self->workload->given == NULL)
        append_memory(out, self);
}

void
lp_report_append_distribution(GString *out, const LpDistribution *distribution)
{
    if (distribution->n == 0)
        return;
    g_string_append_printf(out, "%u runs: p50 %.6f, p95 %.6f, p99 %.6f s; %.6f to %.6f s\n",
                           distribution->n, distribution->p50_s, distribution->p95_s,
                           distribution->p99_s, distribution->low_s, distribution->high_s);
}

/* How far predictions of such steps were from measured ones. */
static void
append_expected_error(GString *out, const LpReport *self)
{
    if (self->workload->given != NULL)
        return;
    LpExpectedError expected = lp_expected_error_find(self->workload, self->machine);
    g_autofree char *text = lp_expected_error_to_text(&expected, self->workload, self->machine);
    g_string_append_printf(out, "  expected error: %s\n", text);
}

void
lp_report_append_results(GString *out, const LpReport *self)
{
    gboolean is_given = self->workload->given != NULL;
    const LpTerms *columns[] = {&self->simulation->run.terms, &self->closed_form, &self->amped};
    double times_s[] = {self->simulation->run.iteration_time_s, lp_terms_sum(&self->closed_form),
                        lp_terms_sum(&self->amped)};
    append_terms(out, self,
                 (const char *const[]){"seconds", "#simulated", is_given ? NULL : "#closed form",
                                       "#AMPeD", NULL},
                 columns, times_s, is_given ? 1 : 3);
    append_expected_error(out, self);
    if (self->distribution.n > 0)
        g_string_append_c(out, '\n');
    lp_report_append_distribution(out, &self->distribution);
    if (is_given) {
        if (!self->simulation->is_alone)
            append_given_difference(out, self);
        return;
    }
    if (lp_closed_form_limits_experts(self))
        g_string_append(
            out, "\nAMPeD leaves out the all-to-alls of experts, and so its MFU may pass 1\n");
    if (!self->simulation->is_alone)
        append_difference(out, self);
    else
        lp_closed_form_limits_append_text(out, self, FALSE);
}

static void
append_energy(GString *out, const LpReport *self)
{
    LpEnergy energy = lp_energy_find(self->machine, &self->simulation->link_traffic,
                                     self->simulation->run.iteration_time_s);
    lp_energy_append_text(out, &energy, lp_figures_n_tokens(self->workload));
}

char *
lp_report_to_text(const LpReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    GString *out = g_string_new(NULL);
    append_head(out, self);
    lp_report_append_engine(out, self->fidelity, self->collapse, self->simulation->contention,
                            self->simulation->engine_options);
    lp_report_append_needs(out, self);
    append_end(out, self);
    lp_report_append_results(out, self);
    lp_circuits_append_text(out, self->simulation);
    append_energy(out, self);
    lp_network_append_text(out, self->machine);
    return g_string_free(out, FALSE);
}

char *
lp_report_estimate_to_text(const LpReport *self, gboolean amped)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    GString *out = g_string_new(NULL);
    append_head(out, self);
    const LpTerms *terms = amped ? &self->amped : &self->closed_form;
    double time_s = lp_terms_sum(terms);
    append_memory(out, self);
    if (amped) {
        g_autofree char *bytes =
            lp_quantity_format(LP_QUANTITY_SIZE, lp_amped_memory_bytes(&self->workload->transformer,
                                                                       &self->workload->plan));
        g_string_append_printf(out, "  by AMPeD, fully sharded: %s\n", bytes);
    }
    append_end(out, self);
    append_terms(out, self,
                 (const char *const[]){"seconds", amped ? "#AMPeD" : "#closed form", NULL}, &terms,
                 &time_s, 1);
    g_autoptr(GString) left_out = g_string_new(NULL);
    lp_closed_form_limits_append_text(left_out, self, amped);
    lp_doubts_append_text(left_out, self);
    if (left_out->len > 0)
        g_string_append_printf(out, "\n%s", left_out->str);
    if (self->lists_kernels)
        lp_kernel_rows_append_text(out, self);
    return g_string_free(out, FALSE);
}
