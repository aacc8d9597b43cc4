/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tuning tables by the documentation of those that read them: NVIDIA/nccl 51c58fd,
 * plugins/tuner/example/README.md; meta-pytorch/torchcomms 46726f1, comms/ncclx/meta/tuner/
 * README.md; openucx/ucc 0741650, docs/user_guide.md. */
#include "report/tuning_export.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

const char *const lp_tuning_export_names[] = {"nccl-tuner", "ncclx", "ucc", NULL};

/* The largest size that NCCL's plug-in is told of. */
#define NCCL_BYTES_MAX G_GUINT64_CONSTANT(4294967295)

/* --- NCCL's algorithms and protocols --- */

/* What its tuners call an operation; NULL: they choose nothing for it. */
static const char *
nccl_operation(LpCollective collective)
{
    switch (collective) {
    case LP_COLLECTIVE_ALL_REDUCE:
        return "allreduce";
    case LP_COLLECTIVE_REDUCE_SCATTER:
        return "reducescatter";
    case LP_COLLECTIVE_ALL_GATHER:
        return "allgather";
    case LP_COLLECTIVE_BROADCAST:
        return "broadcast";
    case LP_COLLECTIVE_REDUCE:
        return "reduce";
    default:
        return NULL;
    }
}

static gboolean
is_nccl_operation(const LpTuningPoint *point)
{
    return nccl_operation(point->collective) != NULL;
}

/* What NCCL calls the algorithm of @rule; NULL: it has none of that kind. */
static const char *
nccl_algorithm(const LpLibraryRule *rule)
{
    const LpAlgorithms *algorithms = &rule->algorithms;
    if (algorithms->n_levels == 1)
        return algorithms->level[0] == LP_ALGORITHM_RING         ? "ring"
               : algorithms->level[0] == LP_ALGORITHM_TREE       ? "tree"
               : algorithms->level[0] == LP_ALGORITHM_IN_NETWORK ? "nvls"
                                                                 : NULL;
    return algorithms->n_levels == 2 && algorithms->level[0] == LP_ALGORITHM_IN_NETWORK &&
                   algorithms->level[1] == LP_ALGORITHM_TREE
               ? "nvls_tree"
               : NULL;
}

/* What NCCL calls the protocol: names here say, too, where it goes. */
static const char *
nccl_protocol(const LpProtocol *protocol)
{
    if (strstr(protocol->name, "ll128") != NULL)
        return "ll128";
    return strcmp(protocol->name, "ll") == 0 || g_str_has_suffix(protocol->name, "-ll") ? "ll"
                                                                                        : "simple";
}

/* Puts @rule behind those of @variant, for any size, unless one is for the same groups. */
static void
add_rule(LpLibrary *variant, LpLibraryRule rule)
{
    for (guint32 i = 0; i < variant->n_rules; i++) {
        const LpLibraryRule *known = &variant->rules[i];
        if (known->collective == rule.collective && known->spread == rule.spread &&
            known->ranks_max == rule.ranks_max)
            return;
    }
    rule.bytes_max = G_MAXUINT64;
    if (variant->n_rules < LP_LIBRARY_RULES_MAX)
        variant->rules[variant->n_rules++] = rule;
}

/* What runs @algorithm by @protocol of @from, whatever the size. A ring runs every operation, also
 * those for which @from never takes it by that protocol. */
static LpLibrary
variant_of(const LpLibrary *from, const char *algorithm, const char *protocol)
{
    LpLibrary variant = *from;
    gboolean is_ring = strcmp(algorithm, "ring") == 0;
    variant.n_rules = 0;
    for (guint of_others = 0; of_others <= (is_ring ? 1 : 0); of_others++)
        for (guint32 i = 0; i < from->n_rules; i++) {
            LpLibraryRule rule = from->rules[i];
            if (g_strcmp0(nccl_algorithm(&rule), algorithm) != 0 ||
                strcmp(nccl_protocol(&from->protocols[rule.protocol]), protocol) != 0)
                continue;
            if (of_others == 0)
                add_rule(&variant, rule);
            for (LpCollective other = 0; of_others == 1 && other < LP_N_COLLECTIVES; other++) {
                rule.collective = other;
                if (nccl_operation(other) != NULL)
                    add_rule(&variant, rule);
            }
        }
    g_snprintf(variant.name, sizeof variant.name, "%s,%s", algorithm, protocol);
    return variant;
}

/* Returns: how many there are of @from, in @out. */
static guint
find_variants(const LpLibrary *from, LpLibrary *out)
{
    static const char *const algorithms[] = {"ring", "tree", "nvls", "nvls_tree"};
    static const char *const protocols[] = {"ll", "ll128", "simple"};
    guint n = 0;
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++)
        for (guint j = 0; j < G_N_ELEMENTS(protocols); j++) {
            out[n] = variant_of(from, algorithms[i], protocols[j]);
            n += out[n].n_rules > 0;
        }
    return n;
}

