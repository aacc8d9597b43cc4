/* SPDX-License-Identifier: Apache-2.0 */
/* Which plans are possible, each on its own and for a Transformer. */
#include "model/plan/plan.h"

#include <math.h>

#define RANKS_MAX (1u << 24)
#define SEQUENCES_MAX (1u << 24)
/* A setting beyond these is a typing error. */
#define PARAMETERS_MAX 1e15
#define SLOWDOWN_MAX 100.0
#define SKEW_MAX 10.0

static gboolean refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
refuse(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_propagate_error(error,
                      g_error_new_valist(LP_MODEL_ERROR, LP_MODEL_ERROR_PLAN, format, arguments));
    va_end(arguments);
    return FALSE;
}

static gboolean
check_range(const char *attribute, guint32 count, guint32 most, GError **error)
{
    if (count >= 1 && count <= most)
        return TRUE;
    return refuse(error, "%s: got %u, wanted 1 to %u", attribute, count, most);
}

static gboolean
check_degrees(const LpPlan *self, GError **error)
{
    guint64 n_ranks = 1;
    for (guint axis = 0; axis < LP_N_AXES; axis++) {
        if (!check_range(lp_axis_names[axis], self->degree[axis], RANKS_MAX, error))
            return FALSE;
        if (axis == LP_AXIS_EP)
            continue;
        n_ranks *= self->degree[axis]; /* both below 2^25: no overflow */
        if (n_ranks > RANKS_MAX)
            return refuse(error,
                          "%s: got %u, wanted at most %u ranks in the product of all degrees",
                          lp_axis_names[axis], self->degree[axis], RANKS_MAX);
    }
    return TRUE;
}

static gboolean
check_order(const LpPlan *self, GError **error)
{
    guint seen = 0;
    for (guint i = 0; i < LP_N_AXES; i++) {
        if ((guint)self->order[i] >= LP_N_AXES)
            return refuse(error, "rank-order: got no axis in place %u, wanted each axis once", i);
        if (seen & (1u << self->order[i]))
            return refuse(error, "rank-order: got %s twice, wanted each axis once",
                          lp_axis_names[self->order[i]]);
        seen |= 1u << self->order[i];
    }
    return TRUE;
}

static gboolean
check_tp_divides(guint32 tp, const char *what, guint64 total, GError **error)
{
    if (total % tp == 0)
        return TRUE;
    return refuse(error, "tp: got %u, wanted a divisor of %s (%" G_GUINT64_FORMAT ")", tp, what,
                  total);
}

/* Rings would begin with a product's own share, which the compression has not made yet. */
static gboolean
check_latent_inputs(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    const char *with = transformer->latent.kv_rank == 0         ? "kv-rank 0"
                       : self->overlap.tp == LP_OVERLAP_TP_RING ? "overlap-tp ring"
                       : transformer->parallel_blocks           ? "parallel-blocks"
                                                                : NULL;
    return with == NULL ||
           refuse(error, "input-collectives: got latent, wanted shared with %s", with);
}

/* Software that has plans by projection: dense layers of a decoder, nothing of which is split. */
static gboolean
check_input_collectives(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    const char *name = lp_plan_trait_word(self, LP_TRAIT_INPUT_COLLECTIVES);
    if (self->traits[LP_TRAIT_INPUT_COLLECTIVES] == LP_INPUT_COLLECTIVES_LATENT)
        return check_latent_inputs(self, transformer, error);
    const char *with = self->traits[LP_TRAIT_SEPARATE_PROJECTIONS] != LP_PROJECTIONS_SEPARATE
                           ? "separate-projections no or gate"
                       : self->overlap.tp != LP_OVERLAP_TP_NO ? "overlap-tp"
                       : transformer->experts.n > 0           ? "experts"
                       : transformer->parallel_blocks         ? "parallel-blocks"
                       : transformer->latent.kv_rank > 0      ? "kv-rank"
                       : transformer->decoder.n_layers > 0    ? "decoder-layers"
                                                              : NULL;
    return with == NULL ||
           self->traits[LP_TRAIT_INPUT_COLLECTIVES] == LP_INPUT_COLLECTIVES_SHARED ||
           refuse(error, "input-collectives: got %s, wanted shared with %s", name, with);
}

