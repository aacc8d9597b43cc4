/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of measured rows that can be predicted. */
#include "validation/cases/case.h"

#include "validation/cases/collective_case.h"
#include "validation/cases/contention_case.h"
#include "validation/cases/gemm_case.h"
#include "validation/cases/row_word.h"
#include "validation/cases/training_case.h"

#include <string.h>

const LpCaseKind *
lp_case_kind(LpTableKind kind)
{
    switch (kind) {
    case LP_TABLE_TRAINING:
        return &lp_training_case;
    case LP_TABLE_COLLECTIVES:
        return &lp_collective_case;
    case LP_TABLE_GEMM:
        return &lp_gemm_case;
    case LP_TABLE_CONTENTION:
        return &lp_contention_case;
    case LP_N_TABLE_KINDS:
        return NULL;
    }
    g_assert_not_reached();
}

/* The columns, of all kinds, that describe a configuration, in the order in which they are shown.
 */
static const struct {
    const char *column, *before, *after;
    const char *usual; /* the value that is not shown, or NULL */
} shown[] = {
    {"model", "", "", NULL},
    {"operation", "", "", NULL},
    {"run", "", "", NULL},
    {"variant", "", "", NULL},
    {"bytes", "", " B", NULL},
    {"M", "M ", "", NULL},
    {"N", "N ", "", NULL},
    {"K", "K ", "", NULL},
    {"dtype", "", "", NULL},
    {"gpu", "", "", NULL},
    {"layers", "", " layers", NULL},
    {"hidden", "hidden ", "", NULL},
    {"experts", "", " experts", NULL},
    {"accelerators", "", " accelerators", NULL},
    {"ranks", "", " ranks", NULL},
    {"domains", "", " domains", NULL},
    {"accelerator", "", "", NULL},
    {"tp", "tp ", "", NULL},
    {"pp", "pp ", "", NULL},
    {"dp", "dp ", "", NULL},
    {"cp", "cp ", "", "1"},
    {"ep", "ep ", "", "1"},
    {"virtual_stages", "virtual stages ", "", "1"},
    {"micro_batch", "micro-batch ", "", NULL},
    {"global_batch", "batch ", "", NULL},
    {"seq", "sequence ", "", NULL},
    {"recompute", "recompute ", "", "none"},
    {"zero", "ZeRO ", "", "0"},
    {"attention", "attention ", "", NULL},
    {"precision", "", "", NULL},
};

static char *
configuration_of(const LpTableRow *row)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        const char *said = lp_table_text(row, shown[i].column);
        if (*said == '\0' || g_strcmp0(said, shown[i].usual) == 0)
            continue;
        g_string_append_printf(text, "%s%s%s%s", text->len > 0 ? ", " : "", shown[i].before, said,
                               shown[i].after);
    }
    return g_string_free(text, FALSE);
}

static void
read_factors(const LpTableRow *row, LpOutcome *outcome)
{
    static const struct {
        const char *column;
        LpFactor factor;
    } columns[] = {{"accelerators", LP_FACTOR_ACCELERATORS},
                   {"ranks", LP_FACTOR_ACCELERATORS},
                   {"tp", LP_FACTOR_TENSOR_PARALLEL},
                   {"micro_batch", LP_FACTOR_MICRO_BATCH},
                   {"bytes", LP_FACTOR_SIZE}};
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
        guint64 value = 0;
        /* What is wrong with a column is said when the row is predicted. */
        if (lp_row_count(row, columns[i].column, 1, 1ull << 50, &value, NULL, NULL) && value > 0)
            outcome->factors[columns[i].factor] = (double)value;
    }
}

const char *
lp_case_apart(const LpTableRow *row)
{
    static const char *const kinds[] = {"composed", "memory"};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(lp_table_text(row, "kind"), kinds[i]) == 0)
            return kinds[i];
    return NULL;
}

LpOutcome *
lp_case_describe(const LpCaseKind *kind, const LpTableRow *row)
{
    g_autofree char *id = lp_table_id(row);
    const char *source = lp_table_text(row, "source");
    const char *apart = lp_case_apart(row);
    g_autofree char *named = apart != NULL ? g_strdup_printf("%s (%s)", source, apart) : NULL;
    if (named != NULL)
        source = named;
    LpOutcome *outcome = lp_outcome_new(kind->measure, id, *source != '\0' ? source : "(none)");
    outcome->is_apart = apart != NULL;
    outcome->configuration = configuration_of(row);
    read_factors(row, outcome);
    kind->describe(row, outcome);
    return outcome;
}
