/* SPDX-License-Identifier: Apache-2.0 */
/* Runs validation/prepare.py, whose files are compiled into the program, from a folder that is
 * made for it and removed. */
#include "validation/cases/prepared_table.h"

#include "base/error.h"
#include "base/file.h"
#include "validation_resource.h"

#include <glib/gstdio.h>

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#define RESOURCES "/lightpath/validation/"
#define PROGRAM "LIGHTPATH" /* what the script asks */

/* The folders, before the files in them. */
static const char *const folders[] = {"preparation", NULL};
static const char *const files[] = {"prepare.py",
                                    "models.xml",
                                    "preparation/__init__.py",
                                    "preparation/collectives.py",
                                    "preparation/framework.py",
                                    "preparation/machine.py",
                                    "preparation/models.py",
                                    "preparation/padding.py",
                                    "preparation/phrases.py",
                                    "preparation/plan.py",
                                    "preparation/products.py",
                                    "preparation/program.py",
                                    "preparation/row.py",
                                    "preparation/shape.py",
                                    "preparation/sources.py",
                                    "preparation/training.py",
                                    "preparation/words.py",
                                    NULL};
#define ROWS "rows.csv"

static gboolean
write_in(const char *folder, const char *name, const char *text, gsize length, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return lp_file_write(path, text, length, error);
}

static gboolean
write_scripts(const char *folder, GError **error)
{
    /* Named here so that a static link keeps the embedded files. */
    (void)lp_validation_get_resource();
    for (guint i = 0; folders[i] != NULL; i++) {
        g_autofree char *path = g_build_filename(folder, folders[i], NULL);
        (void)g_mkdir(path, 0700);
    }
    for (guint i = 0; files[i] != NULL; i++) {
        g_autofree char *name = g_strconcat("resource://" RESOURCES, files[i], NULL);
        g_autoptr(GBytes) bytes = lp_file_read(name, error);
        gsize length = 0;
        const char *text = bytes != NULL ? g_bytes_get_data(bytes, &length) : NULL;
        if (bytes == NULL || !write_in(folder, files[i], length > 0 ? text : "", length, error))
            return FALSE;
    }
    return TRUE;
}

static void
remove_scripts(const char *folder)
{
    for (guint i = 0; files[i] != NULL; i++) {
        g_autofree char *path = g_build_filename(folder, files[i], NULL);
        (void)g_unlink(path);
    }
    g_autofree char *rows = g_build_filename(folder, ROWS, NULL);
    (void)g_unlink(rows);
    for (guint i = 0; folders[i] != NULL; i++) {
        g_autofree char *path = g_build_filename(folder, folders[i], NULL);
        (void)g_rmdir(path);
    }
    (void)g_rmdir(folder);
}

/* The environment of the script, which asks this program; where this is another that uses the
 * library, the one that PROGRAM names. Returns: (transfer full), NULL-ended. */
static char **
environment(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    char **all = g_environ_setenv(g_get_environ(), "PYTHONDONTWRITEBYTECODE", "1", TRUE);
    gboolean is_program = self != NULL && g_str_has_suffix(self, "/lightpath");
    return is_program ? g_environ_setenv(all, PROGRAM, self, TRUE) : all;
}

/* What the script wrote of the rows in @folder. Returns: (transfer full). */
static char *
run_script(const char *folder, const char *path, GError **error)
{
    g_autofree char *script = g_build_filename(folder, "prepare.py", NULL);
    g_autofree char *rows = g_build_filename(folder, ROWS, NULL);
    const char *command[] = {"python3", script, rows, NULL};
    g_auto(GStrv) variables = environment();
    g_autofree char *text = NULL, *complaint = NULL;
    g_autoptr(GError) fault = NULL;
    int status = 0;
    if (!g_spawn_sync(NULL, (char **)(gpointer)command, variables, G_SPAWN_SEARCH_PATH, NULL, NULL,
                      &text, &complaint, &status, &fault)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                    "%s: got columns that validation/prepare.py restates, and no python3 to run it "
                    "(%s), wanted it on PATH",
                    path, fault->message);
        return NULL;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return g_steal_pointer(&text);
    g_strchomp(complaint);
    const char *last = strrchr(complaint, '\n');
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s: got columns that validation/prepare.py cannot restate: %s", path,
                last != NULL ? last + 1 : complaint);
    return NULL;
}

LpTable *
lp_prepared_table_new(const char *path, GBytes *rows, GError **error)
{
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", error);
    if (folder == NULL) {
        g_prefix_error(error, "%s: ", lp_file_label(path));
        return NULL;
    }
    gsize length = 0;
    const char *content = g_bytes_get_data(rows, &length);
    gboolean good = write_scripts(folder, error) &&
                    write_in(folder, ROWS, length > 0 ? content : "", length, error);
    g_autofree char *text = good ? run_script(folder, lp_file_label(path), error) : NULL;
    remove_scripts(folder);
    return text != NULL ? lp_table_parse(path, text, strlen(text), error) : NULL;
}
