/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the lines of the tables of errors that say most of a plan. */
#include "validation/prediction/expected_error.h"

#include "base/table.h"
#include "validation_resource.h"

#include <string.h>

#define ERRORS "resource:///lightpath/validation/expected-errors.csv"
#define BANDS "resource:///lightpath/validation/expected-bands.csv"
/* Steps that say something of a kind; with fewer, all kinds count. */
#define ENOUGH 10

static const char *
kind_of(const LpWorkload *workload)
{
    if (workload->transformer.experts.n > 1)
        return "experts";
    return workload->plan.zero.stage == 3 ? "sharded" : "dense";
}

/* Kept from the first call on. */
static const LpTable *
table(gboolean of_bands)
{
    static LpTable *tables[2];
    if (tables[of_bands] == NULL) {
        /* Without a reference the linker leaves the resources of this static library out. */
        (void)lp_validation_get_resource();
        g_autoptr(GError) error = NULL;
        tables[of_bands] = lp_table_load(of_bands ? BANDS : ERRORS, &error);
        g_assert_no_error(error);
    }
    return tables[of_bands];
}

static const LpTableRow *
find_row(const LpTable *table, const char *software, const char *accelerator, const char *kind)
{
    for (guint i = 0; i < lp_table_n_rows(table); i++) {
        const LpTableRow *row = lp_table_row(table, i);
        if (strcmp(lp_table_text(row, "software"), software) == 0 &&
            strcmp(lp_table_text(row, "accelerator"), accelerator) == 0 &&
            strcmp(lp_table_text(row, "kind"), kind) == 0)
            return row;
    }
    return NULL;
}

/* Steps, median and p90 by the columns called so behind @prefix; FALSE where there are none. */
static gboolean
read_figures(const LpTableRow *row, const char *prefix, guint *out_n, double *out_median,
             double *out_p90)
{
    guint64 n = 0;
    g_autofree char *steps = g_strconcat(prefix, "steps", NULL);
    g_autofree char *median = g_strconcat(prefix, "median", NULL);
    g_autofree char *p90 = g_strconcat(prefix, "p90", NULL);
    if (row == NULL || !lp_table_count(row, steps, 1, G_MAXUINT32, &n, NULL) || n == 0 ||
        !lp_table_number(row, median, 0.0, 1e6, out_median, NULL) ||
        !lp_table_number(row, p90, 0.0, 1e6, out_p90, NULL))
        return FALSE;
    *out_n = (guint)n;
    return TRUE;
}

static LpExpectedError
read_row(const LpTableRow *row, const char *kind)
{
    LpExpectedError self = {.kind = kind};
    guint64 n_sources = 0;
    if (read_figures(row, "", &self.n_steps, &self.median, &self.p90) &&
        lp_table_count(row, "sources", 1, G_MAXUINT32, &n_sources, NULL))
        self.n_sources = (guint)n_sources;
    return self;
}

static void
read_blind(LpExpectedError *self, const char *software, const char *accelerator, const char *kind)
{
    const char *const lines[][3] = {{software, accelerator, kind},
                                    {software, accelerator, ""},
                                    {software, "", ""},
                                    {"", accelerator, ""},
                                    {"", "", ""}};
    self->blind_software = self->blind_accelerator = "";
    for (guint i = 0; i < G_N_ELEMENTS(lines) && self->n_blind == 0; i++) {
        const LpTableRow *row = find_row(table(FALSE), lines[i][0], lines[i][1], lines[i][2]);
        if (!read_figures(row, "blind_", &self->n_blind, &self->blind_median, &self->blind_p90))
            continue;
        self->blind_software = lp_table_text(row, "software");
        self->blind_accelerator = lp_table_text(row, "accelerator");
    }
}

/* The band of the software on the accelerator, else of the software, else of the accelerator, else
 * of all. */
static double
find_band(const char *software, const char *accelerator, const char *kind)
{
    const char *const lines[][2] = {{software, accelerator}, {software, ""}, {"", accelerator}};
    const LpTableRow *row = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(lines) && row == NULL; i++)
        row = find_row(table(TRUE), lines[i][0], lines[i][1], kind);
    if (row == NULL)
        row = find_row(table(TRUE), "", "", kind);
    double band = 0.0;
    gboolean is_found = row != NULL && lp_table_number(row, "band", 0.0, 1e6, &band, NULL);
    g_return_val_if_fail(is_found, 0.0);
    return band;
}

LpExpectedError
lp_expected_error_find(const LpWorkload *workload, const LpMachine *machine)
{
    const char *accelerator = lp_accelerator_known_as(&machine->accelerator),
               *kind = kind_of(workload);
    LpExpectedError own =
        read_row(find_row(table(FALSE), workload->framework, accelerator, kind), kind);
    LpExpectedError all =
        read_row(find_row(table(FALSE), workload->framework, accelerator, ""), "");
    LpExpectedError self = own.n_steps >= ENOUGH || all.n_steps == 0 ? own : all;
    read_blind(&self, workload->framework, accelerator, kind);
    self.band = find_band(workload->framework, accelerator, kind);
    return self;
}
