/* SPDX-License-Identifier: Apache-2.0 */
/* The names of what a plan chooses between. */
#include "model/plan_choices.h"

const char *const lp_schedule_names[] = {"gpipe",       "1f1b",     "interleaved",
                                         "zero-bubble", "dualpipe", NULL};
const char *const lp_recompute_names[] = {"none", "light", "selective", "full", NULL};
const char *const lp_scatter_gather_names[] = {"no", "yes", "outputs", NULL};
const char *const lp_scaling_names[] = {"delayed", "current", NULL};
const char *const lp_activation_layout_names[] = {"sequence-first", "batch-first", NULL};
const char *const lp_projections_names[] = {"no", "gate", "yes", NULL};
const char *const lp_precision_names[] = {"fp32",  "tf32",  "fp16", "bf16",  "fp8", "fp8-block",
                                          "mxfp8", "nvfp4", "int8", "mxfp4", NULL};
const char *const lp_overlap_tp_names[] = {"no", "bulk", "yes", NULL};
const char *const lp_kernels_names[] = {"fused", "eager", NULL};
const char *const lp_parallel_loss_names[] = {"no", "yes", "gathered", NULL};
const char *const lp_attention_kernel_names[] = {"auto",    "vendor", "torch",   "flash-2",
                                                 "flash-1", "triton", "unfused", NULL};
const char *const lp_input_collectives_names[] = {"shared", "sums-apart", "apart", "latent", NULL};
const char *const lp_experts_kernel_names[] = {"products", "torch", NULL};
const char *const lp_host_sync_names[] = {"none", "messages", "passes", "kernels", NULL};
const char *const lp_collective_checks_names[] = {"no", "yes", "stages-apart", NULL};
const char *const lp_library_switch_names[] = {"none", "event", "host", NULL};
const char *const lp_amped_efficiency_names[] = {"constant", "micro-batch", NULL};
const char *const lp_context_kind_names[] = {"ring", "ulysses", "gather", "gathered-ring", NULL};
const char *const lp_zero_variant_names[] = {"standard", "deepspeed", NULL};
const char *const lp_parameter_gather_names[] = {"collective", "broadcast", NULL};
const char *const lp_gather_unit_names[] = {"layer", "tensor", NULL};
const char *const lp_gather_ahead_names[] = {"iteration", "pass", NULL};
const char *const lp_routing_draws_names[] = {"micro-batch", "layer", "iteration", NULL};
const char *const lp_gradient_sync_names[] = {"auto", "last", "each", NULL};
const char *const lp_optimizer_names[] = {"adam", "sgd", "adam-8bit", "adam-bf16", "none", NULL};
const char *const lp_axis_names[] = {"tp", "cp", "ep", "dp", "pp", NULL};
const char *const lp_traffic_names[] = {"tp", "pp", "dp", "ep", "cp", "embedding", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(lp_precision_names) == LP_N_PRECISIONS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_axis_names) == LP_N_AXES + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(lp_traffic_names) == LP_N_TRAFFIC + 1);
