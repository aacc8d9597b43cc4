/* SPDX-License-Identifier: Apache-2.0 */
/* How measured rows are run: side by side, shown, and kept. */
#include "cli/row_options.h"

#include "base/file.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/program_digest.h"
#include "validation/cases/measurements.h"

#define JOBS_MAX 1024

gboolean
lp_row_options_read(const char *jobs, const char *resume, LpRunnerOptions *run, char **out_version,
                    LpProgress *progress, GError **error)
{
    guint n_processors = MIN(g_get_num_processors(), JOBS_MAX);
    if (!lp_option_count("jobs", jobs, 1, JOBS_MAX, n_processors, &run->n_jobs, error))
        return FALSE;
    *out_version = lp_program_digest();
    if (*out_version == NULL && resume != NULL)
        return lp_usage_error(error, "--resume: /proc/self/exe cannot be read, which tells results "
                                     "of one version from those of another");
    run->resume = resume;
    run->version = *out_version;
    run->progress = lp_progress_callback;
    run->progress_data = progress;
    return TRUE;
}

/* A column may be a reader's own, and no fault, or a misspelt one. */
void
lp_row_options_warn(const LpTable *table, const char *unknown)
{
    if (unknown == NULL)
        return;
    g_autofree char *line = g_strdup_printf("%s: %s", lp_file_label(lp_table_path(table)), unknown);
    lp_message_print(line);
}
