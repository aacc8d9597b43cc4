/* SPDX-License-Identifier: Apache-2.0 */
/* Which sections pages have, and in which order. */
#include "report/page_report.h"

#include "report/page_contention.h"
#include "report/page_kernels.h"
#include "report/page_observed.h"
#include "report/page_run.h"

static const char *
text_at(const LpPage *self, const char *at)
{
    const char *text = json_string_value(lp_page_get(self, at));
    return text == NULL ? "" : text;
}

/* Adds the names of workload and machine. */
static void
add_head(LpPage *self, const char *what_at, const char *machine_at)
{
    g_string_append(self->text, "<h1>");
    lp_page_value(self, what_at);
    g_string_append(self->text, "</h1>\n<p>");
    lp_page_value(self, machine_at);
    if (lp_page_get(self, "/accelerators") != NULL) {
        g_string_append(self->text, ", ranks: ");
        lp_page_value(self, "/accelerators");
    }
    g_string_append(self->text, "</p>\n");
}

static char *
title_of(const json_t *document, const char *what)
{
    LpPage page = {.document = document};
    const char *name = text_at(&page, "/workload");
    if (*name == '\0')
        name = text_at(&page, "/scenario");
    if (*name == '\0')
        name = text_at(&page, "/runs/0/workload");
    return g_strdup_printf("%s: %s", name, what);
}

/* --- runs side by side --- */

/* Rows of the plot of times, of the simulated times of @n runs. @names: of each, a pointer behind
 * its own. Returns: (transfer full). */
static json_t *
side_by_side_rows(const LpPage *self, const char *list, const char *name_key)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < json_array_size(lp_page_get(self, list)); i++) {
        g_autofree char *name = lp_page_at(list, "/%u/%s", i, name_key);
        for (LpTerm term = 0; term < LP_N_TERMS; term++) {
            g_autofree char *at =
                lp_page_at(list, "/%u/simulated/terms_s/%s", i, lp_term_names[term]);
            double seconds = json_number_value(lp_page_get(self, at));
            if (seconds == 0.0)
                continue;
            json_t *row = lp_json_append_object(rows);
            lp_json_set_text(row, "of", text_at(self, name));
            lp_json_set_text(row, "term", lp_term_names[term]);
            lp_json_set_number(row, "seconds", seconds);
        }
    }
    return data;
}

/* --- simulate --- */

static void
add_workload_sections(LpPage *self)
{
    add_head(self, "/workload", "/platform");
    lp_page_run_add_summary(self, "");
    lp_page_run_add_warnings(self, "");
    lp_page_run_add_plan(self, "", 2);
    lp_page_run_add_times(self, "", "", 2);
    lp_page_kernels_add(self, "", "", 2, LP_PAGE_KERNELS_MOST);
    lp_page_observed_add(self);
    lp_page_run_add_needs(self, "", "", 2);
}

static void
add_jobs(LpPage *self)
{
    static const char *const figures[] = {"/name",
                                          "/workload",
                                          "/places",
                                          "/accelerators",
                                          "/simulated/iteration_time_s",
                                          "/alone_s",
                                          "/slowdown",
                                          "/simulated/mfu",
                                          NULL};
    lp_page_heading(self, 2, "Jobs side by side");
    lp_page_plot(self, "jobs", "times", "Iteration time of each job by term",
                 "Seconds along each job's critical path beside the others.",
                 side_by_side_rows(self, "/jobs", "name"));
    lp_page_list(self, "Jobs", "/jobs", figures);
}

static void
add_background(LpPage *self)
{
    if (json_array_size(lp_page_get(self, "/traffic")) == 0)
        return;
    lp_page_heading(self, 2, "Background traffic");
    lp_page_list(self, "Background traffic", "/traffic", NULL);
}

static void
add_scenario_sections(LpPage *self)
{
    add_head(self, "/scenario", "/platform");
    add_jobs(self);
    add_background(self);
    lp_page_run_add_warnings(self, "");
    lp_page_observed_add(self);
    for (guint i = 0; i < json_array_size(lp_page_get(self, "/jobs")); i++) {
        g_autofree char *job = lp_page_at("", "/jobs/%u", i);
        g_autofree char *name = lp_page_at(job, "/name");
        g_autofree char *id = g_strdup_printf("job-%u-", i);
        g_string_append(self->text, "<h2>Job ");
        lp_page_value(self, name);
        g_string_append(self->text, "</h2>\n");
        lp_page_run_add_summary(self, job);
        lp_page_run_add_warnings(self, job);
        lp_page_run_add_plan(self, job, 3);
        lp_page_run_add_times(self, job, id, 3);
        lp_page_kernels_add(self, job, id, 3, LP_PAGE_KERNELS_MOST);
        lp_page_run_add_needs(self, job, id, 3);
    }
}

char *
lp_page_of_simulation(const json_t *document, const char *vega)
{
    g_autofree char *title = title_of(document, "simulated");
    gboolean is_scenario = json_object_get(document, "jobs") != NULL;
    LpPage page = lp_page_begin(document, is_scenario ? "scenario" : "simulate", title);
    if (is_scenario)
        add_scenario_sections(&page);
    else
        add_workload_sections(&page);
    lp_page_run_add_engine(&page, "", 2);
    return lp_page_end(&page, vega);
}

