/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the ranks of a program without times until none can go on; ranks that have not ended then
 * would wait for ever. */
#include "workloads/program/program_check.h"

#include "model/plan/group_traits.h"
#include "model/network/library_mix.h"
#include "workloads/program/rank_likeness.h"

/* Something that a stream has been handed. */
typedef struct {
    const LpOp *op;            /* borrowed; NULL: a message of */
    const LpStep *step;        /* borrowed */
    guint64 n_finished_wanted; /* await */
} Item;

typedef struct {
    GQueue items; /* owned Item */
    guint64 n_launched, n_finished;
    gboolean has_come; /* to the collective at its head */
    guint32 library;   /* of the last collective that it was handed, plus 1 */
} Stream;

/* The rank that stands for a class. */
typedef struct {
    guint64 rank;
    guint32 stage;
    guint step, op;    /* where its compute stream is */
    gboolean has_come; /* to the collective there */
    gboolean is_queued;
    Stream streams[LP_N_STREAMS];
    GQueue arrived[LP_N_PIPELINE_DIRECTIONS]; /* borrowed LpStep: sent to it */
} Actor;

/* Communicators that stand alike. */
typedef struct {
    guint32 n_actors, n_come;
    const LpOp *op; /* borrowed: of the first that has come */
    guint64 rank;   /* which that is */
    GArray *actors; /* owned guint32: who is in it */
} PendingCollective;

typedef struct {
    const LpProgram *program;    /* borrowed */
    const LpGivenProgram *given; /* borrowed */
    const LpLibraryPicks *picks; /* borrowed; NULL: no host waits for a change of libraries */
    LpRankLikeness *likeness;    /* owned */
    Actor *actors;               /* owned, by class */
    PendingCollective *pending[LP_N_GROUPS]; /* owned, by class of communicators */
    GQueue ready;                            /* of actors' numbers plus 1 */
    GError **error;                          /* borrowed */
    gboolean has_failed;
} Check;

static guint32
op_line(const Check *self, const LpOp *op)
{
    return g_array_index(self->program->given->op_line, guint32,
                         op - lp_program_op(self->program, 0));
}

static guint32
step_line(const Check *self, const LpStep *step)
{
    return g_array_index(self->program->given->step_line, guint32,
                         step - lp_program_step(self->program, 0));
}

static void
wake(Check *self, guint32 actor)
{
    if (self->actors[actor].is_queued)
        return;
    self->actors[actor].is_queued = TRUE;
    g_queue_push_tail(&self->ready, GUINT_TO_POINTER(actor + 1));
}

static PendingCollective *
pending_of(const Check *self, const Actor *actor, const LpOp *op)
{
    const LpCommunicator *own = lp_program_communicator(self->program, op->group, actor->rank);
    guint number = lp_communicators_number(self->program->communicators, own);
    return &self->pending[op->group][self->likeness->of_group[op->group][number]];
}

static void
refuse_difference(Check *self, const PendingCollective *collective, const Actor *actor,
                  const LpOp *op)
{
    self->has_failed = TRUE;
    lp_given_program_fail(self->given, op_line(self, op), self->error,
                          "<%s>: got %" G_GUINT64_FORMAT " B by rank %" G_GUINT64_FORMAT
                          ", where rank %" G_GUINT64_FORMAT
                          " of its group runs <%s> of %" G_GUINT64_FORMAT
                          " B (line %u), wanted members that agree",
                          lp_collective_names[op->collective], op->bytes, actor->rank,
                          collective->rank, lp_collective_names[collective->op->collective],
                          collective->op->bytes, op_line(self, collective->op));
}

/* Whether the collective at which @actor stands is done: else it has come to it. */
static gboolean
meet(Check *self, guint32 number, const LpOp *op, gboolean *io_has_come)
{
    Actor *actor = &self->actors[number];
    PendingCollective *collective = pending_of(self, actor, op);
    if (*io_has_come)
        return FALSE;
    *io_has_come = TRUE;
    if (collective->n_come++ == 0) {
        collective->op = op;
        collective->rank = actor->rank;
    } else if (collective->op->collective != op->collective || collective->op->bytes != op->bytes) {
        refuse_difference(self, collective, actor, op);
        return FALSE;
    }
    return collective->n_come == collective->n_actors;
}

