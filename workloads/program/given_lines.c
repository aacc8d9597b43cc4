/* SPDX-License-Identifier: Apache-2.0 */
/* Joins what sends and what receives, and gives each such whole a line on which no rank sends or
 * receives anything else. */
#include "workloads/program/given_lines.h"

typedef struct {
    const LpGivenProgram *program; /* borrowed */
    LpGivenLines *lines;           /* borrowed */
    guint32 *stage_of;             /* owned, by rank */
    guint *whole;                  /* owned, by port: another of the same whole, or itself */
} Finder;

LpStream
lp_given_queue_stream(guint32 queue)
{
    return queue == LP_GIVEN_COMPUTE_QUEUE ? LP_N_STREAMS : (LpStream)(LP_STREAM_GIVEN + queue - 1);
}

static LpGivenPort *
port_at(const LpGivenLines *self, guint i)
{
    return &g_array_index(self->ports, LpGivenPort, i);
}

static guint
first_port(const LpGivenLines *self, guint32 stage)
{
    return g_array_index(self->first, guint, stage);
}

static const GArray *
ranks_of(const LpGivenLines *self, guint32 stage)
{
    return self->ranks->pdata[stage];
}

static guint32
peer_of(const LpGivenPort *port, guint32 rank)
{
    return (guint32)(port->peer + (port->is_relative ? (gint64)rank : 0));
}

/* --- ports --- */

static gboolean
is_port_of(const LpGivenPort *port, const LpGivenOp *op)
{
    return port->sends == (op->kind == LP_GIVEN_SEND) && port->is_relative == op->is_relative &&
           port->peer == op->peer && port->tag == op->tag && port->queue == op->queue;
}

static void
add_port(LpGivenLines *self, guint32 stage, const LpGivenOp *op)
{
    for (guint i = self->ports->len; i > 0 && port_at(self, i - 1)->stage == stage; i--)
        if (is_port_of(port_at(self, i - 1), op))
            return;
    LpGivenPort port = {.stage = stage,
                        .sends = op->kind == LP_GIVEN_SEND,
                        .is_relative = op->is_relative,
                        .peer = op->peer,
                        .tag = op->tag,
                        .queue = op->queue,
                        .file_line = op->line,
                        .line = LP_N_PIPELINE_DIRECTIONS};
    g_array_append_val(self->ports, port);
}

static void
add_ports(Finder *self, guint32 stage, guint32 index, gboolean *is_seen)
{
    const LpGivenBody *body = lp_given_program_body(self->program, index);
    if (is_seen[index])
        return;
    is_seen[index] = TRUE;
    for (guint i = 0; i < body->ops->len; i++) {
        const LpGivenOp *op = lp_given_body_op(body, i);
        if (op->kind == LP_GIVEN_SEND || op->kind == LP_GIVEN_RECEIVE)
            add_port(self->lines, stage, op);
        else if (op->kind == LP_GIVEN_RUN)
            add_ports(self, stage, op->body, is_seen);
    }
}

static void
find_ports(Finder *self)
{
    LpGivenLines *lines = self->lines;
    g_array_set_size(lines->ports, 0);
    g_array_set_size(lines->first, 0);
    for (guint32 stage = 0; stage < lines->section->len; stage++) {
        const LpGivenSection *section =
            lp_given_program_section(self->program, g_array_index(lines->section, guint32, stage));
        g_autofree gboolean *is_seen = g_new0(gboolean, self->program->bodies->len);
        g_array_append_val(lines->first, lines->ports->len);
        add_ports(self, stage, section->body, is_seen);
        for (guint i = 0; i < ranks_of(lines, stage)->len; i++)
            self->stage_of[g_array_index(ranks_of(lines, stage), guint32, i)] = stage;
    }
    g_array_append_val(lines->first, lines->ports->len);
}

/* --- wholes: ports that some message joins --- */

static guint
root_of(const Finder *self, guint port)
{
    while (self->whole[port] != port)
        port = self->whole[port];
    return port;
}

static void
join(Finder *self, guint one, guint other)
{
    guint a = root_of(self, one), b = root_of(self, other);
    self->whole[MAX(a, b)] = MIN(a, b);
}

/* The port of @rank's stage that receives from @from with @tag, or G_MAXUINT. */
static guint
find_receiver(const Finder *self, guint32 rank, guint32 from, guint32 tag)
{
    guint32 stage = self->stage_of[rank];
    for (guint i = first_port(self->lines, stage); i < first_port(self->lines, stage + 1); i++) {
        const LpGivenPort *port = port_at(self->lines, i);
        if (!port->sends && port->tag == tag && peer_of(port, rank) == from)
            return i;
    }
    return G_MAXUINT;
}

