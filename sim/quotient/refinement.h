/* SPDX-License-Identifier: Apache-2.0 */
/* Colour refinement: divides vertices into classes until all of a class see the same classes as
 * often, and no further.
 *
 * Vertices see each other along labelled edges, which lead one way. In the result two vertices of a
 * class see, along edges of each label, equally many vertices of each class. The partition is the
 * coarsest such one that is as fine as the colours given. A class that has been divided is told to
 * others by all of its parts but the largest, so that each edge is looked at as often as its vertex
 * comes into a class of half the size: the cost is edges times the logarithm of their number.
 * (Hopcroft, An n log n algorithm for minimizing states in a finite automaton, 1971; Paige and
 * Tarjan, Three partition refinement algorithms, SIAM J. Comput. 16, 1987.) What two vertices see
 * is compared in full, never by hashes alone. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct LpRefinement LpRefinement;

/** A refinement of @n_vertices vertices without edges. Returns: (transfer full). */
LpRefinement *lp_refinement_new(guint32 n_vertices);
void lp_refinement_free(LpRefinement *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRefinement, lp_refinement_free)

/** Gives @vertex the colour @colour; 0 if it is never called. */
void lp_refinement_set_colour(LpRefinement *self, guint32 vertex, guint32 colour);
/** Says that @seer sees @seen along an edge of @label. */
void lp_refinement_add_edge(LpRefinement *self, guint32 seer, guint32 seen, guint32 label);

/** Limits the refinement: from round @n_rounds on, counted from 0, nobody sees the vertices from
 * @begin up to @end, though they still see others. So vertices are told apart by them only as far
 * as that many rounds lead. In each round all classes that the round before has made are passed on
 * to the vertices that see them. No two vertices of the range and outside of it may have one
 * colour. */
void lp_refinement_cut(LpRefinement *self, guint32 n_rounds, guint32 begin, guint32 end);
/** Divides the vertices. Once, after which nothing may be added. Returns: how many classes there
 * are. Classes are numbered in the order of their lowest vertices. */
guint32 lp_refinement_run(LpRefinement *self);
/** Whether lp_refinement_cut() kept any class from being passed on. */
gboolean lp_refinement_is_cut(const LpRefinement *self);
/** The class of @vertex. */
guint32 lp_refinement_class(const LpRefinement *self, guint32 vertex);

G_END_DECLS