static gboolean
check_tp(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 tp = self->degree[LP_AXIS_TP], kv = transformer->n_kv_heads;
    guint64 shared =
        (guint64)transformer->experts.n_shared * lp_transformer_expert_ffn(transformer);
    gboolean has_dense_layers =
        lp_transformer_n_expert_layers(transformer) < lp_transformer_n_layers(transformer);
    if (!check_tp_divides(tp, "heads", transformer->n_heads, error) ||
        (has_dense_layers && !check_tp_divides(tp, "ffn", transformer->ffn, error)) ||
        !check_tp_divides(tp, "the width of all shared experts", shared, error))
        return FALSE;
    if (kv % tp != 0 && tp % kv != 0)
        return refuse(error, "tp: got %u, wanted a divisor or a multiple of kv-heads (%u)", tp, kv);
    return !transformer->embedding || transformer->vocab % tp == 0 ||
           refuse(error,
                  "tp: got %u, wanted a divisor of vocab (%u): pad vocab to %" G_GUINT64_FORMAT, tp,
                  transformer->vocab, ((guint64)transformer->vocab / tp + 1) * tp);
}

static gboolean
check_tensor_parallel(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    if (self->pipeline.scatter_gather && self->sequence_parallel)
        return refuse(error,
                      "scatter-gather: got %s, wanted no with sequence-parallel, whose "
                      "activations are scattered already",
                      lp_scatter_gather_names[self->pipeline.scatter_gather]);
    if (lp_plan_gathers_heads(self, transformer) &&
        (self->traits[LP_TRAIT_SEPARATE_PROJECTIONS] == LP_PROJECTIONS_SEPARATE ||
         transformer->decoder.n_layers > 0))
        return refuse(error, "kv-division: got gathered, wanted copies with %s",
                      transformer->decoder.n_layers > 0 ? "decoder-layers"
                                                        : "separate-projections yes");
    return check_input_collectives(self, transformer, error);
}

/* The sequence is cut by cp, and under sequence parallelism each part again by tp. */
static gboolean
check_sequence(const LpPlan *self, const char *attribute, guint32 seq, GError **error)
{
    guint32 cp = self->degree[LP_AXIS_CP], tp = self->degree[LP_AXIS_TP];
    if (seq % cp != 0)
        return refuse(error, "cp: got %u, wanted a divisor of %s (%u)", cp, attribute, seq);
    if (self->sequence_parallel && seq / cp % tp != 0)
        return refuse(error, "tp: got %u, wanted a divisor of %s / cp (%u) with sequence-parallel",
                      tp, attribute, seq / cp);
    return TRUE;
}

static gboolean
check_context_parallel(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 cp = self->degree[LP_AXIS_CP], tp = self->degree[LP_AXIS_TP];
    gboolean pair = transformer->kind == LP_TRANSFORMER_ENCODER_DECODER;
    if (!check_sequence(self, "seq", transformer->seq, error) ||
        (pair && !check_sequence(self, "decoder-seq", transformer->decoder.seq, error)))
        return FALSE;
    if (cp == 1)
        return TRUE;
    if (pair)
        return refuse(error, "cp: got %u, wanted 1 with kind encoder-decoder", cp);
    if (self->context_kind != LP_CONTEXT_ULYSSES)
        return TRUE;
    guint32 own_kv = MAX(transformer->n_kv_heads / tp, 1);
    if (transformer->n_heads / tp % cp != 0 || (own_kv % cp != 0 && cp % own_kv != 0))
        return refuse(
            error,
            "cp: got %u, wanted a divisor of heads / tp (%u), and a divisor or a multiple "
            "of kv-heads / tp (%u), with cp-kind ulysses, which divides heads",
            cp, transformer->n_heads / tp, own_kv);
    return TRUE;
}

