/* SPDX-License-Identifier: Apache-2.0 */
/* Work, launches and joins that one delay stands for. */
#include "sim/actors/piece_run.h"

static double
last_end_s(const LpPieceRun *self, LpStream stream)
{
    const GArray *ends = self->under_way[stream];
    return ends == NULL || ends->len == 0 ? 0.0 : g_array_index(ends, double, ends->len - 1);
}

static double
last_end_of_all_s(const LpPieceRun *self)
{
    double end_s = 0.0;
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        end_s = MAX(end_s, last_end_s(self, stream));
    return end_s;
}

/* Longer by the factor for as long as communication is under way. */
static void
run_work(LpPieceRun *self, const LpPiece *piece)
{
    double slowdown = self->slowdown, now_s = self->clock->at_s;
    double waited_s =
        lp_work_waited_s(&piece->work, self->host_s, now_s, self->is_host_synchronous);
    double duration_s = piece->work.device_s + waited_s;
    double beside_s = MIN(MAX(last_end_of_all_s(self) - now_s, 0.0), duration_s * slowdown);
    double slowed_s = beside_s - beside_s / slowdown;
    self->host_s = lp_work_host_end_s(&piece->work, self->host_s, now_s);
    lp_clock_spend_work(self->clock, &piece->terms, 1.0, waited_s, slowed_s);
    self->clock->at_s = now_s + duration_s + slowed_s;
    lp_overlap_meter_add_slowed(self->meter, slowed_s);
}

static void
run_launch(LpPieceRun *self, const LpPiece *piece)
{
    lp_clock_charge(self->clock, LP_TERM_HOST, MAX(self->host_s, self->clock->at_s));
    self->host_s += piece->work.host_s;
    double end_s = MAX(last_end_s(self, piece->stream), self->clock->at_s) + piece->time_s;
    g_array_append_val(self->under_way[piece->stream], end_s);
    lp_overlap_meter_add_flight(self->meter, 0.0, piece->time_s);
    self->meter->path->inner_s += lp_stream_is_inner(piece->stream) ? piece->time_s : 0.0;
}

/* What is waited for is exposed: the meter counts only what was under way while it was. */
static void
run_join(LpPieceRun *self, const LpPiece *piece)
{
    double start_s = self->clock->at_s;
    GArray *ends = self->under_way[piece->stream];
    if (ends->len <= piece->n_pending)
        return;
    guint n_ended = ends->len - piece->n_pending;
    double end_s = g_array_index(ends, double, n_ended - 1);
    g_array_remove_range(ends, 0, n_ended);
    if (end_s <= start_s)
        return;
    lp_clock_charge(self->clock, piece->term, end_s);
    lp_overlap_meter_add_exposed(self->meter, end_s - start_s);
}

void
lp_piece_run(LpPieceRun *self, const LpPiece *piece)
{
    switch (piece->kind) {
    case LP_PIECE_WORK:
        run_work(self, piece);
        return;
    case LP_PIECE_LAUNCH:
        run_launch(self, piece);
        return;
    case LP_PIECE_JOIN:
        run_join(self, piece);
        return;
    }
}
