/* SPDX-License-Identifier: Apache-2.0 */
/* What a workload is: a Transformer, the plan to train it, and where it came from. */
#pragma once

#include "model/plan/plan.h"

G_BEGIN_DECLS

/** Attributes that a workload has room for. */
#define LP_WORKLOAD_ATTRIBUTES_MAX 208
#define LP_FRAMEWORK_NAME_MAX 512 /* or the path of a file of frameworks */

/** Who gave the value of an attribute; of several the last beats those before it. */
typedef enum {
    LP_ORIGIN_DEFAULT,
    LP_ORIGIN_FRAMEWORK, /**< a default of the software that the workload names */
    LP_ORIGIN_FILE,      /**< the workload's */
    LP_ORIGIN_SETTING,   /**< "name=value" of the command line, or of a scenario */
    LP_N_ORIGINS
} LpOrigin;
extern const char *const lp_origin_names[]; /**< by LpOrigin, NULL-ended */

/** A workload: a model, the plan to train it, and where its ranks stand. */
typedef struct {
    char *path;    /* owned: the file, as messages name it */
    char *name;    /* owned: the workload's own name */
    char *machine; /* owned: what it is published for, as "platform generate --system=" takes it,
                      with options behind it; or NULL */
    LpTransformer transformer;
    LpPlan plan;
    char *placement;               /* owned: "packed", "scattered", or the path of a file
                                      (sim/mapping/placement.h) */
    char *routing;                 /* owned: "none", or the path of a table of measured loads
                                      (workloads/description/routing_table.h) */
    char *kernels;                 /* owned: the file of the lists of its layers' kernels, over the
                                      shipped ones (docs/ways/own-kernels.md); or NULL */
    LpRoutingTable *routing_table; /* owned: what it holds, or NULL */
    struct LpFramework
        *defaults; /* owned: what it does of itself (workloads/description/framework.h)
                    */
    char framework[LP_FRAMEWORK_NAME_MAX];       /**< whose software runs (frameworks.xml, or a
                                                    file of one's own), or "none" */
    LpOrigin origin[LP_WORKLOAD_ATTRIBUTES_MAX]; /**< by attribute */
    char *source[LP_WORKLOAD_ATTRIBUTES_MAX];    /* owned: of values of the framework, or NULL */
    char **settings;              /* owned: "name=value" of the command line, as typed; or NULL */
    struct LpGivenProgram *given; /* owned: of a program by hand. The transformer then is the least
                              that there is, all ranks are replicas of it, and no figure of either
                              means anything; NULL: a Transformer */
} LpWorkload;

G_END_DECLS
