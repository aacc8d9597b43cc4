/* SPDX-License-Identifier: Apache-2.0 */
/* Which family a configuration is of, and what is said where it is of none. */
#include "base/error.h"
#include "workloads/import/reader.h"

const char *
lp_reader_wrapper(LpConfig *config)
{
    static const char *const keys[] = {"text_config", "llm_config", "language_config"};
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        if (json_is_object(lp_config_peek(config, keys[i])) &&
            lp_config_peek(config, "num_hidden_layers") == NULL)
            return keys[i];
    return NULL;
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

/* Whether it is a type that is known, and says why it is not read. */
static gboolean
is_left_out(const LpConfig *config, const char *model_type, GError **error)
{
    const char *reason = lp_family_left_out(model_type);
    if (reason != NULL)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%s: model_type: got \"%s\", wanted a model that a workload can describe: %s",
                    lp_config_path(config), model_type, reason);
    return reason != NULL;
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
    const char *wrapper = lp_reader_wrapper(config);
    if (wrapper != NULL)
        lp_config_enter(config, wrapper);
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

/* The family of one of the classes in @list, where there is one. */
static const LpFamily *
find_architecture(const json_t *list)
{
    const json_t *item;
    gsize i;
    json_array_foreach (list, i, item) {
        const LpFamily *family =
            json_is_string(item) ? lp_family_of_architecture(json_string_value(item)) : NULL;
        if (family != NULL)
            return family;
    }
    return NULL;
}

/* The family of the text model inside another model, by the name that it or its classes have there.
 */
static const LpFamily *
find_inner(LpConfig *config, const char *key)
{
    const json_t *inner = key != NULL ? lp_config_peek(config, key) : NULL;
    const json_t *name = json_object_get(inner, "model_type");
    const LpFamily *family = json_is_string(name) ? lp_family_find(json_string_value(name)) : NULL;
    return family != NULL ? family : find_architecture(json_object_get(inner, "architectures"));
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
        family = find_architecture(lp_config_peek(config, "architectures"));
        *out_key = "architectures";
    }
    if (family == NULL) {
        const char *wrapper = lp_reader_wrapper(config);
        family = find_inner(config, wrapper);
        *out_key = wrapper != NULL ? wrapper : "text_config";
    }
    if (family == NULL && model_type == NULL)
        lp_config_fault(config, "model_type", "one such as \"llama\"", error);
    else if (family == NULL && !is_left_out(config, model_type, error))
        set_unknown(config, model_type, error);
    return family;
}
