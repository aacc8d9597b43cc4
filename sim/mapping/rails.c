/* SPDX-License-Identifier: Apache-2.0 */
/* Compares domains and cards of ranks that could talk. */
#include "sim/mapping/rails.h"

typedef struct {
    const LpProgram *program;    /* borrowed */
    const LpMachine *machine;    /* borrowed */
    const guint32 *accelerators; /* borrowed, or NULL */
} Sites;

typedef struct {
    guint64 domain, card;
} Site;

static Site
site(const Sites *self, guint64 rank)
{
    guint64 accelerator = self->accelerators == NULL ? rank : self->accelerators[rank];
    return (Site){lp_machine_domain(self->machine, accelerator),
                  lp_machine_card(self->machine, accelerator)};
}

/* Pair by pair: members either share one domain or all stand on the same card of theirs. */
static gboolean
group_keeps(const Sites *self, LpGroup group, guint64 first_rank)
{
    guint64 n = lp_program_group_size(self->program, group);
    Site first = site(self, first_rank);
    gboolean same_domain = TRUE, same_card = TRUE;
    for (guint64 i = 1; i < n && (same_domain || same_card); i++) {
        Site other = site(self, lp_program_group_member(self->program, group, first_rank, i));
        same_domain = same_domain && other.domain == first.domain;
        same_card = same_card && other.card == first.card;
    }
    return same_domain || same_card;
}

static gboolean
groups_keep(const Sites *self, guint64 rank)
{
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        if (lp_program_has_group(self->program, group, rank) &&
            lp_program_group_member(self->program, group, rank, 0) == rank &&
            !group_keeps(self, group, rank))
            return FALSE;
    return TRUE;
}

/* The next stage, and for virtual stages the first after the last. */
static gboolean
line_keeps(const Sites *self, guint64 rank)
{
    const LpPlan *plan = &self->program->plan;
    guint32 n_stages = plan->degree[LP_AXIS_PP];
    if (n_stages == 1)
        return TRUE;
    guint32 stage = lp_plan_coordinates(plan, rank).at[LP_AXIS_PP];
    if (stage + 1 == n_stages && plan->virtual_stages == 1)
        return TRUE;
    guint64 mate = lp_program_stage_mate(self->program, rank, (stage + 1) % n_stages);
    Site a = site(self, rank), b = site(self, mate);
    return a.domain == b.domain || a.card == b.card;
}

gboolean
lp_rail_is_kept(const LpProgram *program, const LpMachine *machine, const guint32 *accelerators)
{
    Sites self = {program, machine, accelerators};
    guint64 n_ranks = lp_plan_n_ranks(&program->plan);
    for (guint64 rank = 0; rank < n_ranks; rank++)
        if (!groups_keep(&self, rank) || !line_keeps(&self, rank))
            return FALSE;
    return TRUE;
}
