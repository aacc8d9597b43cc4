/* SPDX-License-Identifier: Apache-2.0 */
/* The builder: which operations it writes, and what its joins wait for. */
#include "workloads/program/builder.h"

#include "workloads/description/workload.h"

#include "tests/testlib.h"

#define GPT3 "resource:///lightpath/workloads/gpt3-175b.xml"

/* A program without operations, whose communicators are those of GPT-3 with @text. */
static LpProgram *
empty_program(const char *text)
{
    g_autofree char *all = g_strconcat("framework=none ", text, NULL);
    g_auto(GStrv) settings = g_strsplit(g_strchomp(all), " ", -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(GPT3, (const char *const *)settings, &error);
    lp_test_text(text, error != NULL ? error->message : NULL, NULL);
    if (workload == NULL)
        return NULL;
    LpProgram *program = lp_program_new();
    program->communicators = lp_communicators_new(&workload->transformer, &workload->plan, NULL);
    return program;
}

/* Kernels in a row are one operation, unless a segment, a term or a load lies between them. */
static void
test_compute(void)
{
    g_autoptr(LpProgram) program = empty_program("overlap-dp=no");
    if (program == NULL)
        return;
    const LpWork second = {.device_s = 1.0, .bound_s = 1.0};
    LpBuilder builder = {.program = program};
    lp_test_true("first segment", lp_builder_begin_segment(&builder, LP_ROLE_FORWARD, 0, 0) == 0);
    lp_builder_add_compute(&builder, LP_TERM_COMPUTE, second);
    lp_builder_add_compute(&builder, LP_TERM_COMPUTE, second);
    lp_builder_add_compute(&builder, LP_TERM_COMPUTE, LP_WORK_NONE);
    lp_test_true("kernels in a row", program->ops->len == 1);
    lp_test_close("kernels in a row", lp_program_op(program, 0)->work.device_s, 2.0, 1e-12);
    lp_builder_add_compute(&builder, LP_TERM_OPTIMIZER, second);
    lp_test_true("another term", program->ops->len == 2);
    lp_builder_end_segment(&builder);
    lp_test_true("second segment", lp_builder_begin_segment(&builder, LP_ROLE_FINISH, 1, 0) == 1);
    lp_builder_add_compute(&builder, LP_TERM_OPTIMIZER, second);
    lp_builder_add_loaded(&builder, second);
    lp_test_true("no loads", program->ops->len == 4 && !lp_program_op(program, 3)->loaded);
    program->expert_loads = g_new0(double, 1);
    lp_builder_add_loaded(&builder, second);
    lp_builder_add_compute(&builder, LP_TERM_COMPUTE, second);
    lp_test_true("loads", program->ops->len == 6 && lp_program_op(program, 4)->loaded);
    lp_builder_end_segment(&builder);
    lp_test_true("operations of the segments", lp_program_segment(program, 0)->n_ops == 2 &&
                                                   lp_program_segment(program, 1)->first_op == 2 &&
                                                   lp_program_segment(program, 1)->n_ops == 4);
}

/* A group has one stream: what it runs is launched there and joined, or waited for. */
static void
test_collective(void)
{
    static const struct {
        const char *settings;
        LpGroup group;
        guint64 bytes;
        guint n_ops;
        LpOpKind first;
    } rows[] = {
        {"overlap-tp=no", LP_GROUP_TP, 8, 1, LP_OP_COLLECTIVE},
        {"overlap-tp=yes sequence-parallel=yes", LP_GROUP_TP, 8, 2, LP_OP_LAUNCH},
        {"overlap-dp=no", LP_GROUP_DP, 1, 1, LP_OP_COLLECTIVE},
        {"overlap-dp=yes", LP_GROUP_DP, 1, 2, LP_OP_LAUNCH},
        {"overlap-dp=yes", LP_GROUP_DP, 0, 0, LP_OP_LAUNCH},
        {"overlap-dp=yes", LP_GROUP_CP, 8, 0, LP_OP_LAUNCH}, /* of one member */
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpProgram) program = empty_program(rows[i].settings);
        if (program == NULL)
            continue;
        LpBuilder builder = {.program = program};
        (void)lp_builder_begin_segment(&builder, LP_ROLE_FORWARD, 0, 0);
        lp_builder_add_collective(&builder, LP_COLLECTIVE_ALL_GATHER, rows[i].group, rows[i].bytes);
        lp_test_true(rows[i].settings, program->ops->len == rows[i].n_ops);
        if (program->ops->len != rows[i].n_ops || rows[i].n_ops == 0)
            continue;
        const LpOp *first = lp_program_op(program, 0);
        lp_test_true(rows[i].settings, first->kind == rows[i].first &&
                                           first->group == rows[i].group &&
                                           first->bytes == rows[i].bytes);
        if (rows[i].n_ops < 2)
            continue;
        const LpOp *second = lp_program_op(program, 1);
        lp_test_true(rows[i].settings, second->kind == LP_OP_JOIN &&
                                           second->stream == first->stream &&
                                           second->n_pending == 0);
        lp_test_true(rows[i].settings, program->uses_stream[first->stream]);
    }
}

/* A launch is numbered within its segment; a join of it lets those behind it go on. */
static void
test_joins(void)
{
    g_autoptr(LpProgram) program = empty_program("overlap-dp=yes");
    if (program == NULL)
        return;
    LpBuilder builder = {.program = program};
    for (guint segment = 0; segment < 2; segment++) {
        guint first_op = program->ops->len;
        (void)lp_builder_begin_segment(&builder, LP_ROLE_BACKWARD, 0, 0);
        for (guint number = 0; number < 3; number++)
            lp_test_true("number", lp_builder_add_launch(&builder, LP_COLLECTIVE_ALL_REDUCE,
                                                         LP_GROUP_DP, 8) == number);
        lp_builder_add_join(&builder, LP_STREAM_DP, 0, LP_TERM_DP);
        lp_test_true("two behind it", lp_program_op(program, first_op + 3)->n_pending == 2);
        lp_builder_add_join(&builder, LP_STREAM_DP, G_MAXUINT, LP_TERM_DP);
        lp_test_true("nothing to join", program->ops->len == first_op + 4);
        lp_builder_add_join_all(&builder, LP_STREAM_DP, LP_TERM_DP);
        lp_test_true("all", lp_program_op(program, first_op + 4)->n_pending == 0);
        lp_builder_add_join_all(&builder, LP_STREAM_LAYER, LP_TERM_TP);
        lp_test_true("a stream that nobody uses", program->ops->len == first_op + 5);
        g_autoptr(GArray) taken = lp_builder_take(&builder);
        lp_test_true("taken", taken->len == 5 && program->ops->len == first_op);
        lp_builder_add(&builder, &g_array_index(taken, LpOp, 1));
        lp_test_true("put back", lp_program_op(program, first_op)->kind == LP_OP_LAUNCH);
        lp_builder_end_segment(&builder);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"compute", test_compute},
                                       {"collective", test_collective},
                                       {"joins", test_joins},
                                       {NULL, NULL}};
    return lp_test_run("builder", cases);
}
