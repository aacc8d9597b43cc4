/* SPDX-License-Identifier: Apache-2.0 */
/* What sources of measured rows ran, where their columns are less exact (validation/sources.xml).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The framework that @source ran where its rows' column "framework" means @stated, or NULL: what
 * is stated. Returns: (transfer full) (nullable): a name of workloads/frameworks.xml. */
char *lp_row_source_framework(const char *source, const char *stated);
/** The system of the catalogue that @source ran on, or NULL. Returns: (transfer full) (nullable):
 * a name of platforms/systems.xml. */
char *lp_row_source_system(const char *source);

/** A collective that a source times and states no size of. */
typedef struct {
    double bytes;
    gboolean has_lists; /**< gathers into a list of tensors and scatters one */
} LpRowProbe;

/** What @source times where its rows state no size. Returns: FALSE if that is not known. */
gboolean lp_row_source_probe(const char *source, LpRowProbe *out_probe);

G_END_DECLS
