/* SPDX-License-Identifier: Apache-2.0 */
/* What commands that run measured rows have in common. */
#pragma once

#include "cli/progress.h"
#include "validation/cases/runner.h"

G_BEGIN_DECLS

/** Reads --jobs and --resume (NULL: not given) into @run, which shows @progress (borrowed).
 * @resume: borrowed by @run. @out_version: (transfer full), borrowed by @run: lp_program_digest(),
 * since results follow from it and the input. Error: LP_INPUT_ERROR_USAGE. */
gboolean lp_row_options_read(const char *jobs, const char *resume, LpRunnerOptions *run,
                             char **out_version, LpProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Says in one line on stderr which columns of @table nothing reads, if any (@unknown, by
 * lp_measurements_load()): behind all else, so
 * that an error stays alone. */
void lp_row_options_warn(const LpTable *table, const char *unknown);

G_END_DECLS
