/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a table constants are fitted on, and which are left out to test the fit. */
#include "validation/calibration/fitted_rows.h"

#include "base/error.h"
#include "validation/cases/case.h"

#include <string.h>

/* @texts: may be NULL. */
static gboolean
is_named(const char *const *texts, const LpTableRow *row)
{
    g_autofree char *id = lp_table_id(row);
    const char *source = lp_table_text(row, "source");
    for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
        if (strstr(id, texts[i]) != NULL || strstr(source, texts[i]) != NULL)
            return TRUE;
    return FALSE;
}

/* Whether the row has no part, neither in the fit nor in its test. */
static gboolean
is_apart(const LpFitOptions *options, const LpTableRow *row)
{
    return lp_case_exclusion(row) != NULL || is_named(options->without, row);
}

static gboolean
is_to_fit(const LpFitOptions *options, const LpTableRow *row)
{
    gboolean chosen =
        options->rows == NULL || options->rows[0] == NULL || is_named(options->rows, row);
    return chosen && !is_apart(options, row);
}

static gboolean
has_experts(const LpSurrogate *row)
{
    return row->restated.workload->transformer.experts.n > 0;
}

static gboolean
depends_on_any(const LpSurrogate *row, const LpConstants *constants)
{
    for (guint i = 0; i < lp_constants_n(constants); i++) {
        const LpConstant *constant = lp_constants_at(constants, i);
        if (constant->variable != LP_CONSTANT_FIXED && lp_surrogate_depends_on(row, constant))
            return TRUE;
    }
    return FALSE;
}

/* Counts a row of @source. Returns: whether to take it, as the first or the @every-th after the one
 * taken last. */
static gboolean
is_next(GHashTable *counts, const char *source, guint every)
{
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, source));
    g_hash_table_insert(counts, g_strdup(source), GUINT_TO_POINTER(n + 1));
    return n % every == 0;
}

void
lp_fitted_rows_choose(LpFit *fit, const LpTable *table, const LpFitOptions *options)
{
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) others = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < lp_table_n_rows(table); i++) {
        const LpTableRow *stated = lp_table_row(table, i);
        gboolean to_fit = is_to_fit(options, stated);
        g_autoptr(LpSurrogate) row = lp_surrogate_new(table, i, options->constants->n_variables);
        if (row == NULL) {
            fit->n_failed += to_fit ? 1 : 0;
            continue;
        }
        if (!depends_on_any(row, options->constants))
            continue;
        if (is_apart(options, stated) || (options->is_dense && has_experts(row)))
            fit->n_unused++;
        else if (to_fit && is_next(counts, row->source, options->every))
            g_ptr_array_add(fit->rows, g_steal_pointer(&row));
        else if (options->others_every > 0 && is_next(others, row->source, options->others_every))
            g_ptr_array_add(fit->other_rows, g_steal_pointer(&row));
        else
            fit->n_unused++;
    }
}

gboolean
lp_fitted_rows_check(const LpFit *fit, const LpTable *table, GError **error)
{
    const LpConstants *constants = fit->constants;
    for (guint i = 0; i < lp_constants_n(constants); i++) {
        const LpConstant *constant = lp_constants_at(constants, i);
        gboolean known = constant->variable == LP_CONSTANT_FIXED;
        for (guint j = 0; !known && j < fit->rows->len; j++)
            known = lp_surrogate_depends_on(fit->rows->pdata[j], constant);
        if (known)
            continue;
        g_autofree char *owner = lp_constant_owner(constant);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got no chosen row that runs with %s (%s), wanted at least one",
                    lp_table_path(table), owner, lp_constant_kinds[constant->kind].name);
        return FALSE;
    }
    return TRUE;
}
