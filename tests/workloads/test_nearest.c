/* SPDX-License-Identifier: Apache-2.0 */
/* The family that a configuration of no known family is most like. */
#include "workloads/import/family.h"

#include "tests/testlib.h"

/* Names that begin as a family's, of which they are variants, with nothing else to tell by. */
static void
test_names(void)
{
    static const struct {
        const char *name;
        gboolean has_experts;
        const char *nearest;
    } rows[] = {
        {"gpt_neox_japanese", FALSE, "gpt_neox"},
        {"gpt_neo", FALSE, "gpt_neox"},
        {"gpt_bigscience", FALSE, "gpt_bigcode"},
        {"gpt_os", TRUE, "gpt_oss"},
        {"qwen2_5_vl", FALSE, "qwen2"},
        {"qwen3_vl_moe", TRUE, "qwen3_moe"},
        {"gemma3n", FALSE, "gemma3"},
    };
    static const char *const no_keys[] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const LpFamilyShape shape = {rows[i].name, rows[i].has_experts, FALSE, no_keys};
        lp_test_text(rows[i].name, lp_family_nearest(&shape)->model_type, rows[i].nearest);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"names", test_names}, {NULL, NULL}};
    return lp_test_run("nearest family", cases);
}
