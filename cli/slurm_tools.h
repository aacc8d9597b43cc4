/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's commands. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Tasks that an array may have here (MaxArraySize of "scontrol show config"); Slurm's default
 * where there is no scontrol. */
guint64 lp_slurm_max_array_size(void);
/** Submits @script. Errors: LP_INPUT_ERROR_FILE, "--slurm: got, wanted". Returns: (transfer full)
 * the number of the job, as text. */
char *lp_slurm_submit(const char *script, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Tasks of @job that wait or run. Errors: LP_INPUT_ERROR_FILE, "--slurm: got, wanted", where Slurm
 * does not answer. */
gboolean lp_slurm_count_tasks(const char *job, guint *out_n,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
