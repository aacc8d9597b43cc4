/* SPDX-License-Identifier: Apache-2.0 */
/* The communication libraries (platforms/libraries.xml): every number has a source there. */
#pragma once

#include "model/network/library.h"

G_BEGIN_DECLS

#define LP_LIBRARY_AUTO "auto" /* instead of a name: that of the accelerator */
#define LP_LIBRARY_SINGLE_RING                                                                     \
    "single-ring" /* name of the library without costs of its own: rings over one card */

/** Whether @name, which a plan gives of a library or a protocol, is one, or the machine's is to be
 * taken: "" and LP_LIBRARY_AUTO. */
gboolean lp_library_is_named(const char *name) G_GNUC_PURE;
/** @name, or LP_LIBRARY_AUTO where it is none. */
const char *lp_library_name_or_auto(const char *name) G_GNUC_PURE;
/** Looks @name up among the shipped libraries; latencies in @out_library are seconds, rates
 * bytes/s. Errors: LP_INPUT_ERROR_NAME with the known names. */
gboolean lp_library_find(const char *name, LpLibrary *out_library,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Looks @name up in the text of another such file; @path: what messages call it. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: got, wanted". */
gboolean lp_library_parse(const char *path, GBytes *content, const char *name,
                          LpLibrary *out_library, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Finds the library called @name. LP_LIBRARY_AUTO is the library that lists @accelerator, a name
 * of the catalogue with or without words behind it that say what was modified, for domains of
 * @domain_size; LP_LIBRARY_SINGLE_RING where none does. @on_pcie: libraries for PCIe are preferred.
 */
gboolean lp_library_find_for(const char *name, const char *accelerator, gboolean on_pcie,
                             guint64 domain_size, LpLibrary *out_library,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The changes that the transport called @name makes to libraries, as a library of its own: see
 * lp_library_take_transport(). @out_rate_bytes_per_s: the most that a card carries. Errors:
 * LP_INPUT_ERROR. */
gboolean lp_library_find_transport(const char *name, LpLibrary *out_transport,
                                   double *out_rate_bytes_per_s,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Keeps of @self only the protocol called @name: every choice takes it. Errors:
 * LP_INPUT_ERROR_NAME with the known names. */
gboolean lp_library_restrict(LpLibrary *self, const char *name,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The names of all, in the file's order. Errors: LP_INPUT_ERROR, where the shipped file cannot be
 * read. Returns: (transfer full), NULL-ended. */
char **lp_library_names(GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The names of those whose tables were measured on @accelerator, a name as of
 * lp_library_find_for(). Errors and result as of lp_library_names(). */
char **lp_library_names_measured_on(const char *accelerator,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
