/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of contention. */
#include "report/contention_report.h"

#include <math.h>

#include "base/file.h"
#include "report/report_parts.h"

#include <string.h>

/* --- rows, sorted --- */

/* A delay of one party by another. */
typedef struct {
    LpContender delayed, by;
    double seconds;
} PairRow;

/* A link that costs a job time. */
typedef struct {
    guint place; /* among the job's links (LpAttributionFlows) */
    guint32 link;
    const char *name; /* borrowed from the scenario_setup */
    LpTier tier;
    guint32 n_alike;    /* links of its class, itself included */
    double seconds;     /* of all of these */
    double utilisation; /* bytes that crossed it over those that could have */
} LinkRow;

/* The saving of a change. */
typedef struct {
    const char *name; /* borrowed */
    double time_s, saved_s, units, saved_per_unit_s;
    const char *misfit; /* borrowed: why it does not fit, and then there are no times; or NULL */
} WhatIfRow;

static const LpScenarioJob *
job_at(const LpContentionReport *self, guint index)
{
    return lp_scenario_setup_job(self->scenario_setup, index)->job;
}

static guint64
n_ranks(const LpContentionReport *self)
{
    guint64 n = 0;
    for (guint i = 0; i < self->scenario_setup->jobs->len; i++)
        n += lp_scenario_setup_job(self->scenario_setup, i)->n_ranks;
    return n;
}

static gint
compare_pairs(gconstpointer a, gconstpointer b)
{
    const PairRow *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    return one->delayed != other->delayed ? (gint)one->delayed - (gint)other->delayed
                                          : (gint)one->by - (gint)other->by;
}

static GArray *
pair_rows(const LpAttribution *self)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(PairRow));
    for (LpContender delayed = 0; delayed < LP_CONTENDER_OTHERS; delayed++)
        for (LpContender by = 0; by < LP_N_CONTENDERS; by++) {
            PairRow row = {delayed, by, self->pair_s[delayed][by]};
            if (self->contends[delayed] && self->contends[by])
                g_array_append_val(rows, row);
        }
    g_array_sort(rows, compare_pairs);
    return rows;
}

static gint
compare_what_ifs(gconstpointer a, gconstpointer b)
{
    const WhatIfRow *one = a, *other = b;
    if ((one->misfit != NULL) != (other->misfit != NULL))
        return one->misfit != NULL ? 1 : -1;
    if (one->saved_per_unit_s != other->saved_per_unit_s)
        return one->saved_per_unit_s > other->saved_per_unit_s ? -1 : 1;
    return strcmp(one->name, other->name);
}

static GArray *
what_if_rows(const LpContentionReport *self, guint job)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(WhatIfRow));
    double now_s = self->attributions->jobs[job].iteration_time_s;
    for (guint i = 0; self->what_ifs != NULL && i < self->what_ifs->len; i++) {
        const LpVariantRow *variant = &g_array_index(self->what_ifs, LpVariantRow, i);
        WhatIfRow row = {.name = variant->name, .units = variant->units, .misfit = variant->misfit};
        if (variant->misfit == NULL) {
            row.time_s = variant->times_s[job];
            row.saved_s = now_s - row.time_s;
            row.saved_per_unit_s = row.saved_s / row.units;
        }
        g_array_append_val(rows, row);
    }
    g_array_sort(rows, compare_what_ifs);
    return rows;
}

static LpDistribution
distribution_of(const GArray *rows, guint job)
{
    g_autofree double *times_s = g_new(double, rows->len);
    for (guint i = 0; i < rows->len; i++)
        times_s[i] = g_array_index(rows, LpVariantRow, i).times_s[job];
    return lp_distribution_of(times_s, rows->len);
}

