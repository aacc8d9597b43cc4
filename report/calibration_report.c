/* SPDX-License-Identifier: Apache-2.0 */
/* Constants before and after a fit, and errors on rows fitted and left out. */
#include "report/calibration_report.h"

#include "base/file.h"
#include "base/json.h"
#include "report/result_field.h"

#include <math.h>
#include <string.h>

/* --- text --- */

static gboolean
is_at(double value, double bound)
{
    return fabs(value - bound) <= 1e-3 * fabs(bound);
}

/* A remark on the value, borrowed. */
static const char *
remark(const LpFitVariable *variable, const LpConstantKind *kind)
{
    if (is_at(variable->low, kind->minimum) && is_at(variable->high, kind->maximum))
        return "not determined";
    if (is_at(variable->value, kind->minimum) || is_at(variable->value, kind->maximum))
        return "at its bound";
    return "";
}

/* The owners that share the variable, "a100-40+a100-80". */
static char *
owners_of(const LpFit *fit, guint variable)
{
    GString *owners = g_string_new(NULL);
    for (guint i = 0; i < lp_constants_n(fit->constants); i++) {
        const LpConstant *constant = lp_constants_at(fit->constants, i);
        if (constant->variable != variable)
            continue;
        g_autofree char *owner = lp_constant_owner(constant);
        g_string_append_printf(owners, "%s%s", owners->len > 0 ? "+" : "", owner);
    }
    return g_string_free(owners, FALSE);
}

static void
add_constants(GString *text, const LpFit *fit)
{
    static const char *const columns[] = {"/constants/0/name",  "/constants/0/start",
                                          "/constants/0/value", "/constants/0/low",
                                          "/constants/0/high",  NULL};
    g_autoptr(LpTextTable) table =
        lp_result_field_new_table("calibrate", columns, (const char *const[]){"", NULL});
    for (guint i = 0; i < fit->variables->len; i++) {
        const LpFitVariable *variable = &g_array_index(fit->variables, LpFitVariable, i);
        guint kind = lp_constants_at(fit->constants, variable->first)->kind;
        g_autofree char *owners = owners_of(fit, i);
        g_autofree char *start = lp_constant_value_text(kind, variable->start);
        g_autofree char *value = lp_constant_value_text(kind, variable->value);
        g_autofree char *low = lp_constant_value_text(kind, variable->low);
        g_autofree char *high = lp_constant_value_text(kind, variable->high);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s:%s", owners, lp_constant_kinds[kind].name);
        lp_text_table_add_cell(table, "%s", start);
        lp_text_table_add_cell(table, "%s", value);
        lp_text_table_add_cell(table, "%s", low);
        lp_text_table_add_cell(table, "%s", high);
        lp_text_table_add_cell(table, "%s", remark(variable, &lp_constant_kinds[kind]));
    }
    lp_text_table_append(text, table, 2);
}

#define BEFORE_AND_AFTER                                                                           \
    "/source", "/after/rows", "/after/failed", "/before/median_absolute_error",                    \
        "/after/median_absolute_error", "/before/mean_absolute_error",                             \
        "/after/mean_absolute_error", "/after/bias"

static void
add_fitted(GString *text, const json_t *report)
{
    static const char *const keys[] = {BEFORE_AND_AFTER, "/without/median_absolute_error",
                                       "/without/mean_absolute_error", NULL};
    g_autoptr(LpTextTable) table = lp_result_field_table("calibrate", "/sources", keys, report);
    g_string_append(text, "\nrows fitted\n");
    lp_text_table_append(text, table, 2);
    g_string_append(text, json_array_size(json_object_get(report, "sources")) > 1
                              ? "Without: errors on the source's rows of a fit on all others.\n"
                              : "One source only: nothing to fit it without.\n");
}

static void
add_others(GString *text, const json_t *report)
{
    static const char *const keys[] = {BEFORE_AND_AFTER, NULL};
    if (json_array_size(json_object_get(report, "left_out")) == 0) {
        g_string_append(text, "\nNo rows of these owners are left out and tested on.\n");
        return;
    }
    g_autoptr(LpTextTable) table = lp_result_field_table("calibrate", "/left_out", keys, report);
    g_string_append(text, "\nrows left out\n");
    lp_text_table_append(text, table, 2);
}

