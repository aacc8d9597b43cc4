/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped profiles of reliability against their sources' figures, what options change of them,
 * and how broken ones are refused. */
#include "platforms/catalogue/reliability.h"

#include "base/error.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <math.h>

#define HOUR 3600.0

static const char *const profiles[] = {"llama-3", "rsc-1",     "opt-175b",   "bloom-176b",
                                       "tpu-v4",  "pluggable", "co-packaged"};

/* Every number has a source, and every profile can be used. */
static void
test_shipped(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(profiles); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpReliability) profile = lp_reliability_load(profiles[i], &error);
        lp_test_text(profiles[i], error != NULL ? error->message : NULL, NULL);
        for (LpGoodputPart part = 0; profile != NULL && part < LP_N_PARTS; part++) {
            LpFailingParts parts;
            lp_test_true(profiles[i], lp_reliability_parts(profile, part, &parts, &error));
            lp_test_true(profiles[i],
                         profile->part[part].is_known == (profile->part[part].source != NULL));
        }
        for (guint k = 0; profile != NULL && k < LP_N_RELIABILITY_SETTINGS; k++)
            lp_test_true(profiles[i],
                         (profile->setting[k].value > 0.0) == (profile->setting[k].source != NULL));
    }
}

/* Written here a second time, in hours. */
static void
test_figures(void)
{
    static const struct {
        const char *profile;
        LpGoodputPart part;
        double mtbf_h;
    } rows[] = {{"llama-3", LP_PART_ACCELERATOR, 16384.0 * 54 * 24 / (148 + 72 + 19 + 17 + 6 + 6)},
                {"llama-3", LP_PART_HOST, 2048.0 * 54 * 24 / (32 + 3 + 3 + 2 + 2 + 2 + 2)},
                {"llama-3", LP_PART_SOFTWARE, 54 * 24.0 / (54 + 7 + 2)},
                {"rsc-1", LP_PART_HOST, 2048 * 1.8},
                {"opt-175b", LP_PART_HOST, 64 * 24},
                {"bloom-176b", LP_PART_ACCELERATOR, 416 * 7 * 24 / 1.5},
                {"tpu-v4", LP_PART_HOST, 99 * 24},
                {"pluggable", LP_PART_SWITCH, 2190 / 0.02},
                {"co-packaged", LP_PART_LINK, 1.3e6}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpReliability) profile = lp_reliability_load(rows[i].profile, &error);
        LpFailingParts parts = {0};
        lp_test_true(rows[i].profile, profile != NULL && lp_reliability_parts(profile, rows[i].part,
                                                                              &parts, &error));
        lp_test_close(rows[i].profile, parts.mtbf_s / HOUR, rows[i].mtbf_h, 1e-12);
    }
}

/* A later profile over an earlier one; options over both. */
static void
test_layers(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpReliability) both = lp_reliability_load("llama-3,co-packaged", &error);
    LpFailingParts parts = {0};
    lp_test_true("both", both != NULL && both->part[LP_PART_HOST].is_known);
    lp_test_true("link", lp_reliability_parts(both, LP_PART_LINK, &parts, &error));
    lp_test_close("the later one's", parts.mtbf_s, 1.3e6 * HOUR, 1e-12);
    lp_test_true("set", lp_reliability_set_part(both, "host:availability=0.9,repair=1h", &error) &&
                            lp_reliability_parts(both, LP_PART_HOST, &parts, &error));
    lp_test_close("from availability", parts.mtbf_s, 9 * HOUR, 1e-12);
    lp_test_true("set", lp_reliability_set_part(both, "host:mtbf=never", &error) &&
                            lp_reliability_parts(both, LP_PART_HOST, &parts, &error));
    lp_test_true("never", isinf(parts.mtbf_s) && parts.repair_s == HOUR);
    lp_test_true("new",
                 lp_reliability_set_part(both, "ocs:availability=1,repair=0s,count=48", &error) &&
                     lp_reliability_parts(both, LP_PART_OCS, &parts, &error));
    lp_test_true("always", isinf(parts.mtbf_s) && parts.effect == LP_EFFECT_MACHINE &&
                               both->part[LP_PART_OCS].count == 48);
}

