/* SPDX-License-Identifier: Apache-2.0 */
/* A program of a user: simulates a shipped workload on a shipped machine through the library, with
 * each of the settings behind them, and prints the iteration times in the language of its user.
 * test_install.py compiles it against an installed tree. */
#include <lightpath/lightpath.h>

#include <locale.h>
#include <stdio.h>

static LpSimulation *
simulate(const char *workload_name, const char *machine_name, const char *setting, GError **error)
{
    const char *const settings[] = {setting, NULL};
    g_autofree char *workload_path = lp_file_find("workloads", workload_name, error);
    if (workload_path == NULL)
        return NULL;
    g_autofree char *machine_path = lp_file_find("platforms", machine_name, error);
    if (machine_path == NULL)
        return NULL;
    g_autoptr(LpWorkload) workload = lp_workload_load(workload_path, settings, error);
    if (workload == NULL)
        return NULL;
    g_autoptr(LpMachine) machine = lp_machine_load(machine_path, error);
    if (machine == NULL)
        return NULL;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, error);
    if (setup == NULL)
        return NULL;
    LpSimulationOptions options = {.fidelity = LP_FIDELITY_FLOW, .collapse = TRUE};
    return lp_simulation_run_apart(setup, options, error);
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    (void)setlocale(LC_ALL, "");
    for (int i = 3; i < MAX(argc, 4); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpSimulation) simulation =
            simulate(argv[1], argv[2], i < argc ? argv[i] : NULL, &error);
        if (simulation == NULL) {
            fprintf(stderr, "use_library: %s\n", error->message);
            return 1;
        }
        printf("%.17g\n", simulation->run.iteration_time_s);
    }
    return 0;
}