/* The last has come: all others go on. */
static void
release(Check *self, guint32 last, const LpOp *op)
{
    PendingCollective *collective = pending_of(self, &self->actors[last], op);
    collective->n_come = 0;
    for (guint i = 0; i < collective->actors->len; i++) {
        guint32 number = g_array_index(collective->actors, guint32, i);
        Actor *actor = &self->actors[number];
        if (op->stream == LP_N_STREAMS) {
            actor->has_come = FALSE;
            actor->op++;
        } else {
            Stream *stream = &actor->streams[op->stream];
            stream->has_come = FALSE;
            stream->n_finished++;
            g_free(g_queue_pop_head(&stream->items));
        }
        wake(self, number);
    }
}

/* --- messages --- */

static void
deliver(Check *self, const Actor *actor, const LpStep *step)
{
    guint64 to = lp_program_message_receiver(self->program, step->direction, actor->rank);
    guint32 receiver = self->likeness->of_rank[to];
    g_queue_push_tail(&self->actors[receiver].arrived[step->direction], (gpointer)(guintptr)step);
    wake(self, receiver);
}

/* Whether @actor has received what @step waits for. */
static gboolean
receive(Check *self, Actor *actor, const LpStep *step)
{
    const LpStep *sent = g_queue_pop_head(&actor->arrived[step->direction]);
    if (sent == NULL)
        return FALSE;
    if (sent->bytes == step->bytes)
        return TRUE;
    self->has_failed = TRUE;
    lp_given_program_fail(self->given, step_line(self, step), self->error,
                          "<receive> bytes: got %" G_GUINT64_FORMAT
                          " B, wanted the %" G_GUINT64_FORMAT " B that are sent (line %u)",
                          step->bytes, sent->bytes, step_line(self, sent));
    return FALSE;
}

/* --- streams --- */

static void
hand_over(Actor *actor, LpStream kind, Item item)
{
    Stream *stream = &actor->streams[kind];
    gboolean is_await = item.op != NULL && item.op->kind == LP_OP_AWAIT;
    if (is_await) {
        guint64 n_launched = actor->streams[item.op->awaited].n_launched;
        item.n_finished_wanted = n_launched - MIN(n_launched, item.op->n_pending);
    }
    stream->n_launched += is_await ? 0 : 1;
    g_queue_push_tail(&stream->items, g_memdup2(&item, sizeof item));
}

/* Does what is at the head of a stream. Returns: whether that is done. */
static gboolean
advance_stream(Check *self, guint32 number, LpStream kind)
{
    Actor *actor = &self->actors[number];
    Stream *stream = &actor->streams[kind];
    const Item *item = g_queue_peek_head(&stream->items);
    if (item == NULL)
        return FALSE;
    if (item->op != NULL && lp_op_is_collective(item->op)) {
        const LpOp *op = item->op;
        if (meet(self, number, op, &stream->has_come))
            release(self, number, op);
        return FALSE;
    }
    gboolean is_await = item->op != NULL && item->op->kind == LP_OP_AWAIT;
    if (is_await && actor->streams[item->op->awaited].n_finished < item->n_finished_wanted)
        return FALSE;
    if (item->op == NULL)
        deliver(self, actor, item->step);
    stream->n_finished += is_await ? 0 : 1;
    g_free(g_queue_pop_head(&stream->items));
    return TRUE;
}

/* --- the compute stream --- */

/* Whether the host may hand @stream @op: not before that is done with another library's. */
static gboolean
takes_library(const Check *self, Stream *stream, const LpOp *op)
{
    if (self->picks == NULL || !lp_op_is_collective(op))
        return TRUE;
    guint32 library = 1 + lp_library_pick(self->picks, op->collective,
                                          lp_group_traits(op->group)->traffic, op->bytes);
    gboolean changes = stream->library != 0 && stream->library != library;
    if (changes && stream->n_launched > stream->n_finished)
        return FALSE;
    stream->library = library;
    return TRUE;
}

static gboolean
advance_op(Check *self, guint32 number, const LpOp *op)
{
    Actor *actor = &self->actors[number];
    Stream *stream = &actor->streams[op->stream == LP_N_STREAMS ? 0 : op->stream];
    switch (op->kind) {
    case LP_OP_COLLECTIVE:
        if (meet(self, number, op, &actor->has_come))
            release(self, number, op);
        return FALSE;
    case LP_OP_LAUNCH:
    case LP_OP_LAUNCH_COMPUTE:
    case LP_OP_AWAIT:
        if (!takes_library(self, stream, op))
            return FALSE;
        hand_over(actor, op->stream, (Item){.op = op});
        break;
    case LP_OP_JOIN:
        if (stream->n_launched > stream->n_finished + op->n_pending)
            return FALSE;
        break;
    case LP_OP_COMPUTE:
        break;
    }
    actor->op++;
    return TRUE;
}

