/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator: its peak rates, its memory, and what fraction of them kernels reach. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Room for the name of an accelerator. */
#define LP_ACCELERATOR_NAME_MAX 32

/** The tiles of the output that matrix products are computed in. */
typedef enum {
    LP_TILES_NONE,     /**< not modelled: any product runs at the full achievable rate */
    LP_TILES_COARSE,   /**< powers of two */
    LP_TILES_FINE,     /**< also multiples of 32 */
    LP_TILES_SYSTOLIC, /**< an array of 128 x 128 that rows stream through */
    LP_N_TILES
} LpTiles;

/** "none", "coarse", "fine", "systolic"; NULL-ended. */
extern const char *const lp_tiles_names[];

/** The costs of work that is issued in a loop, s; none takes longer than the same work by itself.
 */
typedef struct {
    double product_s;      /**< the host, for each further product that a library issues */
    double kernel_s;       /**< and for each further small kernel */
    double slice_s;        /**< the host, for a slice of a tensor that Python copies */
    double slice_launch_s; /**< the device, beyond that copy's bytes */
} LpAcceleratorLoop;

/** Memory that stays free beside tensors. */
typedef struct {
    double context_bytes;       /**< of the process */
    double communicator_bytes;  /**< with communicators of one kind */
    double communicators_bytes; /**< of three kinds or more */
    double holes;               /**< bytes in each byte of tensors */
} LpAcceleratorReserve;

/** The properties of an accelerator. */
typedef struct {
    char name[LP_ACCELERATOR_NAME_MAX]; /**< as in the catalogue: "a100-80" */
    char like[LP_ACCELERATOR_NAME_MAX]; /**< the one whose libraries, software defaults and measured
                                           errors hold for it; "": it is known by its own name */
    double peak_flop_per_s[LP_N_PRECISIONS]; /**< dense peak; 0 where it has no such unit */
    gboolean any_layout[LP_N_PRECISIONS]; /**< products take narrow operands along rows or columns;
                                             else a cast makes a copy of either kind */
    double memory_bytes;
    double memory_bytes_per_s;
    guint32 n_sms; /**< streaming multiprocessors, compute units or cores */
    LpTiles tiles;
    double gemm_efficiency; /**< fraction of peak that a product of ideal shape reaches */
    double precision_efficiency[LP_N_PRECISIONS]; /**< that fraction of products in one precision,
                                                     where a limit of power holds them back more;
                                                     0: gemm_efficiency */
    double burst_efficiency; /**< that fraction of a product measured alone, before a limit of power
                                  lowers the clock; training knows gemm_efficiency only */
    double gemm_ramp_bytes;  /**< length of k, times the bytes of an element, that filling a tile's
                                  pipeline and writing its output cost */
    double alignment_bytes;  /**< sides of products that are multiples of it are free; 0: all are */
    double misaligned_efficiency; /**< factor for each halving of the alignment; 0: none */
    double odd_efficiency;        /**< that where they are no multiples of 4 bytes either, the least
                                     that is copied without registers (cp.async); 0: none */
    double attention_efficiency;  /**< fraction of peak that fused attention reaches; 0: as GEMM */
    double eager_attention_efficiency;  /**< that fraction of FlashAttention-2; 0:
                                           attention_efficiency */
    double torch_attention_efficiency;  /**< that of what PyTorch takes; 0: FlashAttention-2 */
    double first_attention_efficiency;  /**< that of FlashAttention's kernels of before its second
                                           version; 0: that of FlashAttention of 2022 in Triton */
    double triton_attention_efficiency; /**< that of FlashAttention of 2022 in Triton; 0: that of
                                           FlashAttention-2 */
    double attention_ramp_keys;         /**< keys that a query costs FlashAttention's own kernels,
                                           and the vendor's without eager_attention_efficiency,
                                           besides those it attends to */
    double narrow_head_efficiency;      /**< share of attention_efficiency that the vendor's kernel
                                           reaches with heads of 64, in proportion for others up to
                                           1: exponentials bound it, not products; 0: 1 */
    double torch_grouped_efficiency;    /**< share of a product's rate that LP_EXPERTS_KERNEL_TORCH
                                           reaches in 16 bits; 0: 1 */
    double torch_narrow_grouped_efficiency; /**< that in fewer; 0: 1 */
    double memory_efficiency; /**< fraction of memory bandwidth that a streaming kernel reaches */
    double elementwise_efficiency; /**< that fraction, of kernels that are neither products nor
                                      streams; 0: as those */
    double launch_s;               /**< time a kernel costs beyond its work */
    double host_kernel_s;          /**< time that the host takes to issue a kernel */
    double host_collective_s; /**< time that the host takes to issue a collective or a message */
    LpAcceleratorLoop loop;
    LpAcceleratorReserve reserve;
    gboolean products_stated; /**< gemm_efficiency is what the user says that products reach */
    const struct LpMeasuredKernels
        *measured;          /**< borrowed; NULL: none; model/times/measured_kernels.h */
    gboolean sums_on_cores; /**< collectives that sum take the cores that compute, one program at
                               a time; else engines or multiprocessors beside them do */
} LpAccelerator;

/** The name by which tables know it: that of the one that it is like, or its own. Static as @self.
 */
const char *lp_accelerator_known_as(const LpAccelerator *self);

/** Marks the name as that of one with other numbers than the catalogue's. */
void lp_accelerator_mark_modified(LpAccelerator *self);

/** Dense peak for @precision; where the accelerator has no such unit, of the nearest wider one
 * (bf16 -> fp16 -> tf32 -> fp32), or 0 if it has none. Narrow precisions fall back to none, but
 * fp8-block runs in units of fp8 where no rate is given for it. */
double lp_accelerator_peak_flop_per_s(const LpAccelerator *self, LpPrecision precision);

/** The fraction of its peak that a product of ideal shape reaches in @precision. */
double lp_accelerator_gemm_efficiency(const LpAccelerator *self, LpPrecision precision);

/** Sets that fraction in all precisions, and that of products alone. */
void lp_accelerator_set_gemm_efficiency(LpAccelerator *self, double efficiency);

G_END_DECLS
