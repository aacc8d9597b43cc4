/* SPDX-License-Identifier: Apache-2.0 */
/* What of a measured plan depends on memory: recomputation, precision of gradients, micro-batch. */
#include "validation/cases/training_plan.h"

#include "model/memory.h"
#include "sim/run/simulation.h"
#include "validation/cases/row_word.h"
#include "validation/cases/training_remainder.h"
#include "validation/cases/training_words.h"
#include "validation/prediction/prediction.h"
#include "workloads/description/framework.h"

#include <math.h>
#include <string.h>

/* What is chosen where the row leaves it open, or where its plan does not fit. */
typedef struct {
    const char *recompute;      /* NULL: the framework's */
    const char *gradients;      /* NULL: as they are stated */
    const char *virtual_stages; /* NULL: as they are stated, or the framework's */
} Saving;

/* The workload of the settings so far, with these. It asks for no reserve of memory: what was
 * measured ran, whatever a process keeps free in general. */
static LpWorkload *
build(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < self->settings.texts->len; i++)
        g_ptr_array_add(all, g_strdup(self->settings.texts->pdata[i]));
    if (saving->recompute != NULL)
        g_ptr_array_add(all, g_strconcat("recompute=", saving->recompute, NULL));
    if (saving->gradients != NULL)
        g_ptr_array_add(all, g_strconcat("gradient-precision=", saving->gradients, NULL));
    if (saving->virtual_stages != NULL)
        g_ptr_array_add(all, g_strconcat("virtual-stages=", saving->virtual_stages, NULL));
    g_ptr_array_add(all, g_strdup_printf("micro-batch=%" G_GUINT64_FORMAT, micro_batch));
    g_ptr_array_add(all, g_strdup("memory-reserve=0B"));
    g_ptr_array_add(all, NULL);
    g_autofree char *where = lp_table_where(self->row);
    const char *name = lp_table_text(self->row, "model");
    LpWorkload *workload = lp_workload_new(where, *name != '\0' ? name : self->outcome->id,
                                           (const char *const *)all->pdata, error);
    if (workload != NULL)
        lp_workload_suit(workload, self->machine->domain_size, &self->machine->accelerator);
    return workload;
}

static gboolean
fits(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, saving, micro_batch, NULL);
    return workload != NULL && lp_setup_check_memory(workload, self->machine, NULL);
}

/* The time of the plan by the closed form, s: infinite if it does not fit. What runs as stated,
 * whatever our count of its memory, is not held against that count. */
static double
plan_s(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, saving, micro_batch, NULL);
    if (workload == NULL || lp_plan_n_ranks(&workload->plan) > self->machine->n_accelerators)
        return INFINITY;
    if (!self->outcome->runs_as_stated && !lp_setup_check_memory(workload, self->machine, NULL))
        return INFINITY;
    return lp_prediction_consistent_s(workload, self->machine);
}

/* Sizes of a micro-batch that fit: the fastest, and what it and the slowest take, s; infinite and 0
 * where none fits. */
typedef struct {
    guint64 size;
    double best_s, worst_s;
} Fastest;

/* Of the powers of two that divide a replica's batch and fit, the one that is fastest by the closed
 * form, since published runs are tuned; the larger of equals. Without stages that is mostly the
 * largest, with stages larger ones wait longer for each other. */
static Fastest
fastest_micro_batch(const LpTrainingRestatement *self, const Saving *saving)
{
    guint64 sequences = lp_settings_number(&self->settings, "global-batch") /
                        lp_settings_number(&self->settings, "dp");
    Fastest found = {1, INFINITY, 0.0};
    for (guint64 size = 1; sequences > 0 && sequences % size == 0; size *= 2) {
        double own_s = plan_s(self, saving, size);
        if (own_s == INFINITY)
            continue;
        if (own_s <= found.best_s) {
            found.best_s = own_s;
            found.size = size;
        }
        found.worst_s = fmax(found.worst_s, own_s);
    }
    return found;
}

static double
per_cent_more(double own_s, double other_s)
{
    return 100.0 * (other_s / own_s - 1.0);
}

