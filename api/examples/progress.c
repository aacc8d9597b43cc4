/* SPDX-License-Identifier: Apache-2.0 */
/* Shows its own progress while a run is under way, and ends it after so many seconds.
 *
 *     cc progress.c $(pkg-config --cflags --libs lightpath) -o progress
 *     ./progress 60 */
#include <lightpath/lightpath.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    time_t end;
    int n_calls;
} Watch;

static int
tell(double fraction, void *data)
{
    Watch *watch = data;
    watch->n_calls++;
    if (fraction >= 0.0)
        fprintf(stderr, "\r%3.0f %%", fraction * 100.0);
    return time(NULL) >= watch->end;
}

int
main(int argc, char **argv)
{
    Watch watch = {time(NULL) + (argc > 1 ? atol(argv[1]) : 60), 0};
    char *error = NULL;
    LpWorkload *workload = lp_workload_load("llama-3-8b", &error);
    LpMachine *machine = lp_machine_generate("dgx-h100", 128, &error);
    LpOptions *options = lp_options_new();
    lp_options_set(options, "collapse", "off");
    lp_options_set_progress(options, tell, &watch);
    LpResult *result = workload != NULL && machine != NULL
                           ? lp_simulate(workload, machine, options, &error)
                           : NULL;
    fprintf(stderr, "\n");
    if (result != NULL)
        printf("%.17g s, told %s\n", lp_result_number(result, "/simulated/iteration_time_s"),
               watch.n_calls > 0 ? "of its progress" : "nothing");
    else
        printf("%s\n", error);
    lp_free(error);
    lp_result_free(result);
    lp_options_free(options);
    lp_machine_free(machine);
    lp_workload_free(workload);
    return result == NULL;
}
