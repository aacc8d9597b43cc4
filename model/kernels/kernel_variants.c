/* SPDX-License-Identifier: Apache-2.0 */
/* Finds variants among what is embedded, and keeps the lists that were asked for. */
#include "model/kernels/kernel_variants.h"

#include "kernels_resource.h"

#include <gio/gio.h>
#include <string.h>

#define FOLDER "/lightpath/kernels/variants"
#define MIXERS "/lightpath/kernels/mixers"
#define VARIANTS_MAX 64

static int
compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files' names without what they end with, by the alphabet. */
static char **
read_names(const char *folder)
{
    char **names = g_resource_enumerate_children(lp_kernels_get_resource(), folder,
                                                 G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    guint n = g_strv_length(names);
    g_assert(n <= VARIANTS_MAX);
    for (guint i = 0; i < n; i++)
        *strrchr(names[i], '.') = '\0';
    qsort(names, n, sizeof *names, compare);
    return names;
}

const char *const *
lp_kernel_variant_names(void)
{
    static gsize names;
    if (g_once_init_enter(&names))
        g_once_init_leave(&names, (gsize)read_names(FOLDER));
    return (const char *const *)names;
}

guint64
lp_kernel_variant(const char *name)
{
    const char *const *names = lp_kernel_variant_names();
    for (guint i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return G_GUINT64_CONSTANT(1) << i;
    return 0;
}

const char *const *
lp_kernel_mixer_names(void)
{
    static gsize names;
    if (g_once_init_enter(&names))
        g_once_init_leave(&names, (gsize)read_names(MIXERS));
    return (const char *const *)names;
}

static gboolean
is_shipped(const char *mixer)
{
    return g_strv_contains(lp_kernel_mixer_names(), mixer);
}

const LpKernelLists *
lp_kernel_variants_load(guint64 variants, const char *const *mixers, const char *path,
                        const LpKernelVocabulary *vocabulary, GError **error)
{
    static GMutex mutex;
    static GHashTable *kept; /* owned: what is read of lists, by the names of their files */
    const char *const *names = lp_kernel_variant_names();
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(paths, g_strdup("standard"));
    for (guint i = 0; names[i] != NULL; i++)
        if ((variants >> i & 1) != 0)
            g_ptr_array_add(paths, g_strdup(names[i]));
    for (guint i = 0; mixers != NULL && mixers[i] != NULL; i++)
        if (is_shipped(mixers[i]))
            g_ptr_array_add(paths, g_strconcat(LP_KERNEL_MIXER_PREFIX, mixers[i], NULL));
    g_ptr_array_add(paths, g_strdup(path));
    if (path != NULL)
        g_ptr_array_add(paths, NULL);
    g_autofree char *key = g_strjoinv("+", (char **)paths->pdata);
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&mutex);
    if (kept == NULL)
        kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    LpKernelLists *lists = g_hash_table_lookup(kept, key);
    if (lists == NULL) {
        lists = lp_kernel_lists_load((const char *const *)paths->pdata, vocabulary, error);
        if (lists != NULL)
            g_hash_table_insert(kept, g_steal_pointer(&key), lists);
    }
    return lists;
}

const LpKernelLists *
lp_kernel_variants_lists(guint64 variants, const LpKernelVocabulary *vocabulary)
{
    static GMutex mutex;
    static GHashTable *kept; /* owned: those of lp_kernel_variants_load(), by the set */
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&mutex);
    if (kept == NULL)
        kept = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    const LpKernelLists *lists = g_hash_table_lookup(kept, &variants);
    if (lists != NULL)
        return lists;
    g_autoptr(GError) error = NULL;
    lists = lp_kernel_variants_load(variants, NULL, NULL, vocabulary, &error);
    if (lists == NULL)
        g_error("%s", error->message); /* what is shipped is tested */
    g_hash_table_insert(kept, g_memdup2(&variants, sizeof variants), (gpointer)(guintptr)lists);
    return lists;
}
