/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a machine are out, and when they will be back. */
#include "sim/days/outages.h"

#include <math.h>

/* A part that is out. */
typedef struct {
    double back_s;
    LpGoodputPart part;
    guint64 index;
} Repair;

struct LpOutages {
    const LpFleet *fleet;  /* borrowed */
    GRand *generator;      /* borrowed */
    guint64 n[LP_N_PARTS]; /* of the whole machine; not of LP_EFFECT_JOB */
    guint64 n_out[LP_N_PARTS];
    guint8 *is_out[LP_N_PARTS]; /* owned */
    guint32 *block_out;         /* owned: parts of each block that are out */
    guint64 machine_out;
    GArray *repairs; /* owned: Repair, a heap by back_s, the soonest first */
};

static double
draw_exponential(GRand *generator, double mean_s)
{
    return -mean_s * log(1.0 - g_rand_double(generator));
}

/* --- the heap --- */

static Repair *
repair_at(const LpOutages *self, guint i)
{
    return &g_array_index(self->repairs, Repair, i);
}

static void
swap(LpOutages *self, guint i, guint j)
{
    Repair kept = *repair_at(self, i);
    *repair_at(self, i) = *repair_at(self, j);
    *repair_at(self, j) = kept;
}

static void
push(LpOutages *self, Repair repair)
{
    guint i = self->repairs->len;
    g_array_append_val(self->repairs, repair);
    for (; i > 0 && repair_at(self, i)->back_s < repair_at(self, (i - 1) / 2)->back_s;
         i = (i - 1) / 2)
        swap(self, i, (i - 1) / 2);
}

static Repair
pop(LpOutages *self)
{
    Repair first = *repair_at(self, 0);
    guint n = self->repairs->len - 1;
    swap(self, 0, n);
    g_array_set_size(self->repairs, n);
    for (guint i = 0, child = 1; child < n; i = child, child = 2 * i + 1) {
        if (child + 1 < n && repair_at(self, child + 1)->back_s < repair_at(self, child)->back_s)
            child++;
        if (repair_at(self, i)->back_s <= repair_at(self, child)->back_s)
            break;
        swap(self, i, child);
    }
    return first;
}

/* --- parts --- */

static void
set_out(LpOutages *self, LpGoodputPart part, guint64 index, gboolean is_out)
{
    const LpFailingParts *parts = &self->fleet->parts[part];
    self->is_out[part][index] = is_out ? 1 : 0;
    self->n_out[part] += is_out ? 1 : G_MAXUINT64;
    if (parts->effect == LP_EFFECT_MACHINE)
        self->machine_out += is_out ? 1 : G_MAXUINT64;
    if (parts->effect == LP_EFFECT_BLOCK)
        self->block_out[index / parts->count] += is_out ? 1 : G_MAXUINT32;
}

static void
take_out(LpOutages *self, LpGoodputPart part, guint64 index, double now_s)
{
    double repair_s = self->fleet->parts[part].repair_s;
    set_out(self, part, index, TRUE);
    push(self, (Repair){now_s + draw_exponential(self->generator, repair_s), part, index});
}

/* Draws the parts that are out at the start. From one of these to the next the parts are up, so
 * that the distance has a geometric distribution. */
static void
draw_start(LpOutages *self, LpGoodputPart part)
{
    const LpFailingParts *parts = &self->fleet->parts[part];
    double out = parts->repair_s / (parts->mtbf_s + parts->repair_s);
    if (isinf(parts->mtbf_s) || out <= 0.0)
        return;
    for (double at = 0.0;; at += 1.0) {
        at += floor(log(1.0 - g_rand_double(self->generator)) / log1p(-out));
        if (!(at < (double)self->n[part]))
            return;
        take_out(self, part, (guint64)at, 0.0);
    }
}

LpOutages *
lp_outages_new(const LpFleet *fleet, GRand *generator)
{
    LpOutages *self = g_new0(LpOutages, 1);
    self->fleet = fleet;
    self->generator = generator;
    self->repairs = g_array_new(FALSE, FALSE, sizeof(Repair));
    self->block_out = g_new0(guint32, fleet->n_blocks);
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++) {
        const LpFailingParts *parts = &fleet->parts[part];
        if (parts->effect == LP_EFFECT_JOB)
            continue;
        self->n[part] = parts->count * (parts->effect == LP_EFFECT_BLOCK ? fleet->n_blocks : 1);
        self->is_out[part] = g_new0(guint8, self->n[part]);
        draw_start(self, part);
    }
    return self;
}

