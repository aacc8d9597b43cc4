/* SPDX-License-Identifier: Apache-2.0 */
/* Collects parts, writes the script for what is missing, and submits it. */
#include "cli/sweep_slurm.h"

#include "base/error.h"
#include "base/file.h"
#include "cli/options.h"
#include "cli/slurm_tools.h"
#include "study/slurm_array.h"
#include "study/study_merge.h"

#include <errno.h>
#include <string.h>

static char *
absolute(const char *path)
{
    return g_canonicalize_filename(path, NULL);
}

static char *
parts_folder(const char *path)
{
    g_autofree char *whole = absolute(path);
    return g_strconcat(whole, ".parts", NULL);
}

gboolean
lp_sweep_slurm_collect(LpStudyStore *store, const char *path, GError **error)
{
    g_autofree char *folder = parts_folder(path);
    g_autoptr(GDir) parts = g_dir_open(folder, 0, NULL);
    const char *name;
    while (parts != NULL && (name = g_dir_read_name(parts)) != NULL) {
        g_autofree char *part = g_build_filename(folder, name, NULL);
        if (g_str_has_suffix(name, ".sqlite") && !lp_study_merge(store, part, error))
            return FALSE;
    }
    return TRUE;
}

/* The array that was submitted last. Returns: (transfer full), or NULL: none was. */
static gboolean
read_job(const LpSweepSlurm *self, char **out_job, GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(self->store),
                     "SELECT slurm_job FROM study WHERE study_id = ?", error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "i", self->number);
    if (!lp_query_next(query, &any, error))
        return FALSE;
    *out_job = g_strdup(any ? lp_query_text(query, 0) : NULL);
    return TRUE;
}

static gboolean
write_job(const LpSweepSlurm *self, const char *job, GError **error)
{
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(self->store),
                     "UPDATE study SET slurm_job = ? WHERE study_id = ?", error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "si", job, self->number);
    return lp_query_finish(query, error);
}

/* Two arrays would run the same parts. */
static gboolean
check_queue(const LpSweepSlurm *self, GError **error)
{
    g_autofree char *job = NULL;
    guint n = 0;
    if (!read_job(self, &job, error) || (job != NULL && !lp_slurm_count_tasks(job, &n, error)))
        return FALSE;
    return n == 0 || lp_value_error(error,
                                    "--slurm: got %u tasks of job %s that wait or run, wanted none "
                                    "(squeue --jobs=%s)",
                                    n, job, job);
}

static gboolean
write_script(const LpSweepSlurm *self, const char *tasks, guint64 n_parts, const char *script,
             GError **error)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", error);
    g_autofree char *folder = g_get_current_dir(), *parts = parts_folder(self->path);
    if (program == NULL)
        return FALSE;
    if (g_mkdir_with_parents(parts, 0777) != 0)
        return lp_value_error(error, "%s: got \"%s\", wanted a folder for parts of the study",
                              parts, g_strerror(errno));
    LpSlurmArray array = {.program = program,
                          .folder = folder,
                          .study = self->study,
                          .parts = parts,
                          .tasks = tasks,
                          .n_parts = n_parts,
                          .n_jobs = self->n_jobs};
    g_autofree char *text = lp_slurm_array_script(&array);
    return lp_file_write(script, text, strlen(text), error);
}

static gboolean
tell(const LpSweepSlurm *self, const char *script, const char *job, guint n_tasks, GError **error)
{
    LpStudyCounts counts;
    if (!lp_study_store_count(self->store, self->number, &counts, error))
        return FALSE;
    g_autofree char *what =
        job != NULL ? g_strdup_printf("job %s", job) : g_strdup_printf("sbatch %s", script);
    g_autofree char *text = g_strdup_printf(
        "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
        " points are left, for %u tasks: %s\nThe same command collects what they bring.\n",
        counts.n - counts.n_done - counts.n_refused, counts.n, n_tasks, what);
    return lp_print_result(text, error);
}

gboolean
lp_sweep_slurm_submit(const LpSweepSlurm *self, gboolean *out_done, GError **error)
{
    guint n_tasks = 0;
    guint64 n_parts =
        lp_slurm_array_n_parts(self->n_points, self->n_per_task, lp_slurm_max_array_size());
    g_autofree char *tasks =
        lp_slurm_array_missing(self->store, self->number, self->n_points, n_parts, &n_tasks, error);
    g_autofree char *whole = absolute(self->path);
    g_autofree char *script = g_strconcat(whole, ".sbatch", NULL);
    *out_done = n_tasks == 0;
    if (tasks == NULL || n_tasks == 0)
        return tasks != NULL;
    if ((!self->write_only && !check_queue(self, error)) ||
        !write_script(self, tasks, n_parts, script, error))
        return FALSE;
    if (self->write_only)
        return tell(self, script, NULL, n_tasks, error);
    g_autofree char *job = lp_slurm_submit(script, error);
    return job != NULL && write_job(self, job, error) && tell(self, script, job, n_tasks, error);
}
