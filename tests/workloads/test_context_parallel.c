/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks that share a sequence move. */
#include "tests/workloads/gpt3_program.h"

/* Two tensors, keys and values, of h / t for each of s tokens, in 2 bytes: gathered forward and
 * backward, where as many bytes of their gradients are summed, however many ranks share them. */
static void
test_context(void)
{
    static const char *const kinds[] = {"gather", "ring"};
    for (guint i = 0; i < 4; i++) {
        g_autofree char *settings = g_strdup_printf("tp=8 pp=1 cp=%u dp=1 global-batch=1 "
                                                    "micro-batch=1 recompute=none cp-kind=%s",
                                                    i < 2 ? 2 : 4, kinds[i % 2]);
        g_autoptr(LpProgram) program = lp_gpt3_program(settings);
        if (program != NULL)
            lp_test_close(settings, lp_gpt3_stage_bytes(program, 0, LP_TRAFFIC_CP),
                          96.0 * 3.0 * 2.0 * 2048.0 * 12288.0 / 8.0 * 2.0, 1e-12);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"context", test_context}, {NULL, NULL}};
    return lp_test_run("context parallelism", cases);
}
