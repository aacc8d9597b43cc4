/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of "lightpath goodput" as options describe it. */
#include "cli/fleet_options.h"

#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"
#include "model/reliability/availability.h"
#include "platforms/machine/part_count.h"

#include <string.h>

#define DEFAULT_PROFILE "llama-3"
#define SPARES_MAX 1000000
#define DEFAULT_HOST_SIZE 8
#define HOPS_MAX 1024
#define RING_WORK_MAX 100000000000 /* of the closed form: some minutes */

void
lp_fleet_options_clear(LpFleetOptions *self)
{
    g_free(self->reliability);
    g_free(self->block);
    g_free(self->host_size);
    g_free(self->spares);
    g_free(self->slices);
    g_free(self->packing);
    g_free(self->grid);
    g_free(self->shape);
    g_free(self->pod);
    g_free(self->group);
    g_free(self->hops);
    g_free(self->regroup);
    g_strfreev(self->parts);
}

LpReliability *
lp_fleet_options_reliability(const LpFleetOptions *self, GError **error)
{
    g_autoptr(GError) fault = NULL;
    const char *names = self->reliability != NULL ? self->reliability : DEFAULT_PROFILE;
    g_autoptr(LpReliability) reliability = lp_reliability_load(names, error);
    if (reliability == NULL) {
        g_prefix_error(error, "--reliability: ");
        return NULL;
    }
    for (char **part = self->parts; part != NULL && *part != NULL; part++)
        if (!lp_reliability_set_part(reliability, *part, &fault)) {
            lp_usage_error(error, "--part: %s", fault->message);
            return NULL;
        }
    return g_steal_pointer(&reliability);
}

/* --- blocks --- */

static gboolean
read_count(const char *option, const char *text, guint64 maximum, guint64 fallback, guint64 *out,
           GError **error)
{
    guint count = 0;
    if (!lp_option_count(option, text, 1, maximum, fallback, &count, error))
        return FALSE;
    *out = count;
    return TRUE;
}

/* What the profile says, if it does. */
static guint64
setting_or(const LpGoodputReport *report, LpReliabilitySetting setting, guint64 fallback)
{
    double value = report->reliability->setting[setting].value;
    return value > 0.0 ? (guint64)value : fallback;
}

static gboolean
read_blocks(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    const LpMachine *machine = report->machine;
    guint64 most = machine->n_accelerators, domain = machine->domain_size, host = 0;
    if (!read_count("host-size", self->host_size, most,
                    setting_or(report, LP_RELIABILITY_HOST_SIZE, DEFAULT_HOST_SIZE), &host, error))
        return FALSE;
    report->host_size = lp_machine_host_size(machine, host);
    guint64 fallback = MAX(domain, MIN(report->host_size, most));
    if (!read_count("block", self->block, most, setting_or(report, LP_RELIABILITY_BLOCK, fallback),
                    &report->block_accelerators, error))
        return FALSE;
    guint64 block = report->block_accelerators;
    if ((block % domain != 0 && domain % block != 0) || block > most)
        return lp_usage_error(
            error,
            "--block: got %" G_GUINT64_FORMAT ", wanted whole domains of %" G_GUINT64_FORMAT
            " or equal parts of one, at most all %" G_GUINT64_FORMAT " accelerators",
            block, domain, most);
    report->input.fleet.n_blocks = most / block;
    return TRUE;
}

/* --- slices --- */

static gboolean
read_slices(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    guint64 n_ranks = lp_plan_n_ranks(&report->workload->plan);
    guint64 block = report->block_accelerators;
    fleet->slice_blocks = (n_ranks + block - 1) / block;
    guint64 most = fleet->n_blocks / fleet->slice_blocks;
    if (most == 0)
        return lp_usage_error(error,
                              "--block: got %" G_GUINT64_FORMAT
                              " whole blocks, wanted the %" G_GUINT64_FORMAT " of the job",
                              fleet->n_blocks, fleet->slice_blocks);
    gboolean is_most = g_strcmp0(self->slices, "max") == 0;
    if (!read_count("slices", is_most ? NULL : self->slices, most, is_most ? most : 1,
                    &fleet->n_slices, error))
        return FALSE;
    report->n_accelerators = report->machine->n_accelerators;
    if (self->spares != NULL) {
        guint n_spares = 0;
        if (!lp_option_count("spares", self->spares, 0, SPARES_MAX, 0, &n_spares, error))
            return FALSE;
        fleet->n_blocks = fleet->n_slices * fleet->slice_blocks + n_spares;
        report->n_accelerators = fleet->n_blocks * block;
    }
    fleet->slice_share = (double)n_ranks / (double)report->n_accelerators;
    return TRUE;
}

