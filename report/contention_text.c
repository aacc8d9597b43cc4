/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of contention. */
#include "base/file.h"
#include "base/text_table.h"
#include "base/units.h"
#include "report/contention_report.h"
#include "report/contention_rows.h"
#include "report/report_parts.h"

static void
append_head(GString *out, const LpContentionReport *self)
{
    const LpScenario *scenario = self->scenario_setup->scenario;
    const LpMachine *machine = self->machine;
    if (self->is_scenario)
        g_string_append_printf(out,
                               "scenario    %s: jobs %u, traffic %u, stragglers %u, failures %u\n",
                               scenario->name, scenario->jobs->len, scenario->traffic->len,
                               scenario->stragglers->len, scenario->failures->len);
    else
        lp_report_append_workload(out, lp_contention_job(self, 0)->workload);
    g_string_append_printf(
        out,
        "platform    %s (%s), %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " accelerators %s\n",
        lp_file_label(machine->path), machine->system, lp_contention_n_ranks(self),
        machine->n_accelerators, machine->accelerator.name);
    if (!self->is_scenario)
        lp_report_append_plan(out, lp_contention_job(self, 0)->workload, self->whole_plan);
    lp_report_append_engine(out, self->scenario_setup->fidelity, self->scenario_setup->collapse,
                            NULL, self->scenario_setup->engine_options);
    g_string_append_printf(out, "runs        %u\n", self->attributions->n_runs);
}

static void
add_part(LpTextTable *table, const char *name, double part_s, double whole_s)
{
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%.6f", part_s);
    if (whole_s != 0.0)
        lp_text_table_add_cell(table, "%.1f", 100.0 * part_s / whole_s);
}

static void
append_tiers(GString *out, const LpAttribution *self)
{
    g_autoptr(LpTextTable) table =
        lp_text_table_new((const char *const[]){"tier", "#seconds", "#%", NULL});
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        if (self->has_tier[tier])
            add_part(table, lp_tier_names[tier], self->tier_s[tier], self->total_s);
    if (self->has_circuits)
        add_part(table, "circuit", self->circuits_s, self->total_s);
    add_part(table, "interaction", self->interaction_s, self->total_s);
    add_part(table, "all", self->total_s, self->total_s);
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
}

static void
append_pairs(GString *out, const LpAttribution *self)
{
    g_autoptr(GArray) rows = lp_pair_rows_new(self);
    g_autoptr(LpTextTable) table =
        lp_text_table_new((const char *const[]){"delayed", "by", "#seconds", "#%", NULL});
    for (guint i = 0; i < rows->len; i++) {
        const LpPairRow *row = &g_array_index(rows, LpPairRow, i);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_contender_names[row->delayed]);
        lp_text_table_add_cell(table, "%s", lp_contender_names[row->by]);
        lp_text_table_add_cell(table, "%.6f", row->seconds);
        if (self->total_s != 0.0)
            lp_text_table_add_cell(table, "%.1f", 100.0 * row->seconds / self->total_s);
    }
    if (self->has_circuits) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", "all");
        lp_text_table_add_cell(table, "%s", "circuits");
        lp_text_table_add_cell(table, "%.6f", self->circuits_s);
        if (self->total_s != 0.0)
            lp_text_table_add_cell(table, "%.1f", 100.0 * self->circuits_s / self->total_s);
    }
    if (rows->len == 0 && !self->has_circuits)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append(out, "  a class with all that it is part of (Shapley):");
    for (guint i = 0; i < LP_N_CONTENDERS; i++)
        if (self->contends[i])
            g_string_append_printf(out, " %s %.6f", lp_contender_names[i], self->class_s[i]);
    if (self->has_circuits)
        g_string_append_printf(out, " circuits %.6f", self->circuits_s);
    g_string_append_c(out, '\n');
}

/* @n_before: columns before those of what crossed the link. */
static void
add_crossing_rows(LpTextTable *table, const LpContentionReport *self, guint job, guint place,
                  guint n_before)
{
    const LpFlowSummary *flows = &self->attributions->flows;
    const LpCrossing *crossings = lp_flow_summary_crossings(flows, job, place);
    gboolean is_first = TRUE;
    for (guint kind = 0; kind < flows->n_kinds; kind++) {
        if (crossings[kind].n_flows == 0)
            continue;
        if (!is_first) {
            lp_text_table_add_row(table);
            for (guint i = 0; i < n_before; i++)
                lp_text_table_add_cell(table, "%s", "");
        }
        is_first = FALSE;
        g_autofree char *name = lp_flow_kind_name(self, kind);
        lp_text_table_add_cell(table, "%s", name);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, crossings[kind].n_flows);
        lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, crossings[kind].bytes);
        lp_text_table_add_cell(table, "%.6f", crossings[kind].from_s);
        lp_text_table_add_cell(table, "%.6f", crossings[kind].to_s);
        lp_text_table_add_cell(table, "%.6f", crossings[kind].lost_s);
    }
}

