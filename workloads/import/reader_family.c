/* SPDX-License-Identifier: Apache-2.0 */
/* Which family a configuration is of, and what is said where it is of none. */
#include "base/error.h"
#include "workloads/import/reader.h"

gboolean
lp_reader_is_wrapper(LpConfig *config)
{
    return json_is_object(lp_config_peek(config, "text_config")) &&
           lp_config_peek(config, "num_hidden_layers") == NULL;
}

static gboolean
counts_experts(LpConfig *config)
{
    static const char *const keys[] = {"num_experts", "num_local_experts", "n_routed_experts",
                                       "moe_num_experts"};
    gboolean has_experts = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        const json_t *node = lp_config_peek(config, keys[i]);
        has_experts = has_experts || (json_is_integer(node) && json_integer_value(node) > 1);
    }
    return has_experts;
}

/* Refuses @config, and says which family it is most like. */
static void
set_unknown(LpConfig *config, const char *model_type, GError **error)
{
    g_autofree char *shown = lp_config_show(config, "model_type");
    GString *names = g_string_new(NULL);
    for (guint i = 0; lp_family_at(i) != NULL; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", lp_family_at(i)->model_type);
    g_autofree char *list = g_string_free(names, FALSE);
    /* Texts of the object outside go with it. */
    g_autofree char *name = g_strdup(model_type);
    if (lp_reader_is_wrapper(config))
        lp_config_enter(config, "text_config");
    g_autofree const char **keys = lp_config_keys(config);
    const json_t *rank = lp_config_peek(config, "kv_lora_rank");
    LpFamilyShape shape = {
        .name = name,
        .has_experts = counts_experts(config),
        .is_latent = json_is_integer(rank) && json_integer_value(rank) > 0,
        .key_names = keys,
    };
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "%s: model_type: %s is not one of %s; the nearest is %s", lp_config_path(config),
                shown, list, lp_family_nearest(&shape)->model_type);
}

/* The family of one of its classes, where there is one. */
static const LpFamily *
find_architecture(LpConfig *config)
{
    const json_t *list = lp_config_peek(config, "architectures"), *item;
    gsize i;
    json_array_foreach (list, i, item) {
        const LpFamily *family =
            json_is_string(item) ? lp_family_of_architecture(json_string_value(item)) : NULL;
        if (family != NULL)
            return family;
    }
    return NULL;
}

/* Of the model of text inside of another, by the name that it has there. */
static const LpFamily *
find_inner(LpConfig *config)
{
    const json_t *inner = lp_config_peek(config, "text_config");
    const json_t *name = json_object_get(inner, "model_type");
    return json_is_string(name) ? lp_family_find(json_string_value(name)) : NULL;
}

const LpFamily *
lp_reader_find_family(LpConfig *config, const char **out_key, GError **error)
{
    const char *model_type = NULL;
    if (!lp_config_text(config, "model_type", &model_type, error))
        return NULL;
    const LpFamily *family = model_type != NULL ? lp_family_find(model_type) : NULL;
    *out_key = "model_type";
    if (family == NULL) {
        family = find_architecture(config);
        *out_key = "architectures";
    }
    if (family == NULL) {
        family = find_inner(config);
        *out_key = "text_config";
    }
    if (family == NULL && model_type == NULL)
        lp_config_fault(config, "model_type", "one such as \"llama\"", error);
    else if (family == NULL)
        set_unknown(config, model_type, error);
    return family;
}
