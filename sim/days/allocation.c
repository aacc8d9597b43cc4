/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks which job has. */
#include "sim/days/allocation.h"

struct LpAllocation {
    const LpFleet *fleet;     /* borrowed */
    const LpOutages *outages; /* borrowed */
    gint64 *job;              /* owned: of each block; -1: none */
    guint64 n_running;        /* jobs that have blocks */
    guint64 *found;           /* owned: blocks of the slices that are being put together */
};

LpAllocation *
lp_allocation_new(const LpFleet *fleet, const LpOutages *outages)
{
    LpAllocation *self = g_new0(LpAllocation, 1);
    self->fleet = fleet;
    self->outages = outages;
    self->job = g_new(gint64, fleet->n_blocks);
    self->found = g_new0(guint64, fleet->n_blocks);
    for (guint64 i = 0; i < fleet->n_blocks; i++)
        self->job[i] = -1;
    return self;
}

void
lp_allocation_free(LpAllocation *self)
{
    if (self == NULL)
        return;
    g_free(self->job);
    g_free(self->found);
    g_free(self);
}

static gboolean
is_free(const LpAllocation *self, guint64 block)
{
    return self->job[block] < 0 && lp_outages_is_block_up(self->outages, block);
}

/* Up to @wanted free blocks of @n from @first on, into found from @at on. Returns: how many. */
static guint64
collect(LpAllocation *self, guint64 first, guint64 n, guint64 wanted, guint64 at)
{
    guint64 n_found = 0;
    for (guint64 i = first; i < first + n && n_found < wanted; i++)
        if (is_free(self, i))
            self->found[at + n_found++] = i;
    return n_found;
}

static gboolean
find_any(LpAllocation *self)
{
    guint64 wanted = self->fleet->slice_blocks;
    return collect(self, 0, self->fleet->n_blocks, wanted, 0) == wanted;
}

static gboolean
find_fixed(LpAllocation *self)
{
    guint64 k = self->fleet->slice_blocks;
    for (guint64 first = 0; first + k <= self->fleet->n_blocks; first += k)
        if (collect(self, first, k, k, 0) == k)
            return TRUE;
    return FALSE;
}

static gboolean
find_in_pods(LpAllocation *self)
{
    const LpFleet *fleet = self->fleet;
    guint64 n = 0;
    for (guint64 first = 0; first + fleet->pod_blocks <= fleet->n_blocks;
         first += fleet->pod_blocks) {
        guint64 wanted = fleet->slice_blocks - n;
        guint64 here = collect(self, first, fleet->pod_blocks, wanted, n);
        n += here - here % fleet->group_blocks;
        if (n == fleet->slice_blocks)
            return TRUE;
    }
    return FALSE;
}

/* Blocks that are not to be had are passed over while the next is within reach; what waits for a
 * group beyond that is left. @wanted: blocks in all; @moves: those of running jobs are to be had,
 * too. */
static gboolean
find_in_rings(LpAllocation *self, guint64 wanted, gboolean moves)
{
    const LpFleet *fleet = self->fleet;
    guint64 n = 0, waiting = 0, passed = 0;
    for (guint64 i = 0; i < fleet->n_blocks && n < wanted; i++) {
        if (!(moves ? lp_outages_is_block_up(self->outages, i) : is_free(self, i))) {
            passed++;
            continue;
        }
        if (passed >= fleet->hops)
            waiting = 0;
        passed = 0;
        self->found[n + waiting++] = i;
        if (waiting == fleet->group_blocks) {
            n += waiting;
            waiting = 0;
        }
    }
    return n == wanted;
}

static gboolean
fits_at(LpAllocation *self, const guint64 *corner, const guint64 *shape)
{
    const guint64 *grid = self->fleet->grid;
    guint64 n = 0;
    for (guint64 x = 0; x < shape[0]; x++)
        for (guint64 y = 0; y < shape[1]; y++)
            for (guint64 z = 0; z < shape[2]; z++) {
                guint64 block =
                    (((corner[2] + z) % grid[2]) * grid[1] + (corner[1] + y) % grid[1]) * grid[0] +
                    (corner[0] + x) % grid[0];
                if (!is_free(self, block))
                    return FALSE;
                self->found[n++] = block;
            }
    return TRUE;
}

