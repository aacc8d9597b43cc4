/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the engine on a network. It never reads the user's own file: a plain copy is written,
 * since SimGrid aborts on what it does not expect. */
#pragma once

#include "platforms/plain/plain_flows.h"
#include "sim/engine/network.h"
#include "sim/engine/route_use.h"

G_BEGIN_DECLS

/** Starts the engine on the machine of @network (lp_machine_to_plain()), and gives its ports their
 * hosts. The engine's links have no latency: an isolated flow then takes exactly bytes / bandwidth,
 * sharing is fair, and the sender pays the latency. Once a process.
 * @engine_options: of lp_engine_options(). Errors: GFileError of the temporary file;
 * LP_MACHINE_ERROR if there are too many routes to write. */
gboolean lp_network_load(LpNetwork *network, const GArray *engine_options,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_network_load(), of the part of the machine that @use holds, of the network (and not all of
 * it): nothing else can be sent over, and only its ports have hosts. */
gboolean lp_network_load_part(LpNetwork *network, LpRouteUse *use, const GArray *engine_options,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_network_load_part() where @use, of the network, loads faster than the machine, else as
 * lp_network_load(). */
gboolean lp_network_load_used(LpNetwork *network, LpRouteUse *use, const GArray *engine_options,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Starts the engine on a single host, on which all ports of @network then stand: for runs in which
 * nothing is sent through the engine, since every communication takes its isolated time or links
 * are shared without it (LpFlowEngine). Costs the same for all machines. Errors: as of
 * lp_network_load(). */
gboolean lp_network_load_minimal(LpNetwork *network, const GArray *engine_options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Starts the engine on @n_flows @flows over @n_links @links (lp_plain_flows()) in place of the
 * machine of @network: its ports are then all the one host at which no route begins, where actors
 * can stand. @out_ends: two ports for each flow, where it begins and ends. Once a process. Errors:
 * as of lp_network_load(). */
gboolean lp_network_load_flows(LpNetwork *network, const LpPlainLink *links, guint32 n_links,
                               const LpPlainFlow *flows, guint32 n_flows, LpPort *out_ends,
                               const GArray *engine_options,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
