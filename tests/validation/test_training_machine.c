/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that a row states. */
#include "validation/cases/training_case.h"

#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "tests/testlib.h"
#include "tests/validation/training_row.h"
#include "validation/cases/training_case.h"

#include <string.h>

static void
test_machine(void)
{
    static const struct {
        const char *label, *changes;
        const char *system;
        guint64 n_accelerators;
        guint32 domain_size, n_cards;
        double scale_out_bytes_per_s; /* 0: none */
    } rows[] = {
        {"as stated", "", "generic", 16, 8, 8, 25e9},
        {"whole domains", "accelerators=6;dp=1;pp=3;layers=24", "generic", 8, 8, 0, 0.0},
        {"two accelerators a card", "nics_per_domain=4;scale_out_Gbps=100", "generic", 16, 8, 4,
         12.5e9},
        {"more cards than accelerators", "nics_per_domain=32;scale_out_Gbps=400", "generic", 16, 8,
         8, 50e9},
        {"a name of its own", "accelerator=A100-SXM4-80GB", "generic", 16, 8, 8, 25e9},
        {"a system of the catalogue", "system=Selene (DGX-A100)", "dgx-a100", 16, 8, 8, 25e9},
        {"with accelerators and domains of its own",
         "system=dgx-h100;accelerators_per_domain=4;scale_out_Gbps=400", "dgx-h100", 16, 4, 4,
         50e9},
        {"and rates between them", "system=dgx-h100", "dgx-h100", 16, 8, 8, 25e9},
        {"which the system says where the row does not",
         "system=gb300-nvl72;accelerators_per_domain=4;scale_out_Gbps=", "gb300-nvl72", 16, 4, 4,
         100e9},
        {"what its publication ran on",
         "system=aws p5 (EFA);source=Hugging Face Ultra-Scale;scale_out_Gbps=400", "p5-hf", 16, 8,
         8, 50e9},
        {"where none is named", "system=;source=ULTRA-SCALE;scale_out_Gbps=400", "p5-hf", 16, 8, 8,
         50e9},
        {"another is named", "system=dgx-h100;source=Hugging Face Ultra-Scale;scale_out_Gbps=400",
         "dgx-h100", 16, 8, 8, 50e9},
        {"p5 of others", "system=aws p5 (EFA);scale_out_Gbps=400", "p5", 16, 8, 8, 50e9},
        {"a part of a name is none", "system=dgx-a100x", "generic", 16, 8, 8, 25e9},
    };
    const char *changes[G_N_ELEMENTS(rows)];
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        changes[i] = rows[i].changes;
    g_autoptr(LpTable) table = lp_training_rows_table(changes, G_N_ELEMENTS(rows));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, i), outcome, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        lp_test_true(rows[i].label, got.machine->n_accelerators == rows[i].n_accelerators &&
                                        got.machine->domain_size == rows[i].domain_size);
        lp_test_text(rows[i].label, got.machine->accelerator.name, "a100-80");
        lp_test_text(rows[i].label, got.machine->system, rows[i].system);
        lp_test_text(rows[i].label, got.machine->library,
                     strcmp(rows[i].system, "p5-hf") == 0 ? "nccl-efa-hf" : NULL);
        lp_test_true(rows[i].label,
                     got.machine->has_scale_out == (rows[i].scale_out_bytes_per_s > 0.0));
        if (!got.machine->has_scale_out)
            continue;
        lp_test_true(rows[i].label, got.machine->cards_per_domain == rows[i].n_cards);
        lp_test_close(rows[i].label, lp_machine_scale_out_bytes_per_s(got.machine),
                      rows[i].scale_out_bytes_per_s, 1e-9);
    }
}

/* Nothing but a TPU is stated: slices of as many chips as a pod or slice has at most, or as a row
 * says. Of a Trainium: servers of 32 cores. */
static void
test_default_system(void)
{
    static const struct {
        const char *changes, *system;
        guint32 n_accelerators, domain_size;
    } rows[] = {
        {"accelerator=tpu-v5e;accelerators=512;dp=512;global_batch=1024", "tpu-v5e-slices", 512,
         256},
        {"accelerator=tpu-v5p;accelerators=512;dp=512;global_batch=1024", "tpu-v5p-slices", 512,
         512},
        {"accelerator=tpu-v5e;accelerators=384;dp=384;global_batch=768", "tpu-v5e-slices", 384,
         192},
        {"accelerator=tpu-v6e;accelerators=512;accelerators_per_domain=128;dp=512;global_batch="
         "1024",
         "tpu-v6e-slices", 512, 128},
        {"accelerator=trn1-core;accelerators=512;dp=512;global_batch=1024", "trn1", 512, 32},
    };
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        g_ptr_array_add(
            changes,
            g_strconcat(
                "accelerators_per_domain=;scale_up_GBps=;scale_out_Gbps=;nics_per_domain=;system=;"
                "precision=bf16;tp=1;pp=1;",
                rows[i].changes, NULL));
    g_autoptr(LpTable) table =
        lp_training_rows_table((const char *const *)changes->pdata, changes->len);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, i), outcome, &error);
        lp_test_text(rows[i].system, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        lp_test_text(rows[i].system, got.machine->system, rows[i].system);
        lp_test_true(rows[i].system, got.machine->n_accelerators == rows[i].n_accelerators &&
                                         got.machine->domain_size == rows[i].domain_size);
    }
}

