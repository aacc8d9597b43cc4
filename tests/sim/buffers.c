/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that wait until their receiver comes to their step. */
#include "tests/sim/buffers.h"

#include <math.h>
#include <string.h>

/* --- what is in the buffers --- */

/* Members' values, and noise, which is no member's. */
static guint32
mixed(guint64 member, guint64 byte)
{
    guint64 x = member * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + byte + 1;
    x ^= x >> 31;
    x *= G_GUINT64_CONSTANT(0xd6e8feb86659fd93);
    return (guint32)(x >> 32);
}

static guint64
members(const LpBuffers *self)
{
    return self->schedule->shape.n_members;
}

static void
own(const LpBuffers *self, guint64 member, gboolean *out_owned)
{
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(LpSpan));
    memset(out_owned, 0, self->bytes * sizeof(gboolean));
    lp_step_schedule_owned(self->schedule, member, spans);
    for (guint i = 0; i < spans->len; i++) {
        LpSpan span = g_array_index(spans, LpSpan, i);
        for (guint64 k = span.offset; k < span.offset + span.bytes; k++)
            out_owned[k] = TRUE;
    }
}

/* The block that each byte of a member's buffer lies in. Blocks by load are written down once more:
 * where the running sum of loads rounds to. */
static void
fill_blocks(LpBuffers *self)
{
    const LpCollectiveShape *shape = &self->schedule->shape;
    guint64 n = shape->n_members, block = 0;
    double sum = 0.0;
    self->blocks = g_new(guint64, shape->bytes + 1);
    for (guint64 byte = 0; byte < shape->bytes; byte++) {
        guint64 longer = shape->bytes % n, size = shape->bytes / n;
        if (shape->loads == NULL || shape->weight == LP_WEIGHT_EVEN) {
            block = byte < longer * (size + 1) ? byte / (size + 1) : (byte - longer) / size;
        } else {
            while (block + 1 < n &&
                   (double)byte >=
                       floor((double)shape->bytes * (sum + shape->loads[block]) / (double)n + 0.5))
                sum += shape->loads[block++];
        }
        self->blocks[byte] = block;
    }
}

/* The two members that a byte of an all-to-all belongs to. */
static void
pair_of(const LpBuffers *self, guint64 byte, guint64 *out_from, guint64 *out_to)
{
    const LpCollectiveShape *shape = &self->schedule->shape;
    guint64 block = self->blocks[byte % shape->bytes], other = byte / shape->bytes;
    gboolean by_sender = shape->loads != NULL && shape->weight == LP_WEIGHT_SENDER;
    *out_from = by_sender ? block : other;
    *out_to = by_sender ? other : block;
}

static gboolean
starts_with(const LpBuffers *self, guint64 member, guint64 byte, const gboolean *owned)
{
    const LpCollectiveShape *shape = &self->schedule->shape;
    guint64 from, to;
    switch (shape->collective) {
    case LP_COLLECTIVE_ALL_GATHER:
        return owned[byte];
    case LP_COLLECTIVE_BROADCAST:
        return member == shape->root;
    case LP_COLLECTIVE_SEND:
        return member == 0;
    case LP_COLLECTIVE_ALL_TO_ALL:
        pair_of(self, byte, &from, &to);
        return member == from;
    default:
        return TRUE;
    }
}

/* What everyone would hold of what is not summed: the value of who had it, which is told from the
 * byte alone. */
static guint32
original(guint64 byte)
{
    return mixed(1000, byte);
}

static gboolean
is_summed(const LpBuffers *self)
{
    LpCollective collective = self->schedule->shape.collective;
    return collective == LP_COLLECTIVE_ALL_REDUCE || collective == LP_COLLECTIVE_REDUCE_SCATTER ||
           collective == LP_COLLECTIVE_REDUCE;
}

LpBuffers *
lp_buffers_new(const LpStepSchedule *schedule)
{
    LpBuffers *self = g_new0(LpBuffers, 1);
    self->schedule = schedule;
    self->n_participants = lp_step_schedule_n_participants(schedule);
    self->bytes = lp_step_schedule_logical_bytes(schedule);
    self->values = g_new0(guint32, self->n_participants * self->bytes + 1);
    self->known = g_new0(guint64, self->n_participants);
    fill_blocks(self);
    g_autofree gboolean *owned = g_new0(gboolean, self->bytes + 1);
    for (guint64 member = 0; member < members(self); member++) {
        self->known[member] = (guint64)1 << member;
        if (schedule->shape.collective == LP_COLLECTIVE_ALL_GATHER)
            own(self, member, owned);
        for (guint64 byte = 0; byte < self->bytes; byte++)
            self->values[member * self->bytes + byte] =
                !is_summed(self) && starts_with(self, member, byte, owned) ? original(byte)
                                                                           : mixed(member, byte);
    }
    return self;
}

void
lp_buffers_free(LpBuffers *self)
{
    g_free(self->values);
    g_free(self->known);
    g_free(self->blocks);
    g_free(self);
}

