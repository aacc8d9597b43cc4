/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath collective", and what "simulate" takes of libraries: a golden run, keys, faults. */
#include "tests/support/spawn.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#include <string.h>

/* Eight A100 at 300 GB/s, 470 ns from one to another. Ring: 14 steps of 470 ns and 1 MB / 8 / 300
 * GB/s. Bus bandwidth: 14/8 of bytes over time. */
static void
test_text(void)
{
    LpSpawned run =
        lp_spawn("collective all-reduce dgx-a100-8 --bytes=1MB,0B --library=single-ring", NULL);
    lp_test_text("ring", run.output,
                 "all-reduce among 8 ranks of dgx-a100-8.xml, library single-ring, fidelity flow\n"
                 " size B  algorithm  protocol  time us  alone us  algorithmic bandwidth GB/s  bus "
                 "bandwidth GB/s\n"
                 "1000000  ring       simple      12.41     12.41                       80.56"
                 "              140.98\n"
                 "      0  ring       simple       6.58      6.58                        0.00"
                 "                0.00\n");
    lp_test_text("complaint", run.complaint, "");
    lp_spawned_clear(&run);
}

static json_t *
run_at(json_t *result, guint index)
{
    return json_array_get(json_object_get(result, "runs"), index);
}

static void
test_json(void)
{
    static const char *const keys[] = {"operation", "library", "fidelity", "ranks", "groups"};
    static const char *const run_keys[] = {
        "bytes",           "algorithm",     "protocol",
        "time_s",          "alone_s",       "algorithmic_bytes_per_s",
        "bus_bytes_per_s", "traffic_bytes", "activities"};
    g_autoptr(json_t) result = lp_spawn_json(
        "collective all-reduce dgx-a100-8 --bytes=1MiB-4MiB --groups=2 --format=json", NULL);
    if (result == NULL)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        lp_test_true(keys[i], json_object_get(result, keys[i]) != NULL);
    for (guint i = 0; i < G_N_ELEMENTS(run_keys); i++)
        lp_test_true(run_keys[i], json_object_get(run_at(result, 0), run_keys[i]) != NULL);
    lp_test_true("doublings", json_array_size(json_object_get(result, "runs")) == 3);
    lp_test_true("ranks", lp_test_json_number(result, "ranks") == 4.0);
    /* 2 groups x 2 (4-1) MiB */
    lp_test_close("traffic",
                  (double)json_integer_value(json_object_get(run_at(result, 0), "traffic_bytes")),
                  12.0 * 1048576.0, 0.0);
}

/* What each operation takes by itself where nothing is said: 8 ranks, no bytes to speak of. */
static void
test_operations(void)
{
    static const struct {
        const char *line, *algorithm;
        double time_s;
    } rows[] = {
        {"reduce-scatter dgx-a100-8 --bytes=2.4MB", "ring", 7 * (470e-9 + 1e-6)},
        {"all-gather dgx-a100-8 --bytes=2.4MB", "ring", 7 * (470e-9 + 1e-6)},
        {"all-to-all dgx-a100-8 --bytes=2.4MB", "rails", 470e-9 + 7e-6},
        {"send dgx-a100-8 --bytes=3MB", "direct", 470e-9 + 10e-6},
        {"broadcast dgx-a100-8 --bytes=300B", "ring", 7 * (470e-9 + 1e-9)},
        {"reduce dgx-a100-8 --bytes=300B", "ring", 7 * (470e-9 + 1e-9)},
        {"barrier dgx-a100-8", "doubling", 3 * (470e-9 + 1 / 300e9)},
        {"all-reduce dgx-a100-8 --bytes=2.4MB --algorithm=direct", "direct", 2 * (470e-9 + 7e-6)},
        {"all-to-all dgx-a100-8 --bytes=2.4MB --algorithm=pairwise", "pairwise",
         7 * (470e-9 + 1e-6)},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *line =
            g_strconcat("collective ", rows[i].line, " --library=single-ring --format=json", NULL);
        g_autoptr(json_t) result = lp_spawn_json(line, NULL);
        if (result == NULL)
            continue;
        json_t *run = run_at(result, 0);
        lp_test_text(line, json_string_value(json_object_get(run, "algorithm")), rows[i].algorithm);
        lp_test_close(line, json_number_value(json_object_get(run, "time_s")), rows[i].time_s,
                      1e-9);
    }
}

