/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times/kernel_sizes.h"
#include "model/memory/memory_layer.h"
#include "tests/model/shapes.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include "base/error.h"

#define LIST(rest) "<kernels name=\"own\" like=\"standard\">" rest "</kernels>"

/* Kernels of the standard lists under a file of @text, of @block in @pass. */
static guint
list(const char *text, LpBlock block, LpPass pass, LpKernel *kernels)
{
    LpTransformer gpt = lp_test_gpt(2, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    char *path = lp_temporary_with_suffix(".xml", text, -1);
    g_autoptr(GError) error = NULL;
    plan.lists = lp_kernel_variants_load(0, NULL, path, lp_kernel_vocabulary(), &error);
    lp_test_text(text, error != NULL ? error->message : "", "");
    guint n = plan.lists != NULL ? lp_block_kernels(&gpt, &plan, 0, block, pass, kernels) : 0;
    lp_temporary_remove(path);
    return n;
}

/* "norm up bias-gelu": the names of @n kernels. Returns: (transfer full). */
static char *
names(const LpKernel *kernels, guint n)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", kernels[i].name);
    return g_string_free(text, FALSE);
}

/* Lists that start from the standard ones replace, insert, remove and change kernels. */
static void
test_changes(void)
{
    static const struct {
        const char *label, *text, *names;
    } rows[] = {
        {"none", LIST(""), "norm up bias-gelu down bias-dropout-add"},
        {"replaced", LIST("<group name=\"norm\"><stream name=\"other\" bytes=\"tokens\"/></group>"),
         "other up bias-gelu down bias-dropout-add"},
        {"inserted",
         LIST("<group name=\"norm\"><stream name=\"ahead\" bytes=\"tokens\"/><inherited/></group>"),
         "ahead norm up bias-gelu down bias-dropout-add"},
        {"removed", LIST("<group name=\"residual\"/>"), "norm up bias-gelu down"},
        {"under a condition", LIST("<group name=\"norm\"><inherited when=\"rms-norms\"/></group>"),
         "up bias-gelu down bias-dropout-add"},
        {"a whole pass",
         LIST("<block name=\"ffn\"><pass name=\"forward\"><part name=\"after\">"
              "<sweep name=\"end\" bytes=\"1\"/></part><inherited/></pass></block>"),
         "end norm up bias-gelu down bias-dropout-add"},
        {"no block", LIST("<block name=\"ffn\" when=\"0\"/>"), ""},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = list(rows[i].text, LP_BLOCK_FFN, LP_PASS_FORWARD, kernels);
        g_autofree char *got = names(kernels, n);
        lp_test_text(rows[i].label, got, rows[i].names);
    }
}

/* A size that a file derives stands in the lists that it starts from, and settings hold inside a
 * scope alone. */
static void
test_sizes(void)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = list(LIST("<size name=\"ffn-width\" value=\"10\"/>"), LP_BLOCK_FFN, LP_PASS_FORWARD,
                   kernels);
    const LpKernel *up = lp_test_find_kernel(kernels, n, "up");
    lp_test_true("there is a product", up != NULL);
    lp_test_close("columns", up != NULL ? up->n : 0.0, 10.0, 0.0);
    lp_test_close("rows", up != NULL ? up->m : 0.0, 2048.0, 0.0);
    n = list(LIST("<group name=\"norm\"><with tokens=\"tokens / 4\" wide=\"1\"><stream name=\"in\" "
                  "bytes=\"tokens\"/></with><stream name=\"out\" bytes=\"tokens\"/></group>"),
             LP_BLOCK_FFN, LP_PASS_FORWARD, kernels);
    lp_test_close("in", kernels[0].bytes, 512.0, 0.0);
    lp_test_close("out", kernels[1].bytes, 2048.0, 0.0);
    lp_test_true("wide", kernels[0].wide && !kernels[1].wide);
    lp_test_true("streams", kernels[0].streams);
    lp_test_true("line", kernels[0].line == 1 && g_str_has_suffix(kernels[0].file, ".xml"));
}

