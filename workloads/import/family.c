/* SPDX-License-Identifier: Apache-2.0 */
/* The families, by name, by their classes, and what becomes of keys that say nothing of a shape. */
#include "workloads/import/family.h"

#include <string.h>

typedef struct {
    const char *name, *what;
} Pair;

/* "families", "texts", "left_out", "matters" and "harmless": made of families.xml. */
#include "family_rows.h"

/* What @pairs say of @name; NULL: nothing. */
static const char *
look_up(const Pair *pairs, gsize n_pairs, const char *name)
{
    for (gsize i = 0; i < n_pairs; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].what;
    return NULL;
}

const LpFamily *
lp_family_at(guint index)
{
    return index < G_N_ELEMENTS(families) ? &families[index] : NULL;
}

const LpFamily *
lp_family_find(const char *model_type)
{
    const char *inner = look_up(texts, G_N_ELEMENTS(texts), model_type);
    for (guint i = 0; i < G_N_ELEMENTS(families); i++)
        if (strcmp(families[i].model_type, inner != NULL ? inner : model_type) == 0)
            return &families[i];
    return NULL;
}

const char *
lp_family_left_out(const char *model_type)
{
    return look_up(left_out, G_N_ELEMENTS(left_out), model_type);
}

/* "LlamaForCausalLM", "LlamaModel" and "GPT2LMHeadModel", but not "Llama4ForCausalLM". */
const LpFamily *
lp_family_of_architecture(const char *architecture)
{
    static const char *const ends[] = {"For", "Model", "LMHeadModel"};
    for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
        const char *name = families[i].architecture;
        if (!g_str_has_prefix(architecture, name))
            continue;
        for (guint k = 0; k < G_N_ELEMENTS(ends); k++)
            if (g_str_has_prefix(architecture + strlen(name), ends[k]))
                return &families[i];
    }
    return NULL;
}

LpFamilyKeyKind
lp_family_key_kind(const char *key, const char **out_reason)
{
    *out_reason = NULL;
    if (g_strv_contains(harmless, key))
        return LP_FAMILY_KEY_HARMLESS;
    *out_reason = look_up(matters, G_N_ELEMENTS(matters), key);
    return *out_reason != NULL ? LP_FAMILY_KEY_MATTERS : LP_FAMILY_KEY_UNKNOWN;
}
