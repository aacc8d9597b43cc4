/* SPDX-License-Identifier: Apache-2.0 */
/* What given_reader.c reads. */
#include "workloads/given/given_writer.h"

#include "base/ranges.h"
#include "base/xml_writer.h"
#include "workloads/given/given_times.h"

#include <string.h>

typedef struct {
    const LpGivenProgram *program; /* borrowed */
    LpXmlWriter *xml;              /* owned */
    gboolean *is_named;            /* by place of the body at hand: others wait for it */
} Writer;

/* --- head --- */

static void
write_root(Writer *self, const char *name, const char *source, const char *settings)
{
    g_auto(GStrv) texts = g_strsplit(settings != NULL ? settings : "", " ", -1);
    lp_xml_writer_open(self->xml, "program");
    lp_xml_writer_attribute(self->xml, "name", name);
    lp_xml_writer_format(self->xml, "ranks", "%u", self->program->n_ranks);
    for (char **text = texts; *text != NULL; text++) {
        char *value = strchr(*text, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        lp_xml_writer_attribute(self->xml, *text, value + 1);
    }
    lp_xml_writer_text(self->xml, "source", source);
}

static void
write_groups(Writer *self, const LpGivenGroups *groups)
{
    guint first = 0;
    g_autofree char *algorithm = lp_algorithms_format(&groups->algorithms);
    lp_xml_writer_open(self->xml, "groups");
    lp_xml_writer_attribute(self->xml, "name", groups->name);
    lp_xml_writer_attribute(self->xml, "class", lp_traffic_names[groups->traffic]);
    if (groups->algorithms.n_levels > 0)
        lp_xml_writer_attribute(self->xml, "algorithm", algorithm);
    for (guint i = 0; i < groups->sizes->len; i++) {
        guint32 size = g_array_index(groups->sizes, guint32, i);
        g_autofree char *ranks =
            lp_ranges_format(&g_array_index(groups->ranks, guint32, first), size);
        lp_xml_writer_open(self->xml, "group");
        lp_xml_writer_attribute(self->xml, "ranks", ranks);
        lp_xml_writer_close(self->xml);
        first += size;
    }
    lp_xml_writer_close(self->xml);
}

/* --- operations --- */

static void
write_compute(Writer *self, const LpGivenOp *op)
{
    if (op->has_rates) {
        lp_xml_writer_format(self->xml, "flop", "%.17g", op->flop);
        lp_xml_writer_format(self->xml, "bytes", "%.17gB", op->memory_bytes);
        return;
    }
    lp_given_write_work(self->xml, &op->work);
}

static void
write_collective(Writer *self, const LpGivenOp *op)
{
    lp_xml_writer_attribute(self->xml, "group",
                            lp_given_program_groups(self->program, op->group)->name);
    if (op->collective != LP_COLLECTIVE_BARRIER)
        lp_xml_writer_format(self->xml, "bytes", "%" G_GUINT64_FORMAT "B", op->bytes);
    if (op->has_traffic)
        lp_xml_writer_attribute(self->xml, "class", lp_traffic_names[op->traffic]);
}

static void
write_message(Writer *self, const LpGivenOp *op)
{
    const char *name = op->kind == LP_GIVEN_SEND ? "to" : "from";
    if (op->is_relative)
        lp_xml_writer_format(self->xml, name, "%+" G_GINT64_FORMAT, op->peer);
    else
        lp_xml_writer_format(self->xml, name, "%" G_GINT64_FORMAT, op->peer);
    lp_xml_writer_format(self->xml, "bytes", "%" G_GUINT64_FORMAT "B", op->bytes);
    if (op->tag > 0)
        lp_xml_writer_format(self->xml, "tag", "%u", op->tag);
}

static void
write_after(Writer *self, const LpGivenOp *op)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (!op->is_free)
        return;
    for (guint i = op->first_after; i < op->first_after + op->n_after; i++)
        g_string_append_printf(text, "%sn%u", text->len > 0 ? " " : "",
                               g_array_index(self->program->after, guint32, i) + 1);
    lp_xml_writer_attribute(self->xml, "after", text->str);
}

