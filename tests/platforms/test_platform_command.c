/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath platform": what it prints, and with which exit status. */
#include "base/file.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>
#include "base/json.h"

#include <string.h>
#include <sys/wait.h>

/* What a run of the program left. */
typedef struct {
    char *out, *err; /* owned */
    int status;
} Run;

/* Runs "lightpath platform @arguments", which have no quotes. */
static Run
run(const char *arguments)
{
    Run result = {.status = -1};
    g_autofree char *line = g_strdup_printf("%s platform %s", g_getenv("LIGHTPATH"), arguments);
    g_auto(GStrv) argv = g_strsplit(line, " ", -1);
    int status = 0;
    lp_test_true(line, g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &result.out,
                                    &result.err, &status, NULL));
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

static void
run_clear(Run *result)
{
    g_free(result->out);
    g_free(result->err);
}

static void
test_good(void)
{
    static const struct {
        const char *arguments;
        const char *part;
    } rows[] = {
        {"--help", "generate  write the platform file"},
        {"generate --help", "--oversubscription=N"},
        {"describe --help", "--format=FORMAT"},
        {"check --help", "Usage:"},
        {"list --help", "Usage:"},
        {"list",
         "systems       a3-highgpu a3-megagpu dgx-1 dgx-2 dgx-a100 dgx-b200 dgx-b300 dgx-h100 "
         "frontier "
         "gb200-nvl72 "
         "gb300-nvl72 generic "
         "hgx-a100-4nic hgx-h800 jean-zay-v100 lassen leonardo marenostrum-5 mi300x-platform "
         "mi355x-platform ocs "
         "ocs-torus "
         "optical-substrate p5 p5-hf pcie-3 pcie-4 pcie-5 polaris rail-only "
         "summit tpu-v4 tpu-v4-slices tpu-v5e-slices tpu-v5p-slices tpu-v6e-slices "
         "tpu-v7x-slices trn1\n"},
        {"list", "accelerators  v100-32 a100-40"},
        {"list",
         " tpu-v4 h100-sxm-96 h100-sxm-64 a100-64 h800 gb200 gb300 b300 tpu-v5p v100-16 "
         "a100-80-pcie "
         "a100-40-pcie a800 h100-pcie h100-nvl gh200-96 gh200-144 h20 mi300x mi325x mi355x "
         "mi350x mi250-gcd mi210 l40s l40 l4 a40 a6000 a10 a10g t4 rtx-3090 rtx-4090 rtx-5090 "
         "tpu-v3 tpu-v5e tpu-v6e tpu-v7x gaudi2 gaudi3 trn1-core "
         "trn2-core\n"},
        {"list", "machines      dgx-a100-8 generic-16 dgx-h100-64"},
        {"list --format=json", "\"machines\""},
        {"list --technologies", "co-packaged-bailly    transceiver-power        5.4W to 5.5W"},
        {"list --technologies --format=json", "\"switches\""},
        {"check dgx-a100-1024", "dgx-a100-1024: ok, 1024 x a100-80 in 128 domains of 8\n"},
        {"describe dgx-a100-1024", "ports             1120 (8 a domain, units of 20 domains)"},
        {"describe dgx-a100-8", "scale-out         none"},
        {"describe dgx-a100-1024", "tree              2 levels of switches, 20 ports below a leaf"},
        /* What holds anyway may be said again. */
        {"generate --system=dgx-a100 --accelerators=64 --leaf-ports=20", "<platform"},
        {"generate --system=dgx-a100 --accelerators=64 --rails=8", "<platform"},
        {"generate --system=dgx-a100 --accelerators=64 --levels=2", "<platform"},
        {"generate --system=dgx-a100 --accelerators=64 --switch-ports=64", "<platform"},
        {"generate --system=dgx-a100 --accelerators=8 --oversubscription=1", "<platform"},
        {"generate --system=dgx-h100 --accelerators=4", "radical=\"0-3\""},
        {"generate --system=dgx-h100 --accelerators=7 --domain-size=7", "radical=\"0-6\""},
        {"describe dgx-a100-1024", "paths             static, destination mod k"},
        {"generate --help", "--joined-rails=BOOL"},
        {"generate --system=polaris --accelerators=8", "<platform version=\"4.1\">"},
        {"generate --system=polaris --accelerators=8 --planes=1", "<platform"},
        {"generate --system=polaris --accelerators=8 -o /dev/null", ""},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        Run result = run(rows[i].arguments);
        lp_test_true(rows[i].arguments, result.status == 0 && result.err[0] == '\0');
        lp_test_true(rows[i].arguments, strstr(result.out, rows[i].part) != NULL);
        run_clear(&result);
    }
}

