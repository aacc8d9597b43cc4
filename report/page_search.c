/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a search: the plans, what became of all, and the first plan's run. */
#include "report/page_search.h"

#include "model/terms.h"
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
        lp_page_value(self, platform, LP_PAGE_PLAIN);
        g_string_append(self->text, "</p>\n");
    }
    g_string_append(self->text, n > FEW ? "</details>\n" : "");
}

static void
add_head(LpPage *self)
{
    g_string_append(self->text, "<h1>Plans for ");
    lp_page_value(self, "/workload", LP_PAGE_PLAIN);
    g_string_append(self->text, "</h1>\n");
    add_machines(self);
    if (lp_page_get(self, "/interrupted") != NULL)
        g_string_append(self->text,
                        "<p class=\"warning\">The search was interrupted: this is its answer so "
                        "far.</p>\n");
    lp_page_begin_figures(self);
    lp_page_figure(self, "first plan", FIRST "/iteration_time_s", LP_PAGE_TIME);
    lp_page_figure(self, "closed form", FIRST "/closed_form_s", LP_PAGE_TIME);
    lp_page_figure(self, "its memory", FIRST "/memory_bytes", LP_PAGE_SIZE);
    lp_page_figure(self, "expected error", FIRST "/expected_error/median", LP_PAGE_SHARE);
    lp_page_figure(self, "its price", FIRST "/price_usd", LP_PAGE_PRICE);
    lp_page_figure(self, "energy a token", FIRST "/energy_j_per_token", LP_PAGE_ENERGY);
    lp_page_figure(self, "best by", "/objective", LP_PAGE_PLAIN);
    lp_page_figure(self, "combinations", "/considered", LP_PAGE_PLAIN);
    lp_page_figure(self, "simulated", "/simulated", LP_PAGE_PLAIN);
    lp_page_figure(self, "ended as they ran", "/stopped", LP_PAGE_PLAIN);
    lp_page_figure(self, "not looked at", "/not_looked_at", LP_PAGE_PLAIN);
    lp_page_figure(self, "which take at least", "/not_looked_at_at_least/iteration_time_s",
                   LP_PAGE_TIME);
    lp_page_figure(self, "which need at least", "/not_looked_at_at_least/memory_bytes",
                   LP_PAGE_SIZE);
    lp_page_figure(self, "which need at least, a token",
                   "/not_looked_at_at_least/energy_j_per_token", LP_PAGE_ENERGY);
    lp_page_figure(self, "which cost at least, a token/s",
                   "/not_looked_at_at_least/usd_s_per_token", LP_PAGE_PRICE);
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
        lp_page_figure(self, name, at, LP_PAGE_PLAIN);
    }
    if (size_of(self, "/platforms") > 1)
        lp_page_figure(self, "machine", FIRST "/machine", LP_PAGE_PLAIN);
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
    g_string_append(self->text, "<div class=\"tools\" data-for=\"plot-plans\"></div>\n");
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
static const struct {
    const char *key, *name;
    LpPageUnit unit;
} figures[] = {{"rank", "rank", LP_PAGE_PLAIN},
               {"iteration_time_s", "time", LP_PAGE_TIME},
               {"over_first", "over first", LP_PAGE_SHARE},
               {"closed_form_s", "closed form", LP_PAGE_TIME},
               {"memory_bytes", "memory", LP_PAGE_SIZE},
               {"accelerators", "accelerators", LP_PAGE_PLAIN},
               {"price_usd", "price", LP_PAGE_PRICE},
               {"energy_j_per_token", "energy a token", LP_PAGE_ENERGY},
               {"tied_with_first", "tied with first", LP_PAGE_PLAIN},
               {"on_front", "on front", LP_PAGE_PLAIN}};

