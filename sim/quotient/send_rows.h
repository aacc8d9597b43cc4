/* SPDX-License-Identifier: Apache-2.0 */
/* The sends over one connection in all rounds of all operations, as rows of equal rounds: rounds
 * may be thousands, rows are few. */
#pragma once

#include "sim/quotient/numbering.h"

G_BEGIN_DECLS

/** A message; all that its connection's flow does differently from others'. */
typedef struct {
    guint64 op, round;
    guint64 place; /**< among its sender's of the round, where not all begin at once; else 0 */
    guint64 bytes;
    double latency_s;
} LpRoundSend;

typedef struct {
    GArray *rows; /* owned; NULL: nothing is sent */
} LpSendRows;

/** Adds a message, of no earlier round than the last. */
void lp_send_rows_add(LpSendRows *self, LpRoundSend send);
/** Appends to the description at hand; scripts are alike if their descriptions are. */
void lp_send_rows_describe(const LpSendRows *self, LpNumbering *numbering);
void lp_send_rows_clear(LpSendRows *self);

G_END_DECLS
