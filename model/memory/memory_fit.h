/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what training takes fits into an accelerator's memory, beside what is no tensor. */
#pragma once

#include "model/times/accelerator.h"
#include "model/memory/memory.h"

G_BEGIN_DECLS

/** Whether the memory of the fullest stage fits into an accelerator. */
typedef struct {
    double total_bytes;   /**< lp_memory_sum() */
    double reserve_bytes; /**< kept free: lp_memory_reserve_bytes() */
    double capacity_bytes;
    double spare_bytes; /**< what is left of the capacity; below 0: what is missing */
    gboolean fits;
} LpMemoryFit;

/** What is to stay free beside tensors of @total_bytes: the plan's own word, or
 * - the driver's context and the libraries' code,
 * - buffers of communicators: one for each kind of group with more than one rank,
 * - holes that the allocator leaves between blocks, a share of @total_bytes.
 * What each takes is the accelerator's (platforms/accelerators.xml). */
double lp_memory_reserve_bytes(const LpPlan *plan, const LpAccelerator *accelerator,
                               double total_bytes);
/** The one place that decides. @memory: of the fullest stage. */
LpMemoryFit lp_memory_fit(const LpMemory *memory, const LpPlan *plan,
                          const LpAccelerator *accelerator);

G_END_DECLS
