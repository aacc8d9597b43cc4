/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how groups run their collectives. */
#include "sim/collectives/algorithm_selection.h"

#include "model/plan/step_list.h"

const char *const lp_fidelity_names[] = {"flow", "message", NULL};

/* The members that meet at each level, from the inside out. */
static void
level_sizes(const LpSites *sites, guint32 n_levels, guint64 *out_sizes)
{
    guint64 n = sites->n_members, intra = sites->is_regular ? sites->n_intra : 1;
    guint64 leaf = n_levels > 2 && sites->n_leaf > 0 ? sites->n_leaf : intra;
    out_sizes[0] = intra;
    out_sizes[1] = n_levels > 2 ? leaf / intra : n / intra;
    out_sizes[2] = n / leaf;
}

/* Levels of one member are none: what is left decides whether there is a hierarchy. */
static void
set_levels(LpCollectiveShape *shape, const LpAlgorithms *algorithms, const LpSites *sites)
{
    guint64 sizes[LP_LEVELS_MAX];
    level_sizes(sites, algorithms->n_levels, sizes);
    shape->n_levels = 0;
    for (guint32 i = 0; i < algorithms->n_levels; i++) {
        if (sizes[i] == 1)
            continue;
        shape->level_size[shape->n_levels] = sizes[i];
        shape->level_algorithm[shape->n_levels++] = algorithms->level[i];
    }
    shape->algorithm = shape->n_levels > 1 ? LP_ALGORITHM_HIERARCHICAL : shape->level_algorithm[0];
}

/* Sets the rings of a torus, both ways round each dimension. If the members fill no block of a
 * torus and no algorithm is prescribed (@is_free), they form one ring. */
static void
set_torus(LpCollectiveShape *shape, const LpSites *sites, gboolean is_free)
{
    shape->n_channels = 2;
    shape->n_levels = sites->n_dimensions;
    for (guint32 i = 0; i < sites->n_dimensions; i++) {
        shape->level_size[i] = sites->dimension[i];
        shape->level_links[i] = sites->links[i];
    }
    if (sites->n_dimensions == 0 && is_free) {
        shape->n_levels = 1;
        shape->level_size[0] = shape->n_members;
    }
}

/* Among all ports what crosses each link follows from the torus. Over circuits, where flows have no
 * weights, pairs go by themselves. */
static gboolean
exchanges_in_torus(const LpOp *op, const LpAlgorithms *algorithms, const LpSites *sites,
                   gboolean is_even)
{
    gboolean in_domain = sites->is_regular && sites->n_intra == sites->n_members;
    gboolean by_torus = (sites->ways != NULL && is_even) || sites->has_circuits;
    return op->collective == LP_COLLECTIVE_ALL_TO_ALL && sites->on_torus && !in_domain &&
           ((algorithms->n_levels == 0 && by_torus) ||
            (algorithms->n_levels == 1 && algorithms->level[0] == LP_ALGORITHM_TORUS));
}

static void
set_torus_exchange(LpCollectiveShape *shape, const LpAlgorithms *algorithms, const LpSites *sites)
{
    gboolean is_even = shape->loads == NULL;
    shape->ways = sites->ways;
    shape->algorithm = algorithms->n_levels > 0 || (sites->ways != NULL && is_even)
                           ? LP_ALGORITHM_TORUS
                           : LP_ALGORITHM_DIRECT;
}

static gboolean
is_ring_collective(LpCollective collective)
{
    return collective == LP_COLLECTIVE_ALL_REDUCE || collective == LP_COLLECTIVE_REDUCE_SCATTER ||
           collective == LP_COLLECTIVE_ALL_GATHER;
}

static guint64
n_channels(const LpSites *sites, guint32 channels)
{
    if (!sites->is_regular || sites->n_intra == 1 || sites->n_intra == sites->n_members)
        return 1;
    return channels == 0 ? sites->n_intra : MIN(channels, sites->n_intra);
}

static LpSpread
spread_of(const LpSites *sites)
{
    if (sites->in_pair)
        return LP_SPREAD_PAIR;
    gboolean in_domain =
        sites->n_members <= 1 || (sites->is_regular && sites->n_intra == sites->n_members);
    if (in_domain)
        return LP_SPREAD_ONE_DOMAIN;
    if (sites->on_torus && sites->n_intra == 1)
        return LP_SPREAD_TORUS;
    gboolean in_two = sites->is_regular && 2 * sites->n_intra == sites->n_members;
    return in_two ? LP_SPREAD_TWO : LP_SPREAD_DOMAINS;
}

/* Lists say nothing of operations that they have none for. */
static LpAlgorithms
of_operation(const LpAlgorithms *said, const LpOp *op)
{
    gboolean says = said->lists == NULL || lp_step_lists_have(said->lists, op->collective);
    return says ? *said : (LpAlgorithms){.n_levels = 0};
}

