/* SPDX-License-Identifier: Apache-2.0 */
/* The page on measurements: nothing of a CSV becomes markup, all statistics are in it, the same
 * outcomes give the same bytes. */
#include "report/validation_page.h"

#include "report/vega.h"
#include "tests/support/spawn.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <string.h>

#define HOSTILE "</script><b>"
#define VEGA "var vega = '</script><!--';\n"

static LpOutcome *
make_outcome(const char *id, const char *source, double measured, double simulated)
{
    LpOutcome *outcome = lp_outcome_new(LP_MEASURE_TIME, id, source);
    outcome->configuration = g_strconcat(HOSTILE " model of ", id, NULL);
    outcome->measured = measured;
    outcome->predicted[LP_PREDICTION_SIMULATED] = simulated;
    outcome->predicted[LP_PREDICTION_CONSISTENT] = simulated * 0.93;
    outcome->predicted[LP_PREDICTION_AMPED] = simulated * 0.71;
    outcome->factors[LP_FACTOR_ACCELERATORS] = 8.0 * measured;
    outcome->has_terms = TRUE;
    outcome->terms.s[LP_TERM_COMPUTE] = 0.8 * simulated;
    outcome->terms.s[LP_TERM_DP] = 0.2 * simulated;
    lp_outcome_infer(outcome, "noted: %s", HOSTILE);
    return outcome;
}

static void
free_outcome(gpointer data)
{
    lp_outcome_free(data);
}

/* Twelve plans for one work, a hostile source, and two rows that failed alike. */
static GPtrArray *
make_outcomes(void)
{
    GPtrArray *outcomes = g_ptr_array_new_with_free_func(free_outcome);
    for (guint i = 0; i < 12; i++) {
        g_autofree char *id = g_strdup_printf("plan-%u", i);
        LpOutcome *outcome =
            make_outcome(id, "plans", 1.0 + 0.37 * i, 1.1 + 0.31 * i + 0.07 * (i % 3));
        outcome->group = g_strdup("work");
        g_ptr_array_add(outcomes, outcome);
    }
    g_ptr_array_add(outcomes, make_outcome(HOSTILE, HOSTILE, 3.0, 2.9));
    for (guint i = 0; i < 2; i++) {
        LpOutcome *failed = lp_outcome_new(LP_MEASURE_TIME, i == 0 ? "too-big" : "bigger", "plans");
        failed->measured = 1.0;
        lp_outcome_fail(failed, LP_OUTCOME_REFUSED_MEMORY,
                        i == 0 ? "f.csv:7: needs 87.4 GB <b>" : "f.csv:19: needs 1.203 TB <b>");
        g_ptr_array_add(outcomes, failed);
    }
    return outcomes;
}

static LpValidation
make_validation(const GPtrArray *outcomes)
{
    return (LpValidation){.cases = "f.csv",
                          .kind = LP_TABLE_TRAINING,
                          .model = LP_PREDICTION_SIMULATED,
                          .outcomes = outcomes};
}

static guint
count(const char *text, const char *part)
{
    guint n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    return n;
}

/* The object that the page's script reads. */
static json_t *
read_data(const char *page)
{
    static const char begin[] = "id=\"page-data\">";
    const char *from = strstr(page, begin);
    const char *to = from != NULL ? strstr(from, "</script>") : NULL;
    if (to == NULL)
        return NULL;
    from += sizeof begin - 1;
    g_autofree char *text = g_strndup(from, (gsize)(to - from));
    return json_loads(text, JSON_REJECT_DUPLICATES, NULL);
}

