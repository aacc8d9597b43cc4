/* SPDX-License-Identifier: Apache-2.0 */
/* The costs, besides the collective, of making and copying lists of tensors, one a member, which
 * collectives take and give (gather-lists). */
#pragma once

#include "model/times/accelerator.h"
#include "model/plan/plan.h"
#include "model/times/work.h"

G_BEGIN_DECLS

/** The costs of lists on an accelerator, s. */
typedef struct {
    double host_s, device_s; /**< a slice */
    double byte_s;           /**< a byte read or written */
} LpListCosts;

/** The costs of lists on @accelerator; with CUDA graphs the host's cost is 0. */
LpListCosts lp_list_costs(const LpPlan *plan, const LpAccelerator *accelerator);

/** Before a gather of @bytes among @n_members (ZeRO stage 3): its buffer is cleared, the host waits
 * for the device, and slices it (deepspeed/runtime/zero/partition_parameters.py of March 2021:
 * _allgather_param). */
LpWork lp_list_views_work(const LpListCosts *self, double n_members, double bytes);
/** Behind it: the device copies what came to each slice (PyTorch,
 * torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp: allgather). */
LpWork lp_list_copies_work(const LpListCosts *self, double n_members, double bytes);
/** Before gradients of @bytes are scattered: they are divided, sliced, and copied slice by slice
 * (deepspeed/runtime/zero/stage3.py of March 2021: average_tensor; partition_parameters.py:
 * _reduce_scatter_gradient). */
LpWork lp_list_sum_work(const LpListCosts *self, double n_members, double bytes);

G_END_DECLS
