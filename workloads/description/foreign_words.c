/* SPDX-License-Identifier: Apache-2.0 */
/* Finds other programs' words. */
#include "workloads/description/foreign_words.h"

#include <string.h>

typedef struct {
    const char *word, *attribute;
} Word;

/* "words": made of foreign_words.xml. */
#include "foreign_word_rows.h"

/* Ends that say nothing of their own. */
static const char *const ends[] = {"-size", "-degree", "-dim", "-degrees", "-world-size"};

gboolean
lp_foreign_word_at(guint index, const char **out_word, const char **out_attribute)
{
    if (index >= G_N_ELEMENTS(words))
        return FALSE;
    *out_word = words[index].word;
    *out_attribute = words[index].attribute;
    return TRUE;
}

static const char *
find(const char *word)
{
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].attribute;
    return NULL;
}

const char *
lp_foreign_word_attribute(const char *word)
{
    g_autofree char *plain = g_ascii_strdown(word + strspn(word, "-"), -1);
    (void)g_strdelimit(plain, "_.", '-');
    const char *attribute = find(plain);
    for (gsize i = 0; attribute == NULL && i < G_N_ELEMENTS(ends); i++) {
        if (!g_str_has_suffix(plain, ends[i]))
            continue;
        g_autofree char *stem = g_strndup(plain, strlen(plain) - strlen(ends[i]));
        attribute = find(stem);
    }
    return attribute;
}

const char *
lp_foreign_word_last(const char *text)
{
    const char *last = text;
    for (const char *c = text; *c != '\0'; c++)
        if ((*c == '.' || *c == '/') && c[1] != '\0')
            last = c + 1;
    return last;
}

char *
lp_foreign_word_plain(const char *text)
{
    GString *plain = g_string_new(NULL);
    for (; *text != '\0'; text++)
        if (g_ascii_isalnum(*text))
            g_string_append_c(plain, g_ascii_tolower(*text));
    return g_string_free(plain, FALSE);
}

char *
lp_foreign_word_unversioned(const char *text)
{
    gsize length = strlen(text);
    for (gsize i = 1; i < length; i++)
        if (strchr(" @(=", text[i]) != NULL &&
            g_ascii_isdigit(text[i + strspn(text + i, " @(=vV")]))
            return g_strndup(text, i);
    return g_strdup(text);
}
