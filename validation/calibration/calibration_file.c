/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes files of fitted constants. */
#include "validation/calibration/calibration_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "base/xml_writer.h"
#include "validation_resource.h"

#include <math.h>
#include <string.h>

#define SCHEMA "resource:///lightpath/validation/calibration.xsd"
/* The column at which further attributes of a constant begin, each on its line. */
#define ATTRIBUTE_COLUMN 12

LpConstants *
lp_calibration_file_load(const char *path, GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_validation_get_resource() != NULL);
    g_autoptr(LpXml) xml = lp_xml_load(path, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    g_autoptr(LpConstants) self = lp_constants_new();
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "constant"); node != NULL;
         node = lp_xml_element(node->next, "constant"))
        if (!lp_constants_fix(self, lp_xml_attribute(node, "owner"), lp_xml_attribute(node, "name"),
                              lp_xml_attribute(node, "value"), error)) {
            lp_xml_prefix(xml, node, lp_xml_attribute(node, "name"), error);
            return NULL;
        }
    return g_steal_pointer(&self);
}

/* --- writing --- */

/* Rows that depend on a constant: how many of each source, and their mean absolute error. */
typedef struct {
    GString *sources; /* owned: "SOURCE (N rows), ..." */
    guint n_rows;
    double error;
} RowErrors;

static gboolean
is_counted(const GPtrArray *rows, const GPtrArray *outcomes, guint i, const LpConstant *constant,
           const char *source)
{
    const LpOutcome *outcome = outcomes->pdata[i];
    return lp_surrogate_depends_on(rows->pdata[i], constant) &&
           strcmp(outcome->source, source) == 0;
}

static RowErrors
errors_of(const GPtrArray *rows, const GPtrArray *outcomes, const LpConstant *constant)
{
    RowErrors errors = {g_string_new(NULL), 0, 0.0};
    g_autoptr(GPtrArray) sources = lp_score_sources(outcomes);
    for (guint j = 0; j < sources->len; j++) {
        guint n = 0;
        for (guint i = 0; i < outcomes->len; i++)
            if (is_counted(rows, outcomes, i, constant, sources->pdata[j])) {
                errors.error += fabs(lp_outcome_error(outcomes->pdata[i], LP_PREDICTION_SIMULATED));
                n++;
            }
        if (n > 0)
            g_string_append_printf(errors.sources, "%s%s (%u rows)", errors.n_rows > 0 ? ", " : "",
                                   (const char *)sources->pdata[j], n);
        errors.n_rows += n;
    }
    errors.error /= MAX(errors.n_rows, 1);
    return errors;
}

/* Cross-validation of the sources with such rows, each by a fit on all others: mean absolute error
 * over all their rows. */
static gboolean
cross_validated_error(const LpFit *fit, const LpConstant *constant, double *out_error,
                      guint *out_rows)
{
    double sum = 0.0;
    guint n = 0;
    for (guint j = 0; j < fit->sources->len; j++) {
        const LpFitSource *source = &g_array_index(fit->sources, LpFitSource, j);
        gboolean known = FALSE;
        for (guint i = 0; i < fit->rows->len && !known; i++)
            known = is_counted(fit->rows, fit->after, i, constant, source->source);
        if (!known || !source->is_crossed)
            continue;
        sum += source->crossed.mean_absolute_error * source->crossed.n_rows;
        n += source->crossed.n_rows;
    }
    *out_rows = n;
    *out_error = n > 0 ? sum / n : 0.0;
    return n > 0;
}

/* Adds an attribute on a line of its own. */
static void
add_attribute(LpXmlWriter *xml, const char *name, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);
    lp_xml_writer_break(xml, ATTRIBUTE_COLUMN);
    lp_xml_writer_attribute(xml, name, valid);
}

static void
add_error(LpXmlWriter *xml, double error)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    add_attribute(xml, "mean-error", g_ascii_formatd(digits, sizeof digits, "%.4f", error));
}

static void
add_tests(LpXmlWriter *xml, const LpFit *fit, const LpConstant *constant)
{
    g_autoptr(GString) text = g_string_new(NULL);
    double error = 0.0;
    guint n = 0;
    if (cross_validated_error(fit, constant, &error, &n))
        g_string_append_printf(text, "the same sources, each fitted without itself: %.1f %%",
                               100.0 * error);
    RowErrors others = errors_of(fit->other_rows, fit->other_after, constant);
    if (others.n_rows > 0)
        g_string_append_printf(text, "%s%s: %.1f %%", text->len > 0 ? "; " : "",
                               others.sources->str, 100.0 * others.error);
    g_string_free(others.sources, TRUE);
    if (text->len > 0)
        add_attribute(xml, "tested-on", text->str);
}

static void
add_fitted(LpXmlWriter *xml, const LpFit *fit, const LpConstant *constant)
{
    RowErrors errors = errors_of(fit->rows, fit->after, constant);
    g_autofree char *n_rows = g_strdup_printf("%u", errors.n_rows);
    const LpFitVariable *variable =
        &g_array_index(fit->variables, LpFitVariable, constant->variable);
    g_autofree char *start = lp_constant_value_text(constant->kind, variable->start);
    add_attribute(xml, "start", start);
    add_attribute(xml, "fitted-on", errors.sources->str);
    add_attribute(xml, "rows", n_rows);
    add_error(xml, errors.error);
    add_tests(xml, fit, constant);
    g_string_free(errors.sources, TRUE);
}

/* A held constant that is fitted too: the fitted one follows. */
static gboolean
is_replaced(const LpConstants *constants, guint index)
{
    const LpConstant *held = lp_constants_at(constants, index);
    for (guint i = index + 1; i < lp_constants_n(constants); i++) {
        const LpConstant *other = lp_constants_at(constants, i);
        if (other->kind == held->kind && strcmp(other->owner, held->owner) == 0 &&
            strcmp(other->protocol, held->protocol) == 0)
            return TRUE;
    }
    return FALSE;
}

static void
write_constant(LpXmlWriter *xml, const LpFit *fit, const LpConstant *constant)
{
    g_autofree char *owner = lp_constant_owner(constant);
    g_autofree char *value = lp_constant_value_text(constant->kind, constant->value);
    lp_xml_writer_open(xml, "constant");
    lp_xml_writer_attribute(xml, "owner", owner);
    lp_xml_writer_attribute(xml, "name", lp_constant_kinds[constant->kind].name);
    lp_xml_writer_attribute(xml, "value", value);
    if (constant->variable == LP_CONSTANT_FIXED)
        add_attribute(xml, "fitted-on", "not fitted: held at the value that it was given");
    else
        add_fitted(xml, fit, constant);
    lp_xml_writer_close(xml);
}

char *
lp_calibration_file_text(const LpFit *fit, const char *cases)
{
    g_autofree char *valid = g_utf8_make_valid(lp_file_label(cases), -1);
    LpXmlWriter *xml = lp_xml_writer_new();
    lp_xml_writer_open(xml, "calibration");
    lp_xml_writer_attribute(xml, "cases", valid);
    for (guint i = 0; i < lp_constants_n(fit->constants); i++)
        if (!is_replaced(fit->constants, i))
            write_constant(xml, fit, lp_constants_at(fit->constants, i));
    return lp_xml_writer_finish(xml);
}
