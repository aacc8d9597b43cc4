/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a merged delay, followed by hand. */
#include "sim/actors/piece_run.h"

#include "tests/testlib.h"

#include <string.h>

/* Sums of a few decimal fractions. */
#define ROUNDING 1e-12

/* A rank, and what its streams have under way. */
typedef struct {
    LpClock clock;
    LpOverlapMeter meter;
    GArray *under_way[LP_N_STREAMS];
    LpPieceRun run;
} Rank;

static void
rank_init(Rank *self, double slowdown)
{
    memset(self, 0, sizeof *self);
    self->meter.path = &self->clock.overlap;
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        self->under_way[stream] = g_array_new(FALSE, FALSE, sizeof(double));
    self->run = (LpPieceRun){.clock = &self->clock,
                             .meter = &self->meter,
                             .under_way = self->under_way,
                             .slowdown = slowdown};
}

static void
rank_clear(Rank *self)
{
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++)
        g_array_unref(self->under_way[stream]);
}

static LpPiece
work(double device_s, double host_s)
{
    return (LpPiece){.kind = LP_PIECE_WORK,
                     .work = {.device_s = device_s, .host_s = host_s, .issue_s = host_s},
                     .terms.s = {[LP_TERM_COMPUTE] = device_s}};
}

static LpPiece
launch(LpStream stream, double time_s, double host_s)
{
    return (LpPiece){
        .kind = LP_PIECE_LAUNCH, .work.host_s = host_s, .time_s = time_s, .stream = stream};
}

static LpPiece
join(LpStream stream, guint n_pending)
{
    return (LpPiece){
        .kind = LP_PIECE_JOIN, .term = LP_TERM_DP, .stream = stream, .n_pending = n_pending};
}

static void
go_through(Rank *rank, const LpPiece *pieces, guint n)
{
    for (guint i = 0; i < n; i++)
        lp_piece_run(&rank->run, &pieces[i]);
    double sum_s = 0.0;
    for (LpTerm term = 0; term < LP_N_TERMS; term++)
        sum_s += rank->clock.terms.s[term];
    lp_test_close("terms sum to the clock", sum_s, rank->clock.at_s, ROUNDING);
}

/* Computing for 2 s and then for 1 s beside a collective of 5 s on a stream of its own, with one of
 * 3 s behind it: they end at 7 and 10. */
static void
test_rows(void)
{
    static const struct {
        const char *label;
        guint n_pending;
        double wanted_s, exposed_s;
        guint n_left;
    } rows[] = {{"all are waited for", 0, 10.0, 7.0, 0},
                {"all but the last", 1, 7.0, 4.0, 1},
                {"none", 2, 3.0, 0.0, 2},
                {"more may be left than there are", 3, 3.0, 0.0, 2}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Rank rank;
        rank_init(&rank, 1.0);
        LpPiece pieces[] = {work(2.0, 0.0), launch(LP_STREAM_DP, 5.0, 0.0),
                            launch(LP_STREAM_DP, 3.0, 0.0), work(1.0, 0.0),
                            join(LP_STREAM_DP, rows[i].n_pending)};
        go_through(&rank, pieces, G_N_ELEMENTS(pieces));
        lp_test_close(rows[i].label, rank.clock.at_s, rows[i].wanted_s, ROUNDING);
        lp_test_close(rows[i].label, rank.clock.terms.s[LP_TERM_DP], rows[i].exposed_s, ROUNDING);
        lp_test_close(rows[i].label, rank.clock.overlap.exposed_s, rows[i].exposed_s, ROUNDING);
        lp_test_close(rows[i].label, rank.clock.overlap.in_flight_s, 8.0, ROUNDING);
        lp_test_close(rows[i].label, rank.clock.overlap.inner_s, 0.0, 0.0);
        lp_test_true(rows[i].label, rank.under_way[LP_STREAM_DP]->len == rows[i].n_left);
        rank_clear(&rank);
    }
}

