/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of files and texts that users give, behind one door: readers.h. */
#include "tests/fuzz/readers.h"

#include "base/error.h"
#include "base/file.h"
#include "base/table.h"
#include "base/units.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/kernel_tables.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/catalogue/measured_csv.h"
#include "platforms/catalogue/reliability.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/machine/machine.h"
#include "study/study.h"
#include "study/study_store.h"
#include "study/study_values.h"
#include "tests/fuzz/overlays.h"
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
    BASE,
    N_NAMES
};
static const char *const names[N_NAMES] = {[XML] = "input.xml",
                                           [RANK_0] = "trace.0.et",
                                           [RANK_1] = "trace.1.et",
                                           [IDLE_RANK] = "idle.1.ti",
                                           [BASE] = "base.xml"};
static char folder[64], paths[N_NAMES][96];
static const char *const path = paths[XML];
/* The input as text that ends in a zero byte. */
static char *text;
static GBytes *content;

static GError *error;

/* Of the table that the corpus has. */
#define N_EXPERTS 16

/* Each says whether it was given what it asked for. */

static gboolean
read_workload(void)
{
    g_autoptr(LpWorkload) workload = lp_workload_load(path, NULL, &error);
    return workload != NULL;
}

static gboolean
read_scenario(void)
{
    g_autoptr(LpScenario) scenario = lp_scenario_load(path, NULL, &error);
    return scenario != NULL;
}

static void
write_beside(guint name, const char *content_of)
{
    if (access(paths[name], R_OK) != 0 && !g_file_set_contents(paths[name], content_of, -1, NULL))
        g_error("%s cannot be written", names[name]);
}

static gboolean
read_kernels(void)
{
    write_beside(BASE, lp_fuzz_lists_base);
    return lp_fuzz_lists_read(path, NULL, &error);
}

static gboolean
read_mixers(void)
{
    write_beside(BASE, lp_fuzz_lists_base);
    return lp_fuzz_lists_read(path, "layer-pattern=3*average+1*full", &error);
}

static gboolean
read_framework(void)
{
    g_autofree char *setting = g_strconcat("framework=", path, NULL);
    const char *const settings[] = {setting, NULL};
    g_autoptr(LpWorkload) workload =
        lp_workload_draft_complete(lp_fuzz_draft(NULL), settings, &error);
    return workload != NULL;
}

static gboolean
read_tuning(void)
{
    g_autofree char *library = lp_tuning_file_read(path, &error);
    return library != NULL;
}

static gboolean
read_steps(void)
{
    LpAlgorithms algorithms;
    return lp_step_file_load(path, &algorithms, &error);
}

static gboolean
read_msccl(void)
{
    g_autoptr(LpStepList) list = lp_msccl_read(path, &error);
    return list != NULL;
}

static gboolean
read_machine(void)
{
    g_autoptr(LpMachine) machine = lp_machine_load(path, &error);
    return machine != NULL;
}

static gboolean
read_technologies(void)
{
    for (guint kind = 0; kind < LP_N_TECHNOLOGY_KINDS; kind++) {
        g_autoptr(GPtrArray) all =
            lp_technologies_parse("technologies", content, (LpTechnologyKind)kind, &error);
        if (all == NULL)
            return FALSE;
    }
    return TRUE;
}

static gboolean
read_accelerators(void)
{
    g_autoptr(GArray) accelerators = lp_catalogue_parse("accelerators", content, &error);
    return accelerators != NULL;
}

static gboolean
read_kernel_tables(void)
{
    LpAccelerator accelerator;
    if (!lp_catalogue_find("h100-sxm", &accelerator, &error))
        return FALSE;
    g_autoptr(LpMeasuredKernels) kernels =
        lp_kernel_tables_parse("kernels", text, &accelerator, &error);
    return error == NULL; /* a file may be without tables */
}

/* A table of measured kernels, and what is made of it. */
static gboolean
read_measured(void)
{
    LpAccelerator accelerator;
    if (!lp_catalogue_find("h100-sxm", &accelerator, &error))
        return FALSE;
    g_autoptr(LpTable) table = lp_table_parse("measured", text, strlen(text), &error);
    g_autofree char *xml =
        table != NULL ? lp_measured_csv_to_xml(table, &accelerator, FALSE, &error) : NULL;
    g_autoptr(LpMeasuredKernels) kernels =
        xml != NULL ? lp_kernel_tables_parse("measured", xml, &accelerator, &error) : NULL;
    return kernels != NULL;
}

static gboolean
read_libraries(void)
{
    LpLibrary library;
    return lp_library_parse("libraries", content, "single-ring", &library, &error);
}

static gboolean
read_reliability(void)
{
    g_autoptr(LpReliability) reliability = lp_reliability_load(path, &error);
    return reliability != NULL;
}

static gboolean
read_study(void)
{
    g_autoptr(LpStudy) study = lp_study_load(path, &error);
    return study != NULL;
}

static gboolean
read_store(void)
{
    g_autoptr(LpStudyStore) store = lp_study_store_read(path, &error);
    return store != NULL;
}

