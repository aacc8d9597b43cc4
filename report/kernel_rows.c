/* SPDX-License-Identifier: Apache-2.0 */
#include "report/kernel_rows.h"

#include "base/text_table.h"
#include "model/times/kernel_census.h"
#include "model/times/kernel_sizes.h"
#include "report/result_field.h"

/* "standard.xml:91": where it is listed; NULL: nowhere. Returns: (transfer full). */
static char *
place_of(const LpKernel *kernel)
{
    if (kernel->file == NULL)
        return NULL;
    g_autofree char *name = g_path_get_basename(kernel->file);
    return g_strdup_printf("%s:%u", name, kernel->line);
}

static GArray *
census(const LpReport *self)
{
    return lp_kernel_census(&self->workload->transformer, &self->workload->plan,
                            &self->machine->accelerator);
}

static double
moved_bytes(const LpReport *self, const LpKernel *kernel)
{
    return lp_kernel_bytes(kernel, &self->machine->accelerator,
                           self->workload->plan.format.precision);
}

static const char *
timed_by(const LpReport *self, const LpKernel *kernel)
{
    return lp_timed_by_names[lp_kernel_timed_by(kernel, &self->machine->accelerator,
                                                self->workload->plan.format.precision)];
}

static const char *
bound_by(const LpReport *self, const LpKernel *kernel)
{
    return lp_bound_by_names[lp_kernel_bound_by(kernel, &self->machine->accelerator,
                                                self->workload->plan.format.precision)];
}

/* The kind of a kernel, as lists of kernels call it; attention's products in one kernel are a kind
 * of their own. */
static const char *
kind_of(const LpKernel *kernel)
{
    if (kernel->on_host)
        return "host";
    if (kernel->measured)
        return "measured";
    if (kernel->n_batch > 0.0)
        return kernel->fused ? "attention" : "product";
    return kernel->streams ? "stream" : "sweep";
}

static double
fraction_of(double part, double all)
{
    return all > 0.0 ? part / all : 0.0;
}

static guint32
n_launches(const LpKernelCount *count)
{
    return MAX(count->kernel.n_launches, 1);
}

static void
add_json_row(json_t *rows, const LpReport *self, const LpKernelCount *count, double sum_s)
{
    double all_s = count->n_runs * count->time_s;
    const LpKernel *kernel = &count->kernel;
    json_t *row = lp_json_append_object(rows);
    lp_json_set_text(row, "pass", lp_pass_names[count->pass]);
    lp_json_set_text(row, "block", lp_block_names[count->block]);
    lp_json_set_text(row, "kernel", kernel->name);
    lp_json_set_text(row, "kind", kind_of(kernel));
    if (kernel->n_batch > 0.0) {
        lp_json_set_number(row, "m", kernel->m);
        lp_json_set_number(row, "k", kernel->k);
        lp_json_set_number(row, "n", kernel->n);
        lp_json_set_number(row, "products", kernel->n_batch);
    }
    if (kernel->fused && kernel->share > 0.0)
        lp_json_set_number(row, "share", kernel->share);
    lp_json_set_number(row, "flop", lp_kernel_flop(kernel));
    lp_json_set_number(row, "bytes", moved_bytes(self, kernel));
    lp_json_set_count(row, "launches", n_launches(count));
    lp_json_set_count(row, "runs", count->n_runs);
    lp_json_set_number(row, "time_s", count->time_s);
    lp_json_set_number(row, "all_s", all_s);
    lp_json_set_number(row, "time_share", fraction_of(all_s, sum_s));
    lp_json_set_text(row, "bound_by", bound_by(self, kernel));
    lp_json_set_text(row, "timed_by", timed_by(self, kernel));
    g_autofree char *place = place_of(kernel);
    if (place != NULL)
        lp_json_set_text(row, "source", place);
}

