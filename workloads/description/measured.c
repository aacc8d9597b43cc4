/* SPDX-License-Identifier: Apache-2.0 */
/* The step that the source of a workload's plan measured. */
#include "workloads/description/measured.h"

#include "base/error.h"
#include "base/xml.h"
#include "workloads/description/given_workload.h"

#define SCHEMA "resource:///lightpath/workloads/schema/workload.xsd"
#define STEP_S_MAX 1e6
#define RATE_MAX 1e9

void
lp_measured_clear(LpMeasured *self)
{
    g_free(self->quantity);
    g_free(self->source);
    g_strfreev(self->settings);
    g_free(self->apart);
}

/* FLOP of an iteration on one accelerator, of the model or, with those done again, of the hardware.
 */
static double
own_flop(const LpWorkload *workload, gboolean of_hardware)
{
    double flop = of_hardware ? lp_plan_hardware_flop(&workload->plan, &workload->transformer)
                              : lp_plan_model_flop(&workload->plan, &workload->transformer);
    return flop / (double)lp_plan_n_ranks(&workload->plan);
}

static double
own_tokens(const LpWorkload *workload)
{
    return (double)workload->plan.batch.global * workload->transformer.seq /
           (double)lp_plan_n_ranks(&workload->plan);
}

/* One of step, model-tflops, hardware-tflops and tokens-per-s. */
static gboolean
read_quantity(LpMeasured *self, const LpXml *xml, const xmlNode *node, const LpWorkload *workload,
              GError **error)
{
    static const char *const names[] = {"step", "model-tflops", "hardware-tflops", "tokens-per-s"};
    static const char *const units[] = {"", " TFLOP/s (model)", " TFLOP/s (hardware)",
                                        " tokens/s each"};
    const double amounts[] = {0.0, own_flop(workload, FALSE) * 1e-12,
                              own_flop(workload, TRUE) * 1e-12, own_tokens(workload)};
    guint n_given = 0, given = 0;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (lp_xml_attribute(node, names[i]) != NULL) {
            given = i;
            n_given++;
        }
    if (n_given != 1) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                     "<measured>: got %u quantities, wanted one of step, model-tflops, "
                     "hardware-tflops and tokens-per-s",
                     n_given);
        return FALSE;
    }
    self->quantity = g_strconcat(lp_xml_attribute(node, names[given]), units[given], NULL);
    if (given == 0)
        return lp_xml_quantity_in(xml, node, names[0], LP_QUANTITY_TIME, 1e-9, STEP_S_MAX,
                                  &self->step_s, error);
    double rate = 0.0;
    if (!lp_xml_number(xml, node, names[given], 1e-9, RATE_MAX, &rate, error))
        return FALSE;
    self->step_s = amounts[given] / rate;
    return TRUE;
}

gboolean
lp_measured_load(const char *path, LpMeasured *out_measured, GError **error)
{
    if (lp_given_workload_is_file(path)) {
        *out_measured = (LpMeasured){0};
        return TRUE;
    }
    g_auto(LpMeasured) self = {.step_s = 0.0};
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL)
        return FALSE;
    const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "measured");
    if (node != NULL) {
        const char *settings = lp_xml_attribute(node, "settings");
        self.settings = g_strsplit(settings != NULL ? settings : "", " ", -1);
        self.apart = g_strdup(lp_xml_attribute(node, "apart"));
        self.source = lp_xml_text(node);
        g_autoptr(LpWorkload) workload =
            lp_workload_load(path, (const char *const *)self.settings, error);
        if (workload == NULL || !read_quantity(&self, xml, node, workload, error))
            return FALSE;
    }
    *out_measured = self;
    self = (LpMeasured){.step_s = 0.0};
    return TRUE;
}
