/* SPDX-License-Identifier: Apache-2.0 */
/* The run and its counterfactuals, side by side in processes of their own. */
#include "sim/run/simulation.h"

#include "base/file.h"
#include "base/units.h"
#include "model/memory.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/plain/plain.h"
#include "sim/run/counterfactual.h"
#include "platforms/plain/plain_rails.h"
#include "sim/engine/engine.h"
#include "sim/mapping/collective_peers.h"
#include "sim/mapping/placement.h"
#include "sim/mapping/rails.h"

#include <glib/gstdio.h>

#include <unistd.h>

G_DEFINE_QUARK(lp_simulation_error, lp_simulation_error)

static gboolean
check_placement(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    GError *fault = NULL;
    g_free(lp_placement_new(workload, machine, &fault));
    if (fault == NULL)
        return TRUE;
    g_propagate_error(error, fault);
    return FALSE;
}

gboolean
lp_simulation_library(const LpWorkload *workload, const LpMachine *machine, LpLibrary *out_library,
                      GError **error)
{
    const LpPlan *plan = &workload->plan;
    g_autofree char *name = strcmp(plan->library, "auto") == 0
                                ? lp_library_of(machine->accelerator.name, error)
                                : g_strdup(plan->library);
    if (name == NULL)
        return FALSE;
    if (!lp_library_find(*name == '\0' ? "ideal" : name, out_library, error)) {
        g_prefix_error(error, "library: ");
        return FALSE;
    }
    gboolean is_said = *plan->protocol != '\0' && strcmp(plan->protocol, "auto") != 0;
    if (is_said && !lp_library_restrict(out_library, plan->protocol, error)) {
        g_prefix_error(error, "protocol: ");
        return FALSE;
    }
    return TRUE;
}

/* An accelerator without fp32 may have no units at all for a precision. */
static gboolean
check_precision(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    LpPrecision precision = workload->plan.precision;
    if (lp_accelerator_peak_flop_per_s(&machine->accelerator, precision) > 0.0)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "%s: precision: got %s, wanted one that %s has units for",
                lp_file_label(workload->path), lp_precision_names[precision],
                machine->accelerator.name);
    return FALSE;
}

gboolean
lp_simulation_check(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    guint64 n_ranks = lp_plan_n_ranks(&workload->plan);
    LpLibrary library;
    if (n_ranks <= machine->n_accelerators)
        return check_precision(workload, machine, error) &&
               check_placement(workload, machine, error) &&
               lp_simulation_library(workload, machine, &library, error);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_FIT,
                "%s: got a plan of %" G_GUINT64_FORMAT
                " ranks (tp x cp x dp x pp), wanted at most the %" G_GUINT64_FORMAT
                " accelerators of %s",
                lp_file_label(workload->path), n_ranks, machine->n_accelerators,
                lp_file_label(machine->path));
    return FALSE;
}

gboolean
lp_simulation_check_memory(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    double wanted = lp_memory_sum(&memory), capacity = machine->accelerator.memory_bytes;
    if (wanted <= capacity)
        return TRUE;
    g_autofree char *sum = lp_quantity_format(LP_QUANTITY_SIZE, wanted);
    g_autofree char *weights = lp_quantity_format(LP_QUANTITY_SIZE, memory.weights_bytes);
    g_autofree char *gradients = lp_quantity_format(LP_QUANTITY_SIZE, memory.gradients_bytes);
    g_autofree char *optimizer = lp_quantity_format(LP_QUANTITY_SIZE, memory.optimizer_bytes);
    g_autofree char *activations = lp_quantity_format(LP_QUANTITY_SIZE, memory.activations_bytes);
    g_autofree char *buffers = lp_quantity_format(LP_QUANTITY_SIZE, memory.buffers_bytes);
    g_autofree char *has = lp_quantity_format(LP_QUANTITY_SIZE, capacity);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMORY,
                "%s: memory: got a plan of %s an accelerator (weights %s, gradients %s, optimizer "
                "%s, activations %s, buffers %s), wanted at most the %s of %s; --ignore-memory "
                "simulates it all the same",
                lp_file_label(workload->path), sum, weights, gradients, optimizer, activations,
                buffers, has, machine->accelerator.name);
    return FALSE;
}

static gboolean
start_engine(const char *text, const GArray *engine_options, GError **error)
{
    g_autofree char *path = NULL;
    int file = g_file_open_tmp("lightpath-XXXXXX.xml", &path, error);
    if (file < 0)
        return FALSE;
    close(file);
    gboolean good = g_file_set_contents(path, text, -1, error);
    if (good)
        lp_engine_start(engine_options, path);
    (void)g_unlink(path);
    return good;
}

gboolean
lp_simulation_start_engine(const LpMachine *machine, const GArray *engine_options, GError **error)
{
    g_autofree char *text = lp_machine_to_plain(machine);
    return start_engine(text, engine_options, error);
}

