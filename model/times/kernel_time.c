/* SPDX-License-Identifier: Apache-2.0 */
/* The times of kernels on a device, and of issuing them on its host. */
#include "model/times/kernel.h"

#include "model/times/gemm.h"
#include "model/plan/precision.h"

#include <math.h>

/* The width of heads that narrow_head_efficiency is stated for. */
#define NARROW_HEAD 64.0

const char *const lp_bound_by_names[] = {"arithmetic", "bytes", "launch", "host", "unknown", NULL};

double
lp_kernel_flop(const LpKernel *self)
{
    return 2.0 * self->m * self->k * self->n * self->n_batch;
}

/* Whether the kernel is a cast that makes one copy only, since products take the copy along the
 * rows in either layout. */
static gboolean
makes_one_copy(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    return self->column_bytes > 0.0 && accelerator->any_layout[precision];
}

double
lp_kernel_bytes(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    return self->bytes - (makes_one_copy(self, accelerator, precision) ? self->column_bytes : 0.0);
}

static double
n_launches(const LpKernel *self)
{
    return self->n_launches > 1 ? self->n_launches : 1.0;
}

static double
launches_s(const LpKernel *self, const LpAccelerator *accelerator)
{
    double n = n_launches(self);
    return (self->n_apart > 0.0 ? ceil(n / self->n_apart) : n) * accelerator->launch_s;
}

/* What a product's arithmetic takes of its time among others: alone its job waits for no slower
 * chip, and no collective takes its multiprocessors and power. */
static double
solo_share(const LpKernel *self, const LpAccelerator *accelerator)
{
    return self->solo && accelerator->burst_efficiency > 0.0
               ? accelerator->gemm_efficiency / accelerator->burst_efficiency
               : 1.0;
}

/* Products of their own, a few side by side: each such round fills its waves, and begins anew. */
static double
rounds_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    double n_rounds = ceil(self->n_batch / self->n_apart);
    LpGemm gemm = {self->m, self->k, self->n, self->n_batch / n_rounds};
    double factor = lp_measured_kernels_factor(accelerator->measured, self, precision, NULL);
    return n_rounds * (lp_gemm_arithmetic_s(&gemm, accelerator, precision) *
                           solo_share(self, accelerator) * factor +
                       accelerator->launch_s);
}

static gboolean
is_by_vendor(const LpKernel *self)
{
    return self->attention == LP_ATTENTION_KERNEL_VENDOR ||
           self->attention == LP_ATTENTION_KERNEL_AUTO;
}

/* The factor on the time of scores and mixture of narrow heads. */
static double
narrow_heads(const LpKernel *self, const LpAccelerator *accelerator)
{
    double efficiency = accelerator->narrow_head_efficiency;
    if (!is_by_vendor(self) || efficiency <= 0.0 || self->head_width <= 0.0)
        return 1.0;
    return 1.0 / fmin(1.0, efficiency * self->head_width / NARROW_HEAD);
}

/* The share of the scores that a fused kernel's time stands for. What a block takes to begin and to
 * end is as some keys more for each of its queries, in each of several kernels; the kernel in
 * Triton has no figure for it, and its rate was found without. */
static double
timed_share(const LpKernel *self, const LpAccelerator *accelerator)
{
    double share = self->share > 0.0 ? self->share : 1.0;
    gboolean has_ramp = is_by_vendor(self) ? accelerator->eager_attention_efficiency <= 0.0
                                           : self->attention != LP_ATTENTION_KERNEL_TRITON;
    double ramp_keys = self->fused && has_ramp ? accelerator->attention_ramp_keys : 0.0;
    return share + n_launches(self) * ramp_keys / self->n;
}

/* The share of a product's rate that a kernel reaches which computes those of all experts. */
static double
grouped_efficiency(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    double efficiency = lp_precision_is_narrow(precision)
                            ? accelerator->torch_narrow_grouped_efficiency
                            : accelerator->torch_grouped_efficiency;
    return self->grouped == LP_EXPERTS_KERNEL_TORCH && efficiency > 0.0 ? efficiency : 1.0;
}

/* The precision in which the kernel's products run. */
static LpPrecision
precision_of(const LpKernel *self, LpPrecision precision)
{
    return self->wide ? lp_precision_wide(precision) : precision;
}

/* The time of moving the kernel's bytes; all of the time of a stream or a sweep. */
static double
moving_s(const LpKernel *self, const LpAccelerator *accelerator)
{
    double efficiency =
        self->n_batch <= 0.0 && !self->streams ? accelerator->elementwise_efficiency : 0.0;
    efficiency = efficiency > 0.0 ? efficiency : accelerator->memory_efficiency;
    return self->bytes / (accelerator->memory_bytes_per_s * efficiency);
}

