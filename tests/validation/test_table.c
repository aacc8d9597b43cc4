/* SPDX-License-Identifier: Apache-2.0 */
/* CSV as files have it, what rows say by column, and every fault. */
#include "validation/cases/measurements.h"

#include "base/error.h"
#include "tests/testlib.h"
#include "tests/support/temporary.h"

#include <string.h>

static void
test_kinds(void)
{
    static const struct {
        const char *label, *text;
        LpTableKind kind;
        guint n_rows;
    } rows[] = {
        {"training", "id,iteration_s\na,1\n", LP_TABLE_TRAINING, 1},
        {"collectives", "busbw_GBps,ranks\n1,2\n3,4\n", LP_TABLE_COLLECTIVES, 2},
        {"gemm", "gpu,M,N,K\nx,1,2,3\n", LP_TABLE_GEMM, 1},
        {"a run", "machine,run,seconds\nx,y,1\n", LP_TABLE_CONTENTION, 1},
        {"attributes", "machine,workload,iteration_s\nx,y,1\n", LP_TABLE_TRAINING, 1},
        {"CRLF", "id,iteration_s\r\na,1\r\nb,2\r\n", LP_TABLE_TRAINING, 2},
        {"byte-order mark", "\xef\xbb\xbfiteration_s,id\n1,a\n", LP_TABLE_TRAINING, 1},
        {"no line end at the end", "id,iteration_s\na,1", LP_TABLE_TRAINING, 1},
        {"blank lines", "\n\nid,iteration_s\n\na,1\n \nb,2\n\n", LP_TABLE_TRAINING, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        char *path = lp_temporary_file(rows[i].text, -1);
        g_autoptr(LpTable) table = lp_measurements_load(path, NULL, &error);
        lp_test_text(rows[i].label, error != NULL ? error->message : NULL, NULL);
        lp_test_true(rows[i].label, table != NULL && lp_table_kind(table) == rows[i].kind &&
                                        lp_table_n_rows(table) == rows[i].n_rows);
        lp_temporary_remove(path);
    }
}

/* What nothing reads is named, with the nearest known name; what published tables have is known. */
static void
test_unknown_columns(void)
{
    static const struct {
        const char *label, *text, *wanted; /* NULL: nothing */
    } rows[] = {
        {"all known", "id,iteration_s,note,memory_GB,framework,set\na,1,,,,\n", NULL},
        {"misspelt", "id,iteration_s,micro_bacth\na,1,2\n",
         "got the unknown column \"micro_bacth\" (the nearest known is micro_batch), which nothing "
         "reads, wanted those of training rows"},
        {"two, one of another kind's", "id,busbw_GBps,zebra,iteration_S\na,1,2,3\n",
         "got the unknown columns \"zebra\", \"iteration_S\", which nothing reads, wanted those of "
         "collectives rows"},
        {"empty name", "gpu,M,N,K,\nx,1,2,3,4\n",
         "got the unknown column \"\", which nothing reads, wanted those of gemm rows"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *path = lp_temporary_file(rows[i].text, -1);
        g_autofree char *unknown = NULL;
        g_autoptr(LpTable) table = lp_measurements_load(path, &unknown, NULL);
        lp_test_text(rows[i].label, unknown, rows[i].wanted);
        lp_temporary_remove(path);
    }
}

/* Every column of the shipped tables is known. */
static void
test_shipped_columns(void)
{
    static const char *const names[] = {"training", "collectives", "gemm", "contention"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("validation/%s.csv", names[i]);
        g_autofree char *unknown = NULL;
        g_autoptr(LpTable) table = lp_measurements_load(path, &unknown, NULL);
        lp_test_true(names[i], table != NULL);
        lp_test_text(names[i], unknown, NULL);
    }
}

static void
test_fields(void)
{
    char *path = lp_temporary_file("id,iteration_s,note,model\n"
                                   "a,1.5,\"a comma, a \"\"quote\"\"\nand a line\",x\n"
                                   ",2,,\"\"\n",
                                   -1);
    g_autoptr(LpTable) table = lp_table_load(path, NULL);
    lp_test_true("loads", table != NULL && lp_table_n_rows(table) == 2);
    const LpTableRow *first = lp_table_row(table, 0), *second = lp_table_row(table, 1);
    g_autofree char *id = lp_table_id(first), *line = lp_table_id(second);
    g_autofree char *where = lp_table_where(second);
    g_autofree char *content = lp_table_content(second);
    lp_test_text("quoted", lp_table_text(first, "note"), "a comma, a \"quote\"\nand a line");
    lp_test_text("id", id, "a");
    lp_test_text("id by line, past the field of two lines", line, "4");
    lp_test_true("where", g_str_has_suffix(where, ".csv:4"));
    lp_test_text("empty", lp_table_text(second, "note"), "");
    lp_test_text("no such column", lp_table_text(second, "nothing"), "");
    lp_test_true("has", lp_table_has(first, "model") && !lp_table_has(second, "model"));
    lp_test_text("content", content, "iteration_s=2");
    lp_temporary_remove(path);
}

static void
test_content_order(void)
{
    char *one = lp_temporary_file("b,iteration_s,a\n1,2,3\n", -1);
    char *other = lp_temporary_file("a,b,iteration_s\n3,1,2\n", -1);
    g_autoptr(LpTable) x = lp_table_load(one, NULL), y = lp_table_load(other, NULL);
    g_autofree char *first = lp_table_content(lp_table_row(x, 0));
    g_autofree char *second = lp_table_content(lp_table_row(y, 0));
    lp_test_text("whatever the header's order", first, second);
    lp_temporary_remove(one);
    lp_temporary_remove(other);
}

static void
test_numbers(void)
{
    static const struct {
        const char *text;
        gboolean is_count;
        const char *fault; /* NULL: none */
    } rows[] = {
        {"7", TRUE, NULL},
        {"", TRUE, NULL},
        {"0", TRUE, "column tp: got \"0\", wanted a whole number from 1 to 8"},
        {"9", TRUE, "column tp: got \"9\", wanted a whole number from 1 to 8"},
        {"-1", TRUE, "got \"-1\""},
        {"1e3", TRUE, "got \"1e3\""},
        {"99999999999999999999999", TRUE, "wanted a whole number"},
        {"2.5", FALSE, NULL},
        {"nan", FALSE, "column tp: got \"nan\", wanted a number from 1 to 8"},
        {"inf", FALSE, "got \"inf\""},
        {"0.5", FALSE, "got \"0.5\""},
        {"3 GB", FALSE, "got \"3 GB\""},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf("tp,iteration_s\n%s,1\n", rows[i].text);
        char *path = lp_temporary_file(text, -1);
        g_autoptr(LpTable) table = lp_table_load(path, NULL);
        const LpTableRow *row = lp_table_row(table, 0);
        g_autoptr(GError) error = NULL;
        guint64 count = 5;
        double number = 5.0;
        gboolean good = rows[i].is_count ? lp_table_count(row, "tp", 1, 8, &count, &error)
                                         : lp_table_number(row, "tp", 1, 8, &number, &error);
        lp_test_true(rows[i].text, good == (rows[i].fault == NULL));
        if (rows[i].fault != NULL)
            lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                          rows[i].fault);
        if (*rows[i].text == '\0')
            lp_test_true("an empty field changes nothing", count == 5);
        lp_temporary_remove(path);
    }
}

static void
test_measured(void)
{
    static const char *const bad[] = {"", "0", "-1", "nan", "inf", "1e300", "x"};
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *text = g_strdup_printf("id,iteration_s\na,%s\n", bad[i]);
        char *path = lp_temporary_file(text, -1);
        g_autoptr(LpTable) table = lp_table_load(path, NULL);
        g_autoptr(GError) error = NULL;
        double value = 3.0;
        lp_test_true(bad[i],
                     !lp_table_measured(lp_table_row(table, 0), "iteration_s", &value, &error) &&
                         value == 0.0);
        lp_test_error(bad[i], &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                      ":2: column iteration_s: got \"");
        lp_temporary_remove(path);
    }
}

