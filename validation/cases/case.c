/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of measured rows that can be predicted. */
#include "validation/cases/case.h"

#include "validation/cases/row_fields.h"
#include "validation/cases/run_case.h"
#include "validation/cases/training_case.h"

#include <string.h>

const LpCaseKind *
lp_case_kind(LpTableKind kind)
{
    switch (kind) {
    case LP_TABLE_TRAINING:
        return &lp_training_case;
    case LP_TABLE_COLLECTIVES:
    case LP_TABLE_GEMM:
    case LP_TABLE_CONTENTION:
        return &lp_run_case;
    case LP_N_TABLE_KINDS:
        return NULL;
    }
    g_assert_not_reached();
}

/* What is shown of a configuration, in this order: attributes of columns, or columns. */
static const struct {
    const char *column, *attribute; /* attribute NULL: the whole column */
    const char *before, *after;
    const char *usual; /* the value that is not shown, or NULL */
} shown[] = {
    {"model", NULL, "", "", NULL},
    {"run", NULL, "", "", NULL},
    {"workload", "layers", "", " layers", NULL},
    {"workload", "hidden", "hidden ", "", NULL},
    {"workload", "experts", "", " experts", "0"},
    {"machine", "accelerators", "", " accelerators", NULL},
    {"machine", "accelerator", "", "", NULL},
    {"workload", "tp", "tp ", "", NULL},
    {"workload", "pp", "pp ", "", NULL},
    {"workload", "dp", "dp ", "", NULL},
    {"workload", "cp", "cp ", "", "1"},
    {"workload", "ep", "ep ", "", "1"},
    {"workload", "virtual-stages", "virtual stages ", "", "1"},
    {"workload", "micro-batch", "micro-batch ", "", NULL},
    {"workload", "global-batch", "batch ", "", NULL},
    {"workload", "seq", "sequence ", "", NULL},
    {"workload", "recompute", "recompute ", "", "none"},
    {"workload", "zero", "ZeRO ", "", "0"},
    {"workload", "attention", "attention ", "", NULL},
    {"workload", "precision", "", "", NULL},
};

static char *
configuration_of(const LpTableRow *row)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        g_autofree char *said = shown[i].attribute == NULL
                                    ? g_strdup(lp_table_text(row, shown[i].column))
                                    : lp_row_attribute(row, shown[i].column, shown[i].attribute);
        if (said == NULL || *said == '\0' || g_strcmp0(said, shown[i].usual) == 0)
            continue;
        g_string_append_printf(text, "%s%s%s%s", text->len > 0 ? ", " : "", shown[i].before, said,
                               shown[i].after);
    }
    return g_string_free(text, FALSE);
}

static void
read_factors(const LpTableRow *row, LpOutcome *outcome)
{
    g_auto(GStrv) words = g_strsplit(lp_table_text(row, "machine"), "--", -1);
    g_autofree char *machine = g_strjoinv("", words);
    const char *at = strstr(machine, "accelerators=");
    double *factors = outcome->factors;
    factors[LP_FACTOR_ACCELERATORS] =
        at != NULL ? g_ascii_strtod(at + strlen("accelerators="), NULL) : 0.0;
    factors[LP_FACTOR_TENSOR_PARALLEL] = lp_row_attribute_number(row, "workload", "tp");
    factors[LP_FACTOR_MICRO_BATCH] = lp_row_attribute_number(row, "workload", "micro-batch");
    /* "all-reduce 1048576". */
    const char *size = strchr(lp_table_text(row, "run"), ' ');
    factors[LP_FACTOR_SIZE] = size != NULL ? g_ascii_strtod(size, NULL) : 0.0;
}

static void
name_groups(const LpTableRow *row, LpOutcome *outcome)
{
    g_autofree char *accelerator = lp_row_attribute(row, "machine", "accelerator");
    const char *publisher = lp_table_text(row, "publisher");
    g_free(outcome->software);
    g_free(outcome->accelerator);
    g_free(outcome->publisher);
    outcome->software = g_strdup(lp_table_text(row, "framework"));
    outcome->accelerator = g_strdup(accelerator != NULL ? accelerator : "");
    outcome->publisher = g_strdup(*publisher != '\0' ? publisher : outcome->source);
}

const char *
lp_case_exclusion(const LpTableRow *row)
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
    const char *apart = lp_case_exclusion(row);
    g_autofree char *named = apart != NULL ? g_strdup_printf("%s (%s)", source, apart) : NULL;
    if (named != NULL)
        source = named;
    LpOutcome *outcome = lp_outcome_new(kind->measure, id, *source != '\0' ? source : "(none)");
    outcome->is_apart = apart != NULL;
    outcome->configuration = configuration_of(row);
    name_groups(row, outcome);
    read_factors(row, outcome);
    kind->describe(row, outcome);
    return outcome;
}
