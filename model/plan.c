/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a plan, and the arithmetic of ranks, layer placement, parameters and operations. */
#include "model/plan.h"

#include <math.h>

#define RANKS_MAX (1u << 24)
#define SEQUENCES_MAX (1u << 24)
/* Beyond these a setting is a slip of the pen. */
#define SLOWDOWN_MAX 100.0
#define SKEW_MAX 10.0

const char *const lp_schedule_names[] = {"gpipe",       "1f1b",     "interleaved",
                                         "zero-bubble", "dualpipe", NULL};
const char *const lp_recompute_names[] = {"none", "light", "selective", "full", NULL};
const char *const lp_precision_names[] = {"fp32", "tf32", "fp16", "bf16", "fp8", NULL};
const char *const lp_overlap_tp_names[] = {"no", "bulk", "yes", NULL};
const char *const lp_kernels_names[] = {"fused", "eager", NULL};
const char *const lp_host_sync_names[] = {"none", "messages", "passes", NULL};
const char *const lp_context_kind_names[] = {"ring", "ulysses", NULL};
const char *const lp_zero_variant_names[] = {"standard", "deepspeed", NULL};
const char *const lp_gradient_sync_names[] = {"auto", "last", "each", NULL};
const char *const lp_optimizer_names[] = {"adam", "sgd", "adam-8bit", NULL};
const char *const lp_axis_names[] = {"tp", "cp", "ep", "dp", "pp", NULL};
const char *const lp_traffic_names[] = {"tp", "pp", "dp", "ep", "cp", "embedding", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(lp_precision_names) == LP_N_PRECISIONS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_axis_names) == LP_N_AXES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_traffic_names) == LP_N_TRAFFIC + 1);

/* --- checks --- */

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

static gboolean
has_dense_layers(const LpTransformer *transformer)
{
    return lp_transformer_n_expert_layers(transformer) < lp_transformer_n_layers(transformer);
}

static gboolean
check_tensor_parallel(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 tp = self->degree[LP_AXIS_TP];
    guint32 kv = transformer->n_kv_heads;
    guint64 shared =
        (guint64)transformer->n_shared_experts * lp_transformer_expert_ffn(transformer);
    if (!check_tp_divides(tp, "heads", transformer->n_heads, error) ||
        (has_dense_layers(transformer) && !check_tp_divides(tp, "ffn", transformer->ffn, error)) ||
        !check_tp_divides(tp, "the width of all shared experts", shared, error))
        return FALSE;
    if (kv % tp != 0 && tp % kv != 0)
        return refuse(error, "tp: got %u, wanted a divisor or a multiple of kv-heads (%u)", tp, kv);
    if (transformer->embedding && transformer->vocab % tp != 0)
        return refuse(error,
                      "tp: got %u, wanted a divisor of vocab (%u): pad vocab to %" G_GUINT64_FORMAT,
                      tp, transformer->vocab, ((guint64)transformer->vocab / tp + 1) * tp);
    if (self->scatter_gather && self->sequence_parallel)
        return refuse(error, "scatter-gather: got yes, wanted no with sequence-parallel, whose "
                             "activations are scattered already");
    return TRUE;
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
        (pair && !check_sequence(self, "decoder-seq", transformer->decoder_seq, error)))
        return FALSE;
    if (cp == 1)
        return TRUE;
    if (pair)
        return refuse(error, "cp: got %u, wanted 1 with kind encoder-decoder", cp);
    if (self->context_kind == LP_CONTEXT_RING)
        return TRUE;
    guint32 own_kv = MAX(transformer->n_kv_heads / tp, 1);
    if (transformer->n_heads / tp % cp != 0 || own_kv % cp != 0)
        return refuse(error,
                      "cp: got %u, wanted a divisor of heads / tp (%u) and kv-heads / tp (%u) with "
                      "cp-kind ulysses, which divides heads",
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
    if (ep % MAX(self->ep_relay, 1) != 0)
        return refuse(error, "ep-relay: got %u, wanted a divisor of ep (%u)", self->ep_relay, ep);
    if (transformer->n_experts == 0) {
        if (ep > 1)
            return refuse(error, "ep: got %u, wanted 1 without experts", ep);
        return self->expert_tp <= 1 ||
               refuse(error, "expert-tp: got %u, wanted 1 without experts", self->expert_tp);
    }
    if (transformer->n_experts % ep != 0)
        return refuse(error, "ep: got %u, wanted a divisor of experts (%u)", ep,
                      transformer->n_experts);
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
    if (!check_range("micro-batch", self->micro_batch, SEQUENCES_MAX, error) ||
        !check_range("global-batch", self->global_batch, SEQUENCES_MAX, error))
        return FALSE;
    guint64 sequences = (guint64)self->micro_batch * self->degree[LP_AXIS_DP];
    if (self->global_batch % sequences == 0)
        return TRUE;
    return refuse(error, "global-batch: got %u, wanted a multiple of dp * micro-batch (%u * %u)",
                  self->global_batch, self->degree[LP_AXIS_DP], self->micro_batch);
}