/* --- compare --- */

/* A column: of each run what stands at @key behind its place in @list. */
typedef struct {
    const char *list, *key;
    gboolean with_part;
} Column;

/* A row each run, from @first on. */
static void
add_runs_table(LpPage *self, const char *label, const Column *columns, guint n, guint n_texts,
               guint first)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint k = 0; k < n; k++) {
        g_autofree char *at = g_strdup_printf("%s/0%s", columns[k].list, columns[k].key);
        g_autofree char *name = lp_page_label(self, at, columns[k].with_part);
        g_string_append_printf(names, "%s%s", k > 0 ? "|" : "", name);
    }
    lp_page_begin_table(self, label, names->str, n_texts);
    for (guint i = first; i < json_array_size(lp_page_get(self, "/runs")); i++) {
        lp_page_row(self);
        for (guint k = 0; k < n; k++) {
            g_autofree char *at = g_strdup_printf("%s/%u%s", columns[k].list, i, columns[k].key);
            lp_page_cell(self, at);
        }
    }
    lp_page_end_table(self);
}

static void
add_machines(LpPage *self)
{
    static const Column machines[] = {{"/runs", "/platform", FALSE},
                                      {"/runs", "/simulated/iteration_time_s", FALSE},
                                      {"/speedup", "", FALSE},
                                      {"/runs", "/simulated/mfu", FALSE},
                                      {"/runs", "/simulated/tokens_per_s", FALSE},
                                      {"/runs", "/closed_form/iteration_time_s", TRUE},
                                      {"/runs", "/difference/contention_s", FALSE},
                                      {"/runs", "/energy_j_per_token", FALSE},
                                      {"/runs", "/network/price_usd", TRUE}};
    static const Column changes[] = {{"/runs", "/platform", FALSE},
                                     {"/largest_change", "/term", FALSE},
                                     {"/largest_change", "/tier", FALSE},
                                     {"/largest_change", "/seconds", FALSE}};
    add_runs_table(self, "Machines", machines, G_N_ELEMENTS(machines), 1, 0);
    lp_page_heading(self, 2, "The largest change of each");
    add_runs_table(self, "Largest changes", changes, G_N_ELEMENTS(changes), 3, 1);
}

char *
lp_page_of_comparison(const json_t *document, const char *vega)
{
    g_autofree char *title = title_of(document, "machines compared");
    LpPage page = lp_page_begin(document, "compare", title);
    add_head(&page, "/runs/0/workload", "/runs/0/plan/precision");
    lp_page_heading(&page, 2, "Machines side by side");
    lp_page_plot(&page, "machines", "times", "Iteration time on each machine by term",
                 "Seconds along the critical path on each machine.",
                 side_by_side_rows(&page, "/runs", "platform"));
    add_machines(&page);
    for (guint i = 0; i < json_array_size(lp_page_get(&page, "/runs")); i++) {
        g_autofree char *run = lp_page_at("", "/runs/%u", i);
        g_autofree char *name = lp_page_at(run, "/platform");
        g_autofree char *id = g_strdup_printf("run-%u-", i);
        g_string_append(page.text, "<h2>");
        lp_page_value(&page, name);
        g_string_append(page.text, "</h2>\n");
        lp_page_run_add_summary(&page, run);
        lp_page_run_add_warnings(&page, run);
        lp_page_run_add_plan(&page, run, 3);
        lp_page_run_add_times(&page, run, id, 3);
        lp_page_run_add_needs(&page, run, id, 3);
        lp_page_run_add_engine(&page, run, 3);
    }
    return lp_page_end(&page, vega);
}

/* --- contention --- */

char *
lp_page_of_contention(const json_t *document, const char *vega)
{
    g_autofree char *title = title_of(document, "contention");
    LpPage page = lp_page_begin(document, "contention", title);
    gboolean is_scenario = lp_page_get(&page, "/jobs") != NULL;
    add_head(&page, is_scenario ? "/scenario" : "/workload", "/platform");
    if (!is_scenario) {
        lp_page_run_add_plan(&page, "", 2);
        lp_page_contention_add(&page, "", "", 2);
    }
    for (guint i = 0; i < json_array_size(lp_page_get(&page, "/jobs")); i++) {
        g_autofree char *job = lp_page_at("", "/jobs/%u", i);
        g_autofree char *name = lp_page_at(job, "/name");
        g_autofree char *id = g_strdup_printf("job-%u-", i);
        g_string_append(page.text, "<h2>Job ");
        lp_page_value(&page, name);
        g_string_append(page.text, "</h2>\n");
        lp_page_contention_add(&page, job, id, 3);
    }
    lp_page_run_add_engine(&page, "", 2);
    return lp_page_end(&page, vega);
}

/* --- kernels --- */

char *
lp_page_of_kernels(const json_t *document, const char *vega)
{
    g_autofree char *title = title_of(document, "kernels");
    LpPage page = lp_page_begin(document, "workload-kernels", title);
    add_head(&page, "/workload", "/platform");
    lp_page_run_add_plan(&page, "", 2);
    lp_page_kernels_add(&page, "", "", 2, LP_PAGE_KERNELS_ALL);
    return lp_page_end(&page, vega);
}
