/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#include <string.h>

#define IDENTITY 1e-12 /* the same sum in another order */

/* 32 tokens, experts of inner width 48 behind 64. */
static LpTransformer
narrow_shape(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    shape.seq = 32;
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    shape.experts.ffn = 48;
    return shape;
}

/* Sums of all of a rank's experts: 4 of 8, up and down and gate, 64 x 48 each. */
static void
test_expert_streams(void)
{
    LpTransformer shape = narrow_shape();
    LpPlan plan = lp_test_expert_ranks();
    plan.format.gradient_bytes = 4;
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels =
        lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_WEIGHT, kernels);
    double bytes = 0.0;
    for (guint i = 0; i < n_kernels; i++)
        if (kernels[i].streams)
            bytes += kernels[i].bytes;
    lp_test_close("experts", bytes, 3.0 * 4.0 * 64.0 * 48.0 * (2.0 + 2.0 * 4.0), IDENTITY);
}

/* 4 of 8 experts: a tensor's own scale takes three small kernels, blocks one, and with scales of
 * before one does for all (Transformer Engine, cast.cpp and quantizer.cpp). Gate and up are one
 * product of one input, cast once: 32 tokens of 2 slots, 64 wide. */
static void
test_expert_casts(void)
{
    static const struct {
        const char *label;
        LpPrecision precision;
        LpScaling scaling;
        guint32 n_launches;
        double n_apart;
    } rows[] = {
        {"delayed", LP_PRECISION_FP8, LP_SCALING_DELAYED, 1, 0.0},
        {"current", LP_PRECISION_FP8, LP_SCALING_CURRENT, 12, 4.0},
        {"blocks", LP_PRECISION_MXFP8, LP_SCALING_CURRENT, 4, 4.0},
        {"blocks of 128", LP_PRECISION_FP8_BLOCK, LP_SCALING_DELAYED, 4, 4.0},
    };
    LpTransformer shape = narrow_shape();
    LpPlan plan = lp_test_expert_ranks();
    plan.traits[LP_TRAIT_EXPERTS_ONE_BY_ONE] = TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        plan.format.precision = rows[i].precision;
        plan.format.scaling = rows[i].scaling;
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, kernels);
        guint n_casts = 0;
        for (guint k = 0; k < n; k++)
            n_casts += strcmp(kernels[k].name, "cast") == 0 ? 1 : 0;
        const LpKernel *cast = lp_test_find_kernel(kernels, n, "cast");
        lp_test_true(rows[i].label, n_casts == 2 && cast != NULL);
        lp_test_true(rows[i].label, cast != NULL && cast->n_launches == rows[i].n_launches &&
                                        cast->n_apart == rows[i].n_apart);
        const LpKernel *joined = lp_test_find_kernel(kernels, n, "experts-up-gate");
        lp_test_true(rows[i].label, joined != NULL && joined->n == 96.0 && joined->n_apart == 4.0);
    }
    plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, kernels);
    lp_test_true("separate", lp_test_find_kernel(kernels, n, "experts-gate") != NULL);
}

/* PyTorch's kernel reaches a share of a product's rate, which narrow formats have their own of;
 * what an accelerator has no figure for, and what is no product of experts, is left alone. */
static void
test_grouped_kernel(void)
{
    static const struct {
        const char *name;
        LpPrecision precision;
        double wide, narrow, slower;
    } rows[] = {
        {"experts-up-gate", LP_PRECISION_BF16, 0.5, 0.25, 2.0},
        {"experts-down", LP_PRECISION_MXFP8, 0.5, 0.25, 4.0},
        {"experts-down", LP_PRECISION_BF16, 0.0, 0.25, 1.0},
        {"experts-down", LP_PRECISION_MXFP8, 0.5, 0.0, 1.0},
        {"swiglu", LP_PRECISION_BF16, 0.5, 0.25, 1.0},
    };
    LpTransformer shape = narrow_shape();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double time_s[2];
        for (guint torch = 0; torch < 2; torch++) {
            LpPlan plan = lp_test_expert_ranks();
            plan.format.precision = rows[i].precision;
            plan.traits[LP_TRAIT_EXPERTS_KERNEL] = (LpExpertsKernel)torch;
            LpAccelerator accelerator = {
                .peak_flop_per_s = {[LP_PRECISION_BF16] = 1.0, [LP_PRECISION_MXFP8] = 1.0},
                .memory_bytes_per_s = 1e30,
                .gemm_efficiency = 1.0,
                .memory_efficiency = 1.0,
                .torch_grouped_efficiency = rows[i].wide,
                .torch_narrow_grouped_efficiency = rows[i].narrow};
            LpKernel kernels[LP_KERNELS_MAX];
            guint n =
                lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, kernels);
            const LpKernel *kernel = lp_test_find_kernel(kernels, n, rows[i].name);
            lp_test_true(rows[i].name, kernel != NULL);
            time_s[torch] =
                kernel != NULL ? lp_kernel_time_s(kernel, &accelerator, rows[i].precision) : 0.0;
        }
        lp_test_close(rows[i].name, time_s[1], rows[i].slower * time_s[0], 1e-12);
    }
}

