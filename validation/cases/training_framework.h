/* SPDX-License-Identifier: Apache-2.0 */
/* Whose software ran a row of measured training. */
#pragma once

#include "base/table.h"
#include "validation/cases/settings.h"
#include "validation/prediction/outcome.h"

G_BEGIN_DECLS

/** What column "framework" names, unless the row's source bears the name of a framework, which
 * publishes that framework's runs, whatever a reader of it took them for; in the version of the
 * container or publication that the row names. The column may have another word for one that
 * workloads/frameworks.xml has (lp_row_word()). Other choices than the column's become notes of
 * @outcome. Returns: (transfer full): a name of that file. */
char *lp_training_framework_name(const LpTableRow *row, LpOutcome *outcome);

/** What the framework that @settings names does by itself with the attribute @name, or NULL.
 * Returns: (transfer full) (nullable). */
char *lp_training_framework_default(const LpSettings *settings, const char *name);

G_END_DECLS
