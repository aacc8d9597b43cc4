/* SPDX-License-Identifier: Apache-2.0 */
/* Reads profiles of reliability. */
#include "platforms/catalogue/reliability.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "platforms_resource.h"

#include <math.h>
#include <string.h>

#define PROFILES "resource:///lightpath/platforms/catalogue/reliability.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/reliability.xsd"

/* The limits keep rates and sums finite. */
#define TIME_MIN_S 1e-3
#define TIME_MAX_S 1e15
#define COUNT_MAX (G_GUINT64_CONSTANT(1) << 24)
#define NEVER "never"

const char *const lp_reliability_setting_names[] = {
    "host-size", "block", "detection-time", "scheduling-time", "storage-bandwidth", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_reliability_setting_names) == LP_N_RELIABILITY_SETTINGS + 1);

void
lp_reliability_free(LpReliability *self)
{
    if (self == NULL)
        return;
    for (LpGoodputPart i = 0; i < LP_N_PARTS; i++) {
        g_free(self->part[i].source);
        g_free(self->part[i].repair_source);
    }
    for (guint i = 0; i < LP_N_RELIABILITY_SETTINGS; i++)
        g_free(self->setting[i].source);
    g_free(self->name);
    g_free(self);
}

/* --- values as texts --- */

static gboolean
parse_setting(LpReliabilitySetting setting, const char *text, double *out_value, GError **error)
{
    guint64 count = 0;
    switch (setting) {
    case LP_RELIABILITY_DETECTION_TIME:
    case LP_RELIABILITY_SCHEDULING_TIME:
        return lp_quantity_parse_in(LP_QUANTITY_TIME, text, 0.0, TIME_MAX_S, out_value, error);
    case LP_RELIABILITY_STORAGE_BANDWIDTH:
        return lp_quantity_parse_in(LP_QUANTITY_BANDWIDTH, text, 1.0, 1e18, out_value, error);
    case LP_RELIABILITY_HOST_SIZE:
    case LP_RELIABILITY_BLOCK:
    case LP_N_RELIABILITY_SETTINGS:
        break;
    }
    if (!lp_count_parse(text, 1, COUNT_MAX, &count, error))
        return FALSE;
    *out_value = (double)count;
    return TRUE;
}

gboolean
lp_reliability_set(LpReliability *self, LpReliabilitySetting setting, const char *text,
                   GError **error)
{
    LpReliabilityNumber *number = &self->setting[setting];
    if (!parse_setting(setting, text, &number->value, error))
        return FALSE;
    g_clear_pointer(&number->source, g_free);
    return TRUE;
}

static gboolean
set_mtbf(LpPartReliability *part, const char *text, GError **error)
{
    part->availability = 0.0;
    part->mtbf_s = (double)INFINITY;
    return strcmp(text, NEVER) == 0 || lp_quantity_parse_in(LP_QUANTITY_TIME, text, TIME_MIN_S,
                                                            TIME_MAX_S, &part->mtbf_s, error);
}

static gboolean
set_availability(LpPartReliability *part, const char *text, GError **error)
{
    part->mtbf_s = 0.0;
    return lp_number_parse(text, 1e-6, 1.0, &part->availability, error);
}

static gboolean
set_repair(LpPartReliability *part, const char *text, GError **error)
{
    return lp_quantity_parse_in(LP_QUANTITY_TIME, text, 0.0, TIME_MAX_S, &part->repair_s, error);
}

static gboolean
set_effect(LpPartReliability *part, const char *text, GError **error)
{
    int effect = lp_choice_parse(text, lp_effect_names, error);
    if (effect < 0)
        return FALSE;
    part->effect = (LpEffect)effect;
    return TRUE;
}

static gboolean
set_count(LpPartReliability *part, const char *text, GError **error)
{
    part->has_count = TRUE;
    return lp_count_parse(text, 0, COUNT_MAX, &part->count, error);
}

static gboolean
set_slowdown(LpPartReliability *part, const char *text, GError **error)
{
    return lp_number_parse(text, 1.0, 1e6, &part->slowdown, error);
}

static const struct {
    const char *name;
    gboolean (*set)(LpPartReliability *part, const char *text, GError **error);
} keys[] = {{"mtbf", set_mtbf},     {"availability", set_availability},
            {"repair", set_repair}, {"effect", set_effect},
            {"count", set_count},   {"slowdown", set_slowdown}};

