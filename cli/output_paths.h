/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a command from writing over what it reads, or twice to one file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A file that an option names; @path may be NULL. */
typedef struct {
    const char *option, *path; /* borrowed */
} LpOutputPath;

/** Checks that no two of @outputs are one file and that none is one of @inputs, NULL-ended names
 * of the command line, of which some may be no files. Devices may be named twice. Errors: a usage
 * error that names the option. */
gboolean lp_check_outputs(const LpOutputPath *outputs, guint n_outputs, char *const *inputs,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
