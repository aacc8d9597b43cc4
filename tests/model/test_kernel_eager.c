/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of software that runs operations of PyTorch one by one. */
#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* Weights of their own for queries, keys and values, and for what goes up and through the gate:
 * the same FLOP, and the sum of the gradients of their common input, which fused kernels read
 * beside what they would, and single operations read and write. */
static void
test_separate_projections(void)
{
    static const struct {
        const char *label;
        LpKernels kernels;
        double attention, ffn; /* tensors of hidden activations */
    } rows[] = {{"fused", LP_KERNELS_FUSED, 2.0, 1.0}, {"eager", LP_KERNELS_EAGER, 6.0, 3.0}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    double tensor = 2.0 * shape.seq * 64.0;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.host.kernels = rows[i].kernels;
        plan.format.precision = LP_PRECISION_FP8;
        double joined =
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "cast");
        plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
        lp_test_close(
            "one cast of their input",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "cast"),
            joined, IDENTITY);
        lp_test_close(
            rows[i].label,
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_BACKWARD_INPUT, "sum"),
            rows[i].attention * tensor, IDENTITY);
        lp_test_close(
            rows[i].label,
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, "sum"),
            rows[i].ffn * tensor, IDENTITY);
        lp_test_close(
            "no halves to join",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, "gate-join"),
            0.0, 0.0);
        lp_test_close(
            "nothing to copy apart",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, LP_PASS_FORWARD, "layout"), 0.0,
            0.0);
    }
}

/* What goes up and through the gate of a network of 256 is one product of 512 columns, which reads
 * its input once, or two of 256; queries, keys and values are apart from each other only with
 * everything else. Queries and keys are turned by a kernel each. */
static void
test_gate(void)
{
    static const LpPass passes[] = {LP_PASS_FORWARD, LP_PASS_BACKWARD_INPUT,
                                    LP_PASS_BACKWARD_WEIGHT};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    for (LpProjections i = LP_PROJECTIONS_JOINED; i <= LP_PROJECTIONS_SEPARATE; i++)
        for (guint pass = 0; pass < G_N_ELEMENTS(passes); pass++) {
            gboolean joined = i == LP_PROJECTIONS_JOINED, qkv = i != LP_PROJECTIONS_SEPARATE;
            LpKernel kernels[LP_KERNELS_MAX];
            plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = i;
            guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_FFN, passes[pass], kernels);
            const LpKernel *both = lp_test_find_kernel(kernels, n, "up-gate");
            lp_test_true("one product", (both != NULL) == joined);
            lp_test_true("or two", (lp_test_find_kernel(kernels, n, "gate") != NULL) != joined);
            if (both != NULL)
                lp_test_close("columns", lp_kernel_flop(both), 2.0 * shape.seq * 64.0 * 512.0, 0.0);
            n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, passes[pass], kernels);
            lp_test_true("queries", (lp_test_find_kernel(kernels, n, "qkv") != NULL) == qkv);
            const LpKernel *turns = lp_test_find_kernel(kernels, n, "rotary");
            if (passes[pass] != LP_PASS_BACKWARD_WEIGHT)
                lp_test_true("queries and keys turn apart", turns && turns->n_launches == 2);
        }
}

/* Queries of 64 and keys of 32 a token: read in 2 bytes and written in 4, multiplied (4 and 4), and
 * back: 20 bytes an element, where fused ones take 4. Keys and values of 4 heads, written out for
 * 8: 64 read and 128 written, and the other way round backward. */
static void
test_attention_inputs(void)
{
    static const LpPass passes[] = {LP_PASS_FORWARD, LP_PASS_BACKWARD_INPUT};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint i = 0; i < G_N_ELEMENTS(passes); i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        lp_test_close("fused",
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, passes[i], "rotary"),
                      shape.seq * 96.0 * 4.0, IDENTITY);
        lp_test_vary(&plan, "complex-rotary", TRUE);
        plan.traits[LP_TRAIT_REPEAT_HEADS] = TRUE;
        double sum = 0.0;
        static const char *const names[] = {"rotary-widen", "rotary", "rotary-narrow"};
        for (guint k = 0; k < G_N_ELEMENTS(names); k++)
            sum += lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, passes[i], names[k]);
        lp_test_close("complex", sum, shape.seq * 96.0 * 20.0, IDENTITY);
        lp_test_close(
            "heads",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, passes[i], "repeat-heads"),
            shape.seq * 192.0 * 2.0, IDENTITY);
    }
}