/* 8 tokens of 2 slots on 4 of 8 experts of inner width 32 behind 16: 512 elements in either half of
 * the inner tensor, 256 in the result, of 2 bytes; tensors of truth have 1. */
static void
test_eager_experts(void)
{
    static const struct {
        const char *name;
        LpPass pass;
        double bytes;
        guint32 n_launches;
    } rows[] = {
        {"clamp", LP_PASS_FORWARD, 512 * (4 * 2 + 4 * 2), 1},
        {"clamp", LP_PASS_RECOMPUTE, 512 * (4 * 2 + 4 * 2), 1},
        /* Compared and chosen; compared twice, both joined, chosen; both halves read and written.
         */
        {"clamp-backward", LP_PASS_BACKWARD_INPUT, 512 * ((3 + 5) + (3 + 3 + 3 + 5) + 2 * (2 + 2)),
         2},
        /* Written; read with the result, written; read and written. */
        {"weighted-bias", LP_PASS_FORWARD, 256 * (2 + (4 + 2) + 4), 3},
        /* Read and written; twice read, written, and read. */
        {"weighted-bias-backward", LP_PASS_BACKWARD_INPUT, 256 * (4 + 2 * 6), 5},
    };
    LpTransformer shape = lp_test_experts();
    shape.bias = LP_BIAS_YES;
    shape.clamped = TRUE;
    LpPlan plan = lp_test_expert_ranks();
    plan.recompute = LP_RECOMPUTE_LIGHT;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint eager = 0; eager < 2; eager++) {
            LpKernel kernels[LP_KERNELS_MAX];
            lp_test_vary(&plan, "experts-eager", eager == 1);
            guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, rows[i].pass, kernels);
            const LpKernel *kernel = lp_test_find_kernel(kernels, n, rows[i].name);
            lp_test_true(rows[i].name, (kernel != NULL) == (eager == 1));
            if (kernel == NULL)
                continue;
            lp_test_close(rows[i].name, kernel->bytes, rows[i].bytes, IDENTITY);
            lp_test_true(rows[i].name, kernel->n_launches == rows[i].n_launches);
        }
    LpKernel kernels[LP_KERNELS_MAX];
    /* The host waits for the number that it copies, forward and where that is run again. */
    for (LpPass pass = LP_PASS_FORWARD; pass < LP_N_PASSES; pass++) {
        lp_test_vary(&plan, "experts-eager", TRUE);
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, pass, kernels);
        const LpKernel *constant = lp_test_find_kernel(kernels, n, "constant");
        gboolean copied = pass == LP_PASS_FORWARD || pass == LP_PASS_RECOMPUTE;
        lp_test_true("constant", (constant != NULL && constant->waits) == copied);
    }
    /* Weights in fp32: written; read with the result, written; read and written; cast. */
    lp_test_vary(&plan, "experts-eager", TRUE);
    plan.experts.relays_by_domain = TRUE;
    guint n_wide = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, kernels);
    const LpKernel *wide = lp_test_find_kernel(kernels, n_wide, "weighted-bias");
    lp_test_close("wide", wide == NULL ? 0.0 : wide->bytes, 256 * (4 + (2 + 4 + 4) + 8 + (4 + 2)),
                  IDENTITY);
    /* Cast; cast; twice read, written, and read. */
    n_wide = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_INPUT, kernels);
    wide = lp_test_find_kernel(kernels, n_wide, "weighted-bias-backward");
    lp_test_close("wide, backward", wide == NULL ? 0.0 : wide->bytes, 256 * (6 + 6 + 2 * 12),
                  IDENTITY);
    shape.clamped = FALSE;
    shape.bias = LP_BIAS_NO;
    guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, LP_PASS_FORWARD, kernels);
    lp_test_true("without", lp_test_find_kernel(kernels, n, "clamp") == NULL &&
                                lp_test_find_kernel(kernels, n, "weighted-bias") == NULL);
}

