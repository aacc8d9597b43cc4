/* SPDX-License-Identifier: Apache-2.0 */
/* Segments become blocks, stages lists of runs, sends and receives. */
#include "workloads/program/program_xml.h"

#include "base/file.h"
#include "base/ranges.h"
#include "base/xml_writer.h"
#include "workloads/given/given_times.h"

#include <math.h>

typedef struct {
    const LpProgram *program; /* borrowed */
    LpXmlWriter *xml;         /* owned */
} Writer;

/* --- names --- */

char *
lp_program_group_name(LpGroup group)
{
    static const char *const names[LP_GROUP_GIVEN] = {[LP_GROUP_TP] = "tp",
                                                      [LP_GROUP_CP] = "cp",
                                                      [LP_GROUP_EP] = "ep",
                                                      [LP_GROUP_EP_NODE] = "ep-within-nodes",
                                                      [LP_GROUP_EP_RAIL] = "ep-rail",
                                                      [LP_GROUP_DP] = "dp",
                                                      [LP_GROUP_REPLICA] = "replica",
                                                      [LP_GROUP_EXPERT_DP] = "expert-dp",
                                                      [LP_GROUP_EMBEDDING] = "embedding",
                                                      [LP_GROUP_CP_HEADS] = "cp-heads"};
    return group < LP_GROUP_GIVEN ? g_strdup(names[group])
                                  : g_strdup_printf("given-%u", group - LP_GROUP_GIVEN);
}

static char *
queue_name(LpStream stream)
{
    static const char *const names[LP_STREAM_GIVEN] = {[LP_STREAM_DP] = "dp",
                                                       [LP_STREAM_LAYER] = "layer",
                                                       [LP_STREAM_RELAY] = "relay",
                                                       [LP_STREAM_PP] = "pp"};
    return stream < LP_STREAM_GIVEN ? g_strdup(names[stream])
                                    : g_strdup_printf("queue-%u", stream - LP_STREAM_GIVEN);
}

static void
write_queue(Writer *self, const char *attribute, LpStream stream)
{
    g_autofree char *name = queue_name(stream);
    if (stream != LP_N_STREAMS)
        lp_xml_writer_attribute(self->xml, attribute, name);
}

/* --- head --- */

/* Whether all ranks are in groups of @size ranks that stand @stride apart. */
static gboolean
is_regular(const LpCommunicators *communicators, LpGroup group, guint32 size, guint64 stride)
{
    guint64 n_ranks = lp_communicators_n_ranks(communicators);
    guint n = lp_communicators_n(communicators, group);
    if (stride == 0 || (guint64)n * size != n_ranks || n_ranks % (size * stride) != 0)
        return FALSE;
    for (guint i = 0; i < n; i++) {
        const LpCommunicator *one = lp_communicators_get(communicators, group, i);
        if (one->n_members != size || one->ranks[0] / stride % size != 0)
            return FALSE;
        for (guint32 k = 0; k < size; k++)
            if (one->ranks[k] != one->ranks[0] + k * stride)
                return FALSE;
    }
    return TRUE;
}

static void
write_members(Writer *self, LpGroup group)
{
    const LpCommunicators *communicators = self->program->communicators;
    const LpCommunicator *first = lp_communicators_get(communicators, group, 0);
    guint64 stride = first->ranks[1] > first->ranks[0] ? first->ranks[1] - first->ranks[0] : 0;
    if (is_regular(communicators, group, first->n_members, stride)) {
        lp_xml_writer_format(self->xml, "size", "%u", first->n_members);
        lp_xml_writer_format(self->xml, "stride", "%" G_GUINT64_FORMAT, stride);
        return;
    }
    for (guint i = 0; i < lp_communicators_n(communicators, group); i++) {
        const LpCommunicator *one = lp_communicators_get(communicators, group, i);
        g_autofree char *ranks = lp_ranges_format(one->ranks, one->n_members);
        lp_xml_writer_open(self->xml, "group");
        lp_xml_writer_attribute(self->xml, "ranks", ranks);
        lp_xml_writer_close(self->xml);
    }
}

static void
write_groups(Writer *self)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        if (lp_communicators_n(self->program->communicators, group) == 0)
            continue;
        const LpCommunicator *first = lp_communicators_get(self->program->communicators, group, 0);
        g_autofree char *name = lp_program_group_name(group);
        g_autofree char *algorithm = lp_algorithms_format(&first->algorithms);
        lp_xml_writer_open(self->xml, "groups");
        lp_xml_writer_attribute(self->xml, "name", name);
        lp_xml_writer_attribute(self->xml, "class",
                                lp_traffic_names[lp_group_traits(group)->traffic]);
        if (first->algorithms.n_levels > 0)
            lp_xml_writer_attribute(self->xml, "algorithm", algorithm);
        write_members(self, group);
        lp_xml_writer_close(self->xml);
    }
}

