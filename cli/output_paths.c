/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two names are one file, by device and inode where both exist, and whether they can be
 * written. */
#include "cli/output_paths.h"

#include "base/file.h"
#include "base/read_files.h"
#include "cli/options.h"

#include <glib/gstdio.h>
#include <string.h>

static gboolean
is_same_file(const char *a, const char *b)
{
    GStatBuf of_a, of_b;
    gboolean has_a = g_stat(a, &of_a) == 0, has_b = g_stat(b, &of_b) == 0;
    if (has_a && has_b)
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    g_autofree char *full_a = g_canonicalize_filename(a, NULL);
    g_autofree char *full_b = g_canonicalize_filename(b, NULL);
    return !has_a && !has_b && strcmp(full_a, full_b) == 0;
}

/* Whether the file @path would lie in the folder @folder, which is replaced as a whole. */
static gboolean
lies_in(const char *path, const char *folder)
{
    g_autofree char *above = g_path_get_dirname(path);
    GStatBuf of_above, of_folder;
    return g_stat(above, &of_above) == 0 && g_stat(folder, &of_folder) == 0 &&
           of_above.st_dev == of_folder.st_dev && of_above.st_ino == of_folder.st_ino;
}

/* The option of another of @outputs that would be written over; NULL: none would. */
static const char *
clashes(const LpOutputPath *outputs, guint n_outputs, guint at)
{
    const LpOutputPath *output = &outputs[at];
    for (guint i = 0; i < n_outputs; i++) {
        const LpOutputPath *other = &outputs[i];
        if (i == at || other->path == NULL)
            continue;
        if ((i < at && is_same_file(output->path, other->path)) ||
            (other->is_folder && !output->is_folder && lies_in(output->path, other->path)))
            return other->option;
    }
    return NULL;
}

static gboolean
is_read(const char *path, const char *word)
{
    const char *value = strchr(word, '=');
    return (g_file_test(word, G_FILE_TEST_EXISTS) && is_same_file(path, word)) ||
           (value != NULL && g_file_test(value + 1, G_FILE_TEST_EXISTS) &&
            is_same_file(path, value + 1));
}

static gboolean
is_input(const LpOutputPath *output, char *const *inputs, GError **error)
{
    gboolean found = lp_read_files_has(output->path);
    for (; *inputs != NULL && !found; inputs++)
        found = is_read(output->path, *inputs);
    if (found)
        lp_usage_error(error, "%s: got \"%s\", which is read, wanted another file", output->option,
                       output->path);
    return found;
}

char **
lp_inputs(char *const *arguments, char *const *settings)
{
    GPtrArray *words = g_ptr_array_new();
    for (; *arguments != NULL; arguments++)
        g_ptr_array_add(words, *arguments);
    for (; settings != NULL && *settings != NULL; settings++)
        g_ptr_array_add(words, *settings);
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

gboolean
lp_check_outputs(const LpOutputPath *outputs, guint n_outputs, char *const *inputs, GError **error)
{
    for (guint i = 0; i < n_outputs; i++) {
        const LpOutputPath *output = &outputs[i];
        if (output->path == NULL)
            continue;
        if (is_input(output, inputs, error))
            return FALSE;
        const char *other = clashes(outputs, n_outputs, i);
        if (other != NULL)
            return lp_usage_error(error, "%s: got \"%s\", as %s, wanted another file",
                                  output->option, output->path, other);
        if (!output->is_folder && !lp_file_check_output(output->path, error))
            return FALSE;
    }
    return TRUE;
}

gboolean
lp_outputs_join(gboolean is_good, gboolean is_other_good, GError **io_fault, GError **error)
{
    if (is_good && !is_other_good)
        g_propagate_error(error, g_steal_pointer(io_fault));
    g_clear_error(io_fault);
    return is_good && is_other_good;
}
