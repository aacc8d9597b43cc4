/* SPDX-License-Identifier: Apache-2.0 */
/* Measured kernels in CSV, as their tables in XML. */
#include "platforms/catalogue/measured_csv.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/xml_writer.h"
#include "model/times/kernel.h"
#include "model/times/measured_kernels.h"

#include <string.h>

#define NAMED "named"

/* The columns of measured values, and their units. */
static const char *const measures[] = {"seconds", "tflops", "GBps", "of_peak"};

/* A row, read. */
typedef struct {
    LpKernel kernel;
    LpPrecision precision;
    double size; /* of a named one */
    double time_s;
} Row;

static gboolean
read_product(const LpTableRow *row, const char *kind, Row *self, GError **error)
{
    LpKernel *kernel = &self->kernel;
    const char *const sides[] = {"m", "k", "n"};
    double *const values[] = {&kernel->m, &kernel->k, &kernel->n};
    GError *fault = NULL;
    kernel->n_batch = kernel->share = 1.0;
    for (guint i = 0; i < G_N_ELEMENTS(sides); i++)
        if (!lp_table_number(row, sides[i], 1e-3, LP_MEASURED_SIZE_MAX, values[i], error))
            return FALSE;
        else if (!(*values[i] > 0.0))
            return lp_table_fault(row, sides[i], "a size above 0", error);
    int precision = lp_choice_parse(lp_table_text(row, "precision"), lp_precision_names, &fault);
    if (precision < 0) {
        g_propagate_error(error, fault);
        return lp_table_prefix(row, "precision", error);
    }
    self->precision = (LpPrecision)precision;
    if (!lp_table_number(row, "count", 1.0, LP_MEASURED_SIZE_MAX, &kernel->n_batch, error) ||
        !lp_table_number(row, "share", 1e-6, 1.0, &kernel->share, error) ||
        !lp_table_number(row, "head_width", 0.0, 1e6, &kernel->head_width, error))
        return FALSE;
    gboolean is_grouped = strcmp(kind, "grouped") == 0;
    if (strcmp(kind, "attention") != 0 && is_grouped != (kernel->n_batch > 1.0))
        return lp_table_fault(
            row, "count",
            is_grouped ? "more than 1, or the kernel product" : "1, or the kernel grouped", error);
    kernel->bytes = lp_measured_bytes(kernel, self->precision);
    return lp_table_number(row, "bytes", 0.0, LP_MEASURED_SIZE_MAX, &kernel->bytes, error);
}

static gboolean
read_bytes(const LpTableRow *row, Row *self, GError **error)
{
    return lp_table_measured(row, "bytes", &self->kernel.bytes, error);
}

/* The time, from what was measured. */
static gboolean
read_time(const LpTableRow *row, const LpAccelerator *accelerator, Row *self, GError **error)
{
    guint found = G_N_ELEMENTS(measures), n = 0;
    for (guint i = 0; i < G_N_ELEMENTS(measures); i++)
        if (lp_table_has(row, measures[i])) {
            found = i;
            n++;
        }
    if (n != 1)
        return lp_table_fault(row, n > 1 ? measures[found] : measures[0],
                              "one of seconds, tflops, GBps and of_peak", error);
    double value = 0.0, flop = lp_kernel_flop(&self->kernel) * self->kernel.share;
    if (!lp_table_measured(row, measures[found], &value, error))
        return FALSE;
    const double work[] = {1.0, flop / 1e12, self->kernel.bytes / 1e9,
                           flop / lp_accelerator_peak_flop_per_s(accelerator, self->precision)};
    if (!(work[found] > 0.0))
        return lp_table_fault(row, measures[found], "seconds of a kernel without such work", error);
    self->time_s = found == 0 ? value : work[found] / value;
    if (!(self->time_s >= LP_MEASURED_TIME_MIN_S && self->time_s <= LP_MEASURED_TIME_MAX_S))
        return lp_table_fault(row, measures[found], "a time from 1ns to 10000s", error);
    return TRUE;
}

static void
write_number(LpXmlWriter *writer, const char *name, double value, double usual)
{
    if (value > usual || value < usual)
        lp_xml_writer_format(writer, name, "%.15g", value);
}

static gboolean
write_row(LpXmlWriter *writer, const LpTableRow *row, const LpAccelerator *accelerator,
          GError **error)
{
    Row self = {.size = 0.0};
    const char *kind = lp_table_text(row, "kernel"), *whose = lp_table_text(row, "whose");
    gboolean is_named = strcmp(kind, NAMED) == 0;
    gboolean is_moved = strcmp(kind, "stream") == 0 || strcmp(kind, "sweep") == 0;
    if (!is_named && !g_strv_contains(lp_measured_kind_names, kind))
        return lp_table_fault(row, "kernel", "product, grouped, attention, stream, sweep or named",
                              error);
    if (is_named && !lp_table_has(row, "name"))
        return lp_table_fault(row, "name", "the kernel's name in lists", error);
    if (!(is_named   ? lp_table_measured(row, "size", &self.size, error)
          : is_moved ? read_bytes(row, &self, error)
                     : read_product(row, kind, &self, error)) ||
        !read_time(row, accelerator, &self, error))
        return FALSE;
    const LpKernel *kernel = &self.kernel;
    lp_xml_writer_open(writer, kind);
    if (is_named) {
        lp_xml_writer_attribute(writer, "name", lp_table_text(row, "name"));
        lp_xml_writer_format(writer, "size", "%.15g", self.size);
    }
    if (!is_named && !is_moved) {
        lp_xml_writer_format(writer, "m", "%.15g", kernel->m);
        lp_xml_writer_format(writer, "k", "%.15g", kernel->k);
        lp_xml_writer_format(writer, "n", "%.15g", kernel->n);
        write_number(writer, "count", kernel->n_batch, 1.0);
        lp_xml_writer_attribute(writer, "precision", lp_precision_names[self.precision]);
        write_number(writer, "share", kernel->share, 1.0);
        write_number(writer, "head-width", kernel->head_width, 0.0);
        if (*whose != '\0')
            lp_xml_writer_attribute(writer, "kernel", whose);
    }
    if (is_moved || lp_table_has(row, "bytes"))
        lp_xml_writer_format(writer, "bytes", "%.15gB", kernel->bytes);
    lp_xml_writer_format(writer, "time", "%.15gs", self.time_s);
    lp_xml_writer_close(writer);
    return TRUE;
}

char *
lp_measured_csv_to_xml(const LpTable *table, const LpAccelerator *accelerator, gboolean is_alone,
                       GError **error)
{
    if (lp_table_n_rows(table) == 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s: got no rows, wanted kernels",
                    lp_table_path(table));
        return NULL;
    }
    g_autoptr(LpXmlWriter) writer = lp_xml_writer_new();
    lp_xml_writer_open(writer, "kernels");
    lp_xml_writer_open(writer, "table");
    lp_xml_writer_attribute(writer, "accelerator", accelerator->name);
    lp_xml_writer_attribute(writer, "measured", is_alone ? "alone" : "in-training");
    lp_xml_writer_attribute(writer, "source", lp_file_label(lp_table_path(table)));
    for (guint i = 0; i < lp_table_n_rows(table); i++)
        if (!write_row(writer, lp_table_row(table, i), accelerator, error))
            return NULL;
    return lp_xml_writer_finish(g_steal_pointer(&writer));
}