static void
find_wholes(Finder *self)
{
    guint n = self->lines->ports->len;
    self->whole = g_renew(guint, self->whole, n);
    for (guint i = 0; i < n; i++)
        self->whole[i] = i;
    for (guint i = 0; i < n; i++) {
        const LpGivenPort *port = port_at(self->lines, i);
        const GArray *ranks = ranks_of(self->lines, port->stage);
        for (guint k = 0; port->sends && k < ranks->len; k++) {
            guint32 rank = g_array_index(ranks, guint32, k);
            guint to = find_receiver(self, peer_of(port, rank), rank, port->tag);
            if (to != G_MAXUINT)
                join(self, i, to);
        }
    }
}

/* --- stages --- */

static void
split_stage(Finder *self, guint32 stage)
{
    LpGivenLines *lines = self->lines;
    g_autoptr(GArray) ranks = g_array_ref(lines->ranks->pdata[stage]);
    guint32 section = g_array_index(lines->section, guint32, stage);
    GArray *first = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(first, ranks->data, 1);
    g_array_unref(lines->ranks->pdata[stage]);
    lines->ranks->pdata[stage] = first;
    for (guint i = 1; i < ranks->len; i++) {
        GArray *one = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_array_append_vals(one, &g_array_index(ranks, guint32, i), 1);
        g_ptr_array_add(lines->ranks, one);
        g_array_append_val(lines->section, section);
    }
}

/* For each rank the peer to which it sends and the one from which it receives, on a direction or in
 * all: 1 + the peer's number; 0: none. */
typedef struct {
    guint32 *out, *in; /* owned */
} Users;

static Users
users_new(guint32 n_ranks)
{
    return (Users){g_new0(guint32, n_ranks), g_new0(guint32, n_ranks)};
}

static void
users_clear(Users *self)
{
    g_free(self->out);
    g_free(self->in);
}

/* Whether @rank of @port finds its place taken. */
static gboolean
is_taken(const Users *self, const LpGivenPort *port, guint32 rank)
{
    guint32 peer = peer_of(port, rank);
    return port->sends ? self->out[rank] != 0 || self->in[peer] != 0 : self->in[rank] != 0;
}

static void
take(Users *self, const LpGivenPort *port, guint32 rank)
{
    guint32 peer = peer_of(port, rank);
    if (!port->sends) {
        self->in[rank] = peer + 1;
        return;
    }
    self->out[rank] = peer + 1;
    self->in[peer] = rank + 1;
}

/* Whether no rank sends, or receives, twice in whole @root. What receives is looked at only where
 * nothing sends to it. */
static gboolean
whole_is_good(const Finder *self, guint root, Users *users, guint *out_port)
{
    gboolean good = TRUE;
    for (guint pass = 0; pass < 2 && good; pass++)
        for (guint i = root; good && i < self->lines->ports->len; i++) {
            const LpGivenPort *port = port_at(self->lines, i);
            const GArray *ranks = ranks_of(self->lines, port->stage);
            if (root_of(self, i) != root || port->sends != (pass == 0))
                continue;
            for (guint k = 0; good && k < ranks->len; k++) {
                guint32 rank = g_array_index(ranks, guint32, k);
                gboolean sends_to = !port->sends && users->in[rank] == peer_of(port, rank) + 1;
                good = sends_to || !is_taken(users, port, rank);
                if (good && !sends_to)
                    take(users, port, rank);
                *out_port = i;
            }
        }
    for (guint i = root; i < self->lines->ports->len; i++) {
        const LpGivenPort *port = port_at(self->lines, i);
        const GArray *ranks = ranks_of(self->lines, port->stage);
        for (guint k = 0; root_of(self, i) == root && k < ranks->len; k++) {
            guint32 rank = g_array_index(ranks, guint32, k);
            users->out[rank] = users->in[rank] = 0;
            users->out[peer_of(port, rank)] = users->in[peer_of(port, rank)] = 0;
        }
    }
    return good;
}

/* Makes stages of single ranks of those that a bad whole joins. Returns: whether there were any. */
static gboolean
split_whole(Finder *self, guint root)
{
    guint n_ports = self->lines->ports->len;
    gboolean has_split = FALSE;
    for (guint i = 0; i < n_ports; i++) {
        guint32 stage = port_at(self->lines, i)->stage;
        if (root_of(self, i) != root || ranks_of(self->lines, stage)->len == 1)
            continue;
        split_stage(self, stage);
        has_split = TRUE;
    }
    return has_split;
}

static gboolean
find_stages(Finder *self, GError **error)
{
    Users users = users_new(self->program->n_ranks);
    gboolean is_done = FALSE, good = TRUE;
    while (!is_done && good) {
        find_ports(self);
        find_wholes(self);
        is_done = TRUE;
        for (guint i = 0; is_done && good && i < self->lines->ports->len; i++) {
            guint bad_port = i;
            if (root_of(self, i) != i || whole_is_good(self, i, &users, &bad_port))
                continue;
            is_done = FALSE;
            const LpGivenPort bad = *port_at(self->lines, bad_port);
            good = split_whole(self, i) ||
                   lp_given_program_fail(self->program, bad.file_line, error,
                                         "<%s> tag: got %u for messages of one pair that two "
                                         "queues send, or that name the other rank in two ways, "
                                         "wanted a tag for each",
                                         bad.sends ? "send" : "receive", bad.tag);
        }
    }
    users_clear(&users);
    return good;
}