static void
test_bad(void)
{
    static const struct {
        const char *arguments;
        int status;
        const char *part;
    } rows[] = {
        {"nothing", 2, "platform: got the unknown command \"nothing\", wanted one of those listed"},
        {"price --domain-size=8", 2, "lightpath: --accelerators: missing"},
        {"price --accelerators=0 --domain-size=8", 2, "lightpath: --accelerators: \"0\""},
        {"price --accelerators=10 --domain-size=4", 2,
         "lightpath: --domain-size: got 4, wanted a divisor"},
        {"price --accelerators=10 --domain-size=16", 2, "lightpath: --domain-size: \"16\""},
        {"price --accelerators=8 --domain-size=8 --circuit-ports=-1", 2,
         "lightpath: --circuit-ports: \"-1\""},
        {"price --accelerators=8 --domain-size=8 --transceivers=no", 2,
         "lightpath: --transceivers: \"no\""},
        {"price --accelerators=8 --domain-size=8", 2, "lightpath: --technology: missing"},
        {"price --accelerators=8 --domain-size=8 --technology=copper-pcb", 2,
         "lightpath: --technology: copper-pcb has no transceiver-price"},
        {"price --accelerators=8 --domain-size=8 --technology=pluggable-400g-opus "
         "--switch-technology=electrical-64x400g-opus --circuit-switch-technology=plain",
         2, "lightpath: --circuit-switch-technology: \"plain\" is not one of"},
        {"price --accelerators=8 --domain-size=8 --technology=pluggable-400g-opus "
         "--switch-technology=tomahawk-5",
         2, "lightpath: --switch-technology: tomahawk-5 has no price"},
        {"list more", 2, "platform list: got 1 argument, wanted 0"},
        {"check", 2, "platform check: got 0 arguments, wanted 1"},
        {"check --unknown x", 2, "--unknown"},
        {"describe dgx-a100-8 --format=xml", 2, "--format: \"xml\" is not one of text, json"},
        {"check /nonexistent.xml", 1, "/nonexistent.xml: No such file"},
        {"check dgx-a100-9", 1, "the nearest is dgx-a100-8"},
        {"generate", 2, "--system: missing"},
        {"generate --system=generic", 2, "--accelerators: missing"},
        {"generate --system=generic --accelerators=0", 2, "--accelerators: \"0\""},
        {"generate --system=generic --accelerators=64 --plane-use=class --planes=2", 2,
         "--plane-classes: got none, wanted it"},
        {"generate --system=generic --accelerators=16 --policy=lottery", 2,
         "--policy: \"lottery\""},
        {"generate --system=generic --accelerators=16 --hold-time=1s", 2, "--hold-time: given"},
        {"generate --system=dgx-a100 --accelerators=64 --switch-ports=1", 2,
         "--switch-ports: got 1, wanted at least 16: a switch of level 1 has 8 ports below and 8"},
        {"generate --system=dgx-h100 --accelerators=7", 2,
         "--accelerators: 7, wanted a multiple of the domain size 8, or a divisor"},
        {"generate --system=dgx-h100 --accelerators=63", 2, "wanted a multiple"},
        {"generate --system=generic --accelerators=64 --paths=4", 2,
         "lightpath: --paths: got it with one static path"},
        {"generate --system=ocs --accelerators=64 --policy=rotor", 2,
         "lightpath: --slot-time: 0 s, wanted more than the dead time"},
        {"describe --system=ocs --accelerators=64 --policy=rotor", 2,
         "lightpath: --slot-time: 0 s, wanted more than the dead time"},
        {"generate --system=generic --accelerators=8 -o /dev/full", 1, "/dev/full: No space"},
        {"generate --system=generic --accelerators=8 -o /nonexistent/x", 1, "/nonexistent/x: "},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        Run result = run(rows[i].arguments);
        gsize length = strlen(result.err);
        lp_test_true(rows[i].arguments, result.status == rows[i].status && result.out[0] == '\0');
        lp_test_true(rows[i].arguments, strstr(result.err, rows[i].part) != NULL);
        lp_test_true(rows[i].arguments, g_str_has_prefix(result.err, "lightpath: ") &&
                                            strchr(result.err, '\n') == result.err + length - 1);
        run_clear(&result);
    }
}