static void
test_errors(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {LIST("\n<group name=\"norm\"><stream bytes=\"token\"/></group>"),
         ".xml:2: <stream> bytes: got \"token\", wanted a known size"},
        {LIST("\n<group name=\"norm\"><stream bytes=\"1 +\"/></group>"),
         ".xml:2: <stream> bytes: got \"1 +\" at its end, wanted a number"},
        {LIST("\n<size name=\"a\" value=\"b + 1\"/>\n<size name=\"b\" value=\"a\"/>"),
         ".xml:2: <size> a: got a size that is made of itself, wanted none"},
        {LIST("<size name=\"a\" value=\"b + 1\"/>\n<size name=\"b\" value=\"c\"/>"),
         ".xml:2: <size> b: got \"c\", wanted a known size"},
        {LIST("\n<group name=\"norm\"><use group=\"nrom\"/></group>"),
         ".xml:2: got the group \"nrom\", wanted one of these lists"},
        {LIST("\n<group name=\"norm\"><use group=\"norm\"/></group>"),
         ".xml:2: got a group that uses itself, wanted none"},
        {LIST("<group name=\"norm\"><with token=\"1\"/></group>"),
         "got a setting of \"token\", wanted one of a variable or of a group's sizes"},
        {LIST("<group name=\"new\"><inherited/></group>"),
         "got <inherited>, wanted it in what replaces something"},
        {LIST("<group name=\"norm\"><part name=\"middle\"/></group>"), "\"middle\" is not one of"},
        {LIST("<block name=\"fnn\"/>"), "\"fnn\" is not one of"},
        {LIST("<variable name=\"tokens\"/>"), "got \"tokens\", wanted a name that no size has"},
        {LIST("<kernel/>"), "kernel"},
        {"<kernels name=\"own\" like=\"nothing\"/>", "nothing"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *path = lp_temporary_with_suffix(".xml", rows[i].text, -1);
        g_autoptr(GError) error = NULL;
        const LpKernelLists *none =
            lp_kernel_variants_load(0, NULL, path, lp_kernel_vocabulary(), &error);
        lp_test_true(rows[i].text, none == NULL && error != NULL);
        lp_test_contains(rows[i].text, error != NULL ? error->message : "", rows[i].message);
        lp_test_true(rows[i].text, error == NULL || strchr(error->message, '\n') == NULL);
        lp_temporary_remove(path);
    }
}

/* What only sizes show is found before anything runs. */
static void
test_check(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {LIST(""), ""},
        {LIST("\n<group name=\"norm\"><stream name=\"s\" bytes=\"tokens / (hidden - "
              "1024)\"/></group>"),
         ".xml:2: got a division by 0, wanted none"},
        {LIST("\n<group name=\"norm\"><stream name=\"s\" bytes=\"hidden - 2000\"/></group>"),
         ".xml:2: s: got bytes -976, wanted 0 or more"},
        {LIST("\n<group name=\"norm\"><host seconds=\"0 - 1\"/></group>"),
         ".xml:2: norm: got seconds -1, wanted 0 or more"},
        {LIST("\n<group name=\"norm\"><product name=\"p\" m=\"1\" k=\"0\" n=\"1\" count=\"1\" "
              "bytes=\"1\"/></group>"),
         ".xml:2: p: got k 0, wanted more than 0"},
        {LIST("\n<group name=\"norm\"><stream name=\"s\" bytes=\"1\" launches=\"1e7\"/></group>"),
         ".xml:2: s: got launches 1e+07, wanted at most 1e6"},
        {LIST("\n<block name=\"ffn\"><pass name=\"forward\"><stream bytes=\"1\"/></pass></block>"),
         ".xml:2: got a kernel without a name, wanted one"},
        {LIST("\n<size name=\"kept-bytes\" value=\"0 - hidden\"/>"),
         ".xml:2: <size> kept-bytes: got -1024, wanted 0 or more"},
        {LIST("\n<size name=\"kept-bytes\" value=\"1 / (tp - 1)\"/>"),
         ".xml:2: <size> kept-bytes: got inf, wanted 0 or more"},
    };
    LpTransformer gpt = lp_test_gpt(2, 1024, 16);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        char *path = lp_temporary_with_suffix(".xml", rows[i].text, -1);
        g_autoptr(GError) error = NULL;
        plan.lists = lp_kernel_variants_load(0, NULL, path, lp_kernel_vocabulary(), &error);
        lp_test_true(rows[i].text, plan.lists != NULL);
        gboolean good = plan.lists != NULL && lp_kernels_check(&gpt, &plan, NULL, &error);
        lp_test_true(rows[i].text, good == (*rows[i].message == '\0'));
        lp_test_contains(rows[i].text, error != NULL ? error->message : "", rows[i].message);
        lp_temporary_remove(path);
    }
}

