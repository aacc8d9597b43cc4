/* SPDX-License-Identifier: Apache-2.0 */
/* Proposes a plan for an imported model by trying those in powers of two. */
#include "cli/import_plan.h"

#include "base/file.h"
#include "cli/inputs.h"
#include "cli/plan_fit.h"
#include "sim/simulation_error.h"

#include <math.h>
#include <string.h>

/* Fewer let pipelines idle: a bubble of at most a fifth. */
#define MICRO_BATCHES_PER_STAGE 4
/* The tokens of an iteration: Llama 2 (arXiv 2307.09288, table 1) and Llama 3 (arXiv 2407.21783,
 * section 3.4) have 4 million. There are not more sequences than vision transformers have images
 * (arXiv 2010.11929). */
#define BATCH_TOKENS 4194304
#define BATCH_SEQUENCES_MAX 4096
/* The tokens of a micro-batch of several sequences, which keep kernels busy. */
#define MICRO_BATCH_TOKENS 8192
/* Stages of fewer layers are hard to balance. */
#define LAYERS_PER_STAGE 4
/* The closed form does not see how uneven stages are, nor all that parts wait for. */
#define WORTH_DIVIDING 0.1

/* What saves memory at a price, the cheapest first. */
static const struct {
    gboolean shards; /* parameters, too, whatever the framework does */
    const char *recompute;
    gboolean has_stages; /* whether the model may be divided into stages, too */
} savings[] = {{FALSE, "none", TRUE}, {FALSE, "full", TRUE}, {TRUE, "full", FALSE}};

/* What is sought. */
typedef struct {
    LpImport *import;         /* borrowed */
    const char *path;         /* borrowed: what messages name */
    const LpMachine *machine; /* borrowed */
    const char *zero;         /* static: of the framework, or of most */
    guint64 seq, n_layers;
    gboolean has_experts;
} Search;

typedef struct {
    guint64 tp, pp, ep, micro_batch;
    guint saving;
} Division;

/* The best so far. */
typedef struct {
    Division division;
    double seconds; /* of a sequence; INFINITY: there is none */
} Found;

static guint64
round_up(guint64 value, guint64 unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The sequences of each replica, chosen so that all replicas have about the tokens of a batch, and
 * stages have enough of them. */
static guint64
n_sequences(const Search *search, const Division *division, guint64 dp)
{
    guint64 wanted = MIN(MAX(BATCH_TOKENS / search->seq, 1), BATCH_SEQUENCES_MAX);
    guint64 unit = division->micro_batch * division->pp;
    return round_up(MAX(wanted / dp, MICRO_BATCHES_PER_STAGE * unit), unit);
}

/* Gives the import the attributes of @division. */
static void
divide(const Search *search, const Division *division)
{
    LpImport *import = search->import;
    guint64 dp = search->machine->n_accelerators / (division->tp * division->pp);
    const struct {
        const char *attribute;
        guint64 value;
    } counts[] = {{"tp", division->tp},
                  {"pp", division->pp},
                  {"dp", dp},
                  {"ep", division->ep},
                  {"micro-batch", division->micro_batch},
                  {"global-batch", dp * n_sequences(search, division, dp)}};
    g_autofree char *key = g_strdup_printf("fits %s", lp_file_label(search->machine->path));
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, counts[i].value);
        if (strcmp(counts[i].attribute, "ep") != 0 || counts[i].value > 1 ||
            lp_import_value(import, "ep") != NULL)
            lp_import_replace(import, counts[i].attribute, text, key);
    }
    lp_import_replace(import, "sequence-parallel", division->tp > 1 ? "yes" : "no", key);
    lp_import_replace(import, "zero", savings[division->saving].shards ? "3" : search->zero, key);
    lp_import_replace(import, "recompute", savings[division->saving].recompute, key);
}

/* The model with the plan of @division on the machine. */
static LpWorkload *
divided(const Search *search, const Division *division, GError **error)
{
    const LpMachine *machine = search->machine;
    divide(search, division);
    g_autoptr(LpWorkload) workload = lp_import_workload(search->import, search->path, error);
    if (workload == NULL ||
        !lp_workload_apply_machine(workload, machine->domain_size, &machine->accelerator, error))
        return NULL;
    return g_steal_pointer(&workload);
}

/* The time of a sequence by the closed form; INFINITY where the plan does not fit. */
static double
sequence_s(const Search *search, const Division *division)
{
    const LpMachine *machine = search->machine;
    g_autoptr(LpWorkload) workload = divided(search, division, NULL);
    if (workload == NULL || !lp_fit_runs_on(workload, machine))
        return (double)INFINITY;
    g_autoptr(LpSetup) setup = lp_setup_new(workload, machine, NULL);
    LpReport report;
    lp_report_init(&report, setup, NULL);
    double seconds = lp_terms_sum(&report.closed_form) / (double)workload->plan.batch.global;
    lp_report_clear(&report);
    return seconds;
}

