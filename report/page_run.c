/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a run. */
#include "report/page_run.h"

#include "model/plan/plan_options.h"
#include "model/plan/terms.h"

#include <math.h>

/* --- summary --- */

void
lp_page_run_add_summary(LpPage *self, const char *at)
{
    static const struct {
        const char *key;
        gboolean with_part;
    } figures[] = {
        {"/simulated/iteration_time_s", FALSE},
        {"/closed_form/iteration_time_s", TRUE},
        {"/difference/iteration_fraction", FALSE},
        {"/simulated/mfu", FALSE},
        {"/simulated/model_tflops_per_accelerator", FALSE},
        {"/simulated/tokens_per_s", FALSE},
        {"/slowdown", FALSE},
        {"/distribution/runs", FALSE},
        {"/distribution/p50_s", FALSE},
        {"/distribution/p95_s", FALSE},
        {"/distribution/p99_s", FALSE},
        {"/energy_j_per_token", FALSE},
        {"/network/price_usd", TRUE},
    };
    lp_page_begin_figures(self);
    for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
        g_autofree char *key = lp_page_at(at, "%s", figures[i].key);
        if (lp_page_get(self, key) == NULL)
            continue;
        g_autofree char *label = lp_page_label(self, key, figures[i].with_part);
        lp_page_figure(self, label, key);
    }
    lp_page_end_figures(self);
}

void
lp_page_run_add_warnings(LpPage *self, const char *at)
{
    g_autofree char *list = lp_page_at(at, "/warnings");
    for (guint i = 0; i < json_array_size(lp_page_get(self, list)); i++) {
        g_autofree char *warning = lp_page_at(list, "/%u", i);
        g_string_append(self->text, "<p class=\"warning\">");
        lp_page_value(self, warning);
        g_string_append(self->text, "</p>\n");
    }
}

/* --- times --- */

static const char *const models[] = {"simulated", "closed_form", "amped"};

/* The label of what stands at @at/@key. Returns: (transfer full). */
static char *
label_at(const LpPage *self, const char *at, const char *key)
{
    g_autofree char *whole = lp_page_at(at, "/%s", key);
    return lp_page_label(self, whole, FALSE);
}

static double
number(const LpPage *self, const char *at)
{
    return json_number_value(lp_page_get(self, at));
}

/* The number of models: for a program by hand the simulation alone. */
static guint
n_models(const LpPage *self, const char *at)
{
    g_autofree char *closed = lp_page_at(at, "/closed_form");
    return lp_page_get(self, closed) != NULL ? G_N_ELEMENTS(models) : 1;
}

/* Whether any model has time in @term. */
static gboolean
has_term(const LpPage *self, const char *at, LpTerm term)
{
    for (guint i = 0; i < G_N_ELEMENTS(models); i++) {
        g_autofree char *key = lp_page_at(at, "/%s/terms_s/%s", models[i], lp_term_names[term]);
        if (number(self, key) != 0.0)
            return TRUE;
    }
    return FALSE;
}

/* The rows of the plot of times. Returns: (transfer full). */
static json_t *
time_rows(const LpPage *self, const char *at)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < G_N_ELEMENTS(models); i++)
        for (LpTerm term = 0; term < LP_N_TERMS; term++) {
            g_autofree char *key = lp_page_at(at, "/%s/terms_s/%s", models[i], lp_term_names[term]);
            const json_t *seconds = lp_page_get(self, key);
            if (seconds == NULL || !has_term(self, at, term))
                continue;
            json_t *row = lp_json_append_object(rows);
            g_autofree char *label = label_at(self, at, models[i]);
            lp_json_set_text(row, "of", label);
            lp_json_set_text(row, "term", lp_term_names[term]);
            lp_json_set_number(row, "seconds", json_number_value(seconds));
        }
    return data;
}

