/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a run, refined: ranks, communicators, flows, links and members' places as
 * vertices, and their classes. */
#pragma once

#include "sim/quotient/binding_links.h"

G_BEGIN_DECLS

/** A link as one communicator, or one line between stages, has it. */
typedef struct {
    guint32 link;
    guint32 first, end; /**< its flows there, in LpBindingLinks.flows */
} LpOwnedLink;

/** Vertices of a kind follow each other, and so do their classes: ranks, communicators, flows,
 * links that bind, links by owner, places of members, of communicators with chained flows. */
typedef struct {
    LpBindingLinks *links; /* owned */
    GArray *owned;         /* owned LpOwnedLink, by link: of links that collectives share with
                              themselves, where it matters who of their flows belong together */
    guint32 *of_vertex;    /* owned, by vertex: its class */
    guint32 first_communicator, first_flow, first_link, first_owned, first_place, first_sender,
        n_vertices;
    gboolean is_assumed;  /**< flows of a class may cross links of different classes */
    gboolean is_cut;      /**< links would have told more flows apart (LpQuotientInput.n_rounds) */
    guint32 *link_vertex; /* owned, by link: valid for those that bind */
    guint32 *place;       /* owned, by communicator: the vertex of its first member's place */
} LpStructure;

/** The structure of the run of @input, of whose last job @list is. @separates_jobs: ranks of
 * different jobs are never alike. Returns: (transfer full). */
LpStructure *lp_structure_new(const LpQuotientInput *input, const LpFlowList *list,
                              gboolean separates_jobs);
void lp_structure_free(LpStructure *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStructure, lp_structure_free)

G_END_DECLS
