/* SPDX-License-Identifier: Apache-2.0 */
/* Stock SimGrid loads every file that the checks let pass, and its routes are what the machine view
 * says. */
#include "base/file.h"
#include "platforms/machine/machine.h"
#include "platforms/generation/system.h"
#include "tests/support/engine_route.h"
#include "tests/support/forked.h"
#include "tests/support/temporary.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every pair is tried up to this many accelerators, and a sample of pairs above. */
#define ALL_PAIRS_MAX 64

static gboolean
close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* A route of SimGrid's. */
typedef struct {
    guint n_links;
    double latency_s, bytes_per_s;
} Route;

static Route
find_route(const char *source, const char *destination)
{
    Route route = {.bytes_per_s = INFINITY};
    g_autoptr(GPtrArray) links =
        lp_engine_route(sg_host_by_name(source), sg_host_by_name(destination));
    route.n_links = links->len;
    for (guint i = 0; i < links->len; i++) {
        const_sg_link_t link = links->pdata[i];
        route.latency_s += sg_link_get_latency(link);
        route.bytes_per_s = fmin(route.bytes_per_s, sg_link_get_bandwidth(link));
    }
    return route;
}

static gboolean
check_pair(const LpMachine *machine, const LpFabric *fabric, guint64 a, guint64 b)
{
    LpAttachment attachment = lp_machine_attachment(machine, a, b);
    g_autofree char *source = lp_machine_host_name(machine, a, attachment);
    g_autofree char *destination = lp_machine_host_name(machine, b, attachment);
    if (sg_host_by_name(source) == NULL || sg_host_by_name(destination) == NULL) {
        fprintf(stderr, "%s or %s is missing\n", source, destination);
        return FALSE;
    }
    const LpCluster *cluster = &machine->cluster[attachment];
    /* Stock SimGrid does not know of what only our properties say. */
    if (attachment == LP_ATTACHMENT_SCALE_OUT &&
        (cluster->dragonfly.has_gates || cluster->torus.spreads_paths ||
         !lp_machine_joined(machine, a, b, 0)))
        return TRUE;
    Route route = find_route(source, destination);
    double latency_s = lp_fabric_latency_s(fabric, a, b);
    gboolean good = close_to(route.latency_s, latency_s) &&
                    close_to((double)route.n_links * cluster->link_latency_s, latency_s) &&
                    close_to(route.bytes_per_s, cluster->link_bytes_per_s);
    if (!good)
        fprintf(stderr, "%s to %s: %u links, %g s, wanted %g s; %g B/s, wanted %g\n", source,
                destination, route.n_links, route.latency_s, latency_s, route.bytes_per_s,
                cluster->link_bytes_per_s);
    return good;
}

/* Runs in a process of its own, since SimGrid loads one platform a process. */
static gboolean
check_routes(const LpMachine *machine, const char *path)
{
    simgrid_load_platform(path);
    LpFabric fabric = lp_machine_fabric(machine);
    guint64 n = machine->n_accelerators;
    gboolean good = TRUE;
    guint64 stride = n <= ALL_PAIRS_MAX ? 1 : n / 24 + 1;
    for (guint64 a = 0; a < n; a += stride)
        for (guint64 b = 0; b < n; b += n <= ALL_PAIRS_MAX ? 1 : 7 + stride)
            if (a != b)
                good = check_pair(machine, &fabric, a, b) && good;
    return good;
}

static void
quiet(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDERR_FILENO);
}

typedef struct {
    const LpMachine *machine;
    const char *path;
    gboolean is_quiet;
} Request;

static gboolean
load_stock(const void *input, void *result)
{
    (void)result;
    const Request *request = input;
    if (request->is_quiet)
        quiet();
    lp_engine_begin();
    return check_routes(request->machine, request->path);
}

