/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped communication libraries, and how broken ones are refused. */
#include "platforms/catalogue/libraries.h"

#include "base/error.h"
#include "platforms/catalogue/catalogue.h"
#include "tests/testlib.h"

#include <string.h>

/* Every number of every library within what hardware and software of today do. */
static void
test_shipped(void)
{
    g_auto(GStrv) names = lp_library_names(NULL);
    lp_test_true("names", names != NULL && g_strv_length(names) >= 5);
    for (guint i = 0; names != NULL && names[i] != NULL; i++) {
        LpLibrary library;
        g_autoptr(GError) error = NULL;
        lp_test_true(names[i], lp_library_find(names[i], &library, &error));
        lp_test_text(names[i], error != NULL ? error->message : NULL, NULL);
        if (error != NULL)
            continue;
        lp_test_text(names[i], library.name, names[i]);
        lp_test_true(names[i], library.n_protocols >= 1);
        /* One library is that of a cluster whose starts and hops are slow. */
        gboolean is_slow = library.start.near_s > 0.0;
        double hop_max_s = is_slow ? 500e-6 : 50e-6;
        lp_test_true(names[i], library.start.near_s < 1e-3 && library.start.far_s < 1e-3);
        lp_test_true(names[i], is_slow == (strcmp(names[i], "nccl-efa-hf") == 0));
        for (guint32 k = 0; k < library.n_protocols; k++) {
            const LpProtocol *protocol = &library.protocols[k];
            lp_test_true(protocol->name, protocol->base_s >= 0.0 && protocol->base_s < 100e-6 &&
                                             protocol->chunk_bytes >= 1024.0);
            for (LpReach reach = 0; reach < LP_N_REACHES; reach++)
                lp_test_true(protocol->name, protocol->hop_s[reach] >= 0.0 &&
                                                 protocol->hop_s[reach] < hop_max_s &&
                                                 protocol->wire_factor[reach] >= 1.0 &&
                                                 protocol->wire_factor[reach] < 20.0);
        }
        for (guint32 k = 0; k < library.n_rules; k++)
            lp_test_true(names[i], library.rules[k].protocol < library.n_protocols);
    }
}

/* Rings and trees between domains, by NCCL 2.30.7's src/graph/tuning.cc (base; latency of the
 * network less the 2.7 us of a route): LL's ring 6.6 and 2.7 us, tree 6.8 and 5.0; LL128 in a
 * domain 14.0. */
static void
test_protocols_of_nccl(void)
{
    static const struct {
        const char *library, *protocol;
        double base_s, fabric_hop_s;
    } rows[] = {
        {"nccl-volta", "fabric-ll", 6.6e-6, 0.0},
        {"nccl-ampere", "fabric-ll", 6.6e-6, 0.0},
        {"nccl-hopper", "fabric-ll", 6.6e-6, 0.0},
        {"nccl-blackwell", "fabric-ll", 6.6e-6, 0.0},
        {"nccl-ampere", "tree-ll", 6.8e-6, 2.3e-6},
        {"nccl-hopper", "tree-ll", 6.8e-6, 2.3e-6},
        {"nccl-hopper", "fabric-simple", 8.4e-6, 11.3e-6},
        {"nccl-hopper", "ll128", 14e-6, 1.3e-6},
        {"nccl-blackwell", "ll128", 14e-6, 1.3e-6},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        lp_test_true(rows[i].library, lp_library_find(rows[i].library, &library, NULL));
        guint32 k = 0;
        while (k < library.n_protocols && strcmp(library.protocols[k].name, rows[i].protocol) != 0)
            k++;
        lp_test_true(rows[i].protocol, k < library.n_protocols);
        if (k == library.n_protocols)
            continue;
        lp_test_close(rows[i].protocol, library.protocols[k].base_s, rows[i].base_s, 1e-12);
        lp_test_close(rows[i].protocol, library.protocols[k].hop_s[LP_REACH_FABRIC],
                      rows[i].fabric_hop_s, 1e-12);
    }
}