#define PLATFORM "dgx-a100-8"
#define SMALL                                                                                      \
    "simulate gpt3-175b dgx-a100-8 --set=layers=8 --set=hidden=1024 --set=heads=16 "               \
    "--set=ffn=4096 --set=tp=4 --set=pp=2 --set=dp=1 --set=global-batch=8 "                        \
    "--framework=none --set=library=single-ring "

static void
test_faults(void)
{
    static const struct {
        const char *line;
        int status;
        const char *part;
    } rows[] = {
        {"collective foo " PLATFORM, 2, "collective: operation: \"foo\" is not one of all-reduce"},
        {"collective all-reduce", 2, "collective: got 1 argument, wanted 2"},
        {"collective all-reduce nope", 1, "\"nope\" is neither a file nor the name of a platform"},
        {"collective all-reduce " PLATFORM " --bytes=0", 2, "--bytes: \"0\" has no unit"},
        {"collective all-reduce " PLATFORM " --bytes=1e20B", 2, "out of range, wanted 0B to 1PB"},
        {"collective all-reduce " PLATFORM " --bytes=0.3B", 2, "\"0.3B\", wanted whole bytes"},
        {"collective barrier " PLATFORM " --bytes=1B", 2, "wanted none"},
        {"collective all-reduce " PLATFORM " --bytes=NaN", 2, "--bytes: \"NaN\""},
        {"collective all-reduce " PLATFORM " --bytes=infB", 2, "--bytes: \"infB\""},
        {"collective all-reduce " PLATFORM " --bytes=-1MB", 2, "--bytes: \"-1MB\" is negative"},
        {"collective all-reduce " PLATFORM " --bytes=1MiB-", 2, "--bytes: "},
        {"collective all-reduce " PLATFORM " --bytes=1GiB-1MiB", 2, "got \"1GiB-1MiB\", wanted"},
        {"collective all-reduce " PLATFORM " --bytes=1MB,,2MB", 2, "--bytes: "},
        {"collective all-reduce " PLATFORM " --bytes=", 2, "--bytes: got \"\""},
        {"collective all-reduce " PLATFORM " --ranks=0", 2, "whole number from 2 to 8"},
        {"collective all-reduce " PLATFORM " --ranks=1", 2, "whole number from 2 to 8"},
        {"collective all-reduce " PLATFORM " --ranks=9", 2, "whole number from 2 to 8"},
        {"collective all-reduce " PLATFORM " --ranks=99999999999999999999", 2, "--ranks: "},
        {"collective all-reduce " PLATFORM " --groups=0", 2, "--groups: "},
        {"collective all-reduce " PLATFORM " --groups=8", 2, "--groups: got 8 of 8 accelerators"},
        {"collective all-reduce " PLATFORM " --groups=4 --ranks=4", 2, "--ranks: "},
        {"collective all-reduce " PLATFORM " --library=nccl", 2, "--library: \"nccl\""},
        {"collective all-reduce " PLATFORM " --library=auto --protocol=zz", 2,
         "--protocol: \"zz\" is not one of ll, ll128, simple"},
        {"collective all-reduce " PLATFORM " --algorithm=ting", 2, "--algorithm: got \"ting\""},
        {"collective all-reduce " PLATFORM " --algorithm=", 2, "--algorithm: got \"\""},
        {"collective all-reduce " PLATFORM " --algorithm=ring+ring+ring+ring", 2, "--algorithm: "},
        {"collective all-reduce " PLATFORM " --algorithm=torus", 1,
         "--algorithm: got torus for 8 members that fill no block of a torus, wanted whole"},
        {"collective all-to-all " PLATFORM " --algorithm=tree", 1,
         "--algorithm: all-to-all: got the algorithm \"tree\", wanted one of bruck, pairwise, "
         "direct, torus"},
        {"collective broadcast " PLATFORM " --algorithm=pairwise", 1,
         "broadcast: got the algorithm \"pairwise\""},
        {"collective send " PLATFORM " --ranks=8", 2, "--ranks: \"8\" is out of range"},
        {"collective all-reduce " PLATFORM " --fidelity=fluid", 2, "--fidelity: "},
        {"collective all-reduce " PLATFORM " --format=xml", 2, "--format: "},
        {"collective all-reduce " PLATFORM " --bytes=1PB --algorithm=tree --fidelity=message", 1,
         "wanted at most 100000000 messages"},
        {"bench accuracy gpt3-175b-16", 2, "bench: "},
        {SMALL "--set=library=nope", 1, "library: \"nope\" is not one of single-ring, nccl-volta"},
        {SMALL "--set=library=", 1, "library=: got \"\""},
        {SMALL "--set=protocol=ll", 1, "protocol: \"ll\" is not one of simple"},
        {SMALL "--set=algorithm-tp=zzz", 1, "algorithm-tp=zzz: got \"zzz\", wanted auto"},
        {SMALL "--set=algorithm-tp=torus", 1, "algorithm-tp: got torus for 4 members"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_spawn_refused(NULL, rows[i].line, rows[i].status, rows[i].part);
}

/* A machine that names a library has it where nothing else is asked for: collectives and steps take
 * the same time as with it said. */
static void
test_machine_library(void)
{
    static const char *const lines[] = {
        "collective all-reduce %s --bytes=64MiB --format=json --library=%s",
        "simulate llama-3-8b %s --set=dp=16 --set=global-batch=64 --format=json --ignore-memory "
        "--set=library=%s"};
    char *plain = lp_spawn_platform("--system=p5 --accelerators=16");
    char *named = lp_spawn_platform("--system=p5 --accelerators=16 --library=nccl-efa-hf");
    char *cluster = lp_spawn_platform("--system=p5-hf --accelerators=16");
    for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
        const char *const machines[] = {plain, named, cluster, named, plain};
        const char *const libraries[] = {"nccl-efa-hf", "auto", "auto", "nccl-hopper", "auto"};
        double time_s[G_N_ELEMENTS(machines)];
        for (guint k = 0; k < G_N_ELEMENTS(machines); k++) {
            g_autofree char *line = g_strdup_printf(lines[i], machines[k], libraries[k]);
            g_autoptr(json_t) node = lp_spawn_json(line, "");
            json_t *first = json_array_get(json_object_get(node, "runs"), 0);
            time_s[k] = first != NULL ? lp_test_json_number(first, "time_s")
                                      : lp_test_json_number(node, "simulated.iteration_time_s");
        }
        lp_test_close("option", time_s[1], time_s[0], 0);
        lp_test_close("system", time_s[2], time_s[0], 0);
        lp_test_close("another is asked for", time_s[3], time_s[4], 0);
        lp_test_true("slower", time_s[0] > time_s[4]);
    }
    lp_spawn_refused("unknown",
                     "platform generate --system=p5 --accelerators=16 --library=nccl-efa", 2,
                     "--library: \"nccl-efa\" is not one of single-ring, ");
    lp_temporary_remove(plain);
    lp_temporary_remove(named);
    lp_temporary_remove(cluster);
}

/* A library's protocol only adds to what the ideal one takes; algorithms differ in time and not in
 * what they bring about. */
static void
test_simulate(void)
{
    static const char *const settings[] = {"--set=library=auto",
                                           "--set=library=nccl-ampere",
                                           "--set=library=auto --set=protocol=ll",
                                           "--set=algorithm-tp=direct",
                                           "--set=algorithm-tp=ring+tree",
                                           "--set=library=auto --set=algorithm-tp=tree"};
    g_autoptr(json_t) ideal = lp_spawn_json(SMALL "--format=json", NULL);
    double compute_s = lp_test_json_number(ideal, "simulated.terms_s.compute");
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autoptr(json_t) result = lp_spawn_json(SMALL "--format=json", settings[i]);
        lp_test_close(settings[i], lp_test_json_number(result, "simulated.terms_s.compute"),
                      compute_s, 1e-9);
        /* In one domain ring+tree is the ring. */
        double tp_s = lp_test_json_number(result, "simulated.terms_s.tp");
        double ideal_s = lp_test_json_number(ideal, "simulated.terms_s.tp");
        if (strstr(settings[i], "library") != NULL)
            lp_test_true(settings[i], tp_s > ideal_s);
        else if (strstr(settings[i], "ring") != NULL)
            lp_test_close(settings[i], tp_s, ideal_s, 1e-9);
        else
            lp_test_true(settings[i], tp_s < ideal_s);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"text", test_text},
                                       {"JSON", test_json},
                                       {"operations", test_operations},
                                       {"faults", test_faults},
                                       {"simulate", test_simulate},
                                       {"machine library", test_machine_library},
                                       {NULL, NULL}};
    return lp_test_run("collective command", cases);
}