/* What products end with, and what a dispatcher takes from where it lies, are no kernels. */
static void
test_fused_experts(void)
{
    static const struct {
        LpBlock block;
        LpPass pass;
        const char *name;
        guint n_casts; /* with and without the activation function's: input and result */
    } rows[] = {
        {LP_BLOCK_EXPERTS, LP_PASS_FORWARD, "swiglu", 2},
        {LP_BLOCK_EXPERTS, LP_PASS_BACKWARD_INPUT, "swiglu-backward", 2},
        {LP_BLOCK_ROUTER, LP_PASS_FORWARD, "permute", 0},
        {LP_BLOCK_ROUTER, LP_PASS_BACKWARD_INPUT, "permute-backward", 0},
        {LP_BLOCK_COMBINE, LP_PASS_FORWARD, "unpermute", 0},
        {LP_BLOCK_COMBINE, LP_PASS_BACKWARD_INPUT, "unpermute-backward", 0},
    };
    LpTransformer shape = lp_test_experts();
    LpPlan plan = lp_test_expert_ranks();
    plan.format.precision = LP_PRECISION_MXFP8;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint fused = 0; fused < 2; fused++) {
            LpKernel kernels[LP_KERNELS_MAX];
            lp_test_vary(&plan, "experts-fused", fused == 1);
            lp_test_vary(&plan, "fused-dispatch", fused == 1);
            guint n = lp_block_kernels(&shape, &plan, 0, rows[i].block, rows[i].pass, kernels);
            lp_test_true(rows[i].name,
                         (lp_test_find_kernel(kernels, n, rows[i].name) == NULL) == (fused == 1));
            guint n_casts = 0;
            for (guint k = 0; k < n; k++)
                n_casts += g_str_equal(kernels[k].name, "cast") ? 1 : 0;
            lp_test_true("casts",
                         n_casts == (rows[i].n_casts > fused ? rows[i].n_casts - fused : 0));
        }
    LpKernel kernels[LP_KERNELS_MAX];
    plan.degree[LP_AXIS_EP] = 1;
    guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ROUTER, LP_PASS_FORWARD, kernels);
    lp_test_true("nothing is sent", lp_test_find_kernel(kernels, n, "permute") != NULL);
}

/* Copies of all tokens that came make whole blocks of each expert's, and undo it, where formats
 * have blocks and not all experts take as many: 8 tokens of 2 slots, 16 wide, read and written. */
static void
test_padded_experts(void)
{
    static const struct {
        const char *label;
        LpPrecision precision;
        double capacity_factor;
        gboolean asked, pads;
    } rows[] = {{"MXFP8", LP_PRECISION_MXFP8, 0.0, TRUE, TRUE},
                {"a tensor's scale", LP_PRECISION_FP8, 0.0, TRUE, TRUE},
                {"buffers of one size", LP_PRECISION_MXFP8, 1.0, TRUE, FALSE},
                {"16 bits", LP_PRECISION_BF16, 0.0, TRUE, FALSE},
                {"by the dispatcher", LP_PRECISION_MXFP8, 0.0, FALSE, FALSE}};
    static const struct {
        LpPass pass;
        const char *names[2];
    } copies[] = {{LP_PASS_FORWARD, {"pad", "unpad"}},
                  {LP_PASS_BACKWARD_INPUT, {"unpad-backward", "pad-backward"}}};
    LpTransformer shape = lp_test_experts();
    LpPlan plan = lp_test_expert_ranks();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint c = 0; c < 4; c++) {
            LpKernel kernels[LP_KERNELS_MAX];
            plan.format.precision = rows[i].precision;
            lp_test_vary(&plan, "experts-padded", rows[i].asked);
            shape.experts.capacity_factor = rows[i].capacity_factor;
            guint n =
                lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, copies[c / 2].pass, kernels);
            const LpKernel *copy = lp_test_find_kernel(kernels, n, copies[c / 2].names[c % 2]);
            lp_test_true(rows[i].label, (copy != NULL) == rows[i].pads);
            if (copy != NULL)
                lp_test_close(rows[i].label, copy->bytes, 2.0 * 8.0 * 2.0 * 16.0 * 2.0, IDENTITY);
        }
}

