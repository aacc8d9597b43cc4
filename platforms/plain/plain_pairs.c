/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pairs of hosts as bypass routes: SimGrid keeps those in a tree, not in a table of all
 * pairs, so that they cost as much as there are. */
#include "platforms/plain/plain_pairs.h"

#include "platforms/plain/plain.h"

/* Compute takes known times, so hosts need a speed, but no particular one. */
static void
write_host(LpXmlWriter *xml, guint32 number)
{
    lp_xml_writer_open(xml, "host");
    lp_xml_writer_format(xml, "id", "%u", number);
    lp_xml_writer_attribute(xml, "speed", "1Gf");
    lp_xml_writer_close(xml);
}

static void
write_link(LpXmlWriter *xml, guint32 number, double bytes_per_s)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, bytes_per_s);
    lp_xml_writer_open(xml, "link");
    lp_xml_writer_format(xml, "id", "%u", number);
    lp_xml_writer_format(xml, "bandwidth", "%sBps", bandwidth);
    lp_xml_writer_attribute(xml, "latency", "0s");
    lp_xml_writer_close(xml);
}

static void
write_pair(LpXmlWriter *xml, const LpPlainPair *pair)
{
    lp_xml_writer_open(xml, "bypassRoute");
    lp_xml_writer_format(xml, "src", "%u", pair->from);
    lp_xml_writer_format(xml, "dst", "%u", pair->to);
    for (guint32 i = 0; i < pair->n_links; i++) {
        lp_xml_writer_open(xml, "link_ctn");
        lp_xml_writer_format(xml, "id", "%u", pair->links[i]);
        lp_xml_writer_close(xml);
    }
    lp_xml_writer_close(xml);
}

char *
lp_plain_pairs(const LpPlainPart *part)
{
    LpXmlWriter *xml = lp_plain_open_minimal();
    for (guint32 i = 0; i < part->n_hosts; i++)
        write_host(xml, part->hosts[i]);
    for (guint32 i = 0; i < part->n_links; i++)
        write_link(xml, part->links[i], part->links_bytes_per_s[i]);
    for (guint32 i = 0; i < part->n_pairs; i++)
        write_pair(xml, &part->pairs[i]);
    return lp_xml_writer_finish(xml);
}

char *
lp_plain_pairs_host(guint32 number)
{
    return g_strdup_printf("%u", number);
}
