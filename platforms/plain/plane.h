/* SPDX-License-Identifier: Apache-2.0 */
/* One plane of a network: its links by number, and the links that lead from port to port.
 *
 * Rules and names are those by which SimGrid 3.32 lays its zones out and routes in them
 * (src/kernel/routing/{StarZone,FatTreeZone,TorusZone,DragonflyZone}.cpp and src/surf/sg_platf.cpp
 * of that version), for the clusters that platforms/plain/plain.h writes. A test asks the engine
 * about every pair of ports (tests/platforms/test_routes.c). */
#pragma once

#include "platforms/machine/machine.h"
#include "platforms/machine/tier.h"
#include "platforms/plain/plain_tree.h"

G_BEGIN_DECLS

/** One way of a link of the machine. */
typedef struct {
    double bytes_per_s;
    double latency_s;
    LpTier tier;
} LpLink;

/** A plane of one network. */
typedef struct {
    const LpMachine *machine; /**< borrowed */
    const LpCluster *cluster; /**< borrowed from the machine */
    LpAttachment attachment;
    guint32 index;    /**< below lp_machine_n_planes() */
    LpPlainTree tree; /**< no levels if it is none */
    LpLink port;      /**< what its links have unless the topology says otherwise */
} LpPlane;

/** Ports next to each other, from a multiple of @n_ports on, whose routes to each other port, but
 * for those below the same PCIe switch, are the same except for the first @n_own links, which are
 * the sender's own. */
typedef struct {
    guint64 n_ports;
    guint32 n_own;
} LpPlaneBlock;

/** What a topology says of its links. Each has two ways, numbered 2 l and 2 l + 1: "_UP" and
 * "_DOWN" to the engine. */
typedef struct {
    /** The number of links, each direction counted. */
    guint64 (*n_links)(const LpPlane *self);
    /** The link of number @link, below n_links(). */
    LpLink (*link)(const LpPlane *self, guint32 link);
    /** What the engine calls link @pair, without the way. Returns: (transfer full). */
    char *(*name)(const LpPlane *self, guint32 pair);
    /** What stands at both ends of link @pair, in words: @out_ends[0] where the way up begins.
     * (transfer full). */
    void (*ends)(const LpPlane *self, guint32 pair, char **out_ends);
    /** Appends (guint32) the links from port @from to port @to, another one, to @io_links. @path:
     * below n_paths of the machine. */
    void (*route)(const LpPlane *self, guint64 from, guint64 to, guint32 path, GArray *io_links);
    /** Ports whose routes are alike; NULL: each has its own. */
    LpPlaneBlock (*block)(const LpPlane *self);
    /** The port that link @pair leads on from; NULL: links are no port's. */
    guint64 (*port)(const LpPlane *self, guint32 pair);
} LpPlaneTopology;

/** Flat clusters: a link for each port. */
extern const LpPlaneTopology lp_plane_star;
/** Fat trees with D-mod-k, and switches of PCIe links. */
extern const LpPlaneTopology lp_plane_tree;
/** Tori of any dimensions, dimension after dimension. */
extern const LpPlaneTopology lp_plane_torus;
/** Dragonflies and dragonfly+, on minimal paths. */
extern const LpPlaneTopology lp_plane_dragonfly;

/** Domains of cards on PCIe, with bridges and roots. */
extern const LpPlaneTopology lp_plane_pcie;

/** "port of accelerator 3", the first that sends over port @port, or "accelerator 3" in a scale-up
 * network. Returns: (transfer full). */
char *lp_plane_port_text(const LpPlane *self, guint64 port);
/** The upward link of the PCIe root that @accelerator hangs below; the downward link is the next
 * one. The machine has roots. */
guint32 lp_plane_root_link(const LpPlane *self, guint64 accelerator);
/** The topology of @self. Static. */
const LpPlaneTopology *lp_plane_topology(const LpPlane *self);
/** Plane @index of the network of @attachment. @machine: borrowed. */
LpPlane lp_plane(const LpMachine *machine, LpAttachment attachment, guint32 index);

G_END_DECLS
