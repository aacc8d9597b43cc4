/* SPDX-License-Identifier: Apache-2.0 */
/* Every collective by every algorithm, on machines of all kinds, in both fidelities. */
#include "cli/bench_accuracy.h"

#include "platforms/catalogue/libraries.h"
#include "platforms/machine/machine_library.h"
#include "base/json.h"
#include "report/result_field.h"
#include "platforms/generation/generate.h"
#include "sim/run/collective_run.h"

#include <math.h>
#include <string.h>

#define ACCELERATORS 64u

typedef struct {
    const char *name;
    const char *options;
} Fabric;

/* 64 accelerators each; leaves of two domains, so that groups can cross them. */
static const Fabric fabrics[] = {
    {"dgx-a100", "--system=dgx-a100 --accelerators=64"},
    {"fat-tree-4:1", "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=8 "
                     "--leaf-ports=16 --oversubscription=4"},
    {"hashed", "--system=generic --accelerators=64 --domain-size=8 --nics-per-domain=8 "
               "--leaf-ports=16 --path-choice=hash --paths=8"},
    {"rail-only", "--system=rail-only --accelerators=64"},
    {"torus-4x4x4",
     "--system=generic --accelerators=64 --domain-size=1 --topology=torus --dimensions=4x4x4"},
    {"dragonfly", "--system=generic --accelerators=64 --domain-size=4 --topology=dragonfly "
                  "--group-routers=4 --router-ports=4"},
};

#define CAN(name) (1u << LP_COLLECTIVE_##name)
#define REDUCING (CAN(ALL_REDUCE) | CAN(REDUCE_SCATTER) | CAN(ALL_GATHER))
#define ROOTED (CAN(BROADCAST) | CAN(REDUCE))

/** An algorithm, and the bound on its worst row. */
typedef struct {
    const char *name;
    guint collectives;
    double bound;
    gboolean as_library; /**< what the machine's library chooses */
} Algorithm;

/* 5 % where partners stay, 10 % where they change with the step. */
static const Algorithm algorithms[] = {
    {"ring", REDUCING | ROOTED, 0.05, FALSE},
    {"tree", CAN(ALL_REDUCE) | ROOTED, 0.05, FALSE},
    {"pairwise", REDUCING | CAN(ALL_TO_ALL), 0.05, FALSE},
    {"direct", REDUCING | CAN(ALL_TO_ALL) | ROOTED, 0.05, FALSE},
    {"doubling", CAN(ALL_REDUCE) | CAN(ALL_GATHER), 0.10, FALSE},
    {"halving-doubling", REDUCING | ROOTED, 0.10, FALSE},
    {"bruck", REDUCING | CAN(ALL_TO_ALL), 0.10, FALSE},
    {"torus", REDUCING, 0.10, FALSE},
    {"in-network", REDUCING | ROOTED, 0.10, FALSE},
    {"ring+ring", REDUCING, 0.10, FALSE},
    {"ring+tree", CAN(ALL_REDUCE), 0.10, FALSE},
    {"auto", REDUCING | CAN(ALL_TO_ALL), 0.10, TRUE},
};

/** The placement of groups. */
typedef enum {
    PLACE_ALONE,
    PLACE_STRIDED, /**< all groups at once, as rails */
    PLACE_CROSSED, /**< the same, each in a row of every second domain: groups cross leaves */
    N_PLACES
} Place;

static const char *const place_names[] = {"alone", "strided", "crossed"};

typedef struct {
    guint64 bytes;
    gboolean contended; /**< tried with several groups, too */
} Size;

static const Size sizes[] = {
    {64 << 10, TRUE}, {1 << 20, FALSE}, {16 << 20, TRUE}, {256 << 20, FALSE}};
static const guint32 rank_counts[] = {8, 16, 24, 64};

/** A row: one collective run twice. */
typedef struct {
    guint algorithm, fabric;
    LpCollective collective;
    guint64 bytes;
    guint32 n_ranks;
    Place place;
    double flow_s, message_s;
    double error; /**< flow over message, less 1 */
} Row;

LpMachine *
lp_bench_machine(const char *options, GError **error)
{
    g_autoptr(LpMachineSpecification) specification = lp_specification_parse(options, error);
    return specification != NULL
               ? lp_generate_machine(specification, "the benchmark's machine", error)
               : NULL;
}

static void
add_row(GArray *rows, GArray *requests, Row row, const LpLibrary *library, const guint32 *crossed)
{
    LpCollectiveRequest request = {.collective = row.collective,
                                   .bytes = row.bytes,
                                   .n_ranks = row.n_ranks,
                                   .n_groups =
                                       row.place == PLACE_ALONE ? 1 : ACCELERATORS / row.n_ranks,
                                   .strided = row.place == PLACE_STRIDED,
                                   .library = *library,
                                   .accelerators = row.place == PLACE_CROSSED ? crossed : NULL};
    if (!lp_algorithms_parse(algorithms[row.algorithm].name, &request.algorithms))
        g_assert_not_reached();
    g_array_append_val(rows, row);
    request.fidelity = LP_FIDELITY_FLOW;
    g_array_append_val(requests, request);
    request.fidelity = LP_FIDELITY_MESSAGE;
    g_array_append_val(requests, request);
}