static gboolean
any_link_alike(const GArray *rows)
{
    for (guint i = 0; i < rows->len; i++)
        if (g_array_index(rows, LpLinkRow, i).n_alike > 1)
            return TRUE;
    return FALSE;
}

static void
append_links(GString *out, const LpContentionReport *self, guint job)
{
    static const char *const columns[] = {"link",         "tier",       "#alike",       "#seconds",
                                          "#utilisation", "crossed by", "#flows",       "#size",
                                          "#from s",      "#to s",      "#held back s", NULL};
    static const char *const plain[] = {"link",       "tier",         "#seconds", "#utilisation",
                                        "crossed by", "#flows",       "#size",    "#from s",
                                        "#to s",      "#held back s", NULL};
    g_autoptr(GArray) rows = lp_link_rows_new(self, job);
    gboolean are_alike = any_link_alike(rows);
    g_autoptr(LpTextTable) table = lp_text_table_new(are_alike ? columns : plain);
    for (guint i = 0; i < rows->len; i++) {
        const LpLinkRow *row = &g_array_index(rows, LpLinkRow, i);
        g_autofree char *place = lp_network_link_place(self->scenario_setup->network, row->link);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", place);
        lp_text_table_add_cell(table, "%s", lp_tier_names[row->tier]);
        if (are_alike)
            lp_text_table_add_cell(table, "%u", row->n_alike);
        lp_text_table_add_cell(table, "%.6f", row->seconds);
        lp_text_table_add_cell(table, "%.4f", row->utilisation);
        add_crossing_rows(table, self, job, row->place, are_alike ? 5 : 4);
    }
    if (rows->len == 0)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_printf(out, "  other links: %.6f s\n", lp_other_links_s(self, job, rows));
    if (are_alike)
        g_string_append(out, "  (seconds are of all links alike; what crossed one is of each)\n");
    guint n_replicas = self->attributions->jobs[job].n_replicas;
    if (n_replicas > 1)
        g_string_append_printf(out,
                               "  (a link stands for itself and its %u replicas on other slices)\n",
                               n_replicas - 1);
}

static void
append_flows(GString *out, const LpContentionReport *self, guint job)
{
    static const char *const columns[] = {"flows",   "#count", "#alone s", "#actual s",
                                          "#median", "#p99",   "#worst",   NULL};
    const LpFlowSummary *flows = &self->attributions->flows;
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    guint n = 0;
    for (guint traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        const LpSlowdown *slowdown = &flows->slowdowns[job * LP_N_TRAFFIC + traffic];
        if (slowdown->n_flows == 0)
            continue;
        n++;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_contender_names[traffic]);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, slowdown->n_flows);
        lp_text_table_add_cell(table, "%.6f", slowdown->ideal_s);
        lp_text_table_add_cell(table, "%.6f", slowdown->actual_s);
        lp_text_table_add_cell(table, "%.4f", slowdown->median);
        lp_text_table_add_cell(table, "%.4f", slowdown->p99);
        lp_text_table_add_cell(table, "%.4f", slowdown->worst);
    }
    if (n == 0)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
}

static gboolean
any_wait_alike(const LpWaitSummary *waits)
{
    for (guint i = 0; i < waits->n_waits; i++)
        if (waits->waits[i].n_alike > 1)
            return TRUE;
    return FALSE;
}

static void
append_stragglers(GString *out, const LpWaitSummary *waits)
{
    static const char *const columns[] = {"waits of", "collective", "#for rank", "#alike",
                                          "#times",   "#seconds",   "#worst",    NULL};
    static const char *const plain[] = {"waits of", "collective", "#for rank", "#times",
                                        "#seconds", "#worst",     NULL};
    gboolean are_alike = any_wait_alike(waits);
    g_autoptr(LpTextTable) table = lp_text_table_new(are_alike ? columns : plain);
    double rest_s = waits->all_waited_s;
    for (guint i = 0; i < waits->n_waits; i++) {
        const LpStragglerWait *wait = &waits->waits[i];
        rest_s -= wait->waited_s * (double)wait->n_alike;
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_contender_names[wait->traffic]);
        lp_text_table_add_cell(
            table, "%s",
            wait->collective == LP_WAIT_NONE ? "several" : lp_collective_names[wait->collective]);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, wait->rank);
        if (are_alike)
            lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, wait->n_alike);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, wait->n);
        lp_text_table_add_cell(table, "%.6f", wait->waited_s);
        lp_text_table_add_cell(table, "%.6f", wait->worst_s);
    }
    if (waits->n_waits == 0)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_printf(out, "  other waits: %.6f s\n", MAX(rest_s, 0.0));
}