/* Whether ranks that are neighbours on tp are neighbours in their stage. */
static gboolean
tp_varies_fastest(const LpPlan *self)
{
    for (guint i = 0; self->order[i] != LP_AXIS_TP; i++)
        if ((self->order[i] == LP_AXIS_CP || self->order[i] == LP_AXIS_DP) &&
            self->degree[self->order[i]] > 1)
            return FALSE;
    return TRUE;
}

static gboolean
check_expert_tp(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 tp = self->degree[LP_AXIS_TP], etp = lp_plan_expert_tp(self);
    if (etp != 1 && etp != tp)
        return refuse(error, "expert-tp: got %u, wanted 1 or tp (%u)", etp, tp);
    if (tp == 1)
        return TRUE;
    if (etp == 1 && !self->sequence_parallel)
        return refuse(error, "sequence-parallel: got no, wanted yes where experts are not divided "
                             "over tp (expert-tp 1): each rank routes its own tokens");
    if (etp == 1)
        return TRUE;
    if (!tp_varies_fastest(self))
        return refuse(error, "rank-order: got tp behind cp or dp, wanted tp before both where "
                             "experts are divided over tp");
    if (lp_transformer_expert_ffn(transformer) % tp != 0)
        return refuse(error, "tp: got %u, wanted a divisor of expert-ffn (%u), or expert-tp 1", tp,
                      lp_transformer_expert_ffn(transformer));
    return TRUE;
}

static gboolean
check_experts(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 ep = self->degree[LP_AXIS_EP];
    if (ep % MAX(self->experts.relay, 1) != 0)
        return refuse(error, "ep-relay: got %u, wanted a divisor of ep (%u)", self->experts.relay,
                      ep);
    if (transformer->experts.n == 0)
        return self->experts.tp <= 1 ||
               refuse(error, "expert-tp: got %u, wanted 1 without experts", self->experts.tp);
    if (self->traits[LP_TRAIT_EXPERTS_ONE_BY_ONE] &&
        self->traits[LP_TRAIT_EXPERTS_KERNEL] != LP_EXPERTS_KERNEL_PRODUCTS)
        return refuse(error,
                      "experts-kernel: got %s, wanted products with experts-one-by-one, where no "
                      "kernel computes all of them",
                      lp_plan_trait_word(self, LP_TRAIT_EXPERTS_KERNEL));
    if (!check_expert_tp(self, transformer, error))
        return FALSE;
    guint64 n =
        (guint64)self->degree[LP_AXIS_TP] * self->degree[LP_AXIS_CP] * self->degree[LP_AXIS_DP];
    guint64 wanted = (guint64)lp_plan_expert_tp(self) * ep;
    if (n % wanted != 0)
        return refuse(error,
                      "ep: got %u, wanted ep * expert-tp (%" G_GUINT64_FORMAT
                      ") to divide tp * cp * dp (%" G_GUINT64_FORMAT ")",
                      ep, wanted, n);
    return TRUE;
}

static gboolean
check_batches(const LpPlan *self, GError **error)
{
    if (!check_range("micro-batch", self->batch.micro, SEQUENCES_MAX, error) ||
        !check_range("global-batch", self->batch.global, SEQUENCES_MAX, error))
        return FALSE;
    guint64 sequences = (guint64)self->batch.micro * self->degree[LP_AXIS_DP];
    if (self->batch.global % sequences == 0)
        return TRUE;
    return refuse(error, "global-batch: got %u, wanted a multiple of dp * micro-batch (%u * %u)",
                  self->batch.global, self->degree[LP_AXIS_DP], self->batch.micro);
}

gboolean
lp_plan_check_batch(const LpPlan *self, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP], v = self->pipeline.virtual_stages;
    if (!check_batches(self, error))
        return FALSE;
    if (v > 1 && pp == 1)
        return refuse(error, "virtual-stages: got %u, wanted 1 where pp is 1", v);
    guint32 m = lp_plan_n_micro_batches(self);
    return v <= 1 || m % pp == 0 ||
           refuse(error,
                  "global-batch: got %u, wanted micro-batches (%u) in a multiple of pp (%u) "
                  "where virtual-stages is above 1",
                  self->batch.global, m, pp);
}

