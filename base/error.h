/* SPDX-License-Identifier: Apache-2.0 */
/* The error domains of folders that cannot be seen from outside, and the one-line rule for
 * messages. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Errors of reading and writing files and text. */
#define LP_INPUT_ERROR (lp_input_error_quark())
/** The domain of LP_INPUT_ERROR. */
GQuark lp_input_error_quark(void);

/** Codes of LP_INPUT_ERROR. */
typedef enum {
    LP_INPUT_ERROR_FILE,   /**< A file cannot be read or written: choose another. */
    LP_INPUT_ERROR_SYNTAX, /**< XML or a number is malformed: correct the text. */
    LP_INPUT_ERROR_VALUE,  /**< A value is out of its range: choose another. */
    LP_INPUT_ERROR_NAME,   /**< A name is not known: choose a listed one. */
    LP_INPUT_ERROR_USAGE,  /**< The command line is wrong (exit status 2). */
    LP_INPUT_ERROR_SHORT,  /**< Open files, memory or a disk are used up: the input may be right. */
} LpInputError;

/** Errors of child processes (base/child_process.h), which simulations hand on. */
#define LP_CHILD_PROCESS_ERROR (lp_child_process_error_quark())
GQuark lp_child_process_error_quark(void);

/** Codes of LP_CHILD_PROCESS_ERROR. */
typedef enum {
    /** No further process or pipe: have fewer at a time. Or what runs once in a process would run
     * again: give it one of its own. */
    LP_CHILD_PROCESS_ERROR_START,
    LP_CHILD_PROCESS_ERROR_RESULT, /**< It ended without its result: it crashed or was ended. */
} LpChildProcessError;

/** Whether @error says that something of this computer is used up, so that nothing is known of the
 * input: LP_INPUT_ERROR_SHORT, or of LP_CHILD_PROCESS_ERROR. */
gboolean lp_error_is_shortage(const GError *error);

/** Sets an error of LP_INPUT_ERROR_VALUE. Returns: FALSE. */
gboolean lp_value_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** @text in double quotes as messages show it: one line, printable, cut after 60 characters.
 * Returns: (transfer full). */
char *lp_error_quote(const char *text);

G_END_DECLS