/* V100 of which rows say where they stand, by a system's name or by the size of their domains. */
static void
test_v100(void)
{
    static const struct {
        const char *changes, *system, *library;
        double domain_bytes_per_s;
    } rows[] = {
        {"system=DGX-2;accelerators_per_domain=16", "dgx-2", "nccl-volta-switch", 150e9},
        {"system=;accelerators_per_domain=16", "generic", "nccl-volta-switch", 150e9},
        {"system=;accelerators_per_domain=8", "generic", "nccl-volta", 150e9},
        {"system=Omni-Path;accelerators_per_domain=4", "generic", "nccl-volta-quad", 150e9},
    };
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        g_ptr_array_add(changes, g_strconcat("accelerator=v100-32;scale_up_GBps=;precision=fp16;",
                                             rows[i].changes, NULL));
    g_autoptr(LpTable) table =
        lp_training_rows_table((const char *const *)changes->pdata, changes->len);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, i), outcome, &error);
        lp_test_text(rows[i].library, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        LpLibrary library;
        lp_test_text(rows[i].library, got.machine->system, rows[i].system);
        lp_test_close(rows[i].library,
                      got.machine->cluster[LP_ATTACHMENT_SCALE_UP].link_bytes_per_s,
                      rows[i].domain_bytes_per_s, 1e-9);
        lp_test_true(rows[i].library,
                     lp_machine_library(got.machine, LP_LIBRARY_AUTO, &library, NULL));
        lp_test_text(rows[i].library, library.name, rows[i].library);
    }
}

/* A word of the system on what carries bytes between its domains. */
static void
test_transport(void)
{
    static const struct {
        const char *changes;
        LpTransport transport;
    } rows[] = {{"", LP_TRANSPORT_RDMA},
                {"system=jean-zay a100 (4 Omni-Path per node)", LP_TRANSPORT_OMNI_PATH},
                {"system=one node with Omni-Path;accelerators=8;dp=2", LP_TRANSPORT_RDMA}};
    const char *changes[G_N_ELEMENTS(rows)];
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        changes[i] = rows[i].changes;
    g_autoptr(LpTable) table = lp_training_rows_table(changes, G_N_ELEMENTS(rows));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, i), outcome, &error);
        lp_test_text(rows[i].changes, error != NULL ? error->message : NULL, NULL);
        if (good)
            lp_test_text(rows[i].changes, lp_transport_names[got.machine->transport],
                         lp_transport_names[rows[i].transport]);
    }
}

/* An accelerator and its number are stated: links as the system has that is shipped for it. Of the
 * A800, NVLink of 400 GB/s both ways (NVIDIA's data sheet), and an A100's cards. */
static void
test_links(void)
{
    static const struct {
        const char *accelerator;
        guint32 domain_size;
        double domain_bytes_per_s, scale_out_bytes_per_s;
    } rows[] = {
        {"a100-40", 8, 300e9, 25e9}, {"A800", 8, 200e9, 25e9},      {"H100 SXM", 8, 450e9, 50e9},
        {"H200", 8, 450e9, 50e9},    {"b200", 8, 900e9, 50e9},      {"b300", 8, 900e9, 100e9},
        {"gb200", 64, 900e9, 50e9},  {"mi300x", 8, 448e9, 50e9},    {"l40s", 8, 31.5e9, 25e9},
        {"T4", 8, 15.7e9, 25e9},     {"RTX 4090", 8, 31.5e9, 25e9}, {"H100 PCIe", 8, 63e9, 25e9},
    };
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        g_ptr_array_add(
            changes,
            g_strconcat("precision=bf16;tp=1;pp=1;accelerators=128;dp=128;global_batch=256;"
                        "accelerators_per_domain=;scale_up_GBps=;scale_out_Gbps=;nics_per_domain=;"
                        "system=;accelerator=",
                        rows[i].accelerator, NULL));
    g_autoptr(LpTable) table =
        lp_training_rows_table((const char *const *)changes->pdata, changes->len);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpOutcome) outcome = lp_outcome_new(LP_MEASURE_TIME, "r1", "s");
        g_auto(LpTrainingCase) got = {.workload = NULL};
        g_autoptr(GError) error = NULL;
        gboolean good = lp_training_case_read(&got, lp_table_row(table, i), outcome, &error);
        lp_test_text(rows[i].accelerator, error != NULL ? error->message : NULL, NULL);
        if (!good)
            continue;
        lp_test_true(rows[i].accelerator, got.machine->domain_size == rows[i].domain_size);
        lp_test_close(rows[i].accelerator,
                      lp_machine_link_bytes_per_s(got.machine, LP_ATTACHMENT_SCALE_UP),
                      rows[i].domain_bytes_per_s, 1e-9);
        lp_test_close(rows[i].accelerator, lp_machine_scale_out_bytes_per_s(got.machine),
                      rows[i].scale_out_bytes_per_s, 1e-9);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"machine", test_machine}, {"default system", test_default_system},
        {"V100", test_v100},       {"transport", test_transport},
        {"links", test_links},     {NULL, NULL}};
    return lp_test_run("training machine", cases);
}
