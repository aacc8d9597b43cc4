/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes by whose software ran, and on which accelerator. */
#pragma once

#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** Outcomes of one software on one accelerator. */
typedef struct {
    const char *software, *accelerator; /**< borrowed from an outcome */
    GPtrArray *outcomes;                /**< owned, of the borrowed */
    guint n_publishers;                 /**< that the rows are of */
} LpSoftwareGroup;

/** The groups of @outcomes that are not apart and say their software, by its name and the
 * accelerator's. Returns: (transfer full), owned LpSoftwareGroup. */
GPtrArray *lp_software_groups(const GPtrArray *outcomes);

G_END_DECLS
