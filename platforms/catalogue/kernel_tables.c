/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of measured kernels (platforms/kernels.xml, and the user's file before it). */
#include "platforms/catalogue/kernel_tables.h"

#include "base/error.h"
#include "base/xml.h"
#include "model/times/kernel.h"
#include "platforms_resource.h"

#include <string.h>

#define TABLES "resource:///lightpath/platforms/catalogue/kernels.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/kernels.xsd"

/* --- rows --- */

/* A number that may be left out. */
static gboolean
read_number(const LpXml *xml, const xmlNode *node, const char *name, double minimum, double maximum,
            double *value, GError **error)
{
    return lp_xml_attribute(node, name) == NULL ||
           lp_xml_number(xml, node, name, minimum, maximum, value, error);
}

static int
read_choice(const LpXml *xml, const xmlNode *node, const char *name, const char *const *names,
            GError **error)
{
    int choice = lp_choice_parse(lp_xml_attribute(node, name), names, error);
    if (choice < 0)
        lp_xml_prefix(xml, node, name, error);
    return choice;
}

static gboolean
read_product(const LpXml *xml, const xmlNode *node, LpMeasuredKernel *row, GError **error)
{
    LpKernel *kernel = &row->kernel;
    kernel->n_batch = 1.0;
    kernel->share = 1.0;
    int precision = read_choice(xml, node, "precision", lp_precision_names, error);
    if (precision < 0 ||
        !lp_xml_number(xml, node, "m", 1e-3, LP_MEASURED_SIZE_MAX, &kernel->m, error) ||
        !lp_xml_number(xml, node, "k", 1e-3, LP_MEASURED_SIZE_MAX, &kernel->k, error) ||
        !lp_xml_number(xml, node, "n", 1e-3, LP_MEASURED_SIZE_MAX, &kernel->n, error) ||
        !read_number(xml, node, "count", 1e-3, LP_MEASURED_SIZE_MAX, &kernel->n_batch, error) ||
        !read_number(xml, node, "share", 1e-6, 1.0, &kernel->share, error) ||
        !read_number(xml, node, "head-width", 0.0, 1e6, &kernel->head_width, error))
        return FALSE;
    row->precision = (LpPrecision)precision;
    kernel->bytes = lp_measured_bytes(kernel, row->precision);
    return lp_xml_attribute(node, "bytes") == NULL ||
           lp_xml_quantity_in(xml, node, "bytes", LP_QUANTITY_SIZE, 0.0, LP_MEASURED_SIZE_MAX,
                              &kernel->bytes, error);
}

/* Rows that do not say whose kernel it was hold for everybody's. */
static gboolean
add_products(const LpXml *xml, const xmlNode *node, LpMeasuredKernel row, GArray *rows,
             GError **error)
{
    gboolean fused = strcmp((const char *)node->name, "attention") == 0;
    const char *const *names =
        fused ? lp_attention_kernel_names : lp_traits[LP_TRAIT_EXPERTS_KERNEL].words;
    int one = 0;
    gboolean has_name = lp_xml_attribute(node, "kernel") != NULL;
    if (has_name && (one = read_choice(xml, node, "kernel", names, error)) < 0)
        return FALSE;
    row.kernel.fused = fused;
    gboolean is_product = strcmp((const char *)node->name, "product") == 0;
    gboolean is_several = row.kernel.n_batch > 1.0;
    if (!fused && is_product == is_several) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error, "<%s> count: got %g, wanted %s",
                     (const char *)node->name, row.kernel.n_batch,
                     is_product ? "1, or <grouped>" : "more than 1, or <product>");
        return FALSE;
    }
    for (guint i = 0; names[i] != NULL && (i == 0 || !is_product); i++) {
        if (has_name && i != (guint)one)
            continue;
        row.kernel.attention = fused ? (LpAttentionKernel)i : LP_ATTENTION_KERNEL_AUTO;
        row.kernel.grouped = fused ? LP_EXPERTS_KERNEL_PRODUCTS : (LpExpertsKernel)i;
        g_array_append_val(rows, row);
        row.is_copy = TRUE;
    }
    return TRUE;
}

static gboolean
add_row(const LpXml *xml, const xmlNode *node, GArray *rows, GError **error)
{
    LpMeasuredKernel row = {.name = NULL};
    const char *kind = (const char *)node->name;
    if (!lp_xml_quantity_in(xml, node, "time", LP_QUANTITY_TIME, LP_MEASURED_TIME_MIN_S,
                            LP_MEASURED_TIME_MAX_S, &row.time_s, error))
        return FALSE;
    if (strcmp(kind, "named") == 0) {
        row.name = lp_xml_attribute(node, "name");
        if (!lp_xml_number(xml, node, "size", 1e-3, LP_MEASURED_SIZE_MAX, &row.size, error))
            return FALSE;
        g_array_append_val(rows, row);
        return TRUE;
    }
    if (strcmp(kind, "stream") != 0 && strcmp(kind, "sweep") != 0)
        return read_product(xml, node, &row, error) && add_products(xml, node, row, rows, error);
    row.kernel.streams = strcmp(kind, "stream") == 0;
    if (!lp_xml_quantity_in(xml, node, "bytes", LP_QUANTITY_SIZE, 1.0, LP_MEASURED_SIZE_MAX,
                            &row.kernel.bytes, error))
        return FALSE;
    g_array_append_val(rows, row);
    return TRUE;
}

