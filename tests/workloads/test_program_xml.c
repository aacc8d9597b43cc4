/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says of groups and times when it is written. */
#include "workloads/program/program_xml.h"

#include "tests/workloads/gpt3_program.h"

/* Groups of ranks that stand evenly are written by size and stride: tp 8 in a row, dp 4 behind each
 * other; and so is what overlap slows kernels by. */
static void
test_written(void)
{
    g_autoptr(LpWorkload) workload =
        lp_gpt3_load("tp=8 pp=2 dp=4 global-batch=64 slowdown=1.25 overlap-dp=yes");
    if (workload == NULL)
        return;
    g_autoptr(LpProgram) program = lp_training_program_new(workload, &lp_gpt3_accelerator, NULL);
    g_autoptr(GError) error = NULL;
    g_autofree char *text = lp_program_to_xml(program, workload, "a100-80", &error);
    lp_test_text("written", error != NULL ? error->message : NULL, NULL);
    lp_test_contains("tp", text, "size=\"8\" stride=\"1\"");
    lp_test_contains("dp", text, "size=\"4\" stride=\"8\"");
    lp_test_contains("slowdown", text, "slowdown=\"1.25\"");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"written", test_written}, {NULL, NULL}};
    return lp_test_run("programs as files", cases);
}
