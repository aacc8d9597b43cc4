/* SPDX-License-Identifier: Apache-2.0 */
/* Writes result files whole or not at all, and finds shipped files by name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Writes @text to @path through a temporary file beside it, synced and renamed, so that a full
 * disk never leaves a half-written file. "-" is standard output; a device or pipe is written
 * directly. What was read (base/read_files.h) is not written over. Errors: LP_INPUT_ERROR_FILE,
 * "PATH: reason".
 */
gboolean lp_file_write(const char *path, const char *text, gsize length,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Tries, before anything is computed, whether lp_file_write() could write to @path; nothing is
 * left there. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_file_check_output(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The path that a name on the command line means: lp_file_argument() if lp_file_is_path(), else
 * the shipped file "resource:///lightpath/@folder/@name.xml". Errors: LP_INPUT_ERROR_NAME with a
 * shipped name that is like it, if one is. Returns: (transfer full). */
char *lp_file_find(const char *folder, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether a name on the command line is a path: "-", a file that is there, or what looks like one
 * (a '/' or ".xml"). */
gboolean lp_file_is_path(const char *name);

/**
 * The path that @name on the command line means: "-" is standard input. What a pipe among the
 * descriptors brings ("-", "/dev/stdin", "/dev/fd/63") is kept in memory, so that it can be read
 * more than once. Errors: LP_INPUT_ERROR_FILE. Returns: (transfer full).
 */
char *lp_file_argument(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @path names a file that is embedded, with nothing of the user's laid over such files. */
gboolean lp_file_is_shipped(const char *path);

/** The name of a file for people: the base name of a shipped file, else the path, or two quotation
 * marks where the path is empty. Borrowed from @path. */
const char *lp_file_label(const char *path);

/** Why GLib failed with a file: what stands behind the last colon of its message, which names the
 * file before. Borrowed from @fault. */
const char *lp_file_reason(const GError *fault);

/** The names of the shipped files in "/lightpath/@folder" without ".xml", sorted.
 * Returns: (transfer full), NULL-ended. */
char **lp_file_shipped(const char *folder);

/**
 * A file in memory that holds @text, for libraries that read files only: whatever ends the process,
 * nothing of it stays. @out_path: (transfer full), by which this process can open it until the
 * descriptor is closed. Returns: the descriptor, to be closed; -1 with LP_INPUT_ERROR_FILE, also
 * where no descriptor is left to open it by.
 */
int lp_file_in_memory(const char *text, gsize length, char **out_path,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** All that is in the file @fd, wherever its offset stands; up to an error, if there is one.
 * Returns: (transfer full). */
char *lp_file_whole(int fd);
/** Whether there can be one now: for who has many runs made that need one each, and would take the
 * same failure of all for a property of each. Errors: as of lp_file_in_memory(). */
gboolean lp_file_check_memory(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The bytes of a shipped or plain file, of at most 64 MiB. Errors: LP_INPUT_ERROR_FILE,
 * "PATH: reason". Returns: (transfer full). */
GBytes *lp_file_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads so a file of at most @n_most bytes. */
GBytes *lp_file_read_at_most(const char *path, gsize n_most,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The text of a file without the UTF-8 byte-order mark that some editors put before it. @length:
 * in bytes; reduced by the length of the mark. Borrowed from @text. */
const char *lp_file_skip_mark(const char *text, gsize *length);

G_END_DECLS
