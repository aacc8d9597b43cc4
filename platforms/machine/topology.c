/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the topology of a cluster. */
#include "platforms/machine/topology.h"

#include "base/error.h"
#include "platforms/machine/property.h"

#include <string.h>

/* SimGrid counts the same: a node of each level has up[level] links to the level above. */
static gboolean
check_fat_tree_size(const LpXml *xml, const xmlNode *node, const LpCluster *cluster, GError **error)
{
    guint64 n_hosts = 1;
    for (guint32 i = 0; i < cluster->n_levels; i++) {
        n_hosts *= cluster->down[i];
        if (n_hosts > LP_MACHINE_HOSTS_MAX)
            break;
    }
    if (n_hosts != cluster->n_hosts)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                "the product of the fat tree's arities is %" G_GUINT64_FORMAT
                                "%s, but radical says %" G_GUINT64_FORMAT " hosts, wanted the same",
                                n_hosts, n_hosts > LP_MACHINE_HOSTS_MAX ? " or more" : "",
                                cluster->n_hosts);
    guint64 n_nodes = n_hosts;
    guint64 n_links = 0;
    for (guint32 i = 0; i < cluster->n_levels; i++) {
        n_links += n_nodes * cluster->up[i];
        if (n_links > LP_MACHINE_LINKS_MAX)
            return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                    "the fat tree has more than %u links, wanted fewer",
                                    LP_MACHINE_LINKS_MAX);
        n_nodes = n_nodes * cluster->up[i] / cluster->down[i];
    }
    return TRUE;
}

/* Reads @n arities "20,56". */
static gboolean
read_arities(const char *text, guint32 n, guint32 *out_arities, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    for (guint32 i = 0; i < n; i++) {
        guint64 value = 0;
        if (!lp_count_parse(parts[i], 1, LP_MACHINE_HOSTS_MAX, &value, error))
            return FALSE;
        out_arities[i] = (guint32)value;
    }
    return TRUE;
}

char *
lp_topology_tree_parameters(guint32 n_levels, const guint32 *down, const guint32 *up)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%u;", n_levels);
    for (guint32 i = 0; i < n_levels; i++)
        g_string_append_printf(text, "%u%s", down[i], i + 1 < n_levels ? "," : ";");
    for (guint32 i = 0; i < n_levels; i++)
        g_string_append_printf(text, "%u%s", up[i], i + 1 < n_levels ? "," : ";");
    for (guint32 i = 0; i < n_levels; i++)
        g_string_append_printf(text, "1%s", i + 1 < n_levels ? "," : "");
    return g_string_free(text, FALSE);
}

gboolean
lp_topology_read_tree(const LpXml *xml, const xmlNode *prop, const char *text, LpCluster *cluster,
                      GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    guint32 n = g_strv_length(parts) == 4 && strlen(parts[0]) == 1 ? (guint32)(*parts[0] - '0') : 0;
    g_auto(GStrv) down = g_strsplit(n > 0 ? parts[1] : "", ",", -1);
    g_auto(GStrv) up = g_strsplit(n > 0 ? parts[2] : "", ",", -1);
    gboolean good = n >= 2 && n <= LP_FAT_TREE_LEVELS_MAX && g_strv_length(down) == n &&
                    g_strv_length(up) == n && read_arities(parts[1], n, cluster->down, NULL) &&
                    read_arities(parts[2], n, cluster->up, NULL) && cluster->up[0] == 1;
    g_autofree char *same =
        good ? lp_topology_tree_parameters(n, cluster->down, cluster->up) : NULL;
    if (g_strcmp0(same, text) != 0)
        return lp_platform_fail(
            xml, prop, LP_MACHINE_ERROR_VALUE, error,
            "prop electrical-tree: \"%s\", wanted LEVELS;DOWN,...;1,UP,...;1,..., "
            "of 2 or 3 levels",
            text);
    cluster->topology = LP_TOPOLOGY_FAT_TREE;
    cluster->n_levels = n;
    cluster->n_hosts = 1;
    for (guint32 i = 0; i < n && cluster->n_hosts <= LP_MACHINE_HOSTS_MAX; i++)
        cluster->n_hosts *= cluster->down[i];
    if (cluster->n_hosts > LP_MACHINE_HOSTS_MAX)
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_SIZE, error,
                                "prop electrical-tree: %" G_GUINT64_FORMAT
                                " ports or more, wanted at most %u",
                                cluster->n_hosts, LP_MACHINE_HOSTS_MAX);
    return check_fat_tree_size(xml, prop, cluster, error);
}

