/* SPDX-License-Identifier: Apache-2.0 */
/* Reads operations, each for itself, and whom they wait for by name. */
#include "workloads/given/given_operation.h"

#include "base/error.h"

#include <string.h>

/* Longer than any iteration: a century. */
#define TIME_MAX_S 3.2e9
/* Counts of bytes stay exact as doubles. */
#define BYTES_MAX 9007199254740992.0
#define FLOP_MAX 1e27
#define TIMES_MAX 1000000u
#define NO_BODY G_MAXUINT32

/* What stands where an operation is read. */
typedef struct {
    LpGivenProgram *program; /* borrowed */
    const LpXml *xml;        /* borrowed */
    xmlNode *node;           /* borrowed: the operation */
} Reader;

static gboolean fail(const Reader *self, const char *attribute, GError **error, const char *format,
                     ...) G_GNUC_PRINTF(4, 5);

static gboolean
fail(const Reader *self, const char *attribute, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, message);
    lp_xml_prefix(self->xml, self->node, attribute, error);
    return FALSE;
}

static const char *
text_of(const Reader *self, const char *name)
{
    return lp_xml_attribute(self->node, name);
}

static gboolean
read_time(const Reader *self, const char *name, double *io_value, GError **error)
{
    return text_of(self, name) == NULL ||
           lp_xml_quantity_in(self->xml, self->node, name, LP_QUANTITY_TIME, 0.0, TIME_MAX_S,
                              io_value, error);
}

static gboolean
read_count(const Reader *self, const char *name, guint64 minimum, guint64 maximum,
           guint32 *io_value, GError **error)
{
    guint64 value = *io_value;
    if (text_of(self, name) != NULL &&
        !lp_xml_count(self->xml, self->node, name, minimum, maximum, &value, error))
        return FALSE;
    *io_value = (guint32)value;
    return TRUE;
}

static gboolean
read_choice(const Reader *self, const char *name, const char *const *names, gboolean *out_is_said,
            int *out_value, GError **error)
{
    const char *text = text_of(self, name);
    *out_is_said = text != NULL;
    *out_value = text == NULL ? 0 : lp_choice_parse(text, names, error);
    if (*out_value >= 0)
        return TRUE;
    lp_xml_prefix(self->xml, self->node, name, error);
    return FALSE;
}

static gboolean
read_queue(const Reader *self, const char *name, guint32 *out_queue, GError **error)
{
    const char *text = text_of(self, name);
    *out_queue =
        text == NULL ? LP_GIVEN_COMPUTE_QUEUE : lp_given_program_queue(self->program, text);
    return *out_queue != G_MAXUINT32 ||
           fail(self, name, error, "got %s, one more queue, wanted at most %u, compute among them",
                text, LP_GIVEN_QUEUES_MAX);
}

/* --- kinds --- */

static gboolean
read_flop(const Reader *self, LpGivenOp *op, GError **error)
{
    op->has_rates = text_of(self, "flop") != NULL || text_of(self, "bytes") != NULL;
    return (text_of(self, "flop") == NULL ||
            lp_xml_number(self->xml, self->node, "flop", 0.0, FLOP_MAX, &op->flop, error)) &&
           (text_of(self, "bytes") == NULL ||
            lp_xml_quantity_in(self->xml, self->node, "bytes", LP_QUANTITY_SIZE, 0.0, BYTES_MAX,
                               &op->memory_bytes, error));
}

static gboolean
read_compute(const Reader *self, LpGivenOp *op, GError **error)
{
    op->kind = LP_GIVEN_COMPUTE;
    LpWork *work = &op->work;
    if (!read_flop(self, op, error) || !read_time(self, "time", &work->device_s, error))
        return FALSE;
    if (op->has_rates == (text_of(self, "time") != NULL))
        return fail(self, "time", error, "got %s, wanted time, or flop and bytes",
                    op->has_rates ? "it beside flop or bytes" : "none");
    work->bound_s = work->device_s;
    if (!read_time(self, "host", &work->host_s, error))
        return FALSE;
    work->issue_s = work->host_s;
    work->waits = text_of(self, "wait") != NULL;
    return read_time(self, "issue", &work->issue_s, error) &&
           read_time(self, "bound", &work->bound_s, error) &&
           read_time(self, "idle", &work->idle_s, error) &&
           read_time(self, "wait", &work->wait_s, error);
}

