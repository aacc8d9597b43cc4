/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a workload file, lays the user's settings over it, and checks the whole. */
#include "workloads/description/workload.h"

#include "base/c_locale.h"
#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "model/times/kernel.h"
#include "model/times/kernel_sizes.h"
#include "model/kernels/kernel_variants.h"
#include "model/times/mixer.h"
#include "workloads/description/attribute.h"
#include "workloads/description/framework.h"
#include "workloads/description/framework_defaults.h"
#include "workloads/description/given_workload.h"
#include "workloads/description/routing_table.h"
#include "workloads/given/given_program.h"
#include "workloads_resource.h"

#include <string.h>

const char *const lp_origin_names[] = {"default", "framework", "file", "setting", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_origin_names) == LP_N_ORIGINS + 1);

#define SCHEMA "resource:///lightpath/workloads/schema/workload.xsd"

/* Defaults that follow from other attributes hold only once all have been read. */
static void
derive_defaults(LpWorkload *self)
{
    lp_transformer_resolve(&self->transformer);
    if (self->plan.format.gradient_bytes == 0)
        self->plan.format.gradient_bytes = lp_plan_activation_bytes(&self->plan);
    if (self->plan.pipeline.virtual_stages > 1 && self->plan.pipeline.schedule == LP_SCHEDULE_1F1B)
        self->plan.pipeline.schedule = LP_SCHEDULE_INTERLEAVED;
}

/* What follows from several attributes, and only holds if each is in range. */
static void
derive_plan(LpWorkload *self)
{
    if (self->plan.experts.tp == 0)
        self->plan.experts.tp =
            self->transformer.experts.n > 0 ? lp_plan_expert_tp(&self->plan) : 1;
    lp_plan_deal_layers(&self->plan, &self->transformer);
}

static gboolean
read_element(LpWorkload *self, const LpXml *xml, xmlNode *node, GError **error)
{
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++) {
        const char *name = lp_attribute_name(attribute);
        if (!lp_attribute_stands_in(attribute, (const char *)node->name))
            continue;
        const char *text = lp_xml_attribute(node, name);
        if (text == NULL)
            continue;
        if (!lp_attribute_set(attribute, self, text, LP_ORIGIN_FILE, error)) {
            lp_xml_prefix(xml, node, name, error);
            return FALSE;
        }
    }
    return TRUE;
}

/* The schema knows that an attribute is none of its element, not which was meant, or where. */
static void
name_nearest(GError *error)
{
    static const char before[] = "The attribute '", behind[] = "' is not allowed";
    const char *begin = strstr(error->message, before);
    const char *end = begin != NULL ? strstr(begin, behind) : NULL;
    if (end == NULL)
        return;
    begin += strlen(before);
    g_autofree char *name = g_strndup(begin, (gsize)(end - begin));
    g_autoptr(GError) unknown = NULL;
    const LpAttribute *elsewhere = lp_attribute_find(name, &unknown);
    char *message =
        elsewhere != NULL
            ? g_strdup_printf("%s here, wanted it in <%s>", error->message,
                              lp_attribute_is_trait(elsewhere) ? "options"
                                                               : lp_attribute_element(elsewhere))
            : g_strconcat(error->message, strrchr(unknown->message, ','), NULL);
    g_free(error->message);
    error->message = message;
}

/* What the schema says of a value is said as "--set" says it, with the range. */
static void
restate_value(GError *error)
{
    g_autoptr(GRegex) schema = g_regex_new("^(.*): Element '([a-z]+)', attribute '([a-z-]+)': "
                                           "The value '(.*)' is not (an element|accepted)",
                                           G_REGEX_DOTALL, 0, NULL);
    g_autoptr(GMatchInfo) found = NULL;
    if (!g_regex_match(schema, error->message, 0, &found))
        return;
    g_auto(GStrv) parts = g_match_info_fetch_all(found); /* all, place, element, name, value */
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    g_autoptr(GError) fault = NULL;
    const LpAttribute *attribute = lp_attribute_find(parts[3], NULL);
    if (attribute == NULL || lp_attribute_set(attribute, scratch, parts[4], LP_ORIGIN_FILE, &fault))
        return;
    g_free(error->message);
    error->code = fault->code;
    error->message =
        g_strdup_printf("%s: <%s> %s: %s", parts[1], parts[2], parts[3], fault->message);
}