static gboolean
check_virtual_stages(const LpPlan *self, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    guint32 v = self->virtual_stages;
    if (self->schedule == LP_SCHEDULE_INTERLEAVED && v == 1)
        return refuse(error, "schedule: got interleaved, wanted virtual-stages above 1 with it");
    if (v == 1)
        return TRUE;
    if (pp == 1)
        return refuse(error, "virtual-stages: got %u, wanted 1 where pp is 1", v);
    if (self->schedule != LP_SCHEDULE_INTERLEAVED && self->schedule != LP_SCHEDULE_1F1B)
        return refuse(error, "virtual-stages: got %u, wanted 1 with schedule %s", v,
                      lp_schedule_names[self->schedule]);
    guint32 m = lp_plan_n_micro_batches(self);
    if (m % pp != 0)
        return refuse(error,
                      "global-batch: got %u, wanted micro-batches (%u) in a multiple of pp (%u) "
                      "where virtual-stages is above 1",
                      self->global_batch, m, pp);
    return TRUE;
}

/* Both ends feed half of the micro-batches (DeepSeek-V3, section 3.2.1: "only requires that the
 * pipeline stages and micro-batches be divisible by 2"; its published code wants 2 pp of them). */
static gboolean
check_dualpipe(const LpPlan *self, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP], m = lp_plan_n_micro_batches(self);
    if (self->schedule != LP_SCHEDULE_DUALPIPE)
        return TRUE;
    if (pp % 2 != 0)
        return refuse(error, "pp: got %u, wanted an even number with schedule dualpipe", pp);
    if (m % 2 != 0 || m < 2 * pp)
        return refuse(error,
                      "global-batch: got %u, wanted micro-batches (%u) in an even number of at "
                      "least 2 pp (%u) with schedule dualpipe",
                      self->global_batch, m, 2 * pp);
    return TRUE;
}

static gboolean
check_stages(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    guint32 n = lp_plan_n_slices(self);
    if (self->stages != LP_STAGES_EVEN && n > LP_STAGE_LIST_MAX)
        return refuse(error, "stage-layers: got %u slices, wanted at most %u unless even", n,
                      LP_STAGE_LIST_MAX);
    if (self->stages != LP_STAGES_LIST)
        return TRUE;
    if (self->n_listed != n)
        return refuse(error, "stage-layers: got %u numbers, wanted pp * virtual-stages (%u)",
                      self->n_listed, n);
    guint64 sum = 0;
    for (guint32 i = 0; i < n; i++)
        sum += self->listed_layers[i];
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
    gboolean lists = self->stages == LP_STAGES_LIST;
    if (!lists && pp > layers)
        return refuse(error, "pp: got %u, wanted at most one stage a layer (%u)", pp, layers);
    if (!lists && !check_range("virtual-stages", self->virtual_stages, layers / pp, error))
        return FALSE;
    if (transformer->kind == LP_TRANSFORMER_ENCODER_DECODER && pp > 1)
        return refuse(error, "pp: got %u, wanted 1 with kind encoder-decoder", pp);
    return check_virtual_stages(self, error) && check_dualpipe(self, error) &&
           check_stages(self, transformer, error);
}

