/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other programs, which people take for ours. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Improves the error of a file that does not follow the schema at @schema_resource. If @content is
 * a file of another program or no XML at all, @io_error (out, may be NULL) says so, and which
 * command helps: "PATH: got what it is, wanted what". Files of schemas that people do not write,
 * and faulty files of ours, keep their error. */
void lp_foreign_file_explain(const char *path, GBytes *content, const char *schema_resource,
                             GError **io_error);

G_END_DECLS
