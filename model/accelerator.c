/* SPDX-License-Identifier: Apache-2.0 */
/* Which of an accelerator's peak rates a precision runs at. */
#include "model/accelerator.h"

const char *const lp_tiles_names[] = {"none", "coarse", "fine", "systolic", NULL};
G_STATIC_ASSERT(G_N_ELEMENTS(lp_tiles_names) == LP_N_TILES + 1);

/* The nearest wider precision; fp32, the widest, is its own. */
static const LpPrecision next_wider[LP_N_PRECISIONS] = {
    [LP_PRECISION_FP8] = LP_PRECISION_BF16,  [LP_PRECISION_BF16] = LP_PRECISION_FP16,
    [LP_PRECISION_FP16] = LP_PRECISION_TF32, [LP_PRECISION_TF32] = LP_PRECISION_FP32,
    [LP_PRECISION_FP32] = LP_PRECISION_FP32,
};

double
lp_accelerator_peak_flop_per_s(const LpAccelerator *self, LpPrecision precision)
{
    while (self->peak_flop_per_s[precision] <= 0.0 && precision != LP_PRECISION_FP32)
        precision = next_wider[precision];
    return self->peak_flop_per_s[precision];
}