/* Whether the table has figure @index: not what no plan has, or all have alike. */
static gboolean
has_figure(const LpPage *self, guint index)
{
    if (strcmp(figures[index].key, "accelerators") == 0)
        return size_of(self, "/platforms") > 1;
    for (guint i = 0; i < n_candidates(self); i++) {
        g_autofree char *at = lp_page_at("/candidates", "/%u/%s", i, figures[index].key);
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
    lp_page_value(self, at, LP_PAGE_PLAIN);
    g_string_append(self->text, "</td>");
}

static void
add_plan_row(LpPage *self, guint index, const json_t *names, gboolean several)
{
    g_autofree char *at = lp_page_at("/candidates", "/%u", index);
    lp_page_row(self);
    for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
        if (!has_figure(self, i))
            continue;
        g_autofree char *figure = lp_page_at(at, "/%s", figures[i].key);
        lp_page_cell(self, figure, figures[i].unit);
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
    g_autoptr(GString) columns = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(figures); i++)
        if (has_figure(self, i))
            g_string_append_printf(columns, "%s%s", i > 0 ? "|" : "", figures[i].name);
    for (size_t i = 0; i < json_array_size(names); i++)
        g_string_append_printf(columns, "|%s", json_string_value(json_array_get(names, i)));
    if (several)
        g_string_append(columns, "|machine");
    lp_page_heading(self, 2, "All plans that were simulated");
    g_string_append(self->text,
                    "<p>Click a heading to sort, and a row to find its dot. A filter is words that "
                    "all have to hold: a heading, one of = &lt; &gt; and a value, or part of any "
                    "value.</p>\n"
                    "<div class=\"sortable\" id=\"table-plans\">\n");
    lp_page_begin_table(self, "Plans", columns->str, 0);
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
add_fate(LpPage *self, const char *at, const char *what)
{
    if (json_integer_value(lp_page_get(self, at)) == 0)
        return;
    lp_page_row(self);
    lp_page_cell_text(self, what);
    g_string_append(self->text, "<td></td>");
    lp_page_cell(self, at, LP_PAGE_PLAIN);
}

static void
add_refusal(LpPage *self, guint index)
{
    g_autofree char *plans = lp_page_at("/refused", "/%u/plans", index);
    g_autofree char *attribute = lp_page_at("/refused", "/%u/attribute", index);
    g_autofree char *message = lp_page_at("/refused", "/%u/message", index);
    lp_page_row(self);
    g_string_append(self->text, "<td>refused: a rule on ");
    lp_page_value(self, attribute, LP_PAGE_PLAIN);
    g_string_append(self->text, "</td>");
    lp_page_cell(self, message, LP_PAGE_PLAIN);
    lp_page_cell(self, plans, LP_PAGE_PLAIN);
}

static void
add_fates(LpPage *self)
{
    lp_page_heading(self, 2, "What became of all combinations");
    lp_page_begin_table(self, "Combinations", "what became of them|such as|plans", 2);
    add_fate(self, "/considered", "all combinations");
    for (guint i = 0; i < size_of(self, "/refused"); i++)
        add_refusal(self, i);
    for (guint i = 0; i < size_of(self, "/refused_machines"); i++) {
        g_autofree char *reason = lp_page_at("/refused_machines", "/%u", i);
        lp_page_row(self);
        lp_page_cell_text(self, "a machine that cannot be made");
        lp_page_cell(self, reason, LP_PAGE_PLAIN);
        g_string_append(self->text, "<td></td>");
    }
    add_fate(self, "/refused_memory", "refused: more than an accelerator's memory");
    add_fate(self, "/bounded", "ruled out: their lower bound is above what is shown");
    add_fate(self, "/stopped", "ended as they ran: they must take more than what is shown");
    add_fate(self, "/alike", "the same as another plan in all that a run sees");
    add_fate(self, "/not_looked_at", "not looked at");
    add_fate(self, "/simulated", "simulated");
    add_fate(self, "/failed", "of these ended in an error");
    lp_page_end_table(self);
    if (lp_page_get(self, "/least_lacking_bytes") == NULL)
        return;
    g_string_append(self->text, "<p>Of those that do not fit, the nearest lacks ");
    lp_page_value(self, "/least_lacking_bytes", LP_PAGE_SIZE);
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
    LpPage page = lp_page_begin(document, title);
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
