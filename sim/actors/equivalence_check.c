/* SPDX-License-Identifier: Apache-2.0 */
/* Marks ways that were not held by when they were not. */
#include "sim/actors/equivalence_check.h"

#include <string.h>

/* After the first way that is not held what follows may differ from the run; for as long as it is
 * little it mostly does not, and shows what else has to be told apart. */
#define FACTOR 1.2
#define N_FLOWS_MORE 1000

struct LpEquivalenceCheck {
    const LpLinkSets *ways; /* borrowed */
    gboolean gives_up;
    guint32 *marks;      /* owned, by way */
    guint64 n_flows;     /* that have begun */
    guint64 n_flows_max; /* when what follows is of no use */
};

LpEquivalenceCheck *
lp_equivalence_check_new(const LpLinkSets *ways, gboolean gives_up)
{
    LpEquivalenceCheck *self = g_new0(LpEquivalenceCheck, 1);
    self->ways = ways;
    self->gives_up = gives_up;
    self->marks = g_new0(guint32, MAX(ways->n, 1));
    self->n_flows_max = G_MAXUINT64;
    return self;
}

void
lp_equivalence_check_free(LpEquivalenceCheck *self)
{
    if (self == NULL)
        return;
    g_free(self->marks);
    g_free(self);
}

void
lp_equivalence_check_begin(LpEquivalenceCheck *self)
{
    self->n_flows++;
}

static gboolean
is_past_use(const LpEquivalenceCheck *self)
{
    return self->n_flows > self->n_flows_max;
}

/* Mixes bits as splitmix64's finaliser does (Steele, Lea and Flood, OOPSLA 2014); never 0. */
static guint32
next_mark(guint32 mark, double now_s)
{
    guint64 bits;
    memcpy(&bits, &now_s, sizeof bits);
    bits += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) * (mark + G_GUINT64_CONSTANT(1));
    bits = (bits ^ (bits >> 30)) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
    return (guint32)(bits ^ (bits >> 31)) | 1u;
}

static void
mark(LpEquivalenceCheck *self, guint32 way, double now_s)
{
    if (self->n_flows_max == G_MAXUINT64)
        self->n_flows_max = (guint64)(FACTOR * (double)self->n_flows) + N_FLOWS_MORE;
    if (!is_past_use(self))
        self->marks[way] = next_mark(self->marks[way], now_s);
}

static gboolean
is_held(const LpLinkSets *ways, guint32 way, LpHoldsBack holds_back, gconstpointer data)
{
    for (guint32 i = ways->first_link[way]; i < ways->first_link[way + 1]; i++)
        if (holds_back(data, ways->links[i]))
            return TRUE;
    return FALSE;
}

void
lp_equivalence_check_rate(LpEquivalenceCheck *self, guint32 flow_class, LpHoldsBack holds_back,
                          gconstpointer data, double now_s)
{
    for (guint32 way = self->ways->first[flow_class]; way < self->ways->first[flow_class + 1];
         way++)
        if (!is_held(self->ways, way, holds_back, data))
            mark(self, way, now_s);
}

gboolean
lp_equivalence_check_is_over(const LpEquivalenceCheck *self)
{
    return self != NULL && self->gives_up && is_past_use(self);
}

gboolean
lp_equivalence_check_has_failed(const LpEquivalenceCheck *self)
{
    return self != NULL && self->n_flows_max != G_MAXUINT64;
}

const guint32 *
lp_equivalence_check_marks(const LpEquivalenceCheck *self)
{
    return self->marks;
}