/* A norm of 64 a token, operation by operation: forward, in bytes an element, to fp32 6, squared 8,
 * averaged 4, scaled 8, back to 16 bits 6, weighed 4; backward the weight's two products 4 and 6
 * and sum 2, to fp32 6, the scale's two products 8 and 12 and sum 4, the average 4, the square's
 * copy, factor and product 8, 8 and 12, both gradients summed 12, back 6. Layer norms stay one
 * kernel. Rotary positions of queries of 64 and keys of 32 pass ten times. */
static void
test_eager_operations(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    lp_test_vary(&plan, "eager-norms", TRUE);
    lp_test_vary(&plan, "eager-rotary", TRUE);
    for (guint i = 0; i < 2; i++) {
        double fused = shape.seq * 64.0 * 2.0;
        double forward =
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "norm") +
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "norm-steps");
        double backward = lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT,
                                               "norm-backward") +
                          lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT,
                                               "norm-steps-backward");
        lp_test_close("forward", forward, i == 0 ? 18.0 * fused : 2.0 * fused, IDENTITY);
        lp_test_close("backward", backward, i == 0 ? 46.0 * fused : 3.0 * fused, IDENTITY);
        lp_test_close("rotary",
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION,
                                           LP_PASS_BACKWARD_INPUT, "rotary"),
                      shape.seq * 96.0 * 20.0, IDENTITY);
        shape.norm = LP_NORM_LAYER;
    }
}

/* A gated activation of inner width 256, operation by operation: 2 + 3 elements forward, and
 * 3 + 3 + 3 + 4 backward, where products that stand apart need no join. */
static void
test_eager_activation(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (LpProjections i = LP_PROJECTIONS_JOINED; i <= LP_PROJECTIONS_SEPARATE; i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        lp_test_vary(&plan, "eager-activation", TRUE);
        plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = i; /* joined, the gate apart, all apart */
        double element = shape.seq * 256.0 * 2.0;
        static const char *const names[] = {"swiglu", "swiglu-backward", "gate-steps"};
        double forward = 0.0, backward = 0.0;
        for (guint k = 0; k < G_N_ELEMENTS(names); k++) {
            forward += lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, names[k]);
            backward +=
                lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, names[k]);
        }
        lp_test_close("forward", forward, 5.0 * element, IDENTITY);
        lp_test_close("backward", backward, (i == LP_PROJECTIONS_JOINED ? 13.0 : 9.0) * element,
                      IDENTITY);
    }
}

/* GELU's tanh by operations on an inner width of 256: 18 tensors forward and 28 backward; under
 * autocast all but four of them in fp32, and casts in front and behind. */
static void
test_gelu_steps(void)
{
    static const struct {
        const char *label;
        gboolean autocast;
        double forward, backward; /* bytes an element */
    } rows[] = {{"16 bits", FALSE, 36.0, 56.0}, {"autocast", TRUE, 76.0, 116.0}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    shape.ffn_kind = LP_FFN_GELU;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        plan.host.kernels = LP_KERNELS_EAGER;
        lp_test_vary(&plan, "gelu-steps", TRUE);
        lp_test_vary(&plan, "autocast", rows[i].autocast);
        double elements = shape.seq * 256.0;
        lp_test_close(
            rows[i].label,
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "gelu-steps"),
            rows[i].forward * elements, IDENTITY);
        lp_test_close(rows[i].label,
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT,
                                           "gelu-steps-backward"),
                      rows[i].backward * elements, IDENTITY);
    }
}

/* The gradient of the first micro-batch is taken as it is where none was left, and cast where it is
 * kept wider; others are read, and the sum read and written. */
static void
test_first_gradient(void)
{
    static const struct {
        const char *label;
        gboolean drops;
        guint32 n; /* micro-batches */
        guint gradient;
        double bytes; /* of an element */
    } rows[] = {{"kept", FALSE, 1, 2, 6.0},
                {"taken", TRUE, 1, 2, 0.0},
                {"cast", TRUE, 1, 4, 6.0},
                {"one of two", TRUE, 2, 2, 3.0},
                {"one of four, cast", TRUE, 4, 4, 0.75 * 10.0 + 0.25 * 6.0}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, rows[i].n);
        plan.format.gradient_bytes = rows[i].gradient;
        plan.traits[LP_TRAIT_DROP_GRADIENTS] = rows[i].drops ? 1 : 0;
        lp_test_close(rows[i].label,
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT,
                                           "accumulate"),
                      rows[i].bytes * 3.0 * 64.0 * 256.0, IDENTITY);
    }
}

/* Where activations lie by sequence, what is gathered and what is to be scattered is copied: of
 * attention one tensor in and one out, of those that are apart three; of the network two. The
 * gradients of the input are summed where they were scattered, over two ranks. */
