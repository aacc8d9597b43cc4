/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the groups, blocks and passes of a file of lists. */
#include "base/error.h"
#include "base/units.h"
#include "base/xml.h"
#include "model/kernels/kernel_items.h"

#include <string.h>

const char *const lp_kernel_field_names[LP_N_KERNEL_FIELDS] = {
    [LP_KERNEL_M] = "m",
    [LP_KERNEL_K] = "k",
    [LP_KERNEL_N] = "n",
    [LP_KERNEL_COUNT] = "count",
    [LP_KERNEL_BYTES] = "bytes",
    [LP_KERNEL_COLUMN_BYTES] = "column-bytes",
    [LP_KERNEL_OPERATIONS] = "operations",
    [LP_KERNEL_HEAD_WIDTH] = "head-width",
    [LP_KERNEL_SHARE] = "share",
    [LP_KERNEL_SIZE] = "size",
    [LP_KERNEL_SECONDS] = "seconds",
    [LP_KERNEL_FUSED] = "fused",
    [LP_KERNEL_COLLECTIVE] = "collective",
    [LP_KERNEL_WAITS] = "waits",
    [LP_KERNEL_WIDE] = "wide",
    [LP_KERNEL_GROUPED] = "grouped",
    [LP_KERNEL_SEPARATE] = "apart",
    [LP_KERNEL_HOST_OVERHEAD] = "host-overhead-s",
    [LP_KERNEL_LOOPED] = "looped",
    [LP_KERNEL_LAUNCHES] = "launches",
};

typedef struct {
    LpKernelLists *lists; /* borrowed */
    const LpXml *xml;     /* borrowed */
    const char *file;     /* borrowed from the lists */
    LpKernelGroup *own;   /* borrowed: the group or pass that is being read, for what it replaces */
    GError **error;
} Reader;

static GPtrArray *read_items(Reader *self, const xmlNode *parent);

static LpExpression *
read_expression(Reader *self, const xmlNode *node, const char *attribute)
{
    LpExpression *expression = lp_expression_parse(lp_xml_attribute(node, attribute),
                                                   lp_kernel_names_find, self->lists, self->error);
    if (expression == NULL)
        lp_xml_prefix(self->xml, node, attribute, self->error);
    return expression;
}

/* --- items --- */

void
lp_kernel_item_free(gpointer data)
{
    LpKernelItem *item = data;
    g_free(item->name);
    lp_expression_free(item->when);
    for (guint i = 0; i < LP_N_KERNEL_FIELDS; i++)
        lp_expression_free(item->field[i]);
    for (guint i = 0; i < item->n_settings; i++)
        lp_expression_free(item->settings[i].value);
    g_clear_pointer(&item->items, g_ptr_array_unref);
    g_free(item);
}

void
lp_kernel_group_free(gpointer data)
{
    LpKernelGroup *group = data;
    if (group == NULL)
        return;
    lp_kernel_group_free(group->below);
    g_clear_pointer(&group->items, g_ptr_array_unref);
    g_free(group);
}

static gboolean
read_setting(Reader *self, LpKernelItem *item, const xmlNode *node, const char *name)
{
    LpExpressionName found = {0};
    if (!lp_kernel_names_find(self->lists, name, &found) || found.expression != NULL ||
        found.words != NULL) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_NAME, self->error,
                     "got a setting of \"%s\", wanted one of a variable or of a group's sizes",
                     name);
        return FALSE;
    }
    if (item->n_settings == LP_SCOPE_SETTINGS_MAX) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, self->error,
                     "got more than %d settings, wanted fewer", LP_SCOPE_SETTINGS_MAX);
        return FALSE;
    }
    LpExpression *value = read_expression(self, node, name);
    item->settings[item->n_settings] = (LpKernelSetting){found.place, value};
    item->n_settings += value != NULL ? 1 : 0;
    return value != NULL;
}

/* Reads the other attributes of <use> and <with>, which are settings. */
static gboolean
read_settings(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    static const char *const own[] = {"name", "when", "group", NULL};
    for (const xmlAttr *at = node->properties; at != NULL; at = at->next)
        if (!g_strv_contains(own, (const char *)at->name) &&
            !read_setting(self, item, node, (const char *)at->name))
            return FALSE;
    return TRUE;
}