static void
append_path(GString *out, const LpWaitSummary *waits)
{
    static const char *const columns[] = {"critical path", "term",     "#for stage",
                                          "#times",        "#seconds", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < waits->n_stretches; i++) {
        const LpStretch *stretch = &waits->stretches[i];
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "stage %u", stretch->stage);
        lp_text_table_add_cell(table, "%s", lp_term_names[stretch->term]);
        if (stretch->partner != LP_WAIT_NONE)
            lp_text_table_add_cell(table, "%u", stretch->partner);
        else
            lp_text_table_add_cell(table, "%s", "");
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, stretch->n);
        lp_text_table_add_cell(table, "%.6f", stretch->seconds);
    }
    if (waits->n_stretches == 0)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append_printf(out, "  other: %.6f s\n", waits->other_stretches_s);
}

static void
add_misfit(LpTextTable *table, const LpWhatIfRow *row, GString *reasons)
{
    lp_text_table_add_cell(table, "does not fit");
    lp_text_table_add_cell(table, "-");
    lp_text_table_add_cell(table, "%.3g", row->units);
    lp_text_table_add_cell(table, "-");
    g_string_append_printf(reasons, "  %s does not fit: %s\n", row->name, row->misfit);
}

static void
append_what_ifs(GString *out, const LpContentionReport *self, guint job)
{
    static const char *const columns[] = {"what if", "#iteration s",      "#saved s",
                                          "#units",  "#saved s per unit", NULL};
    g_autoptr(GArray) rows = lp_what_if_rows_new(self, job);
    g_autoptr(GString) reasons = g_string_new(NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint i = 0; i < rows->len; i++) {
        const LpWhatIfRow *row = &g_array_index(rows, LpWhatIfRow, i);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", row->name);
        if (row->misfit != NULL) {
            add_misfit(table, row, reasons);
            continue;
        }
        lp_text_table_add_cell(table, "%.6f", row->time_s);
        lp_text_table_add_cell(table, "%+.6f", row->saved_s);
        lp_text_table_add_cell(table, "%.3g", row->units);
        lp_text_table_add_cell(table, "%+.6f", row->saved_per_unit_s);
    }
    if (rows->len == 0)
        return;
    g_string_append_c(out, '\n');
    lp_text_table_append(out, table, 2);
    g_string_append(out, reasons->str);
}

static void
append_spread(GString *out, const LpContentionReport *self, guint job)
{
    if (self->band != NULL) {
        LpDistribution found = lp_distribution(self->band, job);
        g_string_append_printf(out, "band        %.6f to %.6f s:", found.low_s, found.high_s);
        for (guint i = 0; i < self->band->len; i++) {
            const LpVariantRow *row = &g_array_index(self->band, LpVariantRow, i);
            g_string_append_printf(out, "%s %s %.6f", i > 0 ? "," : "", row->name,
                                   row->times_s[job]);
        }
        g_string_append_c(out, '\n');
    }
    if (self->runs != NULL) {
        LpDistribution found = lp_distribution(self->runs, job);
        g_autoptr(json_t) result = json_object();
        lp_report_add_distribution(result, &found);
        lp_report_append_distribution(out, result);
    }
}

static void
append_job(GString *out, const LpContentionReport *self, guint job)
{
    const LpAttribution *attribution = &self->attributions->jobs[job];
    if (self->is_scenario) {
        g_string_append_printf(out, "\njob         %s: %s\n", lp_contention_job(self, job)->name,
                               lp_contention_job(self, job)->workload->name);
        lp_report_append_plan(out, lp_contention_job(self, job)->workload, self->whole_plan);
    }
    g_string_append_printf(out,
                           "\niteration   %.6f s, of which %.6f s (%.2f %%) contention; %.6f s "
                           "without\n",
                           attribution->iteration_time_s, attribution->total_s,
                           100.0 * attribution->total_s / attribution->iteration_time_s,
                           attribution->uncontended_s);
    append_spread(out, self, job);
    append_tiers(out, attribution);
    append_pairs(out, attribution);
    append_links(out, self, job);
    append_flows(out, self, job);
    append_stragglers(out, &attribution->waits);
    append_path(out, &attribution->waits);
    append_what_ifs(out, self, job);
}

char *
lp_contention_report_to_text(const LpContentionReport *self)
{
    GString *out = g_string_new(NULL);
    append_head(out, self);
    for (guint i = 0; i < self->scenario_setup->jobs->len; i++)
        append_job(out, self, i);
    if (self->has_cost) {
        g_autofree char *rss =
            lp_quantity_format(LP_QUANTITY_SIZE, (double)self->cost.peak_rss_bytes);
        g_string_append_printf(out, "\ncost        %.2f s, %s\n", self->cost.wall_s, rss);
    }
    return g_string_free(out, FALSE);
}