/* A torus is where one is, and switches are not on one; groups of all 64 have no other beside them.
 */
static gboolean
is_wanted(const Row *row, const Size *size, const LpMachine *machine)
{
    gboolean is_torus = strcmp(algorithms[row->algorithm].name, "torus") == 0;
    gboolean has_torus = machine->cluster[LP_ATTACHMENT_SCALE_OUT].topology == LP_TOPOLOGY_TORUS;
    gboolean has_library = machine->domain_size > 1;
    gboolean is_switch = strcmp(algorithms[row->algorithm].name, "in-network") == 0;
    if ((is_torus && !has_torus) || (is_switch && has_torus) ||
        (algorithms[row->algorithm].as_library && !has_library))
        return FALSE;
    gboolean is_contended = size->contended && (row->n_ranks == 8 || row->n_ranks == 24);
    return row->place == PLACE_ALONE || is_contended;
}

static void
add_rows(GArray *rows, GArray *requests, guint fabric, const LpMachine *machine,
         const LpLibrary *ideal, const LpLibrary *own, const guint32 *crossed)
{
    for (guint algorithm = 0; algorithm < G_N_ELEMENTS(algorithms); algorithm++)
        for (LpCollective collective = 0; collective < LP_N_COLLECTIVES; collective++)
            for (guint ranks = 0; ranks < G_N_ELEMENTS(rank_counts); ranks++)
                for (guint size = 0; size < G_N_ELEMENTS(sizes); size++)
                    for (Place place = 0; place < N_PLACES; place++) {
                        const Row row = {.algorithm = algorithm,
                                         .fabric = fabric,
                                         .collective = collective,
                                         .bytes = sizes[size].bytes,
                                         .n_ranks = rank_counts[ranks],
                                         .place = place};
                        if ((algorithms[algorithm].collectives & (1u << collective)) != 0 &&
                            is_wanted(&row, &sizes[size], machine))
                            add_row(rows, requests, row,
                                    algorithms[algorithm].as_library ? own : ideal, crossed);
                    }
}

/* Domains in the order 0, 2, 4 ... 1, 3, 5 ...: neighbours are below different leaves. */
static guint32 *
new_crossed(const LpMachine *machine)
{
    guint32 *accelerators = g_new(guint32, ACCELERATORS);
    guint32 size = (guint32)machine->domain_size, n_half = ACCELERATORS / size / 2;
    for (guint32 i = 0; i < ACCELERATORS; i++) {
        guint32 domain = i / size;
        accelerators[i] = (domain % n_half * 2 + domain / n_half) * size + i % size;
    }
    return accelerators;
}

/* Takes over what came of the rows. A block that no torus algorithm fits on is no row. */
static gboolean
take(GArray *rows, const GArray *candidates, const LpCollectiveOutcome *outcomes, GError **error)
{
    for (guint i = 0; i < candidates->len; i++) {
        Row row = g_array_index(candidates, Row, i);
        const LpCollectiveOutcome *flow = &outcomes[2 * i], *message = &outcomes[2 * i + 1];
        const GError *fault = flow->error != NULL ? flow->error : message->error;
        if (fault != NULL && strcmp(algorithms[row.algorithm].name, "torus") == 0)
            continue;
        if (fault != NULL) {
            g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_RUN,
                        "accuracy: %s by %s on %s: %s", lp_collective_names[row.collective],
                        algorithms[row.algorithm].name, fabrics[row.fabric].name, fault->message);
            return FALSE;
        }
        row.flow_s = flow->result.run.iteration_time_s;
        row.message_s = message->result.run.iteration_time_s;
        row.error = row.flow_s / row.message_s - 1.0;
        g_array_append_val(rows, row);
    }
    return TRUE;
}

static gboolean
run_fabric(guint fabric, GArray *rows, GError **error)
{
    g_autoptr(LpMachine) machine = lp_bench_machine(fabrics[fabric].options, error);
    if (machine == NULL)
        return FALSE;
    g_autofree LpLibrary *ideal = g_new(LpLibrary, 1), *own = g_new(LpLibrary, 1);
    if (!lp_library_find(LP_LIBRARY_SINGLE_RING, ideal, error) ||
        !lp_machine_library(machine, LP_LIBRARY_AUTO, own, error))
        return FALSE;
    g_autofree guint32 *crossed = new_crossed(machine);
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Row));
    g_autoptr(GArray) requests = g_array_new(FALSE, FALSE, sizeof(LpCollectiveRequest));
    add_rows(candidates, requests, fabric, machine, ideal, own, crossed);
    LpCollectiveOutcome *outcomes = g_new0(LpCollectiveOutcome, requests->len);
    gboolean good = lp_collective_run_all((const LpCollectiveRequest *)(gpointer)requests->data,
                                          requests->len, machine, NULL, NULL, outcomes, error) &&
                    take(rows, candidates, outcomes, error);
    lp_collective_outcomes_free(outcomes, requests->len);
    return good;
}

