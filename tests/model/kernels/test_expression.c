/* SPDX-License-Identifier: Apache-2.0 */
#include "model/kernels/expression.h"
#include "tests/testlib.h"

#include <math.h>
#include <string.h>

static const char *const precisions[] = {"bf16", "fp8", "fp8-block", NULL};

/* tokens 6, head-width 4, zero 0, precision fp8-block; half is tokens / 2. */
static gboolean
find(gpointer data, const char *name, LpExpressionName *out)
{
    static const char *const names[] = {"tokens", "head-width", "zero", "precision", NULL};
    for (guint i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (LpExpressionName){.place = i, .words = i == 3 ? precisions : NULL};
            return TRUE;
        }
    if (strcmp(name, "half") != 0)
        return FALSE;
    out->expression = data;
    return TRUE;
}

static double numbers[] = {6.0, 4.0, 0.0, 2.0};

static void
test_values(void)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"8 / 4 / 2", 1},
        {"8 - 4 - 2", 2},
        {"2 - -3", 5},
        {"-tokens * 2", -12},
        {"tokens - head-width", 2},
        {"tokens -1", 5},
        {"head-width*2", 8},
        {"8.6e-6 * 1e6", 8.6e-6 * 1e6},
        {"min(tokens, head-width) + max(1, 2)", 6},
        {"ceil(7 / 4)", 2},
        {"ceil(-0.5)", 0},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"1 + 1 = 2", 1},
        {"2 != 2", 0},
        {"3 > 2 and 2 >= 2", 1},
        {"zero and 1 / zero", 0},
        {"1 or 1 / zero", 1},
        {"0 or 5", 1},
        {"not zero and not (1 = 2)", 1},
        {"not 1 = 2", 1},
        {"zero ? 1 / zero : 3", 3},
        {"1 ? 2 : 0 ? 3 : 4", 2},
        {"0 ? 2 : 0 ? 3 : 4", 4},
        {"precision = fp8-block", 1},
        {"precision != fp8-block or precision = bf16", 0},
        {"(tokens > 5 ? tokens : 0) * half", 18},
        {"  half  ", 3},
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(LpExpression) half = lp_expression_parse("tokens / 2", find, NULL, &error);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpExpressionValues values = {.values = numbers};
        g_autoptr(LpExpression) expression = lp_expression_parse(rows[i].text, find, half, &error);
        lp_test_true(rows[i].text, expression != NULL);
        if (expression == NULL)
            return;
        lp_test_close(rows[i].text, lp_expression_value(expression, &values), rows[i].value, 0.0);
        lp_test_true(rows[i].text, !values.is_divided);
    }
}

/* As C has it, from the left: 0.1 + 0.2 + 0.3 and 0.1 + (0.2 + 0.3) differ in the last digit. */
static void
test_order(void)
{
    LpExpressionValues values = {.values = numbers};
    g_autoptr(LpExpression) left = lp_expression_parse("0.1 + 0.2 + 0.3", find, NULL, NULL);
    g_autoptr(LpExpression) right = lp_expression_parse("0.1 + (0.2 + 0.3)", find, NULL, NULL);
    volatile double a = 0.1, b = 0.2, c = 0.3;
    lp_test_close("from the left", lp_expression_value(left, &values), (a + b) + c, 0.0);
    lp_test_close("from the right", lp_expression_value(right, &values), a + (b + c), 0.0);
    lp_test_true("they differ", (a + b) + c != a + (b + c));
}

static void
test_division(void)
{
    LpExpressionValues values = {.values = numbers};
    g_autoptr(LpExpression) expression = lp_expression_parse("tokens / zero", find, NULL, NULL);
    lp_test_true("it is no number", isinf(lp_expression_value(expression, &values)));
    lp_test_true("it is noted", values.is_divided);
}

static void
test_errors(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "got \"\" at its end, wanted a number, a name or \"(\""},
        {"1 +", "got \"1 +\" at its end, wanted a number, a name or \"(\""},
        {"(1", "got \"(1\" at its end, wanted \")\""},
        {"1 2", "got \"1 2\" at \"2\", wanted an operator or its end"},
        {"tokens % 2", "got \"tokens % 2\" at \"% 2\", wanted an operator or its end"},
        {"min(1)", "got \"min(1)\" at \")\", wanted \",\""},
        {"ceil 1", "got \"ceil 1\" at \"1\", wanted \"(\""},
        {"1 ? 2", "got \"1 ? 2\" at its end, wanted \":\""},
        {"token * 2", "got \"token\", wanted a known size"},
        {"tokens-1", "got \"tokens-1\", wanted a known size"},
        {"precision", "got \"precision\" at its end, wanted = or != and one of its words"},
        {"precision = fp9",
         "got \"precision = fp9\" at \"fp9\", wanted one of bf16, fp8, fp8-block"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpExpression) none = lp_expression_parse(rows[i].text, find, NULL, &error);
        lp_test_true(rows[i].text, none == NULL);
        lp_test_text(rows[i].text, error != NULL ? error->message : "", rows[i].message);
    }
    g_autoptr(GString) deep = g_string_new(NULL);
    for (guint i = 0; i < 1000; i++)
        g_string_append(deep, "(");
    g_autoptr(GError) error = NULL;
    g_autoptr(LpExpression) none = lp_expression_parse(deep->str, find, NULL, &error);
    lp_test_true("brackets in brackets", none == NULL && error != NULL);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"values", test_values},
                                       {"order", test_order},
                                       {"division", test_division},
                                       {"errors", test_errors},
                                       {NULL, NULL}};
    return lp_test_run("expression", cases);
}