/* What NCCL 2.27.7 took for all-reduces of 8 GiB on a node of 8 H200, and of 8 B200 (stas00,
 * ml-engineering, network/README.md, SHARP). */
static void
test_switches(void)
{
    static const struct {
        const char *library;
        guint64 ranks;
        gboolean in_switches;
    } rows[] = {
        {"nccl-hopper", 4, FALSE},    {"nccl-hopper", 5, TRUE},     {"nccl-hopper", 8, TRUE},
        {"nccl-blackwell", 4, FALSE}, {"nccl-blackwell", 5, FALSE}, {"nccl-blackwell", 6, TRUE},
        {"nccl-blackwell", 8, TRUE},  {"nccl-blackwell", 72, TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        lp_test_true(rows[i].library, lp_library_find(rows[i].library, &library, NULL));
        LpLibraryChoice choice =
            lp_library_choose(&library, LP_COLLECTIVE_ALL_REDUCE, (guint64)8 << 30, rows[i].ranks,
                              LP_SPREAD_ONE_DOMAIN);
        g_autofree char *label =
            g_strdup_printf("%s, %" G_GUINT64_FORMAT, rows[i].library, rows[i].ranks);
        lp_test_true(label,
                     g_str_has_prefix(choice.protocol->name, "switch") == rows[i].in_switches);
    }
}

/* Within a domain and across, a rule for any size and any number of ranks. */
static void
test_complete(void)
{
    g_auto(GStrv) names = lp_library_names(NULL);
    for (guint i = 1; names != NULL && names[i] != NULL; i++) {
        LpLibrary library;
        lp_test_true(names[i], lp_library_find(names[i], &library, NULL));
        if (library.n_measured > 0) /* what they choose is not known */
            continue;
        for (LpCollective collective = 0; collective <= LP_COLLECTIVE_ALL_GATHER; collective++)
            for (LpSpread spread = LP_SPREAD_ONE_DOMAIN; spread <= LP_SPREAD_TORUS; spread++)
                for (guint64 ranks = 2; ranks <= 4096; ranks *= 2) {
                    LpLibraryChoice choice =
                        lp_library_choose(&library, collective, (guint64)1 << 40, ranks, spread);
                    lp_test_true(names[i], choice.algorithms.n_levels > 0);
                }
    }
}

static void
test_of_accelerators(void)
{
    static const struct {
        const char *accelerator, *library;
    } rows[] = {
        {"v100-32", "nccl-volta"},
        {"v100-16", "nccl-volta"},
        {"a100-40", "nccl-ampere"},
        {"a100-80", "nccl-ampere"},
        {"h100-sxm", "nccl-hopper"},
        {"h200", "nccl-hopper"},
        {"h100-sxm-96", "nccl-hopper"},
        {"h100-sxm-64", "nccl-hopper"},
        {"a100-64", "nccl-ampere"},
        {"h800", "nccl-hopper"},
        {"b200", "nccl-blackwell"},
        {"gb200", "nccl-blackwell"},
        {"gb300", "nccl-blackwell"},
        {"b300", "nccl-blackwell"},
        {"mi250x-gcd", "single-ring"},
        {"tpu-v4", "ici-3d"},
        {"tpu-v5p", "ici-3d"},
        {"a100-80-pcie", "nccl-ampere"},
        {"a100-40-pcie", "nccl-ampere"},
        {"a800", "nccl-ampere"},
        {"h100-pcie", "nccl-ampere"},
        {"h100-nvl", "nccl-ampere"},
        {"gh200-96", "nccl-hopper"},
        {"gh200-144", "nccl-hopper"},
        {"h20", "nccl-hopper"},
        {"mi300x", "rccl"},
        {"mi325x", "rccl"},
        {"mi355x", "rccl"},
        {"mi350x", "rccl"},
        {"mi250-gcd", "single-ring"},
        {"mi210", "single-ring"},
        {"l40s", "nccl-pcie"},
        {"l40", "nccl-pcie"},
        {"l4", "nccl-pcie"},
        {"a40", "nccl-pcie"},
        {"a6000", "nccl-pcie"},
        {"a10", "nccl-pcie"},
        {"a10g", "nccl-pcie"},
        {"t4", "nccl-pcie"},
        {"rtx-3090", "nccl-pcie"},
        {"rtx-4090", "nccl-pcie"},
        {"rtx-5090", "nccl-pcie"},
        {"tpu-v3", "ici-2d"},
        {"tpu-v5e", "ici-2d"},
        {"tpu-v6e", "ici-2d"},
        {"tpu-v7x", "ici-3d"},
        {"gaudi2", "single-ring"},
        {"gaudi3", "single-ring"},
        {"trn1-core", "single-ring"},
        {"trn2-core", "single-ring"},
        {"a100-80 modified", "nccl-ampere"},
        {"", "single-ring"},
    };
    gsize n_known = 0;
    g_autoptr(GArray) all = lp_catalogue_load(NULL);
    for (guint i = 0; all != NULL && i < all->len; i++)
        for (guint k = 0; k < G_N_ELEMENTS(rows); k++)
            n_known +=
                strcmp(g_array_index(all, LpAccelerator, i).name, rows[k].accelerator) == 0 ? 1 : 0;
    lp_test_true("the whole catalogue", all != NULL && n_known == all->len);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        lp_test_true(rows[i].accelerator, lp_library_find_for(LP_LIBRARY_AUTO, rows[i].accelerator,
                                                              FALSE, 8, &library, NULL));
        lp_test_text(rows[i].accelerator, library.name, rows[i].library);
    }
}