/* Reads one of the lists of a fat tree, of as many numbers as levels. */
static gboolean
read_list(const char *what, const char *text, guint32 n, guint32 *out_arities, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    if (g_strv_length(parts) != n) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                    "%s: \"%s\", wanted a number for each of %u levels", what, text, n);
        return FALSE;
    }
    if (read_arities(text, n, out_arities, error))
        return TRUE;
    g_prefix_error(error, "%s: ", what);
    return FALSE;
}

/* "LEVELS;DOWN,...;1,UP,...;1,..." */
static gboolean
parse_fat_tree(const char *text, LpCluster *cluster, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    guint32 parallel[LP_FAT_TREE_LEVELS_MAX];
    guint64 n_levels = 0;
    if (g_strv_length(parts) != 4) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                    "\"%s\", wanted LEVELS;DOWN,...;1,UP,...;1,... of a fat tree", text);
        return FALSE;
    }
    if (!lp_count_parse(parts[0], 1, LP_FAT_TREE_LEVELS_MAX, &n_levels, error)) {
        g_prefix_error(error, "levels of a fat tree: ");
        return FALSE;
    }
    guint32 n = cluster->n_levels = (guint32)n_levels;
    if (!read_list("links down", parts[1], n, cluster->down, error) ||
        !read_list("links up", parts[2], n, cluster->up, error) ||
        !read_list("parallel links", parts[3], n, parallel, error))
        return FALSE;
    if (cluster->up[0] != 1) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                    "links up: \"%s\", wanted 1 for the first level: a port has one link",
                    parts[2]);
        return FALSE;
    }
    for (guint32 i = 0; i < n; i++)
        if (parallel[i] != 1) {
            g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                        "parallel links (the last list of a FAT_TREE): \"%s\", wanted 1 for each "
                        "level, and more links up: SimGrid does not balance parallel ones",
                        parts[3]);
            return FALSE;
        }
    return TRUE;
}

static gboolean
read_fat_tree(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    const char *text = lp_xml_required(xml, node, "topo_parameters", error);
    if (text == NULL)
        return FALSE;
    cluster->topology = LP_TOPOLOGY_FAT_TREE;
    if (!parse_fat_tree(text, cluster, error)) {
        lp_xml_prefix(xml, node, "topo_parameters", error);
        return FALSE;
    }
    return check_fat_tree_size(xml, node, cluster, error);
}

/* @a times @b, or a number above every limit. */
static guint64
product(guint64 a, guint64 b)
{
    return b != 0 && a > (G_GUINT64_CONSTANT(1) << 40) / b ? G_GUINT64_CONSTANT(1) << 40 : a * b;
}

static gboolean
check_hosts(const LpXml *xml, const xmlNode *node, const char *what, guint64 n_ports,
            const LpCluster *cluster, GError **error)
{
    return n_ports == cluster->n_hosts ||
           lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                            "%s has %" G_GUINT64_FORMAT "%s ports, but radical says "
                            "%" G_GUINT64_FORMAT " hosts, wanted the same",
                            what, n_ports, n_ports > LP_MACHINE_HOSTS_MAX ? " or more" : "",
                            cluster->n_hosts);
}

/* "4,4,8". A dimension of 1 would be a link from a port to itself, whose name SimGrid takes only
 * once. */
static gboolean
read_sizes(const char *text, LpTorus *torus, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    guint n_dimensions = g_strv_length(parts);
    if (n_dimensions < 1 || n_dimensions > LP_TORUS_DIMENSIONS_MAX) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                    "%u dimensions, wanted 1 to %u", n_dimensions, LP_TORUS_DIMENSIONS_MAX);
        return FALSE;
    }
    torus->n_dimensions = n_dimensions;
    for (guint i = 0; i < n_dimensions; i++) {
        guint64 size = 0;
        if (!lp_count_parse(parts[i], 2, LP_MACHINE_HOSTS_MAX, &size, error))
            return FALSE;
        torus->size[i] = (guint32)size;
    }
    return TRUE;
}

static gboolean
check_torus(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    guint64 n_ports = 1;
    for (guint i = 0; i < cluster->torus.n_dimensions; i++)
        n_ports = product(n_ports, cluster->torus.size[i]);
    cluster->topology = LP_TOPOLOGY_TORUS;
    return check_hosts(xml, node, "the torus", n_ports, cluster, error);
}