/* --- operations --- */

static void
write_term(Writer *self, LpTerm term, LpTerm usual)
{
    if (term != usual)
        lp_xml_writer_attribute(self->xml, "term", lp_term_names[term]);
}

static void
write_compute(Writer *self, const LpOp *op)
{
    lp_xml_writer_open(self->xml, "compute");
    if (op->kind == LP_OP_LAUNCH_COMPUTE)
        write_queue(self, "queue", op->stream);
    lp_given_write_work(self->xml, &op->work);
    write_term(self, op->term, LP_TERM_COMPUTE);
    lp_xml_writer_close(self->xml);
}

static void
write_collective(Writer *self, const LpOp *op)
{
    const LpGroupTraits *traits = lp_group_traits(op->group);
    g_autofree char *group = lp_program_group_name(op->group);
    lp_xml_writer_open(self->xml, lp_collective_names[op->collective]);
    if (op->kind == LP_OP_LAUNCH)
        write_queue(self, "queue", op->stream);
    lp_xml_writer_attribute(self->xml, "group", group);
    if (op->collective != LP_COLLECTIVE_BARRIER)
        lp_xml_writer_format(self->xml, "bytes", "%" G_GUINT64_FORMAT "B", op->bytes);
    if (op->traffic != traits->traffic)
        lp_xml_writer_attribute(self->xml, "class", lp_traffic_names[op->traffic]);
    write_term(self, op->term, traits->term);
    lp_xml_writer_close(self->xml);
}

static void
write_wait(Writer *self, const LpOp *op)
{
    lp_xml_writer_open(self->xml, "wait");
    if (op->kind == LP_OP_AWAIT)
        write_queue(self, "queue", op->stream);
    write_queue(self, "for", op->kind == LP_OP_AWAIT ? op->awaited : op->stream);
    if (op->n_pending > 0)
        lp_xml_writer_format(self->xml, "left", "%u", op->n_pending);
    if (op->kind == LP_OP_JOIN)
        lp_xml_writer_attribute(self->xml, "term", lp_term_names[op->term]);
    lp_xml_writer_close(self->xml);
}

static void
write_op(Writer *self, const LpOp *op)
{
    switch (op->kind) {
    case LP_OP_COMPUTE:
    case LP_OP_LAUNCH_COMPUTE:
        write_compute(self, op);
        break;
    case LP_OP_COLLECTIVE:
    case LP_OP_LAUNCH:
        write_collective(self, op);
        break;
    case LP_OP_JOIN:
    case LP_OP_AWAIT:
        write_wait(self, op);
        break;
    }
}

static void
write_blocks(Writer *self)
{
    for (guint i = 0; i < self->program->segments->len; i++) {
        const LpSegment *segment = lp_program_segment(self->program, i);
        lp_xml_writer_open(self->xml, "block");
        lp_xml_writer_format(self->xml, "name", "%s-%u", lp_role_names[segment->role], i);
        for (guint k = 0; k < segment->n_ops; k++)
            write_op(self, lp_program_op(self->program, segment->first_op + k));
        lp_xml_writer_close(self->xml);
    }
}

/* --- stages --- */

/* How far the other end of @step is from the own rank. */
static gint64
distance(const LpProgram *program, const LpStep *step, guint64 rank)
{
    guint64 peer = step->kind == LP_STEP_SEND
                       ? lp_program_message_receiver(program, step->direction, rank)
                       : lp_program_message_sender(program, step->direction, rank);
    return (gint64)peer - (gint64)rank;
}

static void
write_message(Writer *self, const LpStep *step, guint64 rank)
{
    gboolean sends = step->kind == LP_STEP_SEND;
    lp_xml_writer_open(self->xml, sends ? "send" : "receive");
    if (sends)
        write_queue(self, "queue", lp_program_message_stream(self->program, step->direction));
    lp_xml_writer_format(self->xml, sends ? "to" : "from", "%+" G_GINT64_FORMAT,
                         distance(self->program, step, rank));
    lp_xml_writer_format(self->xml, "bytes", "%" G_GUINT64_FORMAT "B", step->bytes);
    lp_xml_writer_format(self->xml, "tag", "%d", (int)step->direction);
    lp_xml_writer_close(self->xml);
}

