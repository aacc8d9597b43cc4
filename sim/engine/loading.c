/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a network as a plain platform, which the engine then reads. */
#include "sim/engine/loading.h"

#include "base/address_space.h"
#include "base/error.h"
#include "base/file.h"
#include "platforms/plain/plain.h"
#include "sim/engine/engine.h"

#include <simgrid/host.h>
#include <simgrid/link.h>
#include <xbt/sysdep.h>

#include <string.h>
#include <unistd.h>

/* Of address space: the engine ends the process where it finds less, even for few actors. */
#define SPACE_MIN_BYTES (48.0 * 1024.0 * 1024.0)

static gboolean
start(const char *text, const GArray *engine_options, GError **error)
{
    if (lp_engine_has_started()) {
        g_set_error_literal(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START,
                            "the engine has run in this process, wanted a process for each run "
                            "(lp_simulation_run_in_child)");
        return FALSE;
    }
    if (!lp_address_space_check(SPACE_MIN_BYTES, "the engine", error))
        return FALSE;
    g_autofree char *path = NULL;
    int file = lp_file_in_memory(text, strlen(text), &path, error);
    if (file < 0)
        return FALSE;
    lp_engine_start(engine_options, path);
    close(file);
    return TRUE;
}

static void
clear_latencies(void)
{
    gsize n = sg_link_count();
    sg_link_t *links = sg_link_list();
    for (gsize i = 0; i < n; i++)
        sg_link_set_latency(links[i], 0.0);
    xbt_free(links);
}

/* All links of a cluster are alike to SimGrid. */
static void
set_pcie_links(const LpNetwork *network)
{
    for (guint32 i = 0; i < lp_network_n_links(network); i++) {
        LpLink link = lp_network_link(network, i);
        if (link.tier == LP_TIER_PCIE)
            lp_network_set_bandwidth(network, i, link.bytes_per_s);
    }
}

static void
find_hosts(LpNetwork *network)
{
    for (guint64 i = 0; i < lp_network_n_ports(network); i++) {
        LpPort *port = lp_network_port_at(network, i);
        g_autofree char *name = lp_network_port_name(network, port);
        port->host = sg_host_by_name(name);
        /* The platform was checked to hold every port. */
        g_assert(port->host != NULL);
    }
}

static gboolean
load(LpNetwork *network, const char *text, const GArray *engine_options, GError **error)
{
    if (!start(text, engine_options, error))
        return FALSE;
    clear_latencies();
    if (lp_plain_has_pcie(lp_network_machine(network)))
        set_pcie_links(network);
    find_hosts(network);
    return TRUE;
}

gboolean
lp_network_load_part(LpNetwork *network, LpRouteUse *use, const GArray *engine_options,
                     GError **error)
{
    LpPlainPart part = lp_route_use_part(use);
    g_autofree char *text = lp_plain_pairs(&part);
    if (!start(text, engine_options, error))
        return FALSE;
    for (guint32 i = 0; i < part.n_hosts; i++) {
        g_autofree char *name = lp_plain_pairs_host(part.hosts[i]);
        lp_network_port_at(network, part.hosts[i])->host = sg_host_by_name(name);
    }
    return TRUE;
}

/* The engine knows no such domain: it is given every route there is. */
static gboolean
load_every_route(LpNetwork *network, const GArray *engine_options, GError **error)
{
    const LpMachine *machine = lp_network_machine(network);
    if (machine->n_accelerators > LP_PLAIN_SPREAD_PORTS_MAX) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_SIZE,
                    "%s: got %" G_GUINT64_FORMAT
                    " accelerators on PCIe with bridges or roots, wanted at most %u where traffic "
                    "may go anywhere",
                    lp_file_label(machine->path), machine->n_accelerators,
                    LP_PLAIN_SPREAD_PORTS_MAX);
        return FALSE;
    }
    g_autoptr(LpRouteUse) use = lp_route_use_new(network);
    lp_route_use_add_every(use);
    return lp_network_load_part(network, use, engine_options, error);
}

gboolean
lp_network_load(LpNetwork *network, const GArray *engine_options, GError **error)
{
    const LpMachine *machine = lp_network_machine(network);
    const LpCluster *scale_out = &machine->cluster[LP_ATTACHMENT_SCALE_OUT];
    if (lp_pcie_host_is_present(&machine->pcie_host))
        return load_every_route(network, engine_options, error);
    if (scale_out->torus.spreads_paths && scale_out->n_hosts > LP_PLAIN_SPREAD_PORTS_MAX) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_SIZE,
                    "%s: got a torus of %" G_GUINT64_FORMAT
                    " ports that take turns, wanted at most %u, or the topology TORUS",
                    lp_file_label(machine->path), scale_out->n_hosts, LP_PLAIN_SPREAD_PORTS_MAX);
        return FALSE;
    }
    g_autofree char *text = lp_machine_to_plain(machine);
    return load(network, text, engine_options, error);
}

gboolean
lp_network_load_used(LpNetwork *network, LpRouteUse *use, const GArray *engine_options,
                     GError **error)
{
    return lp_route_use_is_smaller(use) ? lp_network_load_part(network, use, engine_options, error)
                                        : lp_network_load(network, engine_options, error);
}

#define MINIMAL_HOST "host"

static void
stand_on(LpNetwork *network, const char *name)
{
    sg_host_t host = sg_host_by_name(name);
    for (guint64 i = 0; i < lp_network_n_ports(network); i++)
        lp_network_port_at(network, i)->host = host;
}

gboolean
lp_network_load_minimal(LpNetwork *network, const GArray *engine_options, GError **error)
{
    g_autofree char *text = lp_plain_minimal(MINIMAL_HOST);
    if (!start(text, engine_options, error))
        return FALSE;
    stand_on(network, MINIMAL_HOST);
    return TRUE;
}

static LpPort
flow_end(guint32 flow, gboolean receives)
{
    g_autofree char *name = lp_plain_flow_host(flow, receives);
    return (LpPort){.host = sg_host_by_name(name), .scale_out_port = G_MAXUINT32};
}

gboolean
lp_network_load_flows(LpNetwork *network, const LpPlainLink *links, guint32 n_links,
                      const LpPlainFlow *flows, guint32 n_flows, LpPort *out_ends,
                      const GArray *engine_options, GError **error)
{
    g_autofree char *text = lp_plain_flows(links, n_links, flows, n_flows);
    if (!start(text, engine_options, error))
        return FALSE;
    g_autofree char *home = lp_plain_flows_empty_host();
    stand_on(network, home);
    for (guint32 i = 0; i < n_flows; i++)
        for (guint32 end = 0; end < 2; end++)
            out_ends[2 * i + end] = flow_end(i, end == 1);
    return TRUE;
}
