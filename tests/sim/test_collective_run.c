/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of scheduled collectives: alone, contended, over relays, on a torus, by switches. */
#include "sim/run/collective_run.h"

#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

/* Every port at 25 GB/s, and nothing else that is shared. */
static const char crossbar[] =
    "--system=generic --accelerators=32 --domain-size=8 --nics-per-domain=8 --topology=crossbar "
    "--scale-out-bandwidth=25GBps --domain-bandwidth=300GBps";

static LpCollectiveRequest
request_of(const LpLibrary *library, LpCollective collective, const char *algorithm, guint64 bytes,
           guint32 n_ranks)
{
    LpCollectiveRequest request = {
        .collective = collective, .bytes = bytes, .n_ranks = n_ranks, .library = *library};
    lp_test_true(algorithm, lp_algorithms_parse(algorithm, &request.algorithms));
    return request;
}

#define REDUCING "all-reduce reduce-scatter all-gather"
#define ROOTED "broadcast reduce"

static const struct {
    const char *algorithm, *collectives;
    double within; /* flow of message */
} algorithms[] = {
    {"ring", REDUCING " " ROOTED, 0.05},
    {"tree", "all-reduce " ROOTED, 0.05},
    {"doubling", "all-reduce all-gather barrier", 0.10},
    {"halving-doubling", REDUCING " " ROOTED, 0.10},
    {"bruck", REDUCING " all-to-all barrier", 0.10},
    {"pairwise", REDUCING " all-to-all", 0.05},
    {"direct", REDUCING " all-to-all barrier " ROOTED, 0.05},
    {"in-network", REDUCING " barrier " ROOTED, 0.10},
    {"ring+ring", REDUCING " " ROOTED, 0.10},
    {"ring+tree", "all-reduce " ROOTED, 0.10},
    {"in-network+direct", REDUCING, 0.10},
};

/* A protocol with everything: twice the bytes within domains and between them, and hops. */
static LpLibrary
costly_library(void)
{
    LpLibrary library = {.name = "costly", .n_protocols = 1};
    library.protocols[0] = (LpProtocol){.name = "all",
                                        .base_s = 10e-6,
                                        .hop_s = {1e-6, 5e-6},
                                        .chunk_bytes = 65536.0,
                                        .wire_factor = {2.0, 2.0}};
    return library;
}

/* Twice each, in flow and in message. */
static void
add_requests(GArray *requests, const LpLibrary *library, guint64 bytes, guint32 n_ranks)
{
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_auto(GStrv) collectives = g_strsplit(algorithms[i].collectives, " ", -1);
        for (guint k = 0; collectives[k] != NULL; k++) {
            int collective = lp_choice_parse(collectives[k], lp_collective_names, NULL);
            lp_test_true(collectives[k], collective >= 0);
            LpCollectiveRequest request = request_of(library, (LpCollective)collective,
                                                     algorithms[i].algorithm, bytes, n_ranks);
            g_array_append_val(requests, request);
            request.fidelity = LP_FIDELITY_MESSAGE;
            g_array_append_val(requests, request);
        }
    }
}

static double
within_of(const LpCollectiveRequest *request)
{
    g_autofree char *name = lp_algorithms_format(&request->algorithms);
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++)
        if (strcmp(algorithms[i].algorithm, name) == 0)
            return algorithms[i].within;
    return 0.0;
}

/* The engine rounds to instants that differ by 1e-12, once for each of a chain's messages. */
#define ISOLATED_WITHIN 1e-7

static char *
label_of(const LpCollectiveRequest *request)
{
    g_autofree char *name = lp_algorithms_format(&request->algorithms);
    return g_strdup_printf("%s by %s, %" G_GUINT64_FORMAT " bytes, %u ranks, %s",
                           lp_collective_names[request->collective], name, request->bytes,
                           request->n_ranks, lp_fidelity_names[request->fidelity]);
}

/* Alone, the engine takes what the arithmetic says; every byte that leaves arrives, and they are
 * those of the schedule, twice; and flow is as near to message as it claims. */
