/* SPDX-License-Identifier: Apache-2.0 */
/* Places among the processes of a store: each holder sees the others, and a place that is given up
 * is free for the next. */
#include "study/study_owner.h"

#include "base/error.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

static gint64
take(const char *path, LpStudyOwnership *out)
{
    g_autoptr(GError) error = NULL;
    if (!lp_study_owner_take(path, out, &error))
        lp_test_failed("take", error->message);
    return out->slot;
}

static void
test_places(void)
{
    char *path = lp_temporary_file("", 0);
    LpStudyOwnership all[3];
    for (gint64 i = 0; i < 3; i++)
        lp_test_true("the first free place", take(path, &all[i]) == i);
    for (gint64 i = 0; i < 4; i++) {
        g_autofree char *label = g_strdup_printf("place %d, seen from 2", (int)i);
        lp_test_true(label, lp_study_owner_lives(&all[2], i) == (i < 2));
    }
    lp_study_owner_leave(&all[1]);
    lp_test_true("given up", all[1].file < 0 && !lp_study_owner_lives(&all[2], 1));
    lp_test_true("others stay", lp_study_owner_lives(&all[2], 0));
    lp_test_true("taken again", take(path, &all[1]) == 1 && lp_study_owner_lives(&all[2], 1));
    for (guint i = 0; i < 3; i++)
        lp_study_owner_leave(&all[i]);
    lp_study_owner_leave(&all[0]);
    lp_temporary_remove(path);
}

static void
test_refused(void)
{
    g_autoptr(GError) error = NULL;
    LpStudyOwnership own;
    lp_test_true("no file", !lp_study_owner_take("/nowhere/store", &own, &error) && own.file < 0);
    lp_test_error("no file", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "/nowhere/store: got \"No such file or directory\", wanted a file");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"places", test_places}, {"refused", test_refused}, {NULL, NULL}};
    return lp_test_run("study owner", cases);
}