/* "4x4x2"; missing dimensions are 1. */
static gboolean
read_box(const char *option, const char *text, guint64 wanted, guint64 out_box[3], GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (text == NULL)
        return lp_usage_error(error, "--%s: got none, wanted blocks as AxBxC for packing %s",
                              option, lp_packing_names[LP_PACKING_CONTIGUOUS]);
    g_auto(GStrv) sides = g_strsplit(text, "x", 4);
    guint n = g_strv_length(sides);
    guint64 product = 1;
    for (guint i = 0; i < 3; i++) {
        out_box[i] = 1;
        if (i < n && !lp_count_parse(sides[i], 1, 65536, &out_box[i], &fault))
            return lp_usage_error(error, "--%s: %s", option, fault->message);
        product *= out_box[i];
    }
    g_autofree char *shown = lp_error_quote(text);
    return (n <= 3 && product == wanted) ||
           lp_usage_error(error,
                          "--%s: got %s, wanted up to three sides whose product is the "
                          "%" G_GUINT64_FORMAT " blocks",
                          option, shown, wanted);
}

/* Accelerators that make whole blocks. */
static gboolean
read_whole(const char *option, const char *text, const LpGoodputReport *report, guint64 fallback,
           guint64 *out_blocks, GError **error)
{
    guint64 block = report->block_accelerators, n = 0;
    if (!read_count(option, text, report->n_accelerators, fallback * block, &n, error))
        return FALSE;
    *out_blocks = n / block;
    return n % block == 0 || lp_usage_error(error,
                                            "--%s: got %" G_GUINT64_FORMAT
                                            ", wanted whole blocks of %" G_GUINT64_FORMAT,
                                            option, n, block);
}

/* Groups divide the job. */
static gboolean
read_group(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    if (!read_whole("group", self->group, report, fleet->slice_blocks, &fleet->group_blocks, error))
        return FALSE;
    return fleet->slice_blocks % fleet->group_blocks == 0 ||
           lp_usage_error(error,
                          "--group: got %" G_GUINT64_FORMAT
                          " blocks, wanted whole groups in the job's %" G_GUINT64_FORMAT,
                          fleet->group_blocks, fleet->slice_blocks);
}

static gboolean
read_pods(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    if (self->pod == NULL)
        return lp_usage_error(error, "--pod: got none, wanted accelerators for packing pods");
    if (!read_whole("pod", self->pod, report, 0, &fleet->pod_blocks, error) ||
        !read_group(self, report, error))
        return FALSE;
    if (fleet->n_blocks % fleet->pod_blocks != 0)
        return lp_usage_error(error,
                              "--pod: got %" G_GUINT64_FORMAT
                              " blocks, wanted a divisor of the machine's %" G_GUINT64_FORMAT,
                              fleet->pod_blocks, fleet->n_blocks);
    if (fleet->group_blocks > fleet->pod_blocks)
        return lp_usage_error(error,
                              "--group: got %" G_GUINT64_FORMAT
                              " blocks, wanted at most the pod's %" G_GUINT64_FORMAT,
                              fleet->group_blocks, fleet->pod_blocks);
    guint64 groups =
        fleet->n_blocks / fleet->pod_blocks * (fleet->pod_blocks / fleet->group_blocks);
    guint64 most = groups / (fleet->slice_blocks / fleet->group_blocks);
    if (g_strcmp0(self->slices, "max") == 0 && most > 0)
        fleet->n_slices = most;
    return fleet->n_slices <= most || lp_usage_error(error,
                                                     "--pod: got room for %" G_GUINT64_FORMAT
                                                     " jobs, wanted it for %" G_GUINT64_FORMAT,
                                                     most, fleet->n_slices);
}