static void
test_faults(void)
{
    static const struct {
        const char *label, *text;
        gssize length;
        const char *part;
    } rows[] = {
        {"empty", "", -1, ": got nothing, wanted a header"},
        {"blank", "\n \r\n\n", -1, ": got nothing, wanted a header"},
        {"header alone", "id,iteration_s\n", -1, ": got a header alone, wanted rows too"},
        {"unknown header", "a,b\n1,2\n", -1, ": got the header \"a,b\", wanted one with"},
        {"too few fields", "id,iteration_s\na,1\nb\n", -1, ":3: got 1 fields, wanted the 2"},
        {"too many fields", "id,iteration_s\na,1,2\n", -1, ":2: got 3 fields, wanted the 2"},
        {"column twice", "id,iteration_s,id\na,1,b\n", -1, ":1: got the column \"id\" twice"},
        {"open quote", "id,iteration_s\n\"a,1\n", -1, ":2: got a quote that is never closed"},
        {"quote out of place", "id,iteration_s\na\"b,1\n", -1, ":2: got a quote out of place"},
        {"text after a quote", "id,iteration_s\n\"a\"b,1\n", -1, ":2: got a quote out of place"},
        {"not UTF-8", "id,iteration_s\n\xff,1\n", -1, ": got bytes that are not UTF-8"},
        {"a zero byte", "id,iteration_s\na\0b,1\n", 20, ": got bytes that are not UTF-8"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *path = lp_temporary_file(rows[i].text, rows[i].length);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpTable) table = lp_measurements_load(path, NULL, &error);
        lp_test_true(rows[i].label, table == NULL);
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, rows[i].part);
        lp_temporary_remove(path);
    }
}

static void
test_no_file(void)
{
    static const char *const paths[] = {"/nowhere/at/all.csv", "/"};
    for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpTable) table = lp_measurements_load(paths[i], NULL, &error);
        lp_test_true(paths[i], table == NULL);
        lp_test_error(paths[i], &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, paths[i]);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"kinds", test_kinds},
                                       {"unknown columns", test_unknown_columns},
                                       {"shipped columns", test_shipped_columns},
                                       {"fields", test_fields},
                                       {"content", test_content_order},
                                       {"numbers", test_numbers},
                                       {"measured", test_measured},
                                       {"faults", test_faults},
                                       {"no file", test_no_file},
                                       {NULL, NULL}};
    return lp_test_run("table", cases);
}