static gboolean
check_virtual_stages(const LpPlan *self, GError **error)
{
    LpPipelineSchedule schedule = self->pipeline.schedule;
    guint32 v = self->pipeline.virtual_stages;
    if (schedule == LP_SCHEDULE_INTERLEAVED && v == 1)
        return refuse(error, "schedule: got interleaved, wanted virtual-stages above 1 with it");
    return v == 1 || schedule == LP_SCHEDULE_INTERLEAVED || schedule == LP_SCHEDULE_1F1B ||
           refuse(error, "virtual-stages: got %u, wanted 1 with schedule %s", v,
                  lp_schedule_names[schedule]);
}

/* Both ends feed half of the micro-batches (DeepSeek-V3, section 3.2.1: "only requires that the
 * pipeline stages and micro-batches be divisible by 2"; its published code wants 2 pp of them). */
static gboolean
check_dualpipe(const LpPlan *self, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP], m = lp_plan_n_micro_batches(self);
    if (self->pipeline.schedule != LP_SCHEDULE_DUALPIPE)
        return TRUE;
    if (pp % 2 != 0)
        return refuse(error, "pp: got %u, wanted an even number with schedule dualpipe", pp);
    if (m % 2 != 0 || m < 2 * pp)
        return refuse(error,
                      "global-batch: got %u, wanted micro-batches (%u) in an even number of at "
                      "least 2 pp (%u) with schedule dualpipe",
                      self->batch.global, m, 2 * pp);
    return TRUE;
}

static gboolean
check_stages(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 n = lp_plan_n_slices(self);
    if (self->pipeline.stages != LP_STAGES_EVEN && n > LP_STAGE_LIST_MAX)
        return refuse(error, "stage-layers: got %u slices, wanted at most %u unless even", n,
                      LP_STAGE_LIST_MAX);
    if (self->pipeline.stages != LP_STAGES_LIST)
        return TRUE;
    if (self->pipeline.n_listed != n)
        return refuse(error, "stage-layers: got %u numbers, wanted pp * virtual-stages (%u)",
                      self->pipeline.n_listed, n);
    guint64 sum = 0;
    for (guint32 i = 0; i < n; i++)
        sum += self->pipeline.listed_layers[i];
    if (sum != lp_transformer_n_layers(transformer))
        return refuse(error, "stage-layers: got %" G_GUINT64_FORMAT " layers, wanted all %u", sum,
                      lp_transformer_n_layers(transformer));
    return TRUE;
}

static gboolean
check_pipeline(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    guint32 layers = lp_transformer_n_layers(transformer);
    LpStages rule = self->pipeline.stages;
    gboolean lists =
        rule == LP_STAGES_LIST || rule == LP_STAGES_BY_WEIGHT || rule == LP_STAGES_FRONT;
    if (rule == LP_STAGES_WITH_ENDS)
        layers += 2;
    if (!lists && pp > layers)
        return refuse(error, "pp: got %u, wanted at most one stage a layer (%u)", pp, layers);
    if (!lists && !check_range("virtual-stages", self->pipeline.virtual_stages, layers / pp, error))
        return FALSE;
    if (transformer->kind == LP_TRANSFORMER_ENCODER_DECODER && pp > 1)
        return refuse(error, "pp: got %u, wanted 1 with kind encoder-decoder", pp);
    return check_virtual_stages(self, error) && check_dualpipe(self, error) &&
           check_stages(self, transformer, error);
}

/* One more micro-batch in flight than the order of passes has makes every pair independent: of one
 * stage, or of interleaved ones, whose neighbours are two passes apart (Megatron-Core,
 * megatron/core/pipeline_parallel/schedules.py: overlap_moe_expert_parallel_comm). */
static gboolean
check_overlap_ep(const LpPlan *self, GError **error)
{
    if (!self->overlap.ep)
        return TRUE;
    if (self->degree[LP_AXIS_EP] == 1)
        return refuse(error, "overlap-ep: got yes, wanted no with ep 1: nothing is exchanged");
    LpPipelineSchedule schedule = self->pipeline.schedule;
    gboolean one = self->degree[LP_AXIS_PP] == 1 && schedule == LP_SCHEDULE_1F1B;
    if (!one && schedule != LP_SCHEDULE_INTERLEAVED && schedule != LP_SCHEDULE_DUALPIPE)
        return refuse(error, "overlap-ep: got yes, wanted no unless schedule is interleaved or "
                             "dualpipe, or 1f1b with pp 1");
    return TRUE;
}

