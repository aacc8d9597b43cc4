/* SPDX-License-Identifier: Apache-2.0 */
/* Mixers in attention's place (state-space layers, linear and sparse attention): the figures of a
 * model that come from their lists of kernels. */
#pragma once

#include "model/kernels/kernel_lists.h"
#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** Works out parameters and FLOP of the mixers that the pattern of @transformer names, from the
 * lists of @plan. Error: LP_MODEL_ERROR_SHAPE, a name that lists do not have: "layer-pattern: got,
 * wanted". */
gboolean lp_mixers_measure(LpTransformer *transformer, const LpPlan *plan,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether their sizes divide as their lists ask, and can be divided over cp. Error:
 * LP_MODEL_ERROR_PLAN, "ATTRIBUTE: got, wanted". */
gboolean lp_mixers_check(const LpTransformer *transformer, const LpPlan *plan,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The mixer of layer @index in the lists of @plan, or -1: it has attention, or neither. */
int lp_mixer_of_layer(const LpTransformer *transformer, const LpPlan *plan, guint32 index);
/** Bytes a token that it keeps on a rank where the parts @recomputed, a set of LpRecomputedParts,
 * are made again; 0 without one. */
double lp_mixer_kept_bytes(const LpTransformer *transformer, const LpPlan *plan, guint32 index,
                           guint32 recomputed);
/** Whether layer @index has attention's queries, keys and values, with what else it may have. */
gboolean lp_mixer_has_heads(const LpTransformer *transformer, const LpPlan *plan, guint32 index);

/** What context parallelism exchanges for the core of a layer's mixer, elements a token and rank.
 */
typedef struct {
    LpMixerExchangeKind kind;
    double sent, returned;
} LpMixerExchange;

/** The exchange of layer @index's mixer; for attention LP_MIXER_ATTENTION without figures. */
LpMixerExchange lp_mixer_exchange(const LpTransformer *transformer, const LpPlan *plan,
                                  guint32 index);

G_END_DECLS
