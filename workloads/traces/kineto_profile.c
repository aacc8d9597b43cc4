/* SPDX-License-Identifier: Apache-2.0 */
/* Tells kinds of kernels, and sums them up. */
#include "workloads/traces/kineto_profile.h"

#include <string.h>

const char *const lp_kineto_kind_names[] = {"products", "attention",     "others",
                                            "copies",   "communication", NULL};

/* The first word that a name has decides: attention's kernels are made of products, too. Of cuBLAS,
 * CUTLASS, cuDNN, hipBLASLt, Triton, FlashAttention. */
static const struct {
    const char *word; /* in lower case */
    LpKinetoKind kind;
} words[] = {{"nccl", LP_KINETO_COMMUNICATION},  {"rccl", LP_KINETO_COMMUNICATION},
             {"memcpy", LP_KINETO_COPIES},       {"memset", LP_KINETO_COPIES},
             {"flash", LP_KINETO_ATTENTION},     {"fmha", LP_KINETO_ATTENTION},
             {"attention", LP_KINETO_ATTENTION}, {"attn", LP_KINETO_ATTENTION},
             {"gemm", LP_KINETO_PRODUCTS},       {"cutlass", LP_KINETO_PRODUCTS},
             {"cublas", LP_KINETO_PRODUCTS},     {"xmma", LP_KINETO_PRODUCTS},
             {"nvjet", LP_KINETO_PRODUCTS},      {"cijk_", LP_KINETO_PRODUCTS},
             {"conv", LP_KINETO_PRODUCTS},       {"scudnn", LP_KINETO_PRODUCTS},
             {"dgrad", LP_KINETO_PRODUCTS},      {"wgrad", LP_KINETO_PRODUCTS},
             {"winograd", LP_KINETO_PRODUCTS},   {"matmul", LP_KINETO_PRODUCTS}};

LpKinetoKind
lp_kineto_kind_of(const LpKinetoWork *work)
{
    g_autofree char *name = g_ascii_strdown(work->name, -1);
    if (json_object_get(work->args, "Collective name") != NULL)
        return LP_KINETO_COMMUNICATION;
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(name, words[i].word) != NULL)
            return words[i].kind;
    return LP_KINETO_OTHERS;
}

/* --- what runs at a time --- */

/* A kernel begins or ends. */
typedef struct {
    double at_s;
    gboolean communicates;
    int change;
} Edge;

static int
compare(gconstpointer a, gconstpointer b)
{
    const Edge *one = a, *other = b;
    return one->at_s < other->at_s ? -1 : one->at_s > other->at_s;
}

static void
add_edges(GArray *edges, const LpKinetoWork *work)
{
    gboolean communicates = lp_kineto_kind_of(work) == LP_KINETO_COMMUNICATION;
    Edge begin = {work->start_s, communicates, 1}, end = {work->end_s, communicates, -1};
    g_array_append_val(edges, begin);
    g_array_append_val(edges, end);
}

static void
sweep(LpKinetoProfile *self, const GArray *edges, double from_s)
{
    int n[2] = {0, 0};
    double at_s = from_s;
    for (guint i = 0; i < edges->len; i++) {
        const Edge *edge = &g_array_index(edges, Edge, i);
        double part_s = edge->at_s - at_s;
        self->computing_s += n[0] > 0 ? part_s : 0.0;
        self->communicating_s += n[1] > 0 ? part_s : 0.0;
        self->overlap_s += n[0] > 0 && n[1] > 0 ? part_s : 0.0;
        self->idle_s += n[0] == 0 && n[1] == 0 ? part_s : 0.0;
        n[edge->communicates ? 1 : 0] += edge->change;
        at_s = edge->at_s;
    }
    self->span_s = at_s - from_s;
}

LpKinetoProfile
lp_kineto_profile(const LpKinetoEvents *events)
{
    LpKinetoProfile self = {.span_s = 0.0};
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    double from_s = G_MAXDOUBLE;
    for (guint i = 0; i < events->works->len; i++) {
        const LpKinetoWork *work = &g_array_index(events->works, LpKinetoWork, i);
        LpKinetoKind kind = lp_kineto_kind_of(work);
        self.n[kind]++;
        self.sum_s[kind] += work->end_s - work->start_s;
        from_s = MIN(from_s, work->called_end_s > 0.0 ? work->called_s : work->start_s);
        add_edges(edges, work);
    }
    g_array_sort(edges, compare);
    sweep(&self, edges, from_s);
    return self;
}
