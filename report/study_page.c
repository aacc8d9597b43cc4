/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a plot from the points of a study, and all points in a table. */
#include "report/study_page.h"

#include "base/error.h"
#include "base/units.h"
#include "report/page.h"

#include <math.h>
#include <string.h>

/* Points of the table: more are for programs. */
#define ROWS_MAX 1000

/* --- columns --- */

static const char *
text_at(const json_t *array, gsize index)
{
    return json_string_value(json_array_get(array, index));
}

static const char *
record_at(const json_t *document, gsize index)
{
    const json_t *record = json_array_get(json_object_get(document, "records"), index);
    return json_string_value(json_object_get(record, "name"));
}

/* The value of column @name at @point; NULL: none. */
static const json_t *
find_value(const json_t *point, const char *name)
{
    const json_t *label = json_object_get(json_object_get(point, "set"), name);
    return label != NULL ? label : json_object_get(json_object_get(point, "recorded"), name);
}

/* The number that @value is, with a unit or without; NAN: it is none. */
static double
number_of(const json_t *value)
{
    double number;
    const char *text = json_string_value(value);
    if (json_is_number(value))
        return json_number_value(value);
    if (text == NULL || lp_number_parse(text, -G_MAXDOUBLE, G_MAXDOUBLE, &number, NULL))
        return text == NULL ? NAN : number;
    for (LpQuantity quantity = LP_QUANTITY_TIME; quantity <= LP_QUANTITY_PRICE; quantity++)
        if (lp_quantity_parse(quantity, text, &number, NULL))
            return number;
    return NAN;
}

static gboolean
check_column(const json_t *document, const char *option, const char *name, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const json_t *axes = json_object_get(document, "axes");
    gsize n_axes = json_array_size(axes);
    gsize n = n_axes + json_array_size(json_object_get(document, "records"));
    for (gsize i = 0; i < n; i++) {
        const char *one = i < n_axes ? text_at(axes, i) : record_at(document, i - n_axes);
        if (g_strcmp0(one, name) == 0)
            return TRUE;
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", one);
    }
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "--%s: got \"%s\", wanted a column of the study: %s", option,
                name != NULL ? name : "", names->str);
    return FALSE;
}

/* Fills in what @self leaves open. */
static gboolean
choose(LpStudyPlot *self, const json_t *document, GError **error)
{
    const json_t *axes = json_object_get(document, "axes");
    self->x = self->x != NULL ? self->x : text_at(axes, 0);
    self->y = self->y != NULL ? self->y : record_at(document, 0);
    for (gsize i = 0; self->series == NULL && i < json_array_size(axes); i++)
        if (g_strcmp0(text_at(axes, i), self->x) != 0)
            self->series = text_at(axes, i);
    self->series = self->series != NULL ? self->series : "";
    return check_column(document, "x", self->x, error) &&
           check_column(document, "y", self->y, error) &&
           (*self->series == '\0' || check_column(document, "series", self->series, error));
}

/* --- the plot --- */

/* "tp 2, pp 1": where a point stands. Returns: (transfer full). */
static char *
name_point(const json_t *document, const json_t *point)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const json_t *axes = json_object_get(document, "axes"), *set = json_object_get(point, "set");
    for (gsize i = 0; i < json_array_size(axes); i++)
        g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", text_at(axes, i),
                               json_string_value(json_object_get(set, text_at(axes, i))));
    return g_strdup(text->str);
}

static char *
text_of(const json_t *value)
{
    return json_is_string(value) ? g_strdup(json_string_value(value))
           : value != NULL       ? lp_json_print_line(value)
                                 : g_strdup("");
}

/* Rows of points that have a number for y and something for x. @out_numbers: whether all of these
 * are numbers. Returns: (transfer full). */
static json_t *
make_rows(const LpStudyPlot *self, const json_t *document, gboolean *out_numbers)
{
    json_t *rows = json_array();
    const json_t *points = json_object_get(document, "points");
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    *out_numbers = TRUE;
    for (gsize i = 0; i < json_array_size(points); i++)
        if (isnan(number_of(find_value(json_array_get(points, i), self->x))))
            *out_numbers = FALSE;
    for (gsize i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i), *x = find_value(point, self->x);
        double y = number_of(find_value(point, self->y));
        g_autofree char *label = text_of(x), *name = name_point(document, point);
        g_autofree char *series = text_of(find_value(point, self->series));
        if (isnan(y) || x == NULL)
            continue;
        if (!g_hash_table_contains(places, label))
            g_hash_table_insert(places, g_strdup(label),
                                GUINT_TO_POINTER(g_hash_table_size(places)));
        json_t *row = lp_json_append_object(rows);
        g_autofree char *shown = g_strdup_printf("%s: %s %.6g", name, self->y, y);
        if (*out_numbers)
            lp_json_set_number(row, "x", number_of(x));
        else
            lp_json_set_text(row, "x", label);
        lp_json_set_number(row, "place",
                           *out_numbers ? number_of(x)
                                        : GPOINTER_TO_UINT(g_hash_table_lookup(places, label)));
        lp_json_set_number(row, "y", y);
        lp_json_set_text(row, "series", series);
        lp_json_set_text(row, "row", shown);
    }
    return rows;
}