static gint
compare_links(gconstpointer a, gconstpointer b)
{
    const LinkRow *one = a, *other = b;
    if (one->seconds != other->seconds)
        return one->seconds > other->seconds ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static double
utilisation(const LpContentionReport *self, guint job, guint place, const LpLink *link)
{
    const LpAttributionFlows *flows = &self->attributions->flows;
    const LpCrossing *crossings = lp_attribution_flows_crossings(flows, job, place);
    double bytes = 0.0;
    for (guint kind = 0; kind < flows->n_kinds; kind++)
        bytes += crossings[kind].bytes;
    return bytes / (link->bytes_per_s * self->attributions->duration_s);
}

static GArray *
link_rows(const LpContentionReport *self, guint job)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(LinkRow));
    const LpNetwork *network = self->scenario_setup->network;
    for (guint place = 0; place < LP_SUMMARY_LINKS; place++) {
        LpBottleneckLink held = self->attributions->flows.links[job * LP_SUMMARY_LINKS + place];
        if (held.lost_s <= 0.0)
            break;
        LpLink link = lp_network_link(network, held.link);
        LinkRow row = {
            .place = place,
            .link = held.link,
            .name = lp_network_link_name(network, held.link),
            .tier = link.tier,
            .n_alike = held.n_alike,
            .seconds = lp_attributions_link_s(self->attributions, self->scenario_setup, job, place),
            .utilisation = utilisation(self, job, place, &link)};
        g_array_append_val(rows, row);
    }
    g_array_sort(rows, compare_links);
    return rows;
}

static double
other_links_s(const LpContentionReport *self, guint job, const GArray *links)
{
    const LpAttribution *attribution = &self->attributions->jobs[job];
    double all_s = attribution->total_s - attribution->interaction_s - attribution->circuits_s;
    double rest_s = all_s;
    for (guint i = 0; i < links->len; i++)
        rest_s -= g_array_index(links, LinkRow, i).seconds;
    /* Rounding of the sum above. */
    return fabs(rest_s) < 1e-12 * fabs(all_s) ? 0.0 : rest_s;
}

/* --- JSON --- */

/* Sets the kind of a flow, which may be of another job. */
static void
set_kind(json_t *object, const LpContentionReport *self, guint kind)
{
    guint n_jobs = self->attributions->flows.n_jobs;
    gboolean is_background = kind == n_jobs * LP_N_TRAFFIC;
    if (self->is_scenario && !is_background)
        lp_json_set_text(object, "job", job_at(self, kind / LP_N_TRAFFIC)->name);
    lp_json_set_text(
        object, "traffic",
        lp_contender_names[is_background ? LP_CONTENDER_BACKGROUND : kind % LP_N_TRAFFIC]);
}

static void
add_crossed(json_t *object, const LpContentionReport *self, guint job, guint place)
{
    const LpAttributionFlows *flows = &self->attributions->flows;
    const LpCrossing *crossings = lp_attribution_flows_crossings(flows, job, place);
    json_t *array = lp_json_set_array(object, "crossed");
    for (guint kind = 0; kind < flows->n_kinds; kind++) {
        if (crossings[kind].n_flows == 0)
            continue;
        json_t *crossed = lp_json_append_object(array);
        set_kind(crossed, self, kind);
        lp_json_set_count(crossed, "flows", crossings[kind].n_flows);
        lp_json_set_count(crossed, "bytes", (guint64)llround(crossings[kind].bytes));
        lp_json_set_number(crossed, "from_s", crossings[kind].from_s);
        lp_json_set_number(crossed, "to_s", crossings[kind].to_s);
        lp_json_set_number(crossed, "held_back_s", crossings[kind].lost_s);
    }
}

static void
add_links(json_t *object, const LpContentionReport *self, guint job)
{
    g_autoptr(GArray) rows = link_rows(self, job);
    json_t *array = lp_json_set_array(object, "links");
    for (guint i = 0; i < rows->len; i++) {
        const LinkRow *row = &g_array_index(rows, LinkRow, i);
        json_t *link = lp_json_append_object(array);
        lp_json_set_text(link, "name", row->name);
        g_autofree char *where = lp_network_link_place(self->scenario_setup->network, row->link);
        lp_json_set_text(link, "place", where);
        lp_json_set_text(link, "tier", lp_tier_names[row->tier]);
        lp_json_set_count(link, "alike", row->n_alike);
        lp_json_set_number(link, "seconds", row->seconds);
        lp_json_set_number(link, "utilisation", row->utilisation);
        add_crossed(link, self, job, row->place);
    }
    lp_json_set_number(object, "other_links_s", other_links_s(self, job, rows));
}

