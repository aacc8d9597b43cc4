/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other programs, which people take for ours. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Where @content, which does not follow the schema at @schema_resource, is a file of another
 * program's or no XML at all, says that in place of @io_error (out, may be NULL), and which command
 * helps: "PATH: got what it is, wanted what". Nothing where the schema is not of something that
 * people write, or the file is a faulty one of ours. */
void lp_foreign_file_explain(const char *path, GBytes *content, const char *schema_resource,
                             GError **io_error);

G_END_DECLS