/* --- tables --- */

static LpXml *
load_file(GError **error)
{
    g_assert(lp_platforms_get_resource() != NULL);
    return lp_xml_load(TABLES, SCHEMA, error);
}

static gboolean
is_for(const xmlNode *table, const char *accelerator)
{
    const char *name = lp_xml_attribute(table, "accelerator");
    return strcmp(name, accelerator) == 0 || strcmp(name, LP_KERNEL_TABLE_ANY) == 0;
}

/* The share of its peak that products reach, by the first table that says one. */
static gboolean
apply_products(const LpXml *xml, LpAccelerator *accelerator, GError **error)
{
    for (const xmlNode *table = lp_xml_element(lp_xml_root(xml)->children, "table"); table != NULL;
         table = lp_xml_element(table->next, "table")) {
        if (!is_for(table, accelerator->name) || lp_xml_attribute(table, "products") == NULL)
            continue;
        double products = 0.0;
        if (!lp_xml_number(xml, table, "products", 1e-6, 1.0, &products, error))
            return FALSE;
        lp_accelerator_set_gemm_efficiency(accelerator, products);
        accelerator->products_stated = TRUE;
        return TRUE;
    }
    return TRUE;
}

/* What the model says of @rows from @first on. Those measured alone are compared with the rate that
 * products have before a limit of power lowers the clock. */
static void
compare(GArray *rows, guint first, const LpAccelerator *accelerator, gboolean is_alone)
{
    LpAccelerator model = *accelerator;
    model.measured = NULL;
    if (is_alone)
        lp_accelerator_set_gemm_efficiency(&model, accelerator->burst_efficiency);
    for (guint i = first; i < rows->len; i++) {
        LpMeasuredKernel *row = &g_array_index(rows, LpMeasuredKernel, i);
        if (row->name == NULL)
            row->modelled_s = lp_kernel_device_s(&row->kernel, &model, row->precision, NULL);
    }
}

/* Returns: (transfer full), NULL where no table has rows. */
static LpMeasuredKernels *
read_kernels(const LpXml *xml, const LpAccelerator *accelerator, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(LpMeasuredKernel));
    for (const xmlNode *table = lp_xml_element(lp_xml_root(xml)->children, "table"); table != NULL;
         table = lp_xml_element(table->next, "table")) {
        if (!is_for(table, accelerator->name))
            continue;
        const char *measured = lp_xml_attribute(table, "measured");
        guint n_before = rows->len;
        gboolean is_alone = measured != NULL && strcmp(measured, "alone") == 0;
        for (xmlNode *row = lp_xml_element(table->children, NULL); row != NULL;
             row = lp_xml_element(row->next, NULL))
            if (!add_row(xml, row, rows, error))
                return NULL;
        compare(rows, n_before, accelerator, is_alone);
    }
    return rows->len > 0 ? lp_measured_kernels_new((gpointer)rows->data, rows->len) : NULL;
}

/* What was read once, by the accelerator's name; only added to, under the lock. */
static struct {
    GMutex lock;
    GHashTable *kernels; /* owned name to owned LpMeasuredKernels, or NULL */
} tables;

gboolean
lp_kernel_tables_apply(LpAccelerator *accelerator, GError **error)
{
    g_autoptr(LpXml) xml = load_file(error);
    if (xml == NULL || !apply_products(xml, accelerator, error))
        return FALSE;
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&tables.lock);
    if (tables.kernels == NULL)
        tables.kernels = g_hash_table_new(g_str_hash, g_str_equal);
    gpointer found = NULL;
    if (!g_hash_table_lookup_extended(tables.kernels, accelerator->name, NULL, &found)) {
        g_autoptr(GError) fault = NULL;
        found = read_kernels(xml, accelerator, &fault);
        if (fault != NULL) {
            g_propagate_error(error, g_steal_pointer(&fault));
            return FALSE;
        }
        g_hash_table_insert(tables.kernels, g_strdup(accelerator->name), found);
    }
    accelerator->measured = found;
    if (found != NULL || accelerator->products_stated)
        lp_accelerator_mark_modified(accelerator);
    return TRUE;
}

LpMeasuredKernels *
lp_kernel_tables_parse(const char *path, const char *text, const LpAccelerator *accelerator,
                       GError **error)
{
    g_autoptr(GBytes) content = g_bytes_new(text, strlen(text));
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml != NULL ? read_kernels(xml, accelerator, error) : NULL;
}

gboolean
lp_kernel_tables_check(const char *const *names, GError **error)
{
    g_autoptr(LpXml) xml = load_file(error);
    if (xml == NULL)
        return FALSE;
    for (const xmlNode *table = lp_xml_element(lp_xml_root(xml)->children, "table"); table != NULL;
         table = lp_xml_element(table->next, "table")) {
        if (is_for(table, LP_KERNEL_TABLE_ANY) ||
            read_choice(xml, table, "accelerator", names, error) >= 0)
            continue;
        return FALSE;
    }
    return TRUE;
}
