/* SPDX-License-Identifier: Apache-2.0 */
/* Files of steps, and algorithms of MSCCL: the ring all-reduce of two members, as it is by hand;
 * what is written is what is read. */
#include "workloads/given/step_file.h"

#include "base/error.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"
#include "workloads/given/msccl.h"
#include "workloads/given/step_writer.h"

#define HEAD                                                                                       \
    "<algorithms><source>a test</source><algorithm name=\"own\" operation=\"all-reduce\" "         \
    "ranks=\"2\" chunks=\"2\">"
#define GATHERS                                                                                    \
    "<algorithms><source>a test</source><algorithm name=\"own\" operation=\"all-gather\" "         \
    "ranks=\"2\" chunks=\"2\">"
/* 2^31 / 2 / (2 + 63) chunks are bits enough for what two members hold; one more is not. */
#define MANY                                                                                       \
    "<algorithms><source>a test</source><algorithm name=\"own\" operation=\"all-reduce\" "         \
    "ranks=\"2\" chunks=\"16519105\">"
#define SUMS                                                                                       \
    "<step><send from=\"0\" to=\"1\" chunks=\"1\" sum=\"yes\"/>"                                   \
    "<send from=\"1\" to=\"0\" chunks=\"0\" sum=\"yes\"/></step>"
#define COPIES                                                                                     \
    "<step><send from=\"0\" to=\"1\" chunks=\"0\"/><send from=\"1\" to=\"0\" "                     \
    "chunks=\"1\"/></step>"
#define TAIL "</algorithm></algorithms>"

/* Member r sends chunk 1 - r, adds what comes of chunk r and sends it on, and receives the other.
 */
#define STEP(number, type, chunk)                                                                  \
    "<step s=\"" number "\" type=\"" type "\" srcbuf=\"i\" srcoff=\"" chunk                        \
    "\" dstbuf=\"i\" dstoff=\"" chunk "\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
#define MEMBER(own, other)                                                                         \
    "<gpu id=\"" own "\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\"><tb id=\"0\" send=\"" other  \
    "\" recv=\"" other "\" chan=\"0\">" STEP("0", "s", other) STEP("1", "rrcs", own)               \
        STEP("2", "r", other) "</tb></gpu>"
#define MSCCL                                                                                      \
    "<algo name=\"ring\" nchunksperloop=\"2\" nchannels=\"1\" proto=\"Simple\" ngpus=\"2\" "       \
    "coll=\"allreduce\" inplace=\"1\">" MEMBER("0", "1") MEMBER("1", "0") "</algo>"

static const char wanted[] = "all-reduce of 2: 0 to 1: +1; 1 to 0: +0; then 0 to 1: 0; 1 to 0: 1";

static char *
list_text(const LpStepList *list)
{
    GString *text = g_string_new(NULL);
    if (list != NULL)
        g_string_printf(text, "%s of %u:", lp_collective_names[list->collective], list->n_ranks);
    for (guint32 i = 0; list != NULL && i < list->n_sends; i++) {
        const LpListedSend *one = &list->sends[i];
        const char *between = i == 0 ? " " : one->step > list->sends[i - 1].step ? "; then " : "; ";
        g_string_append_printf(text, "%s%u to %u: %s%u", between, one->from, one->to,
                               one->sums ? "+" : "", one->chunk);
    }
    return g_string_free(text, FALSE);
}

/* The all-reduce of two in the file of @content, in words; or the error. */
static char *
read(const char *content)
{
    char *path = lp_temporary_with_suffix(".xml", content, -1);
    g_autoptr(GError) error = NULL;
    LpAlgorithms algorithms = {0};
    gboolean good = lp_step_file_load(path, &algorithms, &error);
    char *text = good ? list_text(lp_step_lists_find(algorithms.lists, LP_COLLECTIVE_ALL_REDUCE, 2))
                      : g_strdup(error->message);
    lp_test_true("named", lp_step_file_is_named(path) && !lp_step_file_is_named("ring"));
    lp_temporary_remove(path);
    return text;
}