/* --- lines --- */

/* Whether whole @root fits on the line of @users, whose ranks send on @stream. */
static gboolean
fits(const Finder *self, guint root, const Users *users)
{
    for (guint i = root; i < self->lines->ports->len; i++) {
        const LpGivenPort *port = port_at(self->lines, i);
        const GArray *ranks = ranks_of(self->lines, port->stage);
        for (guint k = 0; root_of(self, i) == root && k < ranks->len; k++)
            if (is_taken(users, port, g_array_index(ranks, guint32, k)))
                return FALSE;
    }
    return TRUE;
}

static void
place(const Finder *self, guint root, Users *users, LpPipelineDirection line,
      LpGivenRanks *ranks_of_direction)
{
    guint32 n_ranks = self->program->n_ranks;
    for (guint i = root; i < self->lines->ports->len; i++) {
        LpGivenPort *port = port_at(self->lines, i);
        const GArray *ranks = ranks_of(self->lines, port->stage);
        if (root_of(self, i) != root)
            continue;
        port->line = line;
        if (ranks_of_direction->to[line] == NULL) {
            ranks_of_direction->to[line] = g_new(guint64, n_ranks);
            ranks_of_direction->from[line] = g_new(guint64, n_ranks);
            for (guint32 rank = 0; rank < n_ranks; rank++)
                ranks_of_direction->to[line][rank] = ranks_of_direction->from[line][rank] =
                    G_MAXUINT64;
        }
        for (guint k = 0; k < ranks->len; k++) {
            guint32 rank = g_array_index(ranks, guint32, k), peer = peer_of(port, rank);
            take(users, port, rank);
            if (port->sends) {
                ranks_of_direction->to[line][rank] = peer;
                ranks_of_direction->from[line][peer] = rank;
            }
        }
    }
}

/* The stream on which a whole sends. */
static LpStream
stream_of(const Finder *self, guint root)
{
    for (guint i = root; i < self->lines->ports->len; i++)
        if (root_of(self, i) == root && port_at(self->lines, i)->sends)
            return lp_given_queue_stream(port_at(self->lines, i)->queue);
    return LP_N_STREAMS;
}

static gboolean
find_lines(Finder *self, LpGivenRanks *out, GError **error)
{
    Users users[LP_N_PIPELINE_DIRECTIONS];
    gboolean good = TRUE;
    guint n_lines = 0;
    for (guint root = 0; good && root < self->lines->ports->len; root++) {
        if (root_of(self, root) != root)
            continue;
        LpStream stream = stream_of(self, root);
        guint line = 0;
        while (line < n_lines && (out->stream[line] != stream || !fits(self, root, &users[line])))
            line++;
        if (line == LP_N_PIPELINE_DIRECTIONS) {
            const LpGivenPort *port = port_at(self->lines, root);
            good =
                lp_given_program_fail(self->program, port->file_line, error,
                                      "<%s>: got ranks that send to or receive from more than "
                                      "%u others, tags and queues, wanted no more",
                                      port->sends ? "send" : "receive", LP_N_PIPELINE_DIRECTIONS);
            break;
        }
        if (line == n_lines) {
            users[n_lines++] = users_new(self->program->n_ranks);
            out->stream[line] = stream;
        }
        place(self, root, &users[line], (LpPipelineDirection)line, out);
    }
    out->n_lines = n_lines;
    for (guint line = 0; line < n_lines; line++)
        users_clear(&users[line]);
    return good;
}

LpGivenLines *
lp_given_lines_new(const LpGivenProgram *program, LpGivenRanks *out_ranks, GError **error)
{
    g_autoptr(LpGivenLines) self = g_new0(LpGivenLines, 1);
    self->section = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->ranks = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    self->ports = g_array_new(FALSE, FALSE, sizeof(LpGivenPort));
    self->first = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint32 i = 0; i < program->sections->len; i++) {
        g_array_append_val(self->section, i);
        g_ptr_array_add(self->ranks, g_array_ref(lp_given_program_section(program, i)->ranks));
    }
    Finder finder = {
        .program = program, .lines = self, .stage_of = g_new0(guint32, program->n_ranks)};
    gboolean good = find_stages(&finder, error) && find_lines(&finder, out_ranks, error);
    g_free(finder.stage_of);
    g_free(finder.whole);
    return good ? g_steal_pointer(&self) : NULL;
}

void
lp_given_lines_free(LpGivenLines *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->section);
    g_ptr_array_unref(self->ranks);
    g_array_unref(self->ports);
    g_array_unref(self->first);
    g_free(self);
}

LpPipelineDirection
lp_given_lines_of(const LpGivenLines *self, guint32 stage, const LpGivenOp *op)
{
    for (guint i = first_port(self, stage); i < first_port(self, stage + 1); i++)
        if (is_port_of(port_at(self, i), op))
            return port_at(self, i)->line;
    g_return_val_if_reached(LP_DIRECTION_FORWARD);
}
