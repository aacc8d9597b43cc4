/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes whose texts are neither numbers nor choices: what a plan holds of each, and back. */
#pragma once

#include "model/plan_options.h"

G_BEGIN_DECLS

/** How such an attribute is read into a plan, and how its text is made. */
typedef struct {
    /** Errors: LP_INPUT_ERROR_VALUE, "got, wanted"; the caller says where. */
    gboolean (*set)(LpPlan *plan, const char *text, GError **error);
    /** What set() would read as the same. Returns: (transfer full). */
    char *(*get)(const LpPlan *plan);
} LpAttributeText;

extern const LpAttributeText lp_text_rank_order;         /**< "tp-cp-ep-dp-pp" */
extern const LpAttributeText lp_text_virtual_stages;     /**< a count, or "finest" */
extern const LpAttributeText lp_text_stage_layers;       /**< a rule's name, or a list */
extern const LpAttributeText lp_text_selective;          /**< "core", "alternate", "norms,ffn" */
extern const LpAttributeText lp_text_recompute_layers;   /**< "all", "4", "1/3" */
extern const LpAttributeText lp_text_gradient_precision; /**< "fp32", "fp16", "bf16" */
extern const LpAttributeText lp_text_communication_precision; /**< those, "fp8", and "auto" */
extern const LpAttributeText lp_text_dispatch_precision;      /**< the same */
extern const LpAttributeText lp_text_memory_reserve;          /**< a size, or "auto" */
extern const LpAttributeText lp_text_bucket;                  /**< a size, or a rule's name */
extern const LpAttributeText lp_text_overlap_dp;              /**< yes, no, "replicas", or
                                                                   "accelerator" */
extern const LpAttributeText lp_text_overlap_ep;              /**< yes, no, or "domains" */
extern const LpAttributeText lp_text_shards;                  /**< a count, or "domains" */
/** "NAME", or "NAME; OPERATION@GROUP: <=SIZE=NAME, >SIZE=NAME; ...", where "@GROUP" may be left
 * out, and the ranges be one name. Ranges go on from each other, and to any size. Names are not
 * looked up. A name that ends in ".xml" is a tuning file's, and what that says is kept in words. */
extern const LpAttributeText lp_text_library; /**< a name, or who runs what */
extern const LpAttributeText lp_text_relay;   /**< a count, "domains" or "no" */

/** The shortest text that reads back as @value, 1.189 and not 1.1890000000000001, and @unit behind
 * it. Returns: (transfer full). */
char *lp_text_of_double(double value, const char *unit);

G_END_DECLS
