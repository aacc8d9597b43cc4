/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a search: the plans, what became of all, and the first plan's run. */
#include "report/page_search.h"

#include "model/plan/terms.h"
#include "report/page_observed.h"
#include "report/page_run.h"

#include <string.h>

/* Plans whose terms stand side by side, and that the table has. */
#define COMPARED 12
#define LISTED 2000
/* Machines that are named at once. */
#define FEW 2

#define FIRST "/candidates/0"

/* What stands at @at, for functions of the library that take no constant. Borrowed. */
static json_t *
node_at(const LpPage *self, const char *at)
{
    return (json_t *)(gpointer)(guintptr)lp_page_get(self, at);
}

static guint
size_of(const LpPage *self, const char *at)
{
    return (guint)json_array_size(lp_page_get(self, at));
}

static guint
n_candidates(const LpPage *self)
{
    return size_of(self, "/candidates");
}

/* --- head --- */

/* The machines, folded away where they are many. */
static void
add_machines(LpPage *self)
{
    guint n = size_of(self, "/platforms");
    g_string_append(self->text, n > FEW ? "<details><summary>on several machines</summary>\n" : "");
    for (guint i = 0; i < n; i++) {
        g_autofree char *platform = lp_page_at("/platforms", "/%u", i);
        g_string_append(self->text, "<p>on ");
        lp_page_value(self, platform);
        g_string_append(self->text, "</p>\n");
    }
    g_string_append(self->text, n > FEW ? "</details>\n" : "");
}

static void
add_head(LpPage *self)
{
    g_string_append(self->text, "<h1>Plans for ");
    lp_page_value(self, "/workload");
    g_string_append(self->text, "</h1>\n");
    add_machines(self);
    if (lp_page_get(self, "/interrupted") != NULL)
        g_string_append(self->text,
                        "<p class=\"warning\">The search was interrupted: this is its answer so "
                        "far.</p>\n");
    static const char *const figures[] = {FIRST "/iteration_time_s",
                                          FIRST "/closed_form_s",
                                          FIRST "/memory_bytes",
                                          FIRST "/expected_error/median",
                                          FIRST "/price_usd",
                                          FIRST "/energy_j_per_token",
                                          "/objective",
                                          "/considered",
                                          "/simulated",
                                          "/not_looked_at",
                                          "/not_looked_at_at_least/iteration_time_s",
                                          "/not_looked_at_at_least/memory_bytes",
                                          "/not_looked_at_at_least/energy_j_per_token",
                                          "/not_looked_at_at_least/usd_s_per_token",
                                          NULL};
    lp_page_begin_figures(self);
    lp_page_figures(self, "", figures);
    lp_page_end_figures(self);
}

/* The first plan, "name value" each. */
static void
add_first(LpPage *self)
{
    const char *name;
    const json_t *value;
    json_t *set = node_at(self, FIRST "/set");
    g_string_append(self->text, "<dl class=\"figures plan\">\n");
    json_object_foreach (set, name, value) {
        g_autofree char *at = lp_page_at(FIRST "/set", "/%s", name);
        lp_page_figure(self, name, at);
    }
    if (size_of(self, "/platforms") > 1)
        lp_page_figure(self, NULL, FIRST "/machine");
    g_string_append(self->text, "</dl>\n");
}

/* --- plots --- */

/* "tp 8, pp 2": of the plan at @at, for people. Returns: (transfer full). */
static char *
settings_of(const LpPage *self, const char *at)
{
    g_autofree char *set_at = lp_page_at(at, "/set");
    const char *name;
    json_t *value, *set = node_at(self, set_at);
    GString *text = g_string_new(NULL);
    json_object_foreach (set, name, value)
        g_string_append_printf(text, "%s%s=%s", text->len > 0 ? " " : "", name,
                               json_string_value(value));
    return g_string_free(text, FALSE);
}

