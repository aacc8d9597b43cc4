/* SPDX-License-Identifier: Apache-2.0 */
/* Writes several files as one folder, whole or not at all. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A file of a folder. */
typedef struct {
    const char *name; /* borrowed: without a '/' */
    const char *text; /* borrowed */
    gsize length;     /**< of the text, bytes */
} LpFolderFile;

/** Whether lp_folder_write() could replace @path: nothing is there, or a folder that holds nothing
 * but files called as one of the NULL-ended @names, and a folder can be made beside it, which is
 * tried. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_folder_check(const char *path, const char *const *names,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Makes the folder @path of @n @files, through a folder beside it that is renamed; one that
 * lp_folder_check() lets pass is replaced, and its mode stays. Errors: LP_INPUT_ERROR_FILE,
 * "PATH: reason". */
gboolean lp_folder_write(const char *path, const LpFolderFile *files, guint n,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Makes the folder @path, and those above it, unless it is there, and tries whether files can be
 * made in it. Errors: LP_INPUT_ERROR_FILE; no
 * folder stays then. Returns: (transfer full) the uppermost that was made, "" if none was. */
char *lp_folder_make(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Removes folders that lp_folder_make() made, from @path up to @first, as far as they are empty.
 */
void lp_folder_unmake(const char *path, const char *first);

G_END_DECLS