static void
add_flows(json_t *object, const LpContentionReport *self, guint job)
{
    const LpAttributionFlows *flows = &self->attributions->flows;
    json_t *array = lp_json_set_array(object, "flows");
    for (guint traffic = 0; traffic < LP_N_TRAFFIC; traffic++) {
        const LpSlowdown *slowdown = &flows->slowdowns[job * LP_N_TRAFFIC + traffic];
        if (slowdown->n_flows == 0)
            continue;
        json_t *of_class = lp_json_append_object(array);
        lp_json_set_text(of_class, "traffic", lp_contender_names[traffic]);
        lp_json_set_count(of_class, "flows", slowdown->n_flows);
        lp_json_set_number(of_class, "alone_s", slowdown->ideal_s);
        lp_json_set_number(of_class, "actual_s", slowdown->actual_s);
        lp_json_set_number(of_class, "slowdown_median", slowdown->median);
        lp_json_set_number(of_class, "slowdown_p99", slowdown->p99);
        lp_json_set_number(of_class, "slowdown_worst", slowdown->worst);
    }
}

static void
add_stragglers(json_t *object, const LpAttributionWaits *waits)
{
    json_t *array = lp_json_set_array(object, "stragglers");
    for (guint i = 0; i < waits->n_waits; i++) {
        const LpStragglerWait *wait = &waits->waits[i];
        json_t *row = lp_json_append_object(array);
        lp_json_set_text(row, "traffic", lp_contender_names[wait->traffic]);
        if (wait->collective != LP_WAIT_NONE)
            lp_json_set_text(row, "collective", lp_collective_names[wait->collective]);
        lp_json_set_count(row, "rank", wait->rank);
        lp_json_set_count(row, "alike", wait->n_alike);
        lp_json_set_count(row, "times", wait->n);
        lp_json_set_number(row, "seconds", wait->waited_s);
        lp_json_set_number(row, "worst_s", wait->worst_s);
    }
    lp_json_set_number(object, "waited_s", waits->all_waited_s);
}

static void
add_path(json_t *object, const LpAttributionWaits *waits)
{
    if (waits->n_stretches == 0)
        return;
    json_t *array = lp_json_set_array(object, "critical_path");
    for (guint i = 0; i < waits->n_stretches; i++) {
        const LpStretch *stretch = &waits->stretches[i];
        json_t *row = lp_json_append_object(array);
        lp_json_set_count(row, "stage", stretch->stage);
        lp_json_set_text(row, "term", lp_term_names[stretch->term]);
        if (stretch->partner != LP_WAIT_NONE)
            lp_json_set_count(row, "for_stage", stretch->partner);
        lp_json_set_count(row, "times", stretch->n);
        lp_json_set_number(row, "seconds", stretch->seconds);
    }
    lp_json_set_number(object, "other_path_s", waits->other_stretches_s);
}

static void
add_pairs(json_t *object, const LpAttribution *self)
{
    g_autoptr(GArray) rows = pair_rows(self);
    json_t *array = lp_json_set_array(object, "pairs_s");
    for (guint i = 0; i < rows->len; i++) {
        const PairRow *row = &g_array_index(rows, PairRow, i);
        json_t *pair = lp_json_append_object(array);
        lp_json_set_text(pair, "delayed", lp_contender_names[row->delayed]);
        lp_json_set_text(pair, "by", lp_contender_names[row->by]);
        lp_json_set_number(pair, "seconds", row->seconds);
    }
    if (self->has_circuits) {
        json_t *pair = lp_json_append_object(array);
        lp_json_set_text(pair, "delayed", "all");
        lp_json_set_text(pair, "by", "circuits");
        lp_json_set_number(pair, "seconds", self->circuits_s);
    }
    json_t *classes = lp_json_set_object(object, "classes_s");
    for (guint i = 0; i < LP_N_CONTENDERS; i++)
        if (self->contends[i])
            lp_json_set_number(classes, lp_contender_names[i], self->class_s[i]);
    if (self->has_circuits)
        lp_json_set_number(classes, "circuits", self->circuits_s);
}

static void
add_what_ifs(json_t *object, const LpContentionReport *self, guint job)
{
    g_autoptr(GArray) rows = what_if_rows(self, job);
    if (self->what_ifs == NULL)
        return;
    json_t *array = lp_json_set_array(object, "what_ifs");
    for (guint i = 0; i < rows->len; i++) {
        const WhatIfRow *row = &g_array_index(rows, WhatIfRow, i);
        json_t *what_if = lp_json_append_object(array);
        lp_json_set_text(what_if, "name", row->name);
        lp_json_set_number(what_if, "units", row->units);
        if (row->misfit != NULL) {
            lp_json_set_text(what_if, "does_not_fit", row->misfit);
            continue;
        }
        lp_json_set_number(what_if, "iteration_time_s", row->time_s);
        lp_json_set_number(what_if, "saved_s", row->saved_s);
        lp_json_set_number(what_if, "saved_per_unit_s", row->saved_per_unit_s);
    }
}

