/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of kernels' times, drawn from seeded distributions. */
#include "sim/actors/straggler.h"

#include <math.h>

struct LpStraggler {
    double factor, jitter, start_s, end_s;
    LpJitter distribution;
    GRand *generator; /* owned; NULL: nothing is drawn */
};

LpStraggler *
lp_straggler_new(const LpScenarioStraggler *straggler, const char *job, guint64 rank)
{
    LpStraggler *self = g_new0(LpStraggler, 1);
    self->factor = straggler->factor;
    self->jitter = straggler->jitter;
    self->distribution = straggler->distribution;
    self->start_s = straggler->start_s;
    self->end_s = straggler->end_s;
    guint32 seed[] = {straggler->seed, g_str_hash(job), (guint32)rank};
    if (self->distribution != LP_JITTER_NONE && self->jitter > 0.0)
        self->generator = g_rand_new_with_seed_array(seed, G_N_ELEMENTS(seed));
    return self;
}

void
lp_straggler_free(LpStraggler *self)
{
    if (self == NULL)
        return;
    g_clear_pointer(&self->generator, g_rand_free);
    g_free(self);
}

gboolean
lp_straggler_number(const LpStraggler *self, LpNumbering *numbering)
{
    lp_numbering_add_number(numbering, self->factor);
    lp_numbering_add_number(numbering, self->start_s);
    lp_numbering_add_number(numbering, self->end_s);
    return self->generator == NULL;
}

/* Box and Muller, A Note on the Generation of Random Normal Deviates (1958). */
static double
draw_normal(GRand *generator)
{
    double radius = sqrt(-2.0 * log(1.0 - g_rand_double(generator)));
    return radius * cos(2.0 * G_PI * g_rand_double(generator));
}

/* While it is slow. */
static double
draw_factor(const LpStraggler *self)
{
    double jitter = self->jitter;
    if (self->generator == NULL)
        return self->factor;
    switch (self->distribution) {
    case LP_JITTER_NORMAL:
        return self->factor * fmax(1.0 + jitter * draw_normal(self->generator), 0.0);
    case LP_JITTER_LOGNORMAL:
        return self->factor * exp(jitter * draw_normal(self->generator) - jitter * jitter / 2.0);
    case LP_JITTER_EXPONENTIAL:
        return self->factor * (1.0 - jitter * log(1.0 - g_rand_double(self->generator)));
    case LP_JITTER_NONE:
        break;
    }
    return self->factor;
}

/* Before and behind the time in which it is slow, kernels go on at their described speed. */
double
lp_straggler_draw(LpStraggler *self, double now_s, double device_s)
{
    double factor = draw_factor(self);
    double left_s = device_s - fmax(self->start_s - now_s, 0.0);
    double window_s = fmax(self->end_s - fmax(self->start_s, now_s), 0.0);
    double slow_s = factor * left_s <= window_s ? fmax(left_s, 0.0) : window_s / factor;
    return slow_s >= device_s ? factor : 1.0 + slow_s * (factor - 1.0) / device_s;
}

LpWork
lp_straggler_slow(LpWork work, double factor, double issue_s)
{
    double lead_s = fmin(fmax(work.bound_s - work.device_s, 0.0), issue_s);
    double device_s = factor * work.device_s;
    double bound_s = fmax(work.bound_s, device_s + lead_s);
    /* Faster kernels do not make the host faster; one that waits is done as much later. */
    double wait_s = fmax(work.wait_s, work.wait_s + device_s - work.device_s);
    return (LpWork){.device_s = device_s,
                    .host_s = work.host_s,
                    .issue_s = work.issue_s,
                    .bound_s = bound_s,
                    .idle_s = work.idle_s,
                    .wait_s = wait_s,
                    .waits = work.waits};
}
