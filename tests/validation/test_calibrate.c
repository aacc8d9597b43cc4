/* SPDX-License-Identifier: Apache-2.0 */
/* Fits of constants: those that rows were made with are found again, and every fault is one line.
 */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include "base/error.h"
#include "validation/calibration/calibration_file.h"
#include "validation/cases/runner.h"

#include <glib/gstdio.h>
#include "base/json.h"

#include <math.h>
#include <string.h>

#define HEADER                                                                                     \
    "id,source,kind,layers,hidden,ffn,ffn_kind,heads,vocab,tied,seq,attention,accelerator,"        \
    "accelerators,accelerators_per_domain,scale_up_GBps,scale_out_Gbps,tp,pp,dp,micro_batch,"      \
    "global_batch,recompute,zero,sequence_parallel,precision,overlap,iteration_s\n"

/* Shapes that tell products, other kernels and the host apart; two sources. */
static const char *const shapes[] = {
    "a,first,training,4,4096,16384,gelu,32,51200,yes,2048,flash,a100-80,1,8,300,,1,1,1,1,4,none,0,"
    "no,bf16,none",
    "b,first,training,4,8192,32768,gelu,64,51200,yes,2048,flash,a100-80,1,8,300,,1,1,1,1,4,none,0,"
    "no,bf16,none",
    "c,first,training,12,512,2048,gelu,8,51200,yes,512,flash,a100-80,1,8,300,,1,1,1,1,16,none,0,"
    "no,bf16,none",
    "d,first,training,4,2048,8192,gelu,16,51200,yes,4096,flash,a100-80,1,8,300,,1,1,1,1,4,none,0,"
    "no,bf16,none",
    "e,second,training,4,4096,16384,gelu,32,51200,yes,2048,flash,a100-80,2,8,300,,2,1,1,2,8,none,"
    "0,no,bf16,none",
    "f,second,training,12,1024,4096,gelu,16,51200,yes,512,flash,a100-80,1,8,300,,1,1,1,1,16,none,"
    "0,no,bf16,none",
    "g,second,training,4,6144,24576,gelu,48,51200,yes,1024,flash,a100-80,2,8,300,,1,1,2,1,8,none,"
    "0,no,bf16,none",
    "h,third,training,4,3072,12288,gelu,24,51200,yes,2048,flash,a100-80,1,8,300,,1,1,1,2,8,none,0,"
    "no,bf16,none",
};

/* Bound by collectives over domains of one accelerator, large ones and small ones. */
static const char *const wide_shapes[] = {
    "a,first,training,4,1024,4096,gelu,8,51200,yes,2048,flash,a100-80,4,1,300,100,4,1,1,8,16,none,"
    "0,no,bf16,none",
    "b,first,training,4,2048,8192,gelu,8,51200,yes,2048,flash,a100-80,4,1,300,100,4,1,1,8,16,none,"
    "0,no,bf16,none",
    "c,second,training,8,1024,4096,gelu,8,51200,yes,2048,flash,a100-80,4,1,300,200,4,1,1,8,16,"
    "none,0,no,bf16,none",
    "d,second,training,4,4096,16384,gelu,8,51200,yes,2048,flash,a100-80,4,1,300,200,4,1,1,4,8,none,"
    "0,no,bf16,none",
};

