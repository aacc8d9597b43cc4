/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the scale-out cluster of a generated machine. */
#include "platforms/generation/layout.h"

#include "platforms/machine/topology.h"

gboolean
lp_layout_fail(GError **error, LpMachineError code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_MACHINE_ERROR, (int)code, message);
    return FALSE;
}

static guint32
divide_up(guint64 a, guint64 b)
{
    return (guint32)((a + b - 1) / b);
}

static guint64
n_ports(const LpLayoutRequest *request)
{
    return (guint64)request->n_domains * request->n_cards;
}

/* Links above a switch with @below links below it. */
static gboolean
links_above(const char *option, LpOversubscription ratio, guint32 below, const char *what,
            guint32 *out_above, GError **error)
{
    guint64 links = (guint64)below * ratio.above;
    if (links % ratio.below != 0) {
        g_autofree char *shown = ratio.above == 1
                                     ? g_strdup_printf("%u", ratio.below)
                                     : g_strdup_printf("%u:%u", ratio.below, ratio.above);
        return lp_layout_fail(error, LP_MACHINE_ERROR_VALUE,
                              "--%s: %s, wanted a divisor of the %u %s", option, shown, below,
                              what);
    }
    *out_above = (guint32)(links / ratio.below);
    return TRUE;
}

static guint64
greatest_common_divisor(guint64 a, guint64 b)
{
    while (b > 0) {
        guint64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The number of ports below a leaf: at most @most, a multiple of what one domain uses in node order
 * (one domain at least), and a multiple that the links above divide; @most where a single such step
 * is larger. */
static guint32
fitting_ports(const LpLayoutRequest *request, guint32 most)
{
    LpOversubscription ratio = request->oversubscription;
    guint64 whole = request->port_order == LP_PORT_ORDER_NODE ? request->n_cards : 1;
    guint64 share = ratio.below / greatest_common_divisor(ratio.below, ratio.above);
    guint64 step = whole / greatest_common_divisor(whole, share) * share;
    if (request->leaf_ports_are_given || (step > most && whole == 1))
        return most;
    return (guint32)(MAX(most / step, 1) * step);
}

/* Rail order: a leaf holds ports of one rail, so a unit of the domains below a leaf has a leaf a
 * rail. Node order: a leaf holds whole domains. */
static gboolean
plan_leaves(const LpLayoutRequest *request, LpLayout *layout, guint32 *out_n_leaves, GError **error)
{
    if (request->port_order == LP_PORT_ORDER_RAIL) {
        /* A rail that one leaf holds has nothing above it where rails never meet. */
        layout->down[0] =
            request->rails_relay && request->n_domains <= request->leaf_ports
                ? request->n_domains
                : fitting_ports(request, MIN(request->leaf_ports, request->n_domains));
        layout->unit_domains = layout->down[0];
        *out_n_leaves = divide_up(request->n_domains, layout->down[0]) * request->n_cards;
        return TRUE;
    }
    layout->down[0] = n_ports(request) > request->leaf_ports
                          ? fitting_ports(request, request->leaf_ports)
                          : request->leaf_ports;
    *out_n_leaves = divide_up(n_ports(request), layout->down[0]);
    if (*out_n_leaves > 1 && layout->down[0] % request->n_cards != 0)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--leaf-ports: %u, wanted a multiple of the %u cards of a domain, such as %u: in "
            "node order a leaf holds whole domains",
            layout->down[0], request->n_cards,
            MAX(layout->down[0] / request->n_cards, 1) * request->n_cards);
    return TRUE;
}

static gboolean
needs_three_levels(const LpLayoutRequest *request, const LpLayout *layout)
{
    guint64 radix = request->switch_ports != 0 ? request->switch_ports
                                               : (guint64)layout->down[0] + layout->up[1];
    return n_ports(request) > radix * radix / 2 ||
           (request->switch_ports_are_given && layout->down[1] > radix);
}

/* Switches over leaves: those of one rail, or as many leaves as a leaf has ports. */
static gboolean
plan_spines(const LpLayoutRequest *request, LpLayout *layout, guint32 n_leaves, GError **error)
{
    layout->n_levels = 3;
    if (request->port_order == LP_PORT_ORDER_RAIL) {
        layout->down[1] = n_leaves / request->n_cards;
        layout->down[2] = request->n_cards;
        layout->unit_domains = layout->down[0] * layout->down[1];
    } else {
        layout->down[1] = MIN(n_leaves, layout->down[0]);
        layout->down[2] = divide_up(n_leaves, layout->down[1]);
    }
    /* A top level that joins a single switch is omitted. */
    if (layout->down[2] == 1) {
        layout->n_levels = 2;
        return TRUE;
    }
    /* The top of rails that never meet is there for SimGrid alone. */
    if (request->rails_relay) {
        layout->up[2] = 1;
        return TRUE;
    }
    return links_above("spine-oversubscription", request->spine_oversubscription, layout->down[1],
                       "leaves below a spine", &layout->up[2], error);
}

/* Ports of the largest switch, level by level: those below it, and those above all but the top. */
static gboolean
check_switches(const LpLayoutRequest *request, const LpLayout *layout, GError **error)
{
    /* The top of rails that never meet stands for nothing. */
    guint32 n_levels = request->rails_relay ? layout->n_levels - 1 : layout->n_levels;
    for (guint32 i = 0; request->switch_ports_are_given && i < n_levels; i++) {
        guint32 above = i + 1 < layout->n_levels && !(request->rails_relay && i + 1 == n_levels)
                            ? layout->up[i + 1]
                            : 0;
        guint64 n = (guint64)layout->down[i] + above;
        if (n > request->switch_ports)
            return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                                  "--switch-ports: got %u, wanted at least %" G_GUINT64_FORMAT
                                  ": a switch of level %u has %u ports below and %u above",
                                  request->switch_ports, n, i + 1, layout->down[i], above);
    }
    return TRUE;
}