LpAlgorithmSelection
lp_algorithm_selection_of(const LpLibrary *library, const LpCommunicator *communicator,
                          const LpOp *op, const LpSites *sites)
{
    guint64 n = sites->n_members;
    LpAlgorithms own = of_operation(&communicator->algorithms, op);
    const LpAlgorithms *said = &own;
    LpLibraryChoice chosen =
        said->n_levels > 0
            ? lp_library_choose_for(library, op->collective, op->bytes, n, spread_of(sites), said)
            : lp_library_choose(library, op->collective, op->bytes, n, spread_of(sites));
    LpAlgorithms algorithms = said->n_levels > 0 ? *said : chosen.algorithms;
    gboolean in_domain = sites->is_regular && sites->n_intra == n;
    if (said->n_levels == 0 && sites->few_circuits && !in_domain &&
        is_ring_collective(op->collective))
        algorithms = (LpAlgorithms){.n_levels = 1, .level = {LP_ALGORITHM_RING}};
    LpAlgorithmSelection selection = {
        .protocol = chosen.protocol,
        .shape = {.collective = op->collective,
                  .algorithm = LP_ALGORITHM_RING,
                  .n_members = n,
                  .bytes = op->bytes,
                  .chunk_bytes = (guint64)chosen.protocol->chunk_bytes,
                  .n_channels = n_channels(sites, chosen.channels),
                  .n_intra = sites->n_intra,
                  .weight = op->weight}};
    selection.shape.loads = lp_op_loads(op, communicator);
    if (said->lists != NULL)
        selection.shape.list = lp_step_lists_find(said->lists, op->collective, n);
    if (algorithms.n_levels == 1)
        selection.shape.algorithm = algorithms.level[0];
    else if (algorithms.n_levels > 1)
        set_levels(&selection.shape, &algorithms, sites);
    gboolean in_torus = exchanges_in_torus(op, &algorithms, sites, selection.shape.loads == NULL);
    if (in_torus)
        set_torus_exchange(&selection.shape, &algorithms, sites);
    else if (selection.shape.algorithm == LP_ALGORITHM_TORUS)
        set_torus(&selection.shape, sites, said->n_levels == 0);
    /* A tree with a root has no chains. */
    if (selection.shape.algorithm == LP_ALGORITHM_TREE &&
        op->collective != LP_COLLECTIVE_ALL_REDUCE)
        selection.shape.n_channels = 1;
    gboolean rails =
        op->collective == LP_COLLECTIVE_ALL_TO_ALL && algorithms.n_levels == 0 && !in_torus;
    gboolean ring = is_ring_collective(op->collective) &&
                    selection.shape.algorithm == LP_ALGORITHM_RING &&
                    selection.shape.n_channels == 1;
    selection.is_scheduled = !rails && !ring;
    return selection;
}

/* Whether the choice hands data to a switch where there is none: between chips of a torus. */
static gboolean
lacks_switches(const LpAlgorithmSelection *selection, const LpSites *sites)
{
    const LpCollectiveShape *shape = &selection->shape;
    gboolean in_domain = sites->is_regular && sites->n_intra == sites->n_members;
    if (!selection->is_scheduled || !sites->on_torus || in_domain)
        return FALSE;
    gboolean is_flat = shape->algorithm != LP_ALGORITHM_HIERARCHICAL || sites->n_intra == 1;
    for (guint32 level = is_flat ? 0 : 1; level < lp_algorithm_selection_n_levels(shape); level++)
        if (lp_algorithm_selection_has_switches(shape, level))
            return TRUE;
    return FALSE;
}

gboolean
lp_algorithm_selection_check(const LpLibrary *library, const LpCommunicator *communicator,
                             const LpOp *op, const LpSites *sites, GError **error)
{
    LpAlgorithmSelection selection = lp_algorithm_selection_of(library, communicator, op, sites);
    const LpStepLists *lists = communicator->algorithms.lists;
    if (selection.shape.algorithm == LP_ALGORITHM_LISTED && selection.shape.list == NULL)
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                    "got %s, which has no %s of %" G_GUINT64_FORMAT
                    " ranks, wanted one for as many, or none",
                    lists->path, lp_collective_names[op->collective], sites->n_members);
    else if (selection.shape.algorithm == LP_ALGORITHM_TORUS && selection.shape.n_levels == 0 &&
             op->collective != LP_COLLECTIVE_ALL_TO_ALL)
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LEVELS,
                    "got torus for %" G_GUINT64_FORMAT " members that fill no block of a torus, "
                    "wanted whole dimensions of one, in order, or another algorithm",
                    sites->n_members);
    else if (lacks_switches(&selection, sites))
        g_set_error_literal(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                            "got in-network on a torus, whose chips meet in no switch, wanted "
                            "a fabric with switches, or another algorithm");
    else if (!selection.is_scheduled || lp_step_schedule_supports(&selection.shape, error))
        return TRUE;
    g_prefix_error(error, "%s: ", communicator->setting);
    return FALSE;
}

