/* SPDX-License-Identifier: Apache-2.0 */
/* In which jobs an attribute has a meaning at all: frameworks set it in no others. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The jobs in which the attribute called @name has a meaning, as conditions of frameworks,
 * "tp>1 pp>1"; NULL: all, or there is no such attribute. Static. */
const char *lp_applies_to(const char *name);

G_END_DECLS
