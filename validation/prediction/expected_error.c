/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the line of the table of errors that says most of a plan. */
#include "validation/prediction/expected_error.h"

#include "base/table.h"
#include "validation_resource.h"

#include <string.h>

#define ERRORS "resource:///lightpath/validation/expected-errors.csv"
/* Steps that say something of a kind; with fewer, all kinds count. */
#define ENOUGH 10

static const char *
kind_of(const LpWorkload *workload)
{
    if (workload->transformer.experts.n > 1)
        return "experts";
    return workload->plan.zero.stage == 3 ? "sharded" : "dense";
}

static const LpTable *
table(void)
{
    static LpTable *table;
    if (table == NULL) {
        /* Without a reference the linker leaves the resources of this static library out. */
        (void)lp_validation_get_resource();
        g_autoptr(GError) error = NULL;
        table = lp_table_load(ERRORS, &error);
        g_assert_no_error(error);
    }
    return table;
}

static const LpTableRow *
find_row(const char *software, const char *accelerator, const char *kind)
{
    for (guint i = 0; i < lp_table_n_rows(table()); i++) {
        const LpTableRow *row = lp_table_row(table(), i);
        if (strcmp(lp_table_text(row, "software"), software) == 0 &&
            strcmp(lp_table_text(row, "accelerator"), accelerator) == 0 &&
            strcmp(lp_table_text(row, "kind"), kind) == 0)
            return row;
    }
    return NULL;
}

static LpExpectedError
read_row(const LpTableRow *row, const char *kind)
{
    LpExpectedError self = {.kind = kind};
    guint64 n_steps = 0, n_sources = 0;
    if (row != NULL && lp_table_count(row, "steps", 1, G_MAXUINT32, &n_steps, NULL) &&
        lp_table_count(row, "sources", 1, G_MAXUINT32, &n_sources, NULL) &&
        lp_table_number(row, "median", 0.0, 1e6, &self.median, NULL) &&
        lp_table_number(row, "p90", 0.0, 1e6, &self.p90, NULL)) {
        self.n_steps = (guint)n_steps;
        self.n_sources = (guint)n_sources;
    }
    return self;
}

LpExpectedError
lp_expected_error_find(const LpWorkload *workload, const LpMachine *machine)
{
    const char *accelerator = machine->accelerator.name, *kind = kind_of(workload);
    LpExpectedError own = read_row(find_row(workload->framework, accelerator, kind), kind);
    LpExpectedError all = read_row(find_row(workload->framework, accelerator, ""), "");
    return own.n_steps >= ENOUGH || all.n_steps == 0 ? own : all;
}
