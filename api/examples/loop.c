/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a workload on a machine with one setting after the other, and prints a line for each.
 *
 *     cc loop.c $(pkg-config --cflags --libs lightpath) -o loop
 *     ./loop gpt3-125m dgx-a100-8 micro-batch 1 2 4 8 */
#include <lightpath/lightpath.h>

#include <stdio.h>

static int
fail(const char *error)
{
    fprintf(stderr, "loop: %s\n", error);
    return 1;
}

int
main(int argc, char **argv)
{
    if (argc < 5)
        return fail("got too few arguments, wanted WORKLOAD MACHINE ATTRIBUTE VALUE...");
    char *error = NULL;
    LpWorkload *workload = lp_workload_load(argv[1], &error);
    if (workload == NULL)
        return fail(error);
    LpMachine *machine = lp_machine_load(argv[2], &error);
    if (machine == NULL)
        return fail(error);
    for (int i = 4; i < argc; i++) {
        if (lp_workload_set(workload, argv[3], argv[i], &error) != 0)
            return fail(error);
        LpResult *result = lp_simulate(workload, machine, NULL, &error);
        if (result == NULL)
            return fail(error);
        printf("%s %.17g s, %.4f of the peak\n", argv[i],
               lp_result_number(result, "/simulated/iteration_time_s"),
               lp_result_number(result, "/simulated/mfu"));
        lp_result_free(result);
    }
    lp_machine_free(machine);
    lp_workload_free(workload);
    return 0;
}
