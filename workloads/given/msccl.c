/* SPDX-License-Identifier: Apache-2.0 */
/* Follows thread blocks, and what every place of a buffer holds. */
#include "workloads/given/msccl.h"

#include "base/error.h"
#include "base/xml.h"
#include "workloads_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/workloads/schema/msccl.xsd"
#define RANKS_MAX 4096
#define CHUNKS_MAX 65536
#define SENDS_MAX (1u << 24)
#define NOTHING G_MAXUINT32

static const char *const type_names[] = {"s",    "r",  "rcs", "rrs", "rrc",
                                         "rrcs", "re", "cpy", "nop", NULL};
/* For each type of instruction: whether it sends, whether it receives, and whether it adds what it
 * receives. */
static const gboolean sends[] = {TRUE, FALSE, TRUE, TRUE, FALSE, TRUE, FALSE, FALSE, FALSE};
static const gboolean receives[] = {FALSE, TRUE, TRUE, TRUE, TRUE, TRUE, FALSE, FALSE, FALSE};
static const gboolean sums[] = {FALSE, FALSE, FALSE, TRUE, TRUE, TRUE, FALSE, FALSE, FALSE};
#define TYPE_CPY 7

static const char *const buffer_names[] = {"i", "o", "s", NULL};
enum {
    INPUT,
    OUTPUT,
    SCRATCH,
    N_BUFFERS
};

static const char *const collective_names[] = {
    "allreduce", "reduce_scatter", "allgather", "alltoall", "broadcast", "reduce", NULL};
static const LpCollective collectives[] = {LP_COLLECTIVE_ALL_REDUCE, LP_COLLECTIVE_REDUCE_SCATTER,
                                           LP_COLLECTIVE_ALL_GATHER, LP_COLLECTIVE_ALL_TO_ALL,
                                           LP_COLLECTIVE_BROADCAST,  LP_COLLECTIVE_REDUCE};

typedef struct {
    int type, from, to; /* buffers */
    guint64 from_at, to_at, count;
    guint64 block, step; /* that it waits for, from 1; 0: none */
    const xmlNode *node; /* borrowed */
} Step;

typedef struct {
    guint64 send, receive, channel; /* partners, from 1; 0: none */
    GArray *steps;                  /* owned: Step */
    guint next, done;               /* steps begun; and done before this round */
    gboolean has_received;          /* the next one has, and is to send */
} Block;

typedef struct {
    GArray *blocks;             /* owned: Block */
    GArray *buffers[N_BUFFERS]; /* owned: guint32, the chunk at each place; NOTHING */
    gboolean is_read;
} Member;

/* What is on its way: as many as the sender's step has. */
typedef struct {
    guint32 from, to;
    guint64 channel;
    guint first, count; /* in sends of the list */
    gboolean is_taken;
} Message;

typedef struct {
    const LpXml *xml; /* borrowed */
    LpCollective collective;
    guint64 n_ranks, n_chunks; /* chunks of the list */
    guint64 n_input, n_output; /* places of a member */
    Member *members;           /* owned */
    GArray *messages;          /* owned: Message */
    GArray *list;              /* owned: LpListedSend */
} Reader;

/* --- reading --- */

/* A whole number from -1 on, as one from 0; an absent one is 0. */
static gboolean
read_partner(const Reader *self, const xmlNode *node, const char *name, guint64 most,
             guint64 *out_value, GError **error)
{
    const char *text = lp_xml_attribute(node, name);
    *out_value = 0;
    if (text == NULL || strcmp(text, "-1") == 0)
        return TRUE;
    if (!lp_xml_count(self->xml, node, name, 0, most, out_value, error))
        return FALSE;
    (*out_value)++;
    return TRUE;
}

static gboolean
read_choice(const Reader *self, const xmlNode *node, const char *name, const char *const *names,
            int *out_value, GError **error)
{
    *out_value = lp_choice_parse(lp_xml_attribute(node, name), names, error);
    if (*out_value < 0)
        lp_xml_prefix(self->xml, node, name, error);
    return *out_value >= 0;
}

