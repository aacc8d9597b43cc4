/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of contention. */
#include "report/page_contention.h"

static guint
size_of(const LpPage *self, const char *at)
{
    return (guint)json_array_size(lp_page_get(self, at));
}

/* A table of the list at @at/@list, with a heading; nothing for an empty one. */
static void
add_list(LpPage *self, const char *at, const char *list, const char *heading, guint level)
{
    g_autofree char *rows = lp_page_at(at, "/%s", list);
    if (size_of(self, rows) == 0)
        return;
    lp_page_heading(self, level, heading);
    lp_page_list(self, heading, rows, NULL);
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
        lp_page_cell(self, cell);
    }
    lp_page_end_table(self);
    lp_page_plot(self, plot, "bars", heading, caption, data);
}

static void
add_summary(LpPage *self, const char *at)
{
    static const char *const figures[] = {
        "/iteration_time_s", "/uncontended_s",      "/total_s",
        "/interaction_s",    "/distribution/p50_s", "/distribution/p99_s",
        "/band/low_s",       "/band/high_s",        NULL};
    lp_page_begin_figures(self);
    lp_page_figures(self, at, figures);
    lp_page_end_figures(self);
}

static void
add_pairs(LpPage *self, const char *at, const char *id, guint level)
{
    g_autofree char *pairs = lp_page_at(at, "/pairs_s");
    g_autofree char *plot = g_strconcat(id, "pairs", NULL);
    if (size_of(self, pairs) == 0)
        return;
    add_list(self, at, "pairs_s", "Which traffic delays which", level);
    json_t *data = json_object();
    lp_json_set_text(data, "rows", pairs);
    lp_page_plot(
        self, plot, "pairs", "Which traffic delays which",
        "Seconds of the iteration by which the class of the column delays that of the row.", data);
}

static void
add_links(LpPage *self, const char *at, const char *id, guint level)
{
    g_autofree char *links = lp_page_at(at, "/links");
    g_autofree char *plot = g_strconcat(id, "links", NULL);
    if (size_of(self, links) == 0)
        return;
    add_list(self, at, "links", "Links that hold the iteration back", level);
    json_t *data = json_object();
    lp_json_set_text(data, "rows", links);
    lp_page_plot(self, plot, "links", "Seconds that each link holds the iteration back",
                 "The costliest links, and the share of the run in which each was in use.", data);
}

void
lp_page_contention_add(LpPage *self, const char *at, const char *id, guint level)
{
    add_summary(self, at);
    add_members(self, at, "tiers_s", id, "What each tier costs",
                "Seconds of the iteration that are a tier's, by Shapley's shares.", level);
    add_pairs(self, at, id, level);
    add_members(self, at, "classes_s", id, "What each class of traffic costs",
                "Seconds of the iteration that are a class's contention.", level);
    add_links(self, at, id, level);
    add_list(self, at, "flows", "How much flows are slowed down", level);
    add_list(self, at, "stragglers", "Who is waited for", level);
    add_list(self, at, "critical_path", "The critical path", level);
    add_list(self, at, "what_ifs", "What would help", level);
    add_members(self, at, "band/ways_s", id, "The band of ways to simulate it",
                "The iteration with either fidelity, and with hashed and ideal paths.", level);
}
