/* SPDX-License-Identifier: Apache-2.0 */
/* The part of pages about an observed run: its timeline, the machine's links, who sends to whom. */
#pragma once

#include "report/page.h"

G_BEGIN_DECLS

/** Adds the sections of "observed" of the document, if it has that. */
void lp_page_observed_add(LpPage *self);

G_END_DECLS