static gboolean
read_step(const Reader *self, const xmlNode *node, Step *step, GError **error)
{
    *step = (Step){.node = node};
    return read_choice(self, node, "type", type_names, &step->type, error) &&
           read_choice(self, node, "srcbuf", buffer_names, &step->from, error) &&
           read_choice(self, node, "dstbuf", buffer_names, &step->to, error) &&
           (strcmp(type_names[step->type], "nop") == 0 ||
            (lp_xml_count(self->xml, node, "srcoff", 0, CHUNKS_MAX, &step->from_at, error) &&
             lp_xml_count(self->xml, node, "dstoff", 0, CHUNKS_MAX, &step->to_at, error) &&
             lp_xml_count(self->xml, node, "cnt", 1, CHUNKS_MAX, &step->count, error))) &&
           read_partner(self, node, "depid", CHUNKS_MAX, &step->block, error) &&
           read_partner(self, node, "deps", CHUNKS_MAX, &step->step, error);
}

static gboolean
read_block(const Reader *self, Member *member, const xmlNode *node, GError **error)
{
    Block block = {.steps = g_array_new(FALSE, FALSE, sizeof(Step))};
    gboolean good = read_partner(self, node, "send", self->n_ranks - 1, &block.send, error) &&
                    read_partner(self, node, "recv", self->n_ranks - 1, &block.receive, error) &&
                    read_partner(self, node, "chan", CHUNKS_MAX, &block.channel, error);
    for (xmlNode *child = lp_xml_element(node->children, "step"); good && child != NULL;
         child = lp_xml_element(child->next, "step")) {
        Step step;
        good = read_step(self, child, &step, error);
        g_array_append_val(block.steps, step);
    }
    g_array_append_val(member->blocks, block);
    return good;
}

/* Places of the buffers of @rank before anything is sent. */
static guint32
first_chunk(const Reader *self, guint32 rank, int buffer, guint64 place)
{
    guint64 own = self->n_chunks / self->n_ranks;
    gboolean is_input = buffer == INPUT;
    switch (self->collective) {
    case LP_COLLECTIVE_ALL_GATHER:
        return (guint32)(is_input ? rank * own + place : place);
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return (guint32)(is_input ? place : rank * own + place);
    case LP_COLLECTIVE_ALL_TO_ALL:
        return (guint32)(is_input ? rank * self->n_ranks + place : place * self->n_ranks + rank);
    default:
        return (guint32)place;
    }
}

static gboolean
read_member(Reader *self, const xmlNode *node, GError **error)
{
    guint64 rank = 0, n_scratch = 0;
    if (!lp_xml_count(self->xml, node, "id", 0, self->n_ranks - 1, &rank, error) ||
        !lp_xml_count(self->xml, node, "s_chunks", 0, CHUNKS_MAX, &n_scratch, error))
        return FALSE;
    Member *member = &self->members[rank];
    if (member->is_read) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error,
                     "got gpu %u a second time, wanted each once", (guint)rank);
        return FALSE;
    }
    member->is_read = TRUE;
    guint64 sizes[N_BUFFERS] = {self->n_input, self->n_output, n_scratch};
    for (int buffer = 0; buffer < N_BUFFERS; buffer++)
        for (guint64 place = 0; place < sizes[buffer]; place++) {
            guint32 chunk =
                buffer == SCRATCH ? NOTHING : first_chunk(self, (guint32)rank, buffer, place);
            g_array_append_val(member->buffers[buffer], chunk);
        }
    for (xmlNode *child = lp_xml_element(node->children, "tb"); child != NULL;
         child = lp_xml_element(child->next, "tb"))
        if (!read_block(self, member, child, error))
            return FALSE;
    return TRUE;
}

