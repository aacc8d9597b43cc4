/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks stand: the words, files, and every way in which a file is wrong. */
#include "sim/mapping/placement.h"

#include "base/error.h"
#include "tests/support/generated.h"
#include "tests/support/small_workload.h"
#include "tests/support/spawn.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#define BODY                                                                                       \
    "embedding=no recompute=none layers=2 hidden=256 heads=4 ffn=1024 tp=1 pp=2 dp=2 "             \
    "global-batch=2"

/* Two domains of 8. */
static LpMachine *
load_machine(void)
{
    return lp_generated_machine_good("--system=dgx-a100 --accelerators=16");
}

/* The plan of BODY, or of @settings, with the placement @placement. */
static LpWorkload *
load(const char *settings, const char *placement)
{
    LpWorkload *workload = lp_small_workload_load(settings);
    if (workload != NULL) {
        g_free(workload->placement);
        workload->placement = g_strdup(placement);
    }
    return workload;
}

static void
check(const char *label, const LpWorkload *workload, const LpMachine *machine,
      const guint32 *wanted)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpPlacement) got = lp_placement_new(workload, machine, &error);
    lp_test_text(label, error != NULL ? error->message : NULL, NULL);
    lp_test_true(label, got != NULL);
    for (guint64 rank = 0; got != NULL && rank < lp_plan_n_ranks(&workload->plan); rank++)
        lp_test_true(label, lp_placement_accelerator(got, rank) == wanted[rank]);
}

static void
test_words(void)
{
    static const struct {
        const char *label, *settings;
        guint32 wanted[16];
    } rows[] = {
        {"one rank", BODY " pp=1 dp=1", {0}},
        {"four ranks", BODY, {0, 8, 1, 9}},
        {"three ranks", BODY " pp=1 dp=3 global-batch=3", {0, 8, 1}},
        {"all accelerators",
         BODY " dp=8 global-batch=8",
         {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}},
    };
    g_autoptr(LpMachine) machine = load_machine();
    for (guint i = 0; machine != NULL && i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpWorkload) scattered = load(rows[i].settings, "scattered");
        check(rows[i].label, scattered, machine, rows[i].wanted);
        g_autoptr(LpWorkload) packed = load(rows[i].settings, "packed");
        g_autoptr(GError) error = NULL;
        g_autoptr(LpPlacement) own = lp_placement_new(packed, machine, &error);
        lp_test_true(rows[i].label, own != NULL && own->accelerators == NULL && error == NULL);
        lp_test_true(rows[i].label, own != NULL && lp_placement_accelerator(own, 0) == 0);
    }
}

static void
test_files(void)
{
    static const struct {
        const char *label, *content;
        guint32 wanted[4];
    } rows[] = {
        {"plain", "3\n2\n1\n0\n", {3, 2, 1, 0}},
        {"no last line end", "3\n2\n1\n0", {3, 2, 1, 0}},
        {"comments and empty lines", "# ranks\n\n 15 # far\n\t0\n   \n#7\n8#9\n1\n", {15, 0, 8, 1}},
        {"lines of DOS", "4\r\n5\r\n\r\n6\r\n7\r\n", {4, 5, 6, 7}},
        {"more than ranks", "4\n5\n6\n7\n8\n9\n", {4, 5, 6, 7}},
        {"leading zeros", "04\n05\n006\n7\n", {4, 5, 6, 7}},
    };
    g_autoptr(LpMachine) machine = load_machine();
    for (guint i = 0; machine != NULL && i < G_N_ELEMENTS(rows); i++) {
        char *file = lp_temporary_with_suffix(".txt", rows[i].content, -1);
        g_autoptr(LpWorkload) workload = load(BODY, file);
        check(rows[i].label, workload, machine, rows[i].wanted);
        lp_temporary_remove(file);
    }
}

static const struct {
    const char *label;
    const char *content; /* NULL: the path is: */
    const char *path;
    const char *part; /* of the message, behind the path if there is content */
} faults[] = {
    {"no such file", NULL, "/nonexistent/ranks",
     "placement: got \"/nonexistent/ranks\", wanted packed, scattered, or a readable file"},
    {"no such word", NULL, "spread",
     "placement: got \"spread\", wanted packed, scattered, or a readable file"},
    {"a folder", NULL, "/", "placement: got \"/\", wanted"},
    {"without end", NULL, "/dev/zero", "placement: got \"/dev/zero\", wanted"},
    {"two lines", NULL, "two\nlines", "placement: got \"two lines\", wanted"},
    {"out of range", "0\n1\n16\n2\n", NULL,
     ":3: \"16\" is out of range, wanted a whole number from 0 to 15"},
    {"beyond 64 bits", "99999999999999999999\n", NULL,
     ":1: \"99999999999999999999\" is out of range"},
    {"twice", "0\n1\n\n1\n2\n", NULL,
     ":4: got an accelerator for the second time, wanted each accelerator at most once"},
    {"too few", "0\n1\n2\n", NULL, ": got 3 accelerators, wanted one for each of 4 ranks"},
    {"nothing", "", NULL, ": got 0 accelerators, wanted one for each of 4 ranks"},
    {"comments only", "#0\n#1\n", NULL, ": got 0 accelerators"},
    {"a word", "0\none\n", NULL, ":2: \"one\" is not a whole number from 0 to 15"},
    {"negative", "-1\n", NULL, ":1: \"-1\" is not a whole number"},
    {"a fraction", "0.5\n", NULL, ":1: \"0.5\" is not a whole number"},
    {"two in a line", "0 1\n2 3\n", NULL, ":1: \"0 1\" is not a whole number"},
    {"bytes that are no text", "\xff\xfe\n", NULL, ":1: "},
};

static void
check_on_the_binary(const char *label, const char *machine, const char *placement, const char *part)
{
    g_auto(GStrv) words = g_strsplit(BODY, " ", -1);
    g_autofree char *settings = g_strjoinv(" --set=", words);
    g_autofree char *line = g_strdup_printf("simulate gpt3-175b %s --set=%s --set=placement=%s",
                                            machine, settings, placement);
    lp_spawn_refused(label, line, 1, part);
}

static void
test_faults(void)
{
    char *path = lp_spawn_platform("--system=dgx-a100 --accelerators=16");
    g_autoptr(LpMachine) machine = load_machine();
    for (guint i = 0; machine != NULL && i < G_N_ELEMENTS(faults); i++) {
        gboolean written = faults[i].content != NULL;
        char *file = written ? lp_temporary_with_suffix(".txt", faults[i].content, -1)
                             : g_strdup(faults[i].path);
        g_autofree char *part = g_strconcat(written ? file : "", faults[i].part, NULL);
        g_autoptr(LpWorkload) workload = load(BODY, file);
        GError *error = NULL;
        lp_test_true(faults[i].label, lp_placement_new(workload, machine, &error) == NULL);
        lp_test_error(faults[i].label, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, part);
        check_on_the_binary(faults[i].label, path, file, part);
        if (written)
            lp_temporary_remove(file);
        else
            g_free(file);
    }
    lp_temporary_remove(path);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"words", test_words},
        {"files", test_files},
        {"faults", test_faults},
        {NULL, NULL},
    };
    return lp_test_run("placement", cases);
}
