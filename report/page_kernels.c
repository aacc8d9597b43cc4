/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on a page: a plot by block and pass, those that take most, and all. */
#include "report/page_kernels.h"

/* Kernels that take most. */
#define MOST 10

/* A kernel's place in the list, and its time. */
typedef struct {
    guint index;
    double seconds;
} Place;

/* The longest first, those of one length in the order of the list. */
static int
by_time(gconstpointer one, gconstpointer other)
{
    const Place *a = one, *b = other;
    return a->seconds != b->seconds ? (a->seconds < b->seconds ? 1 : -1)
                                    : (a->index > b->index) - (a->index < b->index);
}

/* All, the longest first. Returns: (transfer full): Place. */
static GArray *
places_by_time(const LpPage *self, const char *list)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));
    for (guint i = 0; i < json_array_size(lp_page_get(self, list)); i++) {
        g_autofree char *at = lp_page_at(list, "/%u/all_s", i);
        Place place = {i, json_number_value(lp_page_get(self, at))};
        g_array_append_val(places, place);
    }
    g_array_sort(places, by_time);
    return places;
}

/* m x k x n, and how many of them. */
static void
add_sizes(LpPage *self, const char *row)
{
    static const char *const keys[] = {"m", "k", "n", "products"};
    g_string_append(self->text, "<td class=\"n\">");
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autofree char *at = lp_page_at(row, "/%s", keys[i]);
        const json_t *node = lp_page_get(self, at);
        if (node == NULL || (i == 3 && json_number_value(node) == 1.0))
            continue;
        g_string_append(self->text, i == 0 ? "" : i < 3 ? " \xc3\x97 " : ", ");
        lp_page_value(self, at);
        g_string_append(self->text, i == 3 ? " times" : "");
    }
    g_string_append(self->text, "</td>");
}

/* Keys of the columns, texts first; "" is that of sizes. */
static const char *const few_columns[] = {"kernel", "block", "pass",   "bound_by", "time_share",
                                          "all_s",  "runs",  "time_s", NULL};
static const char *const all_columns[] = {
    "kernel", "block", "pass",   "kind",     "bound_by", "timed_by", "source", "time_share",
    "all_s",  "runs",  "time_s", "launches", "flop",     "bytes",    "",       NULL};

static void
begin_table(LpPage *self, const char *label, const char *list, const char *const *columns)
{
    g_autoptr(GString) names = g_string_new(NULL);
    guint n_texts = 0;
    for (guint k = 0; columns[k] != NULL; k++) {
        gboolean is_sizes = *columns[k] == '\0';
        g_autofree char *at = lp_page_at(list, "/0/%s", is_sizes ? "m" : columns[k]);
        g_autofree char *name =
            is_sizes ? g_strdup("m \xc3\x97 k \xc3\x97 n") : lp_page_label(self, at, FALSE);
        g_string_append_printf(names, "%s%s", k > 0 ? "|" : "", name);
        n_texts += lp_result_field_find(self->of, at)->is_text ? 1 : 0;
    }
    lp_page_begin_table(self, label, names->str, n_texts);
}

static void
add_row(LpPage *self, const char *list, guint index, const char *const *columns)
{
    g_autofree char *row = lp_page_at(list, "/%u", index);
    lp_page_row(self);
    for (guint k = 0; columns[k] != NULL; k++) {
        g_autofree char *at = lp_page_at(row, "/%s", columns[k]);
        if (*columns[k] == '\0')
            add_sizes(self, row);
        else
            lp_page_cell(self, at);
    }
}

static void
add_most(LpPage *self, const char *list, guint level)
{
    g_autoptr(GArray) places = places_by_time(self, list);
    lp_page_heading(self, level, "Kernels that take most");
    begin_table(self, "Kernels that take most", list, few_columns);
    for (guint i = 0; i < MIN(places->len, MOST); i++)
        add_row(self, list, g_array_index(places, Place, i).index, few_columns);
    lp_page_end_table(self);
}

/* They are many: out of sight at first. */
static void
add_all(LpPage *self, const char *list, guint level)
{
    lp_page_heading(self, level, "All kernels");
    g_string_append(self->text, "<details><summary>Pass by pass, in the order of a layer; click a "
                                "heading to sort</summary>\n<div class=\"sortable\">\n");
    begin_table(self, "All kernels", list, all_columns);
    for (guint i = 0; i < json_array_size(lp_page_get(self, list)); i++)
        add_row(self, list, i, all_columns);
    lp_page_end_table(self);
    g_string_append(self->text, "</div>\n</details>\n");
}

void
lp_page_kernels_add(LpPage *self, const char *at, const char *id, guint level, LpPageKernels what)
{
    g_autofree char *list = lp_page_at(at, "/kernels");
    g_autofree char *sum = lp_page_at(at, "/kernels_s");
    g_autofree char *plot = g_strconcat(id, "kernels", NULL);
    if (lp_page_get(self, list) == NULL)
        return;
    json_t *data = json_object();
    lp_json_set_text(data, "rows", list);
    lp_page_heading(self, level, "Where a micro-batch's time goes");
    g_string_append(self->text, "<p>Through all layers, a rank of each stage: ");
    lp_page_value(self, sum);
    g_string_append(self->text, "</p>\n");
    lp_page_plot(self, plot, "kernels", "Time of kernels by block and pass, and by their kind",
                 "Products, and attention whose products are one kernel; streams read and write in "
                 "order, sweeps sum over rows besides.",
                 data);
    add_most(self, list, level);
    if (what == LP_PAGE_KERNELS_ALL)
        add_all(self, list, level);
}