static void
copy(json_t *row, const LpPage *self, const char *at, const char *key)
{
    g_autofree char *from = lp_page_at(at, "/%s", key);
    json_t *value = node_at(self, from);
    if (value != NULL)
        (void)json_object_set(row, key, value);
}

/* Rows of the scatter: of each plan what the axes, the colours and the tip need. */
static json_t *
scatter_rows(const LpPage *self)
{
    static const char *const keys[] = {"rank",      "iteration_time_s",  "memory_bytes",
                                       "machine",   "accelerators",      "on_front",
                                       "price_usd", "energy_j_per_token"};
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < n_candidates(self); i++) {
        g_autofree char *at = lp_page_at("/candidates", "/%u", i);
        g_autofree char *set_at = lp_page_at(at, "/set");
        json_t *row = lp_json_append_object(rows);
        for (guint k = 0; k < G_N_ELEMENTS(keys); k++)
            copy(row, self, at, keys[k]);
        (void)json_object_set(row, "set", node_at(self, set_at));
        g_autofree char *settings = settings_of(self, at);
        lp_json_set_text(row, "plan", settings);
    }
    lp_json_set_text(data, "others", "/not_simulated");
    return data;
}

static void
add_scatter(LpPage *self)
{
    lp_page_heading(self, 2, "All plans");
    static const char *const across[] = {"memory_bytes", "accelerators", "price_usd",
                                         "energy_j_per_token"};
    g_string_append(self->text, "<div class=\"tools\" data-for=\"plot-plans\"");
    for (guint i = 0; i < G_N_ELEMENTS(across); i++) {
        g_autofree char *at = g_strconcat(FIRST "/", across[i], NULL);
        g_autofree char *label = lp_page_label(self, at, FALSE);
        g_string_append_printf(self->text, " data-%s=\"%s\"", across[i], label);
    }
    g_string_append(self->text, "></div>\n");
    static const char caption[] =
        "Each dot is a plan that was simulated. Dots with a dark edge are the front: of plans "
        "close "
        "behind the first (front_within in the JSON) those to which no other is at least equal in "
        "time, memory, accelerators and price; the line joins those that nothing on the plot "
        "beats. Small gray dots were not simulated, or not to their end: they stand at their "
        "closed form. Click a dot to find its row.";
    lp_page_plot(self, "plans", "plans", "Iteration time of all plans against their memory",
                 caption, scatter_rows(self));
}

/* "tp=8 pp=2": in what the plan at @at differs from the first. Returns: (transfer full). */
static char *
difference_of(const LpPage *self, const char *at)
{
    g_autofree char *set_at = lp_page_at(at, "/set");
    const char *name;
    json_t *value, *set = node_at(self, set_at), *first = node_at(self, FIRST "/set");
    GString *text = g_string_new(NULL);
    json_object_foreach (set, name, value) {
        if (!json_equal(value, json_object_get(first, name)))
            g_string_append_printf(text, "%s%s=%s", text->len > 0 ? " " : "", name,
                                   json_string_value(value));
    }
    g_autofree char *machine_at = lp_page_at(at, "/machine");
    const json_t *machine = lp_page_get(self, machine_at);
    if (!json_equal(machine, lp_page_get(self, FIRST "/machine")))
        g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", json_string_value(machine));
    return g_string_free(text, FALSE);
}

/* Terms of the best plans, side by side. */
static void
add_terms(LpPage *self)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < MIN(n_candidates(self), COMPARED); i++) {
        g_autofree char *at = lp_page_at("/candidates", "/%u", i);
        g_autofree char *difference = difference_of(self, at);
        g_autofree char *name = g_strdup_printf("%u: %s", i + 1, i == 0 ? "the first" : difference);
        for (LpTerm term = 0; term < LP_N_TERMS; term++) {
            g_autofree char *key = lp_page_at(at, "/terms_s/%s", lp_term_names[term]);
            double seconds = json_number_value(lp_page_get(self, key));
            if (seconds == 0.0)
                continue;
            json_t *row = lp_json_append_object(rows);
            lp_json_set_text(row, "of", name);
            lp_json_set_text(row, "term", lp_term_names[term]);
            lp_json_set_number(row, "seconds", seconds);
        }
    }
    lp_page_heading(self, 2, "Where the time of the best plans goes");
    lp_page_plot(
        self, "best", "times", "Iteration time of the best plans by term",
        "Seconds along each plan's critical path, the fastest plan first, each called by what "
        "sets it apart from that one.",
        data);
}

