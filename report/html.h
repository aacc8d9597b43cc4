/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others inside an HTML page. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** Begins a page that may load nothing, up to its styles. @title: of the window, text. */
void lp_html_begin_page(GString *page, const char *title);

/** Appends @text as it is read by people, between tags or inside a quoted attribute. What is not
 * UTF-8, and control characters, become U+FFFD and blanks. */
void lp_html_add_text(GString *page, const char *text);

/** A cell of a table. @classes: of CSS, "" for none; not escaped. */
void lp_html_cell_text(GString *page, const char *classes, const char *text);
/** A cell that shows @text and is sorted by @value, which it holds with six digits. */
void lp_html_cell_number(GString *page, const char *classes, double value, const char *text);

/** JSON that may stand inside a script element: none of its characters can end the element, or
 * begin a comment. Returns: (transfer full). */
char *lp_html_json(const json_t *node);

/** A script that may stand inside a script element. Returns: (transfer full). */
char *lp_html_script(const char *script);

G_END_DECLS
