/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the fields of rows: attributes, machines, notes. */
#include "validation/cases/row_fields.h"

#include "base/error.h"
#include "platforms/generation/generate.h"

#include <string.h>

#define OUT_OF_SCOPE "out of scope: "

char *
lp_row_attribute(const LpTableRow *row, const char *column, const char *name)
{
    g_auto(GStrv) words = g_strsplit(lp_table_text(row, column), " ", -1);
    gsize length = strlen(name);
    for (guint i = g_strv_length(words); i-- > 0;)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            return g_strdup(words[i] + length + 1);
    return NULL;
}

double
lp_row_attribute_number(const LpTableRow *row, const char *column, const char *name)
{
    g_autofree char *text = lp_row_attribute(row, column, name);
    return text != NULL ? g_ascii_strtod(text, NULL) : 0.0;
}

LpMachineSpecification *
lp_row_machine(const LpTableRow *row, const char *column, GError **error)
{
    const char *text = lp_table_text(row, column);
    if (*text == '\0') {
        (void)lp_table_fault(row, column, "options of a machine", error);
        return NULL;
    }
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    g_autofree char *joined = g_strjoinv(" --", words);
    g_autofree char *line =
        g_str_has_prefix(text, "--") ? g_strdup(text) : g_strconcat("--", joined, NULL);
    LpMachineSpecification *specification = lp_specification_parse(line, error);
    if (specification == NULL)
        (void)lp_table_prefix(row, column, error);
    return specification;
}

gboolean
lp_row_check_refused(const LpTableRow *row, LpOutcome *outcome, GError **error)
{
    const char *reason = lp_table_text(row, "refused");
    if (*reason == '\0')
        return TRUE;
    gboolean is_beyond = g_str_has_prefix(reason, OUT_OF_SCOPE);
    g_autofree char *where = lp_table_where(row);
    if (is_beyond)
        reason += strlen(OUT_OF_SCOPE);
    if (is_beyond)
        lp_outcome_fail(outcome, LP_OUTCOME_OUT_OF_SCOPE, reason);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                is_beyond ? "%s: wanted a model without %s" : "%s: %s", where, reason);
    return FALSE;
}

void
lp_row_take_inferred(const LpTableRow *row, LpOutcome *outcome)
{
    g_auto(GStrv) notes = g_strsplit(lp_table_text(row, "inferred"), " | ", -1);
    for (guint i = 0; notes[i] != NULL; i++)
        if (*notes[i] != '\0')
            lp_outcome_infer(outcome, "%s", notes[i]);
}