static void
test_options_refused(void)
{
    static const struct {
        const char *text;
        int code;
        const char *part;
    } rows[] = {
        {"host", LP_INPUT_ERROR_SYNTAX, "wanted PART:KEY=VALUE"},
        {"hots:mtbf=1h", LP_INPUT_ERROR_NAME, "host"},
        {"host:mtbf", LP_INPUT_ERROR_SYNTAX, "wanted KEY=VALUE"},
        {"host:mtfb=1h", LP_INPUT_ERROR_NAME, "mtbf"},
        {"host:mtbf=0h", LP_INPUT_ERROR_VALUE, "mtbf"},
        {"host:mtbf=-1h", LP_INPUT_ERROR_VALUE, "mtbf"},
        {"host:mtbf=1", LP_INPUT_ERROR_SYNTAX, "mtbf"},
        {"host:availability=0", LP_INPUT_ERROR_VALUE, "availability"},
        {"host:availability=1.1", LP_INPUT_ERROR_VALUE, "availability"},
        {"host:availability=nan", LP_INPUT_ERROR_SYNTAX, "availability"},
        {"host:repair=1e99h", LP_INPUT_ERROR_VALUE, "repair"},
        {"host:effect=domain", LP_INPUT_ERROR_NAME, "block"},
        {"host:count=-1", LP_INPUT_ERROR_SYNTAX, "count"},
        {"host:count=99999999999", LP_INPUT_ERROR_VALUE, "count"},
        {"host:slowdown=0.5", LP_INPUT_ERROR_VALUE, "slowdown"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpReliability) profile = lp_reliability_load("llama-3", &error);
        lp_test_true(rows[i].text, !lp_reliability_set_part(profile, rows[i].text, &error));
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
}

/* Values that are good each for itself, but not together. */
static void
test_parts_refused(void)
{
    static const struct {
        const char *text;
        LpGoodputPart part;
        const char *message;
    } rows[] = {{"ocs:mtbf=1000h", LP_PART_OCS, "ocs: got no repair time"},
                {"ocs:mtbf=1000h,repair=1h,effect=slow", LP_PART_OCS, "ocs: got no slowdown"},
                {"host:availability=0.9,repair=0s", LP_PART_HOST, "without a repair time"},
                {"software:availability=0.9", LP_PART_SOFTWARE, "got an availability"}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpReliability) profile = lp_reliability_load("llama-3", &error);
        LpFailingParts parts;
        lp_test_true(rows[i].text,
                     lp_reliability_set_part(profile, rows[i].text, &error) &&
                         !lp_reliability_parts(profile, rows[i].part, &parts, &error));
        lp_test_error(rows[i].text, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, rows[i].message);
    }
}

#define FILE_OF(content)                                                                           \
    "<reliability><profile name=\"own\" description=\"d\">" content "</profile></reliability>"
#define PART_OF(attributes)                                                                        \
    FILE_OF("<part name=\"host\" effect=\"block\" source=\"s\" " attributes "/>")

static void
test_files(void)
{
    static const struct {
        const char *label, *text, *part;
    } rows[] = {
        {"not XML", "<reliability>", ":1:"},
        {"another root", "<technologies/>", "technologies"},
        {"no rate", PART_OF("repair=\"1h\""), "got no rate"},
        {"two rates", PART_OF("mtbf=\"1h\" availability=\"0.9\""), "got several rates"},
        {"no population", PART_OF("failures=\"1\" in=\"1h\""), "of"},
        {"population of 0", PART_OF("failures=\"1\" of=\"0\" in=\"1h\""), "of"},
        {"rate below 0", PART_OF("failures=\"-1\" of=\"1\" in=\"1h\""), "failures"},
        {"no unit", PART_OF("mtbf=\"100\" repair=\"1h\""), "mtbf"},
        {"unknown part", FILE_OF("<part name=\"fan\" effect=\"block\" mtbf=\"1h\" source=\"s\"/>"),
         "fan"},
        {"no source", FILE_OF("<part name=\"host\" effect=\"block\" mtbf=\"1h\"/>"), "source"},
        {"unknown setting", FILE_OF("<setting name=\"mood\" value=\"1\" source=\"s\"/>"), "mood"},
        {"setting of 0", FILE_OF("<setting name=\"block\" value=\"0\" source=\"s\"/>"), "value"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        char *path = lp_temporary_with_suffix(".xml", rows[i].text, -1);
        g_autoptr(LpReliability) profile = lp_reliability_load(path, &error);
        lp_temporary_remove(path);
        lp_test_true(rows[i].label, profile == NULL);
        lp_test_contains(rows[i].label, error != NULL ? error->message : NULL, rows[i].part);
    }
    g_autoptr(GError) error = NULL;
    char *path = lp_temporary_with_suffix(
        ".xml", PART_OF("failures=\"0\" of=\"9\" in=\"1h\" repair=\"1h\""), -1);
    g_autofree char *names = g_strconcat("llama-3,", path, NULL);
    g_autoptr(LpReliability) profile = lp_reliability_load(names, &error);
    lp_temporary_remove(path);
    lp_test_true("a file over a profile", profile != NULL &&
                                              isinf(profile->part[LP_PART_HOST].mtbf_s) &&
                                              profile->part[LP_PART_CARD].is_known);
    g_autoptr(LpReliability) empty = lp_reliability_load("", &error);
    lp_test_true("empty", empty == NULL);
    lp_test_error("empty", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "llama-3");
    g_autoptr(LpReliability) unknown = lp_reliability_load("lama-3", &error);
    lp_test_true("unknown", unknown == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "llama-3");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped},
                                       {"figures", test_figures},
                                       {"layers", test_layers},
                                       {"options_refused", test_options_refused},
                                       {"parts_refused", test_parts_refused},
                                       {"files", test_files},
                                       {NULL, NULL}};
    return lp_test_run("reliability", cases);
}
