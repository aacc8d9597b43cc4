/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives as messages, carried out: every message that is sent is received, in order, and in
 * the end members have what the collective is to give them. */
#include "workloads/traces/trace_steps.h"

#include "tests/testlib.h"

#define N_MAX 9u
#define FIRST_RANK 3u /* members stand behind others */

/* What a member has done, and whose data it has, as bits. */
typedef struct {
    GArray *steps; /* owned: LpTraceStep */
    guint at, n_sent;
    guint64 has, received_bytes;
} Member;

/* A message under way. */
typedef struct {
    guint32 from, to;
    guint64 bytes, has;
} Message;

/* Sends what the step at hand sends. */
static void
post(Member *self, guint32 me, GArray *messages)
{
    if (self->at == self->steps->len || self->n_sent > self->at)
        return;
    const LpTraceStep *step = &g_array_index(self->steps, LpTraceStep, self->at);
    Message message = {me, step->to, step->send_bytes, self->has};
    self->n_sent++;
    if (step->to != LP_TRACE_NOBODY)
        g_array_append_val(messages, message);
}

/* Returns: whether the step at hand could end. */
static gboolean
finish(Member *self, guint32 me, GArray *messages)
{
    if (self->at == self->steps->len)
        return FALSE;
    const LpTraceStep *step = &g_array_index(self->steps, LpTraceStep, self->at);
    for (guint i = 0; step->from != LP_TRACE_NOBODY; i++) {
        const Message *message = i < messages->len ? &g_array_index(messages, Message, i) : NULL;
        if (message == NULL)
            return FALSE;
        if (message->from != step->from || message->to != me)
            continue;
        lp_test_true("as many bytes", message->bytes == step->receive_bytes);
        self->has |= message->has;
        self->received_bytes += message->bytes;
        g_array_remove_index(messages, i);
        break;
    }
    self->at++;
    return TRUE;
}

static void
carry_out(Member *members, guint32 n)
{
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(Message));
    for (gboolean moves = TRUE; moves;) {
        moves = FALSE;
        for (guint32 i = 0; i < n; i++)
            post(&members[i], FIRST_RANK + i, messages);
        for (guint32 i = 0; i < n; i++)
            moves = finish(&members[i], FIRST_RANK + i, messages) || moves;
    }
    lp_test_true("all is received", messages->len == 0);
    for (guint32 i = 0; i < n; i++)
        lp_test_true("all is done", members[i].at == members[i].steps->len);
}

static void
check(LpCollective collective, guint32 n, guint64 bytes)
{
    g_autofree char *label = g_strdup_printf("%s of %u", lp_collective_names[collective], n);
    g_autoptr(LpTrace) trace = lp_trace_new("none", FIRST_RANK + n);
    LpTraceNode node = {.op = {.collective = collective, .bytes = bytes}};
    node.op.group = lp_trace_add_group(trace, "1", "dp");
    for (guint32 rank = FIRST_RANK; rank < FIRST_RANK + n; rank++)
        g_array_append_val(lp_trace_group(trace, node.op.group)->ranks, rank);
    Member members[N_MAX];
    guint64 all = (1u << n) - 1, sum = 0;
    for (guint32 i = 0; i < n; i++)
        members[i] =
            (Member){.steps = lp_trace_steps(trace, &node, FIRST_RANK + i), .has = 1u << i};
    carry_out(members, n);
    for (guint32 i = 0; i < n; i++) {
        gboolean has_all = members[i].has == all, has_first = (members[i].has & 1) != 0;
        lp_test_true(label, collective == LP_COLLECTIVE_BROADCAST ? has_first
                            : collective == LP_COLLECTIVE_REDUCE  ? i > 0 || has_all
                                                                  : has_all);
        sum += members[i].received_bytes;
        g_array_unref(members[i].steps);
    }
    /* Rings carry the buffer n - 1 times, once for each half; so do trees. */
    guint64 halves = collective == LP_COLLECTIVE_ALL_REDUCE ? 2 : 1;
    if (collective != LP_COLLECTIVE_BARRIER)
        lp_test_true(label, sum == halves * (n - 1) * bytes);
}

static void
test_carried_out(void)
{
    static const LpCollective collectives[] = {
        LP_COLLECTIVE_ALL_REDUCE, LP_COLLECTIVE_REDUCE_SCATTER, LP_COLLECTIVE_ALL_GATHER,
        LP_COLLECTIVE_ALL_TO_ALL, LP_COLLECTIVE_BROADCAST,      LP_COLLECTIVE_REDUCE,
        LP_COLLECTIVE_BARRIER};
    for (guint i = 0; i < G_N_ELEMENTS(collectives); i++)
        for (guint32 n = 1; n <= N_MAX; n++) {
            check(collectives[i], n, 1000);
            check(collectives[i], n, 3);
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"carried out", test_carried_out}, {NULL, NULL}};
    return lp_test_run("steps of traces", cases);
}
