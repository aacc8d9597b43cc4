/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the difference, and what would be without the large ones. */
#include "report/difference_parts.h"

#include "model/plan/plan_routing.h"
#include "platforms/machine/describe.h"

#include <math.h>

static void
add_parts(GArray *parts, const LpResultField *whole, const json_t *object)
{
    guint n;
    const LpResultField *fields = lp_result_field_members(whole, &n);
    for (guint i = 0; i < n; i++) {
        const json_t *value = json_object_get(object, fields[i].name);
        LpDifferencePart part = {&fields[i], fields[i].sign * json_number_value(value)};
        if (json_is_object(value))
            add_parts(parts, &fields[i], value);
        else if (json_is_number(value) && fields[i].sign != 0)
            g_array_append_val(parts, part);
    }
}

GArray *
lp_difference_parts(const json_t *difference)
{
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(LpDifferencePart));
    add_parts(parts, lp_result_field_find("iteration", "/difference"), difference);
    return parts;
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

/* The settings that are on, joined in a text. Returns: (transfer full), or NULL: none. */
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
        {"overlap-tp-pairs=no", slices && plan->traits[LP_TRAIT_OVERLAP_TP_PAIRS]},
        {"overlap-pp=no", plan->degree[LP_AXIS_PP] > 1 && plan->overlap.pp},
        {"cp=1", plan->degree[LP_AXIS_CP] > 1},
        {"schedule=1f1b", plan->pipeline.schedule == LP_SCHEDULE_DUALPIPE},
    };
    return join(settings, G_N_ELEMENTS(settings));
}

/* The setting that removes the part of communication algorithms. With a library of plain rings the
 * form has the same steps; for messages between stages and exchanges of experts it takes the mean
 * of routes. */
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

/* @key: of a part. Returns: (transfer full), or NULL: none is known. */
static char *
find_setting(const LpReport *self, const char *key)
{
    const LpWorkload *workload = self->workload;
    static const struct {
        const char *key, *setting;
    } settings[] = {
        {"slowdown_s", "slowdown=1"},
        {"host_s", "cuda-graphs=yes and host-sync=none"},
        {"stragglers_s", "the scenario without its stragglers"},
    };
    if (g_str_equal(key, "contention_s"))
        return g_strdup(contention_setting(self));
    if (g_str_equal(key, "imbalance_s"))
        return stage_setting(self,
                             lp_plan_has_expert_loads(&workload->plan, &workload->transformer));
    if (g_str_equal(key, "communication"))
        return communication_setting(self);
    if (g_str_equal(key, "schedule"))
        return stage_setting(self, FALSE);
    if (g_str_equal(key, "overlap_s"))
        return overlap_setting(self);
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
        if (g_str_equal(settings[i].key, key))
            return g_strdup(settings[i].setting);
    return NULL;
}

static int
by_size(gconstpointer a, gconstpointer b)
{
    double first = fabs(((const LpDifferencePart *)a)->seconds);
    double second = fabs(((const LpDifferencePart *)b)->seconds);
    return (first < second) - (first > second);
}

GPtrArray *
lp_difference_large_parts(const LpReport *self, const json_t *difference)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) parts = lp_difference_parts(difference);
    double whole_s = self->simulation->run.iteration_time_s;
    if (parts->len == 0)
        return texts;
    /* The first two are of one kind. */
    LpDifferencePart *contention = &g_array_index(parts, LpDifferencePart, 0);
    contention->seconds += g_array_index(parts, LpDifferencePart, 1).seconds;
    g_array_remove_index(parts, 1);
    g_array_sort(parts, by_size);
    for (guint i = 0; i < parts->len; i++) {
        const LpDifferencePart *part = &g_array_index(parts, LpDifferencePart, i);
        if (fabs(part->seconds) <= LP_DIFFERENCE_LARGE * whole_s)
            break;
        g_autofree char *without = find_setting(self, part->field->name);
        g_autofree char *removed = without == NULL ? g_strdup("no setting is known to remove it")
                                                   : g_strconcat("removed by ", without, NULL);
        gboolean is_contention = g_str_equal(part->field->name, "contention_s");
        g_ptr_array_add(texts,
                        g_strdup_printf("%s%s: %+.6f s, %+.1f %% of the iteration; %s",
                                        part->field->label,
                                        is_contention ? " beyond the closed form's" : "",
                                        part->seconds, 100.0 * part->seconds / whole_s, removed));
    }
    return texts;
}