/* Overlapped passes of two chunks would have the parameters of both gathered at once, and a pair
 * neither begins nor completes a unit by itself. */
static gboolean
check_overlapped_passes(const LpPlan *self, GError **error)
{
    if (!lp_plan_overlaps_passes(self))
        return TRUE;
    const char *cause = self->overlap.ep ? "overlap-ep" : "schedule dualpipe";
    if (self->zero.stage == 3)
        return refuse(error,
                      "zero: got 3, wanted at most 2 with %s: overlapped passes would gather the "
                      "parameters of two chunks at once",
                      cause);
    if (self->zero.gradient_sync == LP_GRADIENT_SYNC_EACH)
        return refuse(
            error,
            "gradient-sync: got each, wanted last with %s: two micro-batches are overlapped "
            "together",
            cause);
    return TRUE;
}

/* Experts' tensors have owners of their own, and what is hidden is gathered in buckets. */
static gboolean
check_parameter_gather(const LpPlan *self, gboolean has_experts, GError **error)
{
    if (self->traits[LP_TRAIT_PARAMETER_GATHER] != LP_PARAMETER_GATHER_BROADCAST)
        return TRUE;
    if (!lp_plan_shares_step(self))
        return refuse(error,
                      "parameter-gather: got broadcast, wanted collective unless zero is 1 or 2");
    if (has_experts || self->overlap.param || self->traits[LP_TRAIT_GATHER_LISTS])
        return refuse(error, "parameter-gather: got broadcast, wanted collective with experts, "
                             "overlap-param or gather-lists");
    return TRUE;
}

static gboolean
check_sharding(const LpPlan *self, gboolean has_experts, GError **error)
{
    if (self->zero.stage > 3)
        return refuse(error, "zero: got %u, wanted 0 to 3", self->zero.stage);
    if (!check_overlap_ep(self, error) || !check_overlapped_passes(self, error))
        return FALSE;
    if (self->zero.variant == LP_ZERO_DEEPSPEED && !lp_plan_shares_step(self))
        return refuse(error, "zero-variant: got deepspeed, wanted standard unless zero is 1 or 2");
    if (!check_parameter_gather(self, has_experts, error))
        return FALSE;
    if (self->zero.keeps_parameters && self->zero.stage != 3)
        return refuse(error, "reshard: got no, wanted yes unless zero is 3");
    if (self->overlap.param && self->zero.stage == 0)
        return refuse(error, "overlap-param: got yes, wanted no without zero: nothing is gathered");
    if (self->zero.shard_degree == 0)
        return TRUE;
    if (self->zero.stage == 0)
        return refuse(error, "shard-degree: got %u, wanted 0 without zero",
                      self->zero.shard_degree);
    if (lp_plan_n_replicas(self) % self->zero.shard_degree != 0)
        return refuse(error, "shard-degree: got %u, wanted a divisor of dp * cp (%u)",
                      self->zero.shard_degree, lp_plan_n_replicas(self));
    gboolean tp_divides = !has_experts || lp_plan_expert_tp(self) == self->degree[LP_AXIS_TP];
    if (self->degree[LP_AXIS_EP] > 1 || !tp_divides ||
        self->pipeline.schedule == LP_SCHEDULE_DUALPIPE)
        return refuse(error,
                      "shard-degree: got %u, wanted 0 with ep above 1, experts that tp does not "
                      "divide, or schedule dualpipe",
                      self->zero.shard_degree);
    return TRUE;
}

