/* SPDX-License-Identifier: Apache-2.0 */
/* Names of collectives and algorithms. */
#include "model/plan/collective.h"

#include <string.h>

const char *const lp_collective_names[] = {"all-reduce", "reduce-scatter", "all-gather",
                                           "all-to-all", "broadcast",      "reduce",
                                           "send",       "barrier",        NULL};
const char *const lp_algorithm_names[] = {
    "ring",   "tree",  "doubling",   "halving-doubling", "bruck",  "pairwise",
    "direct", "torus", "in-network", "hierarchical",     "listed", NULL};

static const char separator[] = "+";

/* Levels name the algorithms that they are made of: "hierarchical" is none of those. */
static gboolean
parse_level(const char *name, LpAlgorithm *out_algorithm)
{
    for (guint i = 0; i < LP_ALGORITHM_HIERARCHICAL; i++)
        if (strcmp(name, lp_algorithm_names[i]) == 0) {
            *out_algorithm = (LpAlgorithm)i;
            return TRUE;
        }
    return FALSE;
}

gboolean
lp_algorithms_parse(const char *text, LpAlgorithms *out_algorithms)
{
    *out_algorithms = (LpAlgorithms){.n_levels = 0};
    if (strcmp(text, "auto") == 0)
        return TRUE;
    g_auto(GStrv) parts = g_strsplit(text, separator, -1);
    guint n = g_strv_length(parts);
    gboolean good = n >= 1 && n <= LP_LEVELS_MAX;
    for (guint i = 0; good && i < n; i++)
        good = parse_level(parts[i], &out_algorithms->level[i]);
    out_algorithms->n_levels = n;
    return good;
}

char *
lp_algorithms_format(const LpAlgorithms *self)
{
    const char *names[LP_LEVELS_MAX + 1] = {NULL};
    if (self->n_levels == 0)
        return g_strdup("auto");
    if (self->lists != NULL)
        return g_strdup(self->lists->path);
    for (guint i = 0; i < self->n_levels; i++)
        names[i] = lp_algorithm_names[self->level[i]];
    return g_strjoinv(separator, (char **)(gpointer)names);
}

gboolean
lp_algorithms_equal(const LpAlgorithms *a, const LpAlgorithms *b)
{
    for (guint32 i = 0; i < a->n_levels && a->n_levels == b->n_levels; i++)
        if (a->level[i] != b->level[i])
            return FALSE;
    return a->n_levels == b->n_levels && a->lists == b->lists;
}

gboolean
lp_algorithms_reduce_in_switches(const LpAlgorithms *self)
{
    for (guint32 i = 0; i < self->n_levels; i++)
        if (self->level[i] == LP_ALGORITHM_IN_NETWORK)
            return TRUE;
    return FALSE;
}