/* What lies on the other side of a guess, which takes @own_s: how much longer @other, called @name,
 * takes, or why it may not be. Returns: (transfer full). */
static char *
other_side(const LpTrainingRestatement *self, const Saving *other, guint64 micro_batch,
           double own_s, const char *name)
{
    if (own_s == INFINITY)
        return g_strdup("");
    double other_s = plan_s(self, other, micro_batch);
    if (other_s < INFINITY)
        return g_strdup_printf("; %s takes %+.1f %% by the closed form", name,
                               per_cent_more(own_s, other_s));
    g_autoptr(LpWorkload) workload = build(self, other, micro_batch, NULL);
    return g_strdup_printf("; %s does not %s", name,
                           workload != NULL ? "fit" : "go with the rest of the plan");
}

/* Where the row leaves it out. */
static guint64
choose_micro_batch(const LpTrainingRestatement *self, const Saving *saving)
{
    if (self->outcome->runs_as_stated) {
        g_autofree char *range = other_side(self, saving, 2, plan_s(self, saving, 1), "2");
        lp_outcome_infer(self->outcome, "micro-batch 1: by our count not even that fits%s", range);
        return 1;
    }
    Fastest found = fastest_micro_batch(self, saving);
    g_autofree char *range = found.worst_s > found.best_s
                                 ? g_strdup_printf("the slowest takes %.0f %% longer",
                                                   per_cent_more(found.best_s, found.worst_s))
                                 : g_strdup("no other does");
    lp_outcome_infer(self->outcome,
                     "micro-batch %" G_GUINT64_FORMAT ": the fastest by the closed form that fits; "
                     "%s",
                     found.size, range);
    return found.size;
}

/* As many micro-batches as stages, which software takes whose batch is a replica's, if nothing is
 * said (torchtitan of 2024, torchtitan/config_manager.py: pipeline_parallel_microbatches); 0 where
 * that does not divide or fit. */
static guint64
habitual_micro_batch(const LpTrainingRestatement *self, const Saving *saving)
{
    guint64 pp = lp_settings_number(&self->settings, "pp"),
            parts = lp_settings_number(&self->settings, "dp") * pp,
            batch = lp_settings_number(&self->settings, "global-batch");
    if (pp < 2 || batch < parts || batch % parts != 0 || !fits(self, saving, batch / parts))
        return 0;
    lp_outcome_infer(self->outcome,
                     "micro-batch %" G_GUINT64_FORMAT ": as many micro-batches as stages",
                     batch / parts);
    return batch / parts;
}

/* Virtual stages that nothing states, by a framework's habit or one, are a guess to one side: says
 * what the other side takes. */
static void
note_virtual_stages(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch)
{
    Saving other = *saving;
    g_autoptr(LpWorkload) workload = build(self, saving, micro_batch, NULL);
    if (workload == NULL || lp_settings_number(&self->settings, "pp") < 2)
        return;
    gboolean is_plain = workload->plan.pipeline.virtual_stages < 2;
    other.virtual_stages = is_plain ? "finest" : "1";
    g_autofree char *range =
        other_side(self, &other, micro_batch, plan_s(self, saving, micro_batch),
                   is_plain ? "the finest division" : "one");
    lp_outcome_infer(self->outcome, "virtual stages %u: %s%s",
                     workload->plan.pipeline.virtual_stages,
                     is_plain ? "nothing is stated" : "the framework's habit", range);
}

/* Ways to save memory, the cheapest in time first. */
static const Saving savings[] = {{"none", NULL, NULL},      {"none", "bf16", NULL},
                                 {"light", NULL, NULL},     {"light", "bf16", NULL},
                                 {"selective", NULL, NULL}, {"selective", "bf16", NULL},
                                 {"full", NULL, NULL},      {"full", "bf16", NULL}};

/* The plan's setting @wanted, if it is so for no other reason than the framework's habit; else
 * NULL.
 */