/* The library that the tuners are for: an NCCL with choices of its own and no table. */
static const LpLibrary *
find_nccl(const LpTuning *tuning)
{
    for (guint i = 0; i < tuning->n_libraries; i++) {
        const LpLibrary *library = &tuning->libraries[i];
        if (strcmp(library->layer, "nccl") == 0 && library->n_measured == 0)
            return library;
    }
    return NULL;
}

/* Returns: (transfer full). */
static LpTuning *
tune_nccl(const LpTuning *tuning, GError **error)
{
    const LpLibrary *nccl = find_nccl(tuning);
    if (nccl == NULL) {
        lp_value_error(error, "got no library of NCCL whose algorithms and protocols are known, "
                              "wanted one, such as nccl-hopper");
        return NULL;
    }
    LpLibrary *variants = g_new0(LpLibrary, LP_TUNING_LIBRARIES_MAX);
    guint n = find_variants(nccl, variants);
    return lp_tuning_among(tuning, variants, n, is_nccl_operation, error);
}

/* --- ranges --- */

/* Sizes above @above and up to @up_to for which one of the libraries is best; G_MAXUINT64: any.
 * The first of a group has @above 0, and empty buffers, too. */
typedef struct {
    const LpTuningPoint *point; /* borrowed: the largest */
    guint best;
    guint64 above, up_to;
} Range;

static gboolean
is_one_group(const LpTuningPoint *a, const LpTuningPoint *b)
{
    return a->collective == b->collective && a->n_ranks == b->n_ranks && a->n_nodes == b->n_nodes;
}

static int
compare_sizes(gconstpointer a, gconstpointer b)
{
    const LpTuningPoint *x = *(const LpTuningPoint *const *)a;
    const LpTuningPoint *y = *(const LpTuningPoint *const *)b;
    const guint64 x_counts[] = {x->collective, x->n_nodes, x->n_ranks, x->bytes};
    const guint64 y_counts[] = {y->collective, y->n_nodes, y->n_ranks, y->bytes};
    for (guint i = 0; i < G_N_ELEMENTS(x_counts); i++)
        if (x_counts[i] != y_counts[i])
            return x_counts[i] < y_counts[i] ? -1 : 1;
    return 0;
}

/* Classes of groups are not told apart: of two with one size the first counts. Returns: (transfer
 * full) Range, in order. */
static GArray *
find_ranges(const LpTuning *tuning)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    g_autoptr(GPtrArray) points = g_ptr_array_new();
    for (guint i = 0; i < tuning->points->len; i++)
        g_ptr_array_add(points, (gpointer)(guintptr)lp_tuning_point(tuning, i));
    g_ptr_array_sort(points, compare_sizes);
    for (guint i = 0; i < points->len; i++) {
        const LpTuningPoint *point = points->pdata[i];
        Range *last = ranges->len > 0 ? &g_array_index(ranges, Range, ranges->len - 1) : NULL;
        gboolean goes_on = last != NULL && is_one_group(last->point, point);
        Range range = {point, lp_tuning_best(tuning, point), 0, G_MAXUINT64};
        if (goes_on && (last->point->bytes == point->bytes || last->best == range.best)) {
            last->point = point;
            continue;
        }
        if (goes_on)
            range.above = last->up_to = last->point->bytes;
        g_array_append_val(ranges, range);
    }
    return ranges;
}

/* --- files --- */

static void
append_nccl(GString *out, const LpTuning *tuning, const Range *range)
{
    guint64 from = range->above == 0 ? 0 : range->above + 1;
    if (from > NCCL_BYTES_MAX)
        return;
    g_string_append_printf(
        out, "%s,%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%s,-1,%u,%u,-1,-1\n",
        nccl_operation(range->point->collective), from, MIN(range->up_to, NCCL_BYTES_MAX),
        tuning->libraries[range->best].name, range->point->n_nodes, range->point->n_ranks);
}

/* Sizes are a rank's part there, rounded down. */
static void
append_ncclx(GString *out, const LpTuning *tuning, const Range *range)
{
    guint32 n = range->point->n_ranks;
    if (range->above > 0 && range->up_to / n <= range->above / n)
        return;
    g_string_append_printf(out, "%s,", nccl_operation(range->point->collective));
    if (range->above == 0)
        g_string_append(out, "[0,");
    else
        g_string_append_printf(out, "(%" G_GUINT64_FORMAT ",", range->above / n);
    if (range->up_to == G_MAXUINT64)
        g_string_append(out, ")");
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT "]", range->up_to / n);
    g_string_append_printf(out, ",%s,-1,%u,%u,-1,-1\n", tuning->libraries[range->best].name,
                           range->point->n_nodes, n / range->point->n_nodes);
}

