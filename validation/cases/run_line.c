/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines, and runs what they say. */
#include "validation/cases/run_line.h"

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "sim/run/collective_run.h"
#include "sim/run/scenario_setup.h"
#include "sim/run/simulation.h"
#include "validation/cases/kernel_run.h"

#include <math.h>
#include <string.h>

#define BYTES_MAX (1ull << 50)
#define EXCHANGE "exchange" /* of tokens */

/* --- collectives --- */

typedef struct {
    LpCollectiveRequest request;
    const char *library, *protocol; /* borrowed from the words; protocol NULL: any */
    GArray *accelerators;           /* owned, or NULL */
    double inside_bytes, across_bytes, each_bytes;
    gboolean has_lists;
} Collective;

static gboolean
read_bytes(const char *text, double *out_bytes, GError **error)
{
    return lp_number_parse(text, 1.0, (double)BYTES_MAX, out_bytes, error);
}

/* Reads the accelerators on which ranks run. */
static gboolean
read_ranks(Collective *self, const char *word, const LpMachine *machine, GError **error)
{
    guint64 n_ranks = 0;
    if (g_str_has_prefix(word, "ranks=")) {
        if (!lp_count_parse(word + strlen("ranks="), 2, machine->n_accelerators, &n_ranks, error))
            return FALSE;
        self->request.n_ranks = (guint32)n_ranks;
        return TRUE;
    }
    g_clear_pointer(&self->accelerators, g_array_unref);
    self->accelerators = lp_ranges_parse(word + strlen("accelerators="),
                                         (guint32)machine->n_accelerators - 1, error);
    return self->accelerators != NULL;
}

static gboolean
read_option(Collective *self, const char *word, const LpMachine *machine, GError **error)
{
    const struct {
        const char *name;
        double *bytes;
    } sizes[] = {{"inside=", &self->inside_bytes},
                 {"across=", &self->across_bytes},
                 {"each=", &self->each_bytes}};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        if (g_str_has_prefix(word, sizes[i].name))
            return read_bytes(word + strlen(sizes[i].name), sizes[i].bytes, error);
    if (g_str_has_prefix(word, "library="))
        self->library = word + strlen("library=");
    else if (g_str_has_prefix(word, "protocol="))
        self->protocol = word + strlen("protocol=");
    else if (strcmp(word, "lists=yes") == 0)
        self->has_lists = TRUE;
    else if (g_str_has_prefix(word, "ranks=") || g_str_has_prefix(word, "accelerators="))
        return read_ranks(self, word, machine, error);
    else if (!g_str_has_prefix(word, "algorithm=") ||
             !lp_algorithms_parse(word + strlen("algorithm="), &self->request.algorithms)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "got \"%s\", wanted algorithm= and a known one, protocol=, library=, ranks=, "
                    "accelerators=, lists=yes or, of an exchange, inside=, across= or each=",
                    word);
        return FALSE;
    }
    return TRUE;
}

static gboolean
run_request(const Collective *self, const LpCollectiveRequest *request, const LpMachine *machine,
            const LpConstants *constants, double *out_time_s, GError **error)
{
    LpCollectiveRequest own = *request;
    LpCollectiveResult result;
    if (!lp_machine_library(machine, self->library, &own.library, error))
        return FALSE;
    lp_constants_to_library(constants, &own.library);
    if (self->protocol != NULL && !lp_library_restrict(&own.library, self->protocol, error))
        return FALSE;
    if (!lp_collective_run_in_child(&own, machine, &result, error))
        return FALSE;
    *out_time_s = result.run.iteration_time_s;
    return TRUE;
}

/* The closed form's time: a ring without protocols; 0 for collectives that it does not have. */
static double
consistent_s(const LpCollectiveRequest *request, const LpMachine *machine)
{
    LpFabric fabric = lp_machine_fabric(machine);
    const guint32 *places = request->accelerators;
    LpFabricConnection connection =
        places != NULL ? lp_fabric_connection(&fabric, places[0], places[request->n_ranks - 1])
                       : lp_fabric_ring_connection(&fabric, 1, request->n_ranks);
    double bytes = (double)request->bytes;
    double all_reduce_s = lp_fabric_connection_all_reduce_s(&connection, request->n_ranks, bytes);
    switch (request->collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        return all_reduce_s;
    case LP_COLLECTIVE_REDUCE_SCATTER:
    case LP_COLLECTIVE_ALL_GATHER:
        return all_reduce_s / 2.0;
    case LP_COLLECTIVE_ALL_TO_ALL:
        return lp_fabric_connection_message_s(
            &connection, bytes * lp_collective_bus_factor(request->collective, request->n_ranks));
    default:
        return 0.0;
    }
}

