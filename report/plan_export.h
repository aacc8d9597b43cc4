/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as settings of training software: flags, TOML or JSON, and comments for attributes without
 * a setting. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** Whose words. */
typedef enum {
    LP_EXPORT_MEGATRON,   /**< arguments of Megatron-LM */
    LP_EXPORT_TORCHTITAN, /**< a TOML file of torchtitan */
    LP_EXPORT_DEEPSPEED,  /**< DeepSpeed's JSON */
    LP_N_EXPORTS
} LpExport;

/** The names of LpExport, NULL-ended. */
extern const char *const lp_export_names[];

/** @workload as @format has it, with a line for each attribute that a file or a setting gave and
 * that has no word there. Returns: (transfer full). */
char *lp_plan_export(const LpWorkload *workload, LpExport format);

G_END_DECLS
