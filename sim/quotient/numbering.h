/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers descriptions in the order in which they are first given; equal ones have one number. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    GHashTable *numbers; /* owned: GBytes to number */
    GByteArray *text;    /* owned: the description that is being written */
} LpNumbering;

/** Makes @self empty. */
void lp_numbering_init(LpNumbering *self);
void lp_numbering_clear(LpNumbering *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpNumbering, lp_numbering_clear)

/** Appends to the description at hand. */
void lp_numbering_add_count(LpNumbering *self, guint64 count);
void lp_numbering_add_number(LpNumbering *self, double number);
/** The number of the description, which ends with this. */
guint32 lp_numbering_end(LpNumbering *self);

G_END_DECLS
