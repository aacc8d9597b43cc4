/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes from a member to a partner change at few steps: where pipes begin and end, and where
 * their chunks become a byte smaller. Between these steps they are looked up by bisection, however
 * many pipes there are. Each member's list is made when it is first asked for. */
#include "sim/collectives/step_pipes.h"

#include "sim/collectives/algorithm.h"

#include <stdlib.h>

/* A partner in a lane. */
typedef struct {
    guint64 to;
    guint lane;
    guint first, n; /* its changes */
} Way;

/* From @step on the pipes to a partner carry @bytes a step. */
typedef struct {
    guint64 step, bytes; /* at first: more, or less, than before; modulo 2^64 */
    guint32 way;
    gboolean opens; /* a pipe begins */
} Change;

typedef struct {
    GArray *ways;    /* owned: Way; NULL: not asked for yet */
    GArray *changes; /* owned: Change, way after way, by step */
} Member;

struct LpStepPipes {
    LpStepSchedule schedule;
    Member *members; /* owned */
};

LpStepPipes *
lp_step_pipes_new(const LpStepSchedule *schedule)
{
    if (lp_step_schedule_class(schedule)->add_pipes == NULL)
        return NULL;
    LpStepPipes *self = g_new0(LpStepPipes, 1);
    self->schedule = *schedule;
    self->members = g_new0(Member, lp_step_schedule_n_participants(schedule));
    return self;
}

void
lp_step_pipes_free(LpStepPipes *self)
{
    if (self == NULL)
        return;
    for (guint64 i = 0; i < lp_step_schedule_n_participants(&self->schedule); i++) {
        g_clear_pointer(&self->members[i].ways, g_array_unref);
        g_clear_pointer(&self->members[i].changes, g_array_unref);
    }
    g_free(self->members);
    g_free(self);
}

/* --- what changes --- */

static const Way *
way_at(const Member *self, guint index)
{
    return &g_array_index(self->ways, Way, index);
}

static const Change *
change_at(const Member *self, guint index)
{
    return &g_array_index(self->changes, Change, index);
}

static guint
way_to(const Member *self, guint64 to, guint lane)
{
    for (guint i = self->ways->len; i-- > 0;)
        if (way_at(self, i)->to == to && way_at(self, i)->lane == lane)
            return i;
    return self->ways->len;
}

static void
add_pipe(Member *self, const LpStepPipe *pipe)
{
    guint32 way = way_to(self, pipe->to, pipe->lane);
    if (way == self->ways->len)
        g_array_append_vals(self->ways, &(Way){.to = pipe->to, .lane = pipe->lane}, 1);
    const LpBlocks *chunks = &pipe->chunks;
    const Change changes[] = {
        {pipe->first_step, chunks->quotient + 1, way, TRUE},
        {pipe->first_step + chunks->remainder, G_MAXUINT64, way, FALSE},
        {pipe->first_step + chunks->n, -chunks->quotient, way, FALSE},
    };
    g_array_append_vals(self->changes, changes, G_N_ELEMENTS(changes));
}

static int
compare(const void *a, const void *b)
{
    const Change *one = a, *other = b;
    if (one->way != other->way)
        return one->way < other->way ? -1 : 1;
    return one->step < other->step ? -1 : one->step > other->step ? 1 : 0;
}

/* Sums up, one change for each step at which there are some. */
static void
put_in_order(Member *self)
{
    GArray *changes = self->changes;
    guint n = 0;
    qsort(changes->data, changes->len, sizeof(Change), compare);
    for (guint i = 0; i < changes->len; i++) {
        Change next = *change_at(self, i);
        Way *way = &g_array_index(self->ways, Way, next.way);
        Change *last = way->n > 0 ? &g_array_index(changes, Change, n - 1) : NULL;
        if (last != NULL && last->step == next.step) {
            last->bytes += next.bytes;
            last->opens = last->opens || next.opens;
            continue;
        }
        next.bytes += last != NULL ? last->bytes : 0;
        way->first = way->n++ > 0 ? way->first : n;
        g_array_index(changes, Change, n++) = next;
    }
    g_array_set_size(changes, n);
}

static const Member *
member_at(LpStepPipes *self, guint64 index)
{
    Member *member = &self->members[index];
    if (member->ways != NULL)
        return member;
    g_autoptr(GArray) pipes = g_array_new(FALSE, FALSE, sizeof(LpStepPipe));
    lp_step_schedule_class(&self->schedule)->add_pipes(&self->schedule, index, pipes);
    member->ways = g_array_new(FALSE, FALSE, sizeof(Way));
    member->changes = g_array_new(FALSE, FALSE, sizeof(Change));
    for (guint i = 0; i < pipes->len; i++)
        add_pipe(member, &g_array_index(pipes, LpStepPipe, i));
    put_in_order(member);
    return member;
}

/* The last change of @way up to @step; NULL: there is none. */
static const Change *
change_before(const Member *self, const Way *way, guint64 step)
{
    guint low = way->first, high = way->first + way->n;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (change_at(self, middle)->step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low > way->first ? change_at(self, low - 1) : NULL;
}

/* --- sends --- */

guint64
lp_step_pipes_sends(LpStepPipes *self, guint64 member, guint64 step, LpSend *out_sends)
{
    const Member *own = member_at(self, member);
    guint64 n = 0;
    for (guint i = 0; i < own->ways->len; i++) {
        const Way *way = way_at(own, i);
        const Change *change = change_before(own, way, step);
        if (change != NULL && change->bytes > 0)
            out_sends[n++] = (LpSend){way->to, change->bytes, way->lane};
    }
    return n;
}

gboolean
lp_step_pipes_opens(LpStepPipes *self, guint64 member, guint64 step, const LpSend *send)
{
    const Member *own = member_at(self, member);
    guint way = way_to(own, send->to, send->lane);
    if (way == own->ways->len)
        return FALSE;
    const Change *change = change_before(own, way_at(own, way), step);
    return change != NULL && change->step == step && change->opens;
}
