/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of pages on one run of one workload. */
#pragma once

#include "report/page.h"

G_BEGIN_DECLS

/** Figures to begin with. @at: JSON pointer of the run: what "simulate" prints, or a job of a
 * scenario; "" for the whole document. */
void lp_page_run_add_summary(LpPage *self, const char *at);
/** Adds a plot of the iteration's terms beside those of closed forms, and the difference as a
 * waterfall. @id: makes the ids of plots unique; @level: of headings. Other parameters as of
 * lp_page_run_add_summary(). */
void lp_page_run_add_times(LpPage *self, const char *at, const char *id, guint level);
/** Bytes by class, memory, circuits, energy, cost. Parameters as of lp_page_run_add_times(). */
void lp_page_run_add_needs(LpPage *self, const char *at, const char *id, guint level);
/** The plan, with where each attribute is from. Parameters as of lp_page_run_add_times(). */
void lp_page_run_add_plan(LpPage *self, const char *at, guint level);
/** The engine's settings. Parameters as of lp_page_run_add_times(). */
void lp_page_run_add_engine(LpPage *self, const char *at, guint level);
/** Warnings, if there are any. */
void lp_page_run_add_warnings(LpPage *self, const char *at);

G_END_DECLS