/* A flat group is a hierarchy of one level. */
guint32
lp_algorithm_selection_n_levels(const LpCollectiveShape *shape)
{
    return shape->algorithm == LP_ALGORITHM_HIERARCHICAL ? shape->n_levels : 1;
}

gboolean
lp_algorithm_selection_has_switches(const LpCollectiveShape *shape, guint32 level)
{
    return shape->algorithm == LP_ALGORITHM_IN_NETWORK ||
           (shape->algorithm == LP_ALGORITHM_HIERARCHICAL &&
            shape->level_algorithm[level] == LP_ALGORITHM_IN_NETWORK);
}

static guint64
level_size(const LpCollectiveShape *shape, guint32 level)
{
    return shape->algorithm == LP_ALGORITHM_HIERARCHICAL ? shape->level_size[level]
                                                         : shape->n_members;
}

/* The distance from a member to the next one of its group at @level. */
static guint64
level_pitch(const LpCollectiveShape *shape, guint32 level)
{
    guint64 pitch = 1;
    for (guint32 i = 0; i < level; i++)
        pitch *= level_size(shape, i);
    return pitch;
}

guint64
lp_algorithm_selection_neighbour(const LpCollectiveShape *shape, guint64 member, guint32 level,
                                 int distance)
{
    guint64 size = level_size(shape, level), pitch = level_pitch(shape, level);
    guint64 place = member / pitch % size;
    guint64 next = distance >= 0 ? place + (guint64)distance : place + size - (guint64)-distance;
    return member - place * pitch + next % size * pitch;
}

/* Switches follow the members: those of inner levels first, in the order of their first members. */
guint64
lp_algorithm_selection_switch(const LpCollectiveShape *shape, guint64 member, guint32 level)
{
    guint64 first = shape->n_members;
    for (guint32 i = 0; i < level; i++)
        if (lp_algorithm_selection_has_switches(shape, i))
            first += shape->n_members / level_size(shape, i);
    guint64 size = level_size(shape, level), pitch = level_pitch(shape, level);
    return first + member / (pitch * size) * pitch + member % pitch;
}

guint64
lp_algorithm_selection_receiver(const LpCollectiveShape *shape, guint64 member, guint64 to)
{
    if (to < shape->n_members)
        return to;
    for (guint32 level = 0; level < lp_algorithm_selection_n_levels(shape); level++)
        if (lp_algorithm_selection_has_switches(shape, level) &&
            lp_algorithm_selection_switch(shape, member, level) == to)
            return lp_algorithm_selection_neighbour(shape, member, level, 1);
    g_assert_not_reached();
}

int
lp_algorithm_selection_switch_level(const LpStepSchedule *schedule, guint64 round,
                                    LpFidelity fidelity)
{
    const LpCollectiveShape *shape = &schedule->shape;
    if (shape->algorithm == LP_ALGORITHM_IN_NETWORK)
        return 0;
    if (shape->algorithm != LP_ALGORITHM_HIERARCHICAL)
        return -1;
    guint32 stage = 0;
    while (stage + 1 < schedule->n_stages &&
           round >= (fidelity == LP_FIDELITY_FLOW ? schedule->stages[stage + 1].first_phase
                                                  : schedule->stages[stage + 1].first_step))
        stage++;
    guint32 level = schedule->stages[stage].level;
    return shape->level_algorithm[level] == LP_ALGORITHM_IN_NETWORK ? (int)level : -1;
}

char *
lp_algorithm_selection_describe(const LpAlgorithmSelection *self)
{
    const LpCollectiveShape *shape = &self->shape;
    if (!self->is_scheduled)
        return g_strdup(shape->collective == LP_COLLECTIVE_ALL_TO_ALL ? "rails" : "ring");
    if (shape->algorithm == LP_ALGORITHM_HIERARCHICAL) {
        LpAlgorithms algorithms = {.n_levels = shape->n_levels};
        for (guint32 i = 0; i < shape->n_levels; i++)
            algorithms.level[i] = shape->level_algorithm[i];
        return lp_algorithms_format(&algorithms);
    }
    const char *name = shape->algorithm == LP_ALGORITHM_LISTED
                           ? shape->list->name
                           : lp_algorithm_names[shape->algorithm];
    gboolean has_channels =
        shape->algorithm == LP_ALGORITHM_RING || shape->algorithm == LP_ALGORITHM_TREE;
    return has_channels && shape->n_channels > 1
               ? g_strdup_printf("%s x %" G_GUINT64_FORMAT, name, shape->n_channels)
               : g_strdup(name);
}