static gboolean
read_torus(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    const char *text = lp_xml_required(xml, node, "topo_parameters", error);
    if (text == NULL)
        return FALSE;
    if (!read_sizes(text, &cluster->torus, error)) {
        lp_xml_prefix(xml, node, "topo_parameters", error);
        return FALSE;
    }
    return check_torus(xml, node, cluster, error);
}

gboolean
lp_topology_read_torus(const LpXml *xml, const xmlNode *prop, gboolean is_twisted, const char *text,
                       LpCluster *cluster, GError **error)
{
    if (!read_sizes(text, &cluster->torus, error))
        return lp_property_prefix(xml, prop, error);
    cluster->torus.spreads_paths = TRUE;
    cluster->torus.is_twisted = is_twisted;
    if (is_twisted && !lp_torus_can_twist(&cluster->torus))
        return lp_platform_fail(xml, prop, LP_MACHINE_ERROR_VALUE, error,
                                "prop fabric-parameters: %s, wanted sizes n and 2n, both of them, "
                                "in two or three dimensions: others cannot be twisted",
                                text);
    return check_torus(xml, prop, cluster, error);
}

/* Reads the numbers of @text, which stand between commas and semicolons as in @form: "n,n;n;n". */
static gboolean
read_numbers(const char *text, const char *form, guint32 *out_numbers, GError **error)
{
    g_auto(GStrv) numbers = g_strsplit_set(text, ",;", -1);
    guint n_wanted = 1;
    GString *marks = g_string_new(NULL), *wanted = g_string_new(NULL);
    for (const char *at = text; *at != '\0'; at++)
        if (*at == ',' || *at == ';')
            g_string_append_c(marks, *at);
    for (const char *at = form; *at != '\0'; at++)
        if (*at == ',' || *at == ';') {
            g_string_append_c(wanted, *at);
            n_wanted++;
        }
    gboolean good = strcmp(marks->str, wanted->str) == 0;
    g_string_free(marks, TRUE);
    g_string_free(wanted, TRUE);
    if (!good) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s, wanted the form %s", shown,
                    form);
        return FALSE;
    }
    for (guint i = 0; i < n_wanted; i++) {
        guint64 value = 0;
        if (!lp_count_parse(numbers[i], 1, LP_MACHINE_HOSTS_MAX, &value, error))
            return FALSE;
        out_numbers[i] = (guint32)value;
    }
    return TRUE;
}

LpDragonflyLinks
lp_topology_dragonfly_links(const LpDragonfly *self)
{
    guint64 groups = self->n_groups, rows = self->n_rows, routers = self->n_routers;
    LpDragonflyLinks links = {
        .n_port = product(product(product(groups, rows), routers), self->n_ports),
        .n_global = product(groups, groups - 1) / 2,
    };
    if (self->n_spines > 0)
        links.n_local = product(groups, routers);
    else
        links.n_local = product(groups, product(rows, product(routers, routers - 1) / 2)) +
                        product(groups, product(routers, product(rows, rows - 1) / 2));
    return links;
}

static gboolean
check_dragonfly(const LpXml *xml, const xmlNode *node, const LpCluster *cluster, GError **error)
{
    const LpDragonfly *self = &cluster->dragonfly;
    LpDragonflyLinks links = lp_topology_dragonfly_links(self);
    if (!check_hosts(xml, node, "the dragonfly", links.n_port, cluster, error))
        return FALSE;
    if (links.n_port + links.n_local + links.n_global > LP_MACHINE_LINKS_MAX)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                "the dragonfly has more than %u links, wanted fewer",
                                LP_MACHINE_LINKS_MAX);
    guint64 routers = product(self->n_rows, self->n_routers);
    if (product(self->n_groups, product(routers, routers)) / 2 > LP_MACHINE_ROUTES_MAX)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                "the dragonfly has more than %u pairs of routers in its groups, "
                                "wanted fewer",
                                LP_MACHINE_ROUTES_MAX);
    guint32 widest =
        MAX(MAX(self->group_links, self->row_links), MAX(self->router_links, self->n_spines));
    if (cluster->link_bytes_per_s * widest > LP_MACHINE_BYTES_PER_S_MAX)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_VALUE, error,
                                "%u links of %g B/s side by side, wanted at most %g B/s together",
                                widest, cluster->link_bytes_per_s, LP_MACHINE_BYTES_PER_S_MAX);
    /* SimGrid takes the group's number for a place in the row, beyond the end of its table. */
    if (!self->has_gates && self->n_groups > self->n_routers)
        return lp_platform_fail(xml, node, LP_MACHINE_ERROR_SIZE, error,
                                "a dragonfly of %u groups with rows of %u routers, wanted at most "
                                "as many groups: SimGrid leads to group j over place j of a row. "
                                "The prop fabric has no such limit",
                                self->n_groups, self->n_routers);
    return TRUE;
}

