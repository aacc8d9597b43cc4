/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerators (platforms/accelerators.xml): every number has a source there. */
#include "platforms/catalogue/catalogue.h"

#include "base/error.h"
#include "base/xml.h"
#include "platforms/catalogue/field.h"
#include "platforms/catalogue/kernel_tables.h"
#include "platforms_resource.h"
#include "property_places.h"

#define CATALOGUE "resource:///lightpath/platforms/catalogue/accelerators.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/accelerators.xsd"
#define ATTENTION_RAMP_KEYS_MAX 65536

/* A fraction that may be left out. */
static gboolean
read_optional(const LpXml *xml, const xmlNode *node, const char *name, double *value,
              GError **error)
{
    return lp_xml_attribute(node, name) == NULL ||
           lp_xml_number(xml, node, name, 0, 1, value, error);
}

static gboolean
read_peaks(const LpXml *xml, xmlNode *node, LpAccelerator *accelerator, GError **error)
{
    for (xmlNode *peak = lp_xml_element(node->children, "peak"); peak != NULL;
         peak = lp_xml_element(peak->next, "peak")) {
        int precision =
            lp_choice_parse(lp_xml_attribute(peak, "precision"), lp_precision_names, error);
        if (precision < 0) {
            lp_xml_prefix(xml, peak, "precision", error);
            return FALSE;
        }
        if (!lp_xml_quantity(xml, peak, "rate", LP_QUANTITY_SPEED,
                             &accelerator->peak_flop_per_s[precision], error))
            return FALSE;
        if (!read_optional(xml, peak, "gemm-efficiency",
                           &accelerator->precision_efficiency[precision], error))
            return FALSE;
        const char *layouts = lp_xml_attribute(peak, "layouts"); /* the schema has "any" alone */
        accelerator->any_layout[precision] = layouts != NULL;
    }
    return TRUE;
}

/* What kernels reach of the peaks. */
static gboolean
read_achievable(const LpXml *xml, const xmlNode *node, LpAccelerator *accelerator, GError **error)
{
    int tiles = lp_choice_parse(lp_xml_attribute(node, "tiles"), lp_tiles_names, error);
    if (tiles < 0) {
        lp_xml_prefix(xml, node, "tiles", error);
        return FALSE;
    }
    accelerator->tiles = (LpTiles)tiles;
    if (!lp_xml_number(xml, node, "gemm-efficiency", 0, 1, &accelerator->gemm_efficiency, error))
        return FALSE;
    accelerator->burst_efficiency = accelerator->gemm_efficiency;
    return read_optional(xml, node, "burst-efficiency", &accelerator->burst_efficiency, error) &&
           read_optional(xml, node, "eager-attention-efficiency",
                         &accelerator->eager_attention_efficiency, error) &&
           read_optional(xml, node, "torch-attention-efficiency",
                         &accelerator->torch_attention_efficiency, error) &&
           read_optional(xml, node, "first-attention-efficiency",
                         &accelerator->first_attention_efficiency, error) &&
           read_optional(xml, node, "triton-attention-efficiency",
                         &accelerator->triton_attention_efficiency, error) &&
           (lp_xml_attribute(node, "attention-ramp") == NULL ||
            lp_xml_number(xml, node, "attention-ramp", 0, ATTENTION_RAMP_KEYS_MAX,
                          &accelerator->attention_ramp_keys, error)) &&
           read_optional(xml, node, "odd-efficiency", &accelerator->odd_efficiency, error) &&
           read_optional(xml, node, "narrow-head-efficiency", &accelerator->narrow_head_efficiency,
                         error) &&
           read_optional(xml, node, "torch-grouped-efficiency",
                         &accelerator->torch_grouped_efficiency, error) &&
           read_optional(xml, node, "torch-narrow-grouped-efficiency",
                         &accelerator->torch_narrow_grouped_efficiency, error) &&
           lp_xml_quantity(xml, node, "gemm-ramp", LP_QUANTITY_SIZE, &accelerator->gemm_ramp_bytes,
                           error) &&
           lp_xml_quantity(xml, node, "alignment", LP_QUANTITY_SIZE, &accelerator->alignment_bytes,
                           error) &&
           lp_xml_number(xml, node, "misaligned-efficiency", 0, 1,
                         &accelerator->misaligned_efficiency, error) &&
           lp_xml_number(xml, node, "attention-efficiency", 0, 1,
                         &accelerator->attention_efficiency, error) &&
           lp_xml_number(xml, node, "memory-efficiency", 0, 1, &accelerator->memory_efficiency,
                         error) &&
           lp_xml_number(xml, node, "elementwise-efficiency", 0, 1,
                         &accelerator->elementwise_efficiency, error) &&
           lp_xml_quantity(xml, node, "launch", LP_QUANTITY_TIME, &accelerator->launch_s, error);
}

