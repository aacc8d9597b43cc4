/* SPDX-License-Identifier: Apache-2.0 */
/* Finds fields by pointers, and writes values in their units. */
#include "report/result_field.h"

#include <math.h>
#include <string.h>

#include "field_rows.h"

/* The list that has every type and output. */
#define ROOTS 1

static const LpResultField *
find_in(guint list, const char *name)
{
    for (guint i = starts[list]; i < starts[list + 1]; i++)
        if (g_str_equal(fields[i].name, name))
            return &fields[i];
    return NULL;
}

const LpResultField *
lp_result_field_find(const char *of, const char *pointer)
{
    const LpResultField *field = find_in(ROOTS, of);
    g_auto(GStrv) tokens = g_strsplit(pointer, "/", -1);
    gboolean is_many = FALSE;
    for (guint i = 1; field != NULL && tokens[0] != NULL && tokens[i] != NULL; i++) {
        if (is_many) {
            is_many = FALSE;
            continue;
        }
        field = find_in(field->members, tokens[i]);
        is_many = field != NULL && field->of != LP_FIELD_ONE;
    }
    return field;
}

const char *
lp_result_field_label(const char *of, const char *pointer)
{
    const LpResultField *field = lp_result_field_find(of, pointer);
    g_return_val_if_fail(field != NULL && field->label != NULL, pointer);
    return field->label;
}

char *
lp_result_field_path_label(const char *of, const char *pointer)
{
    const char *label = lp_result_field_label(of, pointer);
    g_autofree char *part_at = g_strndup(pointer, (gsize)(strrchr(pointer, '/') - pointer));
    const LpResultField *part = lp_result_field_find(of, part_at);
    return part != NULL && part->label != NULL ? g_strconcat(part->label, ": ", label, NULL)
                                               : g_strdup(label);
}

const LpResultField *
lp_result_field_members(const LpResultField *self, guint *out_n)
{
    *out_n = starts[self->members + 1] - starts[self->members];
    return &fields[starts[self->members]];
}

/* --- units --- */

/* A unit with which columns, too, show each value with its own prefix. */
#define SCALED (-1)

static const struct {
    const char *symbol;
    int digits; /* behind the point, in columns; or SCALED */
    LpQuantity quantity;
} units[] = {[LP_UNIT_NONE] = {"", 4, 0},
             [LP_UNIT_FRACTION] = {"", 4, 0},
             [LP_UNIT_TFLOPS] = {"", 1, 0},
             [LP_UNIT_RATE] = {"", 0, 0},
             [LP_UNIT_OPERATIONS] = {"", 0, 0},
             [LP_UNIT_TIME] = {"s", 6, LP_QUANTITY_TIME},
             [LP_UNIT_SIZE] = {"", SCALED, LP_QUANTITY_SIZE},
             [LP_UNIT_BANDWIDTH] = {"", SCALED, LP_QUANTITY_BANDWIDTH},
             [LP_UNIT_SPEED] = {"", SCALED, LP_QUANTITY_SPEED},
             [LP_UNIT_POWER] = {"W", 1, LP_QUANTITY_POWER},
             [LP_UNIT_ENERGY] = {"J", 3, LP_QUANTITY_ENERGY},
             [LP_UNIT_PRICE] = {"USD", 0, LP_QUANTITY_PRICE}};

const char *
lp_unit_symbol(LpUnit unit)
{
    return units[unit].symbol;
}

char *
lp_unit_digits(LpUnit unit, double value)
{
    if (units[unit].digits == SCALED)
        return lp_quantity_format(units[unit].quantity, value);
    /* Values that the digits would show as 0 are 0, so that rounding errors bring no sign. */
    double shown = fabs(value) < 0.5 * pow(10.0, -units[unit].digits) ? 0.0 : value;
    return g_strdup_printf("%.*f", units[unit].digits, shown);
}

