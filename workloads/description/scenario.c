/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a scenario file and the workloads of its jobs, and puts both in an order of their own. */
#include "workloads/description/scenario.h"

#include "base/c_locale.h"
#include "base/error.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/xml.h"
#include "workloads/description/scenario_element.h"
#include "workloads_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/workloads/schema/scenario.xsd"

gboolean
lp_scenario_is_file(const char *path)
{
    /* Reading a pipe would empty it. */
    g_autofree char *root =
        g_str_has_prefix(path, "resource:") || g_file_test(path, G_FILE_TEST_IS_REGULAR)
            ? lp_xml_root_name(path)
            : NULL;
    return g_strcmp0(root, "scenario") == 0;
}

static int
compare_jobs(gconstpointer a, gconstpointer b)
{
    return strcmp((*(LpScenarioJob *const *)a)->name, (*(LpScenarioJob *const *)b)->name);
}

static int
compare_traffic(gconstpointer a, gconstpointer b)
{
    return strcmp((*(LpScenarioTraffic *const *)a)->name, (*(LpScenarioTraffic *const *)b)->name);
}

static char *
list_text(const GArray *numbers)
{
    return numbers == NULL
               ? g_strdup("")
               : lp_ranges_format((const guint32 *)(gconstpointer)numbers->data, numbers->len);
}

static char *
straggler_key(const LpScenarioStraggler *self)
{
    g_autofree char *ranks = list_text(self->ranks), *accelerators = list_text(self->accelerators);
    return g_strdup_printf("%s/%s/%s/%.17g/%d/%.17g/%.17g/%.17g/%u",
                           self->job != NULL ? self->job : "", ranks, accelerators, self->factor,
                           (int)self->distribution, self->jitter, self->start_s, self->end_s,
                           self->seed);
}

static int
compare_stragglers(gconstpointer a, gconstpointer b)
{
    g_autofree char *first = straggler_key(*(LpScenarioStraggler *const *)a);
    g_autofree char *second = straggler_key(*(LpScenarioStraggler *const *)b);
    return strcmp(first, second);
}

/* Orders failures by time. At one instant the worse failure of a link comes last, so that it stays.
 */
static int
compare_failures(gconstpointer a, gconstpointer b)
{
    const LpScenarioFailure *first = *(LpScenarioFailure *const *)a;
    const LpScenarioFailure *second = *(LpScenarioFailure *const *)b;
    if (first->at_s != second->at_s)
        return first->at_s < second->at_s ? -1 : 1;
    if (first->bandwidth_factor != second->bandwidth_factor)
        return first->bandwidth_factor > second->bandwidth_factor ? -1 : 1;
    if (first->scale_out != second->scale_out)
        return first->scale_out ? 1 : -1;
    if (first->accelerator != second->accelerator)
        return first->accelerator < second->accelerator ? -1 : 1;
    if (first->part != second->part)
        return first->part < second->part ? -1 : 1;
    if (first->index != second->index)
        return first->index < second->index ? -1 : 1;
    return g_strcmp0(first->link, second->link);
}

const LpScenarioJob *
lp_scenario_job(const LpScenario *self, guint index)
{
    return self->jobs->pdata[index];
}

static gboolean
check_names(const LpScenario *self, GError **error)
{
    for (guint i = 1; i < self->jobs->len; i++) {
        const LpScenarioJob *job = lp_scenario_job(self, i);
        if (strcmp(job->name, lp_scenario_job(self, i - 1)->name) != 0)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%s: got a second job \"%s\", wanted each name once", job->where, job->name);
        return FALSE;
    }
    for (guint i = 1; i < self->traffic->len; i++) {
        const LpScenarioTraffic *traffic = self->traffic->pdata[i];
        if (strcmp(traffic->name, ((LpScenarioTraffic *)self->traffic->pdata[i - 1])->name) != 0)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%s: got a second traffic \"%s\", wanted each name once", traffic->where,
                    traffic->name);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_straggler_job(const LpScenario *self, const LpScenarioStraggler *straggler, GError **error)
{
    const LpScenarioJob *job = NULL;
    for (guint i = 0; i < self->jobs->len; i++)
        if (strcmp(lp_scenario_job(self, i)->name, straggler->job) == 0)
            job = lp_scenario_job(self, i);
    if (job == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%s: <straggler> job: got \"%s\", wanted the name of a job", straggler->where,
                    straggler->job);
        return FALSE;
    }
    guint64 n_ranks = lp_plan_n_ranks(&job->workload->plan);
    for (guint i = 0; straggler->ranks != NULL && i < straggler->ranks->len; i++) {
        guint32 rank = g_array_index(straggler->ranks, guint32, i);
        if (rank < n_ranks)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: <straggler> ranks: got rank %u, wanted one of the %" G_GUINT64_FORMAT
                    " ranks of job \"%s\"",
                    straggler->where, rank, n_ranks, job->name);
        return FALSE;
    }
    return TRUE;
}