static gboolean
read_dragonfly(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    const char *text = lp_xml_required(xml, node, "topo_parameters", error);
    guint32 n[7] = {0};
    if (text == NULL)
        return FALSE;
    if (!read_numbers(text, "GROUPS,LINKS;ROWS,LINKS;ROUTERS,LINKS;PORTS", n, error)) {
        lp_xml_prefix(xml, node, "topo_parameters", error);
        return FALSE;
    }
    cluster->topology = LP_TOPOLOGY_DRAGONFLY;
    cluster->dragonfly = (LpDragonfly){.n_groups = n[0],
                                       .group_links = n[1],
                                       .n_rows = n[2],
                                       .row_links = n[3],
                                       .n_routers = n[4],
                                       .router_links = n[5],
                                       .n_ports = n[6]};
    return check_dragonfly(xml, node, cluster, error);
}

gboolean
lp_topology_read(const LpXml *xml, const xmlNode *node, LpCluster *cluster, GError **error)
{
    const char *topology = lp_xml_attribute(node, "topology");
    if (g_strcmp0(topology, "FAT_TREE") == 0)
        return read_fat_tree(xml, node, cluster, error);
    if (g_strcmp0(topology, "TORUS") == 0)
        return read_torus(xml, node, cluster, error);
    if (g_strcmp0(topology, "DRAGONFLY") == 0)
        return read_dragonfly(xml, node, cluster, error);
    if (lp_xml_attribute(node, "topo_parameters") != NULL)
        return lp_platform_fail(
            xml, node, LP_MACHINE_ERROR_STRUCTURE, error,
            "topo_parameters in a flat cluster, wanted topology=\"FAT_TREE\", TORUS or "
            "DRAGONFLY, or none");
    cluster->topology = LP_TOPOLOGY_CROSSBAR;
    return TRUE;
}

gboolean
lp_topology_read_text(const LpXml *xml, const xmlNode *prop, LpTopology topology, const char *text,
                      LpCluster *cluster, GError **error)
{
    guint32 n[5] = {0};
    gboolean is_plus = topology == LP_TOPOLOGY_DRAGONFLY_PLUS;
    if (!read_numbers(
            text, is_plus ? "GROUPS,LINKS;SPINES;LEAVES;PORTS" : "GROUPS,LINKS;ROUTERS,LINKS;PORTS",
            n, error))
        return lp_property_prefix(xml, prop, error);
    cluster->topology = topology;
    cluster->dragonfly = (LpDragonfly){.n_groups = n[0],
                                       .group_links = n[1],
                                       .n_rows = 1,
                                       .row_links = 1,
                                       .n_routers = is_plus ? n[3] : n[2],
                                       .router_links = is_plus ? 1 : n[3],
                                       .n_spines = is_plus ? n[2] : 0,
                                       .n_ports = n[4],
                                       .has_gates = TRUE};
    return check_dragonfly(xml, prop, cluster, error);
}

char *
lp_topology_to_text(LpTopology topology, const LpDragonfly *self)
{
    if (topology == LP_TOPOLOGY_DRAGONFLY_PLUS)
        return g_strdup_printf("%u,%u;%u;%u;%u", self->n_groups, self->group_links, self->n_spines,
                               self->n_routers, self->n_ports);
    return g_strdup_printf("%u,%u;%u,%u;%u", self->n_groups, self->group_links, self->n_routers,
                           self->router_links, self->n_ports);
}

char *
lp_topology_torus_parameters(const LpTorus *torus)
{
    GString *text = g_string_new(NULL);
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        g_string_append_printf(text, "%s%u", i == 0 ? "" : ",", torus->size[i]);
    return g_string_free(text, FALSE);
}

char *
lp_topology_dragonfly_parameters(const LpDragonfly *self)
{
    return g_strdup_printf("%u,%u;%u,%u;%u,%u;%u", self->n_groups, self->group_links, self->n_rows,
                           self->row_links, self->n_routers, self->router_links, self->n_ports);
}