char *
lp_calibration_to_text(const LpFit *fit, const char *cases)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(
        text,
        "%u rows of %s fitted, %u left out and tested on, %u not used; %u could not be predicted\n",
        fit->rows->len, lp_file_label(cases), fit->other_rows->len, fit->n_unused, fit->n_failed);
    g_string_append(text, "objective");
    for (guint i = 0; i < fit->objectives->len; i++)
        g_string_append_printf(text, "%s %.5f", i > 0 ? "," : "",
                               g_array_index(fit->objectives, double, i));
    g_string_append_printf(text, " (%u rows simulated, %u closed forms)\n\n", fit->n_simulated,
                           fit->n_closed);
    add_constants(text, fit);
    g_autoptr(json_t) report = lp_calibration_to_json(fit, cases);
    add_fitted(text, report);
    add_others(text, report);
    return g_string_free(text, FALSE);
}

/* --- JSON --- */

static void
add_score(json_t *object, const char *key, const LpScore *score)
{
    json_t *part = lp_json_set_object(object, key);
    lp_json_set_count(part, "rows", score->n_rows);
    lp_json_set_count(part, "failed", score->n_failed);
    lp_json_set_number(part, "median_absolute_error", score->median_absolute_error);
    lp_json_set_number(part, "mean_absolute_error", score->mean_absolute_error);
    lp_json_set_number(part, "bias", score->bias);
    lp_json_set_number(part, "p90_absolute_error", score->p90_absolute_error);
    lp_json_set_number(part, "worst_absolute_error", score->worst_absolute_error);
}

static void
add_json_constants(json_t *object, const LpFit *fit)
{
    static const char *const units[] = {"", "s", "B"};
    json_t *constants = lp_json_set_array(object, "constants");
    for (guint i = 0; i < fit->variables->len; i++) {
        const LpFitVariable *variable = &g_array_index(fit->variables, LpFitVariable, i);
        const LpConstantKind *kind =
            &lp_constant_kinds[lp_constants_at(fit->constants, variable->first)->kind];
        g_autofree char *owners = owners_of(fit, i);
        json_t *constant = lp_json_append_object(constants);
        lp_json_set_text(constant, "owner", owners);
        lp_json_set_text(constant, "name", kind->name);
        lp_json_set_text(constant, "unit", units[kind->unit]);
        lp_json_set_number(constant, "start", variable->start);
        lp_json_set_number(constant, "value", variable->value);
        lp_json_set_number(constant, "low", variable->low);
        lp_json_set_number(constant, "high", variable->high);
        lp_json_set_number(constant, "minimum", kind->minimum);
        lp_json_set_number(constant, "maximum", kind->maximum);
        lp_json_set_text(constant, "bounds", kind->reason);
    }
}

static void
add_json_sources(json_t *object, const LpFit *fit)
{
    json_t *sources = lp_json_set_array(object, "sources");
    for (guint i = 0; i < fit->sources->len; i++) {
        const LpFitSource *source = &g_array_index(fit->sources, LpFitSource, i);
        json_t *element = lp_json_append_object(sources);
        lp_json_set_text(element, "source", source->source);
        add_score(element, "before", &source->before);
        add_score(element, "after", &source->after);
        if (source->is_crossed)
            add_score(element, "without", &source->crossed);
    }
}

static void
add_json_others(json_t *object, const LpFit *fit)
{
    g_autoptr(GPtrArray) sources = lp_score_sources(fit->other_after);
    json_t *left_out = lp_json_set_array(object, "left_out");
    for (guint i = 0; i < sources->len; i++) {
        LpScore before = lp_score(fit->other_before, sources->pdata[i], LP_PREDICTION_SIMULATED);
        LpScore after = lp_score(fit->other_after, sources->pdata[i], LP_PREDICTION_SIMULATED);
        json_t *element = lp_json_append_object(left_out);
        lp_json_set_text(element, "source", sources->pdata[i]);
        add_score(element, "before", &before);
        add_score(element, "after", &after);
    }
}

json_t *
lp_calibration_to_json(const LpFit *fit, const char *cases)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "cases", cases);
    lp_json_set_count(root, "rows", fit->rows->len);
    lp_json_set_count(root, "rows_left_out", fit->other_rows->len);
    lp_json_set_count(root, "rows_unused", fit->n_unused);
    lp_json_set_count(root, "failed", fit->n_failed);
    json_t *objective = lp_json_set_array(root, "objective");
    for (guint i = 0; i < fit->objectives->len; i++)
        lp_json_append_number(objective, g_array_index(fit->objectives, double, i));
    add_json_constants(root, fit);
    add_json_sources(root, fit);
    add_json_others(root, fit);
    return root;
}