static gboolean
must_end_with(const LpBuffers *self, guint64 member, guint64 byte, const gboolean *owned)
{
    const LpCollectiveShape *shape = &self->schedule->shape;
    guint64 from, to;
    switch (shape->collective) {
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return owned[byte];
    case LP_COLLECTIVE_REDUCE:
        return member == shape->root;
    case LP_COLLECTIVE_ALL_TO_ALL:
        pair_of(self, byte, &from, &to);
        return member == to || member == from;
    default:
        return TRUE;
    }
}

static gboolean
owns_each_byte_once(const LpBuffers *self)
{
    g_autofree gboolean *owned = g_new0(gboolean, self->bytes + 1);
    g_autofree guint *owners = g_new0(guint, self->bytes + 1);
    for (guint64 member = 0; member < members(self); member++) {
        own(self, member, owned);
        for (guint64 byte = 0; byte < self->bytes; byte++)
            owners[byte] += owned[byte] ? 1 : 0;
    }
    for (guint64 byte = 0; byte < self->bytes; byte++)
        if (owners[byte] != 1)
            return FALSE;
    return TRUE;
}

gboolean
lp_buffers_right(const LpBuffers *self)
{
    LpCollective collective = self->schedule->shape.collective;
    guint64 n = members(self), all = n == 64 ? G_MAXUINT64 : ((guint64)1 << n) - 1;
    g_autofree gboolean *owned = g_new0(gboolean, self->bytes + 1);
    g_autofree guint32 *sums = g_new0(guint32, self->bytes + 1);
    for (guint64 byte = 0; byte < self->bytes && is_summed(self); byte++)
        for (guint64 member = 0; member < n; member++)
            sums[byte] += mixed(member, byte);
    for (guint64 member = 0; member < n; member++) {
        if (collective == LP_COLLECTIVE_BARRIER && self->known[member] != all)
            return FALSE;
        if (collective == LP_COLLECTIVE_REDUCE_SCATTER)
            own(self, member, owned);
        for (guint64 byte = 0; byte < self->bytes && collective != LP_COLLECTIVE_BARRIER; byte++)
            if (must_end_with(self, member, byte, owned) &&
                self->values[member * self->bytes + byte] !=
                    (is_summed(self) ? sums[byte] : original(byte)))
                return FALSE;
    }
    gboolean divides =
        collective == LP_COLLECTIVE_REDUCE_SCATTER || collective == LP_COLLECTIVE_ALL_GATHER;
    return !divides || owns_each_byte_once(self);
}

/* --- messages --- */

typedef struct {
    guint64 known;
    guint first_span, n_spans, first_value; /* in the run's arrays */
    guint next;                             /* of the same receiver and step, plus 1; 0: none */
} Message;

typedef struct {
    LpBuffers *buffers; /* borrowed */
    guint64 n_steps;
    GArray *messages, *spans, *values;     /* owned: Message, LpSpan, guint32 */
    guint *inbox, *n_arrived, *n_expected; /* owned: by participant and step; inbox plus 1 */
    guint64 *step;                         /* owned: by participant */
    gboolean *has_posted;                  /* owned */
    GArray *ready;                         /* owned: guint64 */
    LpSend *sends;                         /* owned */
    guint32 seed;
    const char *fault; /* static; NULL: none */
} Run;

static void
post_one(Run *self, guint64 member, guint64 step, guint64 index, LpSend send)
{
    const LpBuffers *buffers = self->buffers;
    Message message = {.known = buffers->known[member],
                       .first_span = self->spans->len,
                       .first_value = self->values->len};
    lp_step_schedule_spans(buffers->schedule, member, step, index, self->spans);
    message.n_spans = self->spans->len - message.first_span;
    guint64 bytes = 0;
    for (guint i = message.first_span; i < self->spans->len; i++) {
        LpSpan span = g_array_index(self->spans, LpSpan, i);
        bytes += span.bytes;
        if (span.offset + span.bytes > buffers->bytes)
            self->fault = "a span beyond the buffer";
        else
            g_array_append_vals(self->values,
                                &buffers->values[member * buffers->bytes + span.offset],
                                (guint)span.bytes);
    }
    if (bytes != send.bytes || bytes == 0)
        self->fault = "spans of other bytes than their send";
    if (send.to >= buffers->n_participants || send.to == member) {
        self->fault = "a send to nobody";
        return;
    }
    guint64 slot = send.to * self->n_steps + step;
    message.next = self->inbox[slot];
    g_array_append_val(self->messages, message);
    self->inbox[slot] = self->messages->len;
    self->n_arrived[slot]++;
    if (self->step[send.to] == step && self->has_posted[send.to] &&
        self->n_arrived[slot] == self->n_expected[slot])
        g_array_append_val(self->ready, send.to);
}

