/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerators' names as words: a family, then qualifiers. */
#include "validation/cases/accelerator_name.h"

#include "platforms/catalogue/catalogue.h"

#include <string.h>

/* Families whose generation is a word of its own: "TPU v5e", "Gaudi 2", "MI 300X". */
static const char *const split_families[] = {"tpu", "gaudi", "mi", NULL};
/* What makes another card of the one whose name it follows: "RTX 3090 Ti". */
static const char *const variants[] = {"ti", "super", "d", "laptop", "mobile", NULL};

/* "80gb", "80gib" and "80g" are 80; "sxm4" and "sxm5" are sxm; "8xa100" is a100; "rtx4090" is 4090,
 * as people call it. */
static char *
normal_word(const char *word)
{
    gsize n_digits = strspn(word, "0123456789");
    const char *rest = word + n_digits;
    if (n_digits > 0 &&
        (g_str_equal(rest, "g") || g_str_equal(rest, "gb") || g_str_equal(rest, "gib")))
        return g_strndup(word, n_digits);
    if (g_str_has_prefix(word, "sxm"))
        return g_strdup("sxm");
    if (g_str_has_prefix(word, "rtx"))
        return g_strdup(word + strlen("rtx"));
    if (n_digits > 0 && *rest == 'x' && rest[1] != '\0')
        return g_strdup(rest + 1);
    return g_strdup(word);
}

static void
append_to_last(GPtrArray *words, const char *text)
{
    char **last = (char **)&words->pdata[words->len - 1];
    char *joined = g_strconcat(*last, text, NULL);
    g_free(*last);
    *last = joined;
}

/* The words of a text, in lower case; a family and its generation are one, and so are a card and
 * what it is a variant by. */
static GPtrArray *
words_of(const char *text)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    g_strcanon(lower, "abcdefghijklmnopqrstuvwxyz0123456789", ' ');
    g_auto(GStrv) raw = g_strsplit(lower, " ", -1);
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *family = NULL;
    for (guint i = 0; raw[i] != NULL; i++) {
        if (*raw[i] == '\0' || strcmp(raw[i], "rtx") == 0)
            continue;
        if (words->len > 0 && g_strv_contains(variants, raw[i])) {
            append_to_last(words, raw[i]);
            continue;
        }
        if (family == NULL && g_strv_contains(split_families, raw[i])) {
            family = g_strdup(raw[i]);
            continue;
        }
        g_autofree char *joined = family != NULL ? g_strconcat(family, raw[i], NULL) : NULL;
        g_clear_pointer(&family, g_free);
        g_ptr_array_add(words, normal_word(joined != NULL ? joined : raw[i]));
    }
    return words;
}

static gboolean
has_word(const GPtrArray *words, const char *word)
{
    for (guint i = 0; i < words->len; i++)
        if (g_str_equal(words->pdata[i], word))
            return TRUE;
    return FALSE;
}

/* How well the catalogue's @name fits; below 0 if it is of another family. */
static int
score(const GPtrArray *words, const char *name)
{
    enum {
        NAMED = 100
    };
    g_autoptr(GPtrArray) parts = words_of(name);
    if (!has_word(words, parts->pdata[0]))
        return -1;
    int sum = NAMED;
    for (guint i = 1; i < parts->len; i++) {
        const char *part = parts->pdata[i];
        gboolean is_implied =
            g_str_equal(part, "sxm") && !has_word(words, "pcie") && !has_word(words, "nvl");
        sum += has_word(words, part) || is_implied ? NAMED : -1;
    }
    return sum;
}

char *
lp_accelerator_name_match(const char *text, GError **error)
{
    g_return_val_if_fail(text != NULL, NULL);
    g_autoptr(GArray) all = lp_catalogue_load(error);
    if (all == NULL)
        return NULL;
    g_autoptr(GPtrArray) words = words_of(text);
    const LpAccelerator *best = NULL;
    int best_score = -1;
    for (guint i = 0; i < all->len; i++) {
        const LpAccelerator *one = &g_array_index(all, LpAccelerator, i);
        int own = score(words, one->name);
        if (own > best_score || (own >= 0 && own == best_score && best != NULL &&
                                 one->memory_bytes > best->memory_bytes)) {
            best = one;
            best_score = own;
        }
    }
    return best != NULL ? g_strdup(best->name) : NULL;
}
