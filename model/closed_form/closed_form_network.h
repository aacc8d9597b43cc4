/* SPDX-License-Identifier: Apache-2.0 */
/* The network that a transfer of the closed form uses: members' places, shares of links, the choice
 * of network, axes of a torus. (closed_form_members.c, _share.c, _steering.c, _torus.c.) */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "model/plan/group.h"

G_BEGIN_DECLS

/** The connection @slowest with its share of links. It represents connections within domains and
 * flows that leave them: the latter have @share_bytes_per_s of the links that they climb (INFINITY:
 * none climbs), the former @within_bytes_per_s. */
LpFabricConnection lp_closed_form_shared(const LpClosedFormInput *input, LpFabricConnection slowest,
                                         double within_bytes_per_s, double share_bytes_per_s);

/** The rate between @a and @b if they stand in one domain, else INFINITY. */
double lp_closed_form_within_bytes_per_s(const LpClosedFormInput *input, guint64 a, guint64 b);

/** The rate of a flow of rank 0's group to the next member, or with @steps that many members on,
 * where it climbs the tree: its share of the links upward among all groups' flows there. INFINITY
 * where none of the group's flows climbs, or no link is known to be narrow. */
double lp_closed_form_group_share_bytes_per_s(const LpClosedFormInput *input, LpGroup group,
                                              guint64 steps);

/** The rate of a message between neighbouring stages where it climbs the tree: on the boundary
 * where it is least, all of whose ranks send at once. INFINITY as above. */
double lp_closed_form_boundary_share_bytes_per_s(const LpClosedFormInput *input);

/** @input as a transfer of @traffic sees it. On a hybrid, traffic that circuits do not carry sees
 * the packet network in their place, which @out_fabric gets; the result borrows it. @in_region: the
 * members are in one region of circuits. @bytes: of the transfer, before it is divided into steps.
 */
LpClosedFormInput lp_closed_form_on(const LpClosedFormInput *input, LpTraffic traffic, double bytes,
                                    gboolean in_region, LpFabric *out_fabric);

/** As lp_closed_form_on(), for a collective of rank 0's group. */
LpClosedFormInput lp_closed_form_group_on(const LpClosedFormInput *input, LpGroup group,
                                          double bytes, LpFabric *out_fabric);

/** The time in which a member sends @bytes over @connection to @n_peers others in equal parts,
 * without latencies, s. @leaves: the peers are in other domains, so a rotor's circuits carry the
 * bytes if there is one. */
double lp_closed_form_transfer_s(const LpClosedFormInput *input,
                                 const LpFabricConnection *connection, gboolean leaves,
                                 double bytes, guint32 n_peers);

/** Whether the machine's circuits are those of a rotor. */
gboolean lp_closed_form_has_rotor(const LpClosedFormInput *input);

/** The time in which a member sends @bytes in equal parts to @n_peers domains over circuits of
 * experts, which are set up for that, and the packet network, s. */
double lp_closed_form_experts_s(const LpClosedFormInput *input, guint32 n_peers, double bytes);

/** @input with circuits that stand all the time in place of a rotor's. The result borrows
 * @out_fabric. */
LpClosedFormInput lp_closed_form_without_rotor(const LpClosedFormInput *input,
                                               LpFabric *out_fabric);

/** The accelerator of the @index-th member of rank 0's group. */
guint64 lp_closed_form_member(const LpClosedFormInput *input, LpGroup group, guint64 index);

/** Members of rank 0's group of @n in a row, from the first on, that stand in its domain. */
guint64 lp_closed_form_n_intra(const LpClosedFormInput *input, LpGroup group, guint64 n);

/** Whether every domain has as many members, one domain's after the other's. @n_intra: those in the
 * first one's. */
gboolean lp_closed_form_is_regular(const LpClosedFormInput *input, LpGroup group, guint64 n,
                                   guint64 n_intra);

/** Whether collectives run over several axes of a torus at once, both ways round. */
gboolean lp_closed_form_goes_over_axes(const LpClosedFormInput *input);

/** The time of a ring all-reduce on a torus: 2 (n-1)/n V over the rates of all links that a member
 * has on the axes of the group, which no algorithm beats (Jain and Sabharwal, ICS 2010), and the
 * latencies of a ring along each axis. If the members fill no block, they form one ring, used both
 * ways. */
double lp_closed_form_axes_s(const LpClosedFormInput *input, LpGroup group, double share,
                             double bytes);

G_END_DECLS