static void
test_alone(void)
{
    const LpLibrary library = costly_library();
    g_autoptr(LpMachine) machine = lp_generated_machine_good(crossbar);
    g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(LpCollectiveRequest));
    add_requests(requests, &library, 1000003, 32);
    add_requests(requests, &library, 40000, 24);
    add_requests(requests, &library, 8 << 20, 8);
    LpCollectiveOutcome *outcomes = g_new0(LpCollectiveOutcome, requests->len);
    g_autoptr(GError) error = NULL;
    if (machine == NULL ||
        !lp_collective_run_all((const LpCollectiveRequest *)(gpointer)requests->data, requests->len,
                               machine, NULL, NULL, outcomes, &error)) {
        lp_test_text("alone", error != NULL ? error->message : "no machine", NULL);
        return;
    }
    for (guint i = 0; i < requests->len; i++) {
        const LpCollectiveRequest *request = &g_array_index(requests, LpCollectiveRequest, i);
        const LpRunResult *run = &outcomes[i].result.run;
        g_autofree char *label = label_of(request);
        lp_test_text(label, outcomes[i].error != NULL ? outcomes[i].error->message : NULL, NULL);
        lp_test_true(label, run->iteration_time_s > 10e-6);
        lp_test_close(label, run->iteration_time_s, outcomes[i].result.isolated_s, ISOLATED_WITHIN);
        lp_test_true(label, run->sent_bytes == run->received_bytes && run->sent_bytes > 0);
        /* By way of a switch a flow is as large as the larger of what a port gives and gets. */
        gboolean by_switch = strstr(label, "in-network") != NULL;
        guint64 wire_bytes = 2 * run->traffic_bytes[LP_TRAFFIC_DP];
        lp_test_true(label,
                     by_switch ? run->sent_bytes >= wire_bytes : run->sent_bytes == wire_bytes);
        if (request->fidelity == LP_FIDELITY_MESSAGE)
            lp_test_close(label, outcomes[i - 1].result.run.iteration_time_s, run->iteration_time_s,
                          within_of(request));
    }
    lp_collective_outcomes_free(outcomes, requests->len);
}

static gboolean
run(const char *options, const LpCollectiveRequest *request, LpCollectiveResult *out_result,
    GError **error)
{
    g_autoptr(LpMachine) machine = lp_generated_machine_good(options);
    return machine != NULL && lp_collective_run_in_child(request, machine, out_result, error);
}

static LpCollectiveResult
run_good(const char *label, const char *options, const LpCollectiveRequest *request)
{
    LpCollectiveResult result = {.isolated_s = 0.0};
    g_autoptr(GError) error = NULL;
    lp_test_true(label, run(options, request, &result, &error));
    lp_test_text(label, error != NULL ? error->message : NULL, NULL);
    return result;
}

/* Two leaves with one link up each: two groups of two that cross it, 0-4 and 1-5, share it and take
 * twice as long; without latency exactly so. */
static void
test_contended(void)
{
    static const char narrow[] =
        "--system=generic --accelerators=8 --domain-size=1 --leaf-ports=4 --oversubscription=4 "
        "--scale-out-bandwidth=25GBps --scale-out-latency=0s";
    static const guint32 crossing[] = {0, 4, 1, 5}, inside[] = {0, 1, 4, 5};
    static const char *const names[] = {"direct", "tree", "doubling", "pairwise"};
    LpLibrary library;
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        for (LpFidelity fidelity = LP_FIDELITY_FLOW; fidelity <= LP_FIDELITY_MESSAGE; fidelity++) {
            LpCollectiveRequest request =
                request_of(&library, LP_COLLECTIVE_ALL_REDUCE, names[i], 1 << 20, 2);
            request.fidelity = fidelity;
            request.n_groups = 2;
            request.accelerators = crossing;
            LpCollectiveResult result = run_good(names[i], narrow, &request);
            lp_test_close(names[i], result.run.iteration_time_s, 2.0 * result.isolated_s, 1e-9);
            request.accelerators = inside;
            result = run_good(names[i], narrow, &request);
            lp_test_close(names[i], result.run.iteration_time_s, result.isolated_s, 1e-9);
        }
}

/* Two domains of eight whose rails never meet. Each member's 15 messages: 7 stay in the domain, one
 * keeps to its rail, 7 change it and take a flow more. No latency: flows are all there is. */
static void
test_relays(void)
{
    static const char rails[] =
        "--system=rail-only --accelerators=16 --domain-latency=0s --scale-out-latency=0s";
    LpLibrary library;
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    const LpCollectiveRequest request =
        request_of(&library, LP_COLLECTIVE_ALL_TO_ALL, "direct", 16 << 20, 16);
    LpCollectiveResult result = run_good("relays", rails, &request);
    lp_test_true("flows", result.run.n_activities == 16 * (7 + 1 + 2 * 7));
    lp_test_close("alone", result.run.iteration_time_s, result.isolated_s, 1e-9);
    /* 8 MiB leave each member's domain; no more than that may pass its card, and no less. */
    lp_test_true("at least the cards' time",
                 result.run.iteration_time_s >= (8 << 20) / 50e9 * (1.0 - 1e-9));
}

#define TORUS_LATENCY_S 675e-9
#define TORUS_BYTES_PER_S 25e9