/* The time of copies between lists of tensors and one buffer, which PyTorch makes for each rank
 * (pytorch/pytorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp: allgather, reduce_scatter).
 */
static double
list_copies_s(const Collective *self, const LpMachine *machine)
{
    const LpAccelerator *accelerator = &machine->accelerator;
    return self->has_lists ? 2.0 * (double)self->request.bytes /
                                 (accelerator->memory_bytes_per_s * accelerator->memory_efficiency)
                           : 0.0;
}

static gboolean
run_bytes(Collective *self, const char *bytes, const LpMachine *machine,
          const LpConstants *constants, LpRunFigures *out, GError **error)
{
    LpCollectiveRequest *request = &self->request;
    if (!lp_count_parse(bytes, 1, BYTES_MAX, &request->bytes, error))
        return FALSE;
    if (self->accelerators != NULL) {
        request->n_ranks = self->accelerators->len;
        request->accelerators = (const guint32 *)(gpointer)self->accelerators->data;
    } else if (request->n_ranks == 0) {
        request->n_ranks = (guint32)machine->n_accelerators;
    }
    if (!run_request(self, request, machine, constants, &out->time_s, error))
        return FALSE;
    out->time_s += list_copies_s(self, machine);
    out->consistent_s = consistent_s(request, machine);
    out->counted_bytes =
        (double)request->bytes * lp_collective_bus_factor(request->collective, request->n_ranks);
    return TRUE;
}

/* --- exchanges of tokens --- */

/* What leaves a rank for its own domain and for others, each over its own network at once: the
 * closed form's X(n, V) without latency. @inside, @across: with the parts that stay. */
static double
consistent_exchange_s(const LpMachine *machine, double inside, double across)
{
    LpFabric fabric = lp_machine_fabric(machine);
    double intra = fabric.domain_size, n_domains = (double)machine->n_accelerators / intra;
    double inside_s = inside * (intra - 1.0) / intra / fabric.scale_up_bytes_per_s;
    if (n_domains <= 1.0)
        return inside_s;
    return fmax(inside_s, across * (n_domains - 1.0) / n_domains / fabric.scale_out_bytes_per_s);
}

/* One all-to-all, in which each rank has @bytes for all, its own part among them. */
static gboolean
exchange_s(const Collective *self, const LpMachine *machine, guint32 n_ranks, gboolean strided,
           double bytes, const LpConstants *constants, double *out_time_s, GError **error)
{
    LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_TO_ALL,
                                   .bytes = (guint64)bytes,
                                   .n_ranks = n_ranks,
                                   .n_groups = (guint32)machine->n_accelerators / n_ranks,
                                   .strided = strided};
    return run_request(self, &request, machine, constants, out_time_s, error);
}

/* DeepEP's normal kernels send one copy to each domain, over the rail, and pass it on inside; both
 * go on at the same time, and the slower one counts. The counted bytes are those on the rails, or
 * in the domain if there is but one; those that stay on their rank among them. Kernels of low
 * latency send one copy to each expert. */
static gboolean
run_exchange(const Collective *self, const LpMachine *machine, const LpConstants *constants,
             LpRunFigures *out, GError **error)
{
    guint32 n = (guint32)machine->n_accelerators, intra = (guint32)machine->domain_size;
    guint32 n_domains = n / intra;
    double each = self->each_bytes, inside = self->inside_bytes, across = self->across_bytes;
    double inside_s = 0.0, across_s = 0.0;
    if (each > 0.0) {
        out->counted_bytes = each;
        out->consistent_s = consistent_exchange_s(machine, each / n_domains, each);
        return exchange_s(self, machine, n, FALSE, each, constants, &out->time_s, error);
    }
    if (!(inside > 0.0 && across > 0.0)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "got an exchange without its bytes, wanted each=, or inside= and across=");
        return FALSE;
    }
    if ((intra > 1 &&
         !exchange_s(self, machine, intra, FALSE, inside, constants, &inside_s, error)) ||
        (n_domains > 1 &&
         !exchange_s(self, machine, n_domains, TRUE, across, constants, &across_s, error)))
        return FALSE;
    out->counted_bytes = n_domains > 1 ? across : inside;
    out->time_s = fmax(inside_s, across_s);
    out->consistent_s = consistent_exchange_s(machine, inside, across);
    return TRUE;
}

