/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that state the same are run once, and come out as if each had been run. */
#include "validation/cases/duplicate_rows.h"

#include "tests/testlib.h"
#include "tests/validation/predicted_row.h"
#include "validation/cases/runner.h"

#include <string.h>

#define HEADER                                                                                     \
    "id,source,kind,model,layers,hidden,heads,vocab,seq,attention,accelerator,accelerators,"       \
    "accelerators_per_domain,scale_up_GBps,scale_out_Gbps,nics_per_domain,tp,pp,dp,micro_batch,"   \
    "global_batch,recompute,precision,zero,framework,memory_GB,iteration_s"
#define SHAPE "4,1024,16,51200,512,unfused,a100-80,8,8,300,200,8,"
#define FIRST "a,one,training,m," SHAPE "2,1,4,1,8,full,fp16,0,,,0.05\n"

/* Each row beside the first. What is measured, who says it and names do not count; what is stated
 * in place of what would be taken anyway does not either. */
static const struct {
    const char *label, *row;
    gboolean is_alike;
} rows[] = {
    {"another time", "b,two,training,m," SHAPE "2,1,4,1,8,full,fp16,0,,,0.07", TRUE},
    {"another name", "b,one,training,n," SHAPE "2,1,4,1,8,full,fp16,0,,,0.05", TRUE},
    {"what is taken anyway", "b,one,training,m," SHAPE "2,1,,1,8,full,fp16,,none,,0.05", TRUE},
    {"another plan", "b,one,training,m," SHAPE "1,2,4,1,8,full,fp16,0,,,0.05", FALSE},
    {"another batch", "b,one,training,m," SHAPE "2,1,4,1,16,full,fp16,0,,,0.05", FALSE},
    {"networks that one domain has no use for",
     "b,one,training,m,4,1024,16,51200,512,unfused,a100-80,8,8,300,100,4,2,1,4,1,8,full,fp16,0,,,1",
     TRUE},
    {"a faster machine",
     "b,one,training,m,4,1024,16,51200,512,unfused,a100-80,8,8,600,200,8,2,1,4,1,8,full,fp16,0,,,1",
     FALSE},
    {"other software", "b,one,training,m," SHAPE "2,1,4,1,8,full,fp16,0,nanotron,,0.05", FALSE},
    {"software that names itself",
     "b,Megatron-LM nanotron,training,m," SHAPE "2,1,4,1,8,full,fp16,0,,,0.05", FALSE},
    {"memory", "b,one,memory,m," SHAPE "2,1,4,1,8,full,fp16,0,,20,", FALSE},
    {"wrong", "b,one,training,m," SHAPE "0,1,4,1,8,full,fp16,0,,,0.05", FALSE},
};

static void
test_which(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *both = g_strconcat(FIRST, rows[i].row, NULL);
        g_autoptr(LpTable) table = lp_rows_table(HEADER, both);
        const LpCaseKind *kind = lp_case_kind(lp_table_kind(table));
        g_autoptr(LpDuplicateRows) alike = lp_duplicate_rows_new(kind);
        gboolean is_alike[2];
        for (guint k = 0; k < 2; k++) {
            g_autoptr(LpOutcome) outcome = lp_case_describe(kind, lp_table_row(table, k));
            is_alike[k] = lp_duplicate_rows_add(alike, k, lp_table_row(table, k), outcome);
            lp_test_true(rows[i].label, (outcome->inferred->len > 0) == is_alike[k]);
        }
        lp_test_true(rows[i].label, !is_alike[0] && is_alike[1] == rows[i].is_alike);
        lp_test_true(rows[i].label, lp_duplicate_rows_n(alike) == (rows[i].is_alike ? 1 : 0));
        if (rows[i].is_alike)
            lp_test_true(rows[i].label, lp_duplicate_rows_index(alike, 0) == 1);
    }
}

static LpTable *
new_table(void)
{
    GString *text = g_string_new(FIRST);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        g_string_append_printf(text, "%s\n", rows[i].row);
    LpTable *table = lp_rows_table(HEADER, text->str);
    g_string_free(text, TRUE);
    return table;
}

/* Rows one at a time, so that none is like another, against all of them. */
static void
test_outcomes(void)
{
    g_autoptr(LpTable) table = new_table();
    for (guint n_jobs = 1; n_jobs <= 3; n_jobs += 2) {
        LpRunnerOptions options = {.n_jobs = n_jobs};
        g_autoptr(GPtrArray) all = lp_runner_run(table, &options, NULL);
        for (guint i = 0; i < lp_table_n_rows(table); i++) {
            g_autoptr(GArray) one = g_array_new(FALSE, FALSE, sizeof(guint));
            g_array_append_val(one, i);
            options.rows = one;
            g_autoptr(GPtrArray) own = lp_runner_run(table, &options, NULL);
            g_autofree char *got = lp_outcome_to_text(all->pdata[i]);
            g_autofree char *wanted = lp_outcome_to_text(own->pdata[0]);
            lp_test_text(i == 0 ? "first" : rows[i - 1].label, got, wanted);
        }
    }
}

/* What the first row fails for need not be what the other would. */
static void
test_failures(void)
{
    g_autoptr(LpTable) table = new_table();
    LpRunnerOptions options = {.n_jobs = 2, .limit_wall_s = 1e-9};
    g_autoptr(GPtrArray) outcomes = lp_runner_run(table, &options, NULL);
    for (guint i = 0; i < 3; i++) {
        const LpOutcome *outcome = outcomes->pdata[i];
        lp_test_true("failed", outcome->status == LP_OUTCOME_FAILED);
        lp_test_text("for itself", outcome->reason, "its process took too long and was ended");
        lp_test_true("no notes of what was not run", outcome->inferred->len == 0);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"which", test_which},
                                       {"outcomes", test_outcomes},
                                       {"failures", test_failures},
                                       {NULL, NULL}};
    return lp_test_run("alike rows", cases);
}
