/* SPDX-License-Identifier: Apache-2.0 */
/* What of a measured plan depends on memory: recomputation, precision of gradients, micro-batch. */
#include "validation/cases/training_plan.h"

#include "sim/run/simulation.h"
#include "validation/prediction/prediction.h"

#include <math.h>
#include <string.h>

/* The workload of the settings so far, with these two. */
static LpWorkload *
build(const LpTrainingRestatement *self, const char *recompute, guint64 micro_batch, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->settings.texts->len; i++)
        g_ptr_array_add(all, g_strdup(self->settings.texts->pdata[i]));
    g_ptr_array_add(all, g_strconcat("recompute=", recompute, NULL));
    g_ptr_array_add(all, g_strdup_printf("micro-batch=%" G_GUINT64_FORMAT, micro_batch));
    g_ptr_array_add(all, NULL);
    g_autofree char *where = lp_table_where(self->row);
    const char *name = lp_table_text(self->row, "model");
    return lp_workload_new(where, *name != '\0' ? name : self->outcome->id,
                           (const char *const *)all->pdata, error);
}

static gboolean
fits(const LpTrainingRestatement *self, const char *recompute, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, recompute, micro_batch, NULL);
    return workload != NULL && lp_setup_check_memory(workload, self->machine, NULL);
}

/* The time of the plan by the closed form, s: infinite if it does not fit. */
static double
plan_s(const LpTrainingRestatement *self, const char *recompute, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, recompute, micro_batch, NULL);
    if (workload == NULL || !lp_setup_check_memory(workload, self->machine, NULL) ||
        lp_plan_n_ranks(&workload->plan) > self->machine->n_accelerators)
        return INFINITY;
    return lp_prediction_consistent_s(workload, self->machine);
}

/* Where the row leaves it out: of the powers of two that divide a replica's batch and fit, the one
 * that is fastest by the closed form, since published runs are tuned; the larger of equals. Without
 * stages that is mostly the largest, with stages larger ones wait longer for each other. */
static guint64
choose_micro_batch(const LpTrainingRestatement *self, const char *recompute)
{
    guint64 sequences = lp_settings_number(&self->settings, "global-batch") /
                        lp_settings_number(&self->settings, "dp"),
            chosen = 1;
    double best_s = INFINITY;
    for (guint64 size = 1; sequences > 0 && sequences % size == 0; size *= 2) {
        double own_s = plan_s(self, recompute, size);
        if (own_s <= best_s && own_s < INFINITY) {
            best_s = own_s;
            chosen = size;
        }
    }
    lp_outcome_infer(self->outcome,
                     "micro-batch %" G_GUINT64_FORMAT ": the fastest by the closed form that fits",
                     chosen);
    return chosen;
}

/* Ways to save memory, the cheapest in time first. */
typedef struct {
    const char *recompute, *gradients;
} Saving;

static const Saving savings[] = {{"none", "fp32"},  {"none", "bf16"},      {"light", "fp32"},
                                 {"light", "bf16"}, {"selective", "fp32"}, {"selective", "bf16"},
                                 {"full", "fp32"},  {"full", "bf16"}};

/* Whether the plan fits with @saving, whose precision of gradients stays set. Gradients that no
 * rule has widened keep theirs. */
static gboolean
fits_with(LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch)
{
    gboolean is_wide = lp_settings_get(&self->settings, "gradient-precision") != NULL;
    if (!is_wide && strcmp(saving->gradients, "fp32") != 0)
        return FALSE;
    if (is_wide)
        lp_settings_set(&self->settings, "gradient-precision", saving->gradients);
    return fits(self, saving->recompute, micro_batch);
}

/* What was measured did fit: where our count says that it does not, gradients are in 16 bits, or
 * more is recomputed than the row states, or it states nothing. */
static const char *
choose_recompute(LpTrainingRestatement *self, guint64 micro_batch)
{
    const char *stated = lp_table_text(self->row, "recompute");
    guint first = 0, n = G_N_ELEMENTS(savings);
    while (first < n && *stated != '\0' && strcmp(savings[first].recompute, stated) != 0)
        first++;
    guint chosen = first;
    while (chosen < n && !fits_with(self, &savings[chosen], micro_batch))
        chosen++;
    if (chosen == n) { /* to be refused as stated */
        (void)fits_with(self, &savings[first], micro_batch);
        return savings[first].recompute;
    }
    const Saving *saving = &savings[chosen];
    gboolean is_first = strcmp(saving->recompute, savings[first].recompute) == 0;
    if (*stated == '\0' || !is_first)
        lp_outcome_infer(self->outcome, "recompute %s: the plan %s", saving->recompute,
                         is_first ? "fits so" : "does not fit with less");
    if (chosen > first && strcmp(saving->gradients, "bf16") == 0)
        lp_outcome_infer(self->outcome, "gradients in bf16: the plan does not fit with fp32");
    return saving->recompute;
}

LpWorkload *
lp_training_plan_new(LpTrainingRestatement *self, GError **error)
{
    guint64 micro_batch = 1;
    const char *recompute = lp_table_text(self->row, "recompute");
    if (!lp_table_count(self->row, "micro_batch", 1, G_MAXUINT32, &micro_batch, error) ||
        (lp_table_has(self->row, "recompute") &&
         !lp_training_restatement_set(self, "recompute", "recompute", recompute, error)))
        return NULL;
    recompute = choose_recompute(self, micro_batch);
    if (!lp_table_has(self->row, "micro_batch"))
        micro_batch = choose_micro_batch(self, recompute);
    return build(self, recompute, micro_batch, error);
}