static gboolean
check_tree(LpLayout *layout, GError **error)
{
    guint64 n_nodes = 1, n_links = 0;
    layout->n_hosts = 1;
    for (guint32 i = 0; i < layout->n_levels; i++)
        layout->n_hosts *= layout->down[i];
    n_nodes = layout->n_hosts;
    for (guint32 i = 0; i < layout->n_levels; i++) {
        n_links += n_nodes * layout->up[i];
        n_nodes = n_nodes / layout->down[i] * layout->up[i];
    }
    if (layout->n_hosts > LP_MACHINE_HOSTS_MAX || n_links > LP_MACHINE_LINKS_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--accelerators: a fat tree of %" G_GUINT64_FORMAT
                              " ports, wanted at most %u",
                              layout->n_hosts, LP_MACHINE_HOSTS_MAX);
    return TRUE;
}

static gboolean
plan_fat_tree(const LpLayoutRequest *request, LpLayout *layout, GError **error)
{
    guint32 n_leaves = 0;
    /* A rail that one switch holds needs no leaves. */
    if (request->rails_relay && request->n_domains <= request->switch_ports)
        return TRUE;
    if (!plan_leaves(request, layout, &n_leaves, error))
        return FALSE;
    /* One leaf is a crossbar, and has nothing above it. */
    if (n_leaves == 1 || (request->rails_relay && n_leaves == request->n_cards)) {
        layout->down[0] = 0;
        return TRUE;
    }
    layout->topology = LP_TOPOLOGY_FAT_TREE;
    layout->n_levels = 2;
    layout->up[0] = 1;
    layout->down[1] = n_leaves;
    if (!links_above("oversubscription", request->oversubscription, layout->down[0],
                     "ports below a leaf", &layout->up[1], error))
        return FALSE;
    gboolean three = request->n_levels == 3 || request->rails_relay ||
                     (request->n_levels == 0 && needs_three_levels(request, layout));
    if (three && !plan_spines(request, layout, n_leaves, error))
        return FALSE;
    return check_switches(request, layout, error) && check_tree(layout, error);
}

/* The most even @n factors of @product from @smallest up, none over @largest, by their sum; 0:
 * none.
 */
static guint64
most_even(guint64 product, guint32 n, guint64 smallest, guint64 largest, guint32 *out_factors)
{
    if (n == 1) {
        out_factors[0] = (guint32)product;
        return product >= smallest && product <= largest ? product : 0;
    }
    guint64 best = 0;
    for (guint64 factor = smallest; factor <= largest; factor++) {
        guint64 power = 1;
        for (guint32 i = 0; i < n && power <= product; i++)
            power *= factor;
        if (power > product)
            break;
        guint32 rest[LP_TORUS_DIMENSIONS_MAX];
        guint64 sum = product % factor != 0 ? 0
                                            : most_even(product / factor, n - 1, factor,
                                                        MIN(largest, 2 * factor), rest);
        if (sum == 0 || (best != 0 && sum + factor >= best))
            continue;
        best = sum + factor;
        out_factors[0] = (guint32)factor;
        for (guint32 i = 1; i < n; i++)
            out_factors[i] = rest[i - 1];
    }
    return best;
}

/* Plans a torus of whole blocks whose sides are as equal as possible. */
static gboolean
plan_blocks(const LpLayoutRequest *request, guint64 wanted, LpTorus *torus, GError **error)
{
    guint64 block_ports = 1;
    for (guint32 i = 0; i < torus->n_dimensions && block_ports <= LP_MACHINE_HOSTS_MAX; i++)
        block_ports *= request->block_size;
    if (request->block_size < 2 || block_ports > LP_MACHINE_HOSTS_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--block-size: %u in %u dimensions, wanted 2 or more and at most %u "
                              "ports of a block",
                              request->block_size, torus->n_dimensions, LP_MACHINE_HOSTS_MAX);
    guint64 n_blocks = divide_up(wanted, block_ports);
    while (most_even(n_blocks, torus->n_dimensions, 1, n_blocks, torus->size) == 0)
        n_blocks++;
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        torus->size[i] *= request->block_size;
    return TRUE;
}

