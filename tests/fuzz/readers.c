/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of files and texts that users give, behind one door: readers.h. */
#define _GNU_SOURCE /* memfd_create(2) */
#include "tests/fuzz/readers.h"

#include "base/file.h"
#include "base/table.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/catalogue/reliability.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/machine/machine.h"
#include "study/study.h"
#include "study/study_values.h"
#include "validation/calibration/calibration_file.h"
#include "workloads/description/routing_table.h"
#include "workloads/description/scenario.h"
#include "workloads/description/workload.h"
#include "workloads/import/huggingface.h"
#include "workloads/traces/chakra.h"
#include "workloads/traces/kineto.h"
#include "workloads/traces/ti.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The input as a file. */
static char path[64];
/* The input as text that ends in a zero byte. */
static char *text;
static GBytes *content;

static GError *error;

static void
read_workload(void)
{
    lp_workload_free(lp_workload_load(path, NULL, &error));
}

static void
read_scenario(void)
{
    LpScenario *scenario = lp_scenario_load(path, NULL, &error);
    g_clear_pointer(&scenario, lp_scenario_free);
}

static void
read_kernels(void)
{
    g_autofree char *setting = g_strconcat("kernels=", path, NULL);
    const char *const settings[] = {setting, NULL};
    g_autofree char *workload = lp_file_find("workloads", "gpt3-125m", NULL);
    lp_workload_free(lp_workload_load(workload, settings, &error));
}

static void
read_machine(void)
{
    lp_machine_free(lp_machine_load(path, &error));
}

static void
read_technologies(void)
{
    for (guint kind = 0; kind < LP_N_TECHNOLOGY_KINDS && error == NULL; kind++) {
        GPtrArray *all =
            lp_technologies_parse("technologies", content, (LpTechnologyKind)kind, &error);
        g_clear_pointer(&all, g_ptr_array_unref);
    }
}

static void
read_libraries(void)
{
    LpLibrary library;
    if (lp_library_parse("libraries", content, "nccl", &library, &error))
        return;
}

static void
read_reliability(void)
{
    LpReliability *reliability = lp_reliability_load(path, &error);
    g_clear_pointer(&reliability, lp_reliability_free);
}

static void
read_study(void)
{
    lp_study_free(lp_study_load(path, &error));
}

static void
read_values(void)
{
    g_auto(GStrv) values = lp_study_values_parse(text, TRUE, &error);
}

static void
read_calibration(void)
{
    LpConstants *constants = lp_calibration_file_load(path, &error);
    g_free(constants);
}

static void
read_routing(void)
{
    lp_routing_table_free(lp_routing_table_load(path, 8, &error));
}

static void
read_table(void)
{
    lp_table_free(lp_table_parse("table", text, strlen(text), &error));
}

static void
read_huggingface(void)
{
    LpImport *import = lp_huggingface_import(path, &error);
    g_clear_pointer(&import, lp_import_free);
}

static void
read_traces(LpTrace *(*read)(const char *const *, guint, const char *, GError **))
{
    const char *const paths[] = {path};
    LpTrace *trace = read(paths, 1, NULL, &error);
    g_clear_pointer(&trace, lp_trace_free);
}

static void
read_chakra(void)
{
    read_traces(lp_chakra_read);
}

static LpTrace *
read_profiles(const char *const *paths, guint n_paths, const char *groups, GError **out_error)
{
    return lp_kineto_read(paths, n_paths, groups, NULL, out_error);
}

static void
read_kineto(void)
{
    read_traces(read_profiles);
}

static void
read_ti(void)
{
    read_traces(lp_ti_read);
}

static void
read_setting(void)
{
    if (lp_workload_check_setting(text, &error))
        return;
}

static void
read_quantity(void)
{
    double value;
    for (guint quantity = 0; quantity < LP_QUANTITY_PRICE + 1; quantity++) {
        g_clear_error(&error);
        if (!lp_quantity_parse((LpQuantity)quantity, text, &value, &error))
            continue;
        /* What was read is written, and read as the same. */
        double again;
        g_autofree char *written = lp_quantity_to_text((LpQuantity)quantity, value);
        if (!lp_quantity_parse((LpQuantity)quantity, written, &again, NULL) || again != value)
            g_error("\"%s\" was read as %.17g and written as \"%s\"", text, value, written);
    }
}

static const struct {
    const char *name;
    void (*read)(void);
} readers[] = {
    {"workload", read_workload},
    {"scenario", read_scenario},
    {"kernels", read_kernels},
    {"machine", read_machine},
    {"technologies", read_technologies},
    {"libraries", read_libraries},
    {"reliability", read_reliability},
    {"study", read_study},
    {"values", read_values},
    {"calibration", read_calibration},
    {"routing", read_routing},
    {"table", read_table},
    {"huggingface", read_huggingface},
    {"chakra", read_chakra},
    {"kineto", read_kineto},
    {"ti", read_ti},
    {"setting", read_setting},
    {"quantity", read_quantity},
};

gint
lp_fuzz_reader(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(readers); i++)
        if (strcmp(readers[i].name, name) == 0)
            return (gint)i;
    return -1;
}

void
lp_fuzz_read(gint reader, const guint8 *data, gsize length)
{
    static int file = -1;
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        g_snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, length, 0) != (gssize)length)
        g_error("the input cannot be written");
    text = g_strndup((const char *)data, length);
    content = g_bytes_new(data, length);
    readers[reader].read();
    if (error != NULL && (*error->message == '\0' || strlen(error->message) > 4 * length + 65536))
        g_error("an error of %zu bytes for an input of %zu", strlen(error->message), length);
    g_clear_error(&error);
    g_clear_pointer(&content, g_bytes_unref);
    g_clear_pointer(&text, g_free);
}
