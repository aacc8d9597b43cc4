/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a machine view as a plain SimGrid platform. */
#include "platforms/plain.h"

/* "2;20,56;1,20;1,1": levels, arities, up-links, parallel links. */
static void
append_fat_tree(GString *xml, const LpCluster *cluster)
{
    GString *down = g_string_new(NULL), *up = g_string_new(NULL), *parallel = g_string_new(NULL);
    for (guint32 i = 0; i < cluster->n_levels; i++) {
        const char *comma = i == 0 ? "" : ",";
        g_string_append_printf(down, "%s%u", comma, cluster->down[i]);
        g_string_append_printf(up, "%s%u", comma, cluster->up[i]);
        g_string_append_printf(parallel, "%s1", comma);
    }
    g_string_append_printf(xml, " topology=\"FAT_TREE\" topo_parameters=\"%u;%s;%s;%s\"",
                           cluster->n_levels, down->str, up->str, parallel->str);
    g_string_free(down, TRUE);
    g_string_free(up, TRUE);
    g_string_free(parallel, TRUE);
}

static void
append_cluster(GString *xml, const LpCluster *cluster)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE], latency[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, cluster->link_bytes_per_s);
    g_ascii_dtostr(latency, sizeof latency, cluster->link_latency_s);
    g_autofree char *names = g_markup_printf_escaped("id=\"%s\" prefix=\"%s\" suffix=\"%s\"",
                                                     cluster->id, cluster->prefix, cluster->suffix);
    /* Compute takes known times, so hosts need a speed, but no particular one. */
    g_string_append_printf(xml,
                           "    <cluster %s radical=\"0-%" G_GUINT64_FORMAT "\" speed=\"1Gf\" "
                           "bw=\"%sBps\" lat=\"%ss\" sharing_policy=\"SPLITDUPLEX\"",
                           names, cluster->n_hosts - 1, bandwidth, latency);
    if (cluster->topology == LP_TOPOLOGY_FAT_TREE)
        append_fat_tree(xml, cluster);
    g_string_append(xml, "/>\n");
}

char *
lp_machine_to_plain(const LpMachine *self)
{
    GString *xml = g_string_new("<?xml version=\"1.0\"?>\n"
                                "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                "<platform version=\"4.1\">\n"
                                "  <zone id=\"machine\" routing=\"None\">\n");
    append_cluster(xml, &self->cluster[LP_ATTACHMENT_SCALE_UP]);
    if (self->has_scale_out)
        append_cluster(xml, &self->cluster[LP_ATTACHMENT_SCALE_OUT]);
    g_string_append(xml, "  </zone>\n</platform>\n");
    return g_string_free(xml, FALSE);
}