static void
post(Run *self, guint64 member)
{
    const LpStepSchedule *schedule = self->buffers->schedule;
    guint64 step = self->step[member];
    guint64 n_sends = lp_step_schedule_sends(schedule, member, step, self->sends);
    if (n_sends > lp_step_schedule_sends_max(schedule))
        self->fault = "more sends than there is room for";
    for (guint64 i = 0; i < n_sends && self->fault == NULL; i++) {
        for (guint64 k = 0; k < i; k++)
            if (self->sends[k].to == self->sends[i].to &&
                self->sends[k].lane == self->sends[i].lane)
                self->fault = "two sends to one partner in one lane";
        post_one(self, member, step, i, self->sends[i]);
    }
    guint64 slot = member * self->n_steps + step;
    self->n_expected[slot] = (guint)lp_step_schedule_n_receives(schedule, member, step);
    self->has_posted[member] = TRUE;
    if (self->n_arrived[slot] == self->n_expected[slot])
        g_array_append_val(self->ready, member);
}

static void
apply(Run *self, guint64 member, const Message *message)
{
    guint32 *to = &self->buffers->values[member * self->buffers->bytes];
    guint at = message->first_value;
    for (guint i = 0; i < message->n_spans; i++) {
        LpSpan span = g_array_index(self->spans, LpSpan, message->first_span + i);
        for (guint64 k = span.offset; k < span.offset + span.bytes; k++) {
            guint32 value = g_array_index(self->values, guint32, at++);
            to[k] = span.reduces ? to[k] + value : value;
        }
    }
    self->buffers->known[member] |= message->known;
}

/* Takes in what came, and goes to the next step. */
static void
leave(Run *self, guint64 member)
{
    guint64 slot = member * self->n_steps + self->step[member];
    for (guint index = self->inbox[slot]; index != 0;) {
        const Message *message = &g_array_index(self->messages, Message, index - 1);
        apply(self, member, message);
        index = message->next;
    }
    self->step[member]++;
    self->has_posted[member] = FALSE;
}

static guint64
take_ready(Run *self, LpHaste haste)
{
    guint index = haste == LP_HASTE_FIRST ? 0 : self->ready->len - 1;
    self->seed = self->seed * 1664525 + 1013904223;
    if (haste == LP_HASTE_ANY)
        index = (guint)((self->seed >> 8) % self->ready->len);
    guint64 member = g_array_index(self->ready, guint64, index);
    g_array_remove_index(self->ready, index);
    return member;
}

static const char *
fault_at_end(const Run *self)
{
    for (guint64 member = 0; member < self->buffers->n_participants; member++) {
        if (self->step[member] != self->n_steps)
            return "a member waits for ever";
        for (guint64 step = 0; step < self->n_steps; step++)
            if (self->n_arrived[member * self->n_steps + step] !=
                self->n_expected[member * self->n_steps + step])
                return "more messages than expected";
    }
    return NULL;
}

static void
go(Run *self, LpHaste haste)
{
    for (guint64 member = 0; member < self->buffers->n_participants && self->n_steps > 0; member++)
        g_array_append_val(self->ready, member);
    while (self->ready->len > 0 && self->fault == NULL) {
        guint64 member = take_ready(self, haste);
        if (self->has_posted[member])
            leave(self, member);
        if (self->step[member] < self->n_steps)
            post(self, member);
    }
    if (self->fault == NULL)
        self->fault = fault_at_end(self);
}

const char *
lp_buffers_run(LpBuffers *self, LpHaste haste)
{
    guint64 n = self->n_participants, n_steps = lp_step_schedule_n_steps(self->schedule);
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(Message));
    g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(LpSpan));
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) ready = g_array_new(FALSE, FALSE, sizeof(guint64));
    g_autofree guint *inbox = g_new0(guint, n * n_steps + 1);
    g_autofree guint *n_arrived = g_new0(guint, n * n_steps + 1);
    g_autofree guint *n_expected = g_new0(guint, n * n_steps + 1);
    g_autofree guint64 *step = g_new0(guint64, n);
    g_autofree gboolean *has_posted = g_new0(gboolean, n);
    g_autofree LpSend *sends = g_new(LpSend, lp_step_schedule_sends_max(self->schedule) + n);
    Run run = {.buffers = self,
               .n_steps = n_steps,
               .messages = messages,
               .spans = spans,
               .values = values,
               .inbox = inbox,
               .n_arrived = n_arrived,
               .step = step,
               .n_expected = n_expected,
               .has_posted = has_posted,
               .ready = ready,
               .sends = sends,
               .seed = (guint32)n};
    go(&run, haste);
    return run.fault;
}

char *
lp_buffers_label(const LpCollectiveShape *shape)
{
    GString *label = g_string_new(NULL);
    g_string_printf(label, "%s %s n=%u bytes=%u root=%u chunk=%u channels=%u near=%u%s",
                    lp_algorithm_names[shape->algorithm], lp_collective_names[shape->collective],
                    (guint)shape->n_members, (guint)shape->bytes, (guint)shape->root,
                    (guint)shape->chunk_bytes, (guint)shape->n_channels, (guint)shape->n_intra,
                    shape->loads != NULL ? " uneven" : "");
    for (guint32 level = 0; level < shape->n_levels; level++)
        g_string_append_printf(label, " %u:%s", (guint)shape->level_size[level],
                               lp_algorithm_names[shape->level_algorithm[level]]);
    return g_string_free(label, FALSE);
}
