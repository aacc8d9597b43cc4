/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a zone for each flow, so that no table of all pairs of hosts arises. */
#include "platforms/plain/plain_flows.h"

#include "base/xml_writer.h"

char *
lp_plain_flow_host(guint32 flow, gboolean receives)
{
    return g_strdup_printf("%u:%s", flow, receives ? "to" : "from");
}

const char *
lp_plain_flows_home(void)
{
    return "home:host";
}

/* Links are found by name from every zone. */
static void
write_link(LpXmlWriter *xml, guint32 number, const LpPlainLink *link)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, link->bytes_per_s);
    lp_xml_writer_open(xml, "link");
    lp_xml_writer_format(xml, "id", "%u", number);
    lp_xml_writer_format(xml, "bandwidth", "%sBps", bandwidth);
    lp_xml_writer_attribute(xml, "latency", "0s");
    lp_xml_writer_close(xml);
}

/* Compute takes known times, so hosts need a speed, but no particular one. */
static void
write_host(LpXmlWriter *xml, const char *name)
{
    lp_xml_writer_open(xml, "host");
    lp_xml_writer_attribute(xml, "id", name);
    lp_xml_writer_attribute(xml, "speed", "1Gf");
    lp_xml_writer_close(xml);
}

static void
write_route(LpXmlWriter *xml, const char *from, const char *to, const LpPlainFlow *flow)
{
    lp_xml_writer_open(xml, "route");
    lp_xml_writer_attribute(xml, "src", from);
    lp_xml_writer_attribute(xml, "dst", to);
    lp_xml_writer_attribute(xml, "symmetrical", "NO");
    for (guint32 i = 0; i < flow->n_links; i++) {
        lp_xml_writer_open(xml, "link_ctn");
        lp_xml_writer_format(xml, "id", "%u", flow->links[i]);
        lp_xml_writer_close(xml);
    }
    lp_xml_writer_close(xml);
}

static void
write_flow(LpXmlWriter *xml, guint32 number, const LpPlainFlow *flow)
{
    g_autofree char *from = lp_plain_flow_host(number, FALSE);
    g_autofree char *to = lp_plain_flow_host(number, TRUE);
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_format(xml, "id", "%u:flow", number);
    lp_xml_writer_attribute(xml, "routing", "Full");
    write_host(xml, from);
    write_host(xml, to);
    if (flow->n_links > 0)
        write_route(xml, from, to, flow);
    lp_xml_writer_close(xml);
}

char *
lp_plain_flows(const LpPlainLink *links, guint32 n_links, const LpPlainFlow *flows, guint32 n_flows)
{
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_doctype(xml, "platform", "https://simgrid.org/simgrid.dtd");
    lp_xml_writer_open(xml, "platform");
    lp_xml_writer_attribute(xml, "version", "4.1");
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_attribute(xml, "id", "flows");
    lp_xml_writer_attribute(xml, "routing", "None");
    lp_xml_writer_open(xml, "zone");
    lp_xml_writer_attribute(xml, "id", "home");
    lp_xml_writer_attribute(xml, "routing", "None");
    write_host(xml, lp_plain_flows_home());
    for (guint32 i = 0; i < n_links; i++)
        write_link(xml, i, &links[i]);
    lp_xml_writer_close(xml);
    for (guint32 i = 0; i < n_flows; i++)
        write_flow(xml, i, &flows[i]);
    return lp_xml_writer_finish(xml);
}
