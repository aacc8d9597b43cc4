/* SPDX-License-Identifier: Apache-2.0 */
/* A page of results under construction: text, tables and plots of one JSON document, which the page
 * holds. Every number on it is a <data> element that says where in the document it stands. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** How a number is shown. */
typedef enum {
    LP_PAGE_PLAIN, /**< a count or a bare number, as it is */
    LP_PAGE_SHARE, /**< a fraction, in per cent */
    LP_PAGE_TIME,  /**< from here on with a unit, in the base unit of the document */
    LP_PAGE_SIZE,
    LP_PAGE_BANDWIDTH,
    LP_PAGE_POWER,
    LP_PAGE_ENERGY,
    LP_PAGE_PRICE,
    LP_PAGE_TFLOPS /**< 1e12 FLOP/s */
} LpPageUnit;

/** A page. */
typedef struct {
    GString *text;          /* owned */
    const json_t *document; /* borrowed */
    json_t *plots;          /* owned: what the page's script draws */
} LpPage;

/** What stands at the JSON pointer @at (RFC 6901) of the document; NULL: nothing. Borrowed. */
const json_t *lp_page_get(const LpPage *self, const char *at);
/** @prefix and what @format makes, a JSON pointer. Returns: (transfer full). */
char *lp_page_at(const char *prefix, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Begins a section with a heading. @level: of it, 2 or 3. @text: no number. */
void lp_page_heading(LpPage *self, guint level, const char *text);
/** Adds what stands at @at: a number as @unit says, a text as it is, a dash for nothing. */
void lp_page_value(LpPage *self, const char *at, LpPageUnit unit);

/** Begins a list of large figures. */
void lp_page_begin_figures(LpPage *self);
/** Adds one, if there is anything at @at. */
void lp_page_figure(LpPage *self, const char *name, const char *at, LpPageUnit unit);
void lp_page_end_figures(LpPage *self);

/** Begins a table. @columns: their names, parted by '|'; those after the first @n_texts are of
 * numbers. @label: its accessible name. */
void lp_page_begin_table(LpPage *self, const char *label, const char *columns, guint n_texts);
/** Begins a row of it, or another one. */
void lp_page_row(LpPage *self);
void lp_page_cell_text(LpPage *self, const char *text);
/** A cell with what stands at @at. */
void lp_page_cell(LpPage *self, const char *at, LpPageUnit unit);
/** A cell with @key, a key of the document at @at, which ends with it. */
void lp_page_cell_key(LpPage *self, const char *at, const char *key);
void lp_page_end_table(LpPage *self);

/** Adds a plot. @spec: "NAME" of report/page/NAME.vega.json. @id: of the element, unique. @label:
 * its accessible name. @caption: below it, HTML without numbers. @data: (transfer full) by data set
 * of the specification, its rows or the JSON pointer of an array in the document. */
void lp_page_plot(LpPage *self, const char *id, const char *spec, const char *label,
                  const char *caption, json_t *data);

/** Begins a page about @document, which is borrowed. @title: of the window. */
LpPage lp_page_begin(const json_t *document, const char *title);
/** Ends the page, and frees what @self owns. @vega: the library of plots. Returns: (transfer full).
 */
char *lp_page_end(LpPage *self, const char *vega);

G_END_DECLS
