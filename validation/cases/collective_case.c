/* SPDX-License-Identifier: Apache-2.0 */
/* Restates a row of measured collectives as a collective run on a generated machine.
 *
 * What rows leave open: without a size, or with "large", 4 GiB, at which only rates matter; "not
 * stated" is a probe of 1 GiB; of a range of sizes the larger; without domains, as few as hold
 * the ranks; without accelerator, an A100 with four cards of a domain's stated rate. */
#include "validation/cases/collective_case.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/generation/system.h"
#include "platforms/machine/machine_library.h"
#include "sim/run/collective_run.h"
#include "validation/cases/accelerator_name.h"
#include "validation/cases/expert_exchange.h"
#include "validation/cases/row_source.h"

#include <math.h>
#include <string.h>

#define LARGE_BYTES (4.0 * 0x1p30)
#define BYTES_MAX 1e13
#define RANKS_MAX 65536u
#define DOMAIN_DEFAULT 8u
#define UNNAMED_ACCELERATOR "a100-80"
#define UNNAMED_CARDS 4u

typedef struct {
    const LpTableRow *row; /* borrowed */
    LpOutcome *outcome;    /* borrowed */
    LpMeasuredMachine described;
    char *accelerator; /* owned */
    LpCollective collective;
    guint32 n_ranks;
    guint64 bytes;
    gboolean is_ring;             /* the row says that nothing is reduced in switches */
    gboolean has_lists;           /* of PyTorch: what is gathered, or is to be scattered */
    gboolean is_exchange;         /* of tokens: */
    LpExpertExchange tokens;      /* where the size counts them */
    const LpConstants *constants; /* borrowed: NULL: the shipped ones */
} Row;

static void
row_clear(Row *self)
{
    g_free(self->accelerator);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Row, row_clear)

/* --- reading --- */

static gboolean
is_time(const LpTableRow *row)
{
    const char *usable = lp_table_text(row, "usable");
    return strcmp(usable, "time") == 0 ||
           (strcmp(usable, "bandwidth") != 0 && lp_table_has(row, "time_us"));
}

static void
describe(const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    double value = 0.0;
    outcome->measure = is_time(row) ? LP_MEASURE_TIME : LP_MEASURE_BANDWIDTH;
    if (!lp_table_measured(row, is_time(row) ? "time_us" : "busbw_GBps", &value, &error)) {
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
        return;
    }
    outcome->measured = value * (is_time(row) ? 1e-6 : 1e9);
}

/* "128M" is 128 MiB, as nccl-tests have it, and so is "128 MB"; "1G..8G" is 8 GiB. */
static gboolean
parse_stated(const char *text, double *out_bytes)
{
    const char *last = strstr(text, "..");
    g_autoptr(GRegex) pattern =
        g_regex_new("^ *([0-9.]+) *([kmg]?)i?b? *$", G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(pattern, last != NULL ? last + 2 : text, 0, &match))
        return FALSE;
    g_autofree char *number = g_match_info_fetch(match, 1);
    g_autofree char *prefix = g_match_info_fetch(match, 2);
    static const char prefixes[] = "kmg";
    const char *place = *prefix != '\0' ? strchr(prefixes, g_ascii_tolower(*prefix)) : NULL;
    double factor = place != NULL ? exp2(10.0 * (double)(place - prefixes + 1)) : 1.0;
    return lp_number_parse(number, 0.0, BYTES_MAX / factor, out_bytes, NULL) &&
           (*out_bytes *= factor) >= 1.0;
}

/* Of what is not stated: what the source is known to take, or so many that only rates matter. */
static guint64
inferred_bytes(Row *self)
{
    LpRowProbe probe;
    if (!lp_row_source_probe(lp_table_text(self->row, "source"), &probe)) {
        lp_outcome_infer(self->outcome, "large: 4 GiB, at which only rates matter");
        return (guint64)LARGE_BYTES;
    }
    self->has_lists = probe.has_lists;
    lp_outcome_infer(self->outcome, "size not stated: %.0f MiB%s, what that source times",
                     probe.bytes / 0x1p20, probe.has_lists ? " in lists" : "");
    return (guint64)probe.bytes;
}

