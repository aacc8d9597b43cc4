/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the simulator in a search of one's own: threads try tensor- and pipeline-parallel degrees
 * of a model on 64 accelerators side by side, and the best is printed.
 *
 *     cc search.c -pthread $(pkg-config --cflags --libs lightpath) -o search
 *     ./search llama-3-8b dgx-h100 */
#include <lightpath/lightpath.h>

#include <pthread.h>
#include <stdio.h>

#define N_ACCELERATORS 64
#define N_DEGREES 4 /* 1, 2, 4, 8 */

/* What a thread tries, and what it finds: a time, or why there is none. */
typedef struct {
    const char *workload, *system;
    int tp, pp;
    double time_s;
    char *error;
} Trial;

static int
set(LpWorkload *workload, const char *name, int value, char **error)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    return lp_workload_set(workload, name, text, error);
}

static void *
try(void *data)
{
    Trial *trial = data;
    LpResult *result = NULL;
    LpMachine *machine = lp_machine_generate(trial->system, N_ACCELERATORS, &trial->error);
    LpWorkload *workload =
        machine != NULL ? lp_workload_load(trial->workload, &trial->error) : NULL;
    if (workload != NULL && set(workload, "tp", trial->tp, &trial->error) == 0 &&
        set(workload, "pp", trial->pp, &trial->error) == 0 &&
        set(workload, "dp", N_ACCELERATORS / trial->tp / trial->pp, &trial->error) == 0)
        result = lp_simulate(workload, machine, NULL, &trial->error);
    trial->time_s = result != NULL ? lp_result_number(result, "/simulated/iteration_time_s") : -1.0;
    lp_result_free(result);
    lp_workload_free(workload);
    lp_machine_free(machine);
    return NULL;
}

int
main(int argc, char **argv)
{
    static Trial trials[N_DEGREES * N_DEGREES];
    static pthread_t threads[N_DEGREES * N_DEGREES];
    const Trial *best = NULL;
    for (int i = 0; i < N_DEGREES * N_DEGREES; i++) {
        trials[i] = (Trial){.workload = argc > 1 ? argv[1] : "llama-3-8b",
                            .system = argc > 2 ? argv[2] : "dgx-h100",
                            .tp = 1 << i % N_DEGREES,
                            .pp = 1 << i / N_DEGREES};
        if (pthread_create(&threads[i], NULL, try, &trials[i]) != 0)
            return 1;
    }
    for (int i = 0; i < N_DEGREES * N_DEGREES; i++) {
        pthread_join(threads[i], NULL);
        printf("tp %d pp %d: ", trials[i].tp, trials[i].pp);
        if (trials[i].time_s > 0.0)
            printf("%.6f s\n", trials[i].time_s);
        else
            printf("%s\n", trials[i].error);
        if (trials[i].time_s > 0.0 && (best == NULL || trials[i].time_s < best->time_s))
            best = &trials[i];
        lp_free(trials[i].error);
    }
    if (best == NULL)
        return 1;
    printf("best: tp %d pp %d, %.6f s\n", best->tp, best->pp, best->time_s);
    return 0;
}
