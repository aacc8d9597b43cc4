/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, ranges, steps and powers. */
#include "study/study_values.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* The last number of a range may miss its end by so much, which is rounding. */
#define ROUNDING 1e-9

/* A number and the unit behind it. */
typedef struct {
    double number;
    char unit[32];
} Number;

typedef struct {
    Number first, last, by;
    char how; /* '\0', '+' or '*' */
} Range;

/* Reads @text up to its end or a '*' or '+' in @ends. Returns: what is behind it, or NULL. */
static const char *
read_number(const char *text, const char *ends, Number *out)
{
    char *rest;
    out->number = g_ascii_strtod(text, &rest);
    if (rest == text || !isfinite(out->number))
        return NULL;
    gsize length = strcspn(rest, ends);
    if (length >= sizeof out->unit)
        return NULL;
    g_strlcpy(out->unit, rest, length + 1);
    g_strstrip(out->unit);
    return rest + length;
}

/* Whether @text is a range; if not, it is a value that happens to have two dots. */
static gboolean
read_range(const char *text, Range *out)
{
    const char *dots = strstr(text, "..");
    if (dots == NULL)
        return FALSE;
    g_autofree char *first = g_strndup(text, (gsize)(dots - text));
    const char *end = read_number(first, "", &out->first);
    const char *rest = end != NULL ? read_number(dots + 2, "*+", &out->last) : NULL;
    if (rest == NULL)
        return FALSE;
    out->how = *rest;
    out->by = (Number){1.0, ""};
    return *rest == '\0' || read_number(rest + 1, "", &out->by) != NULL;
}

static gboolean
check_range(const Range *range, const char *text, GError **error)
{
    const Number *by = &range->by;
    gboolean same_units =
        strcmp(range->first.unit, range->last.unit) == 0 &&
        (by->unit[0] == '\0' || (range->how == '+' && strcmp(by->unit, range->first.unit) == 0));
    if (!same_units)
        return lp_value_error(error, "got %s, wanted one unit in a range", text);
    if (range->first.number > range->last.number)
        return lp_value_error(error, "got %s, wanted the larger number last", text);
    if (range->how == '+' && !(by->number > 0.0))
        return lp_value_error(error, "got %s, wanted a step above 0", text);
    if (range->how == '*' && !(by->number > 1.0 && range->first.number > 0.0))
        return lp_value_error(error, "got %s, wanted a first number above 0 and a factor above 1",
                              text);
    gboolean whole = range->first.number == floor(range->first.number);
    return range->how != '\0' || whole ||
           lp_value_error(error, "got %s, wanted whole numbers, or a step as in %s+0.1", text,
                          text);
}

static gboolean
too_many(GError **error)
{
    return lp_value_error(error, "got more values, wanted at most %d", LP_STUDY_VALUES_MAX);
}

/* @seen: the values, or NULL where one may be there again. */
static gboolean
add_value(GPtrArray *values, GHashTable *seen, const char *value, GError **error)
{
    if (*value == '\0')
        return lp_value_error(error, "got an empty value, wanted values with \"|\" between them");
    if (values->len == LP_STUDY_VALUES_MAX)
        return too_many(error);
    char *own = g_strdup(value);
    g_ptr_array_add(values, own);
    return seen == NULL || g_hash_table_add(seen, own) ||
           lp_value_error(error, "got %s twice, wanted each value once", value);
}

/* Steps from the first number to the last, about. */
static double
n_steps(const Range *range)
{
    return range->how == '*'
               ? (log(range->last.number) - log(range->first.number)) / log(range->by.number)
               : (range->last.number - range->first.number) / range->by.number;
}

static gboolean
add_range(GPtrArray *values, GHashTable *seen, const Range *range, GError **error)
{
    if (n_steps(range) > LP_STUDY_VALUES_MAX)
        return too_many(error);
    double last = range->last.number + ROUNDING * fabs(range->last.number);
    double value = range->first.number;
    for (guint i = 1; value <= last; i++) {
        g_autofree char *text = g_strdup_printf("%.12g%s", value + 0.0, range->first.unit);
        if (!add_value(values, seen, text, error))
            return FALSE;
        value = range->how == '*' ? range->first.number * pow(range->by.number, i)
                                  : range->first.number + i * range->by.number;
    }
    return TRUE;
}

char **
lp_study_values_parse(const char *text, gboolean once, GError **error)
{
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = once ? g_hash_table_new(g_str_hash, g_str_equal) : NULL;
    g_auto(GStrv) items = g_strsplit(text, "|", -1);
    if (items[0] == NULL && !add_value(values, seen, "", error))
        return NULL;
    for (char **item = items; *item != NULL; item++) {
        Range range;
        const char *word = g_strstrip(*item);
        gboolean is_range = read_range(word, &range);
        if (is_range ? !check_range(&range, word, error) || !add_range(values, seen, &range, error)
                     : !add_value(values, seen, word, error))
            return NULL;
    }
    g_ptr_array_add(values, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&values), FALSE);
}
