/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerators, communication libraries and measured kernels of the user's, beside the shipped
 * ones. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Kinds of files: of accelerators, of libraries, of measured kernels. */
#define LP_OWN_DATA_KINDS 3

/** The user's files. */
typedef struct {
    const char *paths[LP_OWN_DATA_KINDS]; /**< borrowed from the command line; NULL: none */
} LpOwnData;

/**
 * Takes "--catalogue=FILE", "--libraries=FILE" and "--kernels-table=FILE" out of @argv, and puts
 * what these files hold before the shipped entries, so that an entry of the same name takes the
 * place of the shipped one; "--products=SHARE" is a table of measured kernels that holds for every
 * accelerator.
 * Of "tune" only a FILE that ends in ".xml" is one.
 * To be called before anything shipped is read. @io_argc, @argv: as main() has them.
 * Errors: LP_INPUT_ERROR_USAGE, LP_INPUT_ERROR_FILE, LP_INPUT_ERROR_SYNTAX.
 */
gboolean lp_own_data_take(LpOwnData *self, int *io_argc, char **argv,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Names the user's file in @error where it names the shipped one that it stands before. */
void lp_own_data_name_files(const LpOwnData *self, GError *error);

G_END_DECLS