static gboolean
read_size(Row *self, GError **error)
{
    guint64 bytes = 0;
    const char *stated = lp_table_text(self->row, "bytes_as_stated");
    if (!lp_table_count(self->row, "bytes", 1, (guint64)BYTES_MAX, &bytes, error))
        return FALSE;
    double parsed = 0.0;
    if (bytes == 0 && parse_stated(stated, &parsed))
        bytes = (guint64)parsed;
    if (bytes == 0)
        self->is_exchange =
            lp_expert_exchange_parse(stated, lp_table_text(self->row, "variant"), &self->tokens);
    if (bytes == 0 && !self->is_exchange) {
        if (is_time(self->row))
            return lp_table_fault(self->row, "bytes", "a size, where a time was measured", error);
        bytes = inferred_bytes(self);
    }
    self->bytes = bytes;
    return TRUE;
}

/* "~800 Gb/s per node", where neither accelerator nor cards are named. */
static void
read_unnamed(Row *self, const char *hardware)
{
    g_autoptr(GRegex) pattern =
        g_regex_new("([0-9.]+) *Gb(?:ps|/s) +per +node", G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    lp_outcome_infer(self->outcome, "accelerator not named: " UNNAMED_ACCELERATOR);
    double gbps = 0.0;
    if (!g_regex_match(pattern, hardware, 0, &match) || self->described.n_cards > 0)
        return;
    g_autofree char *number = g_match_info_fetch(match, 1);
    if (!lp_number_parse(number, 1.0, 1e6, &gbps, NULL))
        return;
    self->described.n_cards = MIN(UNNAMED_CARDS, self->described.domain_size);
    self->described.card_bytes_per_s = gbps / 8.0 * 1e9 / self->described.n_cards;
    lp_outcome_infer(self->outcome, "%g Gb/s a domain, as %u cards", gbps, self->described.n_cards);
}

static gboolean
read_accelerator(Row *self, GError **error)
{
    const char *hardware = lp_table_text(self->row, "hardware_as_stated");
    const char *name = lp_table_text(self->row, "accelerator");
    g_autoptr(GError) fault = NULL;
    self->accelerator = lp_accelerator_name_match(*name != '\0' ? name : hardware, &fault);
    if (fault != NULL) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    if (self->accelerator == NULL && *name != '\0')
        return lp_table_fault(self->row, "accelerator", "one that \"platform list\" knows", error);
    if (self->accelerator == NULL) {
        self->accelerator = g_strdup(UNNAMED_ACCELERATOR);
        read_unnamed(self, hardware);
    }
    self->described.accelerator = self->accelerator;
    return TRUE;
}

static gboolean
read_shape(Row *self, GError **error)
{
    guint64 n_ranks = 0, intra = 0, n_domains = 0, n_cards = 0;
    double up_gb_per_s = 0.0, card_gbps = 0.0;
    if (!lp_table_count(self->row, "ranks", 2, RANKS_MAX, &n_ranks, error) ||
        !lp_table_count(self->row, "accelerators_per_domain", 1, RANKS_MAX, &intra, error) ||
        !lp_table_count(self->row, "domains", 1, RANKS_MAX, &n_domains, error) ||
        !lp_table_count(self->row, "nics_per_domain", 0, RANKS_MAX, &n_cards, error) ||
        !lp_table_number(self->row, "scale_up_GBps", 0.0, 1e6, &up_gb_per_s, error) ||
        !lp_table_number(self->row, "nic_Gbps", 0.0, 1e6, &card_gbps, error))
        return FALSE;
    if (n_ranks == 0)
        return lp_table_fault(self->row, "ranks", "how many took part", error);
    if (intra == 0) {
        intra = DOMAIN_DEFAULT;
        lp_outcome_infer(self->outcome, "domains of %u", DOMAIN_DEFAULT);
    }
    if (n_domains == 0) {
        n_domains = (n_ranks + intra - 1) / intra;
        lp_outcome_infer(self->outcome, "%" G_GUINT64_FORMAT " domains", n_domains);
    }
    if (intra * n_domains > RANKS_MAX)
        return lp_table_fault(self->row, "domains", "at most 65536 accelerators in all", error);
    if (n_ranks > intra * n_domains)
        return lp_table_fault(self->row, "ranks", "no more than the domains hold", error);
    self->n_ranks = (guint32)n_ranks;
    self->described.domain_size = (guint32)intra;
    self->described.n_domains = (guint32)n_domains;
    self->described.domain_bytes_per_s = up_gb_per_s * 1e9;
    self->described.n_cards = card_gbps > 0.0 ? (guint32)n_cards : 0;
    self->described.card_bytes_per_s = card_gbps / 8.0 * 1e9;
    return TRUE;
}

static gboolean
read_row(Row *self, const LpTableRow *row, LpOutcome *outcome, GError **error)
{
    self->row = row;
    self->outcome = outcome;
    g_autoptr(GError) fault = NULL;
    int collective = lp_choice_parse(lp_table_text(row, "operation"), lp_collective_names, &fault);
    if (collective < 0)
        return lp_table_fault(row, "operation", "a collective", error);
    self->collective = (LpCollective)collective;
    self->is_ring = strstr(lp_table_text(row, "hardware_as_stated"), "NVLS off") != NULL;
    if (!read_shape(self, error) || !read_accelerator(self, error) || !read_size(self, error))
        return FALSE;
    if (self->is_exchange && self->collective != LP_COLLECTIVE_ALL_TO_ALL)
        return lp_table_fault(row, "bytes_as_stated", "bytes: only all-to-alls count tokens",
                              error);
    return TRUE;
}

/* --- runs --- */

/* That of the system that the row's source ran on. Returns: (transfer full). */
static char *
library_of(const LpTableRow *row)
{
    g_autofree char *name = lp_row_source_system(lp_table_text(row, "source"));
    g_autoptr(LpMachineSpecification) system = name != NULL ? lp_system_load(name, NULL) : NULL;
    return g_strdup(system != NULL && system->library != NULL ? system->library : LP_LIBRARY_AUTO);
}

static gboolean
run_request(LpCollectiveRequest *request, const LpMachine *machine, const char *library,
            const LpConstants *constants, double *out_time_s, GError **error)
{
    LpCollectiveResult result;
    if (!lp_machine_library(machine, library, &request->library, error))
        return FALSE;
    lp_constants_to_library(constants, &request->library);
    if (request->algorithms.n_levels > 0 &&
        !lp_library_restrict(&request->library, "simple", error))
        return FALSE;
    if (!lp_collective_run_apart(request, machine, &result, error))
        return FALSE;
    *out_time_s = result.run.iteration_time_s;
    return TRUE;
}

/* Where fewer ranks take part than the domains hold, as many of each domain, unless the row says
 * that they stand in one. Returns: (transfer full) the accelerator of each rank, or NULL if ranks
 * are packed. */
static guint32 *
spread(const Row *self)
{
    guint32 intra = self->described.domain_size, n_domains = self->described.n_domains;
    gboolean is_inside = strstr(lp_table_text(self->row, "variant"), "intra") != NULL;
    if (is_inside || self->n_ranks == intra * n_domains || self->n_ranks % n_domains != 0)
        return NULL;
    guint32 own = self->n_ranks / n_domains;
    guint32 *accelerators = g_new(guint32, self->n_ranks);
    for (guint32 rank = 0; rank < self->n_ranks; rank++)
        accelerators[rank] = rank / own * intra + rank % own;
    return accelerators;
}

/* The closed form's time: a ring without protocols; 0 for collectives that it does not have. */
static double
consistent_s(const Row *self, const LpMachine *machine, const guint32 *accelerators)
{
    LpFabric fabric = lp_machine_fabric(machine);
    guint64 last = accelerators != NULL ? accelerators[self->n_ranks - 1] : self->n_ranks - 1;
    LpFabricConnection connection = accelerators != NULL
                                        ? lp_fabric_connection(&fabric, accelerators[0], last)
                                        : lp_fabric_ring_connection(&fabric, 1, self->n_ranks);
    double all_reduce_s =
        lp_fabric_connection_all_reduce_s(&connection, self->n_ranks, (double)self->bytes);
    switch (self->collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        return all_reduce_s;
    case LP_COLLECTIVE_REDUCE_SCATTER:
    case LP_COLLECTIVE_ALL_GATHER:
        return all_reduce_s / 2.0;
    case LP_COLLECTIVE_ALL_TO_ALL:
        return lp_fabric_connection_message_s(
            &connection,
            (double)self->bytes * lp_collective_bus_factor(self->collective, self->n_ranks));
    default:
        return 0.0;
    }
}

/* To gather into a list of tensors, and to scatter one, PyTorch has a buffer of its own,
 * with a copy for each rank (pytorch/pytorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:
 * allgather, reduce_scatter). */
static double
list_copies_s(const Row *self, const LpMachine *machine)
{
    gboolean has_list = self->collective == LP_COLLECTIVE_ALL_GATHER ||
                        self->collective == LP_COLLECTIVE_REDUCE_SCATTER;
    const LpAccelerator *accelerator = &machine->accelerator;
    if (!self->has_lists || !has_list)
        return 0.0;
    return 2.0 * (double)self->bytes /
           (accelerator->memory_bytes_per_s * accelerator->memory_efficiency);
}

static double
in_measure(const Row *self, double time_s)
{
    if (!(time_s > 0.0) || self->outcome->measure == LP_MEASURE_TIME)
        return time_s;
    return (double)self->bytes * lp_collective_bus_factor(self->collective, self->n_ranks) / time_s;
}

static gboolean
predict_bytes(const Row *self, const LpMachine *machine, GError **error)
{
    g_autofree guint32 *accelerators = spread(self);
    LpCollectiveRequest request = {.collective = self->collective,
                                   .bytes = self->bytes,
                                   .n_ranks = self->n_ranks,
                                   .n_groups = 1,
                                   .accelerators = accelerators};
    if (self->is_ring)
        request.algorithms = (LpAlgorithms){.n_levels = 1, .level = {LP_ALGORITHM_RING}};
    g_autofree char *library = library_of(self->row);
    double time_s = 0.0;
    if (!run_request(&request, machine, library, self->constants, &time_s, error))
        return FALSE;
    time_s += list_copies_s(self, machine);
    self->outcome->predicted[LP_PREDICTION_SIMULATED] = in_measure(self, time_s);
    self->outcome->predicted[LP_PREDICTION_CONSISTENT] =
        in_measure(self, consistent_s(self, machine, accelerators));
    return TRUE;
}

/* --- exchanges of tokens --- */

/* One all-to-all, in which each rank has @bytes for all, its own part among them. */
static gboolean
exchange_s(const Row *self, const LpMachine *machine, guint32 n_ranks, guint32 n_groups,
           gboolean strided, double bytes, double *out_time_s, GError **error)
{
    LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_TO_ALL,
                                   .bytes = (guint64)bytes,
                                   .n_ranks = n_ranks,
                                   .n_groups = n_groups,
                                   .strided = strided};
    g_autofree char *library = library_of(self->row);
    return run_request(&request, machine, library, self->constants, out_time_s, error);
}