static void write_body(Writer *self, guint32 index);

static void
write_run(Writer *self, const LpGivenOp *op)
{
    const LpGivenBody *body = lp_given_program_body(self->program, op->body);
    lp_xml_writer_open(self->xml, body->name != NULL ? "run" : "repeat");
    if (body->name != NULL)
        lp_xml_writer_attribute(self->xml, "block", body->name);
    lp_xml_writer_format(self->xml, "times", "%u", op->times);
    if (body->name == NULL)
        write_body(self, op->body);
    lp_xml_writer_close(self->xml);
}

static void
write_op(Writer *self, const LpGivenOp *op, guint place)
{
    if (op->kind == LP_GIVEN_RUN) {
        write_run(self, op);
        return;
    }
    lp_xml_writer_open(self->xml, lp_given_op_name(op));
    if (self->is_named[place])
        lp_xml_writer_format(self->xml, "id", "n%u", place + 1);
    if (op->queue != LP_GIVEN_COMPUTE_QUEUE)
        lp_xml_writer_attribute(self->xml, "queue", self->program->queues->pdata[op->queue]);
    if (op->kind == LP_GIVEN_COMPUTE)
        write_compute(self, op);
    else if (op->kind == LP_GIVEN_COLLECTIVE)
        write_collective(self, op);
    else if (op->kind == LP_GIVEN_WAIT) {
        lp_xml_writer_attribute(self->xml, "for", self->program->queues->pdata[op->waited]);
        if (op->n_left > 0)
            lp_xml_writer_format(self->xml, "left", "%u", op->n_left);
    } else
        write_message(self, op);
    write_after(self, op);
    if (op->has_term)
        lp_xml_writer_attribute(self->xml, "term", lp_term_names[op->term]);
    lp_xml_writer_close(self->xml);
}

static void
write_body(Writer *self, guint32 index)
{
    const LpGivenBody *body = lp_given_program_body(self->program, index);
    gboolean *outer = self->is_named;
    g_autofree gboolean *is_named = g_new0(gboolean, body->ops->len + 1);
    self->is_named = is_named;
    for (guint i = 0; i < body->ops->len; i++) {
        const LpGivenOp *op = lp_given_body_op(body, i);
        for (guint k = op->first_after; k < op->first_after + op->n_after; k++)
            is_named[g_array_index(self->program->after, guint32, k)] = TRUE;
    }
    for (guint i = 0; i < body->ops->len; i++)
        write_op(self, lp_given_body_op(body, i), i);
    self->is_named = outer;
}

char *
lp_given_program_to_xml(const LpGivenProgram *self, const char *name, const char *source,
                        const char *settings)
{
    Writer writer = {.program = self, .xml = lp_xml_writer_new()};
    write_root(&writer, name, source, settings);
    lp_given_write_host(writer.xml, &writer.program->execution);
    for (guint32 i = 0; i < self->groups->len; i++)
        write_groups(&writer, lp_given_program_groups(self, i));
    for (guint32 i = 0; i < self->bodies->len; i++) {
        const LpGivenBody *body = lp_given_program_body(self, i);
        if (body->name == NULL)
            continue;
        lp_xml_writer_open(writer.xml, "block");
        lp_xml_writer_attribute(writer.xml, "name", body->name);
        write_body(&writer, i);
        lp_xml_writer_close(writer.xml);
    }
    for (guint32 i = 0; i < self->sections->len; i++) {
        const LpGivenSection *section = lp_given_program_section(self, i);
        g_autofree char *list = lp_ranges_format(
            (const guint32 *)(gconstpointer)section->ranks->data, section->ranks->len);
        lp_xml_writer_open(writer.xml, "ranks");
        lp_xml_writer_attribute(writer.xml, "list", list);
        write_body(&writer, section->body);
        lp_xml_writer_close(writer.xml);
    }
    return lp_xml_writer_finish(writer.xml);
}
