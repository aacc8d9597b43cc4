/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are safe to print. */
#include "cli/message.h"

#include "tests/testlib.h"

#include <CUnit/CUnit.h>
#include <string.h>

static void
test_escapes(void)
{
    static const struct {
        const char *label, *text, *line;
    } rows[] = {{"empty", "", ""},
                {"plain", "a.xml:3: got \"x\"", "a.xml:3: got \"x\""},
                {"letters", "\xc3\xbc \xe6\xbc\xa2 \xf0\x9f\x98\x80",
                 "\xc3\xbc \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
                {"ends of lines", "a\nb\r\nc\td", "a b  c d"},
                {"escape", "\x1b[31mred", "\\x1b[31mred"},
                {"delete", "a\x7f", "a\\x7f"},
                {"C1",
                 "\xc2\x9b"
                 "2J",
                 "\\u009b2J"},
                {"right to left", "\xe2\x80\xaetxt", "\\u202etxt"},
                {"isolates", "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069"},
                {"nothing to see", "a\xe2\x80\x8b\xef\xbb\xbf", "a\\u200b\\ufeff"},
                {"Unicode's ends of lines", "a\xe2\x80\xa8\xe2\x80\xa9", "a\\u2028\\u2029"},
                {"tags", "\xf3\xa0\x81\x81", "\\U000e0041"},
                {"no UTF-8", "a\xff\xc3", "a\\xff\\xc3"},
                {"overlong", "\xc0\x9b", "\\xc0\\x9b"},
                {"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line = lp_message_line(rows[i].text, LP_MESSAGE_MAX);
        lp_test_text(rows[i].label, line, rows[i].line);
    }
}

/* What is printed keeps its ends of lines and gaps, and JSON and XML what they say. */
static void
test_texts(void)
{
    static const struct {
        const char *label, *text, *shown;
    } rows[] = {
        {"empty", "", ""},
        {"lines", "a\tb\nc\n", "a\tb\nc\n"},
        {"carriage return", "a\rb", "a\\x0db"},
        {"people", "\x1b \xe2\x80\xae \xf3\xa0\x81\x81 \xff", "\\x1b \\u202e \\U000e0041 \\xff"},
        {"JSON", "{\"\x7f \xe2\x80\xae \xf3\xa0\x81\x81 \xf0\x9f\x98\x80\"}",
         "{\"\\u007f \\u202e \\udb40\\udc41 \xf0\x9f\x98\x80\"}"},
        {"page", "<!DOCTYPE html>\xe2\x80\xae", "<!DOCTYPE html>\\u202e"},
        {"XML", "<?xml?><a b=\"\x7f\xe2\x80\xae\"/>", "<?xml?><a b=\"&#x7f;&#x202e;\"/>"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *shown = lp_message_text(rows[i].text);
        lp_test_text(rows[i].label, shown, rows[i].shown);
    }
}

/* Whatever stands where it is cut: whole characters, within the limit, with both ends. */
static void
test_lengths(void)
{
    static const char *const fillings[] = {"x",    "word ", "\xc3\xbc", "\xf0\x9f\x98\x80",
                                           "\x1b", "\xff"};
    for (guint i = 0; i < G_N_ELEMENTS(fillings); i++)
        for (guint n = 0; n < 400; n++) {
            g_autoptr(GString) text = g_string_new("where.xml:3: ");
            for (guint k = 0; k < n; k++)
                g_string_append(text, fillings[i]);
            g_string_append(text, " wanted none");
            g_autofree char *line = lp_message_line(text->str, 290);
            CU_ASSERT(strlen(line) <= 290);
            CU_ASSERT(g_utf8_validate(line, -1, NULL));
            CU_ASSERT(g_str_has_prefix(line, "where.xml:3: "));
            CU_ASSERT(g_str_has_suffix(line, " wanted none"));
            CU_ASSERT(strlen(line) >= MIN(290 - 60, text->len));
        }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"escapes", test_escapes}, {"texts", test_texts}, {"lengths", test_lengths}, {NULL, NULL}};
    return lp_test_run("message", cases);
}
