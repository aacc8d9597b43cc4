/* SPDX-License-Identifier: Apache-2.0 */
/* Compares domains and cards of ranks that could talk. */
#include "sim/mapping/rails.h"

typedef struct {
    const LpProgram *program;     /* borrowed */
    const LpMachine *machine;     /* borrowed */
    const LpPlacement *placement; /* borrowed, or NULL */
} Sites;

typedef struct {
    guint64 domain, card;
} Site;

static Site
site(const Sites *self, guint64 rank)
{
    guint64 accelerator = lp_placement_accelerator(self->placement, rank);
    return (Site){lp_machine_domain(self->machine, accelerator),
                  lp_machine_card(self->machine, accelerator)};
}

/* Pair by pair: members either share one domain or all stand on the same card of theirs. */
static gboolean
communicator_keeps(const Sites *self, const LpCommunicator *communicator)
{
    Site first = site(self, communicator->ranks[0]);
    gboolean same_domain = TRUE, same_card = TRUE;
    for (guint32 i = 1; i < communicator->n_members && (same_domain || same_card); i++) {
        Site other = site(self, communicator->ranks[i]);
        same_domain = same_domain && other.domain == first.domain;
        same_card = same_card && other.card == first.card;
    }
    return same_domain || same_card;
}

static gboolean
communicators_keep(const Sites *self)
{
    const LpCommunicators *communicators = self->program->communicators;
    for (LpGroup group = 0; group < LP_N_GROUPS; group++)
        for (guint i = 0; i < lp_communicators_n(communicators, group); i++)
            if (!communicator_keeps(self, lp_communicators_get(communicators, group, i)))
                return FALSE;
    return TRUE;
}

/* The next stage, and for virtual stages the first after the last. */
static gboolean
line_keeps(const Sites *self, guint64 rank)
{
    guint64 next = lp_program_line_peer(self->program, LP_LINE_FORWARD, rank);
    if (next == G_MAXUINT64)
        return TRUE;
    Site a = site(self, rank), b = site(self, next);
    return a.domain == b.domain || a.card == b.card;
}

gboolean
lp_rail_is_kept(const LpProgram *program, const LpMachine *machine, const LpPlacement *placement)
{
    Sites self = {program, machine, placement};
    for (guint64 rank = 0; rank < program->n_ranks; rank++)
        if (!line_keeps(&self, rank))
            return FALSE;
    return communicators_keep(&self);
}
