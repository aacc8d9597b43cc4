/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of classes of flows with weights and caps: by the definition of max-min fairness, while
 * flows come and go and links change; several flows of a class, and several uses of a link, by
 * hand. */
#include "sim/analysis/max_min.h"

#include "tests/testlib.h"

#include <math.h>

/* Sums of as many shares as a link has flows. */
#define ROUNDING 1e-9
#define N_LINKS 12u
#define N_CLASSES 30u
#define USES_MAX 4
#define N_TURNS 200u

typedef struct {
    double bytes_per_s[N_LINKS];
    double cap[N_CLASSES];
    guint32 n_flows[N_CLASSES], n_uses[N_CLASSES];
    LpMaxMinUse uses[N_CLASSES][USES_MAX];
} Drawn;

/* How many classes are given a rate, and the first of them. */
static guint32
share_out(LpMaxMin *solver, guint32 *out_first)
{
    guint32 n;
    const guint32 *classes = lp_max_min_share_out(solver, &n);
    if (out_first != NULL && n > 0)
        *out_first = classes[0];
    return n;
}

/* --- the definition --- */

/* What the flows of all classes put on @link, and the fastest of them there. */
static double
load_of(const Drawn *self, const double *rates, guint32 link, double *out_fastest)
{
    double load = 0.0;
    *out_fastest = 0.0;
    for (guint32 i = 0; i < N_CLASSES; i++)
        for (guint32 k = 0; self->n_flows[i] > 0 && k < self->n_uses[i]; k++)
            if (self->uses[i][k].link == link) {
                load += rates[i] * self->uses[i][k].n * self->n_flows[i];
                *out_fastest = MAX(*out_fastest, rates[i]);
            }
    return load;
}

static gboolean
is_fair_on(const Drawn *self, const double *rates, guint32 class, guint32 link)
{
    double fastest, load = load_of(self, rates, link, &fastest);
    return load >= self->bytes_per_s[link] * (1.0 - ROUNDING) &&
           rates[class] >= fastest * (1.0 - ROUNDING);
}

/* No link carries more than it has; each class has its cap, or a full link on which none is faster,
 * which the solver names. */
static void
check_definition(const char *label, const Drawn *self, const LpMaxMin *solver, gboolean names)
{
    const double *rates = lp_max_min_rates(solver);
    gboolean feasible = TRUE, fair = TRUE, named = TRUE;
    for (guint32 link = 0; link < N_LINKS; link++) {
        double fastest, load = load_of(self, rates, link, &fastest);
        feasible = feasible && load <= self->bytes_per_s[link] * (1.0 + ROUNDING);
    }
    for (guint32 i = 0; i < N_CLASSES; i++) {
        if (self->n_flows[i] == 0)
            continue;
        gboolean is_held = rates[i] >= self->cap[i] * (1.0 - ROUNDING);
        for (guint32 k = 0; k < self->n_uses[i]; k++)
            is_held = is_held || is_fair_on(self, rates, i, self->uses[i][k].link);
        fair = fair && is_held && rates[i] <= self->cap[i] * (1.0 + ROUNDING);
        gint64 holder = lp_max_min_holder(solver, i);
        named = named && (holder < 0 ? rates[i] >= self->cap[i] * (1.0 - ROUNDING)
                                     : is_fair_on(self, rates, i, (guint32)holder));
    }
    lp_test_true(label, feasible);
    lp_test_true(label, fair);
    lp_test_true(label, named || !names);
}

/* --- draws --- */

static void
draw_class(GRand *rand, Drawn *self, LpMaxMin *solver, guint32 class)
{
    guint32 first = (guint32)g_rand_int_range(rand, 0, N_LINKS);
    self->n_uses[class] = (guint32)g_rand_int_range(rand, 1, USES_MAX + 1);
    self->cap[class] = g_rand_double_range(rand, 0.05, 2.0);
    for (guint32 k = 0; k < self->n_uses[class]; k++)
        self->uses[class][k] =
            (LpMaxMinUse){(first + k * 5) % N_LINKS, g_rand_int_range(rand, 1, 9) / 4.0};
    lp_max_min_set_uses(solver, class, self->uses[class], self->n_uses[class], self->cap[class]);
}

static void
change_flows(GRand *rand, Drawn *self, LpMaxMin *solver, gboolean repeats)
{
    guint32 class = (guint32)g_rand_int_range(rand, 0, N_CLASSES);
    if (self->n_flows[class] == 0 && !repeats)
        draw_class(rand, self, solver, class);
    if (self->n_flows[class] > 0 && g_rand_boolean(rand)) {
        lp_max_min_leave(solver, class);
        self->n_flows[class]--;
    } else {
        lp_max_min_enter(solver, class);
        self->n_flows[class]++;
    }
}

