/* SPDX-License-Identifier: Apache-2.0 */
/* Programs by hand (docs/program-format.md) where workloads are taken. */
#pragma once

#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/** The folder of shipped programs by hand. */
#define LP_GIVEN_WORKLOAD_FOLDER "workloads/programs"

/** Whether @path, a file or embedded, is a program by hand. */
gboolean lp_given_workload_is_file(const char *path);
/** The file of the shipped workload or program called @name, or a path as lp_file_find() takes it.
 * Errors: as that. Returns: (transfer full). */
char *lp_given_workload_find(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the file of @self, which has defaults only, as such a program. Errors: LP_INPUT_ERROR,
 * "FILE:LINE: ...". */
gboolean lp_given_workload_read(LpWorkload *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether a workload like @self has an attribute @name: all have but programs by hand, which have
 * few. Error: LP_INPUT_ERROR_NAME, "got, wanted". */
gboolean lp_given_workload_has_attribute(const LpWorkload *self, const char *name,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Sets an error if @workload is a program by hand: @what is for Transformers. Error:
 * LP_INPUT_ERROR_VALUE, "FILE: got, wanted". Returns: FALSE with the error. */
gboolean lp_given_workload_refuse(const LpWorkload *workload, const char *what,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
