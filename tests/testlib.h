/* SPDX-License-Identifier: Apache-2.0 */
/* What every test program shares: suites from a table, relative comparison, error checks. */
#pragma once

#include <CUnit/CUnit.h>
#include <glib.h>

typedef struct {
    const char *name;
    void (*function)(void);
} LpTestCase;

/** Runs the NULL-ended @cases; returns the exit status: 0 if tests ran and no failure was
 * recorded. */
int lp_test_run(const char *suite, const LpTestCase *cases);

/** Asserts |got - wanted| <= tolerance * |wanted|; @label reaches the failure message. */
void lp_test_close(const char *label, double got, double wanted, double tolerance);
/** Asserts an equal text. */
void lp_test_text(const char *label, const char *got, const char *wanted);
/** Asserts that @text, NULL or not, contains @part. */
void lp_test_contains(const char *label, const char *text, const char *part);
/** Asserts that @error has @domain and @code, is one line, and contains @part; then frees it. */
void lp_test_error(const char *label, GError **error, GQuark domain, int code, const char *part);
/** Asserts @condition; @label and @text, the condition as the test has it, reach the failure
 * message. */
void lp_test_holds(const char *label, gboolean condition, const char *text);
#define lp_test_true(label, condition) lp_test_holds(label, condition, #condition)
/** Asserts an equal count. */
void lp_test_count(const char *label, guint64 got, guint64 wanted);
/** Records a failure. @detail: what went wrong. */
void lp_test_failed(const char *label, const char *detail);
