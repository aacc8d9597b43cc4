/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of files, by way of another one. */
#define _GNU_SOURCE
#include "base/folder.h"

#include "base/error.h"
#include "base/file.h"
#include "base/held_signals.h"
#include "base/read_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail(const char *path, int reason, GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "%s: %s", lp_file_label(path),
                g_strerror(reason));
    return FALSE;
}

/* The real place of the folder @path: links are resolved, and it has no '/' at its end. For a link
 * to nothing this is the place that the link names. Returns: (transfer full). */
static char *
place_of(const char *path, GError **error)
{
    g_autofree char *bare = g_strdup(path);
    for (gsize end = strlen(bare); end > 1 && bare[end - 1] == '/'; end--)
        bare[end - 1] = '\0';
    char place[PATH_MAX];
    if (*bare == '\0' || !g_file_test(bare, G_FILE_TEST_IS_SYMLINK)) {
        if (*bare == '\0')
            (void)fail(path, ENOENT, error);
        return *bare != '\0' ? g_steal_pointer(&bare) : NULL;
    }
    if (realpath(bare, place) != NULL)
        return g_strdup(place);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got a link to nothing, wanted a "
                "folder or nothing there",
                lp_file_label(path));
    return NULL;
}

/* Makes the folder beside @path into which the files are written first. Returns: (transfer full)
 * its path. */
static char *
new_beside(const char *path, GError **error)
{
    char *name = g_strconcat(path, ".XXXXXX", NULL);
    if (g_mkdtemp_full(name, 0777) != NULL)
        return name;
    (void)fail(path, errno, error);
    g_free(name);
    return NULL;
}

/* Whether a folder can be made beside @path; none stays. */
static gboolean
try_beside(const char *path, GError **error)
{
    g_auto(LpHeldSignals) held = lp_held_signals_begin();
    g_autofree char *made = new_beside(path, error);
    return made != NULL && (g_rmdir(made) == 0 || fail(path, errno, error));
}

gboolean
lp_folder_check(const char *path, const char *const *names, GError **error)
{
    g_autofree char *place = place_of(path, error);
    if (place == NULL)
        return FALSE;
    if (!g_file_test(place, G_FILE_TEST_EXISTS))
        return try_beside(place, error);
    g_autoptr(GError) fault = NULL;
    g_autoptr(GDir) folder = g_dir_open(path, 0, &fault);
    if (folder == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "%s: %s", lp_file_label(path),
                    lp_file_reason(fault));
        return FALSE;
    }
    const char *name;
    while ((name = g_dir_read_name(folder)) != NULL) {
        g_autofree char *within = g_build_filename(path, name, NULL);
        gboolean is_read = lp_read_files_has(within);
        if (g_strv_contains(names, name) && !is_read)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                    "%s: got a folder that holds %s%s, wanted a new or an empty one", path, name,
                    is_read ? ", which is read" : "");
        return FALSE;
    }
    return try_beside(place, error);
}

/* Removes @folder with all its files; it has no folders. */
static void
remove_all(const char *folder)
{
    g_autoptr(GDir) all = g_dir_open(folder, 0, NULL);
    const char *name;
    while (all != NULL && (name = g_dir_read_name(all)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        (void)g_unlink(path);
    }
    (void)g_rmdir(folder);
}

static gboolean
write_files(const char *folder, const LpFolderFile *files, guint n, GError **error)
{
    for (guint i = 0; i < n; i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        if (!lp_file_write(path, files[i].text, files[i].length, error))
            return FALSE;
    }
    return TRUE;
}

/* Puts the new folder in its place. An existing folder is exchanged with the new one, which takes
 * its mode, and is then removed. */
static gboolean
put(const char *made, const char *path, GError **error)
{
    struct stat old;
    gboolean is_there = stat(path, &old) == 0;
    if (is_there && g_chmod(made, old.st_mode & 07777) != 0)
        return fail(path, errno, error);
    if (renameat2(AT_FDCWD, made, AT_FDCWD, path, is_there ? RENAME_EXCHANGE : 0) != 0)
        return fail(path, errno, error);
    if (is_there)
        remove_all(made);
    return TRUE;
}

gboolean
lp_folder_write(const char *path, const LpFolderFile *files, guint n, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < n; i++)
        g_ptr_array_add(names, (gpointer)(guintptr)files[i].name);
    g_ptr_array_add(names, NULL);
    if (!lp_folder_check(path, (const char *const *)names->pdata, error))
        return FALSE;
    g_auto(LpHeldSignals) held = lp_held_signals_begin();
    g_autofree char *place = place_of(path, error);
    g_autofree char *made = place != NULL ? new_beside(place, error) : NULL;
    if (made == NULL)
        return FALSE;
    if (write_files(made, files, n, error) && put(made, place, error))
        return TRUE;
    remove_all(made);
    return FALSE;
}

/* Whether a file can be made in @path; none stays. */
static gboolean
try_inside(const char *path)
{
    g_auto(LpHeldSignals) held = lp_held_signals_begin();
    g_autofree char *trial = g_build_filename(path, "XXXXXX", NULL);
    int fd = g_mkstemp(trial);
    if (fd < 0)
        return FALSE;
    (void)g_unlink(trial);
    return close(fd) == 0;
}

char *
lp_folder_make(const char *path, GError **error)
{
    g_autofree char *first = g_strdup("");
    g_autofree char *at = g_strdup(path);
    while (*at != '\0' && !g_file_test(at, G_FILE_TEST_EXISTS)) {
        g_autofree char *above = g_path_get_dirname(at);
        g_free(first);
        first = g_steal_pointer(&at);
        at = g_steal_pointer(&above);
    }
    if (g_mkdir_with_parents(path, 0777) == 0 && try_inside(path))
        return g_steal_pointer(&first);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "%s: %s, wanted a folder to write to",
                lp_file_label(path), g_strerror(errno));
    lp_folder_unmake(path, first);
    return NULL;
}

void
lp_folder_unmake(const char *path, const char *first)
{
    g_autofree char *at = g_strdup(path);
    while (*first != '\0' && strlen(at) >= strlen(first)) {
        g_autofree char *above = g_path_get_dirname(at);
        (void)g_rmdir(at);
        if (strlen(above) >= strlen(at))
            return;
        g_free(at);
        at = g_steal_pointer(&above);
    }
}
