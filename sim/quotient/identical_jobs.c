/* SPDX-License-Identifier: Apache-2.0 */
/* Compares how many ranks jobs have of each class. */
#include "sim/quotient/identical_jobs.h"

#include <string.h>

/* The number of ranks of the job in each class of the run. Returns: (transfer full). */
static guint32 *
count_ranks(const LpStructure *structure, const LpFlowList *list)
{
    guint32 *n = g_new0(guint32, structure->first_communicator);
    for (guint32 rank = 0; rank < list->n_ranks; rank++)
        n[structure->of_vertex[list->first_rank + rank]]++;
    return n;
}

/* The job before @job that has a class of ranks in common with it, or itself. */
static guint32
find_relative(const LpStructure *structure, const LpFlowList *const *lists, guint32 job)
{
    guint32 class = structure->of_vertex[lists[job]->first_rank];
    for (guint32 other = 0; other < job; other++)
        for (guint32 rank = 0; rank < lists[other]->n_ranks; rank++)
            if (structure->of_vertex[lists[other]->first_rank + rank] == class)
                return other;
    return job;
}

/* Whether no rank of the job is of a class that one before it has. */
static gboolean
is_new(const LpStructure *structure, const LpFlowList *list)
{
    guint32 n_known = 0;
    for (guint32 rank = 0; rank < list->first_rank; rank++)
        n_known = MAX(n_known, structure->of_vertex[rank] + 1);
    for (guint32 rank = 0; rank < list->n_ranks; rank++)
        if (structure->of_vertex[list->first_rank + rank] < n_known)
            return FALSE;
    return TRUE;
}

gboolean
lp_identical_jobs_find(const LpStructure *structure, const LpFlowList *const *lists, guint32 n,
                       guint32 *out_identical)
{
    for (guint32 job = 0; job < n; job++) {
        out_identical[job] = find_relative(structure, lists, job);
        if (out_identical[job] == job && !is_new(structure, lists[job]))
            return FALSE;
        if (out_identical[job] == job)
            continue;
        g_autofree guint32 *own = count_ranks(structure, lists[job]);
        g_autofree guint32 *identical_job = count_ranks(structure, lists[out_identical[job]]);
        if (memcmp(own, identical_job, structure->first_communicator * sizeof *own) != 0)
            return FALSE;
    }
    return TRUE;
}
