/* SPDX-License-Identifier: Apache-2.0 */
/* Which family a configuration is most like. */
#include "workloads/import/family.h"

#include <math.h>
#include <string.h>

/* What speaks for a family. Words of a name count more than the kind of the feed-forward network,
 * since a configuration may be cut short, and together with it more than other names. */
#define SCORE_WORDS 8.0
#define SCORE_FIRST_WORD 6.0
#define SCORE_EXPERTS 4.0
#define SCORE_LATENT 4.0
#define SCORE_NO_LATENT 2.0
#define SCORE_KEYS 2.0
#define SCORE_LETTER 0.01
#define SCORE_PLAIN 0.15

static gsize
common_letters(const char *a, const char *b)
{
    gsize n = 0;
    while (a[n] != '\0' && g_ascii_tolower(a[n]) == g_ascii_tolower(b[n]))
        n++;
    return n;
}

/* Whether @word is one of @words, or what one begins with, such as "v3" of "v32". */
static gboolean
is_begun(const char *word, char **words)
{
    for (; *words != NULL; words++)
        if (common_letters(word, *words) == strlen(word))
            return TRUE;
    return FALSE;
}

/* Words are what "_" and "-" divide. */
static double
score_name(const LpFamily *family, const char *name)
{
    g_auto(GStrv) own = g_strsplit_set(family->model_type, "_-", -1);
    g_auto(GStrv) words = g_strsplit_set(name, "_-", -1);
    double letters = SCORE_LETTER * (double)common_letters(family->model_type, name);
    if (words[0] == NULL || !is_begun(own[0], (char *[]){words[0], NULL}))
        return letters;
    for (char **word = own; *word != NULL; word++)
        if (!is_begun(*word, words))
            return SCORE_FIRST_WORD + letters;
    return SCORE_WORDS + letters;
}

/* Whether one of "a|b|c" is there. */
static gboolean
has_one(const LpFamilyShape *shape, const char *keys)
{
    if (keys == NULL)
        return FALSE;
    g_auto(GStrv) names = g_strsplit(keys, "|", -1);
    for (char **name = names; *name != NULL; name++)
        if (g_strv_contains(shape->key_names, *name))
            return TRUE;
    return FALSE;
}

/* The share of the keys of a family's sizes that are there. That of its experts counts as all of
 * them. */
static double
score_keys(const LpFamily *family, const LpFamilyShape *shape)
{
    const LpFamilyKeys *keys = family->keys;
    const char *const wanted[] = {keys->layers, keys->hidden, keys->heads, keys->kv_heads,
                                  keys->ffn,    keys->seq,    keys->vocab, keys->activation};
    double n = 0, n_there = 0;
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
        n += wanted[i] != NULL ? 1 : 0;
        n_there += has_one(shape, wanted[i]) ? 1 : 0;
    }
    return SCORE_KEYS * n_there / n;
}

static double
score(const LpFamily *family, const LpFamilyShape *shape)
{
    gboolean has_experts = family->experts != NULL;
    double sum = score_name(family, shape->name) + score_keys(family, shape) +
                 (family->is_plain ? SCORE_PLAIN : 0.0);
    if (has_experts == shape->has_experts)
        sum += SCORE_EXPERTS;
    if (family->latent && shape->is_latent)
        sum += SCORE_LATENT;
    else if (family->latent)
        sum -= SCORE_NO_LATENT;
    if (has_experts && shape->has_experts && has_one(shape, family->experts->experts))
        sum += SCORE_KEYS;
    return sum;
}

const LpFamily *
lp_family_nearest(const LpFamilyShape *shape)
{
    const LpFamily *best = NULL;
    double most = -INFINITY;
    for (guint i = 0; lp_family_at(i) != NULL; i++) {
        double own = score(lp_family_at(i), shape);
        if (own > most) {
            best = lp_family_at(i);
            most = own;
        }
    }
    return best;
}