/* Streams do not wait for each other, and what has ended is not waited for. */
static void
test_streams(void)
{
    Rank rank;
    rank_init(&rank, 1.0);
    LpPiece pieces[] = {launch(LP_STREAM_DP, 4.0, 0.0), launch(LP_STREAM_LAYER, 1.0, 0.0),
                        work(2.0, 0.0), join(LP_STREAM_LAYER, 0)};
    go_through(&rank, pieces, G_N_ELEMENTS(pieces));
    lp_test_close("what has ended", rank.clock.at_s, 2.0, ROUNDING);
    lp_test_close("of layers", rank.clock.overlap.inner_s, 1.0, ROUNDING);
    LpPiece last = join(LP_STREAM_DP, 0);
    go_through(&rank, &last, 1);
    lp_test_close("the other stream", rank.clock.at_s, 4.0, ROUNDING);
    lp_test_close("exposed", rank.clock.overlap.exposed_s, 2.0, ROUNDING);
    rank_clear(&rank);
}

/* While something is under way computing takes twice as long: of 3 s beside a collective of 4 s,
 * 2 s are done when it ends, and 1 s is left. Beside one of 100 s all take twice as long. */
static void
test_slowdown(void)
{
    static const struct {
        const char *label;
        double beside_s, slowdown, wanted_s;
    } rows[] = {{"to its end", 4.0, 2.0, 5.0},
                {"all the time", 100.0, 2.0, 6.0},
                {"by a quarter", 2.5, 1.25, 3.5},
                {"not at all", 4.0, 1.0, 3.0}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Rank rank;
        rank_init(&rank, rows[i].slowdown);
        LpPiece pieces[] = {launch(LP_STREAM_DP, rows[i].beside_s, 0.0), work(3.0, 0.0)};
        go_through(&rank, pieces, G_N_ELEMENTS(pieces));
        lp_test_close(rows[i].label, rank.clock.at_s, rows[i].wanted_s, ROUNDING);
        lp_test_close(rows[i].label, rank.clock.overlap.slowed_s, rows[i].wanted_s - 3.0, ROUNDING);
        rank_clear(&rank);
    }
}

/* A host that takes turns adds all that it does; a launch waits until the host is ready, and what
 * launching costs delays what is launched next. */
static void
test_host(void)
{
    Rank rank;
    rank_init(&rank, 1.0);
    rank.run.is_host_synchronous = TRUE;
    LpPiece turn = work(2.0, 0.5);
    go_through(&rank, &turn, 1);
    lp_test_close("turns", rank.clock.at_s, 2.5, ROUNDING);
    lp_test_close("as host", rank.clock.terms.s[LP_TERM_HOST], 0.5, ROUNDING);
    lp_test_close("the host's end", rank.run.host_s, 0.5, ROUNDING);
    rank_clear(&rank);

    rank_init(&rank, 1.0);
    rank.run.host_s = 1.0;
    LpPiece pieces[] = {launch(LP_STREAM_DP, 5.0, 0.25), launch(LP_STREAM_LAYER, 1.0, 0.25)};
    go_through(&rank, pieces, G_N_ELEMENTS(pieces));
    lp_test_close("when the host is ready", rank.clock.at_s, 1.25, ROUNDING);
    lp_test_close("the first", g_array_index(rank.under_way[LP_STREAM_DP], double, 0), 6.0,
                  ROUNDING);
    lp_test_close("the second", g_array_index(rank.under_way[LP_STREAM_LAYER], double, 0), 2.25,
                  ROUNDING);
    lp_test_close("then", rank.run.host_s, 1.5, ROUNDING);
    rank_clear(&rank);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"rows of collectives", test_rows},
                                       {"streams", test_streams},
                                       {"slowdown", test_slowdown},
                                       {"host", test_host},
                                       {NULL, NULL}};
    return lp_test_run("pieces", cases);
}
