/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes whose values are no single member of a plan: reads them into a plan and writes them.
 */
#pragma once

#include "model/plan/plan_options.h"

G_BEGIN_DECLS

/** How such an attribute is read into a plan, and how its text is made. */
typedef struct {
    /** Errors: LP_INPUT_ERROR_VALUE, "got, wanted"; the caller says where. */
    gboolean (*set)(LpPlan *plan, const char *text, GError **error);
    /** What set() would read as the same. Returns: (transfer full). */
    char *(*get)(const LpPlan *plan);
} LpAttributeText;

extern const LpAttributeText lp_text_rank_order;       /**< "tp-cp-ep-dp-pp" */
extern const LpAttributeText lp_text_virtual_stages;   /**< a count, or "finest" */
extern const LpAttributeText lp_text_stage_layers;     /**< a rule's name, or a list */
extern const LpAttributeText lp_text_selective;        /**< "core", "alternate", "norms,ffn" */
extern const LpAttributeText lp_text_recompute_layers; /**< "all", "4", "1/3" */
extern const LpAttributeText lp_text_lora_targets;     /**< "all", "queries,values" */
extern const LpAttributeText lp_text_memory_reserve;   /**< a size, or "auto" */
extern const LpAttributeText lp_text_bucket;           /**< a size, or a rule's name */
extern const LpAttributeText lp_text_shards;           /**< a count, or "domains" */
/** "NAME", or "NAME; OPERATION@GROUP: <=SIZE=NAME, >SIZE=NAME; ...", where "@GROUP" may be left
 * out, and the ranges be one name. Ranges go on from each other, and to any size. Names are not
 * looked up. A name that ends in ".xml" is a tuning file's, and what that says is kept in words. */
extern const LpAttributeText lp_text_library; /**< a name, or who runs what */
extern const LpAttributeText lp_text_relay;   /**< a count, "domains" or "no" */

/** How a choice that no member of its own holds is kept: by its place in the table. */
typedef struct {
    void (*set)(LpPlan *plan, guint choice);
    guint (*get)(const LpPlan *plan);
} LpAttributeChoice;

extern const LpAttributeChoice lp_choice_gradient_precision;
extern const LpAttributeChoice lp_choice_communication_precision;
extern const LpAttributeChoice lp_choice_dispatch_precision;
extern const LpAttributeChoice lp_choice_overlap_dp;
extern const LpAttributeChoice lp_choice_overlap_ep;

/** The shortest text that reads back as @value, 1.189 and not 1.1890000000000001, and @unit behind
 * it. Returns: (transfer full). */
char *lp_text_of_double(double value, const char *unit);

G_END_DECLS