static gboolean
read_rings(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    if (self->hops == NULL)
        return lp_usage_error(error, "--hops: got none, wanted blocks for packing rings");
    if (!read_count("hops", self->hops, HOPS_MAX, 0, &fleet->hops, error) ||
        !read_group(self, report, error))
        return FALSE;
    if (lp_availability_ring_workspace(fleet->n_blocks, fleet->group_blocks, fleet->hops) >
        RING_WORK_MAX / fleet->n_blocks)
        return lp_usage_error(error,
                              "--hops: got %" G_GUINT64_FORMAT " over %" G_GUINT64_FORMAT
                              " blocks, wanted fewer of them, or larger groups",
                              fleet->hops, fleet->n_blocks);
    return TRUE;
}

static gboolean
read_regroup(const LpFleetOptions *self, LpFleet *fleet, GError **error)
{
    guint regroup = 0;
    if (!lp_option_choice("regroup", self->regroup, lp_regroup_names, LP_REGROUP_NEVER, &regroup,
                          error))
        return FALSE;
    fleet->regroup = (LpRegroup)regroup;
    return fleet->packing != LP_PACKING_CONTIGUOUS || fleet->regroup == LP_REGROUP_NEVER ||
           lp_usage_error(error, "--regroup: got free, wanted never with --packing=contiguous: the "
                                 "best way to fill a torus with boxes is not known");
}

static gboolean
read_packing(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    guint packing = 0;
    if (!lp_option_choice("packing", self->packing, lp_packing_names, LP_PACKING_ANY, &packing,
                          error))
        return FALSE;
    fleet->packing = (LpPacking)packing;
    if (!read_regroup(self, fleet, error))
        return FALSE;
    const struct {
        const char *option, *text;
        LpPacking packing;
    } only[] = {{"grid", self->grid, LP_PACKING_CONTIGUOUS},
                {"shape", self->shape, LP_PACKING_CONTIGUOUS},
                {"pod", self->pod, LP_PACKING_PODS},
                {"group", fleet->packing == LP_PACKING_RINGS ? NULL : self->group, LP_PACKING_PODS},
                {"hops", self->hops, LP_PACKING_RINGS}};
    for (guint i = 0; i < G_N_ELEMENTS(only); i++)
        if (only[i].text != NULL && fleet->packing != only[i].packing)
            return lp_usage_error(error, "--%s: got %s, wanted it with --packing=%s only",
                                  only[i].option, only[i].text, lp_packing_names[only[i].packing]);
    if (fleet->packing == LP_PACKING_PODS)
        return read_pods(self, report, error);
    if (fleet->packing == LP_PACKING_RINGS)
        return read_rings(self, report, error);
    return fleet->packing != LP_PACKING_CONTIGUOUS ||
           (read_box("grid", self->grid, fleet->n_blocks, fleet->grid, error) &&
            read_box("shape", self->shape, fleet->slice_blocks, fleet->shape, error));
}

/* --- parts --- */

/* Counts are of the machine in its file; spares bring blocks like the others. */
static gboolean
count_parts(LpGoodputReport *report, LpGoodputPart part, GError **error)
{
    LpFleet *fleet = &report->input.fleet;
    const LpPartReliability *known = &report->reliability->part[part];
    LpFailingParts *parts = &fleet->parts[part];
    if (!lp_reliability_parts(report->reliability, part, parts, error)) {
        g_prefix_error(error, "--part: ");
        return FALSE;
    }
    if (!known->is_known)
        return TRUE;
    guint64 n = known->has_count ? known->count
                                 : lp_machine_part_count(report->machine, part, report->host_size);
    parts->count = report->n_parts[part] = n;
    if (parts->effect != LP_EFFECT_BLOCK)
        return TRUE;
    guint64 all = report->machine->n_accelerators, block = report->block_accelerators;
    if (n * block % all != 0)
        return lp_usage_error(error,
                              "--block: got %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                              " accelerators, wanted whole parts in it: the machine has "
                              "%" G_GUINT64_FORMAT " %ss",
                              block, all, n, lp_part_names[part]);
    parts->count = n * block / all;
    report->n_parts[part] = parts->count * fleet->n_blocks;
    return TRUE;
}

gboolean
lp_fleet_options_fill(const LpFleetOptions *self, LpGoodputReport *report, GError **error)
{
    if (!read_blocks(self, report, error) || !read_slices(self, report, error) ||
        !read_packing(self, report, error))
        return FALSE;
    for (LpGoodputPart part = 0; part < LP_N_PARTS; part++)
        if (!count_parts(report, part, error))
            return FALSE;
    return TRUE;
}