static gboolean
plan_torus(const LpLayoutRequest *request, LpLayout *layout, GError **error)
{
    layout->topology = LP_TOPOLOGY_TORUS;
    layout->torus = request->torus;
    LpTorus *torus = &layout->torus;
    guint64 wanted = n_ports(request);
    layout->n_hosts = wanted;
    torus->spreads_paths = torus->spreads_paths || torus->is_twisted;
    if (torus->size[0] == 0 && request->block_size > 0) {
        if (!plan_blocks(request, wanted, torus, error))
            return FALSE;
        layout->n_hosts = lp_torus_n_ports(torus);
    } else if (torus->size[0] == 0) {
        /* No dimension is smaller than 2. */
        while (torus->n_dimensions > 1 && wanted >> torus->n_dimensions == 0)
            torus->n_dimensions--;
        while (layout->n_hosts <= LP_MACHINE_HOSTS_MAX &&
               most_even(layout->n_hosts, torus->n_dimensions, 2, layout->n_hosts, torus->size) ==
                   0)
            layout->n_hosts++;
    } else {
        layout->n_hosts = lp_torus_n_ports(torus);
        if (layout->n_hosts < wanted) {
            g_autofree char *sizes = lp_topology_torus_parameters(torus);
            (void)g_strdelimit(sizes, ",", 'x');
            return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                                  "--dimensions: %s, %" G_GUINT64_FORMAT " ports, wanted at least "
                                  "%" G_GUINT64_FORMAT,
                                  sizes, layout->n_hosts, wanted);
        }
    }
    if (torus->is_twisted && !lp_torus_can_twist(torus)) {
        g_autofree char *sizes = lp_topology_torus_parameters(torus);
        (void)g_strdelimit(sizes, ",", 'x');
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--twist: yes for a torus of %s, wanted sizes n and 2n, both of them, "
            "in two or three dimensions",
            sizes);
    }
    if (layout->n_hosts > LP_MACHINE_HOSTS_MAX)
        return lp_layout_fail(error, LP_MACHINE_ERROR_SIZE,
                              "--accelerators: a torus of %" G_GUINT64_FORMAT
                              " ports, wanted at most %u",
                              layout->n_hosts, LP_MACHINE_HOSTS_MAX);
    return TRUE;
}

static gboolean
plan_dragonfly(const LpLayoutRequest *request, LpLayout *layout, GError **error)
{
    layout->topology = request->topology;
    layout->dragonfly = request->dragonfly;
    LpDragonfly *shape = &layout->dragonfly;
    guint64 group_ports = (guint64)shape->n_routers * shape->n_ports;
    shape->n_groups = divide_up(n_ports(request), group_ports);
    shape->n_rows = shape->row_links = 1;
    if (request->topology == LP_TOPOLOGY_DRAGONFLY)
        shape->n_spines = 0;
    /* SimGrid's own zone, where it can. */
    shape->has_gates = shape->n_spines > 0 || shape->n_groups > shape->n_routers;
    layout->n_hosts = shape->n_groups * group_ports;
    LpDragonflyLinks links = lp_topology_dragonfly_links(shape);
    guint64 pairs = (guint64)shape->n_groups * shape->n_routers / 2;
    if (layout->n_hosts > LP_MACHINE_HOSTS_MAX ||
        links.n_port + links.n_local + links.n_global > LP_MACHINE_LINKS_MAX ||
        pairs > LP_MACHINE_ROUTES_MAX / shape->n_routers)
        return lp_layout_fail(
            error, LP_MACHINE_ERROR_SIZE,
            "--accelerators: a dragonfly of %" G_GUINT64_FORMAT " ports, %u groups of %u "
            "routers, wanted at most %u ports, %u links and %u pairs of routers in groups",
            layout->n_hosts, shape->n_groups, shape->n_routers, LP_MACHINE_HOSTS_MAX,
            LP_MACHINE_LINKS_MAX, LP_MACHINE_ROUTES_MAX);
    return TRUE;
}

gboolean
lp_layout_plan(const LpLayoutRequest *request, LpLayout *layout, GError **error)
{
    *layout = (LpLayout){.topology = LP_TOPOLOGY_CROSSBAR,
                         .n_hosts = n_ports(request),
                         .unit_domains = request->n_domains};
    if (request->topology != LP_TOPOLOGY_FAT_TREE && request->topology != LP_TOPOLOGY_CROSSBAR &&
        request->port_order == LP_PORT_ORDER_RAIL)
        return lp_layout_fail(error, LP_MACHINE_ERROR_STRUCTURE,
                              "--port-order: rail, wanted node: a %s has no leaves",
                              lp_topology_names[request->topology]);
    switch (request->topology) {
    case LP_TOPOLOGY_FAT_TREE:
        return plan_fat_tree(request, layout, error);
    case LP_TOPOLOGY_TORUS:
        return plan_torus(request, layout, error);
    case LP_TOPOLOGY_DRAGONFLY:
    case LP_TOPOLOGY_DRAGONFLY_PLUS:
        return plan_dragonfly(request, layout, error);
    case LP_TOPOLOGY_CROSSBAR:
    default:
        return TRUE;
    }
}