/* What leaves a rank for its own domain and for others, each over its own network at once: the
 * closed form's X(n, V) without latency. @inside, @across: with the parts that stay. */
static double
consistent_exchange_s(const Row *self, const LpMachine *machine, double inside, double across)
{
    LpFabric fabric = lp_machine_fabric(machine);
    double intra = fabric.domain_size, n = self->n_ranks, n_domains = n / intra;
    double inside_s = inside * (intra - 1.0) / intra / fabric.scale_up_bytes_per_s;
    if (n_domains <= 1.0)
        return inside_s;
    return fmax(inside_s, across * (n_domains - 1.0) / n_domains / fabric.scale_out_bytes_per_s);
}

/* Normal kernels send one copy to each domain, over the rail, and pass it on inside; both go on at
 * the same time, and the slower one counts. The counted bytes are those on the rails, or in the
 * domain if there is but one. */
static gboolean
staged_exchange_s(const Row *self, const LpMachine *machine, double token_bytes, double *out_bytes,
                  double *out_time_s, double *out_consistent_s, GError **error)
{
    guint32 n_domains = self->described.n_domains;
    guint32 intra = self->n_ranks / n_domains;
    double inside =
        token_bytes * lp_expert_exchange_rank_copies(&self->tokens, self->n_ranks, n_domains);
    double across = token_bytes * lp_expert_exchange_domain_copies(&self->tokens, n_domains);
    double inside_s = 0.0, across_s = 0.0;
    if (intra > 1 && !exchange_s(self, machine, intra, n_domains, FALSE, inside, &inside_s, error))
        return FALSE;
    if (n_domains > 1 &&
        !exchange_s(self, machine, n_domains, intra, TRUE, across, &across_s, error))
        return FALSE;
    *out_bytes = n_domains > 1 ? across : inside;
    *out_time_s = fmax(inside_s, across_s);
    *out_consistent_s = consistent_exchange_s(self, machine, inside, across);
    return TRUE;
}

