/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the messages of background traffic. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What became of a generator's messages. Plain data. */
typedef struct {
    guint64 n_messages, n_bytes; /**< that arrived */
    double time_s;               /**< from start to arrival, sum over the messages that arrived */
    double isolated_s;           /**< what time_s were, had each been alone */
    guint64 n_under_way;         /**< when the run ended */
    guint64 n_lost;              /**< never sent, since their route was dead */
} LpBackgroundResult;

G_END_DECLS
