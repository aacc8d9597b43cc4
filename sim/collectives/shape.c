/* SPDX-License-Identifier: Apache-2.0 */
/* Which shapes of collectives can be run. */
#include "model/plan/step_list.h"
#include "sim/collectives/algorithm.h"
#include "sim/collectives/step_schedule.h"

#include <math.h>

static const guint32 collectives[LP_N_ALGORITHMS] = {
    [LP_ALGORITHM_RING] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                          LP_CAN(BROADCAST) | LP_CAN(REDUCE),
    [LP_ALGORITHM_TREE] = LP_CAN(ALL_REDUCE) | LP_CAN(BROADCAST) | LP_CAN(REDUCE),
    [LP_ALGORITHM_DOUBLING] = LP_CAN(ALL_REDUCE) | LP_CAN(ALL_GATHER) | LP_CAN(BARRIER),
    [LP_ALGORITHM_HALVING] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                             LP_CAN(BROADCAST) | LP_CAN(REDUCE),
    [LP_ALGORITHM_BRUCK] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                           LP_CAN(ALL_TO_ALL) | LP_CAN(BARRIER),
    [LP_ALGORITHM_PAIRWISE] =
        LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) | LP_CAN(ALL_TO_ALL),
    [LP_ALGORITHM_DIRECT] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                            LP_CAN(ALL_TO_ALL) | LP_CAN(BROADCAST) | LP_CAN(REDUCE) | LP_CAN(SEND) |
                            LP_CAN(BARRIER),
    [LP_ALGORITHM_TORUS] =
        LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) | LP_CAN(ALL_TO_ALL),
    [LP_ALGORITHM_IN_NETWORK] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                                LP_CAN(BROADCAST) | LP_CAN(REDUCE) | LP_CAN(BARRIER),
    [LP_ALGORITHM_HIERARCHICAL] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                                  LP_CAN(ALL_TO_ALL) | LP_CAN(BROADCAST) | LP_CAN(REDUCE) |
                                  LP_CAN(BARRIER),
    [LP_ALGORITHM_LISTED] = LP_CAN(ALL_REDUCE) | LP_CAN(REDUCE_SCATTER) | LP_CAN(ALL_GATHER) |
                            LP_CAN(ALL_TO_ALL) | LP_CAN(BROADCAST) | LP_CAN(REDUCE),
};

/* The names of the algorithms that can run the collective, with commas, for the message. */
static char *
names_for(LpCollective collective)
{
    GString *names = g_string_new(NULL);
    for (LpAlgorithm algorithm = 0; algorithm < LP_ALGORITHM_LISTED; algorithm++)
        if (collectives[algorithm] & (1u << collective))
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "",
                                   lp_algorithm_names[algorithm]);
    return g_string_free(names, FALSE);
}

static gboolean
check_algorithm(const LpCollectiveShape *shape, GError **error)
{
    if ((guint)shape->collective >= LP_N_COLLECTIVES ||
        (guint)shape->algorithm >= LP_N_ALGORITHMS) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                    "got collective %d by algorithm %d, wanted two that exist",
                    (int)shape->collective, (int)shape->algorithm);
        return FALSE;
    }
    if (collectives[shape->algorithm] & (1u << shape->collective))
        return TRUE;
    g_autofree char *names = names_for(shape->collective);
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                "%s: got the algorithm \"%s\", wanted one of %s",
                lp_collective_names[shape->collective], lp_algorithm_names[shape->algorithm],
                names);
    return FALSE;
}

