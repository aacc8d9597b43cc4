/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations in processes of their own: any number of them, each as one in this process is. */
#include "sim/run/simulation.h"

#include "base/child_process.h"
#include "base/error.h"
#include "tests/support/forked.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/testlib.h"
#include "workloads/program/program_error.h"

#define SETTINGS "layers=4 tp=2 pp=2 dp=2"
static const LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE};

typedef struct {
    LpWorkload *workload; /* owned */
    LpMachine *machine;   /* owned */
    LpSetup *setup;       /* owned */
} Job;

static void
job_clear(Job *self)
{
    lp_setup_free(self->setup);
    lp_machine_free(self->machine);
    lp_workload_free(self->workload);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Job, job_clear)

static Job
load(const char *settings)
{
    Job job = {lp_small_workload_load(settings),
               lp_generated_machine_good("--system=dgx-a100 --accelerators=16"), NULL};
    g_autoptr(GError) error = NULL;
    job.setup = lp_setup_new(job.workload, job.machine, &error);
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    return job;
}

static void
check_same(const char *label, const LpSimulation *one, const LpSimulation *other)
{
    lp_test_close(label, one->run.iteration_time_s, other->run.iteration_time_s, 0.0);
    lp_test_close(label, one->balanced.iteration_time_s, other->balanced.iteration_time_s, 0.0);
    lp_test_text(label, one->contention, other->contention);
    lp_test_true(label, one->engine_options->len == other->engine_options->len);
    for (guint i = 0; i < MIN(one->engine_options->len, other->engine_options->len); i++) {
        const LpEngineOption *first = &g_array_index(one->engine_options, LpEngineOption, i);
        const LpEngineOption *second = &g_array_index(other->engine_options, LpEngineOption, i);
        lp_test_text(label, first->name, second->name);
        lp_test_text(label, first->value, second->value);
        lp_test_text(label, first->reason, second->reason);
    }
}

/* Apart, apart again, and here; here again is refused. */
static gboolean
run_all(const void *input, void *result)
{
    (void)input, (void)result;
    g_auto(Job) job = load(SETTINGS);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpSimulation) first = lp_simulation_run_in_child(job.setup, options, &error);
    g_autoptr(LpSimulation) second = lp_simulation_run_in_child(job.setup, options, &error);
    g_autoptr(LpSimulation) here = lp_simulation_run(job.setup, options, &error);
    lp_test_text("runs", error != NULL ? error->message : NULL, NULL);
    if (first == NULL || second == NULL || here == NULL)
        return FALSE;
    check_same("again", second, first);
    check_same("here", here, first);
    lp_test_true("twice here", lp_simulation_run(job.setup, options, &error) == NULL);
    lp_test_error("twice here", &error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START,
                  "the engine has run in this process");
    lp_test_true("behind it", lp_simulation_run_in_child(job.setup, options, &error) == NULL);
    lp_test_error("behind it", &error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START,
                  "the engine has run in this process");
    return TRUE;
}

static void
test_runs(void)
{
    guint nothing = 0;
    (void)lp_forked_result("runs", run_all, &nothing, &nothing, sizeof nothing);
}

/* An error comes home as one line. */
static void
test_error(void)
{
    g_auto(Job) job = load(SETTINGS);
    g_autoptr(GError) error = NULL;
    job.workload->transformer.n_layers = 1u << 24;
    lp_test_true("layers", lp_simulation_run_in_child(job.setup, options, &error) == NULL);
    lp_test_error("layers", &error, LP_PROGRAM_ERROR, LP_PROGRAM_ERROR_SIZE, "layers");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"runs", test_runs}, {"error", test_error}, {NULL, NULL}};
    return lp_test_run("simulation apart", cases);
}