static gboolean
read_sizes(Reader *self, const xmlNode *node, GError **error)
{
    const xmlNode *gpu = lp_xml_element(node->children, "gpu");
    int found = 0;
    if (!read_choice(self, node, "coll", collective_names, &found, error))
        return FALSE;
    self->collective = collectives[found];
    if (!lp_xml_count(self->xml, node, "ngpus", 2, RANKS_MAX, &self->n_ranks, error) ||
        !lp_xml_count(self->xml, gpu, "i_chunks", 0, CHUNKS_MAX, &self->n_input, error) ||
        !lp_xml_count(self->xml, gpu, "o_chunks", 0, CHUNKS_MAX, &self->n_output, error))
        return FALSE;
    self->n_chunks = MAX(self->n_input, self->n_output);
    gboolean is_exchange = self->collective == LP_COLLECTIVE_ALL_TO_ALL;
    if (self->n_chunks == 0 || (is_exchange && self->n_chunks != self->n_ranks) ||
        self->n_chunks % (self->collective == LP_COLLECTIVE_ALL_GATHER ||
                                  self->collective == LP_COLLECTIVE_REDUCE_SCATTER
                              ? self->n_ranks
                              : 1) !=
            0) {
        lp_xml_error(self->xml, gpu, LP_INPUT_ERROR_VALUE, error,
                     "got %u chunks for %u gpus, wanted as many for each%s", (guint)self->n_chunks,
                     (guint)self->n_ranks, is_exchange ? ", one" : "");
        return FALSE;
    }
    if (is_exchange)
        self->n_chunks = self->n_ranks * self->n_ranks;
    return TRUE;
}

/* --- rounds --- */

static guint32 *
place_of(const Reader *self, guint32 rank, int buffer, guint64 place)
{
    GArray *places = self->members[rank].buffers[buffer];
    return place < places->len ? &g_array_index(places, guint32, place) : NULL;
}

static gboolean
is_ready(const Member *member, const Step *step)
{
    if (step->block == 0 || step->step == 0)
        return TRUE;
    return step->block <= member->blocks->len &&
           g_array_index(member->blocks, Block, step->block - 1).done >= step->step;
}

static gboolean
fail(const Reader *self, const Step *step, GError **error, const char *problem)
{
    lp_xml_error(self->xml, step->node, LP_INPUT_ERROR_VALUE, error, "%s", problem);
    return FALSE;
}

/* What @rank's step reads, to be sent in @round. */
static gboolean
send(Reader *self, guint32 rank, Block *block, const Step *step, guint32 round, GError **error)
{
    /* What was received and goes on stands where it was put; a sum that is not kept, at its source.
     */
    gboolean from_target = receives[step->type] && strcmp(type_names[step->type], "rrs") != 0;
    int buffer = from_target ? step->to : step->from;
    guint64 first = from_target ? step->to_at : step->from_at;
    Message message = {
        rank, (guint32)block->send - 1, block->channel, self->list->len, (guint)step->count, FALSE};
    if (block->send == 0)
        return fail(self, step, error, "got a step that sends to nobody, wanted a tb with send");
    for (guint64 i = 0; i < step->count; i++) {
        const guint32 *chunk = place_of(self, rank, buffer, first + i);
        if (chunk == NULL || *chunk == NOTHING)
            return fail(self, step, error, "got a step that sends what has not come, wanted it to");
        LpListedSend one = {round, rank, message.to, *chunk, FALSE};
        g_array_append_val(self->list, one);
    }
    g_array_append_val(self->messages, message);
    return self->list->len <= SENDS_MAX ||
           fail(self, step, error, "got more than 16777216 chunks on their way, wanted fewer");
}

static Message *
find_message(const Reader *self, guint32 rank, const Block *block)
{
    for (guint i = 0; i < self->messages->len; i++) {
        Message *message = &g_array_index(self->messages, Message, i);
        if (!message->is_taken && message->to == rank && message->from + 1 == block->receive &&
            message->channel == block->channel)
            return message;
    }
    return NULL;
}

