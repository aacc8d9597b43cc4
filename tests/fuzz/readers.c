/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of files and texts that users give, behind one door: readers.h. */
#include "tests/fuzz/readers.h"

#include "base/file.h"
#include "base/table.h"
#include "base/units.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/kernel_tables.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/catalogue/reliability.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/machine/machine.h"
#include "study/study.h"
#include "study/study_store.h"
#include "study/study_values.h"
#include "validation/calibration/calibration_file.h"
#include "validation/cases/case.h"
#include "validation/cases/measurements.h"
#include "validation/cases/training_case.h"
#include "workloads/description/routing_table.h"
#include "workloads/description/scenario.h"
#include "workloads/description/tuning_file.h"
#include "workloads/description/workload.h"
#include "workloads/given/msccl.h"
#include "workloads/given/step_file.h"
#include "workloads/import/huggingface.h"
#include "workloads/traces/chakra.h"
#include "workloads/traces/chakra_index.h"
#include "workloads/traces/kineto.h"
#include "workloads/traces/ti.h"
#include "workloads/traces/trace_groups.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The input as a file, under names that readers know kinds and ranks by, in a folder of its own. */
enum {
    XML,
    RANK_0,
    RANK_1,
    N_LINKS,
    IDLE_RANK = N_LINKS,
    N_NAMES
};
static const char *const names[N_NAMES] = {[XML] = "input.xml",
                                           [RANK_0] = "trace.0.et",
                                           [RANK_1] = "trace.1.et",
                                           [IDLE_RANK] = "idle.1.ti"};
static char folder[64], paths[N_NAMES][96];
static const char *const path = paths[XML];
/* The input as text that ends in a zero byte. */
static char *text;
static GBytes *content;

static GError *error;

/* Of the table that the corpus has. */
#define N_EXPERTS 16

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

/* A workload with a setting that names the file, and perhaps another. */
static void
read_by_setting(const char *name, const char *other)
{
    g_autofree char *setting = g_strconcat(name, "=", path, NULL);
    const char *const settings[] = {setting, other, NULL};
    g_autofree char *workload = lp_file_find("workloads", "gpt3-125m", NULL);
    lp_workload_free(lp_workload_load(workload, settings, &error));
}

static void
read_kernels(void)
{
    read_by_setting("kernels", NULL);
}

static void
read_mixers(void)
{
    read_by_setting("kernels", "layer-pattern=3*average+1*full");
}

static void
read_framework(void)
{
    read_by_setting("framework", NULL);
}

static void
read_tuning(void)
{
    g_free(lp_tuning_file_read(path, &error));
}

static void
read_steps(void)
{
    LpAlgorithms algorithms;
    if (lp_step_file_load(path, &algorithms, &error))
        return;
}

