/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions as bytes in a hash table, which compares them in full. */
#include "sim/quotient/numbering.h"

void
lp_numbering_init(LpNumbering *self)
{
    self->numbers =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    self->text = g_byte_array_new();
}

void
lp_numbering_clear(LpNumbering *self)
{
    g_clear_pointer(&self->numbers, g_hash_table_unref);
    g_clear_pointer(&self->text, g_byte_array_unref);
}

void
lp_numbering_add_count(LpNumbering *self, guint64 count)
{
    g_byte_array_append(self->text, (const guint8 *)&count, sizeof count);
}

void
lp_numbering_add_number(LpNumbering *self, double number)
{
    g_byte_array_append(self->text, (const guint8 *)&number, sizeof number);
}

guint32
lp_numbering_end(LpNumbering *self)
{
    GBytes *text = g_bytes_new(self->text->data, self->text->len);
    g_byte_array_set_size(self->text, 0);
    gpointer number;
    if (g_hash_table_lookup_extended(self->numbers, text, NULL, &number)) {
        g_bytes_unref(text);
        return GPOINTER_TO_UINT(number);
    }
    guint32 n = g_hash_table_size(self->numbers);
    g_hash_table_insert(self->numbers, text, GUINT_TO_POINTER(n));
    return n;
}