static gboolean
check_options(const LpPlan *self, GError **error)
{
    if (self->format.gradient_bytes != 2 && self->format.gradient_bytes != 4)
        return refuse(error, "gradient-precision: got %u bytes, wanted 2 or 4 bytes",
                      self->format.gradient_bytes);
    if (!isfinite(self->overlap.bucket_bytes) || self->overlap.bucket_bytes < 0.0)
        return refuse(error, "bucket: got %g, wanted a finite size of at least 0",
                      self->overlap.bucket_bytes);
    if (self->overlap.bucket == LP_BUCKET_PARAMETERS &&
        (!isfinite(self->overlap.bucket_parameters) || self->overlap.bucket_parameters < 1.0))
        return refuse(error, "bucket: got %g parameters, wanted a finite number of at least 1",
                      self->overlap.bucket_parameters);
    if (!(self->overlap.fraction >= 0.0 && self->overlap.fraction <= 1.0))
        return refuse(error, "overlap-fraction: got %g, wanted 0 to 1", self->overlap.fraction);
    if (self->overlap.slowdown != 0.0 &&
        !(self->overlap.slowdown >= 1.0 && self->overlap.slowdown <= SLOWDOWN_MAX))
        return refuse(error, "slowdown: got %g, wanted 1 to %g", self->overlap.slowdown,
                      SLOWDOWN_MAX);
    const LpPlanOverlap *overlap = &self->overlap;
    if (self->traits[LP_TRAIT_HOST_SYNC] == LP_HOST_SYNC_KERNELS &&
        (overlap->dp || overlap->tp != LP_OVERLAP_TP_NO || overlap->pp || overlap->ep ||
         overlap->param || self->pipeline.schedule == LP_SCHEDULE_DUALPIPE ||
         (self->degree[LP_AXIS_CP] > 1 && self->context_kind == LP_CONTEXT_RING)))
        return refuse(error, "host-sync: got kernels, wanted another with overlap-dp, overlap-tp, "
                             "overlap-pp, overlap-ep, overlap-param, schedule dualpipe or ring "
                             "attention: a host that waits for each kernel hides nothing");
    if (!(self->zero.gather_bucket >= 0.0 && self->zero.gather_bucket <= PARAMETERS_MAX))
        return refuse(error, "gather-bucket: got %g, wanted 0 to %g parameters",
                      self->zero.gather_bucket, PARAMETERS_MAX);
    if (!(self->zero.live_parameters >= 0.0 && self->zero.live_parameters <= PARAMETERS_MAX))
        return refuse(error, "live-parameters: got %g, wanted 0 to %g parameters",
                      self->zero.live_parameters, PARAMETERS_MAX);
    if (!(self->experts.skew >= 0.0 && self->experts.skew <= SKEW_MAX))
        return refuse(error, "skew: got %g, wanted 0 to %g", self->experts.skew, SKEW_MAX);
    return TRUE;
}

gboolean
lp_plan_check_degrees(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 dp = self->degree[LP_AXIS_DP], cp = self->degree[LP_AXIS_CP];
    guint32 ep = self->degree[LP_AXIS_EP];
    if (!check_degrees(self, error) || !check_tp(self, transformer, error))
        return FALSE;
    if (transformer->seq % cp != 0)
        return refuse(error, "cp: got %u, wanted a divisor of seq (%u)", cp, transformer->seq);
    if (transformer->experts.n == 0 && ep > 1)
        return refuse(error, "ep: got %u, wanted 1 without experts", ep);
    if (transformer->experts.n % ep != 0)
        return refuse(error, "ep: got %u, wanted a divisor of experts (%u)", ep,
                      transformer->experts.n);
    return self->batch.global % dp == 0 ||
           refuse(error, "global-batch: got %u, wanted a multiple of dp (%u)", self->batch.global,
                  dp);
}

gboolean
lp_plan_check(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    return lp_plan_check_degrees(self, transformer, error) && check_order(self, error) &&
           check_options(self, error) && lp_plan_check_lora(self, error) &&
           check_tensor_parallel(self, transformer, error) &&
           check_context_parallel(self, transformer, error) &&
           check_experts(self, transformer, error) && lp_plan_check_batch(self, error) &&
           check_pipeline(self, transformer, error) &&
           check_sharding(self, transformer->experts.n > 0, error);
}
