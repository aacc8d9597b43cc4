/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a command from writing over what it reads, twice to one file, or where it cannot, and from
 * losing all of its outputs with one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A file that an option names; @path may be NULL. */
typedef struct {
    const char *option, *path; /* borrowed */
    gboolean is_folder;        /**< which lp_folder_check() tries */
} LpOutputPath;

/** What a command reads: @arguments, NULL-ended, and @settings, "NAME=VALUE", NULL-ended or NULL,
 * of which some name files. Returns: (transfer container). */
char **lp_inputs(char *const *arguments, char *const *settings);

/** Checks that no two of @outputs are one file, that none lies in a folder that is another, that
 * none was read or is one of @inputs, NULL-ended names of the command line, of which some may be no
 * files and others "NAME=FILE", and that each can be written (lp_file_check_output()). Devices may
 * be named twice. Errors: a usage error that names the option; LP_INPUT_ERROR_FILE. */
gboolean lp_check_outputs(const LpOutputPath *outputs, guint n_outputs, char *const *inputs,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Joins two outputs, of which one is tried whatever became of the other: whether both are good.
 * @io_fault: of the second, which becomes @error if the first was good, and is else forgotten. */
gboolean lp_outputs_join(gboolean is_good, gboolean is_other_good, GError **io_fault,
                         GError **error);

G_END_DECLS