static void
add_term_table(LpPage *self, const char *at)
{
    guint n = n_models(self, at);
    g_autoptr(GString) columns = g_string_new("term");
    for (guint i = 0; i < n; i++) {
        g_autofree char *label = label_at(self, at, models[i]);
        g_string_append_printf(columns, "|%s", label);
    }
    lp_page_begin_table(self, "Terms of the iteration time", columns->str, 1);
    for (LpTerm term = 0; term < LP_N_TERMS; term++) {
        if (!has_term(self, at, term))
            continue;
        lp_page_row(self);
        lp_page_cell_text(self, lp_term_names[term]);
        for (guint i = 0; i < n; i++) {
            g_autofree char *key = lp_page_at(at, "/%s/terms_s/%s", models[i], lp_term_names[term]);
            lp_page_cell(self, key);
        }
    }
    static const char *const rates[] = {"iteration_time_s",
                                        "mfu",
                                        "hfu",
                                        "tokens_per_s",
                                        "model_tflops_per_accelerator",
                                        "hardware_tflops_per_accelerator"};
    for (guint k = 0; k < (n > 1 ? G_N_ELEMENTS(rates) : 1); k++) {
        for (guint i = 0; i < n; i++) {
            g_autofree char *key = lp_page_at(at, "/%s/%s", models[i], rates[k]);
            if (i == 0) {
                g_autofree char *label = lp_page_label(self, key, FALSE);
                lp_page_row(self);
                lp_page_cell_text(self, label);
            }
            lp_page_cell(self, key);
        }
    }
    lp_page_end_table(self);
}

/* Adds the limits of closed forms. */
static void
add_closed_form_limits(LpPage *self, const char *at)
{
    g_autofree char *list = lp_page_at(at, "/closed_form/left_out");
    guint n = (guint)json_array_size(lp_page_get(self, list));
    if (n == 0)
        return;
    g_string_append(self->text, "<p>The closed form leaves out:</p>\n<ul>\n");
    for (guint i = 0; i < n; i++) {
        g_autofree char *one = lp_page_at(list, "/%u", i);
        g_string_append(self->text, "<li>");
        lp_page_value(self, one);
        g_string_append(self->text, "</li>\n");
    }
    g_string_append(self->text, "</ul>\n");
}

/* --- difference --- */

/* The smallest part; smaller ones are rounding. */
#define PART_MIN_S 1e-12

static void
add_step(json_t *rows, const LpPage *self, const char *kind, const char *name, const char *at)
{
    json_t *row = lp_json_append_object(rows);
    lp_json_set_text(row, "part", name);
    lp_json_set_text(row, "kind", kind);
    lp_json_set_number(row, "seconds", number(self, at));
}

static json_t *
waterfall_rows(const LpPage *self, const char *at)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    g_autofree char *closed = lp_page_at(at, "/closed_form/iteration_time_s");
    g_autofree char *simulated = lp_page_at(at, "/simulated/iteration_time_s");
    g_autofree char *parts = lp_page_at(at, "/difference/parts");
    g_autofree char *form = label_at(self, at, "closed_form");
    g_autofree char *simulation = label_at(self, at, "simulated");
    add_step(rows, self, "from", form, closed);
    for (guint i = 0; i < json_array_size(lp_page_get(self, parts)); i++) {
        g_autofree char *name = lp_page_at(parts, "/%u/part", i);
        g_autofree char *seconds = lp_page_at(parts, "/%u/seconds", i);
        if (fabs(number(self, seconds)) > PART_MIN_S)
            add_step(rows, self, "part", json_string_value(lp_page_get(self, name)), seconds);
    }
    add_step(rows, self, "to", simulation, simulated);
    return data;
}

static void
add_difference_table(LpPage *self, const char *at)
{
    g_autofree char *parts = lp_page_at(at, "/difference/parts");
    lp_page_begin_table(self, "Parts of the difference", "part|seconds", 1);
    for (guint i = 0; i < json_array_size(lp_page_get(self, parts)); i++) {
        g_autofree char *name = lp_page_at(parts, "/%u/part", i);
        g_autofree char *seconds = lp_page_at(parts, "/%u/seconds", i);
        lp_page_row(self);
        lp_page_cell(self, name);
        lp_page_cell(self, seconds);
    }
    static const char *const runs[] = {"/uncontended_iteration_time_s",
                                       "/balanced_iteration_time_s",
                                       "/free_messages_iteration_time_s",
                                       "/overlap_s",
                                       "/balanced_overlap_s",
                                       NULL};
    g_autofree char *simulated = lp_page_at(at, "/simulated");
    lp_page_rows(self, simulated, runs);
    lp_page_end_table(self);
}

