/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the difference, and what would be without the large ones. */
#include "report/difference_parts.h"

#include "model/plan_routing.h"
#include "platforms/machine/describe.h"

#include <math.h>
#include <stdlib.h>

#define BEYOND "contention beyond the closed form's"

guint
lp_difference_parts(const LpReport *self, LpDifferencePart *out_parts)
{
    const LpDifference *difference = &self->difference;
    const LpDifferencePart parts[] = {
        {"contention", difference->contention_s},
        {"closed form's contention", -difference->closed_form_contention_s},
        {"imbalance", difference->imbalance_s},
        {"communication algorithms", difference->communication_s},
        {"schedule's messages", difference->schedule_s},
        {"overlap", -difference->overlap_s},
        {"slowed computing", difference->slowdown_s},
        {"host", difference->host_s},
        {"unexplained", difference->unexplained_s},
        {"slow ranks", self->stragglers_s}};
    G_STATIC_ASSERT(G_N_ELEMENTS(parts) == LP_DIFFERENCE_PARTS_MAX);
    guint n = self->is_job ? LP_DIFFERENCE_PARTS_MAX : LP_DIFFERENCE_PARTS_MAX - 1;
    for (guint i = 0; i < n; i++)
        out_parts[i] = parts[i];
    return n;
}

/* --- the settings without which a part is small --- */

static const char *
contention_setting(const LpReport *self)
{
    const LpMachine *machine = self->machine;
    if (self->is_job && self->others_s > 0.5 * self->difference.contention_s)
        return "the scenario without its other jobs and traffic";
    if (self->is_job && self->faults_s > 0.5 * self->difference.contention_s)
        return "the scenario without its failures";
    if (lp_circuit_switch_is_switched(&machine->circuits) ||
        lp_circuit_switch_is_rotor(&machine->circuits))
        return "platform generate --policy=static";
    gboolean hashes = machine->path_choice == LP_PATH_CHOICE_HASH;
    if (lp_machine_facts(machine).oversubscription > 1.0)
        return hashes ? "platform generate --oversubscription=1 --path-choice=static"
                      : "platform generate --oversubscription=1";
    return hashes ? "platform generate --path-choice=static" : "what lightpath contention names";
}

typedef struct {
    const char *setting;
    gboolean is_on;
} Setting;

/* Those that are on. Returns: (transfer full), or NULL: none. */
static char *
join(const Setting *settings, guint n)
{
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
        if (settings[i].is_on)
            g_string_append_printf(all, "%s%s", all->len > 0 ? " and " : "", settings[i].setting);
    gboolean is_none = all->len == 0;
    return g_string_free(all, is_none);
}

static char *
stage_setting(const LpReport *self, gboolean experts)
{
    const LpPlan *plan = &self->workload->plan;
    gboolean piped = plan->degree[LP_AXIS_PP] > 1;
    LpPipelineSchedule schedule = plan->pipeline.schedule;
    const Setting settings[] = {
        {"pp=1", piped},
        {"virtual-stages=1", piped && plan->pipeline.virtual_stages > 1},
        {"schedule=1f1b", piped && schedule != LP_SCHEDULE_GPIPE && schedule != LP_SCHEDULE_1F1B},
        {"skew=0", experts},
        {"no routing-table", experts && plan->experts.table != NULL},
    };
    return join(settings, G_N_ELEMENTS(settings));
}

static char *
overlap_setting(const LpReport *self)
{
    const LpPlan *plan = &self->workload->plan;
    gboolean replicas = plan->degree[LP_AXIS_DP] > 1, slices = plan->degree[LP_AXIS_TP] > 1;
    const Setting settings[] = {
        {"overlap-fraction=0", replicas && plan->overlap.fraction > 0.0},
        {"overlap-dp=no", replicas && plan->overlap.dp},
        {"overlap-param=no", replicas && plan->overlap.param},
        {"overlap-tp=no", slices && plan->overlap.tp != LP_OVERLAP_TP_NO},
        {"overlap-tp-pairs=no", slices && plan->overlap.tp_pairs},
        {"overlap-pp=no", plan->degree[LP_AXIS_PP] > 1 && plan->overlap.pp},
        {"cp=1", plan->degree[LP_AXIS_CP] > 1},
        {"schedule=1f1b", plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE},
    };
    return join(settings, G_N_ELEMENTS(settings));
}

/* With one library of plain rings the form has the same steps; messages between stages and
 * exchanges of experts go over routes that it takes the mean of. */
static char *
communication_setting(const LpReport *self)
{
    switch (self->difference.communication_term) {
    case LP_TERM_PP:
        return stage_setting(self, FALSE);
    case LP_TERM_EP:
        return g_strdup("ep=1");
    default:
        return g_strdup("library=single-ring");
    }
}

/* Returns: (transfer full), or NULL: none is known. */
static char *
find_setting(const LpReport *self, const char *name)
{
    const LpWorkload *workload = self->workload;
    static const struct {
        const char *name, *setting;
    } settings[] = {
        {"slowed computing", "slowdown=1"},
        {"host", "cuda-graphs=yes and host-sync=none"},
        {"slow ranks", "the scenario without its stragglers"},
    };
    if (g_str_equal(name, BEYOND))
        return g_strdup(contention_setting(self));
    if (g_str_equal(name, "imbalance"))
        return stage_setting(self,
                             lp_plan_has_expert_loads(&workload->plan, &workload->transformer));
    if (g_str_equal(name, "communication algorithms"))
        return communication_setting(self);
    if (g_str_equal(name, "schedule's messages"))
        return stage_setting(self, FALSE);
    if (g_str_equal(name, "overlap"))
        return overlap_setting(self);
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
        if (g_str_equal(settings[i].name, name))
            return g_strdup(settings[i].setting);
    return NULL;
}

static int
by_size(const void *a, const void *b)
{
    double first = fabs(((const LpDifferencePart *)a)->seconds);
    double second = fabs(((const LpDifferencePart *)b)->seconds);
    return (first < second) - (first > second);
}

GPtrArray *
lp_difference_large_parts(const LpReport *self)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    LpDifferencePart parts[LP_DIFFERENCE_PARTS_MAX];
    double whole_s = self->simulation->run.iteration_time_s;
    guint n = lp_difference_parts(self, parts);
    /* The first two are of one kind. */
    parts[1] = (LpDifferencePart){BEYOND, parts[0].seconds + parts[1].seconds};
    qsort(parts + 1, n - 1, sizeof *parts, by_size);
    for (guint i = 1; i < n && fabs(parts[i].seconds) > LP_DIFFERENCE_LARGE * whole_s; i++) {
        g_autofree char *without = find_setting(self, parts[i].name);
        g_autofree char *removed = without == NULL ? g_strdup("no setting is known to remove it")
                                                   : g_strconcat("removed by ", without, NULL);
        g_ptr_array_add(texts, g_strdup_printf("%s: %+.6f s, %+.1f %% of the iteration; %s",
                                               parts[i].name, parts[i].seconds,
                                               100.0 * parts[i].seconds / whole_s, removed));
    }
    return texts;
}