/* The step at which @actor is; NULL: it is at its end. */
static const LpStep *
step_of(const Check *self, const Actor *actor)
{
    const LpStageProgram *steps = lp_program_stage(self->program, actor->stage);
    return actor->step < steps->n_steps
               ? lp_program_step(self->program, steps->first_step + actor->step)
               : NULL;
}

/* The operation at which @actor is; NULL: it is at a message, or between segments. */
static const LpOp *
op_of(const Check *self, const Actor *actor)
{
    const LpStep *step = step_of(self, actor);
    if (step == NULL || step->kind != LP_STEP_SEGMENT)
        return NULL;
    const LpSegment *segment = lp_program_segment(self->program, step->segment);
    return actor->op < segment->n_ops ? lp_program_op(self->program, segment->first_op + actor->op)
                                      : NULL;
}

/* Returns: whether the compute stream got on. */
static gboolean
advance(Check *self, guint32 number)
{
    Actor *actor = &self->actors[number];
    const LpStep *step = step_of(self, actor);
    const LpOp *op = op_of(self, actor);
    if (step == NULL)
        return FALSE;
    if (op != NULL)
        return advance_op(self, number, op);
    if (step->kind == LP_STEP_RECV && !receive(self, actor, step))
        return FALSE;
    if (step->kind == LP_STEP_SEND) {
        LpStream stream = lp_program_message_stream(self->program, step->direction);
        if (stream == LP_N_STREAMS)
            deliver(self, actor, step);
        else
            hand_over(actor, stream, (Item){.step = step});
    }
    actor->step++;
    actor->op = 0;
    return TRUE;
}

static void
go_on(Check *self, guint32 number)
{
    gboolean has_moved = TRUE;
    while (has_moved && !self->has_failed) {
        has_moved = advance(self, number);
        for (LpStream kind = LP_STREAM_GIVEN; kind < LP_N_STREAMS; kind++)
            has_moved = advance_stream(self, number, kind) || has_moved;
    }
}

/* --- the end --- */

/* What @actor waits for: an operation, of its compute stream or another, or a message. */
static void
find_wait(const Check *self, const Actor *actor, const LpOp **out_op, const LpStep **out_step)
{
    *out_op = op_of(self, actor);
    *out_step = *out_op == NULL ? step_of(self, actor) : NULL;
    if (*out_op == NULL || ((*out_op)->kind != LP_OP_JOIN && (*out_op)->kind != LP_OP_LAUNCH))
        return;
    LpStream kind = (*out_op)->stream;
    for (guint n = 0; n < LP_N_STREAMS; n++) {
        const Item *item = g_queue_peek_head((GQueue *)(guintptr)&actor->streams[kind].items);
        if (item == NULL || item->op == NULL)
            return;
        *out_op = item->op;
        if (item->op->kind != LP_OP_AWAIT)
            return;
        kind = item->op->awaited;
    }
}

/* Whether @other has come to @collective, on its compute stream or @stream. */
static gboolean
has_come(const Check *self, const Actor *other, LpStream stream,
         const PendingCollective *collective)
{
    const LpOp *op = op_of(self, other);
    if (stream == LP_N_STREAMS)
        return op != NULL && other->has_come && pending_of(self, other, op) == collective;
    const Item *item = g_queue_peek_head((GQueue *)(guintptr)&other->streams[stream].items);
    return item != NULL && item->op != NULL && other->streams[stream].has_come &&
           pending_of(self, other, item->op) == collective;
}

/* Whether the host of @actor waits to hand over another library's collective. */
static gboolean
is_stopped(const Check *self, const Actor *actor)
{
    const LpOp *op = op_of(self, actor);
    return op != NULL && op->kind == LP_OP_LAUNCH;
}

static void
refuse_waiting(Check *self, const Actor *actor)
{
    const LpOp *op;
    const LpStep *step;
    find_wait(self, actor, &op, &step);
    self->has_failed = TRUE;
    if (step != NULL) {
        guint64 from = lp_program_message_sender(self->program, step->direction, actor->rank);
        g_autofree char *sender =
            from == G_MAXUINT64 ? g_strdup("no rank sends")
                                : g_strdup_printf("rank %" G_GUINT64_FORMAT " does not send", from);
        lp_given_program_fail(self->given, step_line(self, step), self->error,
                              "<receive>: got a message for rank %" G_GUINT64_FORMAT
                              " that %s, wanted a <send> for each",
                              actor->rank, sender);
        return;
    }
    g_return_if_fail(lp_op_is_collective(op));
    const PendingCollective *collective = pending_of(self, actor, op);
    for (guint i = 0; i < collective->actors->len; i++) {
        const Actor *other = &self->actors[g_array_index(collective->actors, guint32, i)];
        if (has_come(self, other, op->stream, collective))
            continue;
        lp_given_program_fail(self->given, op_line(self, op), self->error,
                              "<%s>: got rank %" G_GUINT64_FORMAT
                              " that waits for ever for rank %" G_GUINT64_FORMAT
                              " of its group, wanted members that all come to it%s",
                              lp_collective_names[op->collective], actor->rank, other->rank,
                              is_stopped(self, other) || is_stopped(self, actor)
                                  ? ", or no library-switch=host, whose waits stop a host before "
                                    "it launches more"
                                  : "");
        return;
    }
}