/* What is said of a program by hand instead. */
static void
add_without_closed_form(LpPage *self, const char *at)
{
    g_autofree char *why = lp_page_at(at, "/no_closed_form");
    static const char *const times[] = {"/difference/contention_s",
                                        "/simulated/uncontended_iteration_time_s", NULL};
    g_autofree char *label = lp_page_label(self, why, FALSE);
    g_string_append_printf(self->text, "<p>%s: ", label);
    lp_page_value(self, why);
    g_string_append(self->text, "</p>\n");
    lp_page_begin_table(self, "Contention", "part|seconds", 1);
    lp_page_rows(self, at, times);
    lp_page_end_table(self);
}

void
lp_page_run_add_times(LpPage *self, const char *at, const char *id, guint level)
{
    g_autofree char *times = g_strconcat(id, "times", NULL);
    g_autofree char *waterfall = g_strconcat(id, "waterfall", NULL);
    lp_page_heading(self, level, "Where the iteration's time goes");
    lp_page_plot(self, times, "times", "Iteration time by term, simulation beside closed forms",
                 "Seconds along the critical path of the simulation, and the terms of the closed "
                 "forms.",
                 time_rows(self, at));
    add_term_table(self, at);
    add_closed_form_limits(self, at);
    if (n_models(self, at) == 1) {
        add_without_closed_form(self, at);
        return;
    }
    lp_page_heading(self, level, "From the closed form to the simulation");
    lp_page_plot(self, waterfall, "waterfall",
                 "Difference between closed form and simulation, part by part",
                 "Each part is measured for itself; what they do not explain is a part, too.",
                 waterfall_rows(self, at));
    add_difference_table(self, at);
}

/* --- needs --- */

/* What the plot of memory stacks; what is cached need not fit. */
static const char *const memory_parts[] = {"weights_bytes",   "gradients_bytes",
                                           "optimizer_bytes", "activations_bytes",
                                           "buffers_bytes",   "step_bytes"};

static json_t *
memory_rows(const LpPage *self, const char *at)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < G_N_ELEMENTS(memory_parts); i++) {
        g_autofree char *key = lp_page_at(at, "/memory/%s", memory_parts[i]);
        g_autofree char *label = lp_page_label(self, key, FALSE);
        json_t *row = lp_json_append_object(rows);
        lp_json_set_text(row, "part", label);
        lp_json_set_number(row, "bytes", number(self, key));
    }
    json_t *limits = lp_json_set_array(data, "limits");
    g_autofree char *capacity = lp_page_at(at, "/memory/capacity_bytes");
    lp_json_set_number(lp_json_append_object(limits), "bytes", number(self, capacity));
    return data;
}

static void
add_memory(LpPage *self, const char *at, const char *id, guint level)
{
    g_autofree char *plot = g_strconcat(id, "memory", NULL);
    g_autofree char *part = lp_page_at(at, "/memory");
    if (lp_page_get(self, part) == NULL)
        return;
    lp_page_heading_of(self, level, part);
    lp_page_plot(self, plot, "memory", "Memory of an accelerator of the fullest stage",
                 "The line is what an accelerator has.", memory_rows(self, at));
    lp_page_part(self, part);
}

static void
add_traffic(LpPage *self, const char *at, guint level)
{
    g_autofree char *traffic = lp_page_at(at, "/traffic_bytes");
    lp_page_heading_of(self, level, traffic);
    lp_page_part(self, traffic);
}

static void
add_circuits(LpPage *self, const char *at, guint level)
{
    g_autofree char *part = lp_page_at(at, "/circuits");
    g_autofree char *plan = lp_page_at(part, "/plan");
    if (lp_page_get(self, part) == NULL)
        return;
    lp_page_heading_of(self, level, part);
    g_string_append(self->text, "<p>");
    lp_page_value(self, plan);
    g_string_append(self->text, "</p>\n");
    lp_page_part(self, part);
}

static void
add_network(LpPage *self, const char *at, guint level)
{
    g_autofree char *part = lp_page_at(at, "/network");
    if (lp_page_get(self, part) == NULL)
        return;
    lp_page_heading_of(self, level, part);
    lp_page_part(self, part);
}

static void
add_energy_row(LpPage *self, const char *at)
{
    g_autofree char *dynamic = lp_page_at(at, "/dynamic");
    g_autofree char *stays = lp_page_at(at, "/static");
    lp_page_cell(self, dynamic);
    lp_page_cell(self, stays);
}

