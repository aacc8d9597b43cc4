/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of parts, and a script for sh. */
#include "study/slurm_array.h"

guint64
lp_slurm_array_n_parts(guint64 n_points, guint64 n_per_task, guint64 n_parts_max)
{
    return MAX(MIN((n_points + n_per_task - 1) / n_per_task, n_parts_max), 1);
}

static void
add_range(GString *text, guint64 first, guint64 last)
{
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, text->len > 0 ? "," : "", first);
    if (last > first)
        g_string_append_printf(text, "-%" G_GUINT64_FORMAT, last);
}

char *
lp_slurm_array_missing(LpStudyStore *store, gint64 study, guint64 n_points, guint64 n_parts,
                       guint *out_n, GError **error)
{
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT place FROM member JOIN point USING (point_id) WHERE study_id = ? AND "
                     "state NOT IN ('done', 'refused') ORDER BY place",
                     error);
    if (query == NULL)
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    guint64 part = 0, first = 0, last = 0;
    *out_n = 0;
    lp_query_begin(query, "i", study);
    for (gboolean any = TRUE; any;) {
        if (!lp_query_next(query, &any, error))
            return NULL;
        guint64 place = any ? (guint64)lp_query_count(query, 0) : 0;
        while (any && place >= n_points * (part + 1) / n_parts)
            part++;
        if (!any || (*out_n > 0 && part == last))
            continue;
        if (*out_n > 0 && part != last + 1)
            add_range(text, first, last);
        if (*out_n == 0 || part != last + 1)
            first = part;
        last = part;
        (*out_n)++;
    }
    if (*out_n > 0)
        add_range(text, first, last);
    return g_strdup(text->str);
}

/* Works on the disk of its own node, and brings what is there home even if it is ended: a copy
 * beside, then one rename, so that a part is whole or as it was. */
static const char body[] =
    "set -eu\n"
    "part=$SLURM_ARRAY_TASK_ID\n"
    "home=$parts/$part.sqlite\n"
    "folder=$(mktemp -d \"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/lightpath-sweep.XXXXXX\")\n"
    "store=$folder/part.sqlite\n"
    "bring() {\n"
    "    [ ! -e \"$store\" ] || { cp \"$store\" \"$home.new\" && mv \"$home.new\" \"$home\"; }\n"
    "    rm -rf \"$folder\"\n"
    "}\n"
    "trap bring EXIT\n"
    "[ ! -e \"$home\" ] || cp \"$home\" \"$store\"\n"
    "\"$program\" sweep \"$study\" --store=\"$store\" --part=\"$part/$n_parts\" \\\n"
    "    --jobs=\"${SLURM_CPUS_PER_TASK:-1}\" > /dev/null &\n"
    "sweep=$!\n"
    "trap 'kill -TERM $sweep 2> /dev/null || true' TERM INT\n"
    "status=0\n"
    "wait $sweep || status=$?\n"
    "# A signal cuts the first waiting short.\n"
    "wait $sweep || status=$?\n"
    "exit $status\n";

char *
lp_slurm_array_script(const LpSlurmArray *self)
{
    g_autofree char *program = g_shell_quote(self->program), *study = g_shell_quote(self->study);
    g_autofree char *parts = g_shell_quote(self->parts), *folder = g_shell_quote(self->folder);
    g_autoptr(GString) log = g_string_new(self->parts);
    /* Slurm has patterns of its own. */
    g_string_replace(log, "%", "%%", 0);
    return g_strdup_printf(
        "#!/bin/sh\n"
        "# Written by \"lightpath sweep --slurm\": an array task runs a part of a "
        "study.\n"
        "#SBATCH --job-name=lightpath-sweep\n"
        "#SBATCH --array=%s\n"
        "#SBATCH --cpus-per-task=%u\n"
        "#SBATCH --signal=B:TERM@60\n"
        "#SBATCH --output=\"%s/%%a.log\"\n"
        "program=%s\n"
        "study=%s\n"
        "parts=%s\n"
        "n_parts=%" G_GUINT64_FORMAT "\n"
        "cd %s\n"
        "%s",
        self->tasks, self->n_jobs, log->str, program, study, parts, self->n_parts, folder, body);
}