/* Chunks lie where sums put them; scratch is summed as it comes. */
static gboolean
receive(Reader *self, guint32 rank, const Step *step, Message *message, GError **error)
{
    gboolean has_sums = self->collective == LP_COLLECTIVE_ALL_REDUCE ||
                        self->collective == LP_COLLECTIVE_REDUCE_SCATTER ||
                        self->collective == LP_COLLECTIVE_REDUCE;
    if (message->count != step->count)
        return fail(self, step, error, "got another count than was sent, wanted the same");
    message->is_taken = TRUE;
    for (guint i = 0; i < message->count; i++) {
        LpListedSend *sent = &g_array_index(self->list, LpListedSend, message->first + i);
        guint32 *place = place_of(self, rank, step->to, step->to_at + i);
        if (place == NULL)
            return fail(self, step, error, "got a place beyond its buffer, wanted one in it");
        sent->sums = sums[step->type] || (has_sums && step->to == SCRATCH);
        *place = sent->chunk;
    }
    return TRUE;
}

static gboolean
copy(Reader *self, guint32 rank, const Step *step, GError **error)
{
    for (guint64 i = 0; step->type == TYPE_CPY && i < step->count; i++) {
        guint32 *from = place_of(self, rank, step->from, step->from_at + i);
        guint32 *to = place_of(self, rank, step->to, step->to_at + i);
        if (from == NULL || to == NULL)
            return fail(self, step, error, "got a place beyond its buffer, wanted one in it");
        *to = *from;
    }
    return TRUE;
}

/* A block's next step, if it is ready. NULL: none. */
static const Step *
next_step(const Member *member, const Block *block)
{
    const Step *step =
        block->next < block->steps->len ? &g_array_index(block->steps, Step, block->next) : NULL;
    return step != NULL && is_ready(member, step) ? step : NULL;
}

/* What takes no time, until nothing is left of it. */
static gboolean
run_local(Reader *self, guint32 rank, gboolean *io_moved, GError **error)
{
    Member *member = &self->members[rank];
    for (gboolean again = TRUE; again;) {
        again = FALSE;
        for (guint i = 0; i < member->blocks->len; i++) {
            Block *block = &g_array_index(member->blocks, Block, i);
            const Step *step = next_step(member, block);
            if (step == NULL || sends[step->type] || receives[step->type])
                continue;
            if (!copy(self, rank, step, error))
                return FALSE;
            block->done = ++block->next;
            again = *io_moved = TRUE;
        }
    }
    return TRUE;
}

typedef gboolean (*Visit)(Reader *self, guint32 rank, Block *block, guint32 round,
                          gboolean *io_moved, GError **error);

static gboolean
visit_send(Reader *self, guint32 rank, Block *block, guint32 round, gboolean *io_moved,
           GError **error)
{
    const Step *step = next_step(&self->members[rank], block);
    if (step == NULL || !sends[step->type] || (receives[step->type] && !block->has_received))
        return TRUE;
    block->has_received = FALSE;
    block->next++;
    *io_moved = TRUE;
    return send(self, rank, block, step, round, error);
}

static gboolean
visit_receive(Reader *self, guint32 rank, Block *block, guint32 round, gboolean *io_moved,
              GError **error)
{
    (void)round;
    const Step *step = next_step(&self->members[rank], block);
    Message *message = step != NULL && receives[step->type] && !block->has_received
                           ? find_message(self, rank, block)
                           : NULL;
    if (message == NULL)
        return TRUE;
    if (sends[step->type])
        block->has_received = TRUE;
    else
        block->next++;
    *io_moved = TRUE;
    return receive(self, rank, step, message, error);
}

static gboolean
visit_all(Reader *self, Visit visit, guint32 round, gboolean *io_moved, GError **error)
{
    for (guint32 rank = 0; rank < self->n_ranks; rank++) {
        GArray *blocks = self->members[rank].blocks;
        for (guint i = 0; i < blocks->len; i++)
            if (!visit(self, rank, &g_array_index(blocks, Block, i), round, io_moved, error))
                return FALSE;
    }
    return TRUE;
}

