/* SPDX-License-Identifier: Apache-2.0 */
/* The command: what it prints, what it keeps, and how it fails. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"
#include "tests/support/temporary.h"

#include <glib/gstdio.h>

#include <string.h>

#define HEADER                                                                                     \
    "id,source,kind,model,layers,hidden,heads,vocab,seq,attention,accelerator,accelerators,"       \
    "accelerators_per_domain,scale_up_GBps,scale_out_Gbps,nics_per_domain,tp,pp,dp,micro_batch,"   \
    "global_batch,recompute,precision,iteration_s\n"
#define SHAPE ",training,m,4,1024,16,51200,512,unfused,"
#define MACHINE ",8,300,200,8,"

static char *
write_rows(const char *rows)
{
    g_autofree char *text = g_strconcat(HEADER, rows, NULL);
    return lp_temporary_file(text, -1);
}

static LpSpawned
validate(const char *path, const char *options)
{
    g_autofree char *line = g_strconcat("validate --cases=", path, NULL);
    return lp_spawn(line, options);
}

/* The member @key of row @index, as text. */
static const char *
row_text(json_t *result, guint index, const char *key)
{
    json_t *rows = json_object_get(result, "rows");
    return json_string_value(json_object_get(json_array_get(rows, index), key));
}

static json_t *
row_at(json_t *result, guint index)
{
    json_t *rows = json_object_get(result, "rows");
    return json_array_get(rows, index);
}

/* One row of each fate. */
#define FATES                                                                                      \
    "good,one" SHAPE "a100-80,8" MACHINE "2,1,4,1,8,full,fp16,0.05\n"                              \
    "other,two" SHAPE "a100-80,16" MACHINE "2,2,4,1,8,full,fp16,0.1\n"                             \
    "wrong,one" SHAPE "a100-80,8" MACHINE "0,1,4,1,8,full,fp16,1\n"                                \
    "unknown,one" SHAPE "abacus,8" MACHINE "2,1,4,1,8,full,fp16,1\n"                               \
    "huge,two" SHAPE "a100-80,8" MACHINE "2,1,4,1,99999999999999,full,fp16,1\n"                    \
    "unmeasured,two" SHAPE "a100-80,8" MACHINE "2,1,4,1,8,full,fp16,nan\n"                         \
    "negative,two" SHAPE "a100-80,8" MACHINE "2,1,4,1,8,full,fp16,-3\n"                            \
    "full,two,training,m,96,12288,96,51200,2048,unfused,a100-80,8" MACHINE                         \
    "1,1,8,1,8,full,fp16,60\n"                                                                     \
    "elsewhere,two,training,Mamba 2,4,1024,16,51200,512,unfused,a100-80,8" MACHINE                 \
    "1,1,8,1,8,full,fp16,1\n"

static void
test_fates(void)
{
    static const struct {
        const char *id, *status, *reason;
    } wanted[] = {{"good", "ok", ""},
                  {"other", "ok", ""},
                  {"wrong", "failed", ":4: column tp: \"0\""},
                  {"unknown", "failed", ":5: column accelerator: "},
                  {"huge", "failed", ":6: column global_batch: \"99999999999999\""},
                  {"unmeasured", "failed", ":7: column iteration_s: got \"nan\""},
                  {"negative", "failed", ":8: column iteration_s: got \"-3\""},
                  {"full", "refused-memory", ":9: memory: got a plan of"},
                  {"elsewhere", "out-of-scope", "state-space"}};
    char *path = write_rows(FATES);
    LpSpawned run = validate(path, "--format=json --jobs=3");
    lp_test_true("done", run.status == 0);
    lp_test_text("silent", run.complaint, "");
    g_autoptr(json_t) result = json_loads(run.output, JSON_REJECT_DUPLICATES, NULL);
    lp_test_true("JSON", result != NULL);
    for (guint i = 0; result != NULL && i < G_N_ELEMENTS(wanted); i++) {
        lp_test_text(wanted[i].id, row_text(result, i, "id"), wanted[i].id);
        lp_test_text(wanted[i].id, row_text(result, i, "status"), wanted[i].status);
        lp_test_true(row_text(result, i, "reason"),
                     strstr(row_text(result, i, "reason"), wanted[i].reason) != NULL);
        double error = json_number_value(json_object_get(row_at(result, i), "error"));
        lp_test_true(wanted[i].id, strcmp(wanted[i].status, "ok") == 0 || error == 1.0);
    }
    lp_test_true("rows", lp_test_json_number(result, "all.rows") == 9.0);
    lp_test_true("failed", lp_test_json_number(result, "all.failed") == 7.0);
    lp_test_true("out of scope", lp_test_json_number(result, "all.out_of_scope") == 1.0);
    lp_test_true("models", lp_test_json_number(result, "all.models.consistent.rows") == 9.0);
    lp_test_close("worst", lp_test_json_number(result, "all.median_absolute_error"), 1.0, 1e-12);
    lp_test_true("refused, and predicted for information",
                 json_number_value(json_object_get(row_at(result, 7), "simulated_s")) > 0.0);
    lp_test_true("no prediction", json_is_null(json_object_get(row_at(result, 2), "predicted_s")));
    lp_spawned_clear(&run);
    lp_temporary_remove(path);
}

