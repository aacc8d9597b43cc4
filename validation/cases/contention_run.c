/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines, and runs what they say. */
#include "validation/cases/contention_run.h"

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "sim/run/collective_run.h"
#include "sim/run/scene.h"
#include "sim/run/simulation.h"

#include <string.h>

#define BYTES_MAX (1ull << 50)

/* --- collectives --- */

typedef struct {
    LpCollectiveRequest request;
    const char *library;  /* borrowed from the words */
    GArray *accelerators; /* owned, or NULL */
} Collective;

static gboolean
read_option(Collective *self, const char *word, const LpMachine *machine, GError **error)
{
    if (g_str_has_prefix(word, "library=")) {
        self->library = word + strlen("library=");
        return TRUE;
    }
    if (g_str_has_prefix(word, "algorithm=") &&
        lp_algorithms_parse(word + strlen("algorithm="), &self->request.algorithms))
        return TRUE;
    if (g_str_has_prefix(word, "accelerators=")) {
        g_clear_pointer(&self->accelerators, g_array_unref);
        self->accelerators = lp_ranges_parse(word + strlen("accelerators="),
                                             (guint32)machine->n_accelerators - 1, error);
        return self->accelerators != NULL;
    }
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "got \"%s\", wanted algorithm= and a known one, library= or accelerators=", word);
    return FALSE;
}

static gboolean
run_collective(char **words, const LpMachine *machine, double *out_time_s, GError **error)
{
    Collective self = {.library = LP_LIBRARY_AUTO};
    int collective = lp_choice_parse(words[0], lp_collective_names, error);
    gboolean good = collective >= 0 && lp_count_parse(words[1] != NULL ? words[1] : "", 1,
                                                      BYTES_MAX, &self.request.bytes, error);
    for (guint i = 2; good && words[i] != NULL; i++)
        good = read_option(&self, words[i], machine, error);
    if (good)
        good = lp_machine_library(machine, self.library, &self.request.library, error);
    if (good) {
        LpCollectiveResult result;
        self.request.collective = (LpCollective)collective;
        self.request.n_groups = 1;
        self.request.n_ranks =
            self.accelerators != NULL ? self.accelerators->len : (guint32)machine->n_accelerators;
        self.request.accelerators =
            self.accelerators != NULL ? (const guint32 *)(gpointer)self.accelerators->data : NULL;
        good = lp_collective_run_apart(&self.request, machine, &result, error);
        *out_time_s = good ? result.run.iteration_time_s : 0.0;
    }
    g_clear_pointer(&self.accelerators, g_array_unref);
    return good;
}

/* --- jobs --- */

typedef struct {
    const LpScenario *scenario; /* borrowed */
    const LpMachine *machine;   /* borrowed */
    guint job;
    LpSceneScope scope;
} JobRun;

/* What comes back: seconds, or why there are none. */
typedef struct {
    double time_s;
    char message[256];
} JobResult;

static void
run_scene(const JobRun *self, const LpScene *scene, JobResult *result)
{
    guint n = self->scope == LP_SCENE_TOGETHER ? scene->jobs->len : 1;
    g_autofree LpRunResult *results = g_new0(LpRunResult, n);
    g_auto(LpCast) cast = lp_cast(scene);
    for (guint i = 0; i < n; i++)
        lp_cast_add(&cast, n > 1 ? i : self->job, self->scope, 0);
    gboolean has_background = self->scope == LP_SCENE_TOGETHER && scene->backgrounds->len > 0;
    g_autoptr(LpWatch) watch = lp_watch_new(lp_network_n_links(scene->network));
    LpSurroundings surroundings = {.watch = watch,
                                   .faults = scene->faults,
                                   .backgrounds = has_background ? scene->backgrounds : NULL};
    lp_run_jobs(cast.jobs, cast.n, &surroundings, results);
    LpStall stall = lp_watch_stall(watch);
    g_autoptr(GError) error = NULL;
    if (lp_scene_check_stall(scene, &stall, results[0].n_waiting, &error))
        result->time_s = results[n > 1 ? self->job : 0].iteration_time_s;
    else
        g_strlcpy(result->message, error->message, sizeof result->message);
}

static void
run_in_child(const void *data, GByteArray *out)
{
    const JobRun *self = data;
    JobResult *result = (gpointer)out->data;
    g_autoptr(GError) error = NULL;
    g_autoptr(LpScene) scene =
        lp_scene_new(self->scenario, self->machine, LP_FIDELITY_FLOW, TRUE, &error);
    if (scene == NULL)
        g_strlcpy(result->message, error->message, sizeof result->message);
    else
        run_scene(self, scene, result);
}

static gboolean
run_job(const JobRun *self, double *out_time_s, GError **error)
{
    JobResult result;
    LpChildProcess *child =
        lp_child_process_start("process of a job", run_in_child, self, sizeof result, error);
    if (child == NULL || !lp_child_process_finish(child, &result, sizeof result, NULL, error))
        return FALSE;
    *out_time_s = result.time_s;
    if (result.message[0] == '\0')
        return TRUE;
    g_set_error_literal(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN, result.message);
    return FALSE;
}

/* "job NAME of SCENARIO", "alone NAME of SCENARIO". */
static gboolean
run_of_scenario(char **words, const LpMachine *machine, double *out_time_s, GError **error)
{
    if (g_strv_length(words) != 4 || strcmp(words[2], "of") != 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "got \"%s\" with other words, wanted %s NAME of SCENARIO", words[0], words[0]);
        return FALSE;
    }
    g_autofree char *path = lp_file_find("workloads/scenarios", words[3], error);
    g_autoptr(LpScenario) scenario = path == NULL ? NULL : lp_scenario_load(path, NULL, error);
    if (scenario == NULL)
        return FALSE;
    lp_scenario_suit(scenario, machine->domain_size, &machine->accelerator);
    JobRun run = {.scenario = scenario,
                  .machine = machine,
                  .scope = strcmp(words[0], "job") == 0 ? LP_SCENE_TOGETHER : LP_SCENE_ALONE};
    while (run.job < scenario->jobs->len &&
           strcmp(lp_scenario_job(scenario, run.job)->name, words[1]) != 0)
        run.job++;
    if (run.job < scenario->jobs->len)
        return run_job(&run, out_time_s, error);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "got job \"%s\", wanted one of %s",
                words[1], words[3]);
    return FALSE;
}

/* --- plans --- */

/* "plan WORKLOAD NAME=VALUE...". */
static gboolean
run_plan(char **words, const LpMachine *machine, double *out_time_s, GError **error)
{
    if (words[1] == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "got \"plan\" alone, wanted a workload");
        return FALSE;
    }
    g_autofree char *path = lp_file_find("workloads", words[1], error);
    if (path == NULL)
        return FALSE;
    g_autoptr(LpWorkload) workload =
        lp_workload_load_job(path, (const char *const *)words + 2, NULL, error);
    if (workload == NULL)
        return FALSE;
    lp_workload_suit(workload, machine->domain_size, &machine->accelerator);
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .alone = TRUE};
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run_apart(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    *out_time_s = simulation->run.iteration_time_s;
    return TRUE;
}

gboolean
lp_contention_run_s(const char *line, const LpMachine *machine, double *out_time_s, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    if (words[0] == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "got nothing, wanted a run");
        return FALSE;
    }
    if (strcmp(words[0], "plan") == 0)
        return run_plan(words, machine, out_time_s, error);
    if (strcmp(words[0], "job") == 0 || strcmp(words[0], "alone") == 0)
        return run_of_scenario(words, machine, out_time_s, error);
    return run_collective(words, machine, out_time_s, error);
}
