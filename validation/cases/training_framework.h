/* SPDX-License-Identifier: Apache-2.0 */
/* Whose software ran a row of measured training. */
#pragma once

#include "base/table.h"
#include "validation/cases/settings.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** What column "framework" names, in whatever letters or by another word (lp_row_word()); where it
 * names nothing that is known, what the source is named for, or none. Then the version that the
 * container has which the row names, or what validation/sources.xml says that the source ran. Other
 * choices than the column's become notes of @outcome. Returns: (transfer full): a name of
 * workloads/frameworks.xml. */
char *lp_training_framework_name(const LpTableRow *row, LpOutcome *outcome);

/** What the framework that @settings names does by itself with the attribute @name, or NULL.
 * Returns: (transfer full) (nullable). */
char *lp_training_framework_default(const LpSettings *settings, const char *name);

G_END_DECLS