static gboolean
check_sharding(const LpPlan *self, gboolean has_experts, GError **error)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    if (self->zero > 3)
        return refuse(error, "zero: got %u, wanted 0 to 3", self->zero);
    if (self->zero == 3 && pp > 1)
        return refuse(error,
                      "zero: got 3, wanted at most 2 with pp above 1: each micro-batch would "
                      "gather each stage's parameters anew");
    if (pp > 1 && self->gradient_sync == LP_GRADIENT_SYNC_EACH)
        return refuse(error, "gradient-sync: got each, wanted last with pp above 1");
    if (self->zero_variant == LP_ZERO_DEEPSPEED && self->zero != 1 && self->zero != 2)
        return refuse(error, "zero-variant: got deepspeed, wanted standard unless zero is 1 or 2");
    if (self->keeps_parameters && self->zero != 3)
        return refuse(error, "reshard: got no, wanted yes unless zero is 3");
    if (self->overlap_param && self->zero == 0)
        return refuse(error, "overlap-param: got yes, wanted no without zero: nothing is gathered");
    if (self->shard_degree == 0)
        return TRUE;
    if (self->zero == 0)
        return refuse(error, "shard-degree: got %u, wanted 0 without zero", self->shard_degree);
    if (lp_plan_n_replicas(self) % self->shard_degree != 0)
        return refuse(error, "shard-degree: got %u, wanted a divisor of dp * cp (%u)",
                      self->shard_degree, lp_plan_n_replicas(self));
    gboolean tp_divides = !has_experts || lp_plan_expert_tp(self) == self->degree[LP_AXIS_TP];
    if (self->degree[LP_AXIS_EP] > 1 || !tp_divides || self->schedule == LP_SCHEDULE_DUALPIPE)
        return refuse(error,
                      "shard-degree: got %u, wanted 0 with ep above 1, experts that tp does not "
                      "divide, or schedule dualpipe",
                      self->shard_degree);
    return TRUE;
}

static gboolean
check_options(const LpPlan *self, GError **error)
{
    if (self->gradient_bytes != 2 && self->gradient_bytes != 4)
        return refuse(error, "gradient-precision: got %u bytes, wanted 2 or 4 bytes",
                      self->gradient_bytes);
    if (!isfinite(self->bucket_bytes) || self->bucket_bytes < 0.0)
        return refuse(error, "bucket: got %g, wanted a finite size of at least 0",
                      self->bucket_bytes);
    if (!(self->overlap_fraction >= 0.0 && self->overlap_fraction <= 1.0))
        return refuse(error, "overlap-fraction: got %g, wanted 0 to 1", self->overlap_fraction);
    if (self->slowdown != 0.0 && !(self->slowdown >= 1.0 && self->slowdown <= SLOWDOWN_MAX))
        return refuse(error, "slowdown: got %g, wanted 1 to %g", self->slowdown, SLOWDOWN_MAX);
    if (!(self->skew >= 0.0 && self->skew <= SKEW_MAX))
        return refuse(error, "skew: got %g, wanted 0 to %g", self->skew, SKEW_MAX);
    return TRUE;
}

gboolean
lp_plan_check(const LpPlan *self, const LpTransformer *transformer, GError **error)
{
    return check_degrees(self, error) && check_order(self, error) && check_options(self, error) &&
           check_tensor_parallel(self, transformer, error) &&
           check_context_parallel(self, transformer, error) &&
           check_experts(self, transformer, error) && check_batches(self, error) &&
           check_pipeline(self, transformer, error) &&
           check_sharding(self, transformer->n_experts > 0, error);
}

/* --- ranks --- */

/* Ranks along @axis; experts are spread over ranks of other axes and add none. */
static guint32
extent(const LpPlan *self, LpAxis axis)
{
    return axis == LP_AXIS_EP ? 1 : self->degree[axis];
}

guint64
lp_plan_n_ranks(const LpPlan *self)
{
    guint64 n_ranks = 1;
    for (guint axis = 0; axis < LP_N_AXES; axis++)
        n_ranks *= extent(self, (LpAxis)axis);
    return n_ranks;
}

guint32
lp_plan_n_micro_batches(const LpPlan *self)
{
    return (guint32)(self->global_batch / ((guint64)self->micro_batch * self->degree[LP_AXIS_DP]));
}