static gboolean
run_collective(char **words, const LpMachine *machine, const LpConstants *constants,
               LpRunFigures *out, GError **error)
{
    Collective self = {.library = LP_LIBRARY_AUTO, .request = {.n_groups = 1}};
    gboolean is_exchange = strcmp(words[0], EXCHANGE) == 0;
    int collective = is_exchange ? LP_COLLECTIVE_ALL_TO_ALL
                                 : lp_choice_parse(words[0], lp_collective_names, error);
    gboolean good = collective >= 0;
    const char *bytes = !is_exchange && words[1] != NULL ? words[1] : "";
    for (guint i = is_exchange ? 1 : 2; good && words[1] != NULL && words[i] != NULL; i++)
        good = read_option(&self, words[i], machine, error);
    self.request.collective = (LpCollective)collective;
    if (good)
        good = is_exchange ? run_exchange(&self, machine, constants, out, error)
                           : run_bytes(&self, bytes, machine, constants, out, error);
    g_clear_pointer(&self.accelerators, g_array_unref);
    return good;
}

/* --- jobs --- */

typedef struct {
    const LpScenario *scenario; /* borrowed */
    const LpMachine *machine;   /* borrowed */
    guint job;
    LpScenarioSetupScope scope;
} JobRun;

static gboolean
run_scenario(const JobRun *self, const LpScenarioSetup *scenario_setup, double *out_time_s,
             GError **error)
{
    guint n = self->scope == LP_SCENARIO_SCOPE_TOGETHER ? scenario_setup->jobs->len : 1;
    g_autofree LpRunResult *results = g_new0(LpRunResult, n);
    g_auto(LpJobSet) job_set = lp_job_set_of(scenario_setup);
    for (guint i = 0; i < n; i++)
        lp_job_set_add(&job_set, n > 1 ? i : self->job, self->scope, 0);
    gboolean has_background =
        self->scope == LP_SCENARIO_SCOPE_TOGETHER && scenario_setup->backgrounds->len > 0;
    g_autoptr(LpWatch) watch = lp_watch_new(lp_network_n_links(scenario_setup->network));
    LpRunContext context = {.watch = watch,
                            .faults = scenario_setup->faults,
                            .backgrounds = has_background ? scenario_setup->backgrounds : NULL};
    lp_run_jobs(job_set.jobs, job_set.n, &context, results);
    LpStall stall = lp_watch_stall(watch);
    *out_time_s = results[n > 1 ? self->job : 0].iteration_time_s;
    return lp_scenario_setup_check_stall(scenario_setup, &stall, results[0].n_waiting, error);
}

static gboolean
run_in_child(const void *data, GByteArray *result, GError **error)
{
    const JobRun *self = data;
    g_autoptr(LpScenarioSetup) scenario_setup =
        lp_scenario_setup_new(self->scenario, self->machine, LP_FIDELITY_FLOW, TRUE, error);
    return scenario_setup != NULL &&
           run_scenario(self, scenario_setup, (gpointer)result->data, error);
}

static gboolean
run_job(const JobRun *self, double *out_time_s, GError **error)
{
    LpChildProcess *child =
        lp_child_process_start("process of a job", run_in_child, self, sizeof *out_time_s, error);
    return child != NULL &&
           lp_child_process_finish(child, out_time_s, sizeof *out_time_s, NULL, error);
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
    if (!lp_scenario_apply_machine(scenario, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    JobRun run = {.scenario = scenario,
                  .machine = machine,
                  .scope = strcmp(words[0], "job") == 0 ? LP_SCENARIO_SCOPE_TOGETHER
                                                        : LP_SCENARIO_SCOPE_ALONE};
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
    if (workload == NULL ||
        !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error))
        return FALSE;
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE, .alone = TRUE};
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    g_autoptr(LpSimulation) simulation =
        setup == NULL ? NULL : lp_simulation_run_in_child(setup, options, error);
    if (simulation == NULL)
        return FALSE;
    *out_time_s = simulation->run.iteration_time_s;
    return TRUE;
}

gboolean
lp_run_line(const char *line, const LpMachine *machine, const LpConstants *constants,
            LpRunFigures *out, GError **error)
{
    *out = (LpRunFigures){0};
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    if (words[0] == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "got nothing, wanted a run");
        return FALSE;
    }
    if (strcmp(words[0], "plan") == 0)
        return run_plan(words, machine, &out->time_s, error);
    if (strcmp(words[0], "job") == 0 || strcmp(words[0], "alone") == 0)
        return run_of_scenario(words, machine, &out->time_s, error);
    if (!lp_kernel_run_knows(words[0]))
        return run_collective(words, machine, constants, out, error);
    LpAccelerator accelerator = machine->accelerator;
    lp_constants_to_accelerator(constants, &accelerator);
    return lp_kernel_run(words, &accelerator, out, error);
}
