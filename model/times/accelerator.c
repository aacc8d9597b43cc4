/* SPDX-License-Identifier: Apache-2.0 */
/* Which of an accelerator's peak rates a precision runs at. */
#include "model/times/accelerator.h"

#include <string.h>

const char *const lp_tiles_names[] = {"none", "coarse", "fine", "systolic", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_tiles_names) == LP_N_TILES + 1);

/* Behind the name of an accelerator that is described otherwise. */
#define MODIFIED " (modified)"

/* The nearest wider precision; fp32, the widest, is its own, and so is what nothing stands in for.
 * Units for nvfp4, whose blocks are half as long, take those of mxfp4 at the same rate (NVIDIA, PTX
 * ISA, mma with block scaling: kind::mxf4 and kind::mxf4nvf4 have one shape), but not the other way
 * round. */
static const LpPrecision next_wider[LP_N_PRECISIONS] = {
    [LP_PRECISION_FP32] = LP_PRECISION_FP32,   [LP_PRECISION_TF32] = LP_PRECISION_FP32,
    [LP_PRECISION_FP16] = LP_PRECISION_TF32,   [LP_PRECISION_BF16] = LP_PRECISION_FP16,
    [LP_PRECISION_FP8] = LP_PRECISION_FP8,     [LP_PRECISION_FP8_BLOCK] = LP_PRECISION_FP8,
    [LP_PRECISION_MXFP8] = LP_PRECISION_MXFP8, [LP_PRECISION_NVFP4] = LP_PRECISION_NVFP4,
    [LP_PRECISION_INT8] = LP_PRECISION_INT8,   [LP_PRECISION_MXFP4] = LP_PRECISION_NVFP4,
};

const char *
lp_accelerator_known_as(const LpAccelerator *self)
{
    return *self->like != '\0' ? self->like : self->name;
}

void
lp_accelerator_mark_modified(LpAccelerator *self)
{
    if (!g_str_has_suffix(self->name, MODIFIED))
        g_strlcat(self->name, MODIFIED, sizeof self->name);
}

/* The precision whose units products of @precision run in. */
static LpPrecision
runs_as(const LpAccelerator *self, LpPrecision precision)
{
    while (self->peak_flop_per_s[precision] <= 0.0 && next_wider[precision] != precision)
        precision = next_wider[precision];
    return precision;
}

double
lp_accelerator_peak_flop_per_s(const LpAccelerator *self, LpPrecision precision)
{
    return self->peak_flop_per_s[runs_as(self, precision)];
}

double
lp_accelerator_gemm_efficiency(const LpAccelerator *self, LpPrecision precision)
{
    double efficiency = self->precision_efficiency[runs_as(self, precision)];
    return efficiency > 0.0 ? efficiency : self->gemm_efficiency;
}

void
lp_accelerator_set_gemm_efficiency(LpAccelerator *self, double efficiency)
{
    self->gemm_efficiency = efficiency;
    self->burst_efficiency = efficiency;
    memset(self->precision_efficiency, 0, sizeof self->precision_efficiency);
}