static void
test_escaped(void)
{
    g_autoptr(GPtrArray) outcomes = make_outcomes();
    LpValidation validation = make_validation(outcomes);
    validation.cases = HOSTILE ".csv";
    g_autofree char *page = lp_validation_to_page(&validation, VEGA);
    /* Data, Vega, and the page's own. */
    lp_test_true("scripts begin", count(page, "<script") == 3);
    lp_test_true("scripts end", count(page, "</script") == 3);
    lp_test_true("no comment", strstr(page, "<!--") == NULL);
    lp_test_true("no element of the file's", strstr(page, "<b>") == NULL);
    lp_test_true("it is there as text", count(page, "&lt;/script&gt;&lt;b&gt;") > 10);
    lp_test_true("nothing is loaded", strstr(page, "default-src 'none'") != NULL &&
                                          strstr(page, " src=") == NULL &&
                                          strstr(page, "<link") == NULL);
    g_autoptr(json_t) data = read_data(page);
    lp_test_true("data is JSON", data != NULL);
    if (data == NULL)
        return;
    json_t *all = json_object_get(data, "data");
    json_t *rows = json_object_get(all, "rows");
    lp_test_true("a row each", json_array_size(rows) == outcomes->len);
    lp_test_text("the source as it was",
                 json_string_value(json_object_get(json_array_get(rows, 12), "source")), HOSTILE);
}

static void
test_same_bytes(void)
{
    g_autoptr(GPtrArray) first = make_outcomes(), second = make_outcomes();
    LpValidation one = make_validation(first), other = make_validation(second);
    g_autofree char *page = lp_validation_to_page(&one, VEGA);
    g_autofree char *again = lp_validation_to_page(&other, VEGA);
    lp_test_text("bytes", page, again);
}

/* Whether some line of @page has all of @parts, one after another. */
static gboolean
has_line(const char *page, const GPtrArray *parts)
{
    g_auto(GStrv) lines = g_strsplit(page, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *at = lines[i];
        for (guint j = 0; at != NULL && j < parts->len; j++) {
            at = strstr(at, parts->pdata[j]);
            if (at != NULL)
                at += strlen(parts->pdata[j]);
        }
        if (at != NULL)
            return TRUE;
    }
    return FALSE;
}

static void
add_number(GPtrArray *parts, json_t *object, const char *name)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, "%.6g",
                    json_number_value(json_object_get(object, name)));
    g_ptr_array_add(parts, g_strdup_printf("data-v=\"%s\">", digits));
}

/* @name: the row's first cell. */
static void
expect_numbers(const char *page, const char *name, json_t *object, const char *const *members)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(parts, g_strdup_printf("<td>%s</td>", name));
    for (guint i = 0; members[i] != NULL; i++)
        add_number(parts, object, members[i]);
    g_ptr_array_add(parts, NULL);
    g_autofree char *shown = g_strjoinv(" ", (char **)parts->pdata);
    g_ptr_array_set_size(parts, (int)parts->len - 1);
    lp_test_true(shown, has_line(page, parts));
}

static void
expect_part(const char *page, const char *name, json_t *part)
{
    static const char *const errors[] = {"median_absolute_error", "mean_absolute_error",  "bias",
                                         "p90_absolute_error",    "worst_absolute_error", NULL};
    static const char *const all[] = {"rows",
                                      "failed",
                                      "out_of_scope",
                                      "median_absolute_error",
                                      "mean_absolute_error",
                                      "bias",
                                      "p90_absolute_error",
                                      "worst_absolute_error",
                                      NULL};
    static const char *const ranking[] = {
        "groups",        "plans",         "within_5_percent",        "within_15_percent",
        "median_regret", "mean_spearman", "chance_within_5_percent", NULL};
    expect_numbers(page, name, part, all);
    json_t *models = json_object_get(part, "models");
    for (LpPrediction model = 0; model < LP_N_PREDICTIONS; model++) {
        json_t *scores = json_object_get(models, lp_prediction_names[model]);
        expect_numbers(page, lp_prediction_names[model], scores, errors);
        if (json_object_get(scores, "ranking") != NULL)
            expect_numbers(page, lp_prediction_names[model], json_object_get(scores, "ranking"),
                           ranking);
    }
}