/* A new file of @text. Returns: (transfer full) its path. */
static char *
write_file(const char *pattern, const char *text)
{
    char *path = NULL;
    int file = g_file_open_tmp(pattern, &path, NULL);
    lp_test_true("temporary file", file >= 0 && g_close(file, NULL));
    lp_test_true(path, g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* Rows with these times, or a second each if there are none. */
static char *
write_rows(const char *const *rows, guint n, const GPtrArray *outcomes)
{
    g_autoptr(GString) text = g_string_new(HEADER);
    for (guint i = 0; i < n; i++) {
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        const LpOutcome *outcome = outcomes != NULL ? outcomes->pdata[i] : NULL;
        double time_s = outcome != NULL ? outcome->predicted[LP_PREDICTION_SIMULATED] : 1.0;
        if (outcome != NULL)
            lp_test_text(outcome->id, outcome->reason, NULL);
        g_string_append_printf(text, "%s,%s\n", rows[i],
                               g_ascii_dtostr(digits, sizeof digits, time_s));
    }
    return write_file("lightpath-test-XXXXXX.csv", text->str);
}

/* The rows as the model times them under @truth. Returns: (transfer full) a path. */
static char *
make_rows(const char *const *rows, guint n, const LpConstants *truth)
{
    g_autofree char *blank = write_rows(rows, n, NULL);
    g_autoptr(LpTable) table = lp_measurements_load(blank, NULL, NULL);
    LpRunnerOptions options = {.n_jobs = 2, .constants = truth};
    g_autoptr(GPtrArray) outcomes = lp_runner_run(table, &options, NULL);
    (void)g_unlink(blank);
    return write_rows(rows, n, outcomes);
}

typedef struct {
    const char *owner, *name, *value;
    double wanted;
} Truth;

static LpConstants *
hold(const Truth *truths)
{
    LpConstants *held = lp_constants_new();
    for (guint i = 0; truths[i].name != NULL; i++) {
        GError *error = NULL;
        lp_test_true(truths[i].name, lp_constants_fix(held, truths[i].owner, truths[i].name,
                                                      truths[i].value, &error));
        g_clear_error(&error);
    }
    return held;
}

static LpFit *
run_fit(const char *path, const char *constants_text, const char *const *rows, guint every)
{
    GError *error = NULL;
    g_autoptr(LpTable) table = lp_measurements_load(path, NULL, &error);
    g_autoptr(LpConstants) constants = lp_constants_new();
    lp_test_true(constants_text, lp_constants_add(constants, constants_text, &error));
    LpFitOptions options = {.constants = constants,
                            .rows = rows,
                            .every = every,
                            .others_every = 1,
                            .n_rounds = 4,
                            .run = {.n_jobs = 2}};
    LpFit *fit = lp_fit_run(table, &options, &error);
    lp_test_text(constants_text, error != NULL ? error->message : NULL, NULL);
    g_clear_error(&error);
    return fit;
}

static void
check_found(const LpFit *fit, const Truth *truths, double tolerance)
{
    for (guint i = 0; truths[i].name != NULL; i++) {
        const LpFitVariable *variable = &g_array_index(fit->variables, LpFitVariable, i);
        lp_test_close(truths[i].name, variable->value, truths[i].wanted, tolerance);
        lp_test_true(truths[i].name, fabs(variable->start / truths[i].wanted - 1.0) > 0.1);
        lp_test_true(truths[i].name,
                     variable->low <= variable->value && variable->value <= variable->high);
    }
}

/* The pull towards the start, of at most half a thousandth, keeps the fit from being exact. */
static void
test_identity(void)
{
    static const Truth truths[] = {{"a100-80", "gemm-efficiency", "0.7", 0.7},
                                   {"a100-80", "elementwise-efficiency", "0.4", 0.4},
                                   {"a100-80", "host-kernel", "80us", 80e-6},
                                   {NULL, NULL, NULL, 0.0}};
    static const char *const sources[] = {"first", "second", NULL};
    g_autoptr(LpConstants) truth = hold(truths);
    g_autofree char *path = make_rows(shapes, G_N_ELEMENTS(shapes), truth);
    g_autoptr(LpFit) fit =
        run_fit(path, "a100-80:gemm-efficiency,elementwise-efficiency,host-kernel", sources, 1);
    (void)g_unlink(path);
    if (fit == NULL)
        return;
    check_found(fit, truths, 0.02);
    lp_test_true("rows", fit->rows->len == 7 && fit->other_rows->len == 1 && fit->n_failed == 0);
    for (guint i = 0; i < fit->sources->len; i++) {
        const LpFitSource *source = &g_array_index(fit->sources, LpFitSource, i);
        lp_test_true(source->source, source->before.mean_absolute_error > 0.05);
        lp_test_true(source->source, source->after.worst_absolute_error < 0.01);
        lp_test_true(source->source, source->is_crossed);
        lp_test_true(source->source, source->crossed.worst_absolute_error < 0.05);
    }
    LpScore others = lp_score(fit->other_after, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("left out", others.n_rows == 1 && others.worst_absolute_error < 0.01);
}

/* What only the simulation knows is found by its slopes. */
static void
test_libraries(void)
{
    static const Truth truths[] = {{"nccl-ampere/fabric-simple", "fabric-share", "0.6", 0.6},
                                   {NULL, NULL, NULL, 0.0}};
    g_autoptr(LpConstants) truth = hold(truths);
    g_autofree char *path = make_rows(wide_shapes, G_N_ELEMENTS(wide_shapes), truth);
    g_autoptr(LpFit) fit = run_fit(path, "nccl-ampere/fabric-simple:fabric-share", NULL, 1);
    (void)g_unlink(path);
    if (fit == NULL)
        return;
    check_found(fit, truths, 0.03);
    LpScore after = lp_score(fit->after, NULL, LP_PREDICTION_SIMULATED);
    lp_test_true("error", after.worst_absolute_error < 0.01);
}

/* Each source is thinned by itself, from its first row. */
static void
test_thinning(void)
{
    g_autofree char *path = write_rows(shapes, G_N_ELEMENTS(shapes), NULL);
    g_autoptr(LpFit) fit = run_fit(path, "a100-80:launch", NULL, 3);
    (void)g_unlink(path);
    if (fit == NULL)
        return;
    static const char *const wanted[] = {"a", "d", "e", "h"};
    lp_test_true("rows", fit->after->len == G_N_ELEMENTS(wanted) && fit->other_rows->len == 4);
    for (guint i = 0; i < MIN(fit->after->len, G_N_ELEMENTS(wanted)); i++)
        lp_test_text("row", ((const LpOutcome *)fit->after->pdata[i])->id, wanted[i]);
}

/* Rows of a name, and with `is_dense` those of models with experts, are neither fitted nor tested;
 * a row of no machine at hand is none that they count. */
static void
test_left_out(void)
{
    static const char *const ends[] = {"one,first,a100-80,,", "two,first,a100-80,4,top-k=1",
                                       "three,second,a100-80,,", "four,third,a100-80,,",
                                       "five,third,h100-sxm,,"};
    static const struct {
        const char *without[3];
        gboolean is_dense;
        guint n_fitted, n_unused;
    } rows[] = {{{NULL}, FALSE, 4, 0},
                {{NULL}, TRUE, 3, 1},
                {{"thi", NULL}, FALSE, 3, 1},
                {{"sec", "one", NULL}, TRUE, 1, 3}};
    g_autoptr(GString) text = g_string_new(
        "layers,hidden,ffn,ffn_kind,heads,vocab,tied,seq,attention,kind,accelerators,"
        "accelerators_per_domain,micro_batch,global_batch,precision,iteration_s,id,source,"
        "accelerator,experts,set\n");
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
        g_string_append_printf(
            text, "2,1024,4096,gelu,8,51200,yes,512,flash,training,1,8,1,1,bf16,1,%s\n", ends[i]);
    g_autofree char *path = write_file("lightpath-test-XXXXXX.csv", text->str);
    g_autoptr(LpTable) table = lp_measurements_load(path, NULL, NULL);
    g_autoptr(LpConstants) constants = lp_constants_new();
    lp_test_true("constants", lp_constants_add(constants, "a100-80:launch", NULL));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        LpFitOptions options = {.constants = constants,
                                .without = rows[i].without,
                                .is_dense = rows[i].is_dense,
                                .every = 1,
                                .others_every = 1,
                                .n_rounds = 1,
                                .run = {.n_jobs = 2}};
        g_autoptr(LpFit) fit = lp_fit_run(table, &options, &error);
        lp_test_text("fit", error != NULL ? error->message : NULL, NULL);
        lp_test_true("fitted", fit != NULL && fit->rows->len == rows[i].n_fitted);
        lp_test_true("unused", fit != NULL && fit->n_unused == rows[i].n_unused);
    }
    (void)g_unlink(path);
}

/* One value for two owners; of a name that stands twice the fitted one counts. */
static void
test_shared(void)
{
    GError *error = NULL;
    g_autoptr(LpConstants) self = lp_constants_new();
    lp_test_true("hold", lp_constants_fix(self, "a100-80", "launch", "7us", &error));
    lp_test_true("add", lp_constants_add(self, "a100-80+a100-40:launch,memory-efficiency", &error));
    lp_test_true("variables", self->n_variables == 2 && lp_constants_n(self) == 5);
    LpAccelerator accelerator = {.name = "a100-40", .launch_s = 1e-6};
    lp_constants_to_accelerator(self, &accelerator);
    lp_test_close("of the first owner", accelerator.launch_s, 7e-6, 1e-12);
    lp_test_close("round", lp_constant_round(lp_constants_at(self, 0)->kind, 1.234567e-6), 1.235e-6,
                  1e-12);
    g_clear_error(&error);
}

static void
test_add_errors(void)
{
    static const struct {
        const char *text;
        LpInputError code;
        const char *part;
    } rows[] = {
        {"launch", LP_INPUT_ERROR_SYNTAX, "wanted OWNER:NAME"},
        {":launch", LP_INPUT_ERROR_SYNTAX, "wanted OWNER:NAME"},
        {"a100-80:", LP_INPUT_ERROR_SYNTAX, "wanted OWNER:NAME"},
        {"a100-80:lunch", LP_INPUT_ERROR_NAME, "launch"},
        {"a100-81:launch", LP_INPUT_ERROR_NAME, "a100-80"},
        {"nccl-efs/fabric-simple:fabric-hop", LP_INPUT_ERROR_NAME, "nccl-efa"},
        {"nccl-ampere/fabric-simpel:fabric-hop", LP_INPUT_ERROR_NAME, "fabric-simple"},
        {"nccl-ampere:fabric-hop", LP_INPUT_ERROR_NAME, "LIBRARY/PROTOCOL"},
        {"a100-80/ll:launch", LP_INPUT_ERROR_NAME, "alone"},
        {"a100-80:launch,launch", LP_INPUT_ERROR_VALUE, "twice"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        g_autoptr(LpConstants) self = lp_constants_new();
        lp_test_true(rows[i].text, !lp_constants_add(self, rows[i].text, &error));
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, (int)rows[i].code, rows[i].part);
    }
}

#define CONSTANT(attributes)                                                                       \
    "<calibration>\n<constant " attributes " fitted-on=\"x\"/></calibration>"

static void
test_file_errors(void)
{
    static const struct {
        const char *label, *text;
        LpInputError code;
        const char *part;
    } rows[] = {
        {"no XML", "value", LP_INPUT_ERROR_SYNTAX, ""},
        {"empty", "<calibration/>", LP_INPUT_ERROR_SYNTAX, "constant"},
        {"no source",
         "<calibration><constant owner=\"a100-80\" name=\"launch\" value=\"1us\"/>"
         "</calibration>",
         LP_INPUT_ERROR_SYNTAX, "fitted-on"},
        {"owner", CONSTANT("owner=\"A 100\" name=\"launch\" value=\"1us\""), LP_INPUT_ERROR_SYNTAX,
         "owner"},
        {"name", CONSTANT("owner=\"a100-80\" name=\"lunch\" value=\"1us\""), LP_INPUT_ERROR_NAME,
         "launch"},
        {"unit", CONSTANT("owner=\"a100-80\" name=\"launch\" value=\"1\""), LP_INPUT_ERROR_SYNTAX,
         ":2: "},
        {"bounds", CONSTANT("owner=\"a100-80\" name=\"launch\" value=\"1ms\""),
         LP_INPUT_ERROR_VALUE, ":2: "},
        {"not a number", CONSTANT("owner=\"a100-80\" name=\"gemm-efficiency\" value=\"nan\""),
         LP_INPUT_ERROR_SYNTAX, ":2: "},
        {"share", CONSTANT("owner=\"nccl-ampere/ll\" name=\"fabric-share\" value=\"1.5\""),
         LP_INPUT_ERROR_VALUE, ":2: "},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        g_autofree char *path = write_file("lightpath-test-XXXXXX.xml", rows[i].text);
        g_autoptr(LpConstants) self = lp_calibration_file_load(path, &error);
        lp_test_true(rows[i].label, self == NULL);
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, (int)rows[i].code, rows[i].part);
        (void)g_unlink(path);
    }
}

/* --- the command --- */

static void
expect_complaint(const char *line, int status, const char *part)
{
    LpSpawned run = lp_spawn(line, NULL);
    lp_test_true(line, run.status == status);
    lp_test_text(line, run.output, "");
    const char *end = run.complaint != NULL ? strchr(run.complaint, '\n') : NULL;
    g_autofree char *shown = g_strconcat(line, ": ", run.complaint, NULL);
    lp_test_true(shown, end != NULL && end[1] == '\0' && strstr(run.complaint, part) != NULL);
    lp_spawned_clear(&run);
}

static void
test_complaints(void)
{
    g_autofree char *path = write_rows(shapes, 1, NULL);
    const struct {
        const char *rest;
        int status;
        const char *part;
    } rows[] = {
        {"--fit=a100-80:lunch", 2, "launch"},
        {"--fit=a100-80", 2, "OWNER:NAME"},
        {"", 2, "--fit"},
        {"--fit=a100-80:launch --every=0", 2, "--every"},
        {"--fit=a100-80:launch --rounds=x", 2, "--rounds"},
        {"--fit=a100-80:launch --start=/nonexistent.xml", 1, "/nonexistent.xml"},
        {"--fit=a100-80:launch --rows=nobody", 1, "no chosen row"},
        {"--fit=h100-sxm:launch", 1, "h100-sxm"},
        {"--fit=a100-80:launch -o /nonexistent/c.xml", 1, "/nonexistent/c.xml"},
        {"--fit=a100-80:launch --cases=validation/gemm.csv", 2, "--cases: given twice"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line = g_strdup_printf("calibrate --cases=%s %s", path, rows[i].rest);
        expect_complaint(line, rows[i].status, rows[i].part);
    }
    expect_complaint("calibrate --fit=a100-80:launch", 2, "--cases");
    expect_complaint("calibrate --fit=a100-80:launch --cases=validation/gemm.csv", 1,
                     "wanted rows of training");
    (void)g_unlink(path);
}

static double
simulated_s(const char *cases, const char *rest)
{
    g_autofree char *line = g_strconcat("validate --format=json --cases=", cases, NULL);
    g_autoptr(json_t) result = lp_spawn_json(line, rest);
    if (result == NULL)
        return 0.0;
    json_t *rows = json_object_get(result, "rows");
    return json_number_value(json_object_get(json_array_get(rows, 0), "simulated_s"));
}

/* Two fits write the same bytes, validate takes the file and meets the row, and a fit that starts
 * from it stays there. */
static void
test_command(void)
{
    g_autofree char *path = write_rows(shapes, 1, NULL);
    double start_s = simulated_s(path, NULL);
    (void)g_unlink(path);
    g_autoptr(GString) text = g_string_new(HEADER);
    g_string_append_printf(text, "%s,%.6f\n", shapes[0], 1.1 * start_s);
    g_autofree char *cases = write_file("lightpath-test-XXXXXX.csv", text->str);
    g_autofree char *xml = write_file("lightpath-test-XXXXXX.xml", "");
    g_autofree char *line =
        g_strdup_printf("calibrate --cases=%s --fit=a100-80:gemm-efficiency -o", cases);
    LpSpawned written = lp_spawn(line, xml), printed = lp_spawn(line, "-");
    g_autofree char *content = NULL;
    lp_test_true("status", written.status == 0 && printed.status == 0);
    lp_test_true("file", g_file_get_contents(xml, &content, NULL, NULL));
    lp_test_text("the same bytes", content, printed.output);
    lp_test_true("table", strstr(written.output, "a100-80:gemm-efficiency") != NULL);
    lp_test_true("one source", strstr(written.output, "One source only") != NULL);
    g_autofree char *calibration = g_strconcat("--calibration=", xml, NULL);
    lp_test_close("met", simulated_s(cases, calibration), 1.1 * start_s, 0.002);
    g_autofree char *again = g_strdup_printf(
        "calibrate --format=json --cases=%s --fit=a100-80:gemm-efficiency --start=%s", cases, xml);
    g_autoptr(json_t) result = lp_spawn_json(again, NULL);
    if (result != NULL) {
        json_t *fitted = json_object_get(result, "constants");
        json_t *constant = json_array_get(fitted, 0);
        double start = json_number_value(json_object_get(constant, "start"));
        lp_test_true("started there", start < 0.8);
        lp_test_close("stays", json_number_value(json_object_get(constant, "value")), start, 0.005);
    }
    lp_spawned_clear(&written);
    lp_spawned_clear(&printed);
    (void)g_unlink(cases);
    (void)g_unlink(xml);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"constants are found again", test_identity},
                                       {"those of a library too", test_libraries},
                                       {"thinning", test_thinning},
                                       {"left out", test_left_out},
                                       {"shared constants", test_shared},
                                       {"errors of names", test_add_errors},
                                       {"errors of files", test_file_errors},
                                       {"complaints", test_complaints},
                                       {"the command", test_command},
                                       {NULL, NULL}};
    return lp_test_run("calibrate", cases);
}
