/* SPDX-License-Identifier: Apache-2.0 */
/* A row that cannot be restated: the reason names the column. */
#include "validation/cases/training_case.h"

#include "tests/testlib.h"
#include "tests/validation/training_row.h"

#include <string.h>

static void
test_faults(void)
{
    static const struct {
        const char *changes, *part;
        LpOutcomeStatus status;
    } rows[] = {
        {"tp=0", "column tp: \"0\"", LP_OUTCOME_OK},
        {"tp=-2", "column tp: \"-2\"", LP_OUTCOME_OK},
        {"tp=99999999999", "column tp:", LP_OUTCOME_OK},
        {"layers=nan", "column layers: \"nan\"", LP_OUTCOME_OK},
        {"heads=3", "heads: got 3, wanted a divisor of hidden (2048)", LP_OUTCOME_OK},
        {"accelerators=", "column accelerators: got \"\"", LP_OUTCOME_OK},
        {"accelerators=3", "column accelerators: got \"3\", wanted 16, the product of tp, pp, dp",
         LP_OUTCOME_OK},
        {"accelerators=4294967296", "column accelerators: got", LP_OUTCOME_OK},
        {"accelerator=abacus", "column accelerator: ", LP_OUTCOME_OK},
        {"accelerator=", "column accelerator: ", LP_OUTCOME_OK},
        {"scale_up_GBps=-1", "column scale_up_GBps: got \"-1\"", LP_OUTCOME_OK},
        {"scale_out_Gbps=1e99", "column scale_out_Gbps: got \"1e99\"", LP_OUTCOME_OK},
        {"nics_per_domain=3", "--nics-per-domain: 3, wanted a divisor of the domain size 8",
         LP_OUTCOME_OK},
        {"micro_batch=0", "column micro_batch: got \"0\"", LP_OUTCOME_OK},
        {"global_batch=", "column global_batch: got \"\", wanted sequences of an iteration",
         LP_OUTCOME_OK},
        {"recompute=some", "column recompute: ", LP_OUTCOME_OK},
        {"precision=int3", "column precision: ", LP_OUTCOME_OK},
        {"attention=none", "column attention: ", LP_OUTCOME_OK},
        {"zero=4", "column zero: \"4\"", LP_OUTCOME_OK},
        {"kind=inference",
         "column kind: got \"inference\", wanted training, layer, composed or memory",
         LP_OUTCOME_OK},
        {"set=tp", "column set: got \"tp\", wanted NAME=VALUE", LP_OUTCOME_OK},
        {"set=tp=2 tpp=2", "column set: unknown attribute \"tpp\"", LP_OUTCOME_OK},
        {"set=tp=4", "column set: got \"tp=4\", wanted tp in column tp", LP_OUTCOME_OK},
        {"set=micro-batch=4;micro_batch=", "wanted micro-batch in column micro_batch",
         LP_OUTCOME_OK},
        {"set=tied-embeddings=no", "wanted tied-embeddings in column tied", LP_OUTCOME_OK},
        {"set=zero=1", "wanted zero in column zero", LP_OUTCOME_OK},
        {"set=framework=fsdp", "wanted framework in column framework", LP_OUTCOME_OK},
        {"layers=;model=", "column model: got \"\", wanted the name of a public model",
         LP_OUTCOME_OK},
        {"layers=;model=Unheard 5B", "column model: got \"Unheard 5B\"", LP_OUTCOME_OK},
        {"model=Nemotron Nano 9B", "wanted a model without state-space layers",
         LP_OUTCOME_OUT_OF_SCOPE},
        {"model=Llama 2 70B (LoRA)", "wanted a model without adapters (LoRA) beside frozen weights",
         LP_OUTCOME_OUT_OF_SCOPE},
        {"source=MLPerf llama2_70b_lora", "adapters (LoRA)", LP_OUTCOME_OUT_OF_SCOPE},
    };
    const char *changes[G_N_ELEMENTS(rows)];
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        changes[i] = rows[i].changes;
    g_autoptr(LpTable) table = lp_training_rows_table(changes, G_N_ELEMENTS(rows));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *place = g_strdup_printf(":%u: ", i + 2);
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].changes,
                     !lp_training_case_read(&got, lp_table_row(table, i), outcome, &error));
        g_autofree char *shown = g_strdup(error != NULL ? error->message : "nothing");
        g_autofree char *label = g_strconcat(rows[i].changes, " gave ", shown, NULL);
        lp_test_true(label, strstr(shown, place) != NULL && strstr(shown, rows[i].part) != NULL &&
                                strchr(shown, '\n') == NULL);
        lp_test_true(rows[i].changes, outcome->status == rows[i].status);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"faults", test_faults}, {NULL, NULL}};
    return lp_test_run("training case", cases);
}