static gboolean
check_members(const LpCollectiveShape *shape, GError **error)
{
    const char *name = lp_collective_names[shape->collective];
    gboolean is_send = shape->collective == LP_COLLECTIVE_SEND;
    gboolean has_root =
        shape->collective == LP_COLLECTIVE_BROADCAST || shape->collective == LP_COLLECTIVE_REDUCE;
    if (shape->n_members == 0 || shape->n_members > G_MAXUINT32 ||
        (is_send && shape->n_members != 2)) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMBERS,
                    "%s: got %" G_GUINT64_FORMAT " members, wanted %s", name, shape->n_members,
                    is_send ? "2" : "1 to 4294967295");
        return FALSE;
    }
    if (has_root && shape->root >= shape->n_members) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMBERS,
                    "%s: got the root %" G_GUINT64_FORMAT ", wanted less than %" G_GUINT64_FORMAT,
                    name, shape->root, shape->n_members);
        return FALSE;
    }
    return TRUE;
}

/* No algorithm sends a byte of the buffer more than 64 times a member (recursive doubling, of at
 * most 2^32 members). */
static gboolean
check_bytes(const LpCollectiveShape *shape, GError **error)
{
    guint64 limit = G_MAXUINT64 / 64 / shape->n_members;
    if (shape->bytes <= limit)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_SIZE,
                "%s: got %" G_GUINT64_FORMAT " bytes, wanted at most %" G_GUINT64_FORMAT
                " on each of %" G_GUINT64_FORMAT " members",
                lp_collective_names[shape->collective], shape->bytes, limit, shape->n_members);
    return FALSE;
}

static gboolean
check_channels(const LpCollectiveShape *shape, GError **error)
{
    const char *name = lp_algorithm_names[shape->algorithm];
    guint64 most = shape->algorithm == LP_ALGORITHM_TORUS ? 2 : shape->n_members;
    if (shape->n_channels > MAX(most, 1)) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CHANNELS,
                    "%s: got %" G_GUINT64_FORMAT " channels, wanted at most %" G_GUINT64_FORMAT,
                    name, shape->n_channels, most);
        return FALSE;
    }
    if (shape->algorithm == LP_ALGORITHM_TREE && shape->n_channels > 1 &&
        shape->collective != LP_COLLECTIVE_ALL_REDUCE) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CHANNELS,
                    "%s: got %" G_GUINT64_FORMAT " channels for a collective with a root, wanted 1",
                    name, shape->n_channels);
        return FALSE;
    }
    if (shape->algorithm != LP_ALGORITHM_TORUS && shape->n_channels > 1 && shape->n_intra > 0 &&
        shape->n_members % shape->n_intra != 0) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_CHANNELS,
                    "%s: got domains of %" G_GUINT64_FORMAT
                    " members, wanted a divisor of %" G_GUINT64_FORMAT,
                    name, shape->n_intra, shape->n_members);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_sizes(const LpCollectiveShape *shape, GError **error)
{
    const char *name = lp_algorithm_names[shape->algorithm];
    gboolean is_torus = shape->algorithm == LP_ALGORITHM_TORUS;
    guint32 least = is_torus ? 1 : 2,
            most = is_torus ? LP_TORUS_DIMENSIONS_MAX : LP_STEP_SCHEDULE_LEVELS_MAX;
    if (shape->n_levels < least || shape->n_levels > most) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LEVELS,
                    "%s: got %u levels, wanted %u to %u", name, shape->n_levels, least, most);
        return FALSE;
    }
    /* Dividing cannot overflow. */
    guint64 left = shape->n_members;
    for (guint32 level = 0; level < shape->n_levels; level++) {
        guint64 size = shape->level_size[level];
        if (size == 0 || left % size != 0 || (level + 1 == shape->n_levels && left != size)) {
            g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LEVELS,
                        "%s: got level %u of %" G_GUINT64_FORMAT
                        ", wanted sizes whose product is %" G_GUINT64_FORMAT,
                        name, level, size, shape->n_members);
            return FALSE;
        }
        left /= size;
    }
    return TRUE;
}

/* A level's group has the same collective, except that an all-reduce is its two halves below the
 * top. */
