/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of files and texts that users give, behind one door. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The number of the reader called @name, "workload"; negative: there is none. */
gint lp_fuzz_reader(const char *name);
/** Has reader number @reader read @length bytes of @data, as a file or as text, and forgets what it
 * gives. Ends the process where the reader breaks a promise. Returns: whether there was no error;
 * with LIGHTPATH_SHOW in the environment errors are printed. */
gboolean lp_fuzz_read(gint reader, const guint8 *data, gsize length);

G_END_DECLS