static void
add_energy(LpPage *self, const char *at, guint level)
{
    g_autofree char *all = lp_page_at(at, "/energy_j");
    g_autofree char *part = lp_page_at(at, "/energy_j_by_technology");
    const char *name;
    json_t *of;
    if (lp_page_get(self, all) == NULL)
        return;
    g_autofree char *dynamic_at = lp_page_at(all, "/dynamic");
    g_autofree char *static_at = lp_page_at(all, "/static");
    g_autofree char *moved = lp_page_label(self, dynamic_at, FALSE);
    g_autofree char *standing = lp_page_label(self, static_at, FALSE);
    g_autofree char *columns = g_strdup_printf("technology|%s|%s", moved, standing);
    lp_page_heading_of(self, level, all);
    lp_page_begin_table(self, "Energy", columns, 1);
    json_t *technologies = json_deep_copy(lp_page_get(self, part));
    json_object_foreach (technologies, name, of) {
        g_autofree char *key = lp_page_at(part, "/%s", name);
        lp_page_row(self);
        lp_page_cell_key(self, key, name);
        add_energy_row(self, key);
    }
    json_decref(technologies);
    lp_page_row(self);
    lp_page_cell_text(self, "all");
    add_energy_row(self, all);
    lp_page_end_table(self);
}

void
lp_page_run_add_needs(LpPage *self, const char *at, const char *id, guint level)
{
    add_traffic(self, at, level);
    add_memory(self, at, id, level);
    add_circuits(self, at, level);
    add_energy(self, at, level);
    add_network(self, at, level);
}

/* --- inputs --- */

/* A table of the members of the object at @at. @origins: where they are from, or NULL. */
static void
add_members(LpPage *self, const char *label, const char *at, const char *origins)
{
    const char *name;
    json_t *value;
    json_t *members = json_deep_copy(lp_page_get(self, at));
    lp_page_begin_table(self, label, origins == NULL ? "setting|value" : "attribute|value|from|why",
                        G_MAXUINT);
    json_object_foreach (members, name, value) {
        g_autofree char *key = g_strdup(name);
        g_strdelimit(key, "/", '\001');
        g_auto(GStrv) pieces = g_strsplit(key, "\001", -1);
        g_autofree char *escaped = g_strjoinv("~1", pieces);
        g_autofree char *pointer = lp_page_at(at, "/%s", escaped);
        lp_page_row(self);
        lp_page_cell_key(self, pointer, name);
        lp_page_cell(self, pointer);
        if (origins == NULL)
            continue;
        g_autofree char *origin = lp_page_at(origins, "/%s/origin", escaped);
        g_autofree char *source = lp_page_at(origins, "/%s/source", escaped);
        lp_page_cell(self, origin);
        lp_page_cell(self, source);
    }
    json_decref(members);
    lp_page_end_table(self);
}

/* The settings that a plan is known by. */
static void
add_main_settings(LpPage *self, const char *plan)
{
    static const char *const names[] = {"framework",   "tp",           "pp",       "dp",
                                        "cp",          "ep",           "zero",     "virtual-stages",
                                        "micro-batch", "global-batch", "schedule", "recompute",
                                        "precision",   "seq",          "library"};
    lp_page_begin_figures(self);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *key = lp_page_at(plan, "/%s", names[i]);
        lp_page_figure(self, names[i], key);
    }
    lp_page_end_figures(self);
}

void
lp_page_run_add_plan(LpPage *self, const char *at, guint level)
{
    g_autofree char *plan = lp_page_at(at, "/plan");
    g_autofree char *origins = lp_page_at(at, "/plan_origins");
    lp_page_heading(self, level, "Plan");
    add_main_settings(self, plan);
    g_string_append(self->text, "<details><summary>All attributes of the workload</summary>\n");
    add_members(self, "Plan", plan, origins);
    g_string_append(self->text, "</details>\n");
}

void
lp_page_run_add_engine(LpPage *self, const char *at, guint level)
{
    g_autofree char *engine = lp_page_at(at, "/engine");
    g_autofree char *options = lp_page_at(engine, "/options");
    if (lp_page_get(self, engine) == NULL)
        return;
    lp_page_heading(self, level, "Engine");
    lp_page_begin_table(self, "Engine", "|", 2);
    lp_page_rows(self, engine, NULL);
    lp_page_end_table(self);
    g_string_append(self->text, "<details><summary>Settings of the engine</summary>\n");
    add_members(self, "Settings of the engine", options, NULL);
    g_string_append(self->text, "</details>\n");
}
