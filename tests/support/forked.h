/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a test in a process of their own: the engine loads one platform and runs once a process.
 *
 * The child is a copy of the test program, so that its assertions would be counted in a registry
 * that ends with it. They come home through a pipe instead: each of its failures is a failure of
 * the test that started it, with the child's own label and text. */
#pragma once

#include <glib.h>

/** Runs @work in a child process. A failed assertion of the child, a FALSE that @work returns, and
 * an end by a signal or an exit status are failures of the running test, shown with @label.
 *
 * @work: computes @size bytes at @result, which are zero before, from @input. It must not use
 * assertions that end a test (CU_..._FATAL).
 * @result: (out) what @work left there; unchanged if the child did not bring it home.
 * Returns: TRUE if the child did, and nothing in it failed. */
gboolean lp_forked_result(const char *label, gboolean (*work)(const void *input, void *result),
                          const void *input, void *result, gsize size);

/** Runs @work in a child process as lp_forked_result() does, for a result of any length: what
 * @work appends to @text. Returns: (transfer full) that text; "" after a failure. */
char *lp_forked_text(const char *label, gboolean (*work)(const void *input, GString *text),
                     const void *input);