guint64
lp_plan_rank(const LpPlan *self, const LpCoordinates *coordinates)
{
    guint64 rank = 0;
    guint64 stride = 1;
    for (guint i = 0; i < LP_N_AXES; i++) {
        if (self->order[i] == LP_AXIS_EP)
            continue;
        rank += coordinates->at[self->order[i]] * stride;
        stride *= self->degree[self->order[i]];
    }
    return rank;
}

LpCoordinates
lp_plan_coordinates(const LpPlan *self, guint64 rank)
{
    LpCoordinates coordinates = {{0}};
    for (guint i = 0; i < LP_N_AXES; i++) {
        guint32 n = extent(self, self->order[i]);
        coordinates.at[self->order[i]] = (guint32)(rank % n);
        rank /= n;
    }
    return coordinates;
}

guint64
lp_plan_stride(const LpPlan *self, LpAxis axis)
{
    guint64 stride = 1;
    for (guint i = 0; self->order[i] != axis; i++)
        stride *= extent(self, self->order[i]);
    return stride;
}

/* --- replicas and experts --- */

guint32
lp_plan_n_replicas(const LpPlan *self)
{
    guint32 holders = self->schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1;
    return self->degree[LP_AXIS_DP] * self->degree[LP_AXIS_CP] * holders;
}

guint32
lp_plan_shard_degree(const LpPlan *self)
{
    return self->shard_degree > 0 ? self->shard_degree : lp_plan_n_replicas(self);
}

guint32
lp_plan_expert_tp(const LpPlan *self)
{
    if (self->expert_tp > 0)
        return self->expert_tp;
    guint64 n = (guint64)self->degree[LP_AXIS_CP] * self->degree[LP_AXIS_DP];
    return n % self->degree[LP_AXIS_EP] == 0 ? self->degree[LP_AXIS_TP] : 1;
}

/* Ranks of a stage. */
static guint64
stage_ranks(const LpPlan *self)
{
    return lp_plan_n_ranks(self) / self->degree[LP_AXIS_PP];
}

/* Ranks of one stage that hold the same experts. */
static guint32
stage_expert_replicas(const LpPlan *self)
{
    return (guint32)(stage_ranks(self) /
                     ((guint64)lp_plan_expert_tp(self) * self->degree[LP_AXIS_EP]));
}

guint32
lp_plan_expert_replicas(const LpPlan *self)
{
    return stage_expert_replicas(self) * (self->schedule == LP_SCHEDULE_DUALPIPE ? 2 : 1);
}

static gboolean
ep_comes_before_dp(const LpPlan *self)
{
    for (guint i = 0; i < LP_N_AXES; i++)
        if (self->order[i] == LP_AXIS_EP || self->order[i] == LP_AXIS_DP)
            return self->order[i] == LP_AXIS_EP;
    return TRUE;
}

/* Ranks of a stage count in rank order, with the pipeline's axis taken out. */
static guint64
position_in_stage(const LpPlan *self, guint64 rank)
{
    guint64 stride = lp_plan_stride(self, LP_AXIS_PP), pp = self->degree[LP_AXIS_PP];
    return rank % stride + rank / (stride * pp) * stride;
}

LpExpertCoordinates
lp_plan_expert_coordinates(const LpPlan *self, guint64 rank)
{
    guint32 etp = lp_plan_expert_tp(self), ep = self->degree[LP_AXIS_EP];
    guint32 replicas = stage_expert_replicas(self);
    guint64 position = position_in_stage(self, rank), rest = position / etp;
    LpExpertCoordinates at = {.tp = (guint32)(position % etp)};
    gboolean ep_first = ep_comes_before_dp(self);
    at.ep = (guint32)(ep_first ? rest % ep : rest / replicas);
    at.dp = (guint32)(ep_first ? rest / ep : rest % replicas);
    return at;
}