/* Counts are whole to the last digit; what is measured has four. */
static char *
plain(double value)
{
    if (value == floor(value) && fabs(value) < 1e15)
        return g_strdup_printf("%.0f", value);
    return g_strdup_printf(fabs(value) >= 1e4 && fabs(value) < 1e15 ? "%.0f" : "%.4g", value);
}

/* FLOP, of which there are many. */
static char *
operations(double value)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    guint k = 0;
    for (; value >= 1000.0 && k + 1 < G_N_ELEMENTS(prefixes); k++)
        value /= 1000.0;
    return g_strdup_printf("%.4g %sFLOP", value, prefixes[k]);
}

char *
lp_unit_text(LpUnit unit, double value)
{
    if (unit == LP_UNIT_OPERATIONS)
        return operations(value);
    if (unit == LP_UNIT_NONE || unit == LP_UNIT_RATE || unit == LP_UNIT_TFLOPS)
        return plain(value);
    /* Below the engine's precision there is only rounding. */
    double shown = unit == LP_UNIT_TIME && fabs(value) < 1e-12 ? 0.0 : value;
    g_autofree char *text = unit == LP_UNIT_FRACTION
                                ? g_strdup_printf("%.4g %%", 100.0 * fabs(shown))
                                : lp_quantity_format(units[unit].quantity, fabs(shown));
    return g_strconcat(shown < 0.0 ? "\xe2\x88\x92" : "", text, NULL);
}

/* --- tables of text --- */

/* "-" for nothing. */
static void
add_cell(LpTextTable *table, const LpResultField *field, const json_t *value, gboolean with_units)
{
    g_autofree char *text = NULL;
    double number = json_number_value(value);
    if (field->shown != NULL && json_is_number(value))
        text = g_strdup_printf(field->is_signed ? "%+.*f" : "%.*f", field->digits,
                               number * field->per_unit + 0.0);
    else if (json_is_boolean(value))
        text = g_strdup(json_is_true(value) ? "yes" : "no");
    else if (json_is_integer(value) && field->unit == LP_UNIT_NONE)
        text = g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_number(value) && with_units)
        text = field->unit == LP_UNIT_FRACTION ? g_strdup_printf("%.4g", number)
                                               : lp_unit_text(field->unit, number);
    else if (json_is_number(value))
        text = lp_unit_digits(field->unit, number);
    else
        text = g_strdup(json_string_length(value) > 0 ? json_string_value(value) : "-");
    lp_text_table_add_cell(table, "%s", text);
}

/* Whether any of them has the member; of terms, @is_term, whether any is not 0. */
static gboolean
is_any(const json_t *const *objects, guint n, const char *name, gboolean is_term)
{
    for (guint i = 0; i < n; i++) {
        const json_t *value = json_object_get(objects[i], name);
        if (value != NULL && (!is_term || json_number_value(value) != 0.0))
            return TRUE;
    }
    return FALSE;
}

void
lp_result_field_add_rows(LpTextTable *table, const LpResultField *self,
                         const json_t *const *objects, guint n, gboolean with_units)
{
    guint n_members;
    const LpResultField *members = lp_result_field_members(self, &n_members);
    gboolean is_term = g_str_equal(self->name, "terms_s");
    for (guint k = 0; k < n_members; k++) {
        const LpResultField *field = &members[k];
        if (!is_any(objects, n, field->name, is_term) || field->of != LP_FIELD_ONE ||
            field->is_of_pages)
            continue;
        g_autofree const json_t **values = g_new(const json_t *, n);
        for (guint i = 0; i < n; i++)
            values[i] = json_object_get(objects[i], field->name);
        if (field->members > 0) {
            lp_result_field_add_rows(table, field, values, n, with_units);
        } else if (field->label != NULL) {
            lp_text_table_add_row(table);
            lp_text_table_add_cell(table, "%s%s", is_term ? "  " : "", field->label);
            for (guint i = 0; i < n; i++)
                add_cell(table, field, values[i], with_units);
        }
    }
}

