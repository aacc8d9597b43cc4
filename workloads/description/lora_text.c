/* SPDX-License-Identifier: Apache-2.0 */
/* Products with adapters, as text. */
#include "workloads/description/attribute_text.h"

#include "base/error.h"

#include <string.h>

#define OF_ATTENTION                                                                               \
    (LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES | LP_ADAPTED_PROJECTION)
#define OF_NETWORKS (LP_ADAPTED_UP | LP_ADAPTED_GATE | LP_ADAPTED_DOWN)

/* Groups ahead of their parts, ours ahead of the names of modules of models that PEFT, torchtune
 * and Megatron-Bridge take (huggingface/peft, src/peft/utils/constants.py). */
static const struct {
    const char *name;
    guint32 targets;
} names[] = {
    {"all", LP_ADAPTED_ALL},
    {"attention", OF_ATTENTION},
    {"ffn", OF_NETWORKS},
    {"queries", LP_ADAPTED_QUERIES},
    {"keys", LP_ADAPTED_KEYS},
    {"values", LP_ADAPTED_VALUES},
    {"projection", LP_ADAPTED_PROJECTION},
    {"up", LP_ADAPTED_UP},
    {"gate", LP_ADAPTED_GATE},
    {"down", LP_ADAPTED_DOWN},
    {"all-linear", LP_ADAPTED_ALL},
    {"qkv", LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES},
    {"q_proj", LP_ADAPTED_QUERIES},
    {"k_proj", LP_ADAPTED_KEYS},
    {"v_proj", LP_ADAPTED_VALUES},
    {"o_proj", LP_ADAPTED_PROJECTION},
    {"output_proj", LP_ADAPTED_PROJECTION},
    {"up_proj", LP_ADAPTED_UP},
    {"gate_proj", LP_ADAPTED_GATE},
    {"down_proj", LP_ADAPTED_DOWN},
    {"mlp", OF_NETWORKS},
    {"q", LP_ADAPTED_QUERIES},
    {"k", LP_ADAPTED_KEYS},
    {"v", LP_ADAPTED_VALUES},
    {"o", LP_ADAPTED_PROJECTION},
    {"query_key_value", LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES},
    {"c_attn", LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES},
    {"linear_qkv", LP_ADAPTED_QUERIES | LP_ADAPTED_KEYS | LP_ADAPTED_VALUES},
    {"linear_proj", LP_ADAPTED_PROJECTION},
    {"linear_fc1", LP_ADAPTED_UP | LP_ADAPTED_GATE},
    {"linear_fc2", LP_ADAPTED_DOWN},
};

static guint32
targets_of(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].targets;
    return 0;
}

static gboolean
set_targets(LpPlan *plan, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    guint32 sum = 0;
    for (guint i = 0; i == 0 || words[i] != NULL; i++) {
        guint32 more = words[i] != NULL ? targets_of(words[i]) : 0;
        if (more == 0 || (sum & more) != 0) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "\"%s\" is no list, each product once, of queries, keys, values, "
                        "projection (attention), up, gate, down (ffn), or all",
                        text);
            return FALSE;
        }
        sum |= more;
    }
    plan->lora.targets = sum;
    return TRUE;
}

static char *
get_targets(const LpPlan *plan)
{
    guint32 rest = plan->lora.targets != 0 ? plan->lora.targets : LP_ADAPTED_ALL;
    g_autoptr(GString) text = g_string_new("");
    for (guint i = 0; rest != 0; i++)
        if ((rest & names[i].targets) == names[i].targets) {
            g_string_append_printf(text, "%s%s", text->len > 0 ? "," : "", names[i].name);
            rest &= ~names[i].targets;
        }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

const LpAttributeText lp_text_lora_targets = {set_targets, get_targets};