static char *
value_by_framework(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch,
                   const char *wanted)
{
    g_autoptr(LpWorkload) workload = build(self, saving, micro_batch, NULL);
    const char *name = NULL;
    for (guint i = 0; workload != NULL; i++) {
        g_autofree char *value = lp_workload_attribute(workload, i, &name);
        if (value == NULL)
            return NULL;
        if (strcmp(name, wanted) == 0)
            return lp_workload_origin(workload, i) == LP_ORIGIN_FRAMEWORK ? g_steal_pointer(&value)
                                                                          : NULL;
    }
    return NULL;
}

/* Whether gradients are in fp32 for no other reason than a framework's habit. */
static gboolean
widens_gradients(const LpTrainingRestatement *self, guint64 micro_batch)
{
    g_autofree char *value =
        value_by_framework(self, &(Saving){"full", NULL, NULL}, micro_batch, "gradient-precision");
    return g_strcmp0(value, "fp32") == 0;
}

static const Saving by_habit = {NULL, NULL, NULL};

/* What a framework recomputes by habit, where that fits; else NULL. Returns: (transfer full). */
static char *
habitual_recompute(const LpTrainingRestatement *self, guint64 micro_batch)
{
    g_autofree char *recompute = value_by_framework(self, &by_habit, micro_batch, "recompute");
    return recompute != NULL && fits(self, &by_habit, micro_batch) ? g_steal_pointer(&recompute)
                                                                   : NULL;
}

static const Saving *
habitual_saving(const LpTrainingRestatement *self, guint64 micro_batch)
{
    g_autofree char *recompute = habitual_recompute(self, micro_batch);
    if (recompute == NULL)
        return NULL;
    lp_outcome_infer(self->outcome, "recompute %s: the framework's habit", recompute);
    return &by_habit;
}

/* Takes column "recompute", unless its own words say that the source says nothing and the framework
 * has a habit. */
static gboolean
take_recompute(LpTrainingRestatement *self, guint64 micro_batch, GError **error)
{
    if (!lp_table_has(self->row, "recompute"))
        return TRUE;
    if (strstr(lp_table_text(self->row, "recompute_as_stated"), "(not stated)") != NULL) {
        g_autofree char *recompute = habitual_recompute(self, micro_batch);
        if (recompute != NULL)
            return TRUE;
    }
    return lp_training_restatement_set(self, "recompute", "recompute",
                                       lp_training_words_recompute(self->row, &self->settings),
                                       error);
}

/* NULL if the row states nothing. */
static const Saving *
saving_as_stated(const LpTrainingRestatement *self)
{
    const char *stated =
        lp_table_has(self->row, "recompute") ? lp_settings_get(&self->settings, "recompute") : NULL;
    for (guint i = 0; i < G_N_ELEMENTS(savings); i++)
        if (g_strcmp0(savings[i].recompute, stated) == 0)
            return &savings[i];
    return NULL;
}

/* Whether the states alone fit, which follow from the plan to the byte, where activations and what
 * else is held depend on software. */
static gboolean
states_fit(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch)
{
    g_autoptr(LpWorkload) workload = build(self, saving, micro_batch, NULL);
    if (workload == NULL)
        return FALSE;
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    return memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes <=
           self->machine->accelerator.memory_bytes;
}

/* What is stated ran, whatever our count of its activations. Returns: NULL if nothing is stated. */
static const Saving *
stated_saving(const LpTrainingRestatement *self, guint64 micro_batch)
{
    const Saving *saving = saving_as_stated(self);
    if (saving == NULL)
        return NULL;
    self->outcome->runs_as_stated =
        !fits(self, saving, micro_batch) && states_fit(self, saving, micro_batch);
    if (self->outcome->runs_as_stated)
        lp_outcome_infer(self->outcome, "recompute %s as stated: by our count it does not fit",
                         saving->recompute);
    return saving;
}

/* The first way of @savings that lets the plan fit; the number of all if none does. */
static guint
first_that_fits(const LpTrainingRestatement *self, guint64 micro_batch)
{
    gboolean is_wide = widens_gradients(self, micro_batch);
    guint chosen = 0, n = G_N_ELEMENTS(savings);
    while (chosen < n && ((savings[chosen].gradients != NULL && !is_wide) ||
                          !fits(self, &savings[chosen], micro_batch)))
        chosen++;
    return chosen;
}