static gboolean
read_bytes(const Reader *self, LpGivenOp *op, GError **error)
{
    double bytes = 0.0;
    if (!lp_xml_quantity_in(self->xml, self->node, "bytes", LP_QUANTITY_SIZE, 0.0, BYTES_MAX,
                            &bytes, error))
        return FALSE;
    op->bytes = (guint64)bytes;
    return (double)op->bytes >= bytes ||
           fail(self, "bytes", error, "got %s, wanted whole bytes", text_of(self, "bytes"));
}

static gboolean
read_collective(const Reader *self, LpCollective collective, LpGivenOp *op, GError **error)
{
    op->kind = LP_GIVEN_COLLECTIVE;
    op->collective = collective;
    const char *name = text_of(self, "group");
    const LpGivenProgram *program = self->program;
    op->group = program->groups->len;
    for (guint32 i = 0; i < program->groups->len; i++)
        if (strcmp(lp_given_program_groups(program, i)->name, name) == 0)
            op->group = i;
    if (op->group == program->groups->len)
        return fail(self, "group", error, "got %s, wanted the name of <groups> above it", name);
    int traffic = 0;
    if (!read_choice(self, "class", lp_traffic_names, &op->has_traffic, &traffic, error))
        return FALSE;
    op->traffic = (LpTraffic)traffic;
    if (op->has_traffic && op->traffic == LP_TRAFFIC_PP)
        return fail(self, "class", error,
                    "got pp, the class of messages, wanted one of collectives");
    return collective == LP_COLLECTIVE_BARRIER || read_bytes(self, op, error);
}

/* "12", or "+1" and "-1" from the own rank. */
static gboolean
read_message(const Reader *self, const char *name, LpGivenOp *op, GError **error)
{
    const char *text = text_of(self, name);
    gboolean is_signed = text[0] == '+' || text[0] == '-';
    guint64 number = 0;
    if (!lp_count_parse(text + (is_signed ? 1 : 0), 0, G_MAXUINT32, &number, NULL)) {
        g_autofree char *shown = lp_error_quote(text);
        return fail(self, name, error, "got %s, wanted a rank, or +N or -N from the own one",
                    shown);
    }
    op->is_relative = is_signed;
    op->peer = text[0] == '-' ? -(gint64)number : (gint64)number;
    return read_count(self, "tag", 0, G_MAXUINT32, &op->tag, error) && read_bytes(self, op, error);
}

static gboolean
read_wait(const Reader *self, LpGivenOp *op, GError **error)
{
    op->kind = LP_GIVEN_WAIT;
    if (!read_queue(self, "for", &op->waited, error) ||
        !read_count(self, "left", 0, G_MAXUINT32, &op->n_left, error))
        return FALSE;
    if (op->waited == LP_GIVEN_COMPUTE_QUEUE || op->waited == op->queue)
        return fail(self, "for", error,
                    "got the compute queue or the own one, wanted another, which it can wait for");
    return TRUE;
}

static gboolean
read_run(const Reader *self, LpGivenOp *op, GError **error)
{
    const char *name = text_of(self, "block");
    op->kind = LP_GIVEN_RUN;
    op->body = NO_BODY;
    op->times = 1;
    for (guint32 i = 0; i < self->program->bodies->len; i++)
        if (g_strcmp0(lp_given_program_body(self->program, i)->name, name) == 0)
            op->body = i;
    if (op->body == NO_BODY)
        return fail(self, "block", error, "got %s, wanted the name of a <block> above it", name);
    return read_count(self, "times", 1, TIMES_MAX, &op->times, error);
}

static gboolean
read_repeat(const Reader *self, LpGivenOp *op, GError **error)
{
    op->kind = LP_GIVEN_RUN;
    return read_count(self, "times", 1, TIMES_MAX, &op->times, error) &&
           lp_given_operations_read(self->program, self->xml, self->node, NULL, &op->body, error);
}

