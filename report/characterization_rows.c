/* SPDX-License-Identifier: Apache-2.0 */
/* Times of calls become rates; sizes become bins. */
#include "report/characterization_rows.h"

static double
segment_row_s(const LpCharacterization *self, const LpCensusRow *row, const LpSegment *segment)
{
    double sum_s = 0.0;
    for (guint i = segment->first_op; i < segment->first_op + segment->n_ops; i++)
        if (lp_collective_census_row_has(row, lp_program_op(self->program, i)))
            sum_s += lp_call_times_mean_s(self->times, i);
    return sum_s;
}

double
lp_characterization_row_s(const LpCharacterization *self, const LpCensusRow *row)
{
    double sum_s = 0.0;
    if (self->times == NULL)
        return 0.0;
    if (row->group == LP_N_GROUPS)
        return (double)row->n_calls * lp_call_times_message_s(self->times);
    for (guint i = 0; i < self->program->segments->len; i++) {
        const LpSegment *segment = lp_program_segment(self->program, i);
        if (segment->stage == row->stage && self->census->n_runs[i] > 0)
            sum_s += (double)self->census->n_runs[i] * segment_row_s(self, row, segment);
    }
    return sum_s;
}

LpRowRates
lp_characterization_rates(const LpCharacterization *self, const LpCensusRow *row)
{
    double time_s = lp_characterization_row_s(self, row);
    return (LpRowRates){
        .time_s = time_s,
        .share = self->simulation == NULL ? 0.0 : time_s / self->simulation->run.iteration_time_s,
        .algorithmic_bytes_per_s = time_s > 0.0 ? (double)row->buffer_bytes / time_s : 0.0,
        .bus_bytes_per_s = time_s > 0.0 ? row->sent_bytes / time_s : 0.0};
}

const char *
lp_characterization_group(const LpCensusRow *row)
{
    return row->group == LP_N_GROUPS ? "pipeline" : lp_group_traits(row->group)->name;
}

LpTerm
lp_characterization_term(LpTraffic traffic)
{
    static const LpTerm terms[] = {
        [LP_TRAFFIC_TP] = LP_TERM_TP, [LP_TRAFFIC_PP] = LP_TERM_PP,
        [LP_TRAFFIC_DP] = LP_TERM_DP, [LP_TRAFFIC_EP] = LP_TERM_EP,
        [LP_TRAFFIC_CP] = LP_TERM_CP, [LP_TRAFFIC_EMBEDDING] = LP_N_TERMS,
    };
    return terms[traffic];
}

LpTrafficSum
lp_characterization_sum(const LpCharacterization *self, LpTraffic traffic)
{
    LpTrafficSum sum = {0};
    for (guint i = 0; i < self->census->rows->len; i++) {
        const LpCensusRow *row = lp_collective_census_row(self->census, i);
        if (row->traffic != traffic)
            continue;
        sum.n_calls += row->n_calls;
        sum.sent_bytes += row->sent_bytes;
        sum.all_bytes += row->all_sent_bytes;
        sum.time_s += lp_characterization_row_s(self, row);
    }
    return sum;
}

GArray *
lp_characterization_bins(const LpCensusRow *row)
{
    GArray *bins = g_array_new(FALSE, FALSE, sizeof(LpSizeBin));
    for (guint i = 0; i < row->sizes->len; i++) {
        LpCensusSize size = g_array_index(row->sizes, LpCensusSize, i);
        guint64 from = G_GUINT64_CONSTANT(1) << (g_bit_storage(size.bytes) - 1);
        LpSizeBin *last = bins->len == 0 ? NULL : &g_array_index(bins, LpSizeBin, bins->len - 1);
        if (last == NULL || last->from_bytes != from) {
            LpSizeBin made = {.from_bytes = from};
            g_array_append_val(bins, made);
            last = &g_array_index(bins, LpSizeBin, bins->len - 1);
        }
        last->n_calls += size.n_calls;
        last->bytes += size.bytes * size.n_calls;
    }
    return bins;
}

void
lp_sweep_point_fill(LpSweepPoint *self, const LpWorkload *workload,
                    const LpCollectiveCensus *census, const LpMachine *machine,
                    const LpRunResult *run)
{
    self->parameters = lp_transformer_parameters(&workload->transformer);
    self->n_tokens = lp_figures_n_tokens(workload);
    for (guint i = 0; i < census->rows->len; i++) {
        const LpCensusRow *row = lp_collective_census_row(census, i);
        const GArray *sizes = row->sizes;
        self->all_bytes[row->traffic] += (double)row->all_sent_bytes;
        self->largest_bytes = MAX(self->largest_bytes,
                                  (double)g_array_index(sizes, LpCensusSize, sizes->len - 1).bytes);
    }
    if (run == NULL)
        return;
    self->figures = lp_figures(workload, machine, run->iteration_time_s);
    self->terms = run->terms;
}