static gboolean
read_fields(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    for (guint i = 0; i < LP_N_KERNEL_FIELDS; i++)
        if (lp_xml_attribute(node, lp_kernel_field_names[i]) != NULL) {
            item->field[i] = read_expression(self, node, lp_kernel_field_names[i]);
            if (item->field[i] == NULL)
                return FALSE;
        }
    return TRUE;
}

/* The schema knows the parts' names. */
static gboolean
read_part(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    const char *const *words = self->lists->vocabulary->sizes[0].words;
    int index = lp_choice_parse(lp_xml_attribute(node, "name"), words, self->error);
    if (index < 0) {
        lp_xml_prefix(self->xml, node, "name", self->error);
        return FALSE;
    }
    g_autofree char *text = g_strdup_printf("%d", index);
    item->settings[item->n_settings++] =
        (LpKernelSetting){0, lp_expression_parse(text, lp_kernel_names_find, self->lists, NULL)};
    return TRUE;
}

static gboolean
read_use(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    const char *name = lp_xml_attribute(node, "group");
    item->group = g_hash_table_lookup(self->lists->groups, name);
    if (item->group != NULL)
        return read_settings(self, item, node);
    lp_xml_error(self->xml, node, LP_INPUT_ERROR_NAME, self->error,
                 "got the group \"%s\", wanted one of these lists", name);
    return FALSE;
}

static gboolean
read_inherited(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    item->group = self->own->below;
    if (item->group != NULL)
        return TRUE;
    lp_xml_error(self->xml, node, LP_INPUT_ERROR_NAME, self->error,
                 "got <inherited>, wanted it in what replaces something");
    return FALSE;
}

static gboolean
read_content(Reader *self, LpKernelItem *item, const xmlNode *node)
{
    static const char *const kinds[] = {"product", "stream", "sweep", "measured", "host", NULL};
    const char *element = (const char *)node->name;
    for (guint i = 0; kinds[i] != NULL; i++)
        if (strcmp(element, kinds[i]) == 0) {
            item->is_kernel = TRUE;
            item->kind = (LpListedKind)i;
            return read_fields(self, item, node);
        }
    if (strcmp(element, "use") == 0)
        return read_use(self, item, node);
    if (strcmp(element, "inherited") == 0)
        return read_inherited(self, item, node);
    if (strcmp(element, "part") == 0 ? !read_part(self, item, node)
                                     : !read_settings(self, item, node))
        return FALSE;
    item->items = read_items(self, node);
    return item->items != NULL;
}

static gboolean
read_item(Reader *self, GPtrArray *items, const xmlNode *node)
{
    LpKernelItem *item = g_new0(LpKernelItem, 1);
    g_ptr_array_add(items, item);
    item->file = self->file;
    item->line = (guint)xmlGetLineNo(node);
    if (strcmp((const char *)node->name, "part") != 0)
        item->name = g_strdup(lp_xml_attribute(node, "name"));
    if (lp_xml_attribute(node, "when") != NULL) {
        item->when = read_expression(self, node, "when");
        if (item->when == NULL)
            return FALSE;
    }
    return read_content(self, item, node);
}

static GPtrArray *
read_items(Reader *self, const xmlNode *parent)
{
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(lp_kernel_item_free);
    for (const xmlNode *node = lp_xml_element(parent->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!read_item(self, items, node))
            return NULL;
    return g_steal_pointer(&items);
}

/* --- files --- */

static gboolean
add_variable(Reader *self, const xmlNode *node, const char *name)
{
    LpKernelLists *lists = self->lists;
    LpExpressionName found = {0};
    if (lp_kernel_names_find(lists, name, &found) &&
        !g_hash_table_contains(lists->variables, name)) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_NAME, self->error,
                     "got \"%s\", wanted a name that no size has", name);
        return FALSE;
    }
    if (g_hash_table_contains(lists->variables, name))
        return TRUE;
    if (lists->n_places == LP_KERNEL_SIZES_MAX) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, self->error,
                     "got \"%s\", wanted fewer names", name);
        return FALSE;
    }
    g_hash_table_insert(lists->variables, g_strdup(name), GUINT_TO_POINTER(lists->n_places++));
    return TRUE;
}

