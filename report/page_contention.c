/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of contention. */
#include "report/page_contention.h"

/* A column: a member of the rows of a list. */
typedef struct {
    const char *key, *name;
    LpPageUnit unit;
} Column;

static guint
size_of(const LpPage *self, const char *at)
{
    return (guint)json_array_size(lp_page_get(self, at));
}

/* A table of the list at @at/@list, with a heading; nothing for an empty one. */
static void
add_list(LpPage *self, const char *at, const char *list, const char *heading, guint level,
         const Column *columns, guint n_columns, guint n_texts)
{
    g_autofree char *rows = lp_page_at(at, "/%s", list);
    g_autoptr(GString) names = g_string_new(NULL);
    if (size_of(self, rows) == 0)
        return;
    for (guint k = 0; k < n_columns; k++)
        g_string_append_printf(names, "%s%s", k > 0 ? "|" : "", columns[k].name);
    lp_page_heading(self, level, heading);
    lp_page_begin_table(self, heading, names->str, n_texts);
    for (guint i = 0; i < size_of(self, rows); i++) {
        lp_page_row(self);
        for (guint k = 0; k < n_columns; k++) {
            g_autofree char *cell = lp_page_at(rows, "/%u/%s", i, columns[k].key);
            lp_page_cell(self, cell, columns[k].unit);
        }
    }
    lp_page_end_table(self);
}

/* Rows of bars of the members of an object. Returns: (transfer full). */
static json_t *
member_rows(const LpPage *self, const char *at)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    json_t *members = json_deep_copy(lp_page_get(self, at)), *value;
    const char *name;
    json_object_foreach (members, name, value) {
        json_t *row = lp_json_append_object(rows);
        lp_json_set_text(row, "part", name);
        lp_json_set_number(row, "seconds", json_number_value(value));
    }
    json_decref(members);
    return data;
}

/* Bars and a table of the members of the object at @at/@key. */
static void
add_members(LpPage *self, const char *at, const char *key, const char *id, const char *heading,
            const char *caption, guint level)
{
    g_autofree char *object = lp_page_at(at, "/%s", key);
    g_autofree char *plot = g_strconcat(id, key, NULL);
    if (json_object_size(lp_page_get(self, object)) == 0)
        return;
    json_t *data = member_rows(self, object);
    lp_page_heading(self, level, heading);
    lp_page_begin_table(self, heading, "|seconds", 1);
    for (guint i = 0; i < json_array_size(json_object_get(data, "rows")); i++) {
        const json_t *row = json_array_get(json_object_get(data, "rows"), i);
        const char *name = json_string_value(json_object_get(row, "part"));
        g_autofree char *cell = lp_page_at(object, "/%s", name);
        lp_page_row(self);
        lp_page_cell_key(self, cell, name);
        lp_page_cell(self, cell, LP_PAGE_TIME);
    }
    lp_page_end_table(self);
    lp_page_plot(self, plot, "bars", heading, caption, data);
}

static void
add_summary(LpPage *self, const char *at)
{
    static const Column figures[] = {{"iteration_time_s", "iteration", LP_PAGE_TIME},
                                     {"uncontended_s", "without contention", LP_PAGE_TIME},
                                     {"total_s", "contention", LP_PAGE_TIME},
                                     {"interaction_s", "between tiers", LP_PAGE_TIME},
                                     {"distribution/p50_s", "p50 of runs", LP_PAGE_TIME},
                                     {"distribution/p99_s", "p99 of runs", LP_PAGE_TIME},
                                     {"band/low_s", "band, from", LP_PAGE_TIME},
                                     {"band/high_s", "band, to", LP_PAGE_TIME}};
    lp_page_begin_figures(self);
    for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
        g_autofree char *key = lp_page_at(at, "/%s", figures[i].key);
        lp_page_figure(self, figures[i].name, key, figures[i].unit);
    }
    lp_page_end_figures(self);
}

static void
add_pairs(LpPage *self, const char *at, const char *id, guint level)
{
    static const Column columns[] = {{"delayed", "delayed", LP_PAGE_PLAIN},
                                     {"by", "by", LP_PAGE_PLAIN},
                                     {"seconds", "seconds", LP_PAGE_TIME}};
    g_autofree char *pairs = lp_page_at(at, "/pairs_s");
    g_autofree char *plot = g_strconcat(id, "pairs", NULL);
    if (size_of(self, pairs) == 0)
        return;
    add_list(self, at, "pairs_s", "Which traffic delays which", level, columns,
             G_N_ELEMENTS(columns), 2);
    json_t *data = json_object();
    lp_json_set_text(data, "rows", pairs);
    lp_page_plot(
        self, plot, "pairs", "Which traffic delays which",
        "Seconds of the iteration by which the class of the column delays that of the row.", data);
}