/* Reports ranks that wait for ever. A rank that waits for a message says more than one that waits
 * for a group, and is reported first. */
static gboolean
check_ends(Check *self)
{
    const Actor *waiting = NULL;
    for (guint32 i = 0; i < self->likeness->n_classes; i++) {
        const Actor *actor = &self->actors[i];
        const LpStep *step = step_of(self, actor);
        gboolean is_message = step != NULL && step->kind == LP_STEP_RECV;
        if (step != NULL && (waiting == NULL || (is_message && op_of(self, waiting) != NULL)))
            waiting = actor;
    }
    if (waiting != NULL) {
        refuse_waiting(self, waiting);
        return FALSE;
    }
    for (guint32 i = 0; i < self->likeness->n_classes; i++)
        for (LpPipelineDirection line = 0; line < LP_N_PIPELINE_DIRECTIONS; line++) {
            const LpStep *sent = g_queue_peek_head(&self->actors[i].arrived[line]);
            if (sent == NULL)
                continue;
            return lp_given_program_fail(self->given, step_line(self, sent), self->error,
                                         "<send>: got a message that rank %" G_GUINT64_FORMAT
                                         " does not receive, wanted a <receive> for each",
                                         self->actors[i].rank);
        }
    return TRUE;
}

/* --- all --- */

static void
init(Check *self)
{
    const LpCommunicators *communicators = self->program->communicators;
    const LpRankLikeness *likeness = self->likeness;
    self->actors = g_new0(Actor, likeness->n_classes);
    g_queue_init(&self->ready);
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        self->pending[group] = g_new0(PendingCollective, likeness->n_of_group[group]);
        for (guint32 i = 0; i < likeness->n_of_group[group]; i++)
            self->pending[group][i].actors = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
    for (guint32 i = 0; i < likeness->n_classes; i++) {
        guint64 rank = likeness->first[i];
        self->actors[i].rank = rank;
        self->actors[i].stage = lp_program_rank_stage(self->program, rank);
        wake(self, i);
        for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
            const LpCommunicator *own = lp_communicators_of(communicators, group, rank);
            if (own == NULL)
                continue;
            guint number = lp_communicators_number(communicators, own);
            PendingCollective *collective =
                &self->pending[group][likeness->of_group[group][number]];
            g_array_append_val(collective->actors, i);
            collective->n_actors++;
        }
    }
}

static void
clear(Check *self)
{
    for (guint32 i = 0; i < self->likeness->n_classes; i++) {
        for (LpStream kind = 0; kind < LP_N_STREAMS; kind++)
            g_queue_clear_full(&self->actors[i].streams[kind].items, g_free);
        for (LpPipelineDirection line = 0; line < LP_N_PIPELINE_DIRECTIONS; line++)
            g_queue_clear(&self->actors[i].arrived[line]);
    }
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        for (guint32 i = 0; i < self->likeness->n_of_group[group]; i++)
            g_array_unref(self->pending[group][i].actors);
        g_free(self->pending[group]);
    }
    g_queue_clear(&self->ready);
    g_free(self->actors);
    lp_rank_likeness_free(self->likeness);
}

gboolean
lp_program_check(const LpProgram *program, const LpGivenProgram *given, const LpLibraryPicks *picks,
                 GError **error)
{
    Check check = {.program = program,
                   .given = given,
                   .picks = program->execution.change == LP_LIBRARY_SWITCH_HOST ? picks : NULL,
                   .likeness = lp_rank_likeness_new(program),
                   .error = error};
    init(&check);
    while (!check.has_failed && !g_queue_is_empty(&check.ready)) {
        guint32 number = GPOINTER_TO_UINT(g_queue_pop_head(&check.ready)) - 1;
        check.actors[number].is_queued = FALSE;
        go_on(&check, number);
    }
    gboolean good = !check.has_failed && check_ends(&check);
    clear(&check);
    return good;
}