static void
read_msccl(void)
{
    LpStepList *list = lp_msccl_read(path, &error);
    g_clear_pointer(&list, lp_step_list_free);
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
read_accelerators(void)
{
    GArray *accelerators = lp_catalogue_parse("accelerators", content, &error);
    g_clear_pointer(&accelerators, g_array_unref);
}

static void
read_kernel_tables(void)
{
    LpAccelerator accelerator;
    if (!lp_catalogue_find("h100-sxm", &accelerator, &error))
        return;
    LpMeasuredKernels *kernels = lp_kernel_tables_parse("kernels", text, &accelerator, &error);
    g_clear_pointer(&kernels, lp_measured_kernels_free);
}

static void
read_libraries(void)
{
    LpLibrary library;
    if (lp_library_parse("libraries", content, "single-ring", &library, &error))
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
read_store(void)
{
    lp_study_store_free(lp_study_store_read(path, &error));
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
    lp_routing_table_free(lp_routing_table_load(path, N_EXPERTS, &error));
}

static void
read_table(void)
{
    lp_table_free(lp_table_parse("table", text, strlen(text), &error));
}

/* What a row of measurements states, up to its prediction. */
static void
read_row(const LpCaseKind *kind, gboolean is_training, const LpTableRow *row)
{
    g_autoptr(LpOutcome) outcome = lp_case_describe(kind, row);
    g_auto(LpTrainingCase) training = {NULL};
    if (is_training && !lp_training_case_read(&training, row, outcome, &error))
        g_clear_error(&error);
}

static void
read_rows(void)
{
    g_autofree char *unknown = NULL;
    g_autoptr(LpTable) table = lp_measurements_load(path, &unknown, &error);
    const LpCaseKind *kind = table != NULL ? lp_case_kind(lp_table_kind(table)) : NULL;
    for (guint i = 0; kind != NULL && i < MIN(lp_table_n_rows(table), 4); i++)
        read_row(kind, kind == &lp_training_case, lp_table_row(table, i));
}

static void
read_huggingface(void)
{
    LpImport *import = lp_huggingface_import(path, &error);
    g_clear_pointer(&import, lp_import_free);
}

static void
read_traces(LpTrace *(*read)(const char *const *, guint, const char *, GError **),
            const char *second)
{
    const char *const ranks[] = {paths[RANK_0], second};
    LpTrace *trace = read(ranks, G_N_ELEMENTS(ranks), NULL, &error);
    g_clear_pointer(&trace, lp_trace_free);
}

static void
read_chakra(void)
{
    read_traces(lp_chakra_read, paths[RANK_1]);
}

static void
read_chakra_index(void)
{
    g_autoptr(LpTrace) trace = lp_trace_new("trace", 8);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    json_t *index = NULL;
    LpTraceFiles *files = lp_chakra_index_load(path, &index, &error);
    if (files != NULL && !lp_chakra_index_groups(index, path, naming, &error))
        g_assert(error != NULL);
    g_clear_pointer(&files, lp_trace_files_free);
    json_decref(index);
}

static void
read_groups(void)
{
    g_autoptr(LpTrace) trace = lp_trace_new("trace", 8);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    if (lp_trace_naming_load(naming, path, &error))
        return;
}

static LpTrace *
read_profiles(const char *const *files, guint n_files, const char *groups, GError **out_error)
{
    return lp_kineto_read(files, n_files, groups, NULL, out_error);
}

static void
read_kineto(void)
{
    read_traces(read_profiles, paths[RANK_1]);
}

static void
read_ti(void)
{
    /* Its lines name their rank. */
    static const char idle[] = "1 init\n1 finalize\n";
    if (access(paths[IDLE_RANK], R_OK) != 0 &&
        !g_file_set_contents(paths[IDLE_RANK], idle, -1, NULL))
        g_error("the second rank cannot be written");
    read_traces(lp_ti_read, paths[IDLE_RANK]);
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
    gboolean is_any = FALSE;
    for (guint quantity = 0; quantity < LP_QUANTITY_PRICE + 1; quantity++) {
        g_clear_error(&error);
        if (!lp_quantity_parse((LpQuantity)quantity, text, &value, &error))
            continue;
        is_any = TRUE;
        /* What was read is written, and read as the same. */
        double again;
        g_autofree char *written = lp_quantity_to_text((LpQuantity)quantity, value);
        if (!lp_quantity_parse((LpQuantity)quantity, written, &again, NULL) || again != value)
            g_error("\"%s\" was read as %.17g and written as \"%s\"", text, value, written);
    }
    if (is_any)
        g_clear_error(&error);
}

static const struct {
    const char *name;
    void (*read)(void);
} readers[] = {
    {"workload", read_workload},
    {"scenario", read_scenario},
    {"kernels", read_kernels},
    {"mixers", read_mixers},
    {"framework", read_framework},
    {"tuning", read_tuning},
    {"steps", read_steps},
    {"msccl", read_msccl},
    {"machine", read_machine},
    {"accelerators", read_accelerators},
    {"kernel-tables", read_kernel_tables},
    {"technologies", read_technologies},
    {"libraries", read_libraries},
    {"reliability", read_reliability},
    {"study", read_study},
    {"store", read_store},
    {"values", read_values},
    {"calibration", read_calibration},
    {"routing", read_routing},
    {"table", read_table},
    {"rows", read_rows},
    {"huggingface", read_huggingface},
    {"chakra", read_chakra},
    {"chakra-index", read_chakra_index},
    {"groups", read_groups},
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

static void
remove_folder(void)
{
    for (guint i = 0; i < N_NAMES; i++)
        (void)unlink(paths[i]);
    (void)rmdir(folder);
}

/* An empty file under all names, in memory where there is such a folder. Returns: its descriptor.
 */
static int
make_file(void)
{
    const char *in = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir();
    g_snprintf(folder, sizeof folder, "%s/lightpath-fuzz-XXXXXX", in);
    if (g_mkdtemp(folder) == NULL)
        return -1;
    for (guint i = 0; i < N_NAMES; i++)
        g_snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    for (guint i = 1; i < N_LINKS; i++)
        if (link(path, paths[i]) != 0)
            return -1;
    (void)atexit(remove_folder);
    return file;
}

gboolean
lp_fuzz_read(gint reader, const guint8 *data, gsize length)
{
    static int file = -1;
    if (file < 0)
        file = make_file();
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, length, 0) != (gssize)length)
        g_error("the input cannot be written");
    text = g_strndup((const char *)data, length);
    content = g_bytes_new(data, length);
    readers[reader].read();
    gboolean is_read = error == NULL;
    if (!is_read && (*error->message == '\0' || strlen(error->message) > 4 * length + 65536))
        g_error("an error of %zu bytes for an input of %zu", strlen(error->message), length);
    if (!is_read && g_getenv("LIGHTPATH_SHOW") != NULL)
        g_printerr("%s\n", error->message);
    g_clear_error(&error);
    g_clear_pointer(&content, g_bytes_unref);
    g_clear_pointer(&text, g_free);
    return is_read;
}
