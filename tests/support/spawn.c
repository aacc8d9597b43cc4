/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/spawn.h"

#include "tests/support/fork_client.h"
#include "tests/support/small_workload.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <gio/gio.h>

#include <string.h>

static void
add_words(GPtrArray *arguments, const char *prefix, const char *words)
{
    if (words == NULL || *words == '\0')
        return;
    g_auto(GStrv) parts = g_strsplit(words, " ", -1);
    for (guint i = 0; parts[i] != NULL; i++)
        if (*parts[i] != '\0')
            g_ptr_array_add(arguments, g_strconcat(prefix, parts[i], NULL));
}

/* What the command printed, and its status where it was not ended by a signal. */
static gboolean
start(char **words, LpSpawned *out, GError **error)
{
    g_autoptr(GSubprocess) process =
        g_subprocess_newv((const char *const *)words,
                          G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, error);
    if (process == NULL ||
        !g_subprocess_communicate_utf8(process, NULL, NULL, &out->output, &out->complaint, error))
        return FALSE;
    if (g_subprocess_get_if_exited(process))
        out->status = g_subprocess_get_exit_status(process);
    return TRUE;
}

static LpSpawned
spawned(const char *line, const char *rest, gboolean forked)
{
    LpSpawned self = {.status = -1};
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(arguments, g_strdup(g_getenv("LIGHTPATH")));
    add_words(arguments, "", line);
    add_words(arguments, "", rest);
    g_ptr_array_add(arguments, NULL);
    g_autoptr(GError) error = NULL;
    char **words = (char **)arguments->pdata;
    lp_test_true(line, forked && g_getenv("FORK_SERVER") != NULL
                           ? lp_fork_client_run(words, &self.status, &self.output, &self.complaint)
                           : start(words, &self, &error));
    lp_test_text(line, error != NULL ? error->message : NULL, NULL);
    return self;
}

LpSpawned
lp_spawn(const char *line, const char *rest)
{
    return spawned(line, rest, TRUE);
}

LpSpawned
lp_spawn_started(const char *line, const char *rest)
{
    return spawned(line, rest, FALSE);
}

void
lp_spawned_clear(LpSpawned *self)
{
    g_clear_pointer(&self->output, g_free);
    g_clear_pointer(&self->complaint, g_free);
}

void
lp_spawn_refused(const char *label, const char *line, int status, const char *part)
{
    LpSpawned run = lp_spawn(line, NULL);
    const char *shown = label != NULL ? label : line;
    const char *end = run.complaint != NULL ? strchr(run.complaint, '\n') : NULL;
    lp_test_true(shown, run.status == status);
    lp_test_text(shown, run.output, "");
    lp_test_true(shown, g_str_has_prefix(run.complaint, "lightpath: "));
    lp_test_true(shown, end != NULL && end[1] == '\0');
    lp_test_contains(shown, run.complaint, part);
    lp_spawned_clear(&run);
}

json_t *
lp_spawn_json(const char *line, const char *rest)
{
    LpSpawned run = lp_spawn(line, rest);
    g_autofree char *label = g_strconcat(line, " ", rest, NULL);
    lp_test_text(label, run.complaint, "");
    lp_test_true(label, run.status == 0);
    json_t *node = run.status == 0 ? json_loads(run.output, JSON_REJECT_DUPLICATES, NULL) : NULL;
    lp_test_true(label, node != NULL);
    lp_spawned_clear(&run);
    return node;
}

json_t *
lp_spawn_simulate(const char *platform, const char *settings, const char *options)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    add_words(words, "--set=", LP_MINIMAL_SETTINGS);
    add_words(words, "--set=", settings);
    g_ptr_array_add(words, NULL);
    g_autofree char *set = g_strjoinv(" ", (char **)words->pdata);
    g_autofree char *line =
        g_strconcat("simulate gpt3-175b ", platform, " --format=json ", set, NULL);
    return lp_spawn_json(line, options);
}

char *
lp_spawn_platform(const char *options)
{
    char *path = lp_temporary_with_suffix(".xml", "", 0);
    g_autofree char *line = g_strconcat("platform generate -o ", path, NULL);
    LpSpawned run = lp_spawn(line, options);
    lp_test_text(options, run.complaint, "");
    lp_spawned_clear(&run);
    return path;
}

double
lp_test_json_number(const json_t *node, const char *path)
{
    if (node == NULL)
        return -1.0;
    g_auto(GStrv) parts = g_strsplit(path, ".", -1);
    for (guint i = 0; parts[i] != NULL; i++)
        node = json_object_get(node, parts[i]);
    lp_test_true(path, json_is_number(node));
    return json_is_number(node) ? json_number_value(node) : -1.0;
}