/* --- what came of it --- */

static gint
by_error(gconstpointer a, gconstpointer b)
{
    double first = fabs(((const Row *)a)->error), second = fabs(((const Row *)b)->error);
    return first < second ? -1 : first > second;
}

/* The rows of @algorithm, or of all from G_N_ELEMENTS(algorithms) on; the smallest error first. */
static GArray *
select_rows(const GArray *rows, guint algorithm)
{
    GArray *selected = g_array_new(FALSE, FALSE, sizeof(Row));
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        if (algorithm >= G_N_ELEMENTS(algorithms) || row->algorithm == algorithm)
            g_array_append_vals(selected, row, 1);
    }
    g_array_sort(selected, by_error);
    return selected;
}

/* The error that @share of the sorted @rows do not exceed: one that a row has, where the score of
 * measured rows (validation/prediction/score.h) interpolates between two. */
static double
quantile(const GArray *rows, double share)
{
    guint place = (guint)ceil(share * rows->len);
    return fabs(g_array_index(rows, Row, MAX(place, 1) - 1).error);
}

static void
add_line(LpTextTable *table, const GArray *rows, guint algorithm)
{
    g_autoptr(GArray) own = select_rows(rows, algorithm);
    const char *name =
        algorithm < G_N_ELEMENTS(algorithms) ? algorithms[algorithm].name : "all of them";
    if (own->len == 0)
        return;
    const Row *worst = &g_array_index(own, Row, own->len - 1);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    lp_text_table_add_cell(table, "%u", own->len);
    lp_text_table_add_cell(table, "%.2f", 100.0 * quantile(own, 0.5));
    lp_text_table_add_cell(table, "%.2f", 100.0 * quantile(own, 0.9));
    lp_text_table_add_cell(table, "%+.2f", 100.0 * worst->error);
    lp_text_table_add_cell(table, "%s of %" G_GUINT64_FORMAT " KiB, %u ranks, %s, %s",
                           lp_collective_names[worst->collective], worst->bytes >> 10,
                           worst->n_ranks, fabrics[worst->fabric].name, place_names[worst->place]);
}

static char *
to_text(const GArray *rows)
{
    static const char *const columns[] = {"/algorithms/0/algorithm", "/algorithms/0/rows",
                                          "/algorithms/0/median",    "/algorithms/0/ninth_decile",
                                          "/algorithms/0/worst",     NULL};
    GString *out = g_string_new(NULL);
    g_autoptr(LpTextTable) table =
        lp_result_field_new_table("accuracy", columns, (const char *const[]){"", NULL});
    for (guint i = 0; i <= G_N_ELEMENTS(algorithms); i++)
        add_line(table, rows, i);
    lp_text_table_append(out, table, 0);
    return g_string_free(out, FALSE);
}

static json_t *
to_json(const GArray *rows)
{
    json_t *root = lp_json_document();
    json_t *summaries = lp_json_set_array(root, "algorithms");
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_autoptr(GArray) own = select_rows(rows, i);
        if (own->len == 0)
            continue;
        json_t *summary = lp_json_append_object(summaries);
        lp_json_set_text(summary, "algorithm", algorithms[i].name);
        lp_json_set_count(summary, "rows", own->len);
        lp_json_set_number(summary, "median", quantile(own, 0.5));
        lp_json_set_number(summary, "ninth_decile", quantile(own, 0.9));
        lp_json_set_number(summary, "worst", quantile(own, 1.0));
        lp_json_set_number(summary, "bound", algorithms[i].bound);
    }
    json_t *runs = lp_json_set_array(root, "rows");
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        json_t *run = lp_json_append_object(runs);
        lp_json_set_text(run, "algorithm", algorithms[row->algorithm].name);
        lp_json_set_text(run, "operation", lp_collective_names[row->collective]);
        lp_json_set_text(run, "fabric", fabrics[row->fabric].name);
        lp_json_set_text(run, "place", place_names[row->place]);
        lp_json_set_count(run, "bytes", row->bytes);
        lp_json_set_count(run, "ranks", row->n_ranks);
        lp_json_set_number(run, "flow_s", row->flow_s);
        lp_json_set_number(run, "message_s", row->message_s);
        lp_json_set_number(run, "error", row->error);
    }
    return root;
}

gboolean
lp_bench_accuracy(LpFormat format, GError **error)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(Row));
    for (guint i = 0; i < G_N_ELEMENTS(fabrics); i++)
        if (!run_fabric(i, rows, error))
            return FALSE;
    if (format == LP_FORMAT_JSON)
        return lp_print_json(to_json(rows), error);
    g_autofree char *text = to_text(rows);
    return lp_print_result(text, error);
}