static void
add_links(LpPage *self, const char *at, const char *id, guint level)
{
    static const Column columns[] = {{"place", "link", LP_PAGE_PLAIN},
                                     {"tier", "tier", LP_PAGE_PLAIN},
                                     {"alike", "links alike", LP_PAGE_PLAIN},
                                     {"seconds", "seconds", LP_PAGE_TIME},
                                     {"utilisation", "utilisation", LP_PAGE_SHARE}};
    g_autofree char *links = lp_page_at(at, "/links");
    g_autofree char *plot = g_strconcat(id, "links", NULL);
    if (size_of(self, links) == 0)
        return;
    add_list(self, at, "links", "Links that hold the iteration back", level, columns,
             G_N_ELEMENTS(columns), 2);
    json_t *data = json_object();
    lp_json_set_text(data, "rows", links);
    lp_page_plot(self, plot, "links", "Seconds that each link holds the iteration back",
                 "The costliest links, and the share of the run in which each was in use.", data);
}

void
lp_page_contention_add(LpPage *self, const char *at, const char *id, guint level)
{
    static const Column flows[] = {{"traffic", "class", LP_PAGE_PLAIN},
                                   {"flows", "flows", LP_PAGE_PLAIN},
                                   {"alone_s", "alone, summed", LP_PAGE_TIME},
                                   {"actual_s", "as it is", LP_PAGE_TIME},
                                   {"slowdown_median", "slowdown, p50", LP_PAGE_PLAIN},
                                   {"slowdown_p99", "slowdown, p99", LP_PAGE_PLAIN},
                                   {"slowdown_worst", "slowdown, worst", LP_PAGE_PLAIN}};
    static const Column stragglers[] = {
        {"traffic", "class", LP_PAGE_PLAIN}, {"collective", "collective", LP_PAGE_PLAIN},
        {"rank", "rank", LP_PAGE_PLAIN},     {"alike", "groups alike", LP_PAGE_PLAIN},
        {"times", "times", LP_PAGE_PLAIN},   {"seconds", "waited for", LP_PAGE_TIME},
        {"worst_s", "worst", LP_PAGE_TIME}};
    static const Column path[] = {{"term", "term", LP_PAGE_PLAIN},
                                  {"stage", "stage", LP_PAGE_PLAIN},
                                  {"for_stage", "for stage", LP_PAGE_PLAIN},
                                  {"times", "stretches", LP_PAGE_PLAIN},
                                  {"seconds", "seconds", LP_PAGE_TIME}};
    static const Column what_ifs[] = {{"name", "what if", LP_PAGE_PLAIN},
                                      {"iteration_time_s", "iteration", LP_PAGE_TIME},
                                      {"saved_s", "saved", LP_PAGE_TIME},
                                      {"units", "units", LP_PAGE_PLAIN},
                                      {"saved_per_unit_s", "saved a unit", LP_PAGE_TIME}};
    add_summary(self, at);
    add_members(self, at, "tiers_s", id, "What each tier costs",
                "Seconds of the iteration that are a tier's, by Shapley's shares.", level);
    add_pairs(self, at, id, level);
    add_members(self, at, "classes_s", id, "What each class of traffic costs",
                "Seconds of the iteration that are a class's contention.", level);
    add_links(self, at, id, level);
    add_list(self, at, "flows", "How much flows are slowed down", level, flows, G_N_ELEMENTS(flows),
             1);
    add_list(self, at, "stragglers", "Who is waited for", level, stragglers,
             G_N_ELEMENTS(stragglers), 2);
    add_list(self, at, "critical_path", "The critical path", level, path, G_N_ELEMENTS(path), 1);
    add_list(self, at, "what_ifs", "What would help", level, what_ifs, G_N_ELEMENTS(what_ifs), 1);
    add_members(self, at, "band/ways_s", id, "The band of ways to simulate it",
                "The iteration with either fidelity, and with hashed and ideal paths.", level);
}