static gboolean
check_whole(const LpScenario *self, GError **error)
{
    if (self->jobs->len == 0) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s: got no job, wanted one",
                    lp_file_label(self->path));
        return FALSE;
    }
    if (!check_names(self, error))
        return FALSE;
    for (guint i = 0; i < self->stragglers->len; i++) {
        const LpScenarioStraggler *straggler = self->stragglers->pdata[i];
        if (straggler->job != NULL && !check_straggler_job(self, straggler, error))
            return FALSE;
    }
    return TRUE;
}

static void
sort(LpScenario *self)
{
    g_ptr_array_sort(self->jobs, compare_jobs);
    g_ptr_array_sort(self->traffic, compare_traffic);
    g_ptr_array_sort(self->stragglers, compare_stragglers);
    g_ptr_array_sort(self->failures, compare_failures);
}

/* Without anything in it. */
static LpScenario *
scenario_new(const char *path, const char *name)
{
    LpScenario *self = g_new0(LpScenario, 1);
    self->path = g_strdup(path);
    self->name = g_strdup(name);
    self->jobs = g_ptr_array_new_with_free_func((GDestroyNotify)lp_scenario_job_free);
    self->traffic = g_ptr_array_new_with_free_func((GDestroyNotify)lp_scenario_traffic_free);
    self->stragglers = g_ptr_array_new_with_free_func((GDestroyNotify)lp_scenario_straggler_free);
    self->failures = g_ptr_array_new_with_free_func((GDestroyNotify)lp_scenario_failure_free);
    return self;
}

LpScenario *
lp_scenario_new_single(LpWorkload *workload, const char *path)
{
    LpScenario *self = scenario_new(path, workload->name);
    LpScenarioJob *job = g_new0(LpScenarioJob, 1);
    *job = (LpScenarioJob){.where = g_strdup(lp_file_label(path)),
                           .name = g_strdup(workload->name),
                           .workload = workload,
                           .n_iterations = 1};
    g_ptr_array_add(self->jobs, job);
    return self;
}

void
lp_scenario_job_prefix(const LpScenarioJob *self, GError **error)
{
    const char *label = lp_file_label(self->workload->path);
    if (strcmp(self->where, label) != 0)
        g_prefix_error(error, "%s: job \"%s\": ", self->where, self->name);
    else if (error != NULL && *error != NULL && !g_str_has_prefix((*error)->message, label) &&
             !g_str_has_prefix((*error)->message, "--set "))
        g_prefix_error(error, "%s: ", label);
}

gboolean
lp_scenario_apply_machine(LpScenario *self, guint64 domain_size, const LpAccelerator *accelerator,
                          GError **error)
{
    for (guint i = 0; i < self->jobs->len; i++) {
        const LpScenarioJob *job = self->jobs->pdata[i];
        if (lp_workload_apply_machine(job->workload, domain_size, accelerator, error))
            continue;
        lp_scenario_job_prefix(job, error);
        return FALSE;
    }
    return TRUE;
}

LpScenario *
lp_scenario_load(const char *path, const char *const *settings, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    /* Before any job has them, so that no job is blamed for them. */
    if (!lp_workload_check_settings(settings, error))
        return NULL;
    (void)lp_workloads_get_resource();
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    g_autoptr(LpScenario) self = scenario_new(path, lp_xml_attribute(lp_xml_root(xml), "name"));
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!lp_scenario_read_element(self, xml, node, settings, error))
            return NULL;
    sort(self);
    return check_whole(self, error) ? g_steal_pointer(&self) : NULL;
}

void
lp_scenario_free(LpScenario *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_free(self->name);
    g_ptr_array_unref(self->jobs);
    g_ptr_array_unref(self->traffic);
    g_ptr_array_unref(self->stragglers);
    g_ptr_array_unref(self->failures);
    g_free(self);
}
