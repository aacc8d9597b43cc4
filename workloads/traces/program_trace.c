/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through what each rank does, and says what each operation waits for. */
#include "workloads/traces/program_trace.h"

#include "base/file.h"
#include "workloads/program/program_xml.h"

#define NO_NODE 0

typedef struct {
    const LpProgram *program;         /* borrowed */
    LpTrace *trace;                   /* borrowed */
    guint32 first_group[LP_N_GROUPS]; /* of the trace, by kind */
} Maker;

/* A rank that is walked through. */
typedef struct {
    const Maker *all; /* borrowed */
    guint32 number;
    LpTraceRank *rank;              /* borrowed */
    guint64 last[LP_N_STREAMS + 1]; /* by stream: its last node; NO_NODE: none */
    GArray *launched[LP_N_STREAMS]; /* owned: guint64, nodes by stream */
    GArray *awaited[LP_N_STREAMS];  /* owned: guint64, what the stream's next node waits for */
} Walk;

static void
add_groups(Maker *self)
{
    const LpCommunicators *communicators = self->program->communicators;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        self->first_group[group] = self->trace->groups->len;
        for (guint i = 0; i < lp_communicators_n(communicators, group); i++) {
            const LpCommunicator *one = lp_communicators_get(communicators, group, i);
            /* ASTRA-sim wants numbers, and has none for 0. */
            g_autofree char *name = g_strdup_printf("%u", self->trace->groups->len + 1);
            g_autofree char *kind = lp_program_group_name(group);
            LpTraceGroup *made =
                lp_trace_group(self->trace, lp_trace_add_group(self->trace, name, kind));
            made->traffic = lp_group_traits(group)->traffic;
            made->algorithms = one->algorithms;
            g_array_append_vals(made->ranks, one->ranks, one->n_members);
        }
    }
}

static gint64
number_of(LpStream stream)
{
    return stream == LP_N_STREAMS ? LP_TRACE_COMPUTE_STREAM : (gint64)stream + 1;
}

/* Adds a node to @stream, behind what the compute stream has done and what stands on its own. */
static LpTraceNode *
add_node(Walk *self, LpStream stream)
{
    LpTraceNode node = {.id = self->rank->nodes->len + 1, .stream = number_of(stream)};
    LpTraceNode *made = lp_trace_add_node(self->rank, &node);
    if (stream != LP_N_STREAMS && self->last[LP_N_STREAMS] != NO_NODE) {
        lp_trace_add_dep(self->rank, self->last[LP_N_STREAMS]);
        made->is_launch = TRUE;
    }
    if (self->last[stream] != NO_NODE)
        lp_trace_add_dep(self->rank, self->last[stream]);
    self->last[stream] = node.id;
    if (stream == LP_N_STREAMS)
        return made;
    for (guint i = 0; i < self->awaited[stream]->len; i++)
        lp_trace_add_dep(self->rank, g_array_index(self->awaited[stream], guint64, i));
    g_array_set_size(self->awaited[stream], 0);
    g_array_append_val(self->launched[stream], node.id);
    return made;
}

static void
add_compute(Walk *self, const LpOp *op)
{
    LpTraceNode *node =
        add_node(self, op->kind == LP_OP_LAUNCH_COMPUTE ? op->stream : LP_N_STREAMS);
    node->op.kind = LP_GIVEN_COMPUTE;
    node->op.work = op->work;
    node->op.has_term = op->term != LP_TERM_COMPUTE;
    node->op.term = op->term;
}

static void
add_collective(Walk *self, const LpOp *op)
{
    const LpProgram *program = self->all->program;
    const LpCommunicator *communicator = lp_program_communicator(program, op->group, self->number);
    LpTraceNode *node = add_node(self, op->kind == LP_OP_LAUNCH ? op->stream : LP_N_STREAMS);
    node->is_joint = communicator == NULL;
    if (node->is_joint)
        return;
    const LpGroupTraits *traits = lp_group_traits(op->group);
    node->op.kind = LP_GIVEN_COLLECTIVE;
    node->op.collective = op->collective;
    node->op.group = self->all->first_group[op->group] +
                     lp_communicators_number(program->communicators, communicator);
    node->op.bytes = op->bytes;
    node->op.has_traffic = op->traffic != traits->traffic;
    node->op.traffic = op->traffic;
    node->op.has_term = op->term != traits->term;
    node->op.term = op->term;
}