void
lp_kernel_rows_add_json(json_t *object, const LpReport *self)
{
    g_autoptr(GArray) counts = census(self);
    double sum_s = lp_kernel_census_time_s(counts);
    lp_json_set_number(object, "kernels_s", sum_s);
    json_t *rows = lp_json_set_array(object, "kernels");
    for (guint i = 0; i < counts->len; i++)
        add_json_row(rows, self, &g_array_index(counts, LpKernelCount, i), sum_s);
}

static gboolean
has_measured(const LpReport *self)
{
    return self->machine->accelerator.measured != NULL;
}

/* Its columns are labelled as the page's are. */
static LpTextTable *
new_table(const LpReport *self)
{
    static const char *const keys[] = {"pass",     "block",    "kernel",  NULL,   "flop",
                                       "bytes",    "launches", "time_s",  "runs", "time_share",
                                       "bound_by", "source",   "timed_by"};
    g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
    gsize n = G_N_ELEMENTS(keys) - (has_measured(self) ? 0 : 1);
    for (gsize i = 0; i < n; i++) {
        g_autofree char *at = g_strdup_printf("/kernels/0/%s", keys[i] != NULL ? keys[i] : "m");
        const LpResultField *field = lp_result_field_find("workload-kernels", at);
        g_ptr_array_add(columns, keys[i] == NULL
                                     ? g_strdup("m x k x n")
                                     : g_strconcat(field->is_text ? "" : "#", field->label, NULL));
    }
    g_ptr_array_add(columns, NULL);
    return lp_text_table_new((const char *const *)columns->pdata);
}

static void
add_shape(LpTextTable *table, const LpKernel *kernel)
{
    if (kernel->n_batch <= 0.0)
        lp_text_table_add_cell(table, "%s", "");
    else if (kernel->n_batch > 1.0)
        lp_text_table_add_cell(table, "%.6g x %.6g x %.6g, %.6g times", kernel->m, kernel->k,
                               kernel->n, kernel->n_batch);
    else
        lp_text_table_add_cell(table, "%.6g x %.6g x %.6g", kernel->m, kernel->k, kernel->n);
}

static void
add_text_row(LpTextTable *table, const LpReport *self, const LpKernelCount *count, double sum_s)
{
    double all_s = count->n_runs * count->time_s;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", lp_pass_names[count->pass]);
    lp_text_table_add_cell(table, "%s", lp_block_names[count->block]);
    lp_text_table_add_cell(table, "%s", count->kernel.name);
    add_shape(table, &count->kernel);
    lp_text_table_add_cell(table, "%.4g", lp_kernel_flop(&count->kernel));
    lp_text_table_add_quantity(table, LP_QUANTITY_SIZE, moved_bytes(self, &count->kernel));
    lp_text_table_add_cell(table, "%u", n_launches(count));
    lp_text_table_add_quantity(table, LP_QUANTITY_TIME, count->time_s);
    lp_text_table_add_cell(table, "%u", count->n_runs);
    lp_text_table_add_cell(table, "%.1f %%", 100.0 * fraction_of(all_s, sum_s));
    lp_text_table_add_cell(table, "%s", bound_by(self, &count->kernel));
    g_autofree char *place = place_of(&count->kernel);
    lp_text_table_add_cell(table, "%s", place != NULL ? place : "");
    if (has_measured(self))
        lp_text_table_add_cell(table, "%s", timed_by(self, &count->kernel));
}

void
lp_kernel_rows_append_text(GString *out, const LpReport *self)
{
    g_autoptr(GArray) counts = census(self);
    g_autoptr(LpTextTable) table = new_table(self);
    double sum_s = lp_kernel_census_time_s(counts);
    for (guint i = 0; i < counts->len; i++)
        add_text_row(table, self, &g_array_index(counts, LpKernelCount, i), sum_s);
    g_autofree char *sum = lp_quantity_format(LP_QUANTITY_TIME, sum_s);
    g_string_append_printf(out,
                           "\nkernels of a micro-batch through all layers, a rank of each "
                           "stage: %s\n",
                           sum);
    lp_text_table_append(out, table, 2);
}
