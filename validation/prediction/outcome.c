/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes: made, failed, and carried from one process to another as text. */
#include "validation/prediction/outcome.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* Status, measured value, group, reason, predictions, terms (or none), notes. */
#define TYPE "(udmsmsadada(s))"

const char *const lp_prediction_names[] = {"simulated", "consistent", "amped", NULL};
const char *const lp_outcome_names[] = {"ok", "failed", "refused-memory", "out-of-scope", NULL};

LpOutcome *
lp_outcome_new(LpMeasure measure, const char *id, const char *source)
{
    g_return_val_if_fail(id != NULL && source != NULL, NULL);
    LpOutcome *self = g_new0(LpOutcome, 1);
    self->id = g_strdup(id);
    self->source = g_strdup(source);
    self->software = g_strdup("");
    self->accelerator = g_strdup("");
    self->publisher = g_strdup("");
    self->measure = measure;
    self->inferred = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void
lp_outcome_free(LpOutcome *self)
{
    if (self == NULL)
        return;
    g_free(self->id);
    g_free(self->source);
    g_free(self->software);
    g_free(self->accelerator);
    g_free(self->publisher);
    g_free(self->group);
    g_free(self->configuration);
    g_free(self->reason);
    g_ptr_array_unref(self->inferred);
    g_free(self);
}

void
lp_outcome_fail(LpOutcome *self, LpOutcomeStatus status, const char *reason)
{
    if (self->status != LP_OUTCOME_OK)
        return;
    self->status = status;
    self->reason = g_strdup(reason);
    /* One line, whatever stood in the file. */
    g_strdelimit(self->reason, "\r\n", ' ');
}

void
lp_outcome_fail_by(LpOutcome *self, const GError *fault)
{
    /* What crashes may have met the limit of memory that each row has. */
    gboolean has_crashed =
        g_error_matches(fault, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT);
    self->is_short = self->status == LP_OUTCOME_OK && !has_crashed && lp_error_is_shortage(fault);
    lp_outcome_fail(self, LP_OUTCOME_FAILED, fault->message);
}

void
lp_outcome_infer(LpOutcome *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_ptr_array_add(self->inferred, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

void
lp_outcome_take_predictions(LpOutcome *self, const LpOutcome *other)
{
    memcpy(self->predicted, other->predicted, sizeof self->predicted);
    self->has_terms = other->has_terms;
    self->terms = other->terms;
}

void
lp_outcome_take_notes(LpOutcome *self, const LpOutcome *other, guint first)
{
    for (guint i = first; i < other->inferred->len; i++)
        g_ptr_array_add(self->inferred, g_strdup(other->inferred->pdata[i]));
}

double
lp_outcome_error(const LpOutcome *self, LpPrediction prediction)
{
    double predicted = self->predicted[prediction];
    if (self->status != LP_OUTCOME_OK || !(predicted > 0.0) || !(self->measured > 0.0))
        return 1.0;
    return predicted / self->measured - 1.0;
}

char *
lp_outcome_to_text(const LpOutcome *self)
{
    GVariantBuilder notes;
    g_variant_builder_init(&notes, G_VARIANT_TYPE("a(s)"));
    for (guint i = 0; i < self->inferred->len; i++)
        g_variant_builder_add(&notes, "(s)", self->inferred->pdata[i]);
    GVariant *predicted = g_variant_new_fixed_array(G_VARIANT_TYPE_DOUBLE, self->predicted,
                                                    LP_N_PREDICTIONS, sizeof(double));
    GVariant *terms =
        g_variant_new_fixed_array(G_VARIANT_TYPE_DOUBLE, self->terms.s,
                                  self->has_terms ? (gsize)LP_N_TERMS : 0, sizeof(double));
    g_autoptr(GVariant) all = g_variant_ref_sink(
        g_variant_new("(udmsms@ad@ada(s))", (guint32)self->status, self->measured, self->group,
                      self->reason, predicted, terms, &notes));
    return g_variant_print(all, FALSE);
}

static gboolean
copy_numbers(GVariant *array, double *out, gsize n_wanted)
{
    gsize n = 0;
    const double *numbers = g_variant_get_fixed_array(array, &n, sizeof(double));
    if (n != n_wanted)
        return FALSE;
    for (gsize i = 0; i < n; i++) {
        if (!isfinite(numbers[i]))
            return FALSE;
        out[i] = numbers[i];
    }
    return TRUE;
}

static void
take_notes(LpOutcome *self, GVariantIter *notes)
{
    const char *note;
    g_ptr_array_set_size(self->inferred, 0);
    while (g_variant_iter_next(notes, "(&s)", &note))
        g_ptr_array_add(self->inferred, g_strdup(note));
}

gboolean
lp_outcome_from_text(LpOutcome *self, const char *text)
{
    g_autoptr(GVariant) all = g_variant_parse(G_VARIANT_TYPE(TYPE), text, NULL, NULL, NULL);
    if (all == NULL)
        return FALSE;
    guint32 status;
    double measured, predicted[LP_N_PREDICTIONS];
    const char *group, *reason;
    LpTerms terms = {{0}};
    g_autoptr(GVariant) predicted_array = NULL, terms_array = NULL;
    g_autoptr(GVariantIter) notes = NULL;
    g_variant_get(all, "(udm&sm&s@ad@ada(s))", &status, &measured, &group, &reason,
                  &predicted_array, &terms_array, &notes);
    gboolean has_terms = g_variant_n_children(terms_array) > 0;
    if (status >= LP_N_OUTCOMES || (reason == NULL) != (status == LP_OUTCOME_OK) ||
        !isfinite(measured) || !copy_numbers(predicted_array, predicted, LP_N_PREDICTIONS) ||
        (has_terms && !copy_numbers(terms_array, terms.s, LP_N_TERMS)))
        return FALSE;
    self->status = (LpOutcomeStatus)status;
    self->measured = measured;
    memcpy(self->predicted, predicted, sizeof predicted);
    self->has_terms = has_terms;
    self->terms = terms;
    g_free(self->group);
    self->group = g_strdup(group);
    g_free(self->reason);
    self->reason = g_strdup(reason);
    take_notes(self, notes);
    return TRUE;
}