static void
test_input_collectives(void)
{
    static const struct {
        LpBlock block;
        guint32 n;
    } rows[] = {{LP_BLOCK_ATTENTION, 3}, {LP_BLOCK_FFN, 2}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(2, 1, 1, 1, 1);
    double element = shape.seq * 64.0 * 2.0;
    plan.sequence_parallel = TRUE;
    plan.traits[LP_TRAIT_LAYOUT] = LP_LAYOUT_BATCH_FIRST;
    plan.host.kernels = LP_KERNELS_EAGER;
    plan.traits[LP_TRAIT_SEPARATE_PROJECTIONS] = LP_PROJECTIONS_SEPARATE;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        for (guint inputs = 0; inputs < 3; inputs++) {
            LpBlock block = rows[i].block;
            plan.traits[LP_TRAIT_INPUT_COLLECTIVES] = (LpInputCollectives)inputs;
            double in = inputs == LP_INPUT_COLLECTIVES_SEPARATE ? rows[i].n : 1.0;
            double out = inputs == LP_INPUT_COLLECTIVES_SHARED ? 1.0 : rows[i].n;
            lp_test_close("forward",
                          lp_test_kernel_bytes(&shape, &plan, block, LP_PASS_FORWARD, "reorder"),
                          (in + 1.0) * 2.0 * element, IDENTITY);
            lp_test_close(
                "backward",
                lp_test_kernel_bytes(&shape, &plan, block, LP_PASS_BACKWARD_INPUT, "reorder"),
                (1.0 + out) * 2.0 * element, IDENTITY);
            lp_test_close("summed",
                          lp_test_kernel_bytes(&shape, &plan, block, LP_PASS_BACKWARD_INPUT, "sum"),
                          (rows[i].n - 1.0) * 3.0 * element /
                              (inputs == LP_INPUT_COLLECTIVES_SHARED ? 1.0 : 2.0),
                          IDENTITY);
        }
}

/* Under autocast a layer norm of 64 a token reads and writes, in bytes an element, 2 + 4 and 4 + 2
 * in casts and 8 or 12 itself; a root-mean-square norm, or a fused one, does as before. A weight of
 * 64 by 512 is read in fp32 and written in 16 bits before its product, unless it was gathered so.
 */
static void
test_autocast(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint i = 0; i < 6; i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        gboolean is_layer = i % 2 == 1, is_eager = i % 4 < 2;
        shape.norm = is_layer ? LP_NORM_LAYER : LP_NORM_RMS;
        lp_test_vary(&plan, "autocast", TRUE);
        plan.host.kernels = is_eager ? LP_KERNELS_EAGER : LP_KERNELS_FUSED;
        plan.zero.stage = i < 4 ? 0 : 3;
        double elements = shape.seq * 64.0, forward = 0.0, backward = 0.0;
        static const char *const names[] = {"norm", "norm-backward", "norm-cast"};
        for (guint k = 0; k < G_N_ELEMENTS(names); k++) {
            forward += lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, names[k]);
            backward +=
                lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_INPUT, names[k]);
        }
        gboolean casts = is_layer && is_eager;
        lp_test_close("norm", forward, elements * (casts ? 20.0 : 4.0), IDENTITY);
        lp_test_close("norm back", backward, elements * (casts ? 24.0 : 6.0), IDENTITY);
        lp_test_close(
            "weights",
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_FORWARD, "autocast"),
            i < 4 ? 3.0 * 64.0 * 256.0 * 6.0 : 0.0, IDENTITY);
    }
}

/* Halves that are slices: forward as others, backward 15 passes over queries of 64 and keys of 32.
 */
static void
test_rotary_slices(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    double element = shape.seq * 96.0 * 2.0;
    plan.recompute = LP_RECOMPUTE_FULL;
    lp_test_vary(&plan, "eager-rotary", TRUE);
    lp_test_vary(&plan, "rotary-slices", TRUE);
    static const LpPass passes[] = {LP_PASS_FORWARD, LP_PASS_RECOMPUTE, LP_PASS_BACKWARD_INPUT};
    for (guint i = 0; i < G_N_ELEMENTS(passes); i++)
        lp_test_close("slices",
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_ATTENTION, passes[i], "rotary"),
                      (passes[i] == LP_PASS_BACKWARD_INPUT ? 15.0 : 10.0) * element, IDENTITY);
}

/* A logit in fp32: cast 2 + 4, copied 8, read three times and written 16; back cleared 4, read 4
 * and 8 and written 4, cleared 4, copied 8, cast 4 + 2. A fused loss has no copy. */
