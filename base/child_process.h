/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function in a forked child process and brings its result home through a pipe. */
#pragma once

#include "base/error.h"

#include <glib.h>

G_BEGIN_DECLS

/** The work of a child process. It reads @data, which is a copy of the parent's memory, and leaves
 * its result in @result, or an error, which the parent gets in place of the result. FALSE without
 * an error counts as a crash. */
typedef gboolean (*LpChildWork)(const void *data, GByteArray *result, GError **error);

/** A child process that runs, or has ended and left its result. */
typedef struct LpChildProcess LpChildProcess;

/**
 * Forks a child that runs @work and ends. The parent must have no other threads.
 * @name: begins error messages; borrowed for as long as the child process exists.
 * @data: borrowed, until this returns.
 * @size_bytes: @work finds so many zero bytes in its result, which it fills or appends to.
 * Errors: LP_CHILD_PROCESS_ERROR_START. Returns: (transfer full).
 */
LpChildProcess *lp_child_process_start(const char *name, LpChildWork work, const void *data,
                                       gsize size_bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Memory that parent and child share, in which the child writes how far it has come. */
typedef struct LpChildBoard LpChildBoard;

/** The board of this process, on which its own children may write, too. NULL: this process is no
 * child, or there was no memory for a board. Returns: (transfer none). */
LpChildBoard *lp_child_process_board(void);
/** Writes on @self (or NULL) that @n_done of @n_all steps are done. May be called at any rate. */
void lp_child_board_write(LpChildBoard *self, double n_done, guint64 n_all);
/** Writes progress on the board of this process; the signature is that of a run's progress
 * callback. @data: is ignored. */
void lp_child_process_report(double n_done, guint64 n_all, void *data);
/** The progress that the child reported last, as a share from 0 to 1. */
double lp_child_process_share(const LpChildProcess *self);

/** Waits until the child has ended. @progress: called meanwhile with what the child reports; or
 * NULL. */
void lp_child_process_wait(LpChildProcess *self,
                           void (*progress)(double n_done, guint64 n_all, void *data), void *data);

/** Waits until the child has ended, and frees it.
 * @self: (transfer full).
 * @out_result: @size_bytes bytes, the child's whole result; after an error undefined.
 * @io_peak_rss_bytes: the child's peak of resident memory, bytes, is added; or NULL.
 * Errors: as lp_child_process_check(), also if it left another number of bytes. */
gboolean lp_child_process_finish(LpChildProcess *self, void *out_result, gsize size_bytes,
                                 guint64 *io_peak_rss_bytes,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Waits until at least one of @children says something or ends, @patience_ms milliseconds at
 * most (-1: no limit); reads what has come. Several may have ended then
 * (lp_child_process_has_ended()).
 * @children: @n, borrowed; NULL and ended ones are passed over. If none is left, returns at once.
 */
void lp_child_process_wait_any(LpChildProcess *const *children, guint n, int patience_ms);
/** Whether the child was seen to end, by lp_child_process_wait_any(). */
gboolean lp_child_process_has_ended(const LpChildProcess *self);
/** Whether the ended child has done its work. Errors: the one that its work gave, with its domain
 * and code; LP_CHILD_PROCESS_ERROR_RESULT if it crashed. */
gboolean lp_child_process_check(const LpChildProcess *self,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether the ended child has left an error of its work, in place of a crash. */
gboolean lp_child_process_left_error(const LpChildProcess *self);
/** The exit status of an ended child, as waitpid(2) gives it; 0 if it ended well. */
int lp_child_process_status(const LpChildProcess *self);
/** The bytes of the child's result that have come so far. Returns: (transfer none), until @self is
 * freed. */
const GByteArray *lp_child_process_result(const LpChildProcess *self);

/** Ends a child that still runs (SIGKILL), without waiting for it. */
void lp_child_process_kill(LpChildProcess *self);
/** Ends a child that still runs, waits for its end, and frees it; NULL is nothing. */
void lp_child_process_free(LpChildProcess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpChildProcess, lp_child_process_free)

G_END_DECLS
