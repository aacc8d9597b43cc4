/* SPDX-License-Identifier: Apache-2.0 */
/* Characterisations as JSON. */
#include "report/characterization.h"

#include "base/file.h"
#include "report/characterization_rows.h"
#include "report/report_parts.h"

static void
add_histogram(json_t *object, const LpCensusRow *row)
{
    json_t *histogram = lp_json_set_array(object, "histogram");
    g_autoptr(GArray) bins = lp_characterization_bins(row);
    for (guint i = 0; i < bins->len; i++) {
        const LpSizeBin *bin = &g_array_index(bins, LpSizeBin, i);
        json_t *entry = lp_json_append_object(histogram);
        lp_json_set_count(entry, "from_bytes", bin->from_bytes);
        lp_json_set_count(entry, "below_bytes", 2 * bin->from_bytes);
        lp_json_set_count(entry, "calls", bin->n_calls);
        lp_json_set_count(entry, "buffer_bytes", bin->bytes);
    }
}

static void
add_operation(json_t *operations, const LpCharacterization *self, const LpCensusRow *row)
{
    json_t *object = lp_json_append_object(operations);
    lp_json_set_text(object, "parallelism", lp_traffic_names[row->traffic]);
    lp_json_set_text(object, "operation", lp_collective_names[row->collective]);
    lp_json_set_text(object, "group", lp_characterization_group(row));
    lp_json_set_count(object, "ranks", row->n_members);
    lp_json_set_count(object, "stage", row->stage);
    lp_json_set_count(object, "calls", row->n_calls);
    lp_json_set_count(object, "buffer_bytes", row->buffer_bytes);
    lp_json_set_number(object, "bytes", row->sent_bytes);
    lp_json_set_count(object, "all_bytes", row->all_sent_bytes);
    lp_json_set_count(object, "smallest_bytes", g_array_index(row->sizes, LpCensusSize, 0).bytes);
    lp_json_set_count(object, "largest_bytes",
                      g_array_index(row->sizes, LpCensusSize, row->sizes->len - 1).bytes);
    add_histogram(object, row);
    if (self->times == NULL)
        return;
    LpRowRates rates = lp_characterization_rates(self, row);
    lp_json_set_number(object, "seconds", rates.time_s);
    lp_json_set_number(object, "share", rates.share);
    lp_json_set_number(object, "algorithmic_bytes_per_s", rates.algorithmic_bytes_per_s);
    lp_json_set_number(object, "bus_bytes_per_s", rates.bus_bytes_per_s);
}

static void
add_parallelisms(json_t *root, const LpCharacterization *self)
{
    json_t *array = lp_json_set_array(root, "parallelisms");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        LpTrafficSum sum = lp_characterization_sum(self, traffic);
        if (sum.n_calls == 0)
            continue;
        json_t *object = lp_json_append_object(array);
        lp_json_set_text(object, "parallelism", lp_traffic_names[traffic]);
        lp_json_set_count(object, "calls", sum.n_calls);
        lp_json_set_number(object, "bytes", sum.sent_bytes);
        lp_json_set_count(object, "all_bytes", sum.all_bytes);
        if (self->times == NULL)
            continue;
        const LpRunResult *run = &self->simulation->run;
        LpTerm term = lp_characterization_term(traffic);
        lp_json_set_number(object, "seconds", sum.time_s);
        lp_json_set_number(object, "share", sum.time_s / run->iteration_time_s);
        if (term == LP_N_TERMS)
            continue;
        lp_json_set_number(object, "exposed_s", run->terms.s[term]);
        lp_json_set_number(object, "exposed_share", run->terms.s[term] / run->iteration_time_s);
    }
}

static void
add_point(json_t *points, const LpCharacterization *self, const LpSweepPoint *point)
{
    json_t *object = lp_json_append_object(points);
    lp_json_set_text(object, "value", point->value);
    if (point->reason[0] != '\0') {
        lp_json_set_text(object, "reason", point->reason);
        return;
    }
    lp_json_set_number(object, "parameters", point->parameters);
    lp_json_set_number(object, "tokens", point->n_tokens);
    lp_json_set_number(object, "largest_bytes", point->largest_bytes);
    json_t *traffic_bytes = lp_json_set_object(object, "traffic_bytes");
    for (LpTraffic traffic = 0; traffic < LP_N_TRAFFIC; traffic++)
        lp_json_set_number(traffic_bytes, lp_traffic_names[traffic], point->all_bytes[traffic]);
    if (self->machine == NULL)
        return;
    lp_json_set_number(object, "iteration_time_s", point->figures.iteration_time_s);
    lp_json_set_number(object, "tokens_per_s", point->figures.tokens_per_s);
    lp_json_set_number(object, "mfu", point->figures.mfu);
    json_t *terms_s = lp_json_set_object(object, "terms_s");
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        lp_json_set_number(terms_s, lp_term_names[term], point->terms.s[term]);
}

static void
add_sweep(json_t *root, const LpCharacterization *self)
{
    json_t *sweep = lp_json_set_object(root, "sweep");
    lp_json_set_text(sweep, "parameter", self->parameter);
    json_t *points = lp_json_set_array(sweep, "points");
    for (guint i = 0; i < self->points->len; i++)
        add_point(points, self, &g_array_index(self->points, LpSweepPoint, i));
}

json_t *
lp_characterization_to_json(const LpCharacterization *self)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "workload", self->workload->name);
    if (self->machine != NULL)
        lp_json_set_text(root, "platform", lp_file_label(self->machine->path));
    lp_json_set_count(root, "accelerators", lp_plan_n_ranks(&self->workload->plan));
    lp_report_add_plan(root, self->workload);
    if (self->simulation != NULL) {
        const LpSimulation *simulation = self->simulation;
        lp_report_add_engine(root, self->fidelity, self->collapse, simulation->run.own_sharing,
                             simulation->contention, simulation->engine_options);
        json_t *simulated = lp_json_set_object(root, "simulated");
        lp_report_add_figures(simulated, self->workload, self->machine, &simulation->run.terms,
                              simulation->run.iteration_time_s);
    }
    add_parallelisms(root, self);
    json_t *operations = lp_json_set_array(root, "operations");
    for (guint i = 0; i < self->census->rows->len; i++)
        add_operation(operations, self, lp_collective_census_row(self->census, i));
    if (self->points != NULL)
        add_sweep(root, self);
    return root;
}

char *
lp_characterization_to_json_text(const LpCharacterization *self)
{
    g_autoptr(json_t) root = lp_characterization_to_json(self);
    return lp_json_print(root);
}
