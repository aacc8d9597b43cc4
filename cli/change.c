/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of terms and of contention. */
#include "cli/change.h"

#include <math.h>

/* Terms that move by more than so many times their sum, and by this share of the iteration,
 * mislead. */
#define MOVED_TIMES 3.0
#define MOVED_SHARE 0.01

double
lp_change_iteration_time_s(const json_t *run)
{
    const json_t *simulated = json_object_get(run, "simulated");
    return json_number_value(json_object_get(simulated, "iteration_time_s"));
}

/* Of a run, s. */
static double
term_s(const json_t *run, LpTerm term)
{
    const json_t *terms = json_object_get(json_object_get(run, "simulated"), "terms_s");
    return json_number_value(json_object_get(terms, lp_term_names[term]));
}

/* The tier behind a term: where its traffic finds its narrowest link, on the slower machine. A
 * pipeline's bubble is made of its messages as far as machines differ in it. */
static const char *
tier_behind(const json_t *slower, LpTerm term)
{
    LpTerm traffic = term == LP_TERM_BUBBLE ? LP_TERM_PP : term;
    const json_t *tiers = json_object_get(json_object_get(slower, "simulated"), "narrowest_tier");
    const char *tier = json_string_value(json_object_get(tiers, lp_term_names[traffic]));
    return tier != NULL ? tier : "accelerator";
}

LpChange
lp_change_largest(const json_t *first, const json_t *run)
{
    LpChange change = {.term = LP_TERM_COMPUTE};
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        double seconds = term_s(run, term) - term_s(first, term);
        change.moved_s += fabs(seconds);
        if (fabs(seconds) > fabs(change.seconds)) {
            change.term = term;
            change.seconds = seconds;
        }
    }
    change.tier = tier_behind(change.seconds > 0.0 ? run : first, change.term);
    return change;
}

char *
lp_change_warning(const json_t *first, const json_t *run, const LpChange *change)
{
    double first_s = lp_change_iteration_time_s(first);
    double whole_s = lp_change_iteration_time_s(run) - first_s;
    if (change->moved_s <= MOVED_TIMES * fabs(whole_s) || change->moved_s <= MOVED_SHARE * first_s)
        return NULL;
    return g_strdup_printf("terms move by %.6f s, their sum by %+.6f s: the critical path goes "
                           "through other ranks, and no term says what changed; --contention says "
                           "what each class loses",
                           change->moved_s, whole_s);
}

static double
class_s(const json_t *run, const char *name)
{
    return json_number_value(json_object_get(json_object_get(run, "classes_s"), name));
}

void
lp_change_append_classes(GString *out, const json_t *first, const json_t *run)
{
    const char *name, *before = " ";
    json_t *value;
    g_string_append(out, "        contention:");
    json_object_foreach (json_object_get(run, "classes_s"), name, value) {
        double seconds = class_s(run, name) - (first != NULL ? class_s(first, name) : 0.0);
        if (fabs(seconds) < 0.5e-6)
            continue;
        g_string_append_printf(out, "%s%s %+.6f s", before, name, seconds);
        before = ", ";
    }
    g_string_append_printf(out, "%s%s\n", *before == ' ' ? " none" : "",
                           first != NULL ? " against run 1" : "");
}