static gboolean
set_key(LpPartReliability *part, const char *text, GError **error)
{
    const char *names[G_N_ELEMENTS(keys) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        names[i] = keys[i].name;
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "got %s, wanted KEY=VALUE",
                    shown);
        return FALSE;
    }
    g_autofree char *name = g_strndup(text, (gsize)(equals - text));
    int key = lp_choice_parse(name, names, error);
    if (key < 0)
        return FALSE;
    if (keys[key].set(part, equals + 1, error))
        return TRUE;
    g_prefix_error(error, "%s: ", name);
    return FALSE;
}

gboolean
lp_reliability_set_part(LpReliability *self, const char *text, GError **error)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "got %s, wanted PART:KEY=VALUE,... such as host:mtbf=9000h,repair=4h", shown);
        return FALSE;
    }
    g_autofree char *name = g_strndup(text, (gsize)(colon - text));
    int place = lp_choice_parse(name, lp_part_names, error);
    if (place < 0)
        return FALSE;
    LpPartReliability *part = &self->part[place];
    if (!part->is_known) {
        *part = (LpPartReliability){.repair_s = -1.0, .mtbf_s = (double)INFINITY};
        if (place == LP_PART_SWITCH || place == LP_PART_OCS)
            part->effect = LP_EFFECT_MACHINE;
        if (place == LP_PART_SOFTWARE)
            part->effect = LP_EFFECT_JOB;
    }
    part->is_known = TRUE;
    g_clear_pointer(&part->source, g_free);
    g_auto(GStrv) settings = g_strsplit(colon + 1, ",", -1);
    for (char **setting = settings; *setting != NULL; setting++)
        if (!set_key(part, *setting, error))
            return FALSE;
    return TRUE;
}

/* --- files --- */

/* "failures" of so many parts "of" in so long "in". */
static gboolean
read_count_of_failures(const LpXml *xml, const xmlNode *node, LpPartReliability *part,
                       GError **error)
{
    double failures = 0.0, period_s = 0.0;
    guint64 n = 0;
    if (!lp_xml_number(xml, node, "failures", 0.0, 1e12, &failures, error) ||
        !lp_xml_count(xml, node, "of", 1, COUNT_MAX, &n, error) ||
        !lp_xml_quantity_in(xml, node, "in", LP_QUANTITY_TIME, TIME_MIN_S, TIME_MAX_S, &period_s,
                            error))
        return FALSE;
    part->mtbf_s = failures > 0.0 ? (double)n * period_s / failures : (double)INFINITY;
    return TRUE;
}

/* One of the three ways in which a rate may be said. */
static gboolean
read_rate(const LpXml *xml, const xmlNode *node, LpPartReliability *part, GError **error)
{
    const char *mtbf = lp_xml_attribute(node, "mtbf");
    const char *availability = lp_xml_attribute(node, "availability");
    gboolean is_counted = lp_xml_attribute(node, "failures") != NULL;
    if ((mtbf != NULL) + (availability != NULL) + is_counted != 1) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_SYNTAX, error,
                     "part: got %s, wanted one of failures, mtbf and availability",
                     mtbf != NULL || availability != NULL || is_counted ? "several rates"
                                                                        : "no rate");
        return FALSE;
    }
    if (is_counted)
        return read_count_of_failures(xml, node, part, error);
    if (mtbf != NULL ? set_mtbf(part, mtbf, error) : set_availability(part, availability, error))
        return TRUE;
    lp_xml_prefix(xml, node, mtbf != NULL ? "mtbf" : "availability", error);
    return FALSE;
}

static gboolean
read_optional(const LpXml *xml, const xmlNode *node, const char *attribute,
              gboolean (*set)(LpPartReliability *, const char *, GError **),
              LpPartReliability *part, GError **error)
{
    const char *text = lp_xml_attribute(node, attribute);
    if (text == NULL || set(part, text, error))
        return TRUE;
    lp_xml_prefix(xml, node, attribute, error);
    return FALSE;
}

static gboolean
read_part(const LpXml *xml, const xmlNode *node, LpReliability *self, GError **error)
{
    int place = lp_choice_parse(lp_xml_attribute(node, "name"), lp_part_names, error);
    if (place < 0) {
        lp_xml_prefix(xml, node, "name", error);
        return FALSE;
    }
    LpPartReliability part = {.is_known = TRUE, .repair_s = -1.0};
    if (!read_rate(xml, node, &part, error) ||
        !read_optional(xml, node, "effect", set_effect, &part, error) ||
        !read_optional(xml, node, "repair", set_repair, &part, error) ||
        !read_optional(xml, node, "slowdown", set_slowdown, &part, error))
        return FALSE;
    g_free(self->part[place].source);
    g_free(self->part[place].repair_source);
    self->part[place] = part;
    self->part[place].source = g_strdup(lp_xml_attribute(node, "source"));
    self->part[place].repair_source = g_strdup(lp_xml_attribute(node, "repair-source"));
    return TRUE;
}