static gboolean
check_level(const LpCollectiveShape *shape, guint32 level, GError **error)
{
    LpAlgorithm algorithm = shape->level_algorithm[level];
    gboolean nested = algorithm == LP_ALGORITHM_HIERARCHICAL || algorithm == LP_ALGORITHM_TORUS;
    gboolean halved = shape->collective == LP_COLLECTIVE_ALL_REDUCE && level + 1 < shape->n_levels;
    LpCollectiveShape group = {.collective =
                                   halved ? LP_COLLECTIVE_REDUCE_SCATTER : shape->collective,
                               .algorithm = algorithm,
                               .n_members = shape->level_size[level]};
    if (nested) {
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LEVELS,
                    "level %u: got the algorithm \"%s\", wanted one without levels", level,
                    lp_algorithm_names[algorithm]);
        return FALSE;
    }
    if (check_algorithm(&group, error))
        return TRUE;
    g_prefix_error(error, "level %u: ", level);
    return FALSE;
}

static gboolean
check_levels(const LpCollectiveShape *shape, GError **error)
{
    if (!check_sizes(shape, error))
        return FALSE;
    if (shape->algorithm == LP_ALGORITHM_TORUS)
        return TRUE;
    for (guint32 level = 0; level < shape->n_levels; level++)
        if (!check_level(shape, level, error))
            return FALSE;
    return TRUE;
}

/* A list is for so many members, and knows neither other roots nor blocks of other sizes. */
static gboolean
check_list(const LpCollectiveShape *shape, GError **error)
{
    if (shape->list != NULL && shape->list->n_ranks == shape->n_members && shape->root == 0 &&
        shape->loads == NULL)
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                "%s: got %s for %" G_GUINT64_FORMAT
                " members, wanted as many as the list is for, the first as root, and equal blocks",
                lp_collective_names[shape->collective],
                shape->list != NULL ? shape->list->name : "no list", shape->n_members);
    return FALSE;
}

static gboolean
check_loads(const LpCollectiveShape *shape, GError **error)
{
    for (guint64 i = 0; i < shape->n_members; i++) {
        double load = shape->loads[i];
        if (isfinite(load) && load >= 0.0)
            continue;
        g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LOADS,
                    "%s: got the load %g of member %" G_GUINT64_FORMAT
                    ", wanted a finite one of at least 0",
                    lp_collective_names[shape->collective], load, i);
        return FALSE;
    }
    return TRUE;
}

/* Ways lead over ports of others where the members are a part of a torus. */
static gboolean
check_ways(const LpCollectiveShape *shape, GError **error)
{
    if (shape->ways != NULL && lp_torus_n_ports(shape->ways->torus) == shape->n_members &&
        (shape->loads == NULL || shape->weight == LP_WEIGHT_EVEN))
        return TRUE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_ALGORITHM,
                "all-to-all: got the algorithm \"torus\" for %" G_GUINT64_FORMAT
                " members, wanted all ports of a torus in order, with equal loads, or direct",
                shape->n_members);
    return FALSE;
}

gboolean
lp_step_schedule_supports(const LpCollectiveShape *shape, GError **error)
{
    gboolean ways =
        shape->algorithm == LP_ALGORITHM_TORUS && shape->collective == LP_COLLECTIVE_ALL_TO_ALL;
    gboolean levels = (shape->algorithm == LP_ALGORITHM_TORUS && !ways) ||
                      shape->algorithm == LP_ALGORITHM_HIERARCHICAL;
    gboolean channels = shape->algorithm == LP_ALGORITHM_TORUS ||
                        shape->algorithm == LP_ALGORITHM_RING ||
                        shape->algorithm == LP_ALGORITHM_TREE;
    gboolean loads = shape->collective == LP_COLLECTIVE_ALL_TO_ALL && shape->loads != NULL;
    gboolean listed = shape->algorithm == LP_ALGORITHM_LISTED;
    return check_algorithm(shape, error) && check_members(shape, error) &&
           (!listed || check_list(shape, error)) && check_bytes(shape, error) &&
           (!ways || check_ways(shape, error)) && (!channels || check_channels(shape, error)) &&
           (!levels || check_levels(shape, error)) && (!loads || check_loads(shape, error));
}
