/* SPDX-License-Identifier: Apache-2.0 */
/* Lengthens rows of rounds. */
#include "sim/quotient/send_rows.h"

/* Rounds in a row with the same message. */
typedef struct {
    LpRoundSend first;
    guint64 n_rounds;
} Row;

/* Rows that may still grow: a round has few messages for one receiver. */
#define OPEN_ROWS 16

static gboolean
continues(const Row *row, const LpRoundSend *send)
{
    return row->first.op == send->op && row->first.round + row->n_rounds == send->round &&
           row->first.place == send->place && row->first.bytes == send->bytes &&
           !(row->first.latency_s < send->latency_s || row->first.latency_s > send->latency_s);
}

void
lp_send_rows_add(LpSendRows *self, LpRoundSend send)
{
    if (self->rows == NULL)
        self->rows = g_array_new(FALSE, FALSE, sizeof(Row));
    guint n = self->rows->len;
    for (guint i = n; i > 0 && n - i < OPEN_ROWS; i--) {
        Row *row = &g_array_index(self->rows, Row, i - 1);
        if (!continues(row, &send))
            continue;
        row->n_rounds++;
        return;
    }
    Row row = {send, 1};
    g_array_append_val(self->rows, row);
}

void
lp_send_rows_describe(const LpSendRows *self, LpNumbering *numbering)
{
    for (guint i = 0; self->rows != NULL && i < self->rows->len; i++) {
        const Row *row = &g_array_index(self->rows, Row, i);
        lp_numbering_add_count(numbering, row->first.op);
        lp_numbering_add_count(numbering, row->first.round);
        lp_numbering_add_count(numbering, row->n_rounds);
        lp_numbering_add_count(numbering, row->first.place);
        lp_numbering_add_count(numbering, row->first.bytes);
        lp_numbering_add_number(numbering, row->first.latency_s);
    }
}

void
lp_send_rows_clear(LpSendRows *self)
{
    g_clear_pointer(&self->rows, g_array_unref);
}