static char *
export_nccl(const LpTuning *tuning, const char *columns,
            void (*append)(GString *out, const LpTuning *tuning, const Range *range),
            GError **error)
{
    g_autoptr(LpTuning) nccl = tune_nccl(tuning, error);
    if (nccl == NULL)
        return NULL;
    g_autoptr(GArray) ranges = find_ranges(nccl);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "# %s, by Lightpath's %s on %s\n", columns, find_nccl(tuning)->name,
                           lp_file_label(tuning->machine->path));
    for (guint i = 0; i < ranges->len; i++)
        append(out, nccl, &g_array_index(ranges, Range, i));
    return g_string_free(out, FALSE);
}

static const char *
ucc_operation(LpCollective collective)
{
    static const char *const names[LP_N_COLLECTIVES] = {
        [LP_COLLECTIVE_ALL_REDUCE] = "allreduce", [LP_COLLECTIVE_REDUCE_SCATTER] = "reduce_scatter",
        [LP_COLLECTIVE_ALL_GATHER] = "allgather", [LP_COLLECTIVE_ALL_TO_ALL] = "alltoall",
        [LP_COLLECTIVE_BROADCAST] = "bcast",      [LP_COLLECTIVE_REDUCE] = "reduce",
        [LP_COLLECTIVE_BARRIER] = "barrier"};
    return names[collective];
}

/* Sizes are those of the result: of a reduce-scatter a rank's part. */
static guint64
ucc_bytes(const LpTuningPoint *point, guint64 bytes)
{
    return point->collective == LP_COLLECTIVE_REDUCE_SCATTER ? bytes / point->n_ranks : bytes;
}

/* "allreduce:0-4097:cuda:[8-8]:inf": sizes from the first on and below the second. */
static void
append_ucc(GString *out, const char *memory, const Range *range)
{
    const LpTuningPoint *point = range->point;
    guint64 from = range->above == 0 ? 0 : ucc_bytes(point, range->above) + 1;
    g_string_append_printf(out, "%s%s:%" G_GUINT64_FORMAT "-", out->len > 0 ? "#" : "",
                           ucc_operation(point->collective), from);
    if (range->up_to == G_MAXUINT64)
        g_string_append(out, "inf");
    else
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, ucc_bytes(point, range->up_to) + 1);
    g_string_append_printf(out, ":%s:[%u-%u]:inf", memory, point->n_ranks, point->n_ranks);
}

static char *
export_ucc(const LpTuning *tuning, GError **error)
{
    static const char *const layers[] = {"cuda", "nccl", "rccl", "ucp"};
    g_autoptr(GArray) ranges = find_ranges(tuning);
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) others = g_string_new(NULL);
    gboolean has_any = FALSE;
    for (guint layer = 0; layer < G_N_ELEMENTS(layers); layer++) {
        g_autoptr(GString) tokens = g_string_new(NULL);
        for (guint i = 0; i < ranges->len; i++) {
            const Range *range = &g_array_index(ranges, Range, i);
            if (strcmp(tuning->libraries[range->best].layer, layers[layer]) == 0)
                append_ucc(tokens, strcmp(layers[layer], "rccl") == 0 ? "rocm" : "cuda", range);
        }
        g_autofree char *name = g_ascii_strup(layers[layer], -1);
        has_any = has_any || tokens->len > 0;
        if (tokens->len > 0)
            g_string_append_printf(out, "UCC_TL_%s_TUNE=%s\n", name, tokens->str);
    }
    for (guint i = 0; i < ranges->len; i++) {
        const Range *range = &g_array_index(ranges, Range, i);
        if (*tuning->libraries[range->best].layer == '\0')
            g_string_append_printf(others,
                                   "# %s above %" G_GUINT64_FORMAT
                                   " B among %u: %s, which no team layer calls\n",
                                   ucc_operation(range->point->collective), range->above,
                                   range->point->n_ranks, tuning->libraries[range->best].name);
    }
    if (has_any)
        return g_strconcat(others->str, out->str, NULL);
    lp_value_error(error, "got best libraries that no team layer of UCC calls, wanted one such as "
                          "nccl-hopper");
    return NULL;
}

char *
lp_tuning_export(const LpTuning *self, LpTuningExport kind, GError **error)
{
    switch (kind) {
    case LP_TUNING_EXPORT_NCCL:
        return export_nccl(self,
                           "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,"
                           "nNodes,nRanks,numPipeOps,regBuff",
                           append_nccl, error);
    case LP_TUNING_EXPORT_NCCLX:
        return export_nccl(self,
                           "collective,bytesPerRank,algorithm,protocol,channels,nNodes,"
                           "nLocalRanks,numPipeOps,regBuff",
                           append_ncclx, error);
    case LP_TUNING_EXPORT_UCC:
        return export_ucc(self, error);
    case LP_N_TUNING_EXPORTS:
        break;
    }
    g_assert_not_reached();
}
