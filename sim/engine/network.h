/* SPDX-License-Identifier: Apache-2.0 */
/* A machine's ports, links and routes, by arithmetic (platforms/plain/routes.h): no engine is
 * needed but to send over them. */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/plain/routes.h"

G_BEGIN_DECLS

struct s4u_Host; /* an opaque SimGrid host */

/** A port of the machine, or one of the paths that lead to it. */
typedef struct {
    struct s4u_Host *host;  /* borrowed from the engine; NULL where nothing has loaded it */
    guint32 scale_out_port; /**< its number there; G_MAXUINT32 of the scale-up network */
} LpPort;

/** A part of a route that one flow crosses. */
typedef struct {
    const LpPort *from, *to; /* borrowed from the network: at its ends */
    guint32 end_link;        /**< the first of LpRoute.links behind it */
} LpLeg;

typedef struct {
    const LpPort *from, *to; /* borrowed from the network: at its ends */
    /** Accelerators in between forward, each once all bytes have come: one flow follows the other,
     * leg after leg. Borrowed from the network; NULL for one leg. */
    const LpLeg *legs;
    guint32 n_legs;
    guint32 n_links;
    const guint32 *links; /* borrowed from the network: indices, in order */
    /** Of its bytes, the share that crosses each of its links, where it stands for flows that go
     * many ways (sim/mapping/exchange_flows.h); only what shares links without the engine can carry
     * it. Borrowed; NULL: all cross each. */
    const double *weights;
    double latency_s;   /**< sum over the links */
    double bytes_per_s; /**< of a isolated flow: the narrowest link's; over several legs, bytes over
                           the time of all their flows */
    double cap_bytes_per_s; /**< what circuits leave of that, lp_route_limit(); 0: all */
} LpRoute;

typedef struct LpNetwork LpNetwork;

/** The network of @machine, borrowed, which must outlive it. Returns: (transfer full). */
LpNetwork *lp_network_new(const LpMachine *machine);
void lp_network_free(LpNetwork *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpNetwork, lp_network_free)

const LpMachine *lp_network_machine(const LpNetwork *self);
guint32 lp_network_n_links(const LpNetwork *self);
LpLink lp_network_link(const LpNetwork *self, guint32 index);
/** What link @index carries of its rate while @n flows are on it: all, but where flows come in at a
 * port of a machine with an incast loss (lp_machine_incast_share()). */
double lp_network_share(const LpNetwork *self, guint32 index, guint32 n);
/** Name of a link. Static for the run. */
const char *lp_network_link_name(const LpNetwork *self, guint32 index);
/** lp_routes_link_place(). Returns: (transfer full). */
char *lp_network_link_place(const LpNetwork *self, guint32 index) G_GNUC_WARN_UNUSED_RESULT;
/** Finds the link of @name: TRUE, and its index in @out_index (out). */
gboolean lp_network_find_link(const LpNetwork *self, const char *name, guint32 *out_index);
/** An accelerator's port in the first plane, which sends and receives. */
const LpPort *lp_network_port(const LpNetwork *self, guint64 accelerator, LpAttachment attachment);
/** Ports of all networks and planes, each path counted. */
guint64 lp_network_n_ports(const LpNetwork *self);
/** The port of number @index below that; its host is the caller's to set. */
LpPort *lp_network_port_at(const LpNetwork *self, guint64 index);
/** The number of @port. */
guint32 lp_network_port_number(const LpNetwork *self, const LpPort *port);
/** What the engine calls the host of @port. Returns: (transfer full). */
char *lp_network_port_name(const LpNetwork *self, const LpPort *port) G_GNUC_WARN_UNUSED_RESULT;
/** The route of @traffic from accelerator @a to @b over the attachment that joins them: in the
 * plane of that class, and over the path that the machine's choice falls on; where rails never
 * meet, over a relay (lp_machine_relay()). */
LpRoute lp_network_route(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic);

/** A leg of a route, from accelerator to accelerator. */
typedef struct {
    guint64 from, to;
    guint32 end_link; /**< in links that were appended: the first behind it */
} LpHop;
/** Legs of lp_network_route(), at most. */
#define LP_HOPS_MAX 2
/** Appends the links of lp_network_route() to @io_links (guint32), and fills @out_hops
 * (LP_HOPS_MAX), whose links count from 0 on: a route that is only looked at. Returns: how many
 * legs. */
guint32 lp_network_find_hops(const LpNetwork *self, guint64 a, guint64 b, LpTraffic traffic,
                             GArray *io_links, LpHop *out_hops);

/** lp_routes_block(), lp_routes_link_port(). */
LpPlaneBlock lp_network_block(const LpNetwork *self, LpAttachment attachment, guint32 plane);
guint64 lp_network_link_port(const LpNetwork *self, guint32 link);

/** The route of @traffic from @a to @b over @attachment; their ports on it differ. */
LpRoute lp_network_route_over(const LpNetwork *self, guint64 a, guint64 b, LpAttachment attachment,
                              LpTraffic traffic);
/** The route from @a to @b of different domains over the network beside a hybrid's circuits. */
LpRoute lp_network_packet_route(const LpNetwork *self, guint64 a, guint64 b);
/** The route of @traffic that leads over @stops, @n_stops accelerators from the first to the last,
 * each joined to the next. */
LpRoute lp_network_route_via(const LpNetwork *self, const guint64 *stops, guint32 n_stops,
                             LpTraffic traffic);
/** Lets @self carry no more than @bytes_per_s, > 0, which its links know nothing of. */
void lp_route_limit(LpRoute *self, double bytes_per_s);
/** The share of a route's bytes that crosses its link number @place. */
static inline double
lp_route_weight(const LpRoute *route, guint32 place)
{
    return route->weights == NULL ? 1.0 : route->weights[place];
}
/** The links of leg @leg of a route: from the first on, and before the end. */
guint32 lp_route_leg_first(const LpRoute *route, guint32 leg);
guint32 lp_route_leg_end(const LpRoute *route, guint32 leg);
/** Gives a link another bandwidth, > 0, from now on; lp_network_link() keeps what was described.
 * Loaded networks only (sim/engine/loading.h). */
void lp_network_set_bandwidth(const LpNetwork *self, guint32 link, double bytes_per_s);
/** The same for link number @link of lp_network_load_flows(). */
void lp_network_set_flows_bandwidth(guint32 link, double bytes_per_s);

/** Sends @bytes over @route, and returns when the last has arrived; latencies are the caller's.
 * Actors only, on a loaded network. */
void lp_route_send(const LpRoute *route, guint64 bytes);
/** As lp_route_send(), over leg @leg alone. Actors only. */
void lp_route_send_leg(const LpRoute *route, guint32 leg, guint64 bytes);
/** Flows that such a sending takes: one a leg. */
guint64 lp_route_n_flows(const LpRoute *route);

G_END_DECLS
