/* SPDX-License-Identifier: Apache-2.0 */
/* A page of results under construction: text, tables and plots of one JSON document, which the page
 * holds. Every number on it is a <data> element that says where in the document it stands. */
#pragma once

#include "report/result_field.h"

G_BEGIN_DECLS

/** A page. */
typedef struct {
    GString *text;          /* owned */
    const json_t *document; /* borrowed */
    const char *of;         /* static: the output that it is, as report/fields.xml names it */
    json_t *plots;          /* owned: what the page's script draws */
} LpPage;

/** The value at the JSON pointer @at (RFC 6901) of the document; NULL: none. Borrowed. */
const json_t *lp_page_get(const LpPage *self, const char *at);
/** @prefix and what @format makes, a JSON pointer. Returns: (transfer full). */
char *lp_page_at(const char *prefix, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Begins a section with a heading. @level: of it, 2 or 3. @text: no number. */
void lp_page_heading(LpPage *self, guint level, const char *text);
/** The same with the label of what stands at @at. */
void lp_page_heading_of(LpPage *self, guint level, const char *at);
/** Adds what stands at @at: a number in its unit, a text as it is, a dash for nothing. */
void lp_page_value(LpPage *self, const char *at);
/** The label of what stands at @at; before it that of the object that has it @with_part. Returns:
 * (transfer full). */
char *lp_page_label(const LpPage *self, const char *at, gboolean with_part);

/** Begins a list of large figures. */
void lp_page_begin_figures(LpPage *self);
/** Adds one, if there is anything at @at. @name: NULL: its label. */
void lp_page_figure(LpPage *self, const char *name, const char *at);
/** Adds all of @keys, pointers below @at, NULL-ended, with their labels. */
void lp_page_figures(LpPage *self, const char *at, const char *const *keys);
void lp_page_end_figures(LpPage *self);

/** Begins a table. @columns: their names, parted by '|'; those after the first @n_texts are of
 * numbers. @label: its accessible name. */
void lp_page_begin_table(LpPage *self, const char *label, const char *columns, guint n_texts);
/** Begins a row of it, or another one. */
void lp_page_row(LpPage *self);
void lp_page_cell_text(LpPage *self, const char *text);
/** A cell with what stands at @at. */
void lp_page_cell(LpPage *self, const char *at);
/** A cell with @key, a key of the document at @at, which ends with it. */
void lp_page_cell_key(LpPage *self, const char *at, const char *key);
void lp_page_end_table(LpPage *self);

/** A table of the list at @at: a column with its label for each of @keys, pointers below an
 * element, NULL-ended; NULL: for all that have labels. Columns of texts come first. @label: its
 * accessible name. */
void lp_page_list(LpPage *self, const char *label, const char *at, const char *const *keys);
/** Adds to a table a row of label and value for each of @keys, pointers below the object at @at,
 * NULL-ended; NULL: for all that have labels, those of parts in their place. What is not there is
 * no row. */
void lp_page_rows(LpPage *self, const char *at, const char *const *keys);
/** A table of all rows of the object at @at. */
void lp_page_part(LpPage *self, const char *at);

/** Adds a plot. @spec: "NAME" of report/page/NAME.vega.json. @id: of the element, unique. @label:
 * its accessible name. @caption: below it, HTML without numbers. @data: (transfer full) by data set
 * of the specification, its rows or the JSON pointer of an array in the document. */
void lp_page_plot(LpPage *self, const char *id, const char *spec, const char *label,
                  const char *caption, json_t *data);

/** Begins a page about @document, which is borrowed. @of: the output that it is. @title: of the
 * window. */
LpPage lp_page_begin(const json_t *document, const char *of, const char *title);
/** Ends the page, and frees what @self owns. @vega: the library of plots. Returns: (transfer full).
 */
char *lp_page_end(LpPage *self, const char *vega);

G_END_DECLS
