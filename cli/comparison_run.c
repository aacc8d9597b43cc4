/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/comparison_run.h"

#include "cli/command_output.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/progress.h"

#include "base/error.h"
#include "sim/simulation_error.h"

#include <string.h>

#define SIMULATE "simulate"
#define CONTENTION "contention"

static void
run_clear(gpointer data)
{
    LpComparisonRun *self = data;
    /* After a failure elsewhere some still run: nobody waits for their results. */
    g_clear_pointer(&self->process, lp_child_process_free);
    g_clear_pointer(&self->result, json_decref);
    g_clear_pointer(&self->contention, json_decref);
}

GArray *
lp_comparison_runs_new(void)
{
    GArray *runs = g_array_new(FALSE, TRUE, sizeof(LpComparisonRun));
    g_array_set_clear_func(runs, run_clear);
    return runs;
}

static void
add_argument(GPtrArray *line, const char *option, const char *value)
{
    if (value != NULL)
        g_ptr_array_add(line, g_strconcat(option, value, NULL));
}

/* Runs a command in the child. @data: its arguments, a NULL-ended GPtrArray. */
static gboolean
run_command(const void *data, GByteArray *result, GError **error)
{
    const GPtrArray *line = data;
    int output = lp_command_output_begin(error);
    if (output < 0)
        return FALSE;
    lp_progress_send_to_parent();
    gboolean simulates = strcmp(line->pdata[0], SIMULATE) == 0;
    return (simulates ? lp_cmd_simulate : lp_cmd_contention)((int)line->len - 1,
                                                             (char **)line->pdata, error) &&
           lp_command_output_take(output, result, error);
}

/* @command: SIMULATE or CONTENTION. */
static gboolean
start_run(LpComparisonRun *self, const char *command, const LpComparisonOptions *options,
          GError **error)
{
    g_autoptr(GPtrArray) line = g_ptr_array_new_with_free_func(g_free);
    add_argument(line, command, "");
    add_argument(line, "--format=json", "");
    add_argument(line, "--fidelity=", options->fidelity);
    add_argument(line, "--collapse=", options->collapse);
    add_argument(line, "--runs=", options->n_runs);
    for (const char *const *setting = options->settings; setting != NULL && *setting != NULL;
         setting++)
        add_argument(line, "--set=", *setting);
    if (options->ignore_memory)
        add_argument(line, "--ignore-memory", "");
    if (options->cost && strcmp(command, SIMULATE) == 0)
        add_argument(line, "--cost", "");
    add_argument(line, "--", "");
    add_argument(line, options->workload, "");
    add_argument(line, self->platform, "");
    g_ptr_array_add(line, NULL);
    self->process = lp_child_process_start(self->platform, run_command, line, 0, error);
    return self->process != NULL;
}

static gboolean
finish_run(LpComparisonRun *self, json_t **out_result, GError **error)
{
    g_autoptr(LpChildProcess) process = g_steal_pointer(&self->process);
    if (!lp_child_process_check(process, error))
        return FALSE;
    const GByteArray *result = lp_child_process_result(process);
    *out_result = lp_json_read(self->platform, (const char *)result->data, result->len, error);
    return *out_result != NULL;
}

/* Between two looks at how far runs have come, ms. */
#define PAUSE_MS 200

/* Waits until @wanted has ended. @n_done: commands that have, before those of @runs that have a
 * process. */
static void
wait_for(const LpComparisonRun *wanted, const GArray *runs, guint n_done, guint n_all,
         LpProgress *progress)
{
    g_autofree LpChildProcess **children = g_new0(LpChildProcess *, runs->len);
    while (!lp_child_process_has_ended(wanted->process)) {
        double share = 0.0;
        for (guint i = 0; i < runs->len; i++) {
            children[i] = g_array_index(runs, LpComparisonRun, i).process;
            if (children[i] != NULL)
                share += lp_child_process_has_ended(children[i])
                             ? 1.0
                             : lp_child_process_share(children[i]);
        }
        lp_progress_show(progress, MAX(progress->n_shown, n_done + share), n_all);
        lp_child_process_wait_any(children, runs->len, progress->is_shown ? PAUSE_MS : -1);
    }
}

gboolean
lp_comparison_runs_run(GArray *runs, const LpComparisonOptions *options, GError **error)
{
    guint n_started = 0, n_parallel = g_get_num_processors();
    g_auto(LpProgress) progress = lp_progress_start("runs");
    guint n_all = (options->contention ? 2 : 1) * runs->len;
    for (guint i = 0; i < runs->len; i++) {
        for (; n_started < runs->len && n_started < i + n_parallel; n_started++)
            if (!start_run(&g_array_index(runs, LpComparisonRun, n_started), SIMULATE, options,
                           error))
                return FALSE;
        LpComparisonRun *run = &g_array_index(runs, LpComparisonRun, i);
        wait_for(run, runs, i, n_all, &progress);
        if (!finish_run(run, &run->result, error))
            return FALSE;
    }
    /* Each of these has a process for every processor itself. */
    for (guint i = 0; options->contention && i < runs->len; i++) {
        LpComparisonRun *run = &g_array_index(runs, LpComparisonRun, i);
        if (!start_run(run, CONTENTION, options, error))
            return FALSE;
        wait_for(run, runs, runs->len + i, n_all, &progress);
        if (!finish_run(run, &run->contention, error))
            return FALSE;
    }
    lp_progress_show(&progress, n_all, n_all);
    return TRUE;
}
