/* SPDX-License-Identifier: Apache-2.0 */
/* Recomputation by its names in other software. */
#include "validation/cases/remat_policy.h"

#include <string.h>

/* Of two names of which one begins with the other the longer stands first. */
static const struct {
    const char *name, *parts;
} policies[] = {
    {"save_dot_with_context_except_mlp", "norms,ffn"},
    {"save_dot_except_mlpwi", "norms,attention,ffn"},
    {"save_dot_except_mlp", "norms,attention,ffn"},
    {"save_qkv_proj", "norms,attention,projection,ffn"},
    {"save_out_proj", "norms,qkv,attention,ffn"},
    {"qkv_proj_offloaded", "norms,attention,projection,ffn"},
    {"q,k,v projections offloaded", "norms,attention,projection,ffn"},
    {"minimal_with_context", "norms,activation"},
    {"minimal_flash", "norms,activation"},
    {"minimal_offloaded", "norms,attention,activation"},
    {"remat minimal", "norms,attention,activation"},
};
/* A word that stands for a policy only where it is all that is said. */
static const char minimal[] = "minimal";

const char *
lp_remat_policy_parts(const char *text, const char **out_name)
{
    *out_name = minimal;
    if (strcmp(text, minimal) == 0)
        return "norms,attention,activation";
    for (guint i = 0; i < G_N_ELEMENTS(policies); i++)
        if (strstr(text, policies[i].name) != NULL) {
            *out_name = policies[i].name;
            return policies[i].parts;
        }
    return NULL;
}
