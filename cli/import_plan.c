/* SPDX-License-Identifier: Apache-2.0 */
/* Proposes a plan for an imported model by trying those in powers of two. */
#include "cli/import_plan.h"

#include "base/file.h"
#include "cli/plan_fit.h"
#include "sim/simulation_error.h"

#include <string.h>

#define MICRO_BATCHES_PER_STAGE 4

/* What saves memory at a price, the cheapest first. */
static const struct {
    const char *zero, *recompute;
    gboolean has_stages; /* whether the model may be divided into stages, too */
} savings[] = {{"1", "none", TRUE}, {"1", "full", TRUE}, {"3", "full", FALSE}};

typedef struct {
    guint64 tp, pp, ep;
    guint saving;
} Division;

/* Sets the attributes of @division, or of the import's copy. */
static void
divide(LpImport *import, const Division *division, const LpMachine *machine)
{
    guint64 dp = machine->n_accelerators / (division->tp * division->pp);
    const struct {
        const char *attribute;
        guint64 value;
    } counts[] = {
        {"tp", division->tp}, {"pp", division->pp},
        {"dp", dp},           {"ep", division->ep},
        {"micro-batch", 1},   {"global-batch", dp * division->pp * MICRO_BATCHES_PER_STAGE}};
    g_autofree char *key = g_strdup_printf("fits %s", lp_file_label(machine->path));
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, counts[i].value);
        if (strcmp(counts[i].attribute, "ep") != 0 || counts[i].value > 1 ||
            lp_import_value(import, "ep") != NULL)
            lp_import_replace(import, counts[i].attribute, text, key);
    }
    lp_import_replace(import, "sequence-parallel", division->tp > 1 ? "yes" : "no", key);
    lp_import_replace(import, "zero", savings[division->saving].zero, key);
    lp_import_replace(import, "recompute", savings[division->saving].recompute, key);
}

static gboolean
fits(LpImport *import, const Division *division, const char *path, const LpMachine *machine)
{
    if (machine->n_accelerators % (division->tp * division->pp) != 0)
        return FALSE;
    divide(import, division, machine);
    g_autoptr(LpWorkload) workload = lp_import_workload(import, path, NULL);
    return workload != NULL && lp_fit_runs_on(workload, machine);
}

/* All ways to divide the model into @n_parts, tensor parallelism first. */
static gboolean
try_parts(LpImport *import, guint64 n_parts, guint saving, const char *path,
          const LpMachine *machine)
{
    for (guint64 tp = MIN(n_parts, machine->domain_size); tp >= 1; tp--) {
        if (n_parts % tp != 0 || (n_parts / tp > 1 && !savings[saving].has_stages))
            continue;
        for (guint64 ep = 1; ep <= machine->n_accelerators; ep *= 2) {
            Division division = {tp, n_parts / tp, ep, saving};
            if (fits(import, &division, path, machine))
                return TRUE;
        }
    }
    return FALSE;
}

gboolean
lp_import_propose_plan(LpImport *import, const char *path, const LpMachine *machine, GError **error)
{
    for (guint saving = 0; saving < G_N_ELEMENTS(savings); saving++)
        for (guint64 n_parts = 1; n_parts <= machine->n_accelerators; n_parts *= 2)
            if (try_parts(import, n_parts, saving, path, machine)) {
                g_free(import->plan_source);
                import->plan_source = g_strdup_printf(
                    "The plan is a beginning: the one that divides the model least, with %u "
                    "micro-batches for each stage and replica, and fits %s.",
                    MICRO_BATCHES_PER_STAGE, lp_file_label(machine->path));
                return TRUE;
            }
    g_set_error(error, LP_SIMULATION_ERROR, LP_SIMULATION_ERROR_MEMORY,
                "%s: --platform: got %s, wanted a machine whose %" G_GUINT64_FORMAT
                " accelerators have the memory for this model",
                path, lp_file_label(machine->path), machine->n_accelerators);
    return FALSE;
}