static void
add_runs(json_t *object, const LpContentionReport *self, guint job)
{
    if (self->runs == NULL)
        return;
    LpDistribution found = distribution_of(self->runs, job);
    lp_report_add_distribution(object, &found);
}

static void
add_band(json_t *object, const LpContentionReport *self, guint job)
{
    if (self->band == NULL)
        return;
    LpDistribution found = distribution_of(self->band, job);
    json_t *band = lp_json_set_object(object, "band");
    lp_json_set_number(band, "low_s", found.low_s);
    lp_json_set_number(band, "high_s", found.high_s);
    json_t *ways = lp_json_set_object(band, "ways_s");
    for (guint i = 0; i < self->band->len; i++) {
        const LpVariantRow *row = &g_array_index(self->band, LpVariantRow, i);
        lp_json_set_number(ways, row->name, row->times_s[job]);
    }
}

static void
add_job(json_t *object, const LpContentionReport *self, guint job)
{
    const LpAttribution *attribution = &self->attributions->jobs[job];
    lp_json_set_number(object, "iteration_time_s", attribution->iteration_time_s);
    lp_json_set_number(object, "uncontended_s", attribution->uncontended_s);
    lp_json_set_number(object, "total_s", attribution->total_s);
    add_band(object, self, job);
    add_runs(object, self, job);
    json_t *tiers = lp_json_set_object(object, "tiers_s");
    for (LpTier tier = 0; tier < LP_N_TIERS; tier++)
        if (attribution->has_tier[tier])
            lp_json_set_number(tiers, lp_tier_names[tier], attribution->tier_s[tier]);
    if (attribution->has_circuits)
        lp_json_set_number(tiers, "circuit", attribution->circuits_s);
    lp_json_set_number(object, "interaction_s", attribution->interaction_s);
    add_pairs(object, attribution);
    add_links(object, self, job);
    add_flows(object, self, job);
    add_stragglers(object, &attribution->waits);
    add_path(object, &attribution->waits);
    add_what_ifs(object, self, job);
    lp_json_set_count(object, "mirror_images", attribution->n_replicas);
}

static void
add_cost(json_t *object, const LpContentionReport *self)
{
    json_t *cost = lp_json_set_object(object, "cost");
    lp_json_set_number(cost, "wall_s", self->cost.wall_s);
    lp_json_set_count(cost, "peak_rss_bytes", self->cost.peak_rss_bytes);
}

json_t *
lp_contention_report_to_json(const LpContentionReport *self)
{
    json_t *root = lp_json_document();
    const LpScenarioSetup *scenario_setup = self->scenario_setup;
    lp_json_set_text(root, self->is_scenario ? "scenario" : "workload",
                     scenario_setup->scenario->name);
    lp_json_set_text(root, "platform", lp_file_label(self->machine->path));
    lp_json_set_count(root, "accelerators", n_ranks(self));
    if (!self->is_scenario)
        lp_report_add_plan(root, job_at(self, 0)->workload);
    lp_report_add_engine(root, scenario_setup->fidelity, scenario_setup->collapse, TRUE, NULL,
                         scenario_setup->engine_options);
    lp_json_set_count(root, "runs", self->attributions->n_runs);
    if (!self->is_scenario)
        add_job(root, self, 0);
    json_t *jobs = self->is_scenario ? lp_json_set_array(root, "jobs") : NULL;
    for (guint i = 0; jobs != NULL && i < scenario_setup->jobs->len; i++) {
        json_t *object = lp_json_append_object(jobs);
        lp_json_set_text(object, "name", job_at(self, i)->name);
        lp_json_set_text(object, "workload", job_at(self, i)->workload->name);
        add_job(object, self, i);
    }
    if (self->has_cost)
        add_cost(root, self);
    return root;
}

char *
lp_contention_report_to_json_text(const LpContentionReport *self)
{
    g_autoptr(json_t) node = lp_contention_report_to_json(self);
    return lp_json_print(node);
}