/* Puts a definition over the one that there is. Items keep the address of the first. */
static void
push(LpKernelGroup *group)
{
    if (group->items == NULL && group->below == NULL)
        return;
    LpKernelGroup *below = g_new0(LpKernelGroup, 1);
    below->items = g_steal_pointer(&group->items);
    below->below = group->below;
    group->below = below;
}

/* One that the shape of a model gives is worked out already; in lists of one's own it may be a new
 * one, of which the default is the value. */
static gboolean
add_size(Reader *self, const xmlNode *node)
{
    const char *value = lp_xml_attribute(node, "value");
    const char *initial = lp_xml_attribute(node, "default");
    LpExpressionName found = {0};
    if ((value == NULL) == (initial == NULL)) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, self->error,
                     "got %s, wanted either a value or a default",
                     value == NULL ? "neither" : "both");
        return FALSE;
    }
    if (value == NULL &&
        !g_hash_table_contains(self->lists->derived, lp_xml_attribute(node, "name")) &&
        lp_kernel_names_find(self->lists, lp_xml_attribute(node, "name"), &found))
        return TRUE;
    LpDerivedSize *size = g_new0(LpDerivedSize, 1);
    size->text = g_strdup(value != NULL ? value : initial);
    size->file = self->file;
    size->line = (guint)xmlGetLineNo(node);
    g_hash_table_replace(self->lists->derived, g_strdup(lp_xml_attribute(node, "name")), size);
    return TRUE;
}

/* The names of all that the file has, so that what stands above may use what stands below. */
static gboolean
declare(Reader *self, const xmlNode *node)
{
    const char *element = (const char *)node->name, *name = lp_xml_attribute(node, "name");
    if (strcmp(element, "variable") == 0)
        return add_variable(self, node, name);
    if (strcmp(element, "size") == 0)
        return add_size(self, node);
    if (strcmp(element, "mixer") == 0)
        lp_kernel_lists_add_mixer(self->lists, name);
    if (strcmp(element, "group") != 0)
        return TRUE;
    const char *sizes = lp_xml_attribute(node, "sizes");
    g_auto(GStrv) names = g_strsplit(sizes != NULL ? sizes : "", " ", -1);
    for (guint i = 0; names[i] != NULL; i++)
        if (*names[i] != '\0' && !add_variable(self, node, names[i]))
            return FALSE;
    if (!g_hash_table_contains(self->lists->groups, name))
        g_hash_table_insert(self->lists->groups, g_strdup(name), g_new0(LpKernelGroup, 1));
    return TRUE;
}

static gboolean
read_pass(Reader *self, guint block, const xmlNode *node)
{
    int pass = lp_choice_parse(lp_xml_attribute(node, "name"), self->lists->vocabulary->passes,
                               self->error);
    if (pass < 0) {
        lp_xml_prefix(self->xml, node, "name", self->error);
        return FALSE;
    }
    LpKernelGroup **place = lp_kernel_lists_pass(self->lists, block, (guint)pass);
    if (*place == NULL)
        *place = g_new0(LpKernelGroup, 1);
    push(*place);
    self->own = *place;
    (*place)->items = read_items(self, node);
    return (*place)->items != NULL;
}

static gboolean
read_block(Reader *self, const xmlNode *node)
{
    int block = lp_choice_parse(lp_xml_attribute(node, "name"), self->lists->vocabulary->blocks,
                                self->error);
    if (block < 0) {
        lp_xml_prefix(self->xml, node, "name", self->error);
        return FALSE;
    }
    if (lp_xml_attribute(node, "when") != NULL) {
        lp_expression_free(self->lists->whens[block]);
        self->lists->whens[block] = read_expression(self, node, "when");
        if (self->lists->whens[block] == NULL)
            return FALSE;
    }
    for (const xmlNode *pass = lp_xml_element(node->children, "pass"); pass != NULL;
         pass = lp_xml_element(pass->next, "pass"))
        if (!read_pass(self, (guint)block, pass))
            return FALSE;
    return TRUE;
}

static gboolean
read_divisor(Reader *self, LpListedMixer *mixer, const xmlNode *node)
{
    static const char *const names[] = {"is", "of"};
    LpMixerDivisor divisor = {.text = {NULL, NULL}};
    gboolean good = TRUE;
    for (guint i = 0; good && i < G_N_ELEMENTS(names); i++) {
        divisor.text[i] = g_strdup(lp_xml_attribute(node, names[i]));
        divisor.value[i] = read_expression(self, node, names[i]);
        good = divisor.value[i] != NULL;
    }
    g_array_append_val(mixer->divisors, divisor);
    return good;
}