/* Masks of 8 tokens and of 8 times 2 slots, half as many again with a capacity factor, fill buffers
 * 16 wide and empty them, in place of copies; two sequences, each by itself. */
static void
test_masks(void)
{
    static const struct {
        LpBlock block;
        LpPass pass;
        const char *name, *copy;
        double m, k, n;
    } rows[] = {
        {LP_BLOCK_ROUTER, LP_PASS_FORWARD, "fill-buffers", "permute", 24, 8, 16},
        {LP_BLOCK_ROUTER, LP_PASS_BACKWARD_INPUT, "fill-buffers-gradient", "permute-backward", 8,
         24, 16},
        {LP_BLOCK_COMBINE, LP_PASS_FORWARD, "empty-buffers", "unpermute", 8, 24, 16},
        {LP_BLOCK_COMBINE, LP_PASS_BACKWARD_INPUT, "empty-buffers-gradient", "unpermute-backward",
         24, 8, 16},
        {LP_BLOCK_COMBINE, LP_PASS_BACKWARD_INPUT, "mask-gradient", "unpermute-backward", 8, 16,
         24},
    };
    LpTransformer shape = lp_test_experts();
    LpPlan plan = lp_test_expert_ranks();
    plan.batch.micro = 2;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint masks = 0; masks < 2; masks++)
            for (guint drops = 0; drops < 2; drops++) {
                LpKernel kernels[LP_KERNELS_MAX];
                lp_test_vary(&plan, "mask-dispatch", masks == 1);
                shape.experts.capacity_factor = drops == 1 ? 1.5 : 0.0;
                guint n = lp_block_kernels(&shape, &plan, 0, rows[i].block, rows[i].pass, kernels);
                const LpKernel *product = lp_test_find_kernel(kernels, n, rows[i].name);
                gboolean has_masks = masks == 1 && drops == 1;
                lp_test_true(rows[i].name, (product != NULL) == has_masks);
                lp_test_true(rows[i].copy,
                             (lp_test_find_kernel(kernels, n, rows[i].copy) == NULL) == has_masks);
                if (product != NULL)
                    lp_test_true(rows[i].name, product->m == rows[i].m && product->k == rows[i].k &&
                                                   product->n == rows[i].n &&
                                                   product->n_batch == 2.0);
            }
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ROUTER, LP_PASS_FORWARD, kernels);
    const LpKernel *made = lp_test_find_kernel(kernels, n, "masks");
    lp_test_close("masks", made == NULL ? 0.0 : made->bytes, 2.0 * 8.0 * 24.0 * (2.0 + 1.0),
                  IDENTITY);
    n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_COMBINE, LP_PASS_BACKWARD_INPUT, kernels);
    made = lp_test_find_kernel(kernels, n, "masks-backward");
    lp_test_close("their gradients", made == NULL ? 0.0 : made->bytes, 2.0 * 8.0 * 24.0 * 2.0,
                  IDENTITY);
}

/* What the host does for each of 4 experts' narrow products besides: up and gate as one and down,
 * forward and for gradients; nothing for the weights' own, in 16 bits, or for all at once, and with
 * a host that costs nothing. */
static void
test_expert_host_overhead(void)
{
    static const struct {
        const char *label;
        LpPass pass;
        LpPrecision precision;
        gboolean one_by_one;
        double host_overhead_s;
    } rows[] = {
        {"forward", LP_PASS_FORWARD, LP_PRECISION_MXFP8, TRUE, 2.0 * 4.0 * 8.6e-6},
        {"backward", LP_PASS_BACKWARD_INPUT, LP_PRECISION_FP8, TRUE, 2.0 * 4.0 * 12.9e-6},
        {"weights", LP_PASS_BACKWARD_WEIGHT, LP_PRECISION_MXFP8, TRUE, 0.0},
        {"16 bits", LP_PASS_FORWARD, LP_PRECISION_BF16, TRUE, 0.0},
        {"at once", LP_PASS_FORWARD, LP_PRECISION_MXFP8, FALSE, 0.0},
    };
    LpTransformer shape = lp_test_experts();
    LpPlan plan = lp_test_expert_ranks();
    LpAccelerator accelerator = lp_test_accelerator();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        plan.format.precision = rows[i].precision;
        plan.traits[LP_TRAIT_EXPERTS_ONE_BY_ONE] = rows[i].one_by_one ? 1 : 0;
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_EXPERTS, rows[i].pass, kernels);
        double listed_s = 0.0, more_s = 0.0;
        for (guint k = 0; k < n; k++) {
            LpKernel bare = kernels[k];
            bare.host_overhead_s = 0.0;
            listed_s += kernels[k].host_overhead_s;
            accelerator.host_kernel_s = 1e-3;
            more_s += lp_kernel_work(&kernels[k], &plan, &accelerator).host_s -
                      lp_kernel_work(&bare, &plan, &accelerator).host_s;
            accelerator.host_kernel_s = 0.0;
            lp_test_close(rows[i].label, lp_kernel_work(&kernels[k], &plan, &accelerator).host_s,
                          0.0, 0.0);
        }
        lp_test_close(rows[i].label, listed_s, rows[i].host_overhead_s, IDENTITY);
        lp_test_close(rows[i].label, more_s, rows[i].host_overhead_s, 1e-9);
    }
}