gboolean
lp_simulation_start_engine_on_rails(const LpMachine *machine, const GArray *engine_options,
                                    GError **error)
{
    if (!lp_plain_rails_possible(machine))
        return lp_simulation_start_engine(machine, engine_options, error);
    g_autofree char *text = lp_plain_rails(machine);
    return start_engine(text, engine_options, error);
}

/* Calls @visit for each connection of @kind and, of a group, for those to the peers of its members.
 */
static void
visit_connections(const LpCommunicationMap *map, LpConnectionKind kind,
                  void (*visit)(const LpConnection *connection, void *data), void *data)
{
    for (guint64 rank = 0; rank < map->n_ranks; rank++) {
        const LpConnection *connection = lp_communication_map_connection(map, kind, rank);
        if (connection->present)
            visit(connection, data);
        const GArray *peers = (guint)kind < LP_N_GROUPS
                                  ? lp_collective_peers_get(map->peers, (LpGroup)kind, rank)
                                  : NULL;
        for (guint i = 0; peers != NULL && i < peers->len; i++)
            visit(&g_array_index(peers, LpCollectivePeer, i).connection, data);
    }
}

/* Where a kind of traffic finds its narrowest place, if all of it is under way at once: a link is
 * shared by the connections of that kind that cross it. */
typedef struct {
    LpSimulation *simulation;
    const LpNetwork *network;
    LpTerm term;
    double *narrowest;
    guint32 *n_connections; /* by link */
} TierSearch;

static void
count_connection(const LpConnection *connection, void *data)
{
    TierSearch *search = data;
    for (guint32 i = 0; i < connection->route.n_links; i++)
        search->n_connections[connection->route.links[i]]++;
}

static void
compare_connection(const LpConnection *connection, void *data)
{
    TierSearch *search = data;
    LpSimulation *self = search->simulation;
    for (guint32 i = 0; i < connection->route.n_links; i++) {
        guint32 link = connection->route.links[i];
        const LpLink *known = lp_network_link(search->network, link);
        double share = known->bytes_per_s / search->n_connections[link];
        if (self->has_tier[search->term] && share >= *search->narrowest)
            continue;
        self->has_tier[search->term] = TRUE;
        *search->narrowest = share;
        self->tiers[search->term] = known->tier;
    }
}

static void
find_tier(LpSimulation *self, const LpCommunicationMap *map, LpConnectionKind kind, LpTerm term,
          double *io_narrowest)
{
    g_autofree guint32 *n_connections = g_new0(guint32, lp_network_n_links(map->network));
    TierSearch search = {self, map->network, term, io_narrowest, n_connections};
    visit_connections(map, kind, count_connection, &search);
    visit_connections(map, kind, compare_connection, &search);
}

static LpTerm
connection_term(LpConnectionKind kind)
{
    LpGroup group = lp_connection_group(kind);
    return group == LP_N_GROUPS ? LP_TERM_PP : lp_group_traits(group)->term;
}

void
lp_simulation_find_tiers(LpSimulation *self, const LpCommunicationMap *map)
{
    double narrowest[LP_N_TERMS] = {0};
    for (LpConnectionKind kind = 0; kind < LP_N_CONNECTIONS; kind++) {
        LpTerm term = connection_term(kind);
        find_tier(self, map, kind, term, &narrowest[term]);
    }
}

/* Collectives of a segment whose groups may meet other traffic. */
static guint64
count_contended(const LpProgram *program, const LpContention *contention, guint32 segment_index)
{
    const LpSegment *segment = lp_program_segment(program, segment_index);
    guint64 n = 0;
    for (guint i = 0; i < segment->n_ops; i++) {
        const LpOp *op = lp_program_op(program, segment->first_op + i);
        n += (op->kind == LP_OP_COLLECTIVE || op->kind == LP_OP_LAUNCH) &&
             !contention->all_private[op->group];
    }
    return n;
}

/* How often ranks take part in such collectives. */
static guint64
count_shares(const LpProgram *program, const LpContention *contention)
{
    guint64 n = 0;
    guint32 pp = program->pipeline.n_stages;
    g_autofree guint64 *by_segment = g_new(guint64, program->segments->len);
    for (guint32 i = 0; i < program->segments->len; i++)
        by_segment[i] = count_contended(program, contention, i);
    for (guint32 stage = 0; stage < pp; stage++) {
        const LpStageProgram *stage_program = lp_program_stage(program, stage);
        for (guint i = 0; i < stage_program->n_steps; i++) {
            const LpStep *step = lp_program_step(program, stage_program->first_step + i);
            if (step->kind == LP_STEP_SEGMENT)
                n += by_segment[step->segment];
        }
    }
    return n * (program->n_ranks / pp);
}