static void
test_shifted_logits(void)
{
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint i = 0; i < 2; i++) {
        LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
        lp_test_vary(&plan, "shifted-logits", TRUE);
        plan.traits[LP_TRAIT_FUSED_LOSS] = i == 1;
        double logits = shape.seq * 32000.0;
        lp_test_close("forward",
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_HEAD, LP_PASS_FORWARD,
                                           i == 1 ? "fused-loss" : "loss"),
                      logits * (i == 1 ? 6.0 : 30.0), IDENTITY);
        lp_test_close("backward",
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_HEAD, LP_PASS_BACKWARD_INPUT,
                                           i == 1 ? "fused-loss-backward" : "loss-backward"),
                      logits * (i == 1 ? 4.0 : 38.0), IDENTITY);
    }
}

/* A gradient of 2 bytes is read and written for each copy, where each micro-batch's is summed; the
 * sums of ZeRO 2's shares do not count then. */
static void
test_gradient_copies(void)
{
    static const struct {
        const char *label;
        guint32 zero, copies;
        gboolean units;
        LpGradientSync sync;
        double copied, summed; /* bytes a parameter */
    } rows[] = {
        {"ZeRO 2", 2, 3, FALSE, LP_GRADIENT_SYNC_EACH, 12.0, 0.0},
        {"at the end", 2, 3, FALSE, LP_GRADIENT_SYNC_LAST, 0.0, 6.0},
        {"ZeRO 3", 3, 3, TRUE, LP_GRADIENT_SYNC_AUTO, 12.0, 0.0},
        {"a unit's", 3, 0, TRUE, LP_GRADIENT_SYNC_AUTO, 4.0, 0.0},
        {"none", 3, 0, FALSE, LP_GRADIENT_SYNC_AUTO, 0.0, 0.0},
        {"ZeRO 1", 1, 0, FALSE, LP_GRADIENT_SYNC_EACH, 0.0, 6.0},
    };
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpPlan plan = lp_test_plan(1, 1, 4, 1, 4);
        plan.format.gradient_bytes = 2;
        plan.traits[LP_TRAIT_GRADIENT_COPIES] = rows[i].copies;
        plan.zero.stage = rows[i].zero;
        lp_test_vary(&plan, "unit-copies", rows[i].units);
        plan.zero.gradient_sync = rows[i].sync;
        double parameters = 3.0 * 64.0 * 256.0;
        lp_test_close(
            rows[i].label,
            lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT, "copy-in"),
            rows[i].copied * parameters, IDENTITY);
        lp_test_close(rows[i].label,
                      lp_test_kernel_bytes(&shape, &plan, LP_BLOCK_FFN, LP_PASS_BACKWARD_WEIGHT,
                                           "accumulate"),
                      rows[i].summed * parameters, IDENTITY);
    }
}

/* In bf16 scores are scaled and masked, widened, taken the softmax of in fp32 and narrowed: five
 * kernels, which read and write 4, 4, 6, 12 and 6 bytes an element. Back they are widened, three
 * tensors in fp32 pass, and they are narrowed and scaled: four, of 6, 12, 6 and 4. */
static void
test_softmax(void)
{
    static const struct {
        LpPass pass;
        const char *name;
        guint32 n_launches;
        double bytes;
    } rows[] = {{LP_PASS_FORWARD, "softmax", 5, 32.0},
                {LP_PASS_BACKWARD_INPUT, "softmax-backward", 4, 28.0}};
    LpTransformer shape = lp_test_llama(1, 64, 8, 4, 256, 32000);
    LpPlan plan = lp_test_plan(1, 1, 1, 1, 1);
    plan.format.precision = LP_PRECISION_BF16;
    shape.attention = LP_ATTENTION_UNFUSED;
    lp_test_vary(&plan, "eager-softmax", TRUE);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpKernel kernels[LP_KERNELS_MAX];
        guint n = lp_block_kernels(&shape, &plan, 0, LP_BLOCK_ATTENTION, rows[i].pass, kernels);
        const LpKernel *softmax = lp_test_find_kernel(kernels, n, rows[i].name);
        lp_test_true(rows[i].name, softmax != NULL && softmax->n_launches == rows[i].n_launches);
        lp_test_close(rows[i].name, softmax != NULL ? softmax->bytes : 0.0,
                      rows[i].bytes * 8.0 * shape.seq * shape.seq, IDENTITY);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"separate projections", test_separate_projections},
        {"input collectives", test_input_collectives},
        {"a gate", test_gate},
        {"attention's inputs", test_attention_inputs},
        {"operations one by one", test_eager_operations},
        {"gated activation one by one", test_eager_activation},
        {"GELU one by one", test_gelu_steps},
        {"softmax one by one", test_softmax},
        {"the first gradient", test_first_gradient},
        {"autocast", test_autocast},
        {"rotary positions of slices", test_rotary_slices},
        {"shifted logits", test_shifted_logits},
        {"copies of gradients", test_gradient_copies},
        {NULL, NULL},
    };
    return lp_test_run("eager kernels", cases);
}