static void
change_link(GRand *rand, Drawn *self, LpMaxMin *solver)
{
    guint32 link = (guint32)g_rand_int_range(rand, 0, N_LINKS);
    self->bytes_per_s[link] = g_rand_double_range(rand, 0.1, 3.0);
    lp_max_min_set_capacity(solver, link, self->bytes_per_s[link]);
}

static void
check_drawn(const char *label, gboolean repeats)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autoptr(LpMaxMin) solver = lp_max_min_new(NULL, repeats);
    Drawn drawn = {.n_flows = {0}};
    for (guint32 link = 0; link < N_LINKS; link++) {
        drawn.bytes_per_s[link] = g_rand_double_range(rand, 0.1, 3.0);
        (void)lp_max_min_add_link(solver, link, drawn.bytes_per_s[link]);
    }
    for (guint32 i = 0; i < N_CLASSES; i++)
        draw_class(rand, &drawn, solver, lp_max_min_add_class(solver));
    for (guint turn = 0; turn < N_TURNS; turn++) {
        for (guint k = 0; k < 1 + turn % 4; k++)
            change_flows(rand, &drawn, solver, repeats);
        if (!repeats && turn % 8 == 7)
            change_link(rand, &drawn, solver);
        (void)share_out(solver, NULL);
        check_definition(label, &drawn, solver, !repeats);
        lp_test_true("no change", share_out(solver, NULL) == 0);
    }
}

static void
test_drawn(void)
{
    check_drawn("what a change reaches", FALSE);
    check_drawn("rates that are kept", TRUE);
}

/* --- by hand --- */

static void
test_by_hand(void)
{
    static const struct {
        const char *label;
        double n[2];        /* how often classes cross a link of 12 */
        guint32 n_flows[2]; /* of each */
        double cap, rates[2];
    } rows[] = {{"half each", {1, 1}, {1, 1}, INFINITY, {6, 6}},
                {"three of a class, and one", {1, 1}, {3, 1}, INFINITY, {3, 3}},
                {"one crosses it three times", {3, 1}, {1, 1}, INFINITY, {3, 3}},
                {"half of its bytes cross it", {0.5, 1}, {1, 1}, INFINITY, {8, 8}},
                {"a cap leaves the rest", {1, 1}, {2, 1}, 1.5, {1.5, 9}}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpMaxMin) solver = lp_max_min_new(NULL, FALSE);
        guint32 link = lp_max_min_add_link(solver, 5, 12.0);
        for (guint32 class = 0; class < 2; class ++) {
            LpMaxMinUse use = {link, rows[i].n[class]};
            (void)lp_max_min_add_class(solver);
            lp_max_min_set_uses(solver, class, &use, 1, class == 0 ? rows[i].cap : INFINITY);
            for (guint32 k = 0; k < rows[i].n_flows[class]; k++)
                lp_max_min_enter(solver, class);
        }
        lp_test_true(rows[i].label, share_out(solver, NULL) == 2);
        for (guint32 class = 0; class < 2; class ++)
            lp_test_close(rows[i].label, lp_max_min_rates(solver)[class], rows[i].rates[class],
                          1e-12);
        lp_test_true("the holder is the link", lp_max_min_holder(solver, 1) == link &&
                                                   lp_max_min_link_index(solver, link) == 5);
        lp_test_true("or the cap",
                     lp_max_min_holder(solver, 0) == (isfinite(rows[i].cap) ? -1 : (gint64)link));
    }
}

/* Classes that no change reaches keep their rate, and are not named. */
static void
test_reach(void)
{
    g_autoptr(LpMaxMin) solver = lp_max_min_new(NULL, FALSE);
    for (guint32 i = 0; i < 3; i++) {
        (void)lp_max_min_add_link(solver, i, 1.0);
        (void)lp_max_min_add_class(solver);
    }
    LpMaxMinUse uses[] = {{0, 1.0}, {1, 1.0}, {2, 1.0}};
    lp_max_min_set_uses(solver, 0, &uses[0], 2, INFINITY); /* links 0 and 1 */
    lp_max_min_set_uses(solver, 1, &uses[1], 1, INFINITY); /* link 1 */
    lp_max_min_set_uses(solver, 2, &uses[2], 1, INFINITY); /* link 2 */
    for (guint32 class = 0; class < 3; class ++)
        lp_max_min_enter(solver, class);
    lp_test_true("all", share_out(solver, NULL) == 3);
    lp_max_min_leave(solver, 0);
    guint32 first = 0;
    lp_test_true("who shared a link with it", share_out(solver, &first) == 1 && first == 1);
    lp_test_close("has it alone", lp_max_min_rates(solver)[1], 1.0, 1e-12);
    lp_max_min_set_capacity(solver, 2, 0.25);
    lp_test_true("whose link changes", share_out(solver, &first) == 1 && first == 2);
    lp_test_close("has what it has", lp_max_min_rates(solver)[2], 0.25, 1e-12);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"drawn", test_drawn}, {"by hand", test_by_hand}, {"reach", test_reach}, {NULL, NULL}};
    return lp_test_run("max-min", cases);
}