/* Every block has come to its end. */
static gboolean
check_end(const Reader *self, GError **error)
{
    for (guint32 rank = 0; rank < self->n_ranks; rank++)
        for (guint i = 0; i < self->members[rank].blocks->len; i++) {
            const Block *block = &g_array_index(self->members[rank].blocks, Block, i);
            if (block->next < block->steps->len)
                return fail(self, &g_array_index(block->steps, Step, block->next), error,
                            "got a step that waits for ever, wanted what it waits for");
        }
    return TRUE;
}

/* What is sent in a round was there before it, and comes in it. */
static gboolean
run(Reader *self, guint32 *out_rounds, GError **error)
{
    gboolean moved = TRUE;
    guint32 round = 0;
    while (moved) {
        guint before = self->list->len;
        moved = FALSE;
        for (guint32 rank = 0; rank < self->n_ranks; rank++)
            if (!run_local(self, rank, &moved, error))
                return FALSE;
        if (!visit_all(self, visit_send, round, &moved, error) ||
            !visit_all(self, visit_receive, round, &moved, error))
            return FALSE;
        for (guint32 rank = 0; rank < self->n_ranks; rank++)
            for (guint i = 0; i < self->members[rank].blocks->len; i++) {
                Block *block = &g_array_index(self->members[rank].blocks, Block, i);
                block->done = block->next;
            }
        round += self->list->len > before ? 1 : 0;
    }
    *out_rounds = round;
    return check_end(self, error);
}

/* --- the whole --- */

static char *
clean_name(const char *name)
{
    static const char known[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS;
    g_autofree char *cut = g_strndup(*name != '\0' ? name : "msccl", 40);
    return g_strcanon(g_steal_pointer(&cut), known, '_');
}

static LpStepList *
read_algorithm(Reader *self, const xmlNode *node, GError **error)
{
    guint32 n_rounds = 0;
    for (xmlNode *gpu = lp_xml_element(node->children, "gpu"); gpu != NULL;
         gpu = lp_xml_element(gpu->next, "gpu"))
        if (!read_member(self, gpu, error))
            return NULL;
    if (!run(self, &n_rounds, error))
        return NULL;
    g_autofree char *name = clean_name(lp_xml_attribute(node, "name"));
    g_autoptr(LpStepList) list =
        lp_step_list_new(name, self->collective, (guint32)self->n_ranks, (guint32)self->n_chunks,
                         n_rounds, g_steal_pointer(&self->list));
    g_autoptr(GError) fault = NULL;
    if (lp_step_list_check(list, &fault))
        return g_steal_pointer(&list);
    lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error, "%s", fault->message);
    return NULL;
}

static void
clear(Reader *self)
{
    for (guint64 rank = 0; self->members != NULL && rank < self->n_ranks; rank++) {
        Member *member = &self->members[rank];
        for (guint i = 0; i < member->blocks->len; i++)
            g_array_unref(g_array_index(member->blocks, Block, i).steps);
        g_array_unref(member->blocks);
        for (int buffer = 0; buffer < N_BUFFERS; buffer++)
            g_array_unref(member->buffers[buffer]);
    }
    g_free(self->members);
    g_array_unref(self->messages);
    if (self->list != NULL)
        g_array_unref(self->list);
}

LpStepList *
lp_msccl_read(const char *path, GError **error)
{
    (void)lp_workloads_get_resource();
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    Reader reader = {.xml = xml,
                     .messages = g_array_new(FALSE, FALSE, sizeof(Message)),
                     .list = g_array_new(FALSE, FALSE, sizeof(LpListedSend))};
    LpStepList *list = NULL;
    if (read_sizes(&reader, lp_xml_root(xml), error)) {
        reader.members = g_new0(Member, reader.n_ranks);
        for (guint64 rank = 0; rank < reader.n_ranks; rank++) {
            reader.members[rank].blocks = g_array_new(FALSE, FALSE, sizeof(Block));
            for (int buffer = 0; buffer < N_BUFFERS; buffer++)
                reader.members[rank].buffers[buffer] = g_array_new(FALSE, FALSE, sizeof(guint32));
        }
        list = read_algorithm(&reader, lp_xml_root(xml), error);
    }
    clear(&reader);
    return list;
}
