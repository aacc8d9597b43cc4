/* SPDX-License-Identifier: Apache-2.0 */
/* CUnit with labels: assertions that say which row failed, and a strict exit status. */
#include "tests/testlib.h"

#include <CUnit/Basic.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void
record(gboolean passed, const char *label, const char *detail)
{
    g_autofree char *text = g_strconcat(label, ": ", detail, NULL);
    if (!passed)
        fprintf(stderr, "FAILED %s\n", text);
    CU_assertImplementation(passed, 0, text, "", "", CU_FALSE);
}

void
lp_test_failed(const char *label, const char *detail)
{
    record(FALSE, label, detail);
}

void
lp_test_close(const char *label, double got, double wanted, double tolerance)
{
    double error = fabs(got - wanted);
    g_autofree char *detail = g_strdup_printf("got %.17g, wanted %.17g within %g, off by %g", got,
                                              wanted, tolerance, error / fabs(wanted));
    record(error <= tolerance * fabs(wanted), label, detail);
}

void
lp_test_text(const char *label, const char *got, const char *wanted)
{
    g_autofree char *detail = g_strdup_printf("got \"%s\", wanted \"%s\"", got, wanted);
    record(g_strcmp0(got, wanted) == 0, label, detail);
}

void
lp_test_contains(const char *label, const char *text, const char *part)
{
    g_autofree char *detail = g_strdup_printf("got \"%s\", wanted \"%s\" in it", text, part);
    record(text != NULL && strstr(text, part) != NULL, label, detail);
}

void
lp_test_error(const char *label, GError **error, GQuark domain, int code, const char *part)
{
    if (*error == NULL) {
        record(FALSE, label, "no error was set");
        return;
    }
    g_autofree char *detail = g_strdup_printf(
        "got %s %d \"%s\", wanted %s %d \"%s\"", g_quark_to_string((*error)->domain),
        (*error)->code, (*error)->message, g_quark_to_string(domain), code, part);
    record(g_error_matches(*error, domain, code) && strstr((*error)->message, part) != NULL &&
               strchr((*error)->message, '\n') == NULL,
           label, detail);
    g_clear_error(error);
}

void
lp_test_holds(const char *label, gboolean condition, const char *text)
{
    g_autofree char *detail = g_strconcat("is false: ", text, NULL);
    record(condition, label, detail);
}

void
lp_test_count(const char *label, guint64 got, guint64 wanted)
{
    g_autofree char *detail =
        g_strdup_printf("got %" G_GUINT64_FORMAT ", wanted %" G_GUINT64_FORMAT, got, wanted);
    record(got == wanted, label, detail);
}

int
lp_test_run(const char *suite, const LpTestCase *cases)
{
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite cu_suite = CU_add_suite(suite, NULL, NULL);
    for (const LpTestCase *test = cases; cu_suite != NULL && test->name != NULL; test++)
        CU_add_test(cu_suite, test->name, test->function);
    CU_basic_set_mode(CU_BRM_NORMAL);
    CU_basic_run_tests();
    gboolean good = CU_get_number_of_failure_records() == 0 && CU_get_number_of_tests_run() > 0;
    CU_cleanup_registry();
    return good ? 0 : 1;
}
