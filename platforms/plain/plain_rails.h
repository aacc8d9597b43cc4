/* SPDX-License-Identifier: Apache-2.0 */
/* A rail-order fat tree as one tree a rail, which the engine loads faster than one of all rails.
 *
 * The engine asks of every pair of a switch and a node below its level whether they belong
 * together, so a tree costs its nodes times its switches. In rail order no link below the spines
 * serves two rails, and spines themselves are no resource: while nobody sends from a port of one
 * rail to one of another, a tree for each has the same links on the same routes. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Whether the scale-out tree of @self falls apart into its rails without another link being on any
 * route between ports of one rail: every switch but the uppermost serves one rail, each rail has
 * whole units, and routes, which the engine picks by the position of the port that they lead to
 * modulo the number of up-links, spread as in the whole tree. */
gboolean lp_plain_rails_possible(const LpMachine *self);

/** As lp_machine_to_plain(), with a zone for each rail. Ports keep their names. Only where
 * lp_plain_rails_possible(). Returns: (transfer full). */
char *lp_plain_rails(const LpMachine *self) G_GNUC_WARN_UNUSED_RESULT;

/** What the engine calls the link @name of a rail's tree where all rails are one tree: a name that
 * does not depend on how the machine was loaded. @name: of a link of lp_plain_rails(); others come
 * back unchanged. Returns: (transfer full). */
char *lp_plain_rails_link_name(const LpMachine *self, const char *name) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
