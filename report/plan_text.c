/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, and who gave each of its values. */
#include "base/units.h"
#include "report/given_text.h"
#include "report/report_parts.h"
#include "workloads/description/attribute.h"
#include "workloads/description/given_workload.h"

#include <string.h>

/* Columns of text behind a label. */
#define WIDTH 86

static gboolean
is_wrapped(GString *out, gsize *column, const char *word)
{
    if (*column + strlen(word) <= WIDTH)
        return FALSE;
    g_string_append(out, "\n           ");
    *column = 0;
    return TRUE;
}

/* @word begins with a blank. */
static void
append_word(GString *out, gsize *column, const char *word)
{
    (void)is_wrapped(out, column, word);
    g_string_append(out, word);
    *column += strlen(word);
}

void
lp_report_append_prose(GString *out, const char *label, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gsize column = 0;
    g_string_append_printf(out, "%-11s", label);
    for (guint i = 0; words[i] != NULL; i++) {
        g_autofree char *word = g_strconcat(" ", words[i], NULL);
        append_word(out, &column, word);
    }
    g_string_append_c(out, '\n');
}

/* "overlap-tp=bulk: ...": a value of the framework and its source. */
static void
append_framework_default(GString *out, const LpWorkload *workload, guint index)
{
    const char *name;
    g_autofree char *value = lp_workload_attribute(workload, index, &name);
    g_autofree char *text =
        g_strdup_printf("%s=%s: %s", name, value, lp_workload_source(workload, index));
    lp_report_append_prose(out, "", text);
}

static void
append_names(GString *out, const LpWorkload *workload, LpOrigin origin)
{
    const char *name;
    gsize column = 0;
    GString *names = g_string_new(NULL);
    for (guint i = 0;; i++) {
        g_autofree char *value = lp_workload_attribute(workload, i, &name);
        if (value == NULL)
            break;
        if (lp_workload_origin(workload, i) != origin ||
            !lp_given_workload_has_attribute(workload, name, NULL))
            continue;
        g_autofree char *word = g_strconcat(" ", name, NULL);
        append_word(names, &column, word);
    }
    if (names->len > 0)
        g_string_append_printf(out, "  %-9s%s\n", lp_origin_names[origin], names->str);
    g_string_free(names, TRUE);
}

static void
append_framework_defaults(GString *out, const LpWorkload *workload)
{
    const char *name;
    gboolean is_first = TRUE;
    for (guint i = 0;; i++) {
        g_autofree char *value = lp_workload_attribute(workload, i, &name);
        if (value == NULL)
            break;
        if (lp_workload_origin(workload, i) != LP_ORIGIN_FRAMEWORK)
            continue;
        if (is_first)
            g_string_append_printf(out, "  framework %s\n", workload->framework);
        is_first = FALSE;
        append_framework_default(out, workload, i);
    }
}

/* Appends the origins of attributes, the strongest first. */
static void
append_origins(GString *out, const LpWorkload *workload)
{
    g_string_append(out, "where the plan's values come from\n");
    for (LpOrigin origin = LP_N_ORIGINS; origin-- > 0;)
        if (origin == LP_ORIGIN_FRAMEWORK)
            append_framework_defaults(out, workload);
        else
            append_names(out, workload, origin);
}

/* Traits that nobody gives say nothing of a plan. */
static gboolean
is_shown(const LpWorkload *workload, guint index)
{
    const LpAttribute *attribute = lp_attribute_at(index);
    return lp_given_workload_has_attribute(workload, lp_attribute_name(attribute), NULL) &&
           (!lp_attribute_is_trait(attribute) ||
            lp_workload_origin(workload, index) != LP_ORIGIN_DEFAULT);
}

void
lp_report_append_plan(GString *out, const LpWorkload *workload, gboolean whole)
{
    const char *name;
    char *text;
    gsize column = 0;
    g_string_append(out, "plan       ");
    for (guint i = 0; (text = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        g_autofree char *value = text;
        g_autofree char *entry = g_strdup_printf(" %s=%s", name, value);
        if (is_shown(workload, i) &&
            (whole || lp_workload_origin(workload, i) != LP_ORIGIN_DEFAULT))
            append_word(out, &column, entry);
    }
    g_string_append_c(out, '\n');
    if (whole)
        append_origins(out, workload);
}

/* Numbers stay numbers, so that scripts need not parse the plan. */
static void
add_value(json_t *plan, const char *name, const char *text)
{
    guint64 count;
    double number;
    if (lp_count_parse(text, 0, G_MAXINT64, &count, NULL))
        lp_json_set_count(plan, name, count);
    else if (lp_number_parse(text, 0.0, G_MAXDOUBLE, &number, NULL))
        lp_json_set_number(plan, name, number);
    else
        lp_json_set_text(plan, name, text);
}

void
lp_report_add_plan(json_t *object, const LpWorkload *workload)
{
    json_t *plan = lp_json_set_object(object, "plan");
    json_t *origins = lp_json_set_object(object, "plan_origins");
    const char *name;
    char *text;
    for (guint i = 0; (text = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        g_autofree char *value = text;
        if (!is_shown(workload, i))
            continue;
        add_value(plan, name, value);
        LpOrigin origin = lp_workload_origin(workload, i);
        if (origin == LP_ORIGIN_DEFAULT)
            continue;
        json_t *entry = lp_json_set_object(origins, name);
        lp_json_set_text(entry, "origin", lp_origin_names[origin]);
        if (origin == LP_ORIGIN_FRAMEWORK)
            lp_json_set_text(entry, "source", lp_workload_source(workload, i));
    }
    lp_given_add_json(object, workload);
}