/* The launch that has to have ended where @n_pending may be left; NO_NODE: none. */
static guint64
find_launch(const Walk *self, LpStream stream, guint n_pending)
{
    const GArray *launched = self->launched[stream];
    return launched->len > n_pending
               ? g_array_index(launched, guint64, launched->len - 1 - n_pending)
               : NO_NODE;
}

static void
add_wait(Walk *self, const LpOp *op)
{
    gboolean is_join = op->kind == LP_OP_JOIN;
    guint64 id = find_launch(self, is_join ? op->stream : op->awaited, op->n_pending);
    if (id == NO_NODE)
        return;
    if (is_join) {
        add_node(self, LP_N_STREAMS)->is_joint = TRUE;
        lp_trace_add_dep(self->rank, id);
    } else
        g_array_append_val(self->awaited[op->stream], id);
}

static void
add_message(Walk *self, const LpStep *step)
{
    const LpProgram *program = self->all->program;
    gboolean sends = step->kind == LP_STEP_SEND;
    LpTraceNode *node =
        add_node(self, sends ? lp_program_message_stream(program, step->direction) : LP_N_STREAMS);
    node->op.kind = sends ? LP_GIVEN_SEND : LP_GIVEN_RECEIVE;
    node->op.peer =
        (gint64)(sends ? lp_program_message_receiver(program, step->direction, self->number)
                       : lp_program_message_sender(program, step->direction, self->number));
    node->op.bytes = step->bytes;
    node->op.tag = (guint32)step->direction;
}

static void
add_op(Walk *self, const LpOp *op)
{
    switch (op->kind) {
    case LP_OP_COMPUTE:
    case LP_OP_LAUNCH_COMPUTE:
        add_compute(self, op);
        break;
    case LP_OP_COLLECTIVE:
    case LP_OP_LAUNCH:
        add_collective(self, op);
        break;
    case LP_OP_JOIN:
    case LP_OP_AWAIT:
        add_wait(self, op);
        break;
    }
}

static void
add_rank(const Maker *all, guint32 number)
{
    const LpProgram *program = all->program;
    Walk self = {.all = all, .number = number, .rank = lp_trace_rank(all->trace, number)};
    const LpStageProgram *stage = lp_program_stage(program, lp_program_rank_stage(program, number));
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++) {
        self.launched[stream] = g_array_new(FALSE, FALSE, sizeof(guint64));
        self.awaited[stream] = g_array_new(FALSE, FALSE, sizeof(guint64));
    }
    for (guint i = 0; i < stage->n_steps; i++) {
        const LpStep *step = lp_program_step(program, stage->first_step + i);
        if (step->kind != LP_STEP_SEGMENT) {
            add_message(&self, step);
            continue;
        }
        const LpSegment *segment = lp_program_segment(program, step->segment);
        if (i > 0 && program->execution.host_sync == LP_HOST_SYNC_PASSES) {
            LpTraceNode *node = add_node(&self, LP_N_STREAMS);
            node->is_joint = node->is_pass = TRUE;
        }
        for (guint k = 0; k < segment->n_ops; k++)
            add_op(&self, lp_program_op(program, segment->first_op + k));
    }
    for (LpStream stream = 0; stream < LP_N_STREAMS; stream++) {
        g_array_unref(self.launched[stream]);
        g_array_unref(self.awaited[stream]);
    }
}

/* What ranks have in common that do the same: their stage, groups of the same size and algorithms,
 * and peers as far away. */
