/* SPDX-License-Identifier: Apache-2.0 */
/* The loaded machine as the engine sees it: hosts, links with their true latencies, routes. */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/plain/plane.h"

G_BEGIN_DECLS

struct s4u_Host; /* an opaque SimGrid host */

/** A part of a route that one flow crosses. */
typedef struct {
    struct s4u_Host *from, *to; /* borrowed from the engine: the ports at its ends */
    guint32 end_link;           /**< the first of LpRoute.links behind it */
} LpLeg;

typedef struct {
    struct s4u_Host *from, *to; /* borrowed from the engine: the ports at its ends */
    /** Accelerators in between forward, each once all bytes have come: one flow follows the other,
     * leg after leg. Borrowed from the network; NULL for one leg. */
    const LpLeg *legs;
    guint32 n_legs;
    guint32 n_links;
    const guint32 *links; /* borrowed from the network: indices, in order */
    double latency_s;     /**< sum over the links */
    double bytes_per_s; /**< of a isolated flow: the narrowest link's; over several legs, bytes over
                           the time of all their flows */
} LpRoute;

typedef struct LpNetwork LpNetwork;

/** Reads links and hosts of the platform that lp_engine_start() loaded. @machine: borrowed, must
 * outlive it. Sets the latency of every link in the engine to 0: a isolated flow then takes exactly
 * bytes / bandwidth, sharing is fair, and the sender pays the latency. Returns: (transfer full). */
LpNetwork *lp_network_new(const LpMachine *machine);
void lp_network_free(LpNetwork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpNetwork, lp_network_free)

/** Says that lp_engine_load_on_rails() started the engine: links are then called what
 * they are called otherwise. */
void lp_network_put_on_rails(LpNetwork *self);

const LpMachine *lp_network_machine(const LpNetwork *self);
guint32 lp_network_n_links(const LpNetwork *self);
const LpLink *lp_network_link(const LpNetwork *self, guint32 index);
/** Name of a link. Static for the run. */
const char *lp_network_link_name(const LpNetwork *self, guint32 index);
/** The host of an accelerator's port in the first plane, which sends and receives. */
struct s4u_Host *lp_network_host(const LpNetwork *self, guint64 accelerator,
                                 LpAttachment attachment);
/** The port that @host, one of the scale-out network, is; G_MAXUINT32 of another. */
guint32 lp_network_port_of(const struct s4u_Host *host);
/** Writes the name of a host into @out_name, cut to its @size. */
void lp_network_host_name(const struct s4u_Host *host, char *out_name, gsize size);
/** The route of @traffic from accelerator @a to @b over the attachment that joins them: in the
 * plane of that class, and over the path that the machine's choice falls on; where rails never
 * meet, over a relay (lp_machine_relay()). */
LpRoute lp_network_route(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic);

/** The route of @traffic from @a to @b over @attachment; their ports on it differ. */
LpRoute lp_network_route_over(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment,
                              LpTraffic traffic);
/** The route of @traffic that leads over @stops, @n_stops accelerators from the first to the last,
 * each joined to the next. */
LpRoute lp_network_route_via(const LpNetwork *self, const guint64 *stops, guint32 n_stops,
                             LpTraffic traffic);
/** The links of leg @leg of a route: from the first on, and before the end. */
guint32 lp_route_leg_first(const LpRoute *route, guint32 leg);
guint32 lp_route_leg_end(const LpRoute *route, guint32 leg);
/** Gives a link another bandwidth, > 0, from now on; lp_network_link() keeps what was described.
 * Actors only. */
void lp_network_set_bandwidth(const LpNetwork *self, guint32 link, double bytes_per_s);

/** Sends @bytes over @route, and returns when the last has arrived; latencies are the caller's.
 * Actors only. */
void lp_route_send(const LpRoute *route, guint64 bytes);
/** As lp_route_send(), over leg @leg alone. Actors only. */
void lp_route_send_leg(const LpRoute *route, guint32 leg, guint64 bytes);
/** Flows that such a sending takes: one a leg. */
guint64 lp_route_n_flows(const LpRoute *route);

G_END_DECLS