guint64
lp_plan_expert_rank(const LpPlan *self, guint32 stage, LpExpertCoordinates at)
{
    guint64 etp = lp_plan_expert_tp(self), ep = self->degree[LP_AXIS_EP];
    guint64 rest = ep_comes_before_dp(self) ? at.ep + ep * at.dp
                                            : at.dp + (guint64)stage_expert_replicas(self) * at.ep;
    guint64 position = at.tp + etp * rest;
    guint64 stride = lp_plan_stride(self, LP_AXIS_PP);
    return position % stride + (position / stride * self->degree[LP_AXIS_PP] + stage) * stride;
}

/* Box and Muller, Annals of Mathematical Statistics 29, 1958. */
static double
draw_normal(GRand *generator)
{
    double radius = sqrt(-2.0 * log(1.0 - g_rand_double(generator)));
    return radius * cos(2.0 * G_PI * g_rand_double(generator));
}

void
lp_plan_expert_loads(const LpPlan *self, const LpTransformer *transformer, double *out_loads)
{
    guint32 ep = self->degree[LP_AXIS_EP];
    guint32 own = MAX(transformer->n_experts, ep) / ep;
    GRand *generator = g_rand_new_with_seed(self->seed);
    double sum = 0.0;
    for (guint32 i = 0; i < ep; i++) {
        out_loads[i] = 0.0;
        for (guint32 expert = 0; expert < own; expert++)
            out_loads[i] += exp(self->skew * draw_normal(generator));
        sum += out_loads[i];
    }
    for (guint32 i = 0; i < ep; i++)
        out_loads[i] *= ep / sum;
    g_rand_free(generator);
}

double
lp_plan_tokens(const LpPlan *self, guint32 seq)
{
    return (double)self->micro_batch * seq / self->degree[LP_AXIS_CP];
}

/* --- what a rank holds --- */

guint32
lp_plan_n_chunks(const LpPlan *self)
{
    return self->schedule == LP_SCHEDULE_DUALPIPE ? 2 : self->virtual_stages;
}

guint32
lp_plan_n_slices(const LpPlan *self)
{
    return self->degree[LP_AXIS_PP] * self->virtual_stages;
}

guint32
lp_plan_slice(const LpPlan *self, guint32 stage, guint32 chunk)
{
    guint32 pp = self->degree[LP_AXIS_PP];
    if (self->schedule == LP_SCHEDULE_DUALPIPE)
        return chunk == 0 ? stage : pp - 1 - stage;
    return chunk * pp + stage;
}

static gboolean
is_listed(const LpPlan *self)
{
    return self->stages != LP_STAGES_EVEN && self->n_listed == lp_plan_n_slices(self);
}

guint32
lp_plan_slice_layers(const LpPlan *self, const LpTransformer *transformer, guint32 slice)
{
    if (is_listed(self))
        return self->listed_layers[slice];
    guint32 n = lp_plan_n_slices(self), layers = lp_transformer_n_layers(transformer);
    gboolean grows = slice >= 1 && slice <= layers % n;
    return layers / n + (grows ? 1 : 0);
}

guint32
lp_plan_slice_first_layer(const LpPlan *self, const LpTransformer *transformer, guint32 slice)
{
    guint32 n = lp_plan_n_slices(self), layers = lp_transformer_n_layers(transformer);
    if (!is_listed(self))
        return slice * (layers / n) + MIN(slice > 0 ? slice - 1 : 0, layers % n);
    guint32 first = 0;
    for (guint32 i = 0; i < slice; i++)
        first += self->listed_layers[i];
    return first;
}

guint32
lp_plan_chunk_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                     guint32 chunk)
{
    return lp_plan_slice_layers(self, transformer, lp_plan_slice(self, stage, chunk));
}

guint32
lp_plan_stage_layers(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    guint32 layers = 0;
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++)
        layers += lp_plan_chunk_layers(self, transformer, stage, chunk);
    return layers;
}

gboolean
lp_plan_holds_embedding(const LpPlan *self, guint32 stage, guint32 chunk)
{
    return lp_plan_slice(self, stage, chunk) == 0;
}

gboolean
lp_plan_holds_head(const LpPlan *self, guint32 stage, guint32 chunk)
{
    return lp_plan_slice(self, stage, chunk) == lp_plan_n_slices(self) - 1;
}

/* Fills the list so that no slice is above @limit; the last takes what is left. Returns: whether
 * that stays within the limit too. @costs: by layer. */
