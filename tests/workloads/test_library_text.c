/* SPDX-License-Identifier: Apache-2.0 */
/* Which of several libraries runs what, and texts that do not say it. */
#include "model/network/library_mix.h"

#include "base/error.h"
#include "workloads/description/attribute_text.h"
#include "tests/testlib.h"

#include <string.h>

/* A library that stands for all that @text mixes. */
static LpLibrary *
make(const char *text)
{
    LpPlan plan = {.sequence_parallel = FALSE};
    g_autoptr(GError) error = NULL;
    lp_test_true(text, lp_text_library.set(&plan, text, &error));
    g_autofree char *back = lp_text_library.get(&plan);
    lp_test_true(text, strpbrk(back, " \n") == NULL);
    LpPlan again = {.sequence_parallel = FALSE};
    lp_test_true(back, lp_text_library.set(&again, back, NULL));
    lp_test_text(text, again.library.name, back);
    const LpLibraryPicks *first = &plan.library.picks, *second = &again.library.picks;
    lp_test_true(back, first->n_names == second->n_names && first->n_picks == second->n_picks);
    for (guint32 i = 0; i < first->n_picks; i++)
        lp_test_true(back, first->picks[i].bytes_max == second->picks[i].bytes_max &&
                               first->picks[i].traffic == second->picks[i].traffic &&
                               first->picks[i].library == second->picks[i].library);
    lp_test_text(text, error != NULL ? error->message : NULL, NULL);
    LpLibrary *library = g_new0(LpLibrary, 1);
    library->mix = g_new0(LpLibraryMix, 1);
    library->mix->said = plan.library.picks;
    g_strlcpy(library->name, plan.library.picks.names[0], sizeof library->name);
    for (guint32 i = 1; i < plan.library.picks.n_names; i++) {
        library->mix->libraries[i] = g_new0(LpLibrary, 1);
        g_strlcpy(library->mix->libraries[i]->name, plan.library.picks.names[i],
                  sizeof library->name);
    }
    return library;
}

static void
test_choice(void)
{
    static const struct {
        const char *text;
        LpCollective collective;
        LpTraffic traffic;
        guint64 bytes;
        const char *name;
    } rows[] = {
        {"a", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 1, "a"},
        {"all-to-all: b", LP_COLLECTIVE_ALL_REDUCE, LP_TRAFFIC_EP, 1, "auto"},
        {"a; all-to-all: b", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 1, "b"},
        {"a; all-to-all: b", LP_COLLECTIVE_ALL_GATHER, LP_TRAFFIC_EP, 1, "a"},
        {"a; all-to-all:<=1KiB=b, >1KiB=c", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 0, "b"},
        {"a; all-to-all:<=1KiB=b, >1KiB=c", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 1024, "b"},
        {"a; all-to-all:<=1KiB=b, >1KiB=c", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 1025, "c"},
        {"a; all-to-all:<=1KiB=b\n <=2KiB=a >2KiB=c", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_EP, 2048,
         "a"},
        {"a; all-to-all:<=1KiB=b,>1KiB=c", LP_COLLECTIVE_ALL_TO_ALL, LP_TRAFFIC_CP, G_MAXUINT64,
         "c"},
        {"a; all-reduce: b; all-reduce@dp: c", LP_COLLECTIVE_ALL_REDUCE, LP_TRAFFIC_DP, 9, "c"},
        {"a; all-reduce@dp: c; all-reduce: b", LP_COLLECTIVE_ALL_REDUCE, LP_TRAFFIC_DP, 9, "c"},
        {"a; all-reduce@dp: c; all-reduce: b", LP_COLLECTIVE_ALL_REDUCE, LP_TRAFFIC_TP, 9, "b"},
        {"a; all-reduce@embedding: c", LP_COLLECTIVE_ALL_REDUCE, LP_TRAFFIC_EMBEDDING, 9, "c"},
        {"a; reduce: <=8B=b >8B=c; reduce@tp: d", LP_COLLECTIVE_REDUCE, LP_N_TRAFFIC, 8, "b"},
        {"a; barrier: c", LP_COLLECTIVE_BARRIER, LP_TRAFFIC_DP, 9, "c"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpLibrary) library = make(rows[i].text);
        lp_test_text(
            rows[i].text,
            lp_library_for(library, rows[i].collective, rows[i].traffic, rows[i].bytes)->name,
            rows[i].name);
    }
}

