/* SPDX-License-Identifier: Apache-2.0 */
/* Writes workloads, platforms and commands of rows. */
#include "validation/cases/training_inputs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "validation/cases/training_case.h"
#include "workloads/description/routing_table.h"
#include "workloads/description/workload_text.h"

#include <glib/gstdio.h>

#include <string.h>

/* The folder in which files are written. */
typedef struct {
    const char *folder; /* borrowed */
    GPtrArray *made;    /* owned, of the owned: paths of files that were not there before */
} Target;

static gboolean
write_beside(const Target *to, const char *name, const char *ending, const char *text,
             GError **error)
{
    g_autofree char *file = g_strconcat(name, ending, NULL);
    g_autofree char *path = g_build_filename(to->folder, file, NULL);
    gboolean is_new = !g_file_test(path, G_FILE_TEST_EXISTS);
    if (!lp_file_write(path, text, strlen(text), error))
        return FALSE;
    if (is_new)
        g_ptr_array_add(to->made, g_steal_pointer(&path));
    return TRUE;
}

/* What the row states and what was filled in. Returns: (transfer full), NULL-ended. */
static char **
sources_of(const LpTableRow *row, const LpOutcome *outcome)
{
    GPtrArray *sources = g_ptr_array_new();
    g_ptr_array_add(sources, g_strdup_printf("%s, %s", lp_table_text(row, "source"),
                                             lp_table_text(row, "where")));
    for (guint i = 0; i < outcome->inferred->len; i++)
        g_ptr_array_add(sources,
                        g_strdup_printf("Inferred: %s", (const char *)outcome->inferred->pdata[i]));
    g_ptr_array_add(sources, NULL);
    return (char **)g_ptr_array_free(sources, FALSE);
}

/* Commands run in another folder than that from which a row names a file; @words are no files. */
static void
anchor(char **path, const char *const *words)
{
    if (g_strv_contains(words, *path))
        return;
    char *whole = g_canonicalize_filename(*path, NULL);
    g_free(*path);
    *path = whole;
}

/* A file's name that is no other row's, no option and not hidden. Returns: (transfer full). */
static char *
new_name(const char *id, GHashTable *taken)
{
    g_autofree char *name = g_strndup(id, 64);
    g_strcanon(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", '_');
    if (*name == '-' || *name == '.')
        *name = '_';
    char *own = g_strdup(name);
    for (guint n = 2; g_hash_table_contains(taken, own); n++) {
        g_free(own);
        own = g_strdup_printf("%s-%u", name, n);
    }
    g_hash_table_add(taken, g_strdup(own));
    return own;
}

static gboolean
write_case(const LpTrainingCase *self, const LpTableRow *row, const LpOutcome *outcome,
           const Target *to, const char *name, GError **error)
{
    static const char *const placements[] = {"packed", "scattered", NULL};
    static const char *const tables[] = {LP_ROUTING_NONE, NULL};
    anchor(&self->workload->placement, placements);
    anchor(&self->workload->routing, tables);
    g_auto(GStrv) sources = sources_of(row, outcome);
    g_autofree char *workload = lp_workload_to_xml(self->workload, (const char *const *)sources);
    return write_beside(to, name, ".workload.xml", workload, error) &&
           write_beside(to, name, ".platform.xml", self->platform, error);
}

/* The line of commands.sh. */
static gboolean
write_row(const LpTableRow *row, const Target *to, GHashTable *taken, GString *commands,
          GError **error)
{
    g_autofree char *id = lp_table_id(row);
    g_autofree char *name = new_name(id, taken);
    g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, id, "");
    g_auto(LpTrainingCase) restated = {.workload = NULL};
    g_autoptr(GError) fault = NULL;
    if (!lp_training_case_read(&restated, row, outcome, &fault)) {
        g_autofree char *reason = g_strdup(fault->message);
        g_strdelimit(reason, "\n\r", ' ');
        g_string_append_printf(commands, "# %s: %s\n", name, reason);
        return TRUE;
    }
    g_string_append_printf(commands,
                           "lightpath simulate %s.workload.xml %s.platform.xml --ignore-memory "
                           "--approximate\n",
                           name, name);
    return write_case(&restated, row, outcome, to, name, error);
}

static gboolean
write_all(const LpTable *table, const Target *to, GError **error)
{
    g_autoptr(GString) commands = g_string_new("#!/bin/sh\n");
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < lp_table_n_rows(table); i++)
        if (!write_row(lp_table_row(table, i), to, taken, commands, error))
            return FALSE;
    return write_beside(to, "commands", ".sh", commands->str, error);
}

gboolean
lp_training_inputs_write(const LpTable *table, const char *folder, GError **error)
{
    if (lp_table_kind(table) != LP_TABLE_TRAINING) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got rows of %s, wanted training, to write workloads of",
                    lp_table_path(table), lp_table_kind_names[lp_table_kind(table)]);
        return FALSE;
    }
    g_autofree char *first = lp_folder_make(folder, error);
    if (first == NULL)
        return FALSE;
    g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
    gboolean good = write_all(table, &(Target){folder, made}, error);
    for (guint i = 0; !good && i < made->len; i++)
        (void)g_unlink(made->pdata[i]);
    if (!good)
        lp_folder_unmake(folder, first);
    return good;
}