static gboolean
read_file(LpWorkload *self, GError **error)
{
    if (lp_given_workload_is_file(self->path))
        return lp_given_workload_read(self, error);
    /* Named here so that a static link keeps the embedded files. */
    (void)lp_workloads_get_resource();
    g_autoptr(GError) fault = NULL;
    g_autoptr(LpXml) xml = lp_xml_load(self->path, SCHEMA, &fault);
    if (xml == NULL) {
        name_nearest(fault);
        restate_value(fault);
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    self->name = g_strdup(lp_xml_attribute(lp_xml_root(xml), "name"));
    self->machine = g_strdup(lp_xml_attribute(lp_xml_root(xml), "machine"));
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!read_element(self, xml, node, error))
            return FALSE;
    return TRUE;
}

static gboolean
apply_setting(LpWorkload *self, const char *setting, GError **error)
{
    const char *equals = strchr(setting, '=');
    if (equals == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, "got no \"=\", wanted NAME=VALUE");
        return FALSE;
    }
    g_autofree char *name = g_strndup(setting, (gsize)(equals - setting));
    const LpAttribute *attribute = lp_attribute_find(name, error);
    return attribute != NULL && lp_given_workload_has_attribute(self, name, error) &&
           lp_attribute_set(attribute, self, equals + 1, LP_ORIGIN_SETTING, error);
}

/* A model that is widened in one attribute keeps the others' ratios only where the file said
 * nothing: heads without kv-heads, hidden without ffn. */
static gboolean
apply_settings(LpWorkload *self, const char *const *settings, GError **error)
{
    for (; settings != NULL && *settings != NULL; settings++)
        if (!apply_setting(self, *settings, error)) {
            g_prefix_error(error, "--set %s: ", *settings);
            return FALSE;
        }
    return TRUE;
}

gboolean
lp_workload_has_attribute(const char *name, GError **error)
{
    return lp_attribute_find(name, error) != NULL;
}

gboolean
lp_workload_check_setting(const char *setting, GError **error)
{
    g_return_val_if_fail(setting != NULL, FALSE);
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    return apply_setting(scratch, setting, error);
}

gboolean
lp_workload_check_settings(const char *const *settings, GError **error)
{
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    return apply_settings(scratch, settings, error);
}

/* Read after all settings, which may name another file, or other experts. */
static gboolean
read_routing(LpWorkload *self, GError **error)
{
    if (strcmp(self->routing, LP_ROUTING_NONE) == 0)
        return TRUE;
    if (self->transformer.experts.n == 0) {
        g_autofree char *shown = lp_error_quote(self->routing);
        g_set_error(error, LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN,
                    "routing-table: got %s for a model without experts, wanted none", shown);
        lp_workload_prefix(self, error);
        return FALSE;
    }
    self->routing_table = lp_routing_table_load(self->routing, self->transformer.experts.n, error);
    self->plan.experts.table = self->routing_table;
    return self->routing_table != NULL;
}

/* Reads the kernel lists of mixers and of the user's file, over the variants that are named. */
static gboolean
read_lists(LpWorkload *self, GError **error)
{
    const LpLayerPattern *pattern = &self->transformer.pattern;
    const char *mixers[LP_MIXERS_MAX + 1] = {NULL};
    memcpy(mixers, pattern->mixer, pattern->n_mixers * sizeof *mixers);
    if (self->kernels == NULL && pattern->n_mixers == 0)
        return TRUE;
    self->plan.lists = lp_kernel_variants_load(self->plan.variants, mixers, self->kernels,
                                               lp_kernel_vocabulary(), error);
    return self->plan.lists != NULL;
}

static gboolean
read_kernels(LpWorkload *self, const LpAccelerator *accelerator, GError **error)
{
    return read_lists(self, error) &&
           lp_kernels_check(&self->transformer, &self->plan, accelerator, error);
}

/* Whether @message has @name as a word of its own. */
static gboolean
has_word(const char *message, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    gsize length = strlen(name);
    for (const char *at = message; length > 0 && (at = strstr(at, name)) != NULL; at++) {
        gboolean begins = at == message || strchr(letters, at[-1]) == NULL;
        if (begins && (at[length] == '\0' || strchr(letters, at[length]) == NULL))
            return TRUE;
    }
    return FALSE;
}

/* The settings that @message, which begins with an attribute's name, speaks of, or else the file.
 * The last setting of a name is the one that counts. */
