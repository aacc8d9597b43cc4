/* SPDX-License-Identifier: Apache-2.0 */
/* What step_file.c reads. */
#include "workloads/given/step_writer.h"

#include "base/xml_writer.h"

char *
lp_step_list_to_xml(const LpStepList *list, const char *source)
{
    g_autoptr(LpXmlWriter) xml = lp_xml_writer_new();
    guint32 i = 0;
    lp_xml_writer_open(xml, "algorithms");
    lp_xml_writer_text(xml, "source", source);
    lp_xml_writer_open(xml, "algorithm");
    lp_xml_writer_attribute(xml, "name", list->name);
    lp_xml_writer_attribute(xml, "operation", lp_collective_names[list->collective]);
    lp_xml_writer_format(xml, "ranks", "%u", list->n_ranks);
    if (list->collective != LP_COLLECTIVE_ALL_TO_ALL)
        lp_xml_writer_format(xml, "chunks", "%u", list->n_chunks);
    for (guint32 step = 0; step < list->n_steps; step++) {
        lp_xml_writer_open(xml, "step");
        for (; i < list->n_sends && list->sends[i].step == step; i++) {
            const LpListedSend *one = &list->sends[i];
            lp_xml_writer_open(xml, "send");
            lp_xml_writer_format(xml, "from", "%u", one->from);
            lp_xml_writer_format(xml, "to", "%u", one->to);
            lp_xml_writer_format(xml, "chunks", "%u", one->chunk);
            if (one->sums)
                lp_xml_writer_attribute(xml, "sum", "yes");
            lp_xml_writer_close(xml);
        }
        lp_xml_writer_close(xml);
    }
    lp_xml_writer_close(xml);
    lp_xml_writer_close(xml);
    return lp_xml_writer_finish(g_steal_pointer(&xml));
}