/* The first, which divides the model less, holds unless another is much faster. */
static void
try(const Search *search, const Division *division, Found *found)
{
    double seconds = sequence_s(search, division);
    if (seconds < found->seconds * (1.0 - WORTH_DIVIDING))
        *found = (Found){*division, seconds};
}

/* @n_parts of powers of two, tensor parallelism first, at a price. */
static void
try_parts(const Search *search, guint64 n_parts, guint saving, Found *found)
{
    guint64 n = search->machine->n_accelerators;
    for (guint64 pp = 1; pp <= n_parts; pp *= 2) {
        guint64 tp = n_parts / pp;
        if (n % n_parts != 0 || tp > search->machine->domain_size ||
            pp > MAX(search->n_layers / LAYERS_PER_STAGE, 1) ||
            (pp > 1 && !savings[saving].has_stages))
            continue;
        for (guint64 ep = 1; ep <= n && (ep == 1 || search->has_experts); ep *= 2)
            try(search, &(Division){tp, pp, ep, 1, saving}, found);
    }
}

/* Sharding what the framework does not is for what fits in no other way. */
static void
search_all(const Search *search, Found *found)
{
    *found = (Found){.seconds = (double)INFINITY};
    for (guint saving = 0; saving < G_N_ELEMENTS(savings); saving++)
        for (guint64 n_parts = 1; n_parts <= search->machine->n_accelerators; n_parts *= 2)
            if (!savings[saving].shards || !isfinite(found->seconds))
                try_parts(search, n_parts, saving, found);
}

/* Enlarges the micro-batch to as many short sequences as still fit, of those that a batch has
 * anyway. */
static void
widen(const Search *search, Division *division)
{
    guint64 dp = search->machine->n_accelerators / (division->tp * division->pp);
    while (2 * division->micro_batch * search->seq <= MICRO_BATCH_TOKENS) {
        Division wider = *division;
        wider.micro_batch *= 2;
        if (n_sequences(search, &wider, dp) != n_sequences(search, division, dp) ||
            !isfinite(sequence_s(search, &wider)))
            break;
        *division = wider;
    }
    divide(search, division);
}

/* What is usual on the machine, and trains in the precision that is usual there: files say in which
 * weights are stored. */
static void
choose_software(LpImport *import, const LpMachine *machine)
{
    const LpAccelerator *accelerator = &machine->accelerator;
    const char *framework =
        g_str_has_prefix(accelerator->name, "tpu-") ? "maxtext" : "megatron-core";
    g_autofree char *key = g_strdup_printf("usual on %s", accelerator->name);
    if (lp_import_value(import, "framework") == NULL)
        lp_import_replace(import, "framework", framework, key);
    gboolean has_bf16 = accelerator->peak_flop_per_s[LP_PRECISION_BF16] > 0.0;
    if (g_strcmp0(lp_import_value(import, "precision"), "fp32") == 0)
        lp_import_replace(import, "precision", has_bf16 ? "bf16" : "fp16", key);
}

/* What the framework shards of itself. */
static const char *
usual_zero(LpImport *import, const char *path)
{
    g_autoptr(LpWorkload) workload = lp_import_workload(import, path, NULL);
    g_autofree char *zero = workload != NULL ? lp_input_attribute(workload, "zero") : NULL;
    return g_strcmp0(zero, "3") == 0 ? "3" : "1";
}

gboolean
lp_import_propose_plan(LpImport *import, const char *path, const LpMachine *machine,
                       const char *option, GError **error)
{
    choose_software(import, machine);
    Search search = {import,
                     path,
                     machine,
                     usual_zero(import, path),
                     MAX(g_ascii_strtoull(lp_import_value(import, "seq"), NULL, 10), 1),
                     g_ascii_strtoull(lp_import_value(import, "layers"), NULL, 10),
                     lp_import_value(import, "experts") != NULL};
    Found found;
    search_all(&search, &found);
    if (isfinite(found.seconds)) {
        widen(&search, &found.division);
        g_free(import->plan_source);
        import->plan_source = g_strdup_printf(
            "The plan is a beginning: of those in powers of two that fit on %s beside the "
            "memory reserve, the first that none is a tenth faster than, by the closed form; some "
            "4 million tokens a batch, or what its stages need.",
            lp_file_label(machine->path));
        return TRUE;
    }
    g_autoptr(LpWorkload) undivided = divided(&search, &(Division){1, 1, 1, 1, 0}, error);
    if (undivided == NULL)
        return FALSE;
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMORY,
                "%s: --%s: got %s, wanted a machine whose %" G_GUINT64_FORMAT
                " accelerators have the memory for this model and its reserve",
                path, option, lp_file_label(machine->path), machine->n_accelerators);
    return FALSE;
}
