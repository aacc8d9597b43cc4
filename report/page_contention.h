/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of pages on contention. */
#pragma once

#include "report/page.h"

G_BEGIN_DECLS

/** All sections of the contention of one job. @at: its JSON pointer, "" for the whole document.
 * @id: makes the ids of plots unique; @level: of headings. */
void lp_page_contention_add(LpPage *self, const char *at, const char *id, guint level);

G_END_DECLS