/* A file that starts from another file, and one from itself. */
static void
test_files(void)
{
    char *first = lp_temporary_with_suffix(
        ".xml", LIST("<group name=\"norm\"><stream name=\"first\" bytes=\"1\"/></group>"), -1);
    g_autofree char *name = g_path_get_basename(first);
    g_autofree char *text = g_strdup_printf(
        "<kernels name=\"own\" like=\"%s\"><group name=\"norm\"><inherited/><stream "
        "name=\"second\" bytes=\"1\"/></group></kernels>",
        name);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = list(text, LP_BLOCK_ROUTER, LP_PASS_FORWARD, kernels);
    lp_test_true("no router", n == 0);
    n = list(text, LP_BLOCK_FFN, LP_PASS_FORWARD, kernels);
    g_autofree char *got = names(kernels, n);
    lp_test_text("both", got, "first second up bias-gelu down bias-dropout-add");
    lp_temporary_remove(first);
    char *self = lp_temporary_with_suffix(".xml", LIST(""), -1);
    g_autofree char *circle = g_strdup_printf("<kernels name=\"own\" like=\"%s\"/>", self);
    g_autoptr(GError) error = NULL;
    lp_test_true("written", g_file_set_contents(self, circle, -1, NULL));
    lp_test_true("a circle",
                 lp_kernel_variants_load(0, NULL, self, lp_kernel_vocabulary(), &error) == NULL);
    lp_test_contains("a circle", error != NULL ? error->message : "",
                     "wanted lists that start from no circle");
    lp_temporary_remove(self);
}

/* What a layer keeps is of its lists: a byte a token less is that for all of its tokens. */
static void
test_kept(void)
{
    LpTransformer gpt = lp_test_gpt(2, 1024, 16);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    double standard = lp_memory_layer_bytes(&gpt, &plan, 0, 0);
    /* Korthikanti et al., equation 1: b s h (34 + 5 a s / h) */
    lp_test_close("standard", standard, 2048.0 * 1024.0 * (34.0 + 5.0 * 16.0 * 2048.0 / 1024.0),
                  1e-12);
    char *path = lp_temporary_with_suffix(
        ".xml", LIST("<size name=\"kept-by-attention\" value=\"8 * hidden - 1\"/>"), -1);
    plan.lists = lp_kernel_variants_load(0, NULL, path, lp_kernel_vocabulary(), NULL);
    lp_test_true("read", plan.lists != NULL);
    if (plan.lists != NULL)
        lp_test_close("a byte less", standard - lp_memory_layer_bytes(&gpt, &plan, 0, 0), 2048.0,
                      1e-9);
    lp_temporary_remove(path);
    path = lp_temporary_with_suffix(".xml", "<kernels name=\"own\"/>", -1);
    g_autoptr(GError) error = NULL;
    const char *const alone[] = {path, NULL};
    g_autoptr(LpKernelLists) lists = lp_kernel_lists_load(alone, lp_kernel_vocabulary(), NULL);
    plan.lists = lists;
    lp_test_true("nothing kept", !lp_kernels_check(&gpt, &plan, NULL, &error));
    lp_test_contains("nothing kept", error != NULL ? error->message : "", "got no size kept-bytes");
    lp_temporary_remove(path);
}

/* Each variant is one bit, and can be read over the standard lists, alone and with all others. */
static void
test_variants(void)
{
    const char *const *all = lp_kernel_variant_names();
    guint64 sum = 0;
    for (guint i = 0; all[i] != NULL; i++) {
        guint64 bit = lp_kernel_variant(all[i]);
        lp_test_true(all[i], bit != 0 && (sum & bit) == 0);
        lp_test_true(all[i], lp_kernel_variants_lists(bit, lp_kernel_vocabulary()) != NULL);
        sum |= bit;
    }
    lp_test_true("there are some", sum != 0);
    lp_test_true("all", lp_kernel_variants_lists(sum, lp_kernel_vocabulary()) != NULL);
    lp_test_true("no such", lp_kernel_variant("standard") == 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"changes", test_changes},   {"sizes", test_sizes},
                                       {"errors", test_errors},     {"check", test_check},
                                       {"files", test_files},       {"kept", test_kept},
                                       {"variants", test_variants}, {NULL, NULL}};
    return lp_test_run("kernel lists", cases);
}