/* --- the table --- */

/* What the table has of each plan; some have prices and energies on some machines only. */
static const char *const columns[] = {
    "rank",         "iteration_time_s", "over_first",         "closed_form_s",   "memory_bytes",
    "accelerators", "price_usd",        "energy_j_per_token", "tied_with_first", "on_front"};

/* Whether the table has figure @index: not what no plan has, or all have alike. */
static gboolean
has_figure(const LpPage *self, guint index)
{
    if (strcmp(columns[index], "accelerators") == 0)
        return size_of(self, "/platforms") > 1;
    for (guint i = 0; i < n_candidates(self); i++) {
        g_autofree char *at = lp_page_at("/candidates", "/%u/%s", i, columns[index]);
        if (lp_page_get(self, at) != NULL)
            return TRUE;
    }
    return FALSE;
}

/* A cell under a heading of numbers, whatever stands in it. */
static void
add_right(LpPage *self, const char *at)
{
    g_string_append(self->text, "<td class=\"n\">");
    lp_page_value(self, at);
    g_string_append(self->text, "</td>");
}

static void
add_plan_row(LpPage *self, guint index, const json_t *names, gboolean several)
{
    g_autofree char *at = lp_page_at("/candidates", "/%u", index);
    lp_page_row(self);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        if (!has_figure(self, i))
            continue;
        g_autofree char *figure = lp_page_at(at, "/%s", columns[i]);
        lp_page_cell(self, figure);
    }
    for (size_t i = 0; i < json_array_size(names); i++) {
        g_autofree char *setting =
            lp_page_at(at, "/set/%s", json_string_value(json_array_get(names, i)));
        add_right(self, setting);
    }
    if (several) {
        g_autofree char *machine = lp_page_at(at, "/machine");
        add_right(self, machine);
    }
}

/* Names of what any plan varies. Returns: (transfer full). */
static json_t *
find_names(const LpPage *self)
{
    g_autoptr(json_t) seen = json_object();
    json_t *names = json_array();
    for (guint i = 0; i < n_candidates(self); i++) {
        const char *name;
        const json_t *value;
        g_autofree char *at = lp_page_at("/candidates", "/%u/set", i);
        json_t *set = node_at(self, at);
        json_object_foreach (set, name, value) {
            if (json_object_get(seen, name) != NULL)
                continue;
            (void)json_object_set_new(seen, name, json_true());
            lp_json_append_text(names, name);
        }
    }
    return names;
}

static void
add_table(LpPage *self)
{
    gboolean several = size_of(self, "/platforms") > 1;
    g_autoptr(json_t) names = find_names(self);
    g_autoptr(GString) headings = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        if (has_figure(self, i)) {
            g_autofree char *at = g_strconcat(FIRST "/", columns[i], NULL);
            g_autofree char *label = lp_page_label(self, at, FALSE);
            g_string_append_printf(headings, "%s%s", i > 0 ? "|" : "", label);
        }
    for (size_t i = 0; i < json_array_size(names); i++)
        g_string_append_printf(headings, "|%s", json_string_value(json_array_get(names, i)));
    if (several) {
        g_autofree char *label = lp_page_label(self, FIRST "/machine", FALSE);
        g_string_append_printf(headings, "|%s", label);
    }
    lp_page_heading(self, 2, "All plans that were simulated");
    g_string_append(self->text,
                    "<p>Click a heading to sort, and a row to find its dot. A filter is words that "
                    "all have to hold: a heading, one of = &lt; &gt; and a value, or part of any "
                    "value.</p>\n"
                    "<div class=\"sortable\" id=\"table-plans\">\n");
    lp_page_begin_table(self, "Plans", headings->str, 0);
    for (guint i = 0; i < MIN(n_candidates(self), LISTED); i++)
        add_plan_row(self, i, names, several);
    lp_page_end_table(self);
    g_string_append(self->text, "</div>\n");
    if (n_candidates(self) > LISTED)
        g_string_append(self->text, "<p class=\"quiet\">The slowest are left out here; the page's "
                                    "data has them.</p>\n");
}

