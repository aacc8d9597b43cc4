/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a workload on a machine with one setting after the other, and prints a line for each.
 *
 *     cc loop.c $(pkg-config --cflags --libs lightpath) -o loop
 *     ./loop gpt3-125m dgx-a100-8 micro-batch 1 2 4 8 */
#include <lightpath/lightpath.h>

#include <stdio.h>

/* Prints a line for each of @values, which @name takes one after the other. */
static int
loop(LpWorkload *workload, const LpMachine *machine, const char *name, char **values, char **error)
{
    for (; *values != NULL; values++) {
        LpResult *result = lp_workload_set(workload, name, *values, error) == 0
                               ? lp_simulate(workload, machine, NULL, error)
                               : NULL;
        if (result == NULL)
            return 1;
        printf("%s %.17g s, %.4f of the peak\n", *values,
               lp_result_number(result, "/simulated/iteration_time_s"),
               lp_result_number(result, "/simulated/mfu"));
        lp_result_free(result);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr,
                "loop: got too few arguments, wanted WORKLOAD MACHINE ATTRIBUTE VALUE...\n");
        return 1;
    }
    char *error = NULL;
    LpWorkload *workload = lp_workload_load(argv[1], &error);
    LpMachine *machine = workload != NULL ? lp_machine_load(argv[2], &error) : NULL;
    int status = machine != NULL ? loop(workload, machine, argv[3], argv + 4, &error) : 1;
    if (status != 0)
        fprintf(stderr, "loop: %s\n", error);
    lp_free(error);
    lp_machine_free(machine);
    lp_workload_free(workload);
    return status;
}