static void
test_read(void)
{
    g_autofree char *got = read(HEAD SUMS COPIES TAIL);
    lp_test_text("steps", got, wanted);
}

static void
test_written(void)
{
    char *path = lp_temporary_with_suffix(".xml", MSCCL, -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpStepList) list = lp_msccl_read(path, &error);
    lp_temporary_remove(path);
    lp_test_text("error", error != NULL ? error->message : NULL, NULL);
    g_autofree char *got = list_text(list);
    lp_test_text("MSCCL's ring", got, wanted);
    if (list == NULL)
        return;
    g_autofree char *written = lp_step_list_to_xml(list, "a test");
    g_autofree char *again = read(written);
    lp_test_text("written and read", again, wanted);
}

/* An all-gather of two chunks each: a member copies both of its own to where they belong, sends
 * both and receives both. */
#define BOTH(number, type, from, from_at, to_at)                                                   \
    "<step s=\"" number "\" type=\"" type "\" srcbuf=\"" from "\" srcoff=\"" from_at               \
    "\" dstbuf=\"o\" dstoff=\"" to_at "\" cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
#define GATHERER(own, other, own_at, other_at)                                                     \
    "<gpu id=\"" own "\" i_chunks=\"2\" o_chunks=\"4\" s_chunks=\"0\"><tb id=\"0\" send=\"" other  \
    "\" recv=\"" other "\" chan=\"0\">" BOTH("0", "cpy", "i", "0", own_at)                         \
        BOTH("1", "s", "o", own_at, own_at) BOTH("2", "r", "o", other_at, other_at) "</tb></gpu>"
#define GATHER                                                                                     \
    "<algo name=\"pair\" nchunksperloop=\"4\" nchannels=\"1\" proto=\"Simple\" ngpus=\"2\" "       \
    "coll=\"allgather\" inplace=\"0\">" GATHERER("0", "1", "0", "2")                               \
        GATHERER("1", "0", "2", "0") "</algo>"

static void
test_copied(void)
{
    char *path = lp_temporary_with_suffix(".xml", GATHER, -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpStepList) list = lp_msccl_read(path, &error);
    lp_temporary_remove(path);
    lp_test_text("error", error != NULL ? error->message : NULL, NULL);
    g_autofree char *got = list_text(list);
    lp_test_text("both", got, "all-gather of 2: 0 to 1: 0; 0 to 1: 1; 1 to 0: 2; 1 to 0: 3");
}

static void
test_refused(void)
{
    static const struct {
        const char *label, *content, *part;
    } rows[] = {
        {"no copies", HEAD SUMS TAIL,
         "after step 0, the last: member 0: got 1 summands of chunk 1, wanted all 2"},
        {"no sums", HEAD COPIES TAIL, "summands"},
        {"sums twice", HEAD SUMS SUMS COPIES TAIL, "a summand that it has already"},
        {"to itself", HEAD "<step><send from=\"0\" to=\"0\" chunks=\"0\"/></step>" TAIL,
         "step 0: member 0: got a message to itself"},
        {"nobody", HEAD "<step><send from=\"0\" to=\"2\" chunks=\"0\"/></step>" TAIL,
         "<send> to: \"2\" is out of range"},
        {"nothing of another's",
         GATHERS "<step><send from=\"0\" to=\"1\" chunks=\"0\"/></step>" TAIL,
         "after step 0, the last: member 0: got nothing of chunk 1, wanted member 1's"},
        {"more than is held", MANY SUMS COPIES TAIL,
         "got 16519105 chunks of 2 ranks, wanted at most"},
        {"no XML", "steps", ".xml"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *got = read(rows[i].content);
        lp_test_contains(rows[i].label, got, rows[i].part);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"read", test_read},
                                       {"written", test_written},
                                       {"copied", test_copied},
                                       {"refused", test_refused},
                                       {NULL, NULL}};
    return lp_test_run("files of steps", cases);
}
