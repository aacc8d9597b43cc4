/* SPDX-License-Identifier: Apache-2.0 */
/* Opens lists of kernels and those that they start from, has them read, and owns what is read. */
#include "base/error.h"
#include "base/xml.h"
#include "kernels_resource.h"
#include "model/kernels/kernel_items.h"

#include <string.h>

#define STANDARD "resource:///lightpath/kernels/standard.xml"
#define VARIANT "resource:///lightpath/kernels/variants/%s.xml"
#define MIXERS "resource:///lightpath/kernels/"
#define SCHEMA "resource:///lightpath/kernels/kernels.xsd"

/** Lists that start from each other, at most. */
#define FILES_MAX 8

static void
free_derived(gpointer data)
{
    LpDerivedSize *size = data;
    g_free(size->text);
    lp_expression_free(size->value);
    g_free(size);
}

static gboolean is_circle(LpKernelGroup *group, const LpKernelItem **out_item);

static gboolean
items_circle(const GPtrArray *items, const LpKernelItem **out_item)
{
    for (guint i = 0; items != NULL && i < items->len; i++) {
        const LpKernelItem *item = items->pdata[i];
        *out_item = item;
        if (item->group != NULL ? is_circle(item->group, out_item)
                                : items_circle(item->items, out_item))
            return TRUE;
    }
    return FALSE;
}

static gboolean
is_circle(LpKernelGroup *group, const LpKernelItem **out_item)
{
    if (group->is_entered)
        return TRUE;
    group->is_entered = TRUE;
    gboolean found = items_circle(group->items, out_item);
    group->is_entered = FALSE;
    return found;
}

static gboolean
check_circles(const LpKernelLists *self, GError **error)
{
    for (guint i = 0; i < self->n_blocks * self->n_passes; i++) {
        const LpKernelItem *item = NULL;
        if (self->passes[i] != NULL && is_circle(self->passes[i], &item))
            return lp_value_error(error, "%s:%u: got a group that uses itself, wanted none",
                                  item->file, item->line);
    }
    return TRUE;
}

static guint
n_words(const char *const *words)
{
    guint n = 0;
    while (words[n] != NULL)
        n++;
    return n;
}

static LpKernelLists *
lists_new(const LpKernelVocabulary *vocabulary)
{
    LpKernelLists *self = g_new0(LpKernelLists, 1);
    self->vocabulary = vocabulary;
    self->n_places = vocabulary->n_sizes;
    self->files = g_ptr_array_new_with_free_func(g_free);
    self->derived = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_derived);
    self->variables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    self->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lp_kernel_group_free);
    self->n_blocks = n_words(vocabulary->blocks);
    self->n_passes = n_words(vocabulary->passes);
    self->passes = g_new0(LpKernelGroup *, self->n_blocks * self->n_passes);
    self->whens = g_new0(LpExpression *, self->n_blocks);
    self->mixers = g_ptr_array_new_with_free_func(lp_listed_mixer_free);
    return self;
}

/* The file of @name, which @from names where it says what it is like. */
static char *
place_of(const char *name, const LpXml *from)
{
    if (strcmp(name, "standard") == 0)
        return g_strdup(STANDARD);
    if (g_str_has_prefix(name, LP_KERNEL_MIXER_PREFIX))
        return g_strdup_printf(MIXERS "%s.xml", name);
    if (!g_str_has_suffix(name, ".xml"))
        return g_strdup_printf(VARIANT, name);
    if (from == NULL || g_path_is_absolute(name))
        return g_strdup(name);
    g_autofree char *folder = g_path_get_dirname(from->path);
    return g_build_filename(folder, name, NULL);
}

static gboolean
has_file(const GPtrArray *files, const char *path)
{
    for (guint i = 0; i < files->len; i++)
        if (strcmp(((const LpXml *)files->pdata[i])->path, path) == 0)
            return TRUE;
    return FALSE;
}

/* Adds @name to @files, behind what it starts from. @depth: lists that start from it. */
static gboolean
open_file(GPtrArray *files, const char *name, const LpXml *from, guint depth, GError **error)
{
    g_autofree char *place = place_of(name, from);
    if (has_file(files, place))
        return TRUE;
    if (depth == FILES_MAX) {
        lp_xml_error(from, lp_xml_root(from), LP_INPUT_ERROR_VALUE, error,
                     "got like=\"%s\" behind %d files, wanted lists that start from no circle",
                     name, FILES_MAX);
        return FALSE;
    }
    g_autoptr(LpXml) xml = lp_xml_load(place, SCHEMA, error);
    if (xml == NULL)
        return FALSE;
    const char *like = lp_xml_attribute(lp_xml_root(xml), "like");
    if (like != NULL && !open_file(files, like, xml, depth + 1, error))
        return FALSE;
    g_ptr_array_add(files, g_steal_pointer(&xml));
    return TRUE;
}

static gboolean
read_files(LpKernelLists *self, const GPtrArray *files, GError **error)
{
    for (guint i = 0; i < files->len; i++) {
        const LpXml *xml = files->pdata[i];
        g_ptr_array_add(self->files, g_strdup(xml->path));
        if (!lp_kernel_reader_declare(self, xml, self->files->pdata[i], error))
            return FALSE;
    }
    if (!lp_kernel_names_read(self, error))
        return FALSE;
    for (guint i = 0; i < files->len; i++)
        if (!lp_kernel_reader_read(self, files->pdata[i], self->files->pdata[i], error))
            return FALSE;
    return TRUE;
}

LpKernelLists *
lp_kernel_lists_load(const char *const *paths, const LpKernelVocabulary *vocabulary, GError **error)
{
    g_return_val_if_fail(paths != NULL && vocabulary != NULL, NULL);
    /* Named here so that a static link keeps the embedded files. */
    (void)lp_kernels_get_resource();
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func((GDestroyNotify)lp_xml_free);
    for (guint i = 0; paths[i] != NULL; i++)
        if (!open_file(files, paths[i], NULL, 0, error))
            return NULL;
    g_autoptr(LpKernelLists) self = lists_new(vocabulary);
    return read_files(self, files, error) && check_circles(self, error) ? g_steal_pointer(&self)
                                                                        : NULL;
}

void
lp_kernel_lists_free(LpKernelLists *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->n_blocks * self->n_passes; i++)
        lp_kernel_group_free(self->passes[i]);
    for (guint i = 0; i < self->n_blocks; i++)
        lp_expression_free(self->whens[i]);
    g_free(self->passes);
    g_free(self->whens);
    g_ptr_array_unref(self->mixers);
    g_clear_error(&self->fault);
    g_hash_table_unref(self->groups);
    g_hash_table_unref(self->variables);
    g_hash_table_unref(self->derived);
    g_ptr_array_unref(self->files);
    g_free(self);
}
