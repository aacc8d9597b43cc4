/* SPDX-License-Identifier: Apache-2.0 */
/* What is safe to print: the line that a command says on standard error, and what it says on
 * standard output. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A line is at most so long, bytes, with the program's name before it and without its end. */
#define LP_MESSAGE_MAX 300

/** @text as one line of valid UTF-8 of at most @most bytes: what a terminal would not print but
 * obey (control sequences, marks that turn the direction of writing) and bytes of no character are
 * escaped ("\x1b", "\u202e"), and a text that is too long loses its middle: where it happened and
 * what was wanted stand at its ends. @most: at least 100. Returns: (transfer full). */
char *lp_message_line(const char *text, gsize most);

/** @text, of many lines, escaped in the same way; what begins as JSON, a page or XML is escaped as
 * strings or references of these are. Returns: (transfer full). */
char *lp_message_text(const char *text);

/** Prints "lightpath: @text". */
void lp_message_print(const char *text);

G_END_DECLS