/* A dispatcher of operations: 16 small kernels and two collectives forward, one backward, whose
 * host works as long as for others; with buffers of one size nothing is counted, and by one's own
 * ranks nothing is sent. */
static void
test_eager_dispatch(void)
{
    static const struct {
        const char *label;
        LpPass pass;
        guint32 ep;
        double capacity;
        guint32 n_kernels, n_collectives;
    } rows[] = {
        {"forward", LP_PASS_FORWARD, 2, 0.0, 16, 2},
        {"backward", LP_PASS_BACKWARD_INPUT, 2, 0.0, 0, 1},
        {"one size", LP_PASS_FORWARD, 2, 1.0, 0, 1},
        {"own ranks", LP_PASS_FORWARD, 1, 0.0, 0, 0},
    };
    LpTransformer shape = lp_test_llama(1, 16, 4, 4, 32, 32);
    shape.seq = 8;
    shape.experts.n = 8;
    shape.experts.top_k = 2;
    LpPlan plan = lp_test_plan(1, 1, 2, 1, 2);
    lp_test_vary(&plan, "eager-dispatch", TRUE);
    LpAccelerator accelerator = lp_test_accelerator();
    accelerator.host_kernel_s = 62e-6;
    accelerator.host_collective_s = 140e-6;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint32 n_kernels = 0, n_collectives = 0;
        plan.degree[LP_AXIS_EP] = rows[i].ep;
        shape.experts.capacity_factor = rows[i].capacity;
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ROUTER, rows[i].pass, kernels);
        for (guint k = 0; k < n; k++) {
            n_kernels += strcmp(kernels[k].name, "count-tokens") == 0 ? kernels[k].n_launches : 0;
            if (!kernels[k].collective)
                continue;
            n_collectives += kernels[k].n_launches;
            lp_test_close(rows[i].label, lp_kernel_work(&kernels[k], &plan, &accelerator).host_s,
                          140e-6 * kernels[k].n_launches, IDENTITY);
        }
        lp_test_close(rows[i].label, n_kernels, rows[i].n_kernels, 0.0);
        lp_test_close(rows[i].label, n_collectives, rows[i].n_collectives, 0.0);
    }
}

/* Queries of 64 and keys of 32 elements a token: read and written, and back with a gradient, by a
 * kernel each. */
static void
test_head_norms(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    shape.seq = 32;
    shape.head_norms = TRUE;
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    LpKernel kernels[LP_KERNELS_MAX];
    guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, kernels);
    const LpKernel *norms = lp_test_find_kernel(kernels, n, "head-norms");
    lp_test_close("bytes", norms->bytes, 2.0 * 2.0 * 32.0 * (64.0 + 32.0), IDENTITY);
    lp_test_close("kernels", norms->n_launches, 2.0, 0.0);
    n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, kernels);
    norms = lp_test_find_kernel(kernels, n, "head-norms-backward");
    lp_test_close("backward", norms->bytes, 3.0 * 2.0 * 32.0 * (64.0 + 32.0), IDENTITY);
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"expert streams", test_expert_streams},
        {"expert casts", test_expert_casts},
        {"grouped kernel", test_grouped_kernel},
        {"eager experts", test_eager_experts},
        {"fused experts", test_fused_experts},
        {"padded experts", test_padded_experts},
        {"masks", test_masks},
        {"experts' host overhead", test_expert_host_overhead},
        {"eager dispatch", test_eager_dispatch},
        {"norms of heads", test_head_norms},
        {NULL, NULL},
    };
    return lp_test_run("kernels of experts", cases);
}
