/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks by themselves: the pipeline's bubble is what the field's formula says, and what a stream
 * carries is hidden or exposed, and nothing else. */
#include "sim/actors/actor_rank.h"

#include "sim/engine/engine.h"
#include "sim/run/run.h"
#include "tests/sim/engine_actors.h"
#include "tests/sim/engine_job.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#define N 8u
#define PORT 25e9
#define HOP_S 2e-6
#define BODY                                                                                       \
    "embedding=no hidden=8192 heads=64 ffn=32768 seq=2048 micro-batch=1 recompute=none tp=1 "

typedef struct {
    const char *label, *settings;
    LpRunLevel level;
} Request;

typedef struct {
    LpRunResult run;
    double rings_s; /* of gradients, one after the other: 2 (n-1)/n of the bytes, 2 (n-1) hops */
} Result;

static LpEngineJob job;

static gboolean
run(const void *input, void *result)
{
    const Request *request = input;
    if (!lp_engine_job_init(&job, request->settings, LP_ENGINE_ACTORS_FLAT))
        return FALSE;
    g_autoptr(LpContention) nothing = lp_contention_new_nothing(job.circuits->map);
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    LpRunModel model = {.network = job.network,
                        .map = job.circuits->map,
                        .contention = nothing,
                        .cache = cache,
                        .fidelity = LP_FIDELITY_FLOW};
    g_autoptr(LpTasks) tasks = lp_run_model_tasks(&model, (LpRunMode){.level = request->level});
    Result *out = result;
    out->run = lp_run_iteration(lp_run_job(&model, tasks, NULL), (LpRunOptions){.timeline = NULL});
    for (guint i = 0; i < job.program->ops->len; i++) {
        const LpOp *op = lp_program_op(job.program, i);
        if (op->kind == LP_OP_LAUNCH && op->group == LP_GROUP_DP)
            out->rings_s += 2.0 * (N - 1) * ((double)op->bytes / N / PORT + HOP_S);
    }
    return out->run.n_waiting == 0;
}

static Result
result_of(const Request *request)
{
    Result result = {.rings_s = 0.0};
    (void)lp_forked_result(request->label, run, request, &result, sizeof result);
    return result;
}

/* (p - 1)/m of the time of computing, where stages are alike and messages are free (Narayanan et
 * al., SC 2021, section 2.2.1). */
static void
test_bubble(void)
{
    static const struct {
        guint p, m;
    } rows[] = {{1, 1}, {1, 8}, {2, 1}, {2, 8}, {4, 4}, {4, 9}, {8, 8}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *settings = g_strdup_printf(
            BODY "layers=8 dp=1 schedule=1f1b pp=%u global-batch=%u", rows[i].p, rows[i].m);
        Request request = {settings, settings, LP_RUN_FREE_MESSAGES};
        LpRunResult result = result_of(&request).run;
        const double *s = result.terms.s;
        lp_test_true("computes", s[LP_TERM_COMPUTE] > 0.0);
        lp_test_close(settings, s[LP_TERM_BUBBLE],
                      (rows[i].p - 1.0) / rows[i].m * s[LP_TERM_COMPUTE], 1e-9);
        lp_test_close("all of the time", lp_terms_sum(&result.terms), result.iteration_time_s,
                      1e-12);
        lp_test_true("no message", result.terms.s[LP_TERM_PP] == 0.0);
    }
}

/* Gradients of one bucket wait for the whole backward pass: nothing hides them. Of several all but
 * the last run beside it. */
static void
test_streams(void)
{
    static const Request one = {"one bucket",
                                BODY "layers=4 pp=1 dp=8 global-batch=8 overlap-dp=yes bucket=10GB",
                                LP_RUN_AS_IS},
                         several = {"several buckets",
                                    BODY "layers=4 pp=1 dp=8 global-batch=8 overlap-dp=yes "
                                         "bucket=400MB",
                                    LP_RUN_AS_IS};
    Result alone = result_of(&one), parted = result_of(&several);
    lp_test_close("exposed", alone.run.terms.s[LP_TERM_DP], alone.rings_s, 1e-9);
    lp_test_true("nothing is hidden", alone.run.overlap_s == 0.0);
    lp_test_true("something is", parted.run.overlap_s > 0.0);
    lp_test_close("hidden or exposed", parted.run.terms.s[LP_TERM_DP] + parted.run.overlap_s,
                  parted.rings_s, 1e-9);
    lp_test_close("computes as long", parted.run.terms.s[LP_TERM_COMPUTE],
                  alone.run.terms.s[LP_TERM_COMPUTE], 1e-12);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"bubble", test_bubble}, {"streams", test_streams}, {NULL, NULL}};
    return lp_test_run("ranks in a run", cases);
}