/* Reads the host's costs of issuing work. */
static gboolean
read_host(const LpXml *xml, const xmlNode *node, LpAccelerator *accelerator, GError **error)
{
    return lp_xml_quantity(xml, node, "kernel", LP_QUANTITY_TIME, &accelerator->host_kernel_s,
                           error) &&
           lp_xml_quantity(xml, node, "collective", LP_QUANTITY_TIME,
                           &accelerator->host_collective_s, error);
}

/* @node's own element called @name, or that of all accelerators. Errors: LP_INPUT_ERROR. */
static const xmlNode *
own_or_common(const LpXml *xml, const xmlNode *node, const char *name, GError **error)
{
    const xmlNode *own = lp_xml_element(node->children, name);
    if (own == NULL)
        own = lp_xml_element(lp_xml_root(xml)->children, name);
    if (own == NULL)
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                     "<accelerator> got no <%s>, wanted one in it or before all accelerators",
                     name);
    return own;
}

static gboolean
read_reserve(const LpXml *xml, const xmlNode *node, LpAcceleratorReserve *self, GError **error)
{
    const xmlNode *reserve = own_or_common(xml, node, "reserve", error);
    double of = 1.0;
    if (reserve == NULL ||
        !lp_xml_quantity(xml, reserve, "context", LP_QUANTITY_SIZE, &self->context_bytes, error) ||
        !lp_xml_quantity(xml, reserve, "communicator", LP_QUANTITY_SIZE, &self->communicator_bytes,
                         error) ||
        !lp_xml_quantity(xml, reserve, "communicators", LP_QUANTITY_SIZE,
                         &self->communicators_bytes, error) ||
        !lp_xml_quantity(xml, reserve, "holes", LP_QUANTITY_SIZE, &self->holes, error) ||
        !lp_xml_quantity_in(xml, reserve, "holes-of", LP_QUANTITY_SIZE, 1.0, G_MAXDOUBLE, &of,
                            error))
        return FALSE;
    self->holes /= of;
    return TRUE;
}

static gboolean
read_loop(const LpXml *xml, const xmlNode *node, LpAcceleratorLoop *out_loop, GError **error)
{
    const xmlNode *loop = own_or_common(xml, node, "loop", error);
    return loop != NULL &&
           lp_xml_quantity(xml, loop, "product", LP_QUANTITY_TIME, &out_loop->product_s, error) &&
           lp_xml_quantity(xml, loop, "kernel", LP_QUANTITY_TIME, &out_loop->kernel_s, error) &&
           lp_xml_quantity(xml, loop, "slice", LP_QUANTITY_TIME, &out_loop->slice_s, error) &&
           lp_xml_quantity(xml, loop, "slice-launch", LP_QUANTITY_TIME, &out_loop->slice_launch_s,
                           error);
}

static gboolean
read_accelerator(const LpXml *xml, xmlNode *node, LpAccelerator *accelerator, GError **error)
{
    const xmlNode *memory = lp_xml_element(node->children, "memory");
    const xmlNode *multiprocessors = lp_xml_element(node->children, "multiprocessors");
    const xmlNode *achievable = lp_xml_element(node->children, "achievable");
    guint64 n_sms = 0;
    g_strlcpy(accelerator->name, lp_xml_attribute(node, "name"), sizeof accelerator->name);
    const char *like = lp_xml_attribute(node, "like");
    g_strlcpy(accelerator->like, like != NULL ? like : "", sizeof accelerator->like);
    if (!read_peaks(xml, node, accelerator, error) ||
        !lp_xml_quantity(xml, memory, "size", LP_QUANTITY_SIZE, &accelerator->memory_bytes,
                         error) ||
        !lp_xml_quantity(xml, memory, "bandwidth", LP_QUANTITY_BANDWIDTH,
                         &accelerator->memory_bytes_per_s, error) ||
        !lp_xml_count(xml, multiprocessors, "count", 1, G_MAXUINT32, &n_sms, error) ||
        !read_achievable(xml, achievable, accelerator, error) ||
        !read_host(xml, lp_xml_element(node->children, "host"), accelerator, error) ||
        !read_loop(xml, node, &accelerator->loop, error) ||
        !read_reserve(xml, node, &accelerator->reserve, error))
        return FALSE;
    accelerator->n_sms = (guint32)n_sms;
    const xmlNode *collectives = lp_xml_element(node->children, "collectives");
    accelerator->sums_on_cores =
        collectives != NULL && g_str_equal(lp_xml_attribute(collectives, "sums"), "on-cores");
    return TRUE;
}

