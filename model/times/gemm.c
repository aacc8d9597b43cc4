/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a product on matrix units: tiles, waves of tiles, alignment. */
#include "model/times/gemm.h"

#include "model/plan/precision.h"

#include <math.h>

/* A tile of the output, and the step in which k is padded. */
typedef struct {
    double m, n, k;
} Tile;

#define TILES_MAX 13

/* Ended by a zero. The tiles of cuBLAS and CUTLASS that matter for products of this size. */
static const Tile tiles_of[LP_N_TILES][TILES_MAX + 1] = {
    /* Tensor cores to Ampere, and AMD's matrix cores: powers of two. */
    [LP_TILES_COARSE] = {{128, 256, 1},
                         {256, 128, 1},
                         {128, 128, 1},
                         {64, 256, 1},
                         {256, 64, 1},
                         {64, 128, 1},
                         {128, 64, 1},
                         {64, 64, 1}},
    /* Instructions of Hopper and later take any multiple of 8 columns. */
    [LP_TILES_FINE] = {{128, 256, 1},
                       {256, 128, 1},
                       {256, 160, 1},
                       {160, 256, 1},
                       {128, 192, 1},
                       {192, 128, 1},
                       {128, 128, 1},
                       {64, 256, 1},
                       {256, 64, 1},
                       {64, 128, 1},
                       {128, 64, 1},
                       {64, 64, 1}},
    /* A 128 x 128 array holds the weights, rows stream through eight at a time. */
    [LP_TILES_SYSTOLIC] = {{8, 128, 128}},
};

/* A tile reads 1/Tm + 1/Tn operand elements a multiply-add. Those beyond what 128 x 256 reads slow
 * it by this many multiply-adds each: 0.93 of the rate at 128 x 128, 0.73 at 64 x 64. Ours: the
 * order is that of NVIDIA's Matrix Multiplication Background User's Guide. */
#define OPERAND_COST 19.0
#define OPERANDS_OF_BEST (1.0 / 128.0 + 1.0 / 256.0)

/* Splits of k: powers of two, none of whose parts is shorter than this. */
#define SPLITS_MAX 16.0
#define SPLIT_MIN_BYTES 1024.0
/* Partial sums are fp32, written once and read once. */
#define PARTIAL_BYTES 8.0

/* The fewest bytes that are copied to shared memory without registers between (NVIDIA, PTX ISA,
 * cp.async): products whose rows are no multiples of it are left to kernels of before that. Of
 * several in one kernel sides are counts of tokens, too. */
#define COPIED_BYTES 4.0

/* Queries that a block of fused attention holds (Dao, arXiv 2307.08691, section 3.3). */
#define ATTENTION_ROWS 128.0

double
lp_gemm_element_bytes(LpPrecision precision)
{
    return lp_precision_traits(precision)->element_bytes;
}

static double
flop(const LpGemm *self)
{
    return 2.0 * self->m * self->k * self->n * self->n_batch;
}

static gboolean
is_tiled(const LpAccelerator *accelerator)
{
    return accelerator->tiles != LP_TILES_NONE && accelerator->n_sms > 0;
}

/* Halvings of @alignment_bytes until it divides @n elements. */
static guint
n_halvings(double n, double bytes, double alignment_bytes)
{
    guint halvings = 0;
    while (alignment_bytes > bytes && fmod(n * bytes, alignment_bytes) != 0.0) {
        alignment_bytes /= 2.0;
        halvings++;
    }
    return halvings;
}

double
lp_gemm_alignment(const LpGemm *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    if (accelerator->alignment_bytes <= 0.0 || accelerator->misaligned_efficiency <= 0.0)
        return 1.0;
    double bytes = lp_gemm_element_bytes(precision);
    guint worst = n_halvings(self->m, bytes, accelerator->alignment_bytes);
    worst = MAX(worst, n_halvings(self->k, bytes, accelerator->alignment_bytes));
    worst = MAX(worst, n_halvings(self->n, bytes, accelerator->alignment_bytes));
    double aligned_bytes = ldexp(accelerator->alignment_bytes, -(int)worst);
    if (self->n_batch <= 1.0 && aligned_bytes < COPIED_BYTES && accelerator->odd_efficiency > 0.0)
        return accelerator->odd_efficiency;
    return pow(accelerator->misaligned_efficiency, worst);
}

/* The rate of a tile over that of the best one. Larger tiles gain nothing more: by then the matrix
 * units are the limit. A systolic array has one tile, and nothing to compare. */