/* Whether a scale of @key can be logarithmic. */
static gboolean
is_positive(const json_t *rows, const char *key)
{
    for (gsize i = 0; i < json_array_size(rows); i++)
        if (!(json_number_value(json_object_get(json_array_get(rows, i), key)) > 0.0))
            return FALSE;
    return TRUE;
}

static void
set_scale(json_t *spec, gsize index, const char *type)
{
    json_t *scale = json_array_get(json_object_get(spec, "scales"), index);
    (void)json_object_set_new(scale, "type", json_string(type));
    (void)json_object_del(scale, "zero");
    if (strcmp(type, "point") == 0)
        (void)json_object_set_new(scale, "padding", json_real(0.5));
}

static void
set_signal(json_t *spec, const char *name, const char *value)
{
    json_t *signals = json_object_get(spec, "signals");
    for (gsize i = 0; i < json_array_size(signals); i++) {
        json_t *one = json_array_get(signals, i);
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
            lp_json_set_text(one, "value", value);
    }
}

/* @rows: (transfer full). */
static void
add_plot(LpPage *page, const LpStudyPlot *self, json_t *rows, gboolean are_numbers)
{
    json_t *data = json_object();
    gboolean log_x = self->log_x && are_numbers && is_positive(rows, "x");
    gboolean log_y = self->log_y && is_positive(rows, "y");
    (void)json_object_set_new(data, "rows", rows);
    g_autofree char *label = g_strdup_printf("%s over %s", self->y, self->x);
    lp_page_plot(page, "study", "study", label,
                 are_numbers ? "A point is a run, and lines go through means; point at one to see "
                               "its inputs. Numbers are in SI units."
                             : "A point is a run; point at one to see its inputs. Numbers are in "
                               "SI units.",
                 data);
    json_t *spec =
        json_object_get(json_array_get(page->plots, json_array_size(page->plots) - 1), "spec");
    if (!are_numbers || log_x)
        set_scale(spec, 0, are_numbers ? "log" : "point");
    if (log_y)
        set_scale(spec, 1, "log");
    if (are_numbers)
        lp_json_set_text(json_array_get(json_object_get(spec, "axes"), 0), "format", "~s");
    else /* Marks are dropped where an axis has names, between which no value lies. */
        (void)json_array_remove(json_object_get(spec, "marks"), 0);
    if (*self->series == '\0')
        (void)json_object_del(spec, "legends");
    set_signal(spec, "xTitle", self->x);
    set_signal(spec, "yTitle", self->y);
    set_signal(spec, "seriesTitle", self->series);
}

/* --- the page --- */

static void
add_table(LpPage *page, const json_t *document)
{
    g_autoptr(GString) columns = g_string_new(NULL);
    const json_t *axes = json_object_get(document, "axes");
    gsize n_axes = json_array_size(axes);
    gsize n_records = json_array_size(json_object_get(document, "records"));
    for (gsize i = 0; i < n_axes; i++)
        g_string_append_printf(columns, "%s%s", i > 0 ? "|" : "", text_at(axes, i));
    for (gsize i = 0; i < n_records; i++)
        g_string_append_printf(columns, "%s%s", columns->len > 0 ? "|" : "",
                               record_at(document, i));
    lp_page_heading(page, 2, "All points");
    lp_page_begin_table(page, "All points", columns->str, (guint)n_axes);
    gsize n = json_array_size(json_object_get(document, "points"));
    for (gsize k = 0; k < MIN(n, ROWS_MAX); k++) {
        g_autofree char *point = lp_page_at("/points", "/%u", (guint)k);
        lp_page_row(page);
        for (gsize i = 0; i < n_axes; i++) {
            g_autofree char *at = lp_page_at(point, "/set/%s", text_at(axes, i));
            lp_page_cell(page, at);
        }
        for (gsize i = 0; i < n_records; i++) {
            g_autofree char *at = lp_page_at(point, "/recorded/%s", record_at(document, i));
            lp_page_cell(page, at);
        }
    }
    lp_page_end_table(page);
}

char *
lp_study_page(const json_t *document, const LpStudyPlot *plot, const char *vega, GError **error)
{
    LpStudyPlot chosen = *plot;
    gboolean are_numbers;
    if (!choose(&chosen, document, error))
        return NULL;
    json_t *rows = make_rows(&chosen, document, &are_numbers);
    if (json_array_size(rows) == 0) {
        json_decref(rows);
        (void)lp_value_error(error,
                             "--y: got \"%s\", of which no point has a number, wanted one "
                             "that points have",
                             chosen.y);
        return NULL;
    }
    LpPage page =
        lp_page_begin(document, "sweep", json_string_value(json_object_get(document, "study")));
    g_string_append(page.text, "<h1>");
    lp_page_value(&page, "/study");
    g_string_append(page.text, "</h1>\n");
    add_plot(&page, &chosen, rows, are_numbers);
    add_table(&page, document);
    return lp_page_end(&page, vega);
}