static LpXml *
load_file(GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_platforms_get_resource() != NULL);
    return lp_xml_load(CATALOGUE, SCHEMA, error);
}

static xmlNode *
first_accelerator(const LpXml *xml)
{
    return lp_xml_element(lp_xml_root(xml)->children, "accelerator");
}

static xmlNode *
next_accelerator(const xmlNode *node)
{
    return lp_xml_element(node->next, "accelerator");
}

static GArray *
read_all(const LpXml *xml, GError **error)
{
    g_autoptr(GArray) accelerators = g_array_new(FALSE, TRUE, sizeof(LpAccelerator));
    for (xmlNode *node = first_accelerator(xml); node != NULL; node = next_accelerator(node)) {
        LpAccelerator accelerator = {.name = ""};
        if (!read_accelerator(xml, node, &accelerator, error))
            return NULL;
        g_array_append_val(accelerators, accelerator);
    }
    return g_steal_pointer(&accelerators);
}

GArray *
lp_catalogue_parse(const char *path, GBytes *content, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml != NULL ? read_all(xml, error) : NULL;
}

GArray *
lp_catalogue_load(GError **error)
{
    g_autoptr(LpXml) xml = load_file(error);
    return xml != NULL ? read_all(xml, error) : NULL;
}

gboolean
lp_catalogue_find(const char *name, LpAccelerator *out_accelerator, GError **error)
{
    g_return_val_if_fail(name != NULL && out_accelerator != NULL, FALSE);
    g_autoptr(LpXml) xml = load_file(error);
    if (xml == NULL)
        return FALSE;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const xmlNode *node = first_accelerator(xml); node != NULL; node = next_accelerator(node))
        g_ptr_array_add(names, (gpointer)(guintptr)lp_xml_attribute(node, "name"));
    g_ptr_array_add(names, NULL);
    int place = lp_choice_parse(name, (const char *const *)names->pdata, error);
    if (place < 0)
        return FALSE;
    xmlNode *node = first_accelerator(xml);
    while (place-- > 0)
        node = next_accelerator(node);
    LpAccelerator accelerator = {.name = ""};
    if (!read_accelerator(xml, node, &accelerator, error) ||
        !lp_kernel_tables_check((const char *const *)names->pdata, error) ||
        !lp_kernel_tables_apply(&accelerator, error))
        return FALSE;
    *out_accelerator = accelerator;
    return TRUE;
}

static const LpField fields[] = {ACCELERATOR_FIELDS};
G_STATIC_ASSERT(G_N_ELEMENTS(fields) == LP_N_ACCELERATOR_PROPERTIES);

gboolean
lp_accelerator_set(LpAccelerator *self, guint index, const char *text, GError **error)
{
    g_return_val_if_fail(index < LP_N_ACCELERATOR_PROPERTIES, FALSE);
    if (index == ACCELERATOR_GEMM_EFFICIENCY && self->products_stated) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "got %s beside --products or a table with products, wanted one of them", text);
        return FALSE;
    }
    if (!lp_field_set(&fields[index], self, text, error))
        return FALSE;
    if (index == ACCELERATOR_ATTENTION_EFFICIENCY) { /* a stated figure holds for any kernel */
        self->eager_attention_efficiency = 0.0;
        self->torch_attention_efficiency = 0.0;
        self->first_attention_efficiency = 0.0;
        self->triton_attention_efficiency = 0.0;
        self->attention_ramp_keys = 0.0;
    }
    if (index == ACCELERATOR_GEMM_EFFICIENCY) /* in any precision, and alone */
        lp_accelerator_set_gemm_efficiency(self, self->gemm_efficiency);
    lp_accelerator_mark_modified(self);
    return TRUE;
}
