/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the processes that share a store live: each holds a lock on a byte of the file that
 * SQLite has no use for, and which the kernel gives up when the process ends, however it ends. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A place among the processes of a file. */
typedef struct {
    int file;    /**< a descriptor, which holds the lock; negative: none is held */
    gint64 slot; /**< its number, from 0 */
} LpStudyOwnership;

/** Takes the first free place of @path. Errors: LP_INPUT_ERROR_FILE, "PATH: got, wanted". */
gboolean lp_study_owner_take(const char *path, LpStudyOwnership *out,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether another process holds @slot. */
gboolean lp_study_owner_lives(const LpStudyOwnership *self, gint64 slot);
/** Gives the place up; SQLite must have closed the file, since that would end its locks, too. */
void lp_study_owner_leave(LpStudyOwnership *self);

G_END_DECLS