static void
write_stage(Writer *self, guint32 stage, const GArray *ranks)
{
    const LpProgram *program = self->program;
    const LpStageProgram *steps = lp_program_stage(program, stage);
    g_autofree char *list =
        lp_ranges_format((const guint32 *)(gconstpointer)ranks->data, ranks->len);
    lp_xml_writer_open(self->xml, "ranks");
    lp_xml_writer_attribute(self->xml, "list", list);
    for (guint i = 0; i < steps->n_steps; i++) {
        const LpStep *step = lp_program_step(program, steps->first_step + i);
        if (step->kind != LP_STEP_SEGMENT) {
            write_message(self, step, g_array_index(ranks, guint32, 0));
            continue;
        }
        LpRole role = lp_program_segment(program, step->segment)->role;
        lp_xml_writer_open(self->xml, "run");
        lp_xml_writer_format(self->xml, "block", "%s-%u", lp_role_names[role], step->segment);
        lp_xml_writer_close(self->xml);
    }
    lp_xml_writer_close(self->xml);
}

/* --- what cannot be said --- */

static gboolean
fail(const LpWorkload *workload, GError **error, const char *message)
{
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_FORM, "%s: %s",
                lp_file_label(workload->path), message);
    return FALSE;
}

/* Returns: (transfer full) arrays of guint32, by stage. */
static GPtrArray *
find_ranks(const LpProgram *program)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++)
        g_ptr_array_add(all, g_array_new(FALSE, FALSE, sizeof(guint32)));
    for (guint32 rank = 0; rank < program->n_ranks; rank++)
        g_array_append_val((GArray *)all->pdata[lp_program_rank_stage(program, rank)], rank);
    return all;
}

/* Ranks of a stage say in one way whom they send to. */
static gboolean
check_lines(const LpProgram *program, const GPtrArray *all)
{
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++) {
        const LpStageProgram *steps = lp_program_stage(program, stage);
        const GArray *ranks = all->pdata[stage];
        for (guint i = 0; i < steps->n_steps; i++) {
            const LpStep *step = lp_program_step(program, steps->first_step + i);
            if (step->kind == LP_STEP_SEGMENT)
                continue;
            gint64 first = distance(program, step, g_array_index(ranks, guint32, 0));
            for (guint k = 1; k < ranks->len; k++)
                if (distance(program, step, g_array_index(ranks, guint32, k)) != first)
                    return FALSE;
        }
    }
    return TRUE;
}

static gboolean
check(const LpProgram *program, const LpWorkload *workload, const GPtrArray *ranks, GError **error)
{
    if (program->expert_loads != NULL)
        return fail(workload, error,
                    "got experts whose loads differ, wanted skew=0 and no routing-table: a program "
                    "by hand has blocks of one size in each all-to-all");
    return check_lines(program, ranks) ||
           fail(workload, error,
                "got ranks that do the same, but send at distances of their own, wanted one "
                "distance");
}

char *
lp_program_to_xml(const LpProgram *program, const LpWorkload *workload, const char *accelerator,
                  GError **error)
{
    const LpPlan *plan = &workload->plan;
    g_autoptr(GPtrArray) ranks = find_ranks(program);
    if (!check(program, workload, ranks, error))
        return NULL;
    Writer self = {program, lp_xml_writer_new()};
    g_autofree char *source = g_strdup_printf(
        "the program of %s with the kernel times of %s, written by lightpath workload program",
        workload->name, accelerator);
    lp_xml_writer_open(self.xml, "program");
    lp_xml_writer_attribute(self.xml, "name", workload->name);
    lp_xml_writer_format(self.xml, "ranks", "%" G_GUINT64_FORMAT, program->n_ranks);
    lp_xml_writer_attribute(self.xml, "precision", lp_precision_names[plan->format.precision]);
    lp_xml_writer_attribute(self.xml, "library", plan->library.name);
    lp_xml_writer_attribute(self.xml, "library-switch",
                            lp_library_switch_names[plan->library.change]);
    lp_xml_writer_attribute(self.xml, "protocol", plan->library.protocol);
    lp_xml_writer_attribute(self.xml, "placement", workload->placement);
    lp_xml_writer_format(self.xml, "slowdown", "%.17g", fmax(program->execution.slowdown, 1.0));
    lp_xml_writer_text(self.xml, "source", source);
    lp_given_write_host(self.xml, &self.program->execution);
    write_groups(&self);
    write_blocks(&self);
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++)
        write_stage(&self, stage, ranks->pdata[stage]);
    return lp_xml_writer_finish(self.xml);
}