/* --- what became of all --- */

static void
add_fate(LpPage *self, const char *at)
{
    if (json_integer_value(lp_page_get(self, at)) == 0)
        return;
    g_autofree char *label = lp_page_label(self, at, FALSE);
    lp_page_row(self);
    lp_page_cell_text(self, label);
    g_string_append(self->text, "<td></td>");
    lp_page_cell(self, at);
}

static void
add_refusal(LpPage *self, guint index)
{
    g_autofree char *plans = lp_page_at("/refused", "/%u/plans", index);
    g_autofree char *attribute = lp_page_at("/refused", "/%u/attribute", index);
    g_autofree char *message = lp_page_at("/refused", "/%u/message", index);
    lp_page_row(self);
    g_string_append(self->text, "<td>refused: a rule on ");
    lp_page_value(self, attribute);
    g_string_append(self->text, "</td>");
    lp_page_cell(self, message);
    lp_page_cell(self, plans);
}

static void
add_fates(LpPage *self)
{
    lp_page_heading(self, 2, "What became of all combinations");
    lp_page_begin_table(self, "Combinations", "what became of them|such as|plans", 2);
    add_fate(self, "/considered");
    for (guint i = 0; i < size_of(self, "/refused"); i++)
        add_refusal(self, i);
    for (guint i = 0; i < size_of(self, "/refused_machines"); i++) {
        g_autofree char *reason = lp_page_at("/refused_machines", "/%u", i);
        lp_page_row(self);
        lp_page_cell_text(self, "a machine that cannot be made");
        lp_page_cell(self, reason);
        g_string_append(self->text, "<td></td>");
    }
    add_fate(self, "/refused_memory");
    add_fate(self, "/bounded");
    add_fate(self, "/stopped");
    add_fate(self, "/alike");
    add_fate(self, "/not_looked_at");
    add_fate(self, "/simulated");
    add_fate(self, "/failed");
    lp_page_end_table(self);
    if (lp_page_get(self, "/least_lacking_bytes") == NULL)
        return;
    g_string_append(self->text, "<p>Of those that do not fit, the nearest lacks ");
    lp_page_value(self, "/least_lacking_bytes");
    g_string_append(self->text, ".</p>\n");
}

/* --- the whole --- */

static void
add_run(LpPage *self)
{
    lp_page_heading(self, 2, "The run of the first plan");
    lp_page_run_add_summary(self, "/first");
    lp_page_run_add_warnings(self, "/first");
    lp_page_run_add_times(self, "/first", "first-", 2);
    lp_page_observed_add(self);
    lp_page_run_add_needs(self, "/first", "first-", 2);
    lp_page_run_add_plan(self, "/first", 2);
    lp_page_run_add_engine(self, "/first", 2);
}

char *
lp_page_of_search(const json_t *document, const char *vega)
{
    const char *name = json_string_value(json_object_get(document, "workload"));
    g_autofree char *title = g_strdup_printf("%s: plans", name);
    LpPage page = lp_page_begin(document, "search", title);
    add_head(&page);
    if (n_candidates(&page) > 0) {
        add_first(&page);
        add_scatter(&page);
        add_terms(&page);
        add_table(&page);
    }
    add_fates(&page);
    if (lp_page_get(&page, "/first") != NULL)
        add_run(&page);
    return lp_page_end(&page, vega);
}