/* One rank of each class is enough where nothing contends. */
static void
run_isolated(LpSimulation *self, const LpCommunicationMap *map, const LpContention *contention,
             LpIsolatedCache *cache, LpSimulationOptions options)
{
    LpRunMode mode = {.fidelity = options.fidelity, .merge = TRUE, .uncontended = TRUE};
    LpSurroundings none = {.watch = NULL};
    g_autoptr(LpRankEquivalence) classes =
        lp_rank_equivalence_new(map, contention, cache, options.fidelity);
    g_autoptr(LpTasks) tasks = lp_tasks_new(map, contention, cache, mode);
    LpRunJob job = {.map = map,
                    .contention = contention,
                    .cache = cache,
                    .tasks = tasks,
                    .n_iterations = 1,
                    .classes = classes};
    self->is_isolated = TRUE;
    self->isolated = tasks->isolated;
    lp_run_jobs(&job, 1, &none, &self->run);
}

static void
run_itself(LpSimulation *self, const LpCommunicationMap *map, const LpContention *contention,
           LpIsolatedCache *cache, LpSimulationOptions options)
{
    if (options.shares_max > 0 && count_shares(map->program, contention) > options.shares_max) {
        run_isolated(self, map, contention, cache, options);
        return;
    }
    LpRunMode mode = {.fidelity = options.fidelity, .merge = options.collapse};
    g_autoptr(LpTasks) tasks = lp_tasks_new(map, contention, cache, mode);
    self->isolated = tasks->isolated;
    self->run = lp_run_iteration(map, contention, cache, tasks, options.run);
}

static gboolean
run_all(LpSimulation *self, const LpCommunicationMap *map, const LpContention *contention,
        LpIsolatedCache *cache, LpSimulationOptions options, GError **error)
{
    if (options.alone) {
        run_itself(self, map, contention, cache, options);
        return TRUE;
    }
    LpCounterfactuals counterfactuals;
    if (!lp_counterfactuals_start(&counterfactuals, map, contention, cache, options.fidelity,
                                  error))
        return FALSE;
    run_itself(self, map, contention, cache, options);
    LpCounterfactualResults results;
    if (!lp_counterfactuals_finish(&counterfactuals, &results, &self->children_peak_rss_bytes,
                                   error))
        return FALSE;
    self->uncontended = results.uncontended;
    self->balanced = results.balanced;
    self->free_messages = results.free_messages;
    return TRUE;
}

static LpContention *
prove(const LpCommunicationMap *map, LpSimulationOptions options)
{
    if (!options.collapse)
        return lp_contention_new_nothing(map);
    if (options.negligible > 0.0 && lp_contention_is_negligible(map, options.negligible))
        return lp_contention_new_negligible(map, options.fidelity);
    return lp_contention_new(map, options.fidelity, NULL);
}

LpSimulation *
lp_simulation_run(const LpWorkload *workload, const LpMachine *machine, LpSimulationOptions options,
                  GError **error)
{
    if (!lp_simulation_check(workload, machine, error))
        return NULL;
    LpLibrary shipped;
    const LpLibrary *library = options.library != NULL ? options.library : &shipped;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &machine->accelerator, error);
    if (program == NULL || !lp_simulation_library(workload, machine, &shipped, error))
        return NULL;
    /* Read a second time: a pipe, say, has run dry. */
    GError *fault = NULL;
    g_autofree guint32 *accelerators = lp_placement_new(workload, machine, &fault);
    if (fault != NULL) {
        g_propagate_error(error, fault);
        return NULL;
    }
    g_autoptr(LpSimulation) self = g_new0(LpSimulation, 1);
    self->engine_options = lp_engine_options(4 * lp_plan_n_ranks(&workload->plan));
    /* Where rails never meet, domains forward what changes the rail. */
    gboolean on_rails = machine->rails_relay || lp_rail_is_kept(program, machine, accelerators);
    if (!(on_rails ? lp_simulation_start_engine_on_rails(machine, self->engine_options, error)
                   : lp_simulation_start_engine(machine, self->engine_options, error)))
        return NULL;
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    if (on_rails)
        lp_network_put_on_rails(network);
    g_autoptr(LpCommunicationMap) map =
        lp_communication_map_new(program, network, library, accelerators, error);
    if (map == NULL)
        return NULL;
    g_autoptr(LpContention) contention = prove(map, options);
    g_autoptr(LpIsolatedCache) cache = lp_isolated_cache_new();
    self->contention = lp_contention_describe(contention, map);
    lp_simulation_find_tiers(self, map);
    if (!run_all(self, map, contention, cache, options, error))
        return NULL;
    return g_steal_pointer(&self);
}

void
lp_simulation_free(LpSimulation *self)
{
    if (self == NULL)
        return;
    if (self->engine_options != NULL)
        g_array_unref(self->engine_options);
    g_free(self->contention);
    g_free(self);
}