static gboolean
read_values(void)
{
    g_auto(GStrv) values = lp_study_values_parse(text, TRUE, &error);
    return values != NULL;
}

static gboolean
read_calibration(void)
{
    g_autofree LpConstants *constants = lp_calibration_file_load(path, &error);
    return constants != NULL;
}

static gboolean
read_routing(void)
{
    g_autoptr(LpRoutingTable) table = lp_routing_table_load(path, N_EXPERTS, &error);
    return table != NULL;
}

static gboolean
read_table(void)
{
    g_autoptr(LpTable) table = lp_table_parse("table", text, strlen(text), &error);
    return table != NULL;
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

/* Whether the table has columns of its own, which a child in Python restates: that takes a tenth of
 * a second, and reads no more than the table that is given here. */
static gboolean
is_restated(void)
{
    g_autoptr(LpTable) table = lp_table_parse("rows", text, strlen(text), NULL);
    return table != NULL && lp_table_kind(table) == LP_N_TABLE_KINDS &&
           (lp_table_has_columns(table, "iteration_s") ||
            lp_table_has_columns(table, "busbw_GBps") || lp_table_has_columns(table, "M N K"));
}

static gboolean
read_rows(void)
{
    if (is_restated()) {
        g_set_error(&error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "columns of its own");
        return FALSE;
    }
    g_autofree char *unknown = NULL;
    g_autoptr(LpTable) table = lp_measurements_load(path, &unknown, &error);
    const LpCaseKind *kind = table != NULL ? lp_case_kind(lp_table_kind(table)) : NULL;
    if (kind != NULL && lp_table_n_rows(table) > 0)
        read_row(kind, kind == &lp_training_case, lp_table_row(table, 0));
    return table != NULL;
}

static gboolean
read_huggingface(void)
{
    g_autoptr(LpImport) import = lp_huggingface_import(path, &error);
    return import != NULL;
}

static gboolean
read_traces(LpTrace *(*read)(const char *const *, guint, const char *, GError **),
            const char *second)
{
    const char *const ranks[] = {paths[RANK_0], second};
    g_autoptr(LpTrace) trace = read(ranks, G_N_ELEMENTS(ranks), NULL, &error);
    return trace != NULL;
}

static gboolean
read_chakra(void)
{
    return read_traces(lp_chakra_read, paths[RANK_1]);
}

static gboolean
read_chakra_index(void)
{
    g_autoptr(LpTrace) trace = lp_trace_new("trace", 8);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    g_autoptr(json_t) index = NULL;
    g_autoptr(LpTraceFiles) files = lp_chakra_index_load(path, &index, &error);
    return files != NULL && lp_chakra_index_groups(index, path, naming, &error);
}

static gboolean
read_groups(void)
{
    g_autoptr(LpTrace) trace = lp_trace_new("trace", 8);
    g_autoptr(LpTraceNaming) naming = lp_trace_naming_new(trace);
    return lp_trace_naming_load(naming, path, &error);
}

static LpTrace *
read_profiles(const char *const *files, guint n_files, const char *groups, GError **out_error)
{
    return lp_kineto_read(files, n_files, groups, NULL, out_error);
}

static gboolean
read_kineto(void)
{
    return read_traces(read_profiles, paths[RANK_1]);
}

static gboolean
read_ti(void)
{
    /* Its lines name their rank. */
    static const char idle[] = "1 init\n1 finalize\n";
    write_beside(IDLE_RANK, idle);
    return read_traces(lp_ti_read, paths[IDLE_RANK]);
}

static gboolean
read_setting(void)
{
    return lp_workload_check_setting(text, &error);
}

static gboolean
read_quantity(void)
{
    double value;
    gboolean is_any = FALSE;
    for (guint quantity = 0; quantity < LP_QUANTITY_PRICE + 1; quantity++) {
        g_clear_error(&error);
        if (!lp_quantity_parse((LpQuantity)quantity, text, &value, &error)) {
            if (error == NULL)
                return FALSE;
            continue;
        }
        is_any = TRUE;
        /* What was read is written, and read as the same. */
        double again;
        g_autofree char *written = lp_quantity_to_text((LpQuantity)quantity, value);
        if (!lp_quantity_parse((LpQuantity)quantity, written, &again, NULL) || again != value)
            g_error("\"%s\" was read as %.17g and written as \"%s\"", text, value, written);
    }
    if (is_any)
        g_clear_error(&error);
    return is_any;
}

static const struct {
    const char *name;
    gboolean (*read)(void);
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
    {"measured", read_measured},
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
    gboolean is_read = readers[reader].read();
    if (is_read != (error == NULL))
        g_error(is_read ? "an error beside a result" : "neither a result nor an error");
    if (!is_read && (*error->message == '\0' || strlen(error->message) > 4 * length + 65536))
        g_error("an error of %zu bytes for an input of %zu", strlen(error->message), length);
    if (!is_read && g_getenv("LIGHTPATH_SHOW") != NULL)
        g_printerr("%s\n", error->message);
    g_clear_error(&error);
    g_clear_pointer(&content, g_bytes_unref);
    g_clear_pointer(&text, g_free);
    return is_read;
}