/* Writes @text to a file, and loads it with both readers; TRUE if ours took it. */
static gboolean
check_text(const char *label, const char *text, gboolean is_quiet)
{
    char *path = lp_temporary_with_suffix(".xml", text, -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = lp_machine_load(path, &error);
    const Request request = {machine, path, is_quiet};
    if (machine != NULL)
        (void)lp_forked_result(label, load_stock, &request, NULL, 0);
    else if (!is_quiet)
        lp_test_text(label, error->message, "");
    lp_temporary_remove(path);
    return machine != NULL;
}

static char *
shipped_text(const char *name)
{
    g_autofree char *path = lp_file_find("platforms", name, NULL);
    g_autoptr(GBytes) bytes = lp_file_read(path, NULL);
    return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static void
test_shipped(void)
{
    g_auto(GStrv) names = lp_file_shipped("platforms");
    lp_test_true("some are shipped", names[0] != NULL);
    for (char **name = names; *name != NULL; name++) {
        g_autofree char *text = shipped_text(*name);
        check_text(*name, text, FALSE);
    }
}

static void
test_generated(void)
{
    static const char *const rows[] = {
        "--system=generic --accelerators=1",
        "--system=generic --accelerators=64 --leaf-ports=16 --oversubscription=4",
        "--system=generic --accelerators=64 --domain-size=4 --rails=2 --leaf-ports=3",
        "--system=generic --accelerators=56 --rails=4 --leaf-ports=2",
        "--system=generic --accelerators=24 --domain-size=1 --leaf-ports=8",
        "--system=generic --accelerators=32 --scale-out-latency=0s --domain-latency=0s "
        "--leaf-ports=8",
        "--system=generic --accelerators=16 --leaf-ports=1 --port-order=rail",
        "--system=dgx-a100 --accelerators=3072",
        "--system=dgx-h100 --accelerators=512 --oversubscription=2",
        "--system=polaris --accelerators=2240",
        "--system=optical-substrate --accelerators=64 --domain-size=32",
        "--system=generic --accelerators=256 --leaf-ports=8 --levels=3",
        "--system=generic --accelerators=256 --rails=8 --leaf-ports=8 --levels=3",
        "--system=generic --accelerators=192 --domain-size=1 --levels=auto --leaf-ports=4 "
        "--spine-oversubscription=2",
        "--system=generic --accelerators=64 --topology=torus --dimensions=4x17",
        "--system=generic --accelerators=64 --domain-size=1 --topology=dragonfly",
        "--system=generic --accelerators=60 --domain-size=1 --topology=dragonfly --router-ports=2",
        "--system=generic --accelerators=64 --topology=dragonfly-plus",
        "--system=generic --accelerators=64 --leaf-ports=16 --path-choice=hash --paths=4 "
        "--pcie-ports=2 --pcie-bandwidth=32GBps",
        "--system=rail-only --accelerators=1024",
        "--system=dgx-h100 --accelerators=4096",
        "--system=frontier --accelerators=4096",
        "--system=tpu-v4 --accelerators=512",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = lp_generated_text(rows[i], &error);
        lp_test_text(rows[i], error != NULL ? error->message : "", "");
        if (text != NULL)
            check_text(rows[i], text, FALSE);
    }
}

/* Every system there is, at the size of four domains. */
static void
test_systems(void)
{
    g_auto(GStrv) systems = lp_system_names(NULL);
    for (char **name = systems; *name != NULL; name++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachineSpecification) system = lp_system_load(*name, &error);
        g_autoptr(LpMachineSpecification) machine =
            system != NULL ? lp_specification_new(*name, 4 * system->domain.size, &error) : NULL;
        g_autofree char *text = machine != NULL ? lp_generate(machine, &error) : NULL;
        lp_test_text(*name, error != NULL ? error->message : "", "");
        lp_test_true(*name, text != NULL && check_text(*name, text, FALSE));
    }
}

/* Three levels and names with suffixes, which "generate" does not write. */
static void
test_by_hand(void)
{
    static const char *const trees[] = {"3;2,2,4;1,2,1;1,1,1", "3;2,2,4;1,1,2;1,1,1",
                                        "2;4,4;1,3;1,1", "1;16;1;1"};
    for (gsize i = 0; i < G_N_ELEMENTS(trees); i++) {
        g_autofree char *text = g_strdup_printf(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n"
            "<platform version='4.1'><zone id='m' routing='None'><prop id='system' value='x'/>"
            "<cluster id='a' prefix='' suffix='.up' radical='0-31' speed='1Tf' bw='1e11Bps' "
            "lat='1e-6s' sharing_policy='SPLITDUPLEX' topology='FLAT'>"
            "<prop id='role' value='scale-up'/><prop id='accelerator' value='tpu-v4'/>"
            "<prop id='domain-size' value='4'/><prop id='technology' value='optical'/></cluster>"
            "<cluster id='b' prefix='x1.' suffix='-out' radical='0-15' speed='1f' bw='100Gbps' "
            "lat='2us' sharing_policy='SPLITDUPLEX' topology='FAT_TREE' topo_parameters='%s'>"
            "<prop id='role' value='scale-out'/><prop id='port-order' value='node'/>"
            "<prop id='cards-per-domain' value='2'/><prop id='technology' value='optical'/>"
            "</cluster></zone></platform>",
            trees[i]);
        check_text(trees[i], text, FALSE);
    }
}

/* Whatever an attribute is changed to: if the checks let it pass, SimGrid must not abort. */
static void
test_mutated(void)
{
    static const char *const values[] = {
        "0",    "nan", "1e30",     "text",      "",        "0-3",     "1Bps", "1EBps",
        "0s",   "1s",  "1f",       "1",         "0-31",    "out-",    "up-",  "out-3",
        "up-1", "_",   "scale-up", "scale-out", "1e18Bps", "1e-300s", "1e24f"};
    g_autofree char *text = lp_generated_text(
        "--system=generic --accelerators=32 --leaf-ports=8 --domain-size=4", NULL);
    g_autoptr(GRegex) attribute = g_regex_new(" [a-z_]+=\"([^\"]*)\"", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    guint n_taken = 0;
    for (g_regex_match(attribute, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        int start, end, value_start, value_end;
        g_match_info_fetch_pos(match, 0, &start, &end);
        g_match_info_fetch_pos(match, 1, &value_start, &value_end);
        for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
            g_autofree char *changed =
                g_strdup_printf("%.*s%s%s", value_start, text, values[i], text + value_end);
            g_autofree char *label =
                g_strdup_printf("%.*s: %s", end - start, text + start, values[i]);
            n_taken += check_text(label, changed, TRUE) ? 1 : 0;
        }
    }
    lp_test_true("some are machines", n_taken > 50);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped}, {"generated", test_generated},
                                       {"systems", test_systems}, {"by hand", test_by_hand},
                                       {"mutated", test_mutated}, {NULL, NULL}};
    return lp_test_run("stock SimGrid", cases);
}