/* The JSON's statistics are computed apart from the page's. */
static void
test_statistics(void)
{
    g_autoptr(GPtrArray) outcomes = make_outcomes();
    LpValidation validation = make_validation(outcomes);
    g_autofree char *page = lp_validation_to_page(&validation, VEGA);
    g_autoptr(json_t) json = lp_validation_to_json(&validation);
    json_t *root = json;
    expect_part(page, "all rows", json_object_get(root, "all"));
    json_t *sources = json_object_get(root, "sources");
    lp_test_true("two sources", json_array_size(sources) == 2);
    expect_part(page, "plans", json_array_get(sources, 0));
    expect_part(page, "&lt;/script&gt;&lt;b&gt;", json_array_get(sources, 1));
    json_t *all = json_object_get(root, "all");
    lp_test_true("plans are ranked", json_object_get(all, "ranking") != NULL);
}

static void
test_rows(void)
{
    static const struct {
        const char *label, *part;
        guint n;
    } rows[] = {
        {"failed alike, once", "such as: needs 87.4 GB &lt;b&gt;", 1},
        {"both are named", "<td class=\"text\">too-big, bigger</td>", 1},
        {"a row of the whole, and of the worst", "<td>plan-3</td>", 2},
        {"a failed row of the whole", "<td>bigger</td>", 1},
        {"a place of each plot", "id=\"plot-", 5},
    };
    g_autoptr(GPtrArray) outcomes = make_outcomes();
    LpValidation validation = make_validation(outcomes);
    g_autofree char *page = lp_validation_to_page(&validation, VEGA);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_true(rows[i].label, count(page, rows[i].part) == rows[i].n);
    g_autoptr(json_t) data = read_data(page);
    json_t *plots = data != NULL ? json_object_get(data, "plots") : NULL;
    lp_test_true("plots", plots != NULL && json_array_size(plots) == 5);
    for (guint i = 0; plots != NULL && i < json_array_size(plots); i++) {
        json_t *plot = json_array_get(plots, i);
        g_autofree char *place =
            g_strdup_printf("id=\"%s\"", json_string_value(json_object_get(plot, "element")));
        lp_test_true(place, count(page, place) == 1);
    }
}

/* Nothing predicted: a page all the same, without plots of rows. */
static void
test_nothing(void)
{
    g_autoptr(GPtrArray) outcomes = g_ptr_array_new_with_free_func(free_outcome);
    LpOutcome *failed = lp_outcome_new(LP_MEASURE_BANDWIDTH, "1", "s");
    lp_outcome_fail(failed, LP_OUTCOME_FAILED, "no");
    g_ptr_array_add(outcomes, failed);
    LpValidation validation = make_validation(outcomes);
    g_autofree char *page = lp_validation_to_page(&validation, VEGA);
    lp_test_true("page", g_str_has_suffix(page, "</html>\n"));
    lp_test_true("plots", count(page, "id=\"plot-") == 2);
}

/* With the library installed a page, without it one line. */
static void
test_command(void)
{
    char *path = lp_temporary_file("gpu,M,N,K,dtype,time_ms,source\n"
                                   "A100,8192,8192,8192,fp16,4.3," HOSTILE "\n",
                                   -1);
    g_autofree char *options = g_strdup_printf("--format=html --cases=%s", path);
    LpSpawned first = lp_spawn("validate", options), again = lp_spawn("validate", options);
    g_autofree char *vega = lp_vega_load(lp_vega_folder(), NULL);
    if (vega != NULL) {
        lp_test_true(first.complaint, first.status == 0);
        lp_test_true("a page", g_str_has_prefix(first.output, "<!DOCTYPE html>\n"));
        lp_test_true("with the library", strstr(first.output, "take(\"vega-parser\"") != NULL);
        lp_test_true("scripts end", count(first.output, "</script") == 3);
        lp_test_text("bytes", first.output, again.output);
    } else {
        lp_test_true(first.complaint, first.status == 1 && count(first.complaint, "\n") == 1 &&
                                          strstr(first.complaint, "libjs-vega") != NULL);
    }
    lp_spawned_clear(&first);
    lp_spawned_clear(&again);
    lp_temporary_remove(path);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"nothing of a file becomes markup", test_escaped},
        {"the same bytes", test_same_bytes},
        {"all statistics", test_statistics},
        {"rows, reasons, plots", test_rows},
        {"no predictions", test_nothing},
        {"the command", test_command},
        {NULL, NULL},
    };
    return lp_test_run("validation page", cases);
}