static void
test_json(void)
{
    Run result = run("describe optical-substrate-1024 --format=json");
    g_autoptr(json_t) root = json_loads(result.out, JSON_REJECT_DUPLICATES, NULL);
    lp_test_true("parse", root != NULL);
    lp_test_true("domains", json_integer_value(json_object_get(root, "domains")) == 128);
    lp_test_close("scale-out", json_number_value(json_object_get(root, "scale_out_bytes_per_s")),
                  300e9, 0);
    lp_test_close("bisection", json_number_value(json_object_get(root, "bisection_bytes_per_s")),
                  512 * 300e9, 0);
    json_t *tiers = json_object_get(root, "tiers");
    json_t *port = json_array_get(tiers, 1);
    lp_test_text("port", json_string_value(json_object_get(port, "name")), "port");
    lp_test_text("technology", json_string_value(json_object_get(port, "technology")), "optical");
    /* The double of the file, not a rounded one. */
    lp_test_close("latency", json_number_value(json_object_get(port, "latency_s")), 360 * 1e-9, 0);
    run_clear(&result);
}

/* What describe says of paths, planes, distances and the published bisection. */
static void
test_fabric_json(void)
{
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "pod.xml", NULL);
    g_autofree char *generate =
        g_strdup_printf("generate --system=tpu-v4 --accelerators=4096 -o %s", path);
    g_autofree char *describe = g_strdup_printf("describe %s --format=json", path);
    g_autofree char *describe_text = g_strdup_printf("describe %s", path);
    Run written = run(generate);
    Run result = run(describe);
    Run text = run(describe_text);
    g_autoptr(json_t) root = json_loads(result.out, JSON_REJECT_DUPLICATES, NULL);
    lp_test_true("parse", root != NULL);
    lp_test_text("topology", json_string_value(json_object_get(root, "topology")), "torus");
    lp_test_text("paths", json_string_value(json_object_get(root, "path_choice")), "static");
    lp_test_true("planes", json_integer_value(json_object_get(root, "planes")) == 1);
    lp_test_close("bisection", json_number_value(json_object_get(root, "bisection_bytes_per_s")),
                  25.6e12, 1e-12);
    lp_test_close("published",
                  json_number_value(json_object_get(root, "published_bisection_bytes_per_s")),
                  24e12, 0);
    lp_test_close("deviation",
                  json_number_value(json_object_get(root, "bisection_deviation_fraction")),
                  25.6 / 24 - 1, 1e-12);
    /* 16 x 16 x 16: 24 steps of 470 ns; 4 in each dimension on the mean, of all 4,095 others. */
    lp_test_close("farthest", json_number_value(json_object_get(root, "farthest_latency_s")),
                  24 * 470e-9, 1e-12);
    lp_test_close("mean", json_number_value(json_object_get(root, "mean_latency_s")),
                  12 * 470e-9 * 4096 / 4095, 1e-12);
    lp_test_true("text", strstr(text.out, "published: 24 TB/s, deviation +6.7 %") != NULL &&
                             strstr(text.out, "dimensions        16,16,16") != NULL);
    run_clear(&written);
    run_clear(&result);
    run_clear(&text);
    g_unlink(path);
    g_rmdir(folder);
}

/* What the command writes to a file is what it prints, and what the other commands read. */
static void
test_file(void)
{
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "m.xml", NULL);
    g_autofree char *arguments =
        g_strdup_printf("generate --system=dgx-h100 --accelerators=64 --output=%s", path);
    g_autofree char *check = g_strdup_printf("check %s", path);
    Run written = run(arguments);
    Run printed = run("generate --system=dgx-h100 --accelerators=64");
    Run checked = run(check);
    g_autofree char *content = NULL;
    lp_test_true("written", written.status == 0 && g_file_get_contents(path, &content, NULL, NULL));
    lp_test_text("the same", content, printed.out);
    lp_test_true("checked", checked.status == 0);
    run_clear(&written);
    run_clear(&printed);
    run_clear(&checked);
    g_unlink(path);
    g_rmdir(folder);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"good", test_good}, {"bad", test_bad},
                                       {"json", test_json}, {"fabric in JSON", test_fabric_json},
                                       {"file", test_file}, {NULL, NULL}};
    return lp_test_run("platform command", cases);
}