static gboolean
read_kind(const Reader *self, LpGivenOp *op, GError **error)
{
    const char *name = (const char *)self->node->name;
    if (strcmp(name, "compute") == 0)
        return read_compute(self, op, error);
    if (strcmp(name, "wait") == 0)
        return read_wait(self, op, error);
    if (strcmp(name, "run") == 0)
        return read_run(self, op, error);
    if (strcmp(name, "repeat") == 0)
        return read_repeat(self, op, error);
    op->kind = strcmp(name, "send") == 0 ? LP_GIVEN_SEND : LP_GIVEN_RECEIVE;
    if (strcmp(name, "send") == 0)
        return read_message(self, "to", op, error);
    if (strcmp(name, "receive") == 0)
        return read_message(self, "from", op, error);
    int collective = lp_choice_parse(name, lp_collective_names, error);
    return collective >= 0 && read_collective(self, (LpCollective)collective, op, error);
}

static gboolean
read_operation(const Reader *self, LpGivenOp *op, GError **error)
{
    op->line = (guint32)xmlGetLineNo(self->node);
    op->is_free = text_of(self, "after") != NULL;
    int term = 0;
    if (!read_queue(self, "queue", &op->queue, error) ||
        !read_choice(self, "term", lp_term_names, &op->has_term, &term, error) ||
        !read_kind(self, op, error))
        return FALSE;
    op->term = (LpTerm)term;
    if (op->kind == LP_GIVEN_RECEIVE && op->queue != LP_GIVEN_COMPUTE_QUEUE)
        return fail(self, "queue", error,
                    "got %s, wanted none: messages are taken up by the compute queue",
                    text_of(self, "queue"));
    return TRUE;
}

/* --- bodies --- */

/* The places of all that have an id. */
static gboolean
find_ids(const Reader *self, xmlNode *parent, GHashTable *places, GError **error)
{
    guint place = 0;
    Reader at = *self;
    for (at.node = lp_xml_element(parent->children, NULL); at.node != NULL;
         at.node = lp_xml_element(at.node->next, NULL), place++) {
        const char *id = text_of(&at, "id");
        if (id != NULL &&
            !g_hash_table_insert(places, (gpointer)(guintptr)id, GUINT_TO_POINTER(place)))
            return fail(&at, "id", error, "got %s a second time, wanted each once in a block", id);
    }
    return TRUE;
}

static gboolean
read_after(const Reader *self, GHashTable *places, LpGivenOp *op, GError **error)
{
    const char *text = text_of(self, "after");
    op->first_after = self->program->after->len;
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) ids = g_strsplit_set(text, " \t\r\n", -1);
    for (char **id = ids; *id != NULL; id++) {
        gpointer value = NULL;
        if (**id == '\0')
            continue;
        if (!g_hash_table_lookup_extended(places, *id, NULL, &value)) {
            g_autofree char *shown = lp_error_quote(*id);
            return fail(self, "after", error, "got %s, wanted the id of an operation beside it",
                        shown);
        }
        guint32 place = GPOINTER_TO_UINT(value);
        g_array_append_val(self->program->after, place);
        op->n_after++;
    }
    return TRUE;
}

gboolean
lp_given_operations_read(LpGivenProgram *self, const LpXml *xml, xmlNode *node, const char *name,
                         guint32 *out_body, GError **error)
{
    Reader reader = {self, xml, node};
    g_autoptr(GHashTable) places = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GArray) ops = g_array_new(FALSE, FALSE, sizeof(LpGivenOp));
    if (!find_ids(&reader, node, places, error))
        return FALSE;
    for (reader.node = lp_xml_element(node->children, NULL); reader.node != NULL;
         reader.node = lp_xml_element(reader.node->next, NULL)) {
        LpGivenOp op = {.kind = LP_GIVEN_COMPUTE};
        if (!read_operation(&reader, &op, error) || !read_after(&reader, places, &op, error))
            return FALSE;
        g_array_append_val(ops, op);
    }
    *out_body = lp_given_program_add_body(self, name);
    g_array_append_vals(lp_given_program_body(self, *out_body)->ops, ops->data, ops->len);
    return TRUE;
}
