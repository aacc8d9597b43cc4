/* SPDX-License-Identifier: Apache-2.0 */
/* Actors of a test in the engine: in a process of its own (tests/support/forked.h), since the
 * engine starts once. */
#pragma once

#include "sim/engine/network.h"

G_BEGIN_DECLS

/** One accelerator a domain, so that every flow is on the fabric: 25 GB/s a port, 1 us a link, two
 * links a route. */
#define LP_ENGINE_ACTORS_FLAT                                                                      \
    "--system=generic --accelerators=8 --domain-size=1 --topology=crossbar "                       \
    "--scale-out-bandwidth=25GBps --scale-out-latency=1us"

/** The machine of @options (lp_generated_machine_good()) in the engine. It lives as long as the
 * process. NULL after a failure. */
LpNetwork *lp_engine_actors_network(const char *options);
/** The host of an accelerator's scale-out port. */
struct s4u_Host *lp_engine_actors_host(const LpNetwork *network, guint64 accelerator);
/** An actor on @host that does @run with @data. */
void lp_engine_actors_start(struct s4u_Host *host, void (*run)(gpointer data), gpointer data);

G_END_DECLS