/* The time of arithmetic: of products in @precision, of others in fp32, outside the matrix units.
 */
static double
computing_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    double peak = accelerator->peak_flop_per_s[LP_PRECISION_FP32];
    if (self->n_batch <= 0.0)
        return self->operations > 0.0 && peak > 0.0 ? self->operations / peak : 0.0;
    LpGemm gemm = {self->m, self->k, self->n, self->n_batch};
    double share = timed_share(self, accelerator) * narrow_heads(self, accelerator);
    return self->fused ? share * lp_gemm_attention_s(&gemm, accelerator, precision, self->attention)
                       : lp_gemm_arithmetic_s(&gemm, accelerator, precision) *
                             solo_share(self, accelerator) /
                             grouped_efficiency(self, accelerator, precision);
}

/* The kernel as @accelerator runs it: a cast may make one copy only. */
static LpKernel
run_on(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    LpKernel kernel = *self;
    kernel.bytes = lp_kernel_bytes(self, accelerator, precision);
    kernel.streams = self->streams || makes_one_copy(self, accelerator, precision);
    return kernel;
}

double
lp_kernel_device_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision,
                   LpTimedBy *out_by)
{
    if (self->measured || self->on_host) {
        double time_s = 0.0;
        LpTimedBy by = LP_TIMED_BY_MODEL;
        if (self->measured)
            (void)lp_measured_kernels_named(accelerator->measured, self->name, self->size, &time_s,
                                            &by);
        if (out_by != NULL)
            *out_by = by;
        return time_s;
    }
    LpKernel kernel = run_on(self, accelerator, precision);
    precision = precision_of(self, precision);
    return fmax(computing_s(&kernel, accelerator, precision), moving_s(&kernel, accelerator)) *
           lp_measured_kernels_factor(accelerator->measured, &kernel, precision, out_by);
}

LpTimedBy
lp_kernel_timed_by(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    LpTimedBy by;
    (void)lp_kernel_device_s(self, accelerator, precision, &by);
    return by;
}

double
lp_kernel_time_s(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    if (self->on_host)
        return 0.0;
    if (self->n_apart <= 0.0 || self->n_batch <= 0.0)
        return lp_kernel_device_s(self, accelerator, precision, NULL) +
               launches_s(self, accelerator);
    LpKernel kernel = run_on(self, accelerator, precision);
    return fmax(rounds_s(self, accelerator, precision_of(self, precision)),
                moving_s(&kernel, accelerator) + accelerator->launch_s);
}

/* The time of launches within lp_kernel_time_s(): one for each round of products of their own. */
static double
all_launches_s(const LpKernel *self, const LpAccelerator *accelerator)
{
    if (self->n_apart > 0.0 && self->n_batch > 0.0)
        return ceil(self->n_batch / self->n_apart) * accelerator->launch_s;
    return launches_s(self, accelerator);
}

LpBoundBy
lp_kernel_bound_by(const LpKernel *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    if (self->on_host)
        return LP_BOUND_BY_HOST;
    double launching_s = all_launches_s(self, accelerator);
    if (self->measured)
        return launching_s > lp_kernel_device_s(self, accelerator, precision, NULL)
                   ? LP_BOUND_BY_LAUNCH
                   : LP_BOUND_BY_UNKNOWN;
    LpKernel kernel = run_on(self, accelerator, precision);
    precision = precision_of(self, precision);
    double factor = lp_measured_kernels_factor(accelerator->measured, &kernel, precision, NULL);
    double computed_s = factor * computing_s(&kernel, accelerator, precision);
    double moved_s = factor * moving_s(&kernel, accelerator);
    if (launching_s > fmax(computed_s, moved_s))
        return LP_BOUND_BY_LAUNCH;
    return computed_s > moved_s ? LP_BOUND_BY_ARITHMETIC : LP_BOUND_BY_BYTES;
}

LpWork
lp_kernel_work(const LpKernel *self, const LpPlan *plan, const LpAccelerator *accelerator)
{
    double time_s = lp_kernel_time_s(self, accelerator, plan->format.precision);
    double n = n_launches(self);
    double first_s = self->collective ? accelerator->host_collective_s : accelerator->host_kernel_s;
    double host_s = n * first_s;
    if (self->n_apart > 0.0 && self->n_batch > 0.0)
        host_s += (self->n_batch - 1.0) * fmin(accelerator->loop.product_s, first_s);
    else if (self->n_apart > 0.0)
        host_s = first_s + (n - 1.0) * fmin(accelerator->loop.kernel_s, first_s);
    if (first_s > 0.0)
        host_s += self->host_overhead_s;
    if (self->on_host)
        host_s = self->seconds;
    if (plan->host.cuda_graphs)
        return (LpWork){.device_s = time_s, .bound_s = time_s};
    if (self->waits) /* what it waited for it reads before it goes on */
        return (LpWork){.device_s = time_s,
                        .host_s = time_s + host_s,
                        .issue_s = host_s,
                        .bound_s = time_s,
                        .wait_s = time_s + host_s,
                        .waits = TRUE};
    return (LpWork){.device_s = time_s, .host_s = host_s, .issue_s = host_s, .bound_s = time_s};
}