static char *
place_of(const LpWorkload *self, const char *message)
{
    g_autoptr(GString) place = g_string_new(NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    guint n = self->settings != NULL ? g_strv_length(self->settings) : 0;
    for (guint i = n; i-- > 0;) {
        const char *setting = self->settings[i];
        char *name = g_strndup(setting, strcspn(setting, "="));
        gboolean is_meant = has_word(message, name);
        if (!g_hash_table_add(seen, name) || !is_meant)
            continue;
        g_autofree char *text = g_strdup_printf("--set %s%s", setting, place->len > 0 ? " " : "");
        g_string_prepend(place, text);
    }
    return place->len > 0 ? g_string_free(g_steal_pointer(&place), FALSE)
                          : g_strdup(lp_file_label(self->path));
}

void
lp_workload_prefix(const LpWorkload *self, GError **error)
{
    if (error == NULL || *error == NULL)
        return;
    g_autofree char *place = place_of(self, (*error)->message);
    g_prefix_error(error, "%s: ", place);
}

/* What is refused need not stand in the file: @error, which begins with an attribute's name, says
 * so where the framework gave its value. */
static void
name_framework(const LpWorkload *self, GError *error)
{
    g_autofree char *name = g_strndup(error->message, strcspn(error->message, ":"));
    const LpAttribute *attribute = lp_attribute_find(name, NULL);
    if (attribute == NULL || lp_attribute_origin(attribute, self) != LP_ORIGIN_FRAMEWORK)
        return;
    char *text = g_strdup_printf("%s (%s is framework %s's unless the file or --set gives it)",
                                 error->message, name, self->framework);
    g_free(error->message);
    error->message = text;
}

/* Derives what is left and checks the whole. */
static gboolean
complete(LpWorkload *self, GError **error)
{
    if (self->given != NULL)
        return TRUE;
    if (!lp_framework_defaults_apply(self, error))
        return FALSE;
    derive_defaults(self);
    GError *fault = NULL;
    if (!read_lists(self, error))
        return FALSE;
    gboolean good = lp_transformer_check(&self->transformer, &fault) &&
                    lp_mixers_measure(&self->transformer, &self->plan, &fault);
    if (good)
        derive_plan(self);
    if (good && lp_plan_check(&self->plan, &self->transformer, &fault) &&
        lp_mixers_check(&self->transformer, &self->plan, &fault))
        return read_routing(self, error) && read_kernels(self, NULL, error);
    /* The place is found in the bare message, without text about "--set" and the framework. */
    g_autofree char *place = place_of(self, fault->message);
    name_framework(self, fault);
    g_propagate_prefixed_error(error, fault, "%s: ", place);
    return FALSE;
}

/* The file and the settings, before anything is derived of them. */
static LpWorkload *
read_draft(const char *path, const char *const *attributes, const char *const *settings,
           GError **error)
{
    g_autoptr(LpWorkload) self = g_new0(LpWorkload, 1);
    self->path = g_strdup(path);
    self->settings = g_strdupv((char **)(gpointer)(guintptr)settings);
    lp_attribute_set_defaults(self);
    return read_file(self, error) && apply_settings(self, attributes, error) &&
                   apply_settings(self, settings, error)
               ? g_steal_pointer(&self)
               : NULL;
}

LpWorkload *
lp_workload_load_job(const char *path, const char *const *attributes, const char *const *settings,
                     GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(LpWorkload) self = read_draft(path, attributes, settings, error);
    return self != NULL && complete(self, error) ? g_steal_pointer(&self) : NULL;
}

/* --- drafts --- */

struct LpWorkloadDraft {
    LpWorkload *read; /* owned: nothing is derived yet */
};

LpWorkloadDraft *
lp_workload_draft_load(const char *path, const char *const *settings, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(LpWorkload) read = read_draft(path, NULL, settings, error);
    if (read == NULL)
        return NULL;
    read->defaults = lp_framework_find(read->framework, error);
    if (read->defaults == NULL)
        return NULL;
    LpWorkloadDraft *self = g_new0(LpWorkloadDraft, 1);
    self->read = g_steal_pointer(&read);
    return self;
}

void
lp_workload_draft_free(LpWorkloadDraft *self)
{
    if (self == NULL)
        return;
    lp_workload_free(self->read);
    g_free(self);
}

/* @first, and behind them @more. */
static char **
join_settings(char *const *first, const char *const *more)
{
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    if (first != NULL)
        g_strv_builder_addv(all, (const char **)(gpointer)(guintptr)first);
    if (more != NULL)
        g_strv_builder_addv(all, (const char **)(gpointer)(guintptr)more);
    return g_strv_builder_end(all);
}

/* A draft has neither a table nor sources of values, which only completing gives. */
static LpWorkload *
copy_draft(const LpWorkload *read, const char *const *settings)
{
    LpWorkload *copy = g_memdup2(read, sizeof *read);
    copy->path = g_strdup(read->path);
    copy->name = g_strdup(read->name);
    copy->machine = g_strdup(read->machine);
    copy->placement = g_strdup(read->placement);
    copy->routing = g_strdup(read->routing);
    copy->kernels = g_strdup(read->kernels);
    copy->defaults = lp_framework_ref(read->defaults);
    copy->given = lp_given_program_ref(read->given);
    copy->settings = join_settings(read->settings, settings);
    return copy;
}

LpWorkload *
lp_workload_draft_read(const LpWorkloadDraft *self)
{
    LpWorkload *copy = copy_draft(self->read, NULL);
    lp_transformer_resolve(&copy->transformer);
    return copy;
}

gboolean
lp_workload_draft_check(const LpWorkloadDraft *self, const char *const *settings,
                        gboolean with_batch, GError **error)
{
    g_autoptr(LpWorkload) copy = copy_draft(self->read, settings);
    if (!apply_settings(copy, settings, error))
        return FALSE;
    lp_transformer_resolve(&copy->transformer);
    return lp_plan_check_degrees(&copy->plan, &copy->transformer, error) &&
           (!with_batch || lp_plan_check_batch(&copy->plan, error));
}

LpWorkload *
lp_workload_draft_complete(const LpWorkloadDraft *self, const char *const *settings, GError **error)
{
    g_autoptr(LpWorkload) copy = copy_draft(self->read, settings);
    return apply_settings(copy, settings, error) && complete(copy, error) ? g_steal_pointer(&copy)
                                                                          : NULL;
}

LpWorkload *
lp_workload_load(const char *path, const char *const *settings, GError **error)
{
    return lp_workload_load_job(path, NULL, settings, error);
}

LpWorkload *
lp_workload_new(const char *path, const char *name, const char *const *settings, GError **error)
{
    g_return_val_if_fail(path != NULL && name != NULL, NULL);
    g_autoptr(LpWorkload) self = g_new0(LpWorkload, 1);
    self->path = g_strdup(path);
    self->name = g_strdup(name);
    lp_attribute_set_defaults(self);
    if (!apply_settings(self, settings, error))
        return NULL;
    return complete(self, error) ? g_steal_pointer(&self) : NULL;
}

void
lp_workload_free(LpWorkload *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_free(self->name);
    g_free(self->machine);
    g_free(self->placement);
    g_free(self->routing);
    g_free(self->kernels);
    g_strfreev(self->settings);
    lp_framework_free(self->defaults);
    lp_given_program_free(self->given);
    lp_routing_table_free(self->routing_table);
    for (guint i = 0; i < LP_WORKLOAD_ATTRIBUTES_MAX; i++)
        g_free(self->source[i]);
    g_free(self);
}

char *
lp_workload_attribute(const LpWorkload *self, guint index, const char **out_name)
{
    const LpAttribute *attribute = lp_attribute_at(index);
    if (attribute == NULL)
        return NULL;
    *out_name = lp_attribute_name(attribute);
    return lp_attribute_get(attribute, self);
}

LpOrigin
lp_workload_origin(const LpWorkload *self, guint index)
{
    g_return_val_if_fail(index < LP_WORKLOAD_ATTRIBUTES_MAX, LP_ORIGIN_DEFAULT);
    return self->origin[index];
}

const char *
lp_workload_source(const LpWorkload *self, guint index)
{
    g_return_val_if_fail(index < LP_WORKLOAD_ATTRIBUTES_MAX, NULL);
    return self->source[index];
}

gboolean
lp_workload_apply_machine(LpWorkload *self, guint64 domain_size, const LpAccelerator *accelerator,
                          GError **error)
{
    if (self->given != NULL)
        return TRUE;
    if (!lp_framework_defaults_apply_machine(self, lp_accelerator_known_as(accelerator), error) ||
        !read_kernels(self, accelerator, error))
        return FALSE;
    lp_plan_shard_by_domains(&self->plan, domain_size);
    lp_plan_relay_by_domains(&self->plan, domain_size);
    lp_plan_overlap_passes_by_domains(&self->plan, domain_size);
    lp_plan_wait_by_accelerator(&self->plan, accelerator->sums_on_cores);
    return TRUE;
}