static char *
key_of(const LpProgram *program, guint32 rank)
{
    GString *key = g_string_new(NULL);
    g_string_append_printf(key, "%u", lp_program_rank_stage(program, rank));
    for (LpGroup group = 0; group < LP_N_GROUPS; group++) {
        const LpCommunicator *one = lp_program_communicator(program, group, rank);
        if (one == NULL)
            continue;
        g_autofree char *algorithms = lp_algorithms_format(&one->algorithms);
        g_string_append_printf(key, " %u:%u:%s", group, one->n_members, algorithms);
    }
    for (LpPipelineDirection line = 0; line < lp_program_n_lines(program); line++) {
        guint64 to = lp_program_message_receiver(program, line, rank);
        guint64 from = lp_program_message_sender(program, line, rank);
        if (to != G_MAXUINT64)
            g_string_append_printf(key, " >%u:%" G_GINT64_FORMAT, line, (gint64)(to - rank));
        if (from != G_MAXUINT64)
            g_string_append_printf(key, " <%u:%" G_GINT64_FORMAT, line, (gint64)(from - rank));
    }
    return g_string_free(key, FALSE);
}

static void
find_alike(const LpProgram *program, LpTrace *trace)
{
    g_autoptr(GHashTable) first = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++) {
        g_autofree char *key = key_of(program, rank);
        gpointer like;
        if (g_hash_table_lookup_extended(first, key, NULL, &like))
            lp_trace_rank(trace, rank)->like = GPOINTER_TO_UINT(like);
        else
            g_hash_table_insert(first, g_steal_pointer(&key), GUINT_TO_POINTER(rank));
    }
}

/* The number of nodes of the ranks that have some. */
static double
count_nodes(const LpProgram *program, const LpTrace *trace)
{
    double n = 0.0;
    g_autofree guint32 *n_ranks = g_new0(guint32, program->pipeline.n_stages);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        if (lp_trace_rank(trace, rank)->like == rank)
            n_ranks[lp_program_rank_stage(program, rank)]++;
    for (guint32 stage = 0; stage < program->pipeline.n_stages; stage++) {
        const LpStageProgram *steps = lp_program_stage(program, stage);
        double of_rank = 0.0;
        for (guint i = 0; i < steps->n_steps; i++) {
            const LpStep *step = lp_program_step(program, steps->first_step + i);
            of_rank += step->kind == LP_STEP_SEGMENT
                           ? lp_program_segment(program, step->segment)->n_ops
                           : 1.0;
        }
        n += of_rank * (double)n_ranks[stage];
    }
    return n;
}

static gboolean fail(const LpWorkload *workload, GError **error, const char *format, double number)
    G_GNUC_PRINTF(3, 0);

static gboolean
fail(const LpWorkload *workload, GError **error, const char *format, double number)
{
    g_autofree char *message = g_strdup_printf(format, number);
    g_set_error(error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_FORM, "%s: %s",
                lp_file_label(workload->path), message);
    return FALSE;
}

static gboolean
check(const LpProgram *program, const LpTrace *trace, const LpWorkload *workload, GError **error)
{
    double n_nodes = count_nodes(program, trace);
    if (program->expert_loads != NULL)
        return fail(workload, error,
                    "got experts whose loads differ, wanted skew=0 and no routing-table: traces "
                    "have blocks of one size in each all-to-all",
                    0.0);
    return n_nodes <= LP_TRACE_NODES_MAX ||
           fail(
               workload, error,
               "got %.3g nodes of all ranks, wanted at most 8e6 (of chakra, --collapse writes each "
               "class of ranks once)",
               n_nodes);
}

LpTrace *
lp_trace_of_program(const LpProgram *program, const LpWorkload *workload, gboolean collapse,
                    GError **error)
{
    const LpPlan *plan = &workload->plan;
    g_autoptr(LpTrace) trace = lp_trace_new(workload->path, (guint32)program->n_ranks);
    if (collapse)
        find_alike(program, trace);
    if (!check(program, trace, workload, error))
        return NULL;
    Maker self = {.program = program, .trace = trace};
    trace->name = g_strdup(workload->name);
    trace->execution = program->execution;
    trace->compute_stream = LP_TRACE_COMPUTE_STREAM;
    trace->settings = g_strdup_printf(
        "precision=%s library=%s library-switch=%s protocol=%s placement=%s slowdown=%.17g",
        lp_precision_names[plan->format.precision], plan->library.name,
        lp_library_switch_names[plan->library.change], plan->library.protocol, workload->placement,
        MAX(program->execution.slowdown, 1.0));
    add_groups(&self);
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        if (lp_trace_rank(trace, rank)->like == rank)
            add_rank(&self, rank);
    return g_steal_pointer(&trace);
}