/* Takes over the passes of the block or mixer that a mixer is like; it may replace them. */
static gboolean
take_passes(Reader *self, guint block, const xmlNode *node)
{
    const char *like = lp_xml_attribute(node, "like");
    if (like == NULL)
        return TRUE;
    int mixer = lp_kernel_lists_mixer(self->lists, like);
    int from = mixer >= 0 ? (int)lp_kernel_lists_mixer_block(self->lists, (guint)mixer)
                          : lp_choice_parse(like, self->lists->vocabulary->blocks, self->error);
    if (from < 0) {
        lp_xml_prefix(self->xml, node, "like", self->error);
        return FALSE;
    }
    for (guint pass = 0; pass < self->lists->n_passes; pass++) {
        const LpKernelGroup *source = *lp_kernel_lists_pass(self->lists, (guint)from, pass);
        LpKernelGroup **place = lp_kernel_lists_pass(self->lists, block, pass);
        if (source == NULL || source->items == NULL || *place != NULL)
            continue;
        *place = g_new0(LpKernelGroup, 1);
        (*place)->items = g_ptr_array_ref(source->items);
    }
    return TRUE;
}

static gboolean
read_figures(Reader *self, LpListedMixer *mixer, const xmlNode *node)
{
    static const char *const names[LP_N_MIXER_FIGURES] = {"parameters", "whole", "kept", "sent",
                                                          "returned"};
    const char *exchange = lp_xml_attribute(node, "exchange");
    if (exchange != NULL) {
        int kind = lp_choice_parse(exchange, lp_mixer_exchange_names, self->error);
        if (kind < 0) {
            lp_xml_prefix(self->xml, node, "exchange", self->error);
            return FALSE;
        }
        mixer->exchange = (LpMixerExchangeKind)kind;
    }
    for (guint i = 0; i < LP_N_MIXER_FIGURES; i++) {
        if (lp_xml_attribute(node, names[i]) == NULL)
            continue;
        lp_expression_free(mixer->figure[i]);
        mixer->figure[i] = read_expression(self, node, names[i]);
        if (mixer->figure[i] == NULL)
            return FALSE;
    }
    return TRUE;
}

static gboolean
read_mixer(Reader *self, const xmlNode *node)
{
    guint index = (guint)lp_kernel_lists_mixer(self->lists, lp_xml_attribute(node, "name"));
    LpListedMixer *mixer = self->lists->mixers->pdata[index];
    guint block = lp_kernel_lists_mixer_block(self->lists, index);
    if (!read_figures(self, mixer, node) || !take_passes(self, block, node))
        return FALSE;
    for (const xmlNode *item = lp_xml_element(node->children, NULL); item != NULL;
         item = lp_xml_element(item->next, NULL))
        if (strcmp((const char *)item->name, "pass") == 0 ? !read_pass(self, block, item)
                                                          : !read_divisor(self, mixer, item))
            return FALSE;
    return TRUE;
}

static gboolean
read_group(Reader *self, const xmlNode *node)
{
    self->own = g_hash_table_lookup(self->lists->groups, lp_xml_attribute(node, "name"));
    push(self->own);
    self->own->items = read_items(self, node);
    return self->own->items != NULL;
}

gboolean
lp_kernel_reader_read(LpKernelLists *lists, const LpXml *xml, const char *file, GError **error)
{
    Reader reader = {.lists = lists, .xml = xml, .file = file, .error = error};
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (strcmp((const char *)node->name, "block") == 0   ? !read_block(&reader, node)
            : strcmp((const char *)node->name, "group") == 0 ? !read_group(&reader, node)
            : strcmp((const char *)node->name, "mixer") == 0 ? !read_mixer(&reader, node)
                                                             : FALSE)
            return FALSE;
    return TRUE;
}

gboolean
lp_kernel_reader_declare(LpKernelLists *lists, const LpXml *xml, const char *file, GError **error)
{
    Reader reader = {.lists = lists, .xml = xml, .file = file, .error = error};
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!declare(&reader, node))
            return FALSE;
    return TRUE;
}
