/* SPDX-License-Identifier: Apache-2.0 */
/* What all links of a plain platform have in common: their attributes, and names by tier. */
#include "platforms/plain/plain_links.h"

void
lp_plain_write_links(LpXmlWriter *xml, double bytes_per_s, double latency_s)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE], latency[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, bytes_per_s);
    g_ascii_dtostr(latency, sizeof latency, latency_s);
    /* Compute takes known times, so hosts need a speed, but no particular one. */
    lp_xml_writer_attribute(xml, "speed", "1Gf");
    lp_xml_writer_format(xml, "bw", "%sBps", bandwidth);
    lp_xml_writer_format(xml, "lat", "%ss", latency);
    lp_xml_writer_attribute(xml, "sharing_policy", "SPLITDUPLEX");
}

void
lp_plain_write_link(LpXmlWriter *xml, const char *name, double bytes_per_s, double latency_s)
{
    char bandwidth[G_ASCII_DTOSTR_BUF_SIZE], latency[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(bandwidth, sizeof bandwidth, bytes_per_s);
    g_ascii_dtostr(latency, sizeof latency, latency_s);
    lp_xml_writer_open(xml, "link");
    lp_xml_writer_attribute(xml, "id", name);
    lp_xml_writer_format(xml, "bandwidth", "%sBps", bandwidth);
    lp_xml_writer_format(xml, "latency", "%ss", latency);
    lp_xml_writer_attribute(xml, "sharing_policy", "SPLITDUPLEX");
    lp_xml_writer_close(xml);
}

void
lp_plain_write_step(LpXmlWriter *xml, const char *name, gboolean is_forward)
{
    lp_xml_writer_open(xml, "link_ctn");
    lp_xml_writer_attribute(xml, "id", name);
    lp_xml_writer_attribute(xml, "direction", is_forward ? "UP" : "DOWN");
    lp_xml_writer_close(xml);
}
