/* SPDX-License-Identifier: Apache-2.0 */
/* How layers follow each other, as a text: "5*window+1*full". */
#include "workloads/description/layer_pattern.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define AUTO "auto"
/* The largest number of layers of a model. */
#define LAYERS_MAX 100000u
/* Characters of a name in lists of kernels. */
#define NAME_MAX_LENGTH 40
/* Layers that are alike and in a row which letters are written for. */
#define LETTERS_MAX 16u

/* Returns: whether there was room. */
static gboolean
add_run(LpLayerPattern *self, guint32 count, guint word)
{
    if (self->n > 0 && self->word[self->n - 1] == word) {
        self->count[self->n - 1] += count;
        return self->count[self->n - 1] <= LAYERS_MAX;
    }
    if (self->n == LP_LAYER_RUNS_MAX)
        return FALSE;
    self->count[self->n] = count;
    self->word[self->n++] = (guint8)word;
    return TRUE;
}

/* Whether @name is one that a list of kernels may have. */
static gboolean
is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", more[] = "0123456789.-";
    gsize n = strspn(name, letters);
    while (n > 0 && name[n] != '\0' && (strchr(letters, name[n]) != NULL || strchr(more, name[n])))
        n++;
    return n > 0 && name[n] == '\0' && n <= NAME_MAX_LENGTH;
}

/* The word of a layer, or -1. What no word of attention's or networks' is, is a mixer's name. */
static int
find_word(LpLayerPattern *pattern, const char *name)
{
    int word = strcmp(name, "attention") == 0 ? LP_LAYER_FULL
                                              : lp_choice_parse(name, lp_layer_word_names, NULL);
    guint mixer = 0;
    if (word >= 0 || !is_name(name) || strcmp(name, AUTO) == 0)
        return word;
    while (mixer < pattern->n_mixers && strcmp(pattern->mixer[mixer], name) != 0)
        mixer++;
    if (mixer == LP_MIXERS_MAX)
        return -1;
    if (mixer == pattern->n_mixers)
        pattern->mixer[pattern->n_mixers++] = g_intern_string(name);
    return LP_LAYER_MIXER + (int)mixer;
}

/* "5*window" or "window". */
static gboolean
parse_run(const char *text, LpLayerPattern *pattern)
{
    const char *star = strchr(text, '*');
    guint64 count = 1;
    if (star != NULL) {
        g_autofree char *number = g_strndup(text, (gsize)(star - text));
        if (!lp_count_parse(number, 1, LAYERS_MAX, &count, NULL))
            return FALSE;
    }
    int word = find_word(pattern, star != NULL ? star + 1 : text);
    return word >= 0 && add_run(pattern, (guint32)count, (guint)word);
}

/* Megatron-Core's letters of single blocks, megatron/core/models/hybrid/hybrid_layer_allocation.py.
 */
static const struct {
    char letter;
    const char *word;
} letters[] = {{'M', "mamba-2"},
               {'*', "full"},
               {'-', "ffn"},
               {'E', "experts"},
               {'G', "gated-delta-net"},
               {'D', "sparse-attention"}};

static const char *
letter_word(char letter)
{
    for (guint i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].letter == letter)
            return letters[i].word;
    return NULL;
}

static gboolean
is_letters(const char *text)
{
    gboolean is_any = FALSE;
    for (; *text != '\0'; text++) {
        if (letter_word(*text) == NULL)
            return FALSE;
        is_any = is_any || g_ascii_isupper(*text) || *text == '-';
    }
    return is_any;
}

static gboolean
parse_letters(const char *text, LpLayerPattern *pattern)
{
    gboolean good = TRUE;
    for (; good && *text != '\0'; text++)
        good = parse_run(letter_word(*text), pattern);
    pattern->single_blocks = TRUE;
    return good;
}

gboolean
lp_layer_pattern_parse(const char *text, LpLayerPattern *out_pattern, GError **error)
{
    LpLayerPattern pattern = {.single_blocks = out_pattern->single_blocks};
    if (is_letters(text) && parse_letters(text, &pattern)) {
        *out_pattern = pattern;
        return TRUE;
    }
    g_auto(GStrv) runs = g_strsplit(text, "+", -1);
    gboolean is_auto = strcmp(text, AUTO) == 0, good = is_auto || runs[0] != NULL;
    for (guint i = 0; good && !is_auto && runs[i] != NULL; i++)
        good = parse_run(runs[i], &pattern);
    if (good) {
        *out_pattern = pattern;
        return TRUE;
    }
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(
        error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
        "got %s, wanted auto, or up to %u runs of layers that are full, window, chunk, ffn, "
        "experts or one of %u mixers, such as 5*window+1*full",
        shown, LP_LAYER_RUNS_MAX, LP_MIXERS_MAX);
    return FALSE;
}

const char *
lp_layer_pattern_word(const LpLayerPattern *self, guint run)
{
    guint word = self->word[run];
    return word < LP_LAYER_MIXER ? lp_layer_word_names[word] : self->mixer[word - LP_LAYER_MIXER];
}

static char
word_letter(const char *word)
{
    for (guint i = 0; i < G_N_ELEMENTS(letters); i++)
        if (strcmp(letters[i].word, word) == 0)
            return letters[i].letter;
    return '\0';
}

char *
lp_layer_pattern_letters(const LpLayerPattern *self, guint32 n_layers)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint run = 0; self->n > 0 && text->len < n_layers; run = (run + 1) % self->n) {
        char letter = word_letter(lp_layer_pattern_word(self, run));
        if (letter == '\0')
            return NULL;
        for (guint32 k = 0; k < self->count[run] && text->len < n_layers; k++)
            g_string_append_c(text, letter);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The pattern once, as letters, or NULL: not all of its words have one. */
static char *
format_letters(const LpLayerPattern *self)
{
    guint32 n = 0;
    for (guint run = 0; run < self->n; run++) {
        if (self->count[run] > LETTERS_MAX)
            return NULL;
        n += self->count[run];
    }
    g_autofree char *text = lp_layer_pattern_letters(self, n);
    return text != NULL && is_letters(text) ? g_steal_pointer(&text) : NULL;
}

char *
lp_layer_pattern_format(const LpLayerPattern *self)
{
    if (self->n == 0)
        return g_strdup(AUTO);
    char *in_letters = self->single_blocks ? format_letters(self) : NULL;
    if (in_letters != NULL)
        return in_letters;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < self->n; i++)
        g_string_append_printf(text, "%s%u*%s", i > 0 ? "+" : "", self->count[i],
                               lp_layer_pattern_word(self, i));
    return g_string_free(text, FALSE);
}

static guint32
period_of(const char *const *words, guint32 n_layers)
{
    for (guint32 period = 1; period < n_layers; period++) {
        guint32 i = period;
        while (i < n_layers && strcmp(words[i], words[i - period]) == 0)
            i++;
        if (i == n_layers)
            return period;
    }
    return n_layers;
}

gboolean
lp_layer_pattern_of(const char *const *words, guint32 n_layers, LpLayerPattern *out_pattern)
{
    guint32 period = period_of(words, n_layers);
    *out_pattern = (LpLayerPattern){.n = 0};
    for (guint32 i = 0; i < period; i++)
        if (!parse_run(words[i], out_pattern))
            return FALSE;
    return TRUE;
}