void
lp_outages_free(LpOutages *self)
{
    if (self == NULL)
        return;
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++)
        g_free(self->is_out[part]);
    g_free(self->block_out);
    g_array_unref(self->repairs);
    g_free(self);
}

/* Failures a second of the parts of a kind that are up. */
static double
rate_of(const LpOutages *self, LpGoodputPart part, guint64 n_jobs)
{
    const LpFailingParts *parts = &self->fleet->parts[part];
    guint64 n_up =
        parts->effect == LP_EFFECT_JOB ? parts->count * n_jobs : self->n[part] - self->n_out[part];
    return (double)n_up / parts->mtbf_s;
}

static double
rate(const LpOutages *self, guint64 n_jobs)
{
    double sum = 0.0;
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++)
        sum += rate_of(self, part, n_jobs);
    return sum;
}

double
lp_outages_draw_failure_s(LpOutages *self, double now_s, guint64 n_jobs)
{
    double all = rate(self, n_jobs);
    return all > 0.0 ? now_s + draw_exponential(self->generator, 1.0 / all) : (double)INFINITY;
}

double
lp_outages_next_repair_s(const LpOutages *self)
{
    return self->repairs->len > 0 ? repair_at(self, 0)->back_s : (double)INFINITY;
}

/* Each kind with the probability of its share in the rate. */
static LpGoodputPart
draw_part(LpOutages *self, guint64 n_jobs)
{
    double at = g_rand_double(self->generator) * rate(self, n_jobs);
    LpGoodputPart last = 0;
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++) {
        double share = rate_of(self, part, n_jobs);
        if (share > 0.0)
            last = part;
        if (at < share)
            return part;
        at -= share;
    }
    return last; /* rounding */
}

guint64
lp_outages_draw_place(GRand *generator, guint64 n)
{
    guint64 place = (guint64)(g_rand_double(generator) * (double)n);
    return place < n ? place : n - 1;
}

/* The part at @place among those that are up. */
static guint64
find_up(const LpOutages *self, LpGoodputPart part, guint64 place)
{
    guint64 index = 0;
    for (;; index++)
        if (!self->is_out[part][index] && place-- == 0)
            return index;
}

/* One of those that are up. Where most are, drawing again is quicker than looking. */
static guint64
draw_index(LpOutages *self, LpGoodputPart part)
{
    guint64 n = self->n[part], n_up = n - self->n_out[part];
    if (n_up * 2 < n)
        return find_up(self, part, lp_outages_draw_place(self->generator, n_up));
    for (;;) {
        guint64 index = lp_outages_draw_place(self->generator, n);
        if (!self->is_out[part][index])
            return index;
    }
}

LpOutage
lp_outages_fail(LpOutages *self, double now_s, guint64 n_jobs)
{
    LpOutage outage = {now_s, draw_part(self, n_jobs), 0};
    const LpFailingParts *parts = &self->fleet->parts[outage.part];
    if (parts->effect == LP_EFFECT_JOB)
        return outage;
    guint64 index = draw_index(self, outage.part);
    if (parts->repair_s > 0.0)
        take_out(self, outage.part, index, now_s);
    outage.block = parts->effect == LP_EFFECT_BLOCK ? index / parts->count : 0;
    return outage;
}

void
lp_outages_repair(LpOutages *self)
{
    Repair repair = pop(self);
    set_out(self, repair.part, repair.index, FALSE);
}

gboolean
lp_outages_is_block_up(const LpOutages *self, guint64 block)
{
    return self->block_out[block] == 0;
}

gboolean
lp_outages_is_machine_up(const LpOutages *self)
{
    return self->machine_out == 0;
}

double
lp_outages_speed(const LpOutages *self)
{
    double speed = 1.0;
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++)
        if (self->fleet->parts[part].effect == LP_EFFECT_SLOW && self->n_out[part] > 0)
            speed *= pow(self->fleet->parts[part].slowdown, -(double)self->n_out[part]);
    return speed;
}
