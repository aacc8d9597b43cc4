/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of plans, and which of two is better. */
#include "search/objective.h"

const char *const lp_objective_names[LP_N_OBJECTIVES + 1] = {
    [LP_OBJECTIVE_TIME] = "time",
    [LP_OBJECTIVE_COST] = "cost",
    [LP_OBJECTIVE_ENERGY] = "energy",
    [LP_OBJECTIVE_MEMORY] = "memory",
};

LpSearchFigures
lp_search_figures(const LpSearchMeasure *self, const LpMachine *machine, guint index, double time_s,
                  double memory_bytes, const LpLinkTraffic *traffic)
{
    static const LpLinkTraffic none;
    LpSearchFigures figures = {.price_usd = self->price_usd[index],
                               .n_accelerators = machine->n_accelerators};
    figures.of[LP_OBJECTIVE_TIME] = time_s;
    figures.of[LP_OBJECTIVE_COST] = figures.price_usd * time_s;
    if (traffic != NULL || self->objective == LP_OBJECTIVE_ENERGY)
        figures.of[LP_OBJECTIVE_ENERGY] =
            self->energy_j(machine, traffic != NULL ? traffic : &none, time_s);
    figures.of[LP_OBJECTIVE_MEMORY] = memory_bytes;
    return figures;
}

gboolean
lp_search_is_as_good(const LpSearchMeasure *self, const LpSearchFigures *a,
                     const LpSearchFigures *b)
{
    return a->of[LP_OBJECTIVE_TIME] <= b->of[LP_OBJECTIVE_TIME] &&
           a->of[LP_OBJECTIVE_MEMORY] <= b->of[LP_OBJECTIVE_MEMORY] &&
           a->n_accelerators <= b->n_accelerators && a->price_usd <= b->price_usd &&
           (self->objective != LP_OBJECTIVE_ENERGY ||
            a->of[LP_OBJECTIVE_ENERGY] <= b->of[LP_OBJECTIVE_ENERGY]);
}

int
lp_search_compare(const LpSearchMeasure *self, const LpSearchFigures *a, const LpSearchFigures *b)
{
    double of_a = a->of[self->objective], of_b = b->of[self->objective];
    if (of_a == of_b) {
        of_a = a->of[LP_OBJECTIVE_TIME];
        of_b = b->of[LP_OBJECTIVE_TIME];
    }
    return (of_a > of_b) - (of_a < of_b);
}