static double
tile_efficiency(const Tile *tile, LpTiles tiles)
{
    double operands = 1.0 / tile->m + 1.0 / tile->n;
    if (tiles == LP_TILES_SYSTOLIC || operands <= OPERANDS_OF_BEST)
        return 1.0;
    return 1.0 / (1.0 + OPERAND_COST * (operands - OPERANDS_OF_BEST));
}

static double
n_blocks(const LpGemm *self, const Tile *tile)
{
    return self->n_batch * ceil(self->m / tile->m) * ceil(self->n / tile->n);
}

/* Time with one tile and k in @splits parts, at @flop_per_s for all multiprocessors. */
static double
tiled_s(const LpGemm *self, const Tile *tile, double splits, const LpAccelerator *accelerator,
        double bytes, double flop_per_s)
{
    double n_waves = ceil(n_blocks(self, tile) * splits / accelerator->n_sms);
    double k = ceil(self->k / splits / tile->k) * tile->k + accelerator->gemm_ramp_bytes / bytes;
    double wave_flop = 2.0 * tile->m * tile->n * k * accelerator->n_sms;
    double computing_s =
        n_waves * wave_flop / (flop_per_s * tile_efficiency(tile, accelerator->tiles));
    if (splits <= 1.0)
        return computing_s;
    double partial_bytes = PARTIAL_BYTES * splits * self->n_batch * self->m * self->n;
    return computing_s +
           partial_bytes / (accelerator->memory_bytes_per_s * accelerator->memory_efficiency);
}

double
lp_gemm_arithmetic_s(const LpGemm *self, const LpAccelerator *accelerator, LpPrecision precision)
{
    double flop_per_s = lp_accelerator_peak_flop_per_s(accelerator, precision) *
                        lp_accelerator_gemm_efficiency(accelerator, precision);
    if (!is_tiled(accelerator) || flop(self) <= 0.0)
        return flop(self) / flop_per_s;
    double bytes = lp_gemm_element_bytes(precision);
    flop_per_s *= lp_gemm_alignment(self, accelerator, precision);
    double best_s = INFINITY;
    for (const Tile *tile = tiles_of[accelerator->tiles]; tile->m > 0.0; tile++) {
        gboolean has_room = n_blocks(self, tile) < accelerator->n_sms;
        double splits = 1.0;
        do {
            best_s = fmin(best_s, tiled_s(self, tile, splits, accelerator, bytes, flop_per_s));
            splits *= 2.0;
        } while (has_room && splits <= SPLITS_MAX && self->k * bytes >= splits * SPLIT_MIN_BYTES);
    }
    return best_s;
}

/* The share of the peak that an attention kernel reaches. A kernel without a figure of its own has
 * that of the next better one. */
static double
attention_efficiency(const LpAccelerator *self, LpAttentionKernel kernel)
{
    if (kernel == LP_ATTENTION_KERNEL_TORCH && self->torch_attention_efficiency > 0.0)
        return self->torch_attention_efficiency;
    if (kernel == LP_ATTENTION_KERNEL_FLASH_1 && self->first_attention_efficiency > 0.0)
        return self->first_attention_efficiency;
    gboolean is_of_2022 =
        kernel == LP_ATTENTION_KERNEL_TRITON || kernel == LP_ATTENTION_KERNEL_FLASH_1;
    if (is_of_2022 && self->triton_attention_efficiency > 0.0)
        return self->triton_attention_efficiency;
    gboolean by_vendor = kernel == LP_ATTENTION_KERNEL_VENDOR || kernel == LP_ATTENTION_KERNEL_AUTO;
    if (!by_vendor && self->eager_attention_efficiency > 0.0)
        return self->eager_attention_efficiency;
    return self->attention_efficiency > 0.0 ? self->attention_efficiency : self->gemm_efficiency;
}

double
lp_gemm_attention_s(const LpGemm *self, const LpAccelerator *accelerator, LpPrecision precision,
                    LpAttentionKernel kernel)
{
    double efficiency = attention_efficiency(accelerator, kernel);
    double even_s =
        flop(self) / (lp_accelerator_peak_flop_per_s(accelerator, precision) * efficiency);
    if (!is_tiled(accelerator) || flop(self) <= 0.0)
        return even_s;
    double blocks = self->n_batch * ceil(self->m / ATTENTION_ROWS);
    double padding = ceil(self->m / ATTENTION_ROWS) * ATTENTION_ROWS / self->m;
    double n_waves = ceil(blocks / accelerator->n_sms);
    return even_s * padding * n_waves * accelerator->n_sms / blocks;
}