/* Names are kept once, and all are there to be asked. */
static void
test_names(void)
{
    g_autoptr(LpLibrary) library = make("a; all-gather: b; reduce: <=1B=b, >1B=a; barrier: c");
    lp_test_true("three", lp_library_n_mixed(library) == 3);
    lp_test_text("first", lp_library_mixed(library, 0)->name, "a");
    lp_test_text("last", lp_library_mixed(library, 2)->name, "c");
    LpLibrary alone = {.name = "alone"};
    lp_test_true("one", lp_library_n_mixed(&alone) == 1);
    lp_test_true("itself",
                 lp_library_for(&alone, LP_COLLECTIVE_REDUCE, LP_TRAFFIC_DP, 1) == &alone);
}

static void
test_refused(void)
{
    static const struct {
        const char *text, *part;
        int code;
    } rows[] = {
        {"", "a name of 1 to 23", LP_INPUT_ERROR_VALUE},
        {"a;", "wanted OPERATION:", LP_INPUT_ERROR_VALUE},
        {"a; b", "wanted OPERATION:", LP_INPUT_ERROR_VALUE},
        {"a; all-to-al: b", "the nearest is all-to-all", LP_INPUT_ERROR_NAME},
        {"a; send: b", "is not one of", LP_INPUT_ERROR_NAME},
        {"a; all-to-all@pp: b", "is not one of tp, dp", LP_INPUT_ERROR_NAME},
        {"a; all-to-all:", "a name of 1 to 23", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: b; all-to-all: c", "all-to-all: got it twice", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=1KiB=b", "sizes above the last", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: >1KiB=b", "sizes up to", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=1KiB=b, >2KiB=c", "sizes up to", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2KiB=b, >1KiB=c", "overlaps", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2KiB=b, <=1KiB=c, >2KiB=d", "overlaps", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2KiB=b, >2KiB=c, <=4KiB=d", "overlaps", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2KiB=b, >2KiB=c, >2KiB=d", "overlaps", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <2KiB=b, >2KiB=c", "wanted <=SIZE=LIBRARY", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <", "wanted <=SIZE=LIBRARY", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2KiB, >2KiB=c", "wanted <=SIZE=LIBRARY", LP_INPUT_ERROR_VALUE},
        {"a; all-to-all: <=2=b, >2=c", "has no unit", LP_INPUT_ERROR_SYNTAX},
        {"a; all-to-all: <=0B=b, >0B=c", "out of range", LP_INPUT_ERROR_VALUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = {.sequence_parallel = FALSE};
        GError *error = NULL;
        lp_test_true(rows[i].text, !lp_text_library.set(&plan, rows[i].text, &error));
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

/* As many ranges as there is room for, and one more. */
static void
test_room(void)
{
    g_autoptr(GString) text = g_string_new("a; all-to-all:");
    for (guint i = 1; i < LP_LIBRARY_PICKS_MAX; i++)
        g_string_append_printf(text, " <=%uKiB=l%u", i, i);
    LpPlan plan = {.sequence_parallel = FALSE};
    GError *error = NULL;
    g_autofree char *full = g_strdup_printf("%s >%uKiB=l0", text->str, LP_LIBRARY_PICKS_MAX - 1);
    g_autofree char *more = g_strdup_printf("%s; barrier: l0", full);
    lp_test_true("full", lp_text_library.set(&plan, full, &error));
    lp_test_true("names", plan.library.picks.n_names == LP_LIBRARY_PICKS_MAX + 1);
    lp_test_true("more", !lp_text_library.set(&plan, more, &error));
    lp_test_error("more", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "got more than 48 ranges");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"choice", test_choice},
                                       {"names", test_names},
                                       {"refused", test_refused},
                                       {"room", test_room},
                                       {NULL, NULL}};
    return lp_test_run("library text", cases);
}