static gboolean
deal(LpPlan *self, const double *costs, guint32 n_layers, double first, double last, double limit)
{
    guint32 n = self->n_listed, layer = 0;
    for (guint32 slice = 0; slice < n; slice++) {
        double cost = (slice == 0 ? first : 0.0) + (slice == n - 1 ? last : 0.0);
        guint32 left_for_others = n - 1 - slice, count = 0;
        while (layer + left_for_others < n_layers &&
               (count == 0 || slice == n - 1 || cost + costs[layer] <= limit)) {
            cost += costs[layer++];
            count++;
        }
        self->listed_layers[slice] = count;
        if (cost > limit)
            return FALSE;
    }
    return TRUE;
}

void
lp_plan_balance(LpPlan *self, const LpTransformer *transformer)
{
    guint32 n_layers = lp_transformer_n_layers(transformer);
    guint64 n_slices = (guint64)self->degree[LP_AXIS_PP] * self->virtual_stages;
    if (self->stages != LP_STAGES_BALANCED || n_slices == 0 || n_slices > LP_STAGE_LIST_MAX ||
        n_slices > n_layers)
        return;
    self->n_listed = lp_plan_n_slices(self);
    double *costs = g_new0(double, n_layers);
    double first = lp_transformer_embedding_forward_flop(transformer, 1.0);
    double last = lp_transformer_logits_forward_flop(transformer, 1.0);
    double high = first + last;
    for (guint32 i = 0; i < n_layers; i++) {
        costs[i] = lp_transformer_layer_forward_flop(transformer, i, 1.0);
        high += costs[i];
    }
    /* Bisection down to a relative 2^-50: far below one layer. */
    double low = 0.0;
    for (guint step = 0; step < 50; step++) {
        double middle = 0.5 * (low + high);
        if (deal(self, costs, n_layers, first, last, middle))
            high = middle;
        else
            low = middle;
    }
    (void)deal(self, costs, n_layers, first, last, high);
    g_free(costs);
}

guint32
lp_plan_activation_bytes(const LpPlan *self)
{
    return self->precision == LP_PRECISION_FP32 || self->precision == LP_PRECISION_TF32 ? 4 : 2;
}

guint32
lp_plan_wire_bytes(const LpPlan *self)
{
    return self->communication_bytes > 0 ? self->communication_bytes
                                         : lp_plan_activation_bytes(self);
}

gboolean
lp_plan_reduces_each(const LpPlan *self)
{
    return self->gradient_sync == LP_GRADIENT_SYNC_EACH ||
           (self->gradient_sync == LP_GRADIENT_SYNC_AUTO && self->zero == 3);
}

LpParameters
lp_plan_layer_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    double experts = lp_transformer_layer_expert_parameters(transformer, index);
    double dense = lp_transformer_layer_parameters(transformer, index) - experts;
    return (LpParameters){dense / self->degree[LP_AXIS_TP],
                          experts / ((double)self->degree[LP_AXIS_EP] * lp_plan_expert_tp(self))};
}

LpParameters
lp_plan_pooled_parameters(const LpPlan *self, LpParameters parameters)
{
    if (self->shard_degree == 0)
        return parameters;
    return (LpParameters){parameters.dense + parameters.experts, 0.0};
}

LpParameters
lp_plan_sharded_parameters(const LpPlan *self, LpParameters parameters)
{
    if (self->zero == 0)
        return parameters;
    double expert_sharers =
        self->shard_degree > 0 ? self->shard_degree : lp_plan_expert_replicas(self);
    return (LpParameters){parameters.dense / lp_plan_shard_degree(self),
                          parameters.experts / expert_sharers};
}

double
lp_plan_moment_bytes(const LpPlan *self)
{
    static const double bytes[] = {
        [LP_OPTIMIZER_ADAM] = 8.0, [LP_OPTIMIZER_SGD] = 4.0, [LP_OPTIMIZER_ADAM_8BIT] = 2.0};
    return bytes[self->optimizer];
}

/* Of @width over all key-value heads. */
static double
own_kv_width(const LpPlan *self, const LpTransformer *transformer, double width)
{
    double tp = self->degree[LP_AXIS_TP];
    return width * fmax(1.0, tp / transformer->n_kv_heads) / tp;
}