double
lp_collective_host_s(const LpPlan *plan, const LpAccelerator *accelerator)
{
    return plan->host.cuda_graphs ? 0.0 : accelerator->host_collective_s;
}

LpWork
lp_boundary_copies_work(const LpTransformer *transformer, const LpPlan *plan,
                        const LpAccelerator *accelerator)
{
    guint32 tp = plan->degree[LP_AXIS_TP];
    if (plan->pipeline.scatter_gather != LP_SCATTER_GATHER_OUTPUTS || tp == 1 ||
        plan->degree[LP_AXIS_PP] == 1)
        return LP_WORK_NONE;
    double bytes = lp_plan_tokens(plan, transformer->seq) * transformer->hidden *
                   lp_plan_activation_bytes(plan);
    /* Cleared; a share read and written; all of it read and written, from the list and by clone. */
    LpKernel copies = {.name = "gather-copies",
                       .bytes = bytes * (1.0 + 2.0 / tp + 2.0 + 2.0),
                       .streams = TRUE,
                       .n_launches = 3 + tp};
    return lp_kernel_work(&copies, plan, accelerator);
}

gboolean
lp_pass_has_layer(const LpTransformer *transformer, const LpPlan *plan, guint32 index, LpPass pass)
{
    return pass != LP_PASS_RECOMPUTE || lp_plan_recomputes_layer(plan, transformer, index);
}

/* Whether @kernel, no first one of @block, is launched by a graph that the first one starts. */
static gboolean
is_replayed(const LpKernel *kernel, LpBlock block, const LpPlan *plan)
{
    guint32 graphs = plan->traits[LP_TRAIT_LAYER_GRAPHS];
    gboolean is_graph = (block == LP_BLOCK_ROUTER && graphs >= LP_LAYER_GRAPHS_ROUTING) ||
                        (block == LP_BLOCK_ATTENTION && graphs >= LP_LAYER_GRAPHS_ATTENTION);
    return is_graph && !kernel->waits && !kernel->collective && !kernel->on_host;
}

static LpWork
work_in_block(const LpKernel *kernels, guint i, LpBlock block, const LpPlan *plan,
              const LpAccelerator *accelerator)
{
    LpWork work = lp_kernel_work(&kernels[i], plan, accelerator);
    if (is_replayed(&kernels[i], block, plan)) {
        work.host_s = i == 0 ? fmin(work.host_s, accelerator->host_kernel_s) : 0.0;
        work.issue_s = work.host_s;
    }
    return work;
}

void
lp_block_parts_work(const LpTransformer *transformer, const LpPlan *plan,
                    const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass,
                    LpWork *parts)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(transformer, plan, index, block, pass, kernels);
    for (LpBlockPart part = 0; part < LP_N_BLOCK_PARTS; part++)
        parts[part] = LP_WORK_NONE;
    for (guint i = 0; i < n_kernels; i++)
        parts[kernels[i].part] = lp_work_then(parts[kernels[i].part],
                                              work_in_block(kernels, i, block, plan, accelerator));
}

LpWork
lp_block_part_work(const LpTransformer *transformer, const LpPlan *plan,
                   const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass,
                   LpBlockPart part)
{
    LpKernel kernels[LP_KERNELS_MAX];
    guint n_kernels = lp_block_kernels(transformer, plan, index, block, pass, kernels);
    LpWork sum = LP_WORK_NONE;
    for (guint i = 0; i < n_kernels; i++)
        if (kernels[i].part == part)
            sum = lp_work_then(sum, work_in_block(kernels, i, block, plan, accelerator));
    return sum;
}

LpWork
lp_block_work(const LpTransformer *transformer, const LpPlan *plan,
              const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass)
{
    LpWork parts[LP_N_BLOCK_PARTS], sum = LP_WORK_NONE;
    lp_block_parts_work(transformer, plan, accelerator, index, block, pass, parts);
    for (LpBlockPart part = 0; part < LP_N_BLOCK_PARTS; part++)
        sum = lp_work_then(sum, parts[part]);
    return sum;
}

double
lp_block_time_s(const LpTransformer *transformer, const LpPlan *plan,
                const LpAccelerator *accelerator, guint32 index, LpBlock block, LpPass pass)
{
    return lp_block_work(transformer, plan, accelerator, index, block, pass).device_s;
}