/* Of V bytes over d x d members, half begin with either dimension, half of that either way round:
 * reduce-scatters of V/4 and of V/4d, and back. */
static double
torus_s(double bytes, double d)
{
    double step_s =
        TORUS_LATENCY_S * 2.0 + bytes / 4.0 / TORUS_BYTES_PER_S * (1.0 / d + 1.0 / d / d);
    return 2.0 * (d - 1.0) * step_s;
}

static void
test_torus(void)
{
    static const char torus[] = "--system=generic --accelerators=64 --domain-size=1 "
                                "--topology=torus --dimensions=4x4x4 --scale-out-bandwidth=25GBps";
    static const struct {
        const char *label;
        guint32 n_ranks, n_groups;
        gboolean strided;
        const char *algorithm; /* NULL: refused */
    } rows[] = {
        {"x and y", 16, 1, FALSE, "torus"}, {"y and z", 16, 4, TRUE, "torus"},
        {"all", 64, 1, FALSE, "torus"},     {"half of y", 8, 1, FALSE, "torus"},
        {"x", 4, 1, FALSE, "torus"},        {"z", 4, 16, TRUE, "torus"},
        {"no block", 24, 1, FALSE, NULL},   {"every second", 8, 2, TRUE, "torus"},
        {"every third", 8, 3, TRUE, NULL},
    };
    LpLibrary library;
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpCollectiveRequest request =
            request_of(&library, LP_COLLECTIVE_ALL_REDUCE, "torus", 1 << 20, rows[i].n_ranks);
        request.n_groups = rows[i].n_groups;
        request.strided = rows[i].strided;
        LpCollectiveResult result = {.isolated_s = 0.0};
        g_autoptr(GError) error = NULL;
        gboolean good = run(torus, &request, &result, &error);
        lp_test_true(rows[i].label, good == (rows[i].algorithm != NULL));
        if (!good) {
            lp_test_error(rows[i].label, &error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_LEVELS,
                          "fill no block of a torus");
            continue;
        }
        lp_test_text(rows[i].label, result.algorithm, rows[i].algorithm);
        if (rows[i].n_ranks == 16)
            lp_test_close(rows[i].label, result.run.iteration_time_s, torus_s(1 << 20, 4.0), 1e-9);
    }
}

/* Each port of an all-reduce by switch carries V (1 + 1/n) each way; of the others V one way. */
static void
test_switch(void)
{
    static const struct {
        LpCollective collective;
        double load; /* over V */
    } rows[] = {{LP_COLLECTIVE_ALL_REDUCE, 1.125},
                {LP_COLLECTIVE_REDUCE, 1.0},
                {LP_COLLECTIVE_REDUCE_SCATTER, 1.0},
                {LP_COLLECTIVE_ALL_GATHER, 1.0},
                {LP_COLLECTIVE_BROADCAST, 1.0}};
    LpLibrary library;
    lp_test_true("single-ring", lp_library_find("single-ring", &library, NULL));
    const double bytes = 256 << 20;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (LpFidelity fidelity = LP_FIDELITY_FLOW; fidelity <= LP_FIDELITY_MESSAGE; fidelity++) {
            LpCollectiveRequest request =
                request_of(&library, rows[i].collective, "in-network", (guint64)bytes, 8);
            request.fidelity = fidelity;
            const char *label = lp_collective_names[rows[i].collective];
            LpCollectiveResult result = run_good(label, crossbar, &request);
            double least_s = rows[i].load * bytes / 300e9;
            lp_test_true(label, result.run.iteration_time_s >= least_s * (1.0 - 1e-9));
            lp_test_close(label, result.run.iteration_time_s, least_s, 0.03);
        }
}

/* Worked out or simulated, groups that have their links to themselves take the same time and send
 * as much: rings whose members differ in what messages take, with blocks of unequal length, and
 * scheduled collectives. */