double
lp_plan_key_width(const LpPlan *self, const LpTransformer *transformer)
{
    return own_kv_width(self, transformer, lp_transformer_key_width(transformer));
}

double
lp_plan_value_width(const LpPlan *self, const LpTransformer *transformer)
{
    return own_kv_width(self, transformer, lp_transformer_value_width(transformer));
}

double
lp_plan_tied_copy_parameters(const LpPlan *self, const LpTransformer *transformer)
{
    /* DualPipe's first and last stages stand on the same ranks. */
    gboolean apart = self->degree[LP_AXIS_PP] > 1 && self->schedule != LP_SCHEDULE_DUALPIPE;
    gboolean copy = transformer->embedding && transformer->tied_embeddings && apart;
    return copy ? (double)transformer->vocab * transformer->hidden : 0.0;
}

LpParameters
lp_plan_chunk_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage,
                         guint32 chunk)
{
    guint32 slice = lp_plan_slice(self, stage, chunk);
    guint32 first = lp_plan_slice_first_layer(self, transformer, slice);
    guint32 n = lp_plan_slice_layers(self, transformer, slice);
    double ends = 0.0;
    if (lp_plan_holds_embedding(self, stage, chunk))
        ends += lp_transformer_embedding_parameters(transformer);
    if (lp_plan_holds_head(self, stage, chunk))
        ends += lp_transformer_head_parameters(transformer) +
                lp_plan_tied_copy_parameters(self, transformer);
    LpParameters sum = {.dense = ends / self->degree[LP_AXIS_TP]};
    for (guint32 i = first; i < first + n; i++) {
        LpParameters layer = lp_plan_layer_parameters(self, transformer, i);
        sum.dense += layer.dense;
        sum.experts += layer.experts;
    }
    return sum;
}

LpParameters
lp_plan_rank_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    LpParameters sum = {0};
    for (guint32 chunk = 0; chunk < lp_plan_n_chunks(self); chunk++) {
        LpParameters part = lp_plan_chunk_parameters(self, transformer, stage, chunk);
        sum.dense += part.dense;
        sum.experts += part.experts;
    }
    return sum;
}

double
lp_plan_stage_parameters(const LpPlan *self, const LpTransformer *transformer, guint32 stage)
{
    LpParameters parameters = lp_plan_rank_parameters(self, transformer, stage);
    return parameters.dense + parameters.experts;
}

/* --- operations --- */

/* Backward takes two products for each of the forward pass: one for either operand's gradient. */
#define PASSES_OF_TRAINING 3.0
/* Images have no gradient. */
#define PASSES_OF_PATCHES 2.0

double
lp_plan_model_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sequences = self->global_batch;
    double layers = 0.0;
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        layers += lp_transformer_layer_forward_flop(transformer, i, sequences);
    return PASSES_OF_TRAINING *
               (layers + lp_transformer_logits_forward_flop(transformer, sequences)) +
           PASSES_OF_PATCHES * lp_transformer_embedding_forward_flop(transformer, sequences);
}

/* FLOP that recomputation adds to layer @index over the global batch. */
static double
layer_recompute_flop(const LpPlan *self, const LpTransformer *transformer, guint32 index)
{
    if (self->recompute == LP_RECOMPUTE_FULL)
        return lp_transformer_layer_forward_flop(transformer, index, self->global_batch);
    if (self->recompute == LP_RECOMPUTE_LIGHT)
        return lp_transformer_latent_forward_flop(transformer, index, self->global_batch);
    /* Flash attention keeps no scores, so there are none to recompute selectively. */
    if (self->recompute == LP_RECOMPUTE_SELECTIVE && transformer->attention == LP_ATTENTION_UNFUSED)
        return lp_transformer_scores_forward_flop(transformer, index, self->global_batch);
    return 0.0;
}

double
lp_plan_hardware_flop(const LpPlan *self, const LpTransformer *transformer)
{
    double sum = lp_plan_model_flop(self, transformer);
    for (guint32 i = 0; i < lp_transformer_n_layers(transformer); i++)
        sum += layer_recompute_flop(self, transformer, i);
    return sum;
}
