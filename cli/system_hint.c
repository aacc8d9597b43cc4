/* SPDX-License-Identifier: Apache-2.0 */
/* Says how a machine of a system is made. */
#include "cli/system_hint.h"

#include "base/error.h"
#include "base/file.h"
#include "cli/command_line.h"
#include "cli/made_machine.h"
#include "workloads/description/workload.h"
#include "workloads/description/given_workload.h"

#include <string.h>

/* The number of accelerators where no plan gives it. */
#define N_ACCELERATORS 64

static const char *const *
settings_of(const GOptionEntry *entries)
{
    const char *unused = NULL;
    const GOptionEntry *entry = lp_command_line_find(entries, "--set", &unused);
    return entry != NULL ? *(const char *const **)entry->arg_data : NULL;
}

/* The ranks of the workload among @argv, if there is one and it can be read. */
static guint64
count_ranks(const char *const *names, const GOptionEntry *entries, char *const *argv)
{
    if (strstr(names[0], "WORKLOAD") == NULL)
        return N_ACCELERATORS;
    g_autofree char *path = lp_file_is_path(argv[1]) ? lp_file_argument(argv[1], NULL)
                                                     : lp_given_workload_find(argv[1], NULL);
    g_autoptr(LpWorkload) workload = path != NULL && strcmp(argv[1], "-") != 0
                                         ? lp_workload_load(path, settings_of(entries), NULL)
                                         : NULL;
    return workload != NULL ? lp_plan_n_ranks(&workload->plan) : N_ACCELERATORS;
}

static gboolean
is_system_name(const char *name)
{
    g_auto(GStrv) shipped = lp_file_shipped("platforms");
    return !lp_file_is_path(name) && !g_strv_contains((const char *const *)shipped, name) &&
           lp_made_machine_is_system(name);
}

/* The command line with machines in place of systems. Returns: (transfer full). */
static char *
command_with_machines(const char *program, char *const *words, guint64 n_ranks)
{
    GString *line = g_string_new(program);
    for (; *words != NULL; words++) {
        gboolean is_plain = strpbrk(*words, " \t\"'\\$&|;<>()*?#~") == NULL && **words != '\0';
        g_autofree char *shown = is_system_name(*words) ? lp_made_machine_suggest(*words, n_ranks)
                                 : is_plain             ? g_strdup(*words)
                                                        : g_shell_quote(*words);
        g_string_append_printf(line, " %s", shown);
    }
    return g_string_free(line, FALSE);
}

gboolean
lp_system_hint_check(const char *program, const char *arguments, const GOptionEntry *entries,
                     char *const *argv, char *const *words, GError **error)
{
    g_auto(GStrv) names = g_strsplit(arguments != NULL ? arguments : "", " ", -1);
    guint n = g_strv_length(names);
    for (guint i = 0; n > 0 && argv[i + 1] != NULL; i++) {
        const char *system = argv[i + 1];
        if (strstr(names[MIN(i, n - 1)], "PLATFORM") == NULL || !is_system_name(system))
            continue;
        guint64 n_ranks = count_ranks((const char *const *)names, entries, argv);
        g_autofree char *command = command_with_machines(program, words, n_ranks);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "\"%s\" is a system, of any size, wanted a machine of it, such as with: %s",
                    system, command);
        return FALSE;
    }
    return TRUE;
}
