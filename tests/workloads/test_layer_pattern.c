/* SPDX-License-Identifier: Apache-2.0 */
/* Tests patterns of layers as texts. */
#include "workloads/description/layer_pattern.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <string.h>

static void
test_texts(void)
{
    static const struct {
        const char *text, *read_back;
    } rows[] = {
        {"auto", "auto"},
        {"full", "1*full"},
        {"5*window+1*full", "5*window+1*full"},
        {"5*window+full", "5*window+1*full"},
        {"2*chunk+3*chunk+window", "5*chunk+1*window"},
        {"100000*full", "100000*full"},
        {"", NULL},
        {"5", NULL},
        {"5*", NULL},
        {"*full", NULL},
        {"0*full", NULL},
        {"-1*full", NULL},
        {"100001*full", NULL},
        {"99999*full+2*full", NULL},
        {"full+", NULL},
        {"+full", NULL},
        {"full+auto", NULL},
        {"5*windows", "5*windows"},
        {"3*mamba-2+attention", "3*mamba-2+1*full"},
        {"a+b+c+d+e+f", "1*a+1*b+1*c+1*d+1*e+1*f"},
        {"a+b+c+d+e+f+g", NULL},
        {"ffn+experts", "1*ffn+1*experts"},
        {"M-M*-", "M-M*-"},
        {"MEM*E", "MEM*E"},
        {"M-Mx", NULL},
        {"Mamba", NULL},
        {"*", NULL},
        {"5 * window", NULL},
        {"5*window,full", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        LpLayerPattern pattern = {.n = 0};
        gboolean good = lp_layer_pattern_parse(rows[i].text, &pattern, &error);
        g_autofree char *text = good ? lp_layer_pattern_format(&pattern) : NULL;
        lp_test_text(rows[i].text, text, rows[i].read_back);
        if (!good)
            lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                          "wanted auto, or up to 128 runs of layers that are full, window, chunk");
    }
}

/* Layers by letter: full, window, chunk. */
static void
test_shortest(void)
{
    static const struct {
        const char *layers, *pattern;
    } rows[] = {
        {"f", "1*full"},
        {"ffff", "1*full"},
        {"wwwf", "3*window+1*full"},
        {"wwwfwwwfww", "3*window+1*full"},
        {"wwwfwwwfwf", "3*window+1*full+3*window+1*full+1*window+1*full"},
        {"ffwwww", "2*full+4*window"},
        {"cccfcccf", "3*chunk+1*full"},
        {"fwfwf", "1*full+1*window"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        guint n = (guint)strlen(rows[i].layers);
        const char *words[16];
        for (guint k = 0; k < n; k++)
            words[k] = lp_layer_word_names[strchr("fwc", rows[i].layers[k]) - "fwc"];
        LpLayerPattern pattern;
        lp_test_true(rows[i].layers, lp_layer_pattern_of(words, n, &pattern));
        g_autofree char *text = lp_layer_pattern_format(&pattern);
        lp_test_text(rows[i].layers, text, rows[i].pattern);
    }
}

/* The last of 130 runs is longer, so that nothing repeats. */
static void
test_room(void)
{
    const char *words[131];
    for (guint k = 0; k < G_N_ELEMENTS(words); k++)
        words[k] = k % 2 == 0 || k == 129 ? "full" : "mamba-2";
    LpLayerPattern pattern;
    lp_test_true("too many runs", !lp_layer_pattern_of(words, G_N_ELEMENTS(words), &pattern));
    lp_test_true("as many as there is room for", lp_layer_pattern_of(words + 2, 129, &pattern));
    lp_test_true("128", pattern.n == LP_LAYER_RUNS_MAX - 1);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"texts", test_texts}, {"shortest", test_shortest}, {"room", test_room}, {NULL, NULL}};
    return lp_test_run("layer_pattern", cases);
}
