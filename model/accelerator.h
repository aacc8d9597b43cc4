/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator: its peak rates, its memory, and what fraction of them kernels reach. */
#pragma once

#include "model/plan.h"

G_BEGIN_DECLS

#define LP_ACCELERATOR_NAME_MAX 32

typedef struct {
    char name[LP_ACCELERATOR_NAME_MAX];      /**< as in the catalogue: "a100-80" */
    double peak_flop_per_s[LP_N_PRECISIONS]; /**< dense peak; 0 where it has no such unit */
    double memory_bytes;
    double memory_bytes_per_s;
    guint32 n_sms;            /**< streaming multiprocessors, compute units or cores */
    double gemm_efficiency;   /**< fraction of peak that a large matrix product reaches */
    double memory_efficiency; /**< fraction of memory bandwidth that a streaming kernel reaches */
    double launch_s;          /**< time a kernel costs beyond its work */
    double host_kernel_s;     /**< time that the host takes to issue a kernel */
    double host_collective_s; /**< the same, a collective or a message */
} LpAccelerator;

/** Dense peak for @precision; where the accelerator has no such unit, of the nearest wider one
 * (fp8 -> bf16 -> fp16 -> tf32 -> fp32), or 0 if it has none. */
double lp_accelerator_peak_flop_per_s(const LpAccelerator *self, LpPrecision precision);

G_END_DECLS