static gboolean
find_box(LpAllocation *self, const guint64 *shape)
{
    const guint64 *grid = self->fleet->grid;
    if (shape[0] > grid[0] || shape[1] > grid[1] || shape[2] > grid[2])
        return FALSE;
    guint64 corner[3];
    for (corner[0] = 0; corner[0] < grid[0]; corner[0]++)
        for (corner[1] = 0; corner[1] < grid[1]; corner[1]++)
            for (corner[2] = 0; corner[2] < grid[2]; corner[2]++)
                if (fits_at(self, corner, shape))
                    return TRUE;
    return FALSE;
}

static gboolean
find_contiguous(LpAllocation *self)
{
    static const guint turns[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                      {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const guint64 *shape = self->fleet->shape;
    for (guint i = 0; i < G_N_ELEMENTS(turns); i++) {
        guint64 turned[3] = {shape[turns[i][0]], shape[turns[i][1]], shape[turns[i][2]]};
        if (find_box(self, turned))
            return TRUE;
    }
    return FALSE;
}

static gboolean
find(LpAllocation *self)
{
    switch (self->fleet->packing) {
    case LP_PACKING_FIXED:
        return find_fixed(self);
    case LP_PACKING_CONTIGUOUS:
        return find_contiguous(self);
    case LP_PACKING_PODS:
        return find_in_pods(self);
    case LP_PACKING_RINGS:
        return find_in_rings(self, self->fleet->slice_blocks, FALSE);
    case LP_PACKING_ANY:
    case LP_N_PACKINGS:
        break;
    }
    return find_any(self);
}

/* The jobs that run, in the order of their first blocks, and @last behind them. Returns: (transfer
 * full). */
static gint64 *
list_jobs(const LpAllocation *self, gint64 last)
{
    gint64 *jobs = g_new(gint64, self->n_running + 1);
    guint64 n = 0;
    for (guint64 i = 0; i < self->fleet->n_blocks; i++) {
        guint64 k = 0;
        while (k < n && jobs[k] != self->job[i])
            k++;
        if (self->job[i] >= 0 && k == n)
            jobs[n++] = self->job[i];
    }
    jobs[n] = last;
    return jobs;
}

/* All groups are formed anew, with one slice more. */
static gboolean
regroup(LpAllocation *self, guint64 job)
{
    guint64 k = self->fleet->slice_blocks, wanted = (self->n_running + 1) * k;
    if (self->fleet->packing != LP_PACKING_RINGS || self->fleet->regroup != LP_REGROUP_FREE ||
        wanted > self->fleet->n_blocks || !find_in_rings(self, wanted, TRUE))
        return FALSE;
    g_autofree gint64 *jobs = list_jobs(self, (gint64)job);
    for (guint64 i = 0; i < self->fleet->n_blocks; i++)
        self->job[i] = -1;
    for (guint64 i = 0; i < wanted; i++)
        self->job[self->found[i]] = jobs[i / k];
    self->n_running++;
    return TRUE;
}

gboolean
lp_allocation_take(LpAllocation *self, guint64 job)
{
    if (!find(self))
        return regroup(self, job);
    for (guint64 i = 0; i < self->fleet->slice_blocks; i++)
        self->job[self->found[i]] = (gint64)job;
    self->n_running++;
    return TRUE;
}

gboolean
lp_allocation_replace(LpAllocation *self, guint64 block)
{
    if (self->fleet->packing != LP_PACKING_ANY ||
        collect(self, 0, self->fleet->n_blocks, 1, 0) == 0)
        return FALSE;
    self->job[self->found[0]] = self->job[block];
    self->job[block] = -1;
    return TRUE;
}

void
lp_allocation_release(LpAllocation *self, guint64 job)
{
    for (guint64 i = 0; i < self->fleet->n_blocks; i++)
        if (self->job[i] == (gint64)job)
            self->job[i] = -1;
    self->n_running--;
}

gint64
lp_allocation_job(const LpAllocation *self, guint64 block)
{
    return self->job[block];
}