static void
test_models(void)
{
    static const char *const models[] = {"simulated", "consistent", "amped"};
    char *path = write_rows(FATES);
    for (guint i = 0; i < G_N_ELEMENTS(models); i++) {
        g_autofree char *options = g_strconcat("--format=json --model=", models[i], NULL);
        LpSpawned run = validate(path, options);
        g_autoptr(json_t) result = json_loads(run.output, JSON_REJECT_DUPLICATES, NULL);
        g_autofree char *key = g_strconcat(models[i], "_s", NULL);
        g_autofree char *all = g_strconcat("all.models.", models[i], ".mean_absolute_error", NULL);
        lp_test_true(models[i],
                     json_number_value(json_object_get(row_at(result, 0), "predicted_s")) ==
                         json_number_value(json_object_get(row_at(result, 0), key)));
        lp_test_close(models[i], lp_test_json_number(result, "all.mean_absolute_error"),
                      lp_test_json_number(result, all), 1e-12);
        lp_spawned_clear(&run);
    }
    lp_temporary_remove(path);
}

/* The simulation of a row is that of "simulate" with the same plan on the same machine. */
static void
test_as_simulate(void)
{
    char *path = write_rows(FATES);
    g_autofree char *platform = lp_spawn_platform(
        "--system=generic --accelerators=16 --accelerator=a100-80 --domain-size=8 "
        "--domain-bandwidth=300GBps --scale-out-bandwidth=200Gbps --nics-per-domain=8 "
        "--port-order=rail");
    LpSpawned run = validate(path, "--format=json");
    g_autoptr(json_t) result = json_loads(run.output, JSON_REJECT_DUPLICATES, NULL);
    g_autofree char *command = g_strconcat("simulate gpt3-125m ", platform, NULL);
    g_autoptr(json_t) simulated = lp_spawn_json(
        command, "--format=json --set layers=4 --set hidden=1024 --set heads=16 --set ffn=4096 "
                 "--set vocab=51200 --set seq=512 --set tied-embeddings=no --set tp=2 --set pp=2 "
                 "--set dp=4 --set micro-batch=1 --set global-batch=8 --set recompute=full "
                 "--set precision=fp16 --set gradient-precision=fp16 --set scatter-gather=no "
                 "--set library=auto --set attention=unfused --set zero=0 --set overlap-dp=no "
                 "--set framework=none");
    lp_test_close("the same", json_number_value(json_object_get(row_at(result, 1), "simulated_s")),
                  lp_test_json_number(simulated, "simulated.iteration_time_s"), 1e-9);
    lp_spawned_clear(&run);
    (void)g_unlink(platform);
    lp_temporary_remove(path);
}

static guint
count_files(const char *folder)
{
    guint n = 0;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    while (dir != NULL && g_dir_read_name(dir) != NULL)
        n++;
    return n;
}

static void
remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        (void)g_unlink(path);
    }
    (void)g_rmdir(folder);
}

/* Kept rows are the same to the byte; a damaged file is a row to be run. */
static void
test_resume(void)
{
    char *path = write_rows(FATES);
    g_autofree char *folder = g_dir_make_tmp("lightpath-test-XXXXXX", NULL);
    g_autofree char *options = g_strconcat("--format=json --resume=", folder, NULL);
    LpSpawned plain = validate(path, "--format=json --jobs=1");
    LpSpawned first = validate(path, options);
    /* Of nine rows, two say nothing measured: these are never run. */
    lp_test_true("kept", count_files(folder) == 7);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    g_autofree char *damaged = g_build_filename(folder, g_dir_read_name(dir), NULL);
    lp_test_true("damage", g_file_set_contents(damaged, "(0, 1.0, noth", -1, NULL));
    LpSpawned second = validate(path, options);
    lp_test_text("first run", first.output, plain.output);
    lp_test_text("from what was kept", second.output, plain.output);
    lp_test_true("no more files", count_files(folder) == 7);
    lp_spawned_clear(&plain);
    lp_spawned_clear(&first);
    lp_spawned_clear(&second);
    remove_folder(folder);
    lp_temporary_remove(path);
}

static void
test_text(void)
{
    char *path = write_rows(FATES);
    LpSpawned run = validate(path, NULL);
    static const char *const parts[] = {"median",      "\none ",         "\ntwo ",
                                        "\nall ",      "\nconsistent ",  "Worst rows",
                                        "error 100 %", "refused-memory", "compute "};
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        lp_test_true(parts[i], strstr(run.output, parts[i]) != NULL);
    lp_spawned_clear(&run);
    lp_temporary_remove(path);
}

