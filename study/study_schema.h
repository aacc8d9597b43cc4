/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a store. */
#pragma once

#include "study/database.h"

G_BEGIN_DECLS

/** The version of the tables: user_version of the file. */
#define LP_STUDY_SCHEMA_VERSION 1

/** Makes the tables of an empty file, or checks that it has ours. Errors: LP_INPUT_ERROR_FILE,
 * "PATH: got, wanted". */
gboolean lp_study_schema_prepare(LpDatabase *database, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Checks that @database has our tables, and writes nothing. Errors: as
 * lp_study_schema_prepare(). */
gboolean lp_study_schema_check(LpDatabase *database, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