static gboolean
read_setting(const LpXml *xml, const xmlNode *node, LpReliability *self, GError **error)
{
    int place =
        lp_choice_parse(lp_xml_attribute(node, "name"), lp_reliability_setting_names, error);
    if (place < 0) {
        lp_xml_prefix(xml, node, "name", error);
        return FALSE;
    }
    if (!lp_reliability_set(self, (LpReliabilitySetting)place, lp_xml_attribute(node, "value"),
                            error)) {
        lp_xml_prefix(xml, node, "value", error);
        return FALSE;
    }
    self->setting[place].source = g_strdup(lp_xml_attribute(node, "source"));
    return TRUE;
}

static gboolean
read_profile(const LpXml *xml, const xmlNode *node, LpReliability *self, GError **error)
{
    for (const xmlNode *child = lp_xml_element(node->children, NULL); child != NULL;
         child = lp_xml_element(child->next, NULL)) {
        gboolean is_part = strcmp((const char *)child->name, "part") == 0;
        if (is_part ? !read_part(xml, child, self, error) : !read_setting(xml, child, self, error))
            return FALSE;
    }
    return TRUE;
}

/* All profiles of a file, or the one called @name. */
static gboolean
read_file(const LpXml *xml, const char *name, LpReliability *self, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "profile"); node != NULL;
         node = lp_xml_element(node->next, "profile")) {
        const char *profile = lp_xml_attribute(node, "name");
        g_ptr_array_add(names, (gpointer)(guintptr)profile);
        gboolean is_wanted = name == NULL || strcmp(name, profile) == 0;
        if (is_wanted && !read_profile(xml, node, self, error))
            return FALSE;
        if (name != NULL && is_wanted)
            return TRUE;
    }
    g_ptr_array_add(names, NULL);
    return name == NULL || lp_choice_parse(name, (const char *const *)names->pdata, error) >= 0;
}

static gboolean
read_one(const char *name, LpReliability *self, GError **error)
{
    gboolean is_path = lp_file_is_path(name);
    g_autofree char *path = is_path ? lp_file_argument(name, error) : g_strdup(PROFILES);
    g_autoptr(LpXml) xml = path != NULL ? lp_xml_load(path, SCHEMA, error) : NULL;
    return xml != NULL && read_file(xml, is_path ? NULL : name, self, error);
}

LpReliability *
lp_reliability_load(const char *names, GError **error)
{
    g_return_val_if_fail(names != NULL, NULL);
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_platforms_get_resource() != NULL);
    g_autoptr(LpReliability) self = g_new0(LpReliability, 1);
    self->name = g_strdup(names);
    g_auto(GStrv) parts = g_strsplit(names, ",", -1);
    if (parts[0] == NULL && !read_one(names, self, error)) /* an empty name */
        return NULL;
    for (char **part = parts; *part != NULL; part++)
        if (!read_one(*part, self, error))
            return NULL;
    return g_steal_pointer(&self);
}

/* --- use --- */

static gboolean
refuse(LpGoodputPart part, const char *got, const char *wanted, GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s: got %s, wanted %s",
                lp_part_names[part], got, wanted);
    return FALSE;
}

gboolean
lp_reliability_parts(const LpReliability *self, LpGoodputPart part, LpFailingParts *out_parts,
                     GError **error)
{
    const LpPartReliability *known = &self->part[part];
    *out_parts = (LpFailingParts){.mtbf_s = (double)INFINITY};
    if (!known->is_known)
        return TRUE;
    gboolean is_job = known->effect == LP_EFFECT_JOB;
    if (!is_job && known->repair_s < 0.0)
        return refuse(part, "no repair time", "repair=TIME", error);
    if (known->effect == LP_EFFECT_SLOW && !(known->slowdown >= 1.0))
        return refuse(part, "no slowdown", "slowdown=NUMBER for a part that slows jobs down",
                      error);
    if (is_job && known->availability > 0.0)
        return refuse(part, "an availability", "mtbf=TIME for what only starts a job again", error);
    double mtbf_s = known->mtbf_s;
    if (known->availability > 0.0) {
        if (known->availability < 1.0 && !(known->repair_s > 0.0))
            return refuse(part, "an availability without a repair time", "repair=TIME above 0",
                          error);
        mtbf_s = known->availability < 1.0
                     ? known->repair_s * known->availability / (1.0 - known->availability)
                     : (double)INFINITY;
    }
    *out_parts = (LpFailingParts){.mtbf_s = mtbf_s,
                                  .repair_s = is_job ? 0.0 : known->repair_s,
                                  .effect = known->effect,
                                  .slowdown = known->slowdown};
    return TRUE;
}
