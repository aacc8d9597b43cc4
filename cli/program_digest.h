/* SPDX-License-Identifier: Apache-2.0 */
/* What tells the results of one version of the program from those of another. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A digest of the program's own file, shipped data included, and of the user's accelerators and
 * libraries; NULL where that file cannot be read. Returns: (transfer full), hexadecimal. */
char *lp_program_digest(void);

G_END_DECLS
