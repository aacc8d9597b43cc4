/* SPDX-License-Identifier: Apache-2.0 */
/* What is left over where a row's plan does not divide its shape: software pads, and some ranks or
 * micro-batches have less to do. */
#ifndef LP_TRAINING_REMAINDER_H
#define LP_TRAINING_REMAINDER_H

#include "validation/cases/settings.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** Makes heads, feed-forward networks, sequences, experts and batches divide, each up to the next
 * size that does, and says so in the outcome. What divides stays as it is. Errors: none. */
void lp_training_remainder_pad(LpSettings *self, LpOutcome *outcome);

/** A micro-batch of @micro_batch, or down to half of it, that leaves least over of a replica's
 * batch of the settings. The last pass of an uneven batch is shorter; here all are alike, and the
 * batch is made to divide. It says so in the outcome. */
guint64 lp_training_remainder_micro_batch(LpSettings *self, guint64 micro_batch,
                                          LpOutcome *outcome);

G_END_DECLS

#endif
