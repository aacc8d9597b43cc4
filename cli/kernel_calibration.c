/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath calibrate --kernels: the user's measured kernels beside the model. */
#include "cli/kernel_calibration.h"

#include "cli/output_paths.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/kernel_tables.h"
#include "platforms/catalogue/measured_csv.h"

#include <string.h>

static void
append_text(GString *out, const LpMeasuredKernels *kernels)
{
    static const char *const columns[] = {"kernel",         "#rows",  "#sizes", "#measured / model",
                                          "#model: median", "#p90",   "#worst", "#left out: median",
                                          "#p90",           "#worst", NULL};
    g_autoptr(LpTextTable) table = lp_text_table_new(columns);
    for (guint kind = 0; kind < LP_N_MEASURED; kind++) {
        LpMeasuredFit fit;
        if (!lp_measured_kernels_fit(kernels, (LpMeasuredKind)kind, &fit))
            continue;
        const double errors[] = {fit.model.median,      fit.model.p90,
                                 fit.model.worst,       fit.leave_one_out.median,
                                 fit.leave_one_out.p90, fit.leave_one_out.worst};
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lp_measured_kind_names[kind]);
        lp_text_table_add_cell(table, "%u", fit.n_rows);
        lp_text_table_add_cell(table, "%u", fit.n_sizes);
        lp_text_table_add_cell(table, "%.3f", fit.ratio);
        for (guint i = 0; i < G_N_ELEMENTS(errors); i++)
            lp_text_table_add_cell(table, "%.1f %%", 100.0 * errors[i]);
    }
    lp_text_table_append(out, table, 2);
}

static void
add_errors(json_t *object, const char *name, LpMeasuredErrors all)
{
    json_t *errors = json_object();
    lp_json_set_number(errors, "median", all.median);
    lp_json_set_number(errors, "p90", all.p90);
    lp_json_set_number(errors, "worst", all.worst);
    (void)json_object_set_new(object, name, errors);
}

static void
add_json(json_t *root, const LpMeasuredKernels *kernels)
{
    json_t *rows = lp_json_set_array(root, "kernels");
    for (guint kind = 0; kind < LP_N_MEASURED; kind++) {
        LpMeasuredFit fit;
        if (!lp_measured_kernels_fit(kernels, (LpMeasuredKind)kind, &fit))
            continue;
        json_t *row = lp_json_append_object(rows);
        lp_json_set_text(row, "kernel", lp_measured_kind_names[kind]);
        lp_json_set_count(row, "rows", fit.n_rows);
        lp_json_set_count(row, "sizes", fit.n_sizes);
        lp_json_set_number(row, "measured_over_model", fit.ratio);
        add_errors(row, "model", fit.model);
        add_errors(row, "left_out", fit.leave_one_out);
    }
}

static gboolean
print(const LpKernelCalibration *self, const LpAccelerator *accelerator,
      const LpMeasuredKernels *kernels, GError **error)
{
    const char *file = lp_file_label(self->kernels);
    const char *measured = self->is_alone ? "alone" : "in-training";
    if (self->format == LP_FORMAT_JSON) {
        g_autoptr(json_t) root = lp_json_document();
        lp_json_set_text(root, "file", file);
        lp_json_set_text(root, "accelerator", accelerator->name);
        lp_json_set_text(root, "measured", measured);
        add_json(root, kernels);
        return lp_print_json(g_steal_pointer(&root), error);
    }
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "kernels of %s in %s, measured %s, and |model / measured - 1|\n",
                           accelerator->name, file, measured);
    append_text(out, kernels);
    g_string_append_printf(
        out,
        "used: the measured time at these sizes; between them the model times a ratio that is\n"
        "      interpolated (\"left out\": each size by the others); the model beyond %g "
        "doublings\n",
        LP_MEASURED_REACH);
    if (self->output != NULL)
        g_string_append_printf(out, "      with --kernels-table=%s\n", lp_file_label(self->output));
    return lp_print_result(out->str, error);
}

gboolean
lp_kernel_calibration_run(const LpKernelCalibration *self, GError **error)
{
    LpAccelerator accelerator;
    const LpOutputPath output = {"--output", self->output, FALSE};
    char *inputs[] = {(char *)(guintptr)self->kernels, NULL};
    if (!lp_catalogue_find(self->accelerator, &accelerator, error)) {
        g_prefix_error(error, "--accelerator: ");
        return FALSE;
    }
    g_autoptr(LpTable) table = lp_table_load(self->kernels, error);
    if (table == NULL || !lp_check_outputs(&output, 1, inputs, error))
        return FALSE;
    g_autofree char *xml = lp_measured_csv_to_xml(table, &accelerator, self->is_alone, error);
    g_autoptr(LpMeasuredKernels) kernels =
        xml != NULL ? lp_kernel_tables_parse(self->kernels, xml, &accelerator, error) : NULL;
    if (kernels == NULL)
        return FALSE;
    g_autoptr(GError) fault = NULL;
    gboolean is_written =
        self->output == NULL || lp_file_write(self->output, xml, strlen(xml), &fault);
    if (g_strcmp0(self->output, "-") == 0)
        return lp_outputs_join(TRUE, is_written, &fault, error);
    gboolean is_printed = print(self, &accelerator, kernels, error);
    return lp_outputs_join(is_printed, is_written, &fault, error);
}