/* DeepEP's bandwidth counts the bytes that stay on their rank, too. */
static double
counted(const Row *self, double bytes, double time_s)
{
    return self->outcome->measure == LP_MEASURE_TIME || !(time_s > 0.0) ? time_s : bytes / time_s;
}

static gboolean
predict_exchange(const Row *self, const LpMachine *machine, GError **error)
{
    if (self->n_ranks != self->described.domain_size * self->described.n_domains)
        return lp_table_fault(self->row, "ranks", "all of the domains, for an exchange", error);
    double token_bytes = self->tokens.n_tokens * lp_expert_exchange_token_bytes(&self->tokens);
    double bytes = token_bytes * lp_expert_exchange_rank_copies(&self->tokens, self->n_ranks,
                                                                self->described.n_domains);
    /* Of the copies to experts, those in the own domain and those beyond it. */
    double consistent =
        consistent_exchange_s(self, machine, bytes / self->described.n_domains, bytes);
    double time_s = 0.0;
    gboolean is_done =
        self->tokens.is_per_expert
            ? exchange_s(self, machine, self->n_ranks, 1, FALSE, bytes, &time_s, error)
            : staged_exchange_s(self, machine, token_bytes, &bytes, &time_s, &consistent, error);
    if (!is_done)
        return FALSE;
    self->outcome->predicted[LP_PREDICTION_SIMULATED] = counted(self, bytes, time_s);
    self->outcome->predicted[LP_PREDICTION_CONSISTENT] = counted(self, bytes, consistent);
    return TRUE;
}

static void
predict(const LpTableRow *row, const LpConstants *constants, LpOutcome *outcome)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachine) machine = NULL;
    g_auto(Row) self = {.row = NULL};
    self.constants = constants;
    gboolean is_done = read_row(&self, row, outcome, &error) &&
                       (machine = lp_measured_machine_new(&self.described, &error)) != NULL &&
                       (self.is_exchange ? predict_exchange(&self, machine, &error)
                                         : predict_bytes(&self, machine, &error));
    if (!is_done)
        lp_outcome_fail(outcome, LP_OUTCOME_FAILED, error->message);
}

const LpCaseKind lp_collective_case = {
    .measure = LP_MEASURE_BANDWIDTH,
    .describe = describe,
    .predict = predict,
};

gboolean
lp_collective_case_all_reduce_s(const LpMeasuredMachine *described, guint64 bytes,
                                const LpConstants *constants, double *out_time_s, GError **error)
{
    g_autoptr(LpMachine) machine = lp_measured_machine_new(described, error);
    LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_REDUCE,
                                   .bytes = bytes,
                                   .n_ranks = described->domain_size,
                                   .n_groups = 1};
    return machine != NULL &&
           run_request(&request, machine, LP_LIBRARY_AUTO, constants, out_time_s, error);
}