/* How the links of V100 run follows from how many there are: any two of four have two links, eight
 * are a mesh, and more are behind switches. */
static void
test_of_domains(void)
{
    static const struct {
        const char *accelerator;
        guint64 domain_size;
        const char *library;
    } rows[] = {
        {"v100-32", 1, "nccl-volta-quad"},   {"v100-16", 4, "nccl-volta-quad"},
        {"v100-32", 5, "nccl-volta"},        {"v100-32", 8, "nccl-volta"},
        {"v100-32", 9, "nccl-volta-switch"}, {"v100-16", 16, "nccl-volta-switch"},
        {"a100-80", 4, "nccl-ampere"},       {"a100-80", 16, "nccl-ampere"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        lp_test_true(rows[i].library,
                     lp_library_find_for(LP_LIBRARY_AUTO, rows[i].accelerator, FALSE,
                                         rows[i].domain_size, &library, NULL));
        lp_test_text(rows[i].accelerator, library.name, rows[i].library);
    }
    LpLibrary library;
    lp_test_true("on PCIe",
                 lp_library_find_for(LP_LIBRARY_AUTO, "v100-32", TRUE, 16, &library, NULL));
    lp_test_text("on PCIe", library.name, "nccl-pcie");
}

/* Of an accelerator's links in a domain those that a large @collective of @n_ranks has. */
static double
links_of(const char *name, double n_links, LpCollective collective, guint64 n_ranks)
{
    LpLibrary library;
    lp_test_true(name, lp_library_find(name, &library, NULL));
    LpLibraryChoice all = lp_library_choose(&library, LP_COLLECTIVE_ALL_REDUCE, (guint64)1 << 40,
                                            G_MAXUINT32, LP_SPREAD_ONE_DOMAIN),
                    some = lp_library_choose(&library, collective, (guint64)1 << 40, n_ranks,
                                             LP_SPREAD_ONE_DOMAIN);
    return n_links * all.protocol->wire_factor[LP_REACH_DOMAIN] /
           some.protocol->wire_factor[LP_REACH_DOMAIN];
}

static void
test_links(void)
{
    static const struct {
        const char *library;
        double n_links;
        LpCollective collective;
        guint64 n_ranks;
        double expected;
    } rows[] = {
        {"nccl-volta-switch", 6, LP_COLLECTIVE_ALL_REDUCE, 2, 6},
        {"nccl-volta-switch", 6, LP_COLLECTIVE_ALL_REDUCE, 8, 6},
        {"nccl-volta-switch", 6, LP_COLLECTIVE_SEND, 2, 6},
        {"nccl-volta-quad", 6, LP_COLLECTIVE_ALL_GATHER, 2, 2},
        {"nccl-volta-quad", 6, LP_COLLECTIVE_ALL_REDUCE, 3, 4},
        {"nccl-volta-quad", 6, LP_COLLECTIVE_ALL_TO_ALL, 4, 6},
        {"nccl-volta-quad", 6, LP_COLLECTIVE_SEND, 2, 2},
        {"nccl-volta", 6, LP_COLLECTIVE_ALL_REDUCE, 2, 1},
        {"nccl-volta", 6, LP_COLLECTIVE_BROADCAST, 4, 4},
        {"nccl-volta", 6, LP_COLLECTIVE_SEND, 2, 1},
        {"rccl", 7, LP_COLLECTIVE_ALL_TO_ALL, 4, 3.2},
        {"rccl", 7, LP_COLLECTIVE_SEND, 2, 1.0663},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_close(
            rows[i].library,
            links_of(rows[i].library, rows[i].n_links, rows[i].collective, rows[i].n_ranks),
            rows[i].expected, 1e-3);
}

static void
test_restrict(void)
{
    LpLibrary library;
    g_autoptr(GError) error = NULL;
    lp_test_true("find", lp_library_find("nccl-ampere", &library, NULL));
    double base_s = library.protocols[1].base_s;
    lp_test_true("unknown", !lp_library_restrict(&library, "ll12", &error));
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "the nearest is ll128");
    lp_test_true("ll128", lp_library_restrict(&library, "ll128", NULL));
    lp_test_true("one", library.n_protocols == 1);
    lp_test_close("its base", library.protocols[0].base_s, base_s, 0.0);
    for (guint64 bytes = 1; bytes < (guint64)1 << 40; bytes *= 32)
        lp_test_text(
            "always",
            lp_library_choose(&library, LP_COLLECTIVE_ALL_REDUCE, bytes, 64, LP_SPREAD_DOMAINS)
                .protocol->name,
            "ll128");
}

#define PROTOCOL                                                                                   \
    "<protocol name='a' base='1us' domain-hop='1us' fabric-hop='2us' domain-share='0.5' "          \
    "fabric-share='1' chunk='1KiB' source='here'/>"
#define CHOICE(what) "<choice operation='all-reduce' protocol='a' source='here' " what "/>"
#define FILE_OF(body)                                                                              \
    "<libraries><library name='one' description='d'>" body "</library></libraries>"

/* Members of a library come in this order: protocols, choices, what starts cost. */
#define START(what) "<start source='here' " what "/>"

static gboolean
parse(const char *text, const char *name, LpLibrary *library, GError **error)
{
    g_autoptr(GBytes) content = g_bytes_new_static(text, strlen(text));
    return lp_library_parse("test.xml", content, name, library, error);
}

static void
test_good_text(void)
{
    LpLibrary library;
    g_autoptr(GError) error = NULL;
    gboolean good = parse(FILE_OF(PROTOCOL CHOICE("algorithm='ring+tree' domains='several' "
                                                  "ranks-up-to='8' bytes-up-to='1MiB' "
                                                  "channels='2'")),
                          "one", &library, &error);
    lp_test_text("good", error != NULL ? error->message : NULL, NULL);
    if (!good)
        return;
    lp_test_close("base", library.protocols[0].base_s, 1e-6, 1e-15);
    lp_test_close("share", library.protocols[0].wire_factor[LP_REACH_DOMAIN], 2.0, 1e-15);
    lp_test_true("rule", library.rules[0].ranks_max == 8 && library.rules[0].channels == 2 &&
                             library.rules[0].bytes_max == 1 << 20 &&
                             library.rules[0].spread == LP_SPREAD_DOMAINS);
}

static void
test_starts(void)
{
    LpLibrary library;
    g_autoptr(GError) error = NULL;
    gboolean good =
        parse(FILE_OF(PROTOCOL START("near='221us' far='0.31ms'")), "one", &library, &error);
    lp_test_text("starts", error != NULL ? error->message : NULL, NULL);
    if (!good)
        return;
    lp_test_close("near", library.start.near_s, 221e-6, 1e-15);
    lp_test_close("far", library.start.far_s, 310e-6, 1e-15);
    lp_test_true("nothing said", parse(FILE_OF(PROTOCOL), "one", &library, NULL) &&
                                     library.start.near_s == 0.0 && library.start.far_s == 0.0);
}

#define MEASURED(operation, times)                                                                 \
    "<measured operation='" operation "' ranks='8' nodes='2' source='here' times='" times "'/>"

static void
test_measured(void)
{
    LpLibrary library;
    g_autoptr(GError) error = NULL;
    gboolean good = parse(FILE_OF(PROTOCOL MEASURED("all-reduce", "1KiB=3us\n  1MiB=0.1ms")
                                      MEASURED("all-to-all", "8B=2us 16B=1us 64B=5us")),
                          "one", &library, &error);
    lp_test_text("measured", error != NULL ? error->message : NULL, NULL);
    if (!good)
        return;
    lp_test_true("rows", library.n_measured == 5);
    lp_test_true("first", library.measured[0].collective == LP_COLLECTIVE_ALL_REDUCE &&
                              library.measured[0].n_ranks == 8 &&
                              library.measured[0].n_nodes == 2 &&
                              library.measured[0].bytes == 1024);
    lp_test_close("time", library.measured[1].time_s, 1e-4, 1e-15);
    lp_test_true("last", library.measured[4].collective == LP_COLLECTIVE_ALL_TO_ALL &&
                             library.measured[4].bytes == 64);
}

static void
test_bad_text(void)
{
    static const struct {
        const char *label, *text, *part;
        int code;
    } rows[] = {
        {"share of zero",
         FILE_OF("<protocol name='a' base='1us' domain-hop='1us' fabric-hop='2us' "
                 "domain-share='0' fabric-share='1' chunk='1KiB' source='here'/>"),
         "domain-share", LP_INPUT_ERROR_VALUE},
        {"share above one",
         FILE_OF("<protocol name='a' base='1us' domain-hop='1us' fabric-hop='2us' "
                 "domain-share='1' fabric-share='1.1' chunk='1KiB' source='here'/>"),
         "fabric-share", LP_INPUT_ERROR_VALUE},
        {"negative hop",
         FILE_OF("<protocol name='a' base='1us' domain-hop='-1us' fabric-hop='2us' "
                 "domain-share='1' fabric-share='1' chunk='1KiB' source='here'/>"),
         "domain-hop", LP_INPUT_ERROR_VALUE},
        {"no chunk",
         FILE_OF("<protocol name='a' base='1us' domain-hop='1us' fabric-hop='2us' "
                 "domain-share='1' fabric-share='1' chunk='0B' source='here'/>"),
         "chunk", LP_INPUT_ERROR_VALUE},
        {"algorithm", FILE_OF(PROTOCOL CHOICE("algorithm='tre'")), "algorithm: got \"tre\"",
         LP_INPUT_ERROR_VALUE},
        {"no ranks", FILE_OF(PROTOCOL CHOICE("algorithm='tree' ranks-up-to='0'")), "ranks-up-to",
         LP_INPUT_ERROR_VALUE},
        {"domains", FILE_OF(PROTOCOL CHOICE("algorithm='tree' domains='three'")), "domains",
         LP_INPUT_ERROR_NAME},
        {"protocol",
         FILE_OF(PROTOCOL "<choice operation='all-reduce' protocol='b' source='here' "
                          "algorithm='ring'/>"),
         "protocol", LP_INPUT_ERROR_NAME},
        {"operation",
         FILE_OF(PROTOCOL "<choice operation='all-reduc' protocol='a' source='here' "
                          "algorithm='ring'/>"),
         "the nearest is all-reduce", LP_INPUT_ERROR_NAME},
        {"no protocol", FILE_OF(CHOICE("algorithm='ring'")), "test.xml:1: ", LP_INPUT_ERROR_SYNTAX},
        {"no source",
         FILE_OF("<protocol name='a' base='1us' domain-hop='1us' fabric-hop='2us' "
                 "domain-share='1' fabric-share='1' chunk='1KiB'/>"),
         "source", LP_INPUT_ERROR_SYNTAX},
        {"starts that gain time", FILE_OF(PROTOCOL START("near='-1us' far='1us'")), "near",
         LP_INPUT_ERROR_VALUE},
        {"starts that take too long", FILE_OF(PROTOCOL START("near='1us' far='1.001s'")), "far",
         LP_INPUT_ERROR_VALUE},
        {"starts of bytes", FILE_OF(PROTOCOL START("near='1B' far='1us'")), "near",
         LP_INPUT_ERROR_SYNTAX},
        {"starts that are no number", FILE_OF(PROTOCOL START("near='1us' far='nan'")), "far",
         LP_INPUT_ERROR_SYNTAX},
        {"starts of neighbours alone", FILE_OF(PROTOCOL START("near='1us'")), "far",
         LP_INPUT_ERROR_SYNTAX},
        {"starts without a source", FILE_OF(PROTOCOL "<start near='1us' far='1us'/>"), "source",
         LP_INPUT_ERROR_SYNTAX},
        {"starts before protocols", FILE_OF(START("near='1us' far='1us'") PROTOCOL), "start",
         LP_INPUT_ERROR_SYNTAX},
        {"starts said twice",
         FILE_OF(PROTOCOL START("near='1us' far='1us'") START("near='2us' far='2us'")), "start",
         LP_INPUT_ERROR_SYNTAX},
        {"a time below zero", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=1us 16B=-2us")), "times",
         LP_INPUT_ERROR_VALUE},
        {"a time of zero", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=0us 16B=2us")), "times",
         LP_INPUT_ERROR_VALUE},
        {"a time that is no number", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=nan 16B=2us")),
         "times", LP_INPUT_ERROR_SYNTAX},
        {"two times of a size", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=1us 8B=2us")),
         "wanted each size once", LP_INPUT_ERROR_VALUE},
        {"a hole", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=1us 16B= 32B=2us")), "times",
         LP_INPUT_ERROR_SYNTAX},
        {"one size", FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=1us")), "wanted two or more",
         LP_INPUT_ERROR_VALUE},
        {"two tables of a group",
         FILE_OF(PROTOCOL MEASURED("all-reduce", "8B=1us 9B=2us")
                     MEASURED("all-reduce", "16B=1us 19B=2us")),
         "wanted each once", LP_INPUT_ERROR_VALUE},
        {"times of what nobody has", FILE_OF(PROTOCOL MEASURED("all-reduc", "8B=1us 9B=2us")),
         "the nearest is all-reduce", LP_INPUT_ERROR_NAME},
        {"more nodes than ranks",
         FILE_OF(PROTOCOL
                 "<measured operation='all-gather' ranks='2' nodes='3' times='8B=1us 9B=1us' "
                 "source='here'/>"),
         "nodes", LP_INPUT_ERROR_VALUE},
        {"no XML", "<libraries>", "test.xml:1: ", LP_INPUT_ERROR_SYNTAX},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        GError *error = NULL;
        lp_test_true(rows[i].label, !parse(rows[i].text, "one", &library, &error));
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, rows[i].code, rows[i].part);
    }
    LpLibrary library;
    GError *error = NULL;
    lp_test_true("name", !lp_library_find("nccl-hoper", &library, &error));
    lp_test_error("name", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "the nearest is nccl-hopper");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped},
                                       {"complete", test_complete},
                                       {"protocols of NCCL", test_protocols_of_nccl},
                                       {"switches", test_switches},
                                       {"accelerators", test_of_accelerators},
                                       {"domains", test_of_domains},
                                       {"links", test_links},
                                       {"restrict", test_restrict},
                                       {"good text", test_good_text},
                                       {"starts", test_starts},
                                       {"measured", test_measured},
                                       {"bad text", test_bad_text},
                                       {NULL, NULL}};
    return lp_test_run("libraries", cases);
}