/* A column that nothing reads changes nothing, and is named once, however many rows there are. */
static void
test_unknown_column(void)
{
    char *known = write_rows(FATES);
    char *path = lp_temporary_file("id,kindd,source,gpu,M,N,K,dtype,tflops\n"
                                   "a,x,s,a100-80,8192,8192,8192,bf16,250\n"
                                   "b,x,s,a100-80,4096,4096,4096,bf16,240\n",
                                   -1);
    LpSpawned run = validate(path, "--format=json");
    lp_test_true("done", run.status == 0);
    lp_test_contains("named", run.complaint, "got the unknown column \"kindd\"");
    lp_test_true("once", strchr(run.complaint, '\n')[1] == '\0');
    lp_spawned_clear(&run);
    run = validate(path, "--write-inputs=/dev/null/in");
    lp_test_contains("an error stays alone", run.complaint, "got rows of gemm, wanted training");
    lp_test_true("one line", strchr(run.complaint, '\n')[1] == '\0');
    lp_spawned_clear(&run);
    char *misspelt = lp_temporary_file("id,accelerater,seq,iteration_s\na,a100-80,8,1\n", -1);
    run = validate(misspelt, "--format=json");
    lp_test_contains("all rows failed", run.complaint,
                     "wanted one that can be predicted; got the unknown column \"accelerater\" "
                     "(the nearest known is accelerator)");
    lp_test_true("in one line", run.status == 1 && strchr(run.complaint, '\n')[1] == '\0');
    lp_spawned_clear(&run);
    lp_temporary_remove(misspelt);
    run = validate(known, "--format=json --model=consistent");
    lp_test_text("known columns", run.complaint, "");
    lp_spawned_clear(&run);
    lp_temporary_remove(path);
    lp_temporary_remove(known);
}

static void
check_fault(const char *line, int status, const char *part)
{
    LpSpawned run = lp_spawn(line, NULL);
    lp_test_true(line, run.status == status);
    lp_test_text(line, run.output, "");
    const char *end = strchr(run.complaint, '\n');
    g_autofree char *label = g_strconcat(line, ": ", run.complaint, NULL);
    lp_test_true(label, end != NULL && end[1] == '\0' && strstr(run.complaint, part) != NULL);
    lp_spawned_clear(&run);
}

static void
test_faults(void)
{
    static const struct {
        const char *text; /* of the file; NULL: no file */
        const char *line; /* with %s for its path */
        int status;
        const char *part;
    } rows[] = {
        {NULL, "validate --cases=/nowhere.csv", 1, "/nowhere.csv: No such file"},
        {NULL, "validate --cases=/", 1, "/: Is a directory"},
        {"", "validate --cases=%s", 1, "got nothing, wanted a header"},
        {"a,b\n1,2\n", "validate --cases=%s", 1, "got the header \"a,b\""},
        {HEADER, "validate --cases=%s", 1, "got a header alone"},
        {HEADER "a,b\n", "validate --cases=%s", 1, ":2: got 2 fields, wanted the 24"},
        {HEADER "\"a", "validate --cases=%s", 1, ":2: got a quote that is never closed"},
        {NULL, "validate --model=best", 2, "--model: "},
        {NULL, "validate --format=xml", 2, "--format: "},
        {NULL, "validate --jobs=0", 2, "--jobs: "},
        {NULL, "validate --jobs=1e3", 2, "--jobs: "},
        {NULL, "validate --jobs=1025", 2, "--jobs: "},
        {NULL, "validate one two", 2, "validate: got 2 arguments, wanted 0 to 1"},
        {NULL, "validate one.csv --cases=two.csv", 2, "--cases=two.csv: got \"one.csv\" too"},
        {NULL, "validate --resume=/dev/null/x", 1, "/dev/null/x: "},
        {NULL, "validate --resume=/proc", 1, "/proc: No such file"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *path = rows[i].text != NULL ? lp_temporary_file(rows[i].text, -1) : NULL;
        g_auto(GStrv) around = g_strsplit(rows[i].line, "%s", 2);
        g_autofree char *line = g_strjoinv(path != NULL ? path : "", around);
        check_fault(line, rows[i].status, rows[i].part);
        if (path != NULL)
            lp_temporary_remove(path);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"fates", test_fates},
                                       {"models", test_models},
                                       {"as simulate", test_as_simulate},
                                       {"resume", test_resume},
                                       {"text", test_text},
                                       {"unknown column", test_unknown_column},
                                       {"faults", test_faults},
                                       {NULL, NULL}};
    return lp_test_run("validate", cases);
}
