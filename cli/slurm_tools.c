/* SPDX-License-Identifier: Apache-2.0 */
/* Runs scontrol, sbatch and squeue, and reads what they print. */
#include "cli/slurm_tools.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* Slurm's own, slurm.conf(5). */
#define ARRAY_SIZE 1001

/* Runs @argv. @out_text: (transfer full) what it prints. Errors: LP_INPUT_ERROR_FILE. */
static gboolean
run(const char *const *argv, char **out_text, GError **error)
{
    g_autofree char *told = NULL;
    g_autoptr(GError) fault = NULL;
    int status = 0;
    *out_text = NULL;
    if (g_spawn_sync(NULL, (char **)(gpointer)(guintptr)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                     out_text, &told, &status, &fault) &&
        g_spawn_check_wait_status(status, &fault))
        return TRUE;
    const char *reason = told != NULL && *g_strstrip(told) != '\0' ? told : fault->message;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "--slurm: got \"%s\" from %s, wanted Slurm's commands at work (or --slurm=write)",
                g_strdelimit((char *)(guintptr)reason, "\r\n", ' '), argv[0]);
    return FALSE;
}

guint64
lp_slurm_max_array_size(void)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    static const char key[] = "MaxArraySize";
    g_autofree char *text = NULL;
    if (!run(argv, &text, NULL))
        return ARRAY_SIZE;
    const char *line = strstr(text, key);
    const char *equals = line != NULL ? strchr(line, '=') : NULL;
    guint64 size = equals != NULL ? g_ascii_strtoull(equals + 1, NULL, 10) : 0;
    return size > 0 ? size : ARRAY_SIZE;
}

char *
lp_slurm_submit(const char *script, GError **error)
{
    const char *const argv[] = {"sbatch", "--parsable", script, NULL};
    g_autofree char *text = NULL;
    if (!run(argv, &text, error))
        return NULL;
    /* "12" or "12;cluster". */
    return g_strndup(text, strcspn(text, ";\n"));
}

gboolean
lp_slurm_count_tasks(const char *job, guint *out_n, GError **error)
{
    g_autofree char *option = g_strdup_printf("--jobs=%s", job);
    const char *const argv[] = {"squeue", "--noheader", "--array", "--format=%i", option, NULL};
    g_autofree char *text = NULL;
    g_autoptr(GError) fault = NULL;
    *out_n = 0;
    if (!run(argv, &text, &fault)) {
        /* One that ended long ago is not known any more. */
        if (strstr(fault->message, "Invalid job id") != NULL)
            return TRUE;
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n'))
        (*out_n)++;
    return TRUE;
}