/* Of those with gradients as @first has them and no less recomputed, the one that is fastest with
 * the micro-batch that suits it: a larger one may earn more than is recomputed for its room. */
static guint
fastest_from(const LpTrainingRestatement *self, guint first)
{
    guint chosen = first;
    double best_s = INFINITY;
    for (guint i = first; i < G_N_ELEMENTS(savings); i++) {
        if ((savings[i].gradients == NULL) != (savings[first].gradients == NULL))
            continue;
        double own_s = fastest_micro_batch(self, &savings[i]).best_s;
        if (own_s < best_s) {
            best_s = own_s;
            chosen = i;
        }
    }
    return chosen;
}

static const char *
why(guint chosen, guint first)
{
    if (chosen > first)
        return "is fastest so by the closed form, with a larger micro-batch";
    return strcmp(savings[chosen].recompute, savings[0].recompute) == 0 ? "fits so"
                                                                        : "does not fit with less";
}

/* The least recomputation that fits is a guess to one side: what all of it takes, each with the
 * micro-batch that suits it if @is_open. Returns: (transfer full). */
static char *
span_of_recompute(const LpTrainingRestatement *self, const Saving *saving, guint64 micro_batch,
                  gboolean is_open)
{
    Saving full = {"full", saving->gradients, saving->virtual_stages};
    if (strcmp(saving->recompute, full.recompute) == 0)
        return g_strdup("");
    double own_s =
        is_open ? fastest_micro_batch(self, saving).best_s : plan_s(self, saving, micro_batch);
    guint64 size = is_open ? fastest_micro_batch(self, &full).size : micro_batch;
    return other_side(self, &full, size, own_s, full.recompute);
}

/* What was measured did fit: where the row states nothing and our count says that it does not,
 * gradients are in 16 bits, or more is recomputed; also for a larger micro-batch, if @is_open
 * leaves that to be chosen. */
static const Saving *
choose_saving(const LpTrainingRestatement *self, guint64 micro_batch, gboolean is_open)
{
    const Saving *stated = stated_saving(self, micro_batch);
    if (stated != NULL)
        return stated;
    const Saving *habitual = habitual_saving(self, micro_batch);
    if (habitual != NULL)
        return habitual;
    guint first = first_that_fits(self, micro_batch);
    if (first == G_N_ELEMENTS(savings)) /* to be refused */
        return &savings[0];
    guint chosen = is_open ? fastest_from(self, first) : first;
    const Saving *saving = &savings[chosen];
    g_autofree char *span = span_of_recompute(self, saving, micro_batch, is_open);
    lp_outcome_infer(self->outcome, "recompute %s: the plan %s%s", saving->recompute,
                     why(chosen, first), span);
    if (saving->gradients != NULL)
        lp_outcome_infer(self->outcome, "gradients in bf16: the plan does not fit with fp32");
    return saving;
}

/* Whether the plan fits with the first of the @savings, or with any; with what the row states, if
 * it states any. */
static gboolean
fits_with(const LpTrainingRestatement *self, guint64 micro_batch, gboolean any)
{
    const Saving *stated = saving_as_stated(self);
    if (stated != NULL)
        return fits(self, stated, micro_batch);
    for (guint i = 0; i < (any ? G_N_ELEMENTS(savings) : 1); i++)
        if (fits(self, &savings[i], micro_batch))
            return TRUE;
    return FALSE;
}

/* Where the plan fits by it alone: first states of the optimizer, which costs no time, then all;
 * all as well where nothing else helps. */
static gboolean
shares_to_fit(LpTrainingRestatement *self, guint64 micro_batch)
{
    if (lp_settings_number(&self->settings, "dp") < 2 || fits_with(self, micro_batch, FALSE))
        return FALSE;
    gboolean fits_unshared = fits_with(self, micro_batch, TRUE);
    static const char *const stages[] = {"1", "3"};
    for (guint i = 0; i < (fits_unshared ? 1 : G_N_ELEMENTS(stages)); i++) {
        lp_settings_set(&self->settings, "zero", stages[i]);
        if (!fits_with(self, micro_batch, !fits_unshared))
            continue;
        lp_outcome_infer(self->outcome, "zero %s: the plan does not fit without", stages[i]);
        return TRUE;
    }
    lp_settings_set(&self->settings, "zero", "0");
    return FALSE;
}

