/* SPDX-License-Identifier: Apache-2.0 */
/* Times as given_reader.c reads them, to the last digit. */
#include "workloads/given/given_times.h"

static gboolean
differ(double a, double b)
{
    return a < b || a > b;
}

/* Whole microseconds, as most traces have them, are written as such: that is shorter, and a
 * reader's product is the same number. */
static void
write_time(LpXmlWriter *xml, const char *attribute, double time_s)
{
    guint64 time_us = time_s > 0.0 && time_s < 3600.0 ? (guint64)(time_s * 1e6 + 0.5) : 0;
    if (time_us > 0 && !differ((double)time_us * 1e-6, time_s))
        lp_xml_writer_format(xml, attribute, "%" G_GUINT64_FORMAT "us", time_us);
    else
        lp_xml_writer_format(xml, attribute, "%.17gs", time_s);
}

void
lp_given_write_host(LpXmlWriter *xml, const LpExecution *execution)
{
    if (execution->host_is_free && execution->host_sync == LP_HOST_SYNC_NONE)
        return;
    lp_xml_writer_open(xml, "host");
    write_time(xml, "collective", execution->collective_host_s);
    lp_xml_writer_attribute(xml, "free", execution->host_is_free ? "yes" : "no");
    lp_xml_writer_attribute(xml, "sync", lp_traits[LP_TRAIT_HOST_SYNC].words[execution->host_sync]);
    lp_xml_writer_attribute(xml, "waits-within", execution->waits_within ? "yes" : "no");
    lp_xml_writer_attribute(xml, "collective-checks",
                            lp_traits[LP_TRAIT_COLLECTIVE_CHECKS].words[execution->checks]);
    lp_xml_writer_close(xml);
}

void
lp_given_write_work(LpXmlWriter *xml, const LpWork *work)
{
    write_time(xml, "time", work->device_s);
    if (work->host_s > 0.0)
        write_time(xml, "host", work->host_s);
    if (differ(work->issue_s, work->host_s))
        write_time(xml, "issue", work->issue_s);
    if (differ(work->bound_s, work->device_s))
        write_time(xml, "bound", work->bound_s);
    if (differ(work->idle_s, 0.0))
        write_time(xml, "idle", work->idle_s);
    if (work->waits)
        write_time(xml, "wait", work->wait_s);
}
