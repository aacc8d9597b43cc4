/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of one measured row: the measured value, the predictions, or why there are none. */
#pragma once

#include "model/plan/terms.h"

G_BEGIN_DECLS

/** What a row measures, and its unit in memory. */
typedef enum {
    LP_MEASURE_TIME,      /**< seconds of an iteration or an operation */
    LP_MEASURE_BANDWIDTH, /**< bytes per second */
    LP_MEASURE_RATE,      /**< FLOP per second */
    LP_MEASURE_RATIO,     /**< of two times */
    LP_MEASURE_MEMORY,    /**< peak bytes of an accelerator */
    LP_N_MEASURES
} LpMeasure;

/** The models that predict. */
typedef enum {
    LP_PREDICTION_SIMULATED,
    LP_PREDICTION_CONSISTENT, /**< the consistent closed form */
    LP_PREDICTION_AMPED,      /**< the repaired AMPeD form */
    LP_N_PREDICTIONS
} LpPrediction;

/** How a row ends. All but the first count with an error of 1 in every statistic. */
typedef enum {
    LP_OUTCOME_OK,
    LP_OUTCOME_FAILED,         /**< the row is wrong, or its run ended without a result */
    LP_OUTCOME_REFUSED_MEMORY, /**< does not fit in memory; predicted all the same, for information
                                */
    LP_OUTCOME_OUT_OF_SCOPE,   /**< a model of a kind that no workload describes */
    LP_N_OUTCOMES
} LpOutcomeStatus;

/** Numbers of a configuration that errors may go with. */
typedef enum {
    LP_FACTOR_ACCELERATORS,
    LP_FACTOR_TENSOR_PARALLEL, /**< degree of tensor parallelism */
    LP_FACTOR_MICRO_BATCH,     /**< sequences */
    LP_FACTOR_SIZE,            /**< bytes of a collective */
    LP_N_FACTORS
} LpFactor;

/** The names of LpPrediction, NULL-ended: simulated, consistent, amped. */
extern const char *const lp_prediction_names[];
/** The names of LpOutcomeStatus, NULL-ended: ok, failed, refused-memory, out-of-scope. */
extern const char *const lp_outcome_names[];

/** A row with what was measured and predicted. Plain data but for its texts; it travels between
 * processes as text. */
typedef struct {
    char *id, *source;            /* owned: never NULL */
    char *software, *accelerator; /* owned: never NULL; "" where the row does not say */
    char *publisher;              /* owned: never NULL; of the source */
    char *group;         /* owned: rows with the same one are plans for the same work; NULL: none */
    char *configuration; /* owned: what was measured, for people, as far as the row says; NULL: none
                          */
    gboolean is_apart;   /**< what it measures is no iteration: it counts in its source alone */
    double factors[LP_N_FACTORS]; /**< 0: the row does not say */
    LpMeasure measure;
    LpOutcomeStatus status;
    char *reason;      /* owned: NULL if ok */
    gboolean is_short; /**< it failed since something of this computer was used up */
    double measured;   /**< in the measure's unit; 0 if it cannot be read */
    double predicted[LP_N_PREDICTIONS]; /**< in the measure's unit; 0: none */
    gboolean runs_as_stated; /**< what ran is stated: where it does not fit, our count is wrong, and
                                it is not refused */
    gboolean has_terms;
    LpTerms terms;       /**< of the simulation: they sum to its prediction */
    GPtrArray *inferred; /* owned texts: what the row does not say and was filled in, and why */
} LpOutcome;

/** An outcome without measured value and predictions. Returns: (transfer full). */
LpOutcome *lp_outcome_new(LpMeasure measure, const char *id, const char *source);
/** @self may be NULL. */
void lp_outcome_free(LpOutcome *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpOutcome, lp_outcome_free)

/** Sets status and reason, unless it has failed before. */
void lp_outcome_fail(LpOutcome *self, LpOutcomeStatus status, const char *reason);
/** Sets that it failed by @fault, likewise. */
void lp_outcome_fail_by(LpOutcome *self, const GError *fault);
/** Adds a note on something that the row leaves open: what was filled in, and why. */
void lp_outcome_infer(LpOutcome *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** Takes over the predictions and the terms of @other, which is ok. */
void lp_outcome_take_predictions(LpOutcome *self, const LpOutcome *other);
/** Adds the notes of @other from number @first on. */
void lp_outcome_take_notes(LpOutcome *self, const LpOutcome *other, guint first);

/** Predicted over measured, less 1; 1 if the row is not ok, or there is no such prediction. */
double lp_outcome_error(const LpOutcome *self, LpPrediction prediction);

/** All of it but id, source, software, accelerator, publisher, is_apart, configuration, factors and
 * is_short, which the reader knows. Returns: (transfer full) a text. */
char *lp_outcome_to_text(const LpOutcome *self);
/** Fills @self from such a text. Returns: FALSE, and @self as it was, if it is none. */
gboolean lp_outcome_from_text(LpOutcome *self, const char *text) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