void
lp_result_field_add_row(LpTextTable *table, const char *of, const char *pointer, gboolean is_alone,
                        const json_t *const *results, guint n)
{
    const LpResultField *field = lp_result_field_find(of, pointer);
    const char *symbol = is_alone ? lp_unit_symbol(field->unit) : "";
    g_autofree char *label =
        is_alone ? lp_result_field_path_label(of, pointer) : g_strdup(field->label);
    gboolean is_there = FALSE;
    for (guint i = 0; i < n; i++)
        is_there = is_there || lp_json_find(results[i], pointer) != NULL;
    if (!is_there)
        return;
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, *symbol != '\0' ? "%s (%s)" : "%s%s", label, symbol);
    for (guint i = 0; i < n; i++)
        add_cell(table, field, lp_json_find(results[i], pointer), FALSE);
}

/* The heading of a column of @field, called @label. */
static char *
heading(const LpResultField *field, const char *label)
{
    /* "seconds" says its unit itself. */
    const char *symbol = field->shown != NULL                  ? field->shown
                         : g_str_equal(field->name, "seconds") ? ""
                                                               : lp_unit_symbol(field->unit);
    return g_strdup_printf("%s%s%s%s", field->is_text ? "" : "#", label, *symbol != '\0' ? " " : "",
                           symbol);
}

char *
lp_result_field_heading(const char *of, const char *pointer)
{
    return heading(lp_result_field_find(of, pointer), lp_result_field_label(of, pointer));
}

char *
lp_result_field_columns(const char *of)
{
    guint n;
    const LpResultField *members = lp_result_field_members(lp_result_field_find(of, ""), &n);
    GString *names = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(names, "%s%s", i > 0 ? "," : "", members[i].name);
    return g_string_free(names, FALSE);
}

LpTextTable *
lp_result_field_new_table(const char *of, const char *const *pointers, const char *const *more)
{
    g_autoptr(GPtrArray) headings = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; pointers[i] != NULL; i++) {
        const char *label = lp_result_field_label(of, pointers[i]);
        guint n_alike = 0;
        for (guint k = 0; pointers[k] != NULL; k++)
            n_alike += g_str_equal(lp_result_field_label(of, pointers[k]), label);
        g_autofree char *path_label = lp_result_field_path_label(of, pointers[i]);
        g_ptr_array_add(headings, heading(lp_result_field_find(of, pointers[i]),
                                          n_alike > 1 ? path_label : label));
    }
    for (; more != NULL && *more != NULL; more++)
        g_ptr_array_add(headings, g_strdup(*more));
    g_ptr_array_add(headings, NULL);
    return lp_text_table_new((const char *const *)headings->pdata);
}

void
lp_result_field_add_cells(LpTextTable *table, const char *of, const char *pointer,
                          const char *const *keys, const json_t *value)
{
    for (guint k = 0; keys[k] != NULL; k++) {
        g_autofree char *path = g_strconcat(pointer, keys[k], NULL);
        add_cell(table, lp_result_field_find(of, path), lp_json_find(value, keys[k]), FALSE);
    }
}

LpTextTable *
lp_result_field_table(const char *of, const char *pointer, const char *const *keys,
                      const json_t *result)
{
    const json_t *list = lp_json_find(result, pointer);
    g_autofree char *element = g_strconcat(pointer, "/0", NULL);
    g_autoptr(GPtrArray) pointers = g_ptr_array_new_with_free_func(g_free);
    for (const char *const *key = keys; *key != NULL; key++)
        g_ptr_array_add(pointers, g_strconcat(element, *key, NULL));
    g_ptr_array_add(pointers, NULL);
    LpTextTable *table = lp_result_field_new_table(of, (const char *const *)pointers->pdata, NULL);
    for (gsize i = 0; i < json_array_size(list); i++) {
        lp_text_table_add_row(table);
        lp_result_field_add_cells(table, of, element, keys, json_array_get(list, i));
    }
    return table;
}