/* Where nothing says whether replicas share states: what was measured did fit. */
static void
share_states(LpTrainingRestatement *self, guint64 micro_batch)
{
    if (!shares_to_fit(self, micro_batch))
        lp_outcome_infer(self->outcome, "zero 0: nothing is stated");
}

/* Whether what the row states as a micro-batch is a replica's batch, which the stages cut up, and
 * no row states into how much: a smaller one is what it is called. */
static gboolean
states_replica_batch(const LpTrainingRestatement *self)
{
    guint64 stated = 0, dp = lp_settings_number(&self->settings, "dp");
    if (!lp_table_has(self->row, "micro_batch") ||
        !lp_row_count(self->row, "micro_batch", 1, G_MAXUINT32, &stated, NULL, NULL) ||
        stated * dp < lp_settings_number(&self->settings, "global-batch"))
        return FALSE;
    g_autoptr(LpFramework) framework =
        lp_framework_find(lp_settings_get(&self->settings, "framework"), NULL);
    if (framework == NULL || !framework->names_replica_batch ||
        lp_settings_number(&self->settings, "pp") < 2)
        return FALSE;
    lp_outcome_infer(self->outcome, "micro-batch not stated: %s is what %s calls a replica's batch",
                     lp_table_text(self->row, "micro_batch"), framework->name);
    return TRUE;
}

/* Interleaved stages take micro-batches in rounds of as many as there are stages. Where these do
 * not divide, stated slices have their last round filled, and what a framework's habit alone would
 * interleave is not. */
static void
fill_rounds(LpTrainingRestatement *self, guint64 micro_batch)
{
    guint64 pp = lp_settings_number(&self->settings, "pp"),
            pass = lp_settings_number(&self->settings, "dp") * micro_batch,
            n = lp_settings_number(&self->settings, "global-batch") / MAX(pass, 1);
    g_autoptr(LpWorkload) workload = build(self, &savings[0], micro_batch, NULL);
    if (pp < 2 || n % pp == 0 || workload != NULL || !lp_table_has(self->row, "virtual_stages"))
        return;
    g_autofree char *batch = g_strdup_printf("%" G_GUINT64_FORMAT, (n + pp - 1) / pp * pp * pass);
    lp_outcome_infer(self->outcome,
                     "global-batch %s: %" G_GUINT64_FORMAT
                     " micro-batches are no multiple of the stages",
                     batch, n);
    lp_settings_set(&self->settings, "global-batch", batch);
}

LpWorkload *
lp_training_plan_new(LpTrainingRestatement *self, GError **error)
{
    guint64 micro_batch = 1;
    gboolean of_replica = states_replica_batch(self);
    gboolean is_stated = lp_table_has(self->row, "micro_batch") && !of_replica;
    if ((is_stated && !lp_row_count(self->row, "micro_batch", 1, G_MAXUINT32, &micro_batch,
                                    self->outcome, error)) ||
        !take_recompute(self, micro_batch, error))
        return NULL;
    if (is_stated)
        micro_batch =
            lp_training_remainder_micro_batch(&self->settings, micro_batch, self->outcome);
    if (!of_replica)
        fill_rounds(self, micro_batch);
    if (self->shares_open)
        share_states(self, micro_batch);
    const Saving *saving = choose_saving(self, micro_batch, !is_stated && !of_replica);
    if (of_replica)
        micro_batch = habitual_micro_batch(self, saving);
    if (!is_stated && (!of_replica || micro_batch == 0))
        micro_batch = choose_micro_batch(self, saving);
    if (!lp_table_has(self->row, "virtual_stages"))
        note_virtual_stages(self, saving, micro_batch);
    return build(self, saving, micro_batch, error);
}