static void
test_collapse(void)
{
    static const struct {
        const char *machine, *algorithm;
        guint32 n_ranks, n_groups;
        gboolean strided;
        guint64 bytes;
    } worked_out[] = {
        {"--system=dgx-h100 --accelerators=64", "ring", 64, 1, FALSE, 1000003},
        {"--system=dgx-h100 --accelerators=64", "ring", 64, 1, FALSE, 64 << 20},
        {"--system=dgx-h100 --accelerators=64", "ring", 8, 8, TRUE, 1000003},
        {"--system=dgx-h100 --accelerators=64", "tree", 16, 1, FALSE, 1 << 20},
        {"--system=generic --accelerators=64 --topology=dragonfly-plus", "ring", 60, 1, FALSE,
         999983},
        {"--system=generic --accelerators=64 --domain-size=4 --topology=torus", "ring", 48, 1,
         FALSE, 7777777},
        {"--system=generic --accelerators=64 --leaf-ports=16 --path-choice=hash --paths=4", "ring",
         32, 2, FALSE, 100},
    };
    g_autoptr(GError) error = NULL;
    LpLibrary library;
    lp_test_true("library", lp_library_find("single-ring", &library, &error));
    for (guint i = 0; i < 2 * G_N_ELEMENTS(worked_out); i++) {
        guint row = i / 2;
        LpCollectiveRequest request =
            request_of(&library, LP_COLLECTIVE_ALL_REDUCE, worked_out[row].algorithm,
                       worked_out[row].bytes, worked_out[row].n_ranks);
        request.n_groups = worked_out[row].n_groups;
        request.strided = worked_out[row].strided;
        request.fidelity = i % 2 == 0 ? LP_FIDELITY_FLOW : LP_FIDELITY_MESSAGE;
        g_autofree char *label = label_of(&request);
        LpCollectiveResult simulated = run_good(label, worked_out[row].machine, &request);
        request.collapse = TRUE;
        LpCollectiveResult found = run_good(label, worked_out[row].machine, &request);
        lp_test_true(label, found.run.n_activities == 0 && simulated.run.n_activities > 0);
        lp_test_close(label, found.run.iteration_time_s, simulated.run.iteration_time_s, 1e-9);
        lp_test_true(label, found.run.traffic_bytes[LP_TRAFFIC_DP] ==
                                simulated.run.traffic_bytes[LP_TRAFFIC_DP]);
    }
}

/* Groups that meet on up-links are simulated. */
static void
test_no_collapse(void)
{
    g_autoptr(GError) error = NULL;
    LpLibrary library;
    lp_test_true("library", lp_library_find("single-ring", &library, &error));
    LpCollectiveRequest request =
        request_of(&library, LP_COLLECTIVE_ALL_REDUCE, "ring", 1 << 20, 8);
    request.n_groups = 8;
    request.strided = TRUE;
    request.collapse = TRUE;
    LpCollectiveResult result =
        run_good("groups that meet",
                 "--system=dgx-h100 --accelerators=64 --port-order=node --leaf-ports=8 "
                 "--oversubscription=4",
                 &request);
    lp_test_true("groups that meet", result.run.n_activities > 0);
    lp_test_true("take longer than alone", result.run.iteration_time_s > 1.5 * result.isolated_s);
}

/* 64 ranks send 1 MB to each other, message by message. Leaves hold one rail of all eight domains:
 * what a neighbour on the rail is sent meets nothing, but of each rank's messages 7 x 7 change the
 * rail. They go over the spine, where a leaf's eight ports share two links of 50 GB/s; or, where
 * rails never meet, through a member of the own domain, over cards that are nobody's own. */
static void
test_rails_changed(void)
{
    static const struct {
        const char *machine;
        double least_s;
    } rows[] = {
        {"--system=dgx-h100 --accelerators=64 --oversubscription=4", 8 * 49e6 / 100e9},
        {"--system=dgx-h100 --accelerators=64 --port-order=node --leaf-ports=16 "
         "--oversubscription=4",
         16 * 48e6 / 200e9},
        {"--system=dgx-h100 --accelerators=64 --joined-rails=no", 56e6 / 50e9},
        {"--system=rail-only --accelerators=64", 56e6 / 50e9},
    };
    LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_TO_ALL,
                                   .bytes = 64000000,
                                   .n_ranks = 64,
                                   .fidelity = LP_FIDELITY_MESSAGE};
    lp_test_true("single-ring", lp_library_find("single-ring", &request.library, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        request.collapse = FALSE;
        LpCollectiveResult simulated = run_good(rows[i].machine, rows[i].machine, &request);
        request.collapse = TRUE;
        LpCollectiveResult found = run_good(rows[i].machine, rows[i].machine, &request);
        lp_test_true(rows[i].machine, found.run.n_activities > 0);
        lp_test_true(rows[i].machine, found.run.iteration_time_s >= rows[i].least_s);
        /* Flows meet in other order by classes, where rounding may decide who ends first. */
        lp_test_close(rows[i].machine, found.run.iteration_time_s, simulated.run.iteration_time_s,
                      1e-6);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"alone", test_alone},
                                       {"contended", test_contended},
                                       {"relays", test_relays},
                                       {"torus", test_torus},
                                       {"switch", test_switch},
                                       {"collapse", test_collapse},
                                       {"no collapse", test_no_collapse},
                                       {"rails changed", test_rails_changed},
                                       {NULL, NULL}};
    return lp_test_run("collective runs", cases);
}
