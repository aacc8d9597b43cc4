/* SPDX-License-Identifier: Apache-2.0 */
/* Packed, scattered, or as a file says. */
#include "sim/mapping/placement.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

#include <string.h>

/* Accelerator i of each domain in turn, before i + 1 of any. */
static guint32 *
scatter(guint64 n_ranks, const LpMachine *machine)
{
    guint32 *accelerators = g_new(guint32, n_ranks);
    guint64 n_domains = lp_machine_n_domains(machine);
    guint64 size = machine->n_accelerators / n_domains;
    for (guint64 rank = 0; rank < n_ranks; rank++)
        accelerators[rank] = (guint32)(rank % n_domains * size + rank / n_domains);
    return accelerators;
}

static gboolean
refuse(GError **error, const char *path, guint line, const char *got, const char *wanted)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: got %s, wanted %s",
                lp_file_label(path), line, got, wanted);
    return FALSE;
}

/* One line: an accelerator, or nothing. */
static gboolean
read_line(char *text, const char *path, guint line, gboolean *seen, guint64 n_accelerators,
          GArray *accelerators, GError **error)
{
    char *comment = strchr(text, '#');
    if (comment != NULL)
        *comment = '\0';
    g_strstrip(text);
    if (*text == '\0')
        return TRUE;
    guint64 index;
    g_autoptr(GError) fault = NULL;
    if (!lp_count_parse(text, 0, n_accelerators - 1, &index, &fault)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: %s", lp_file_label(path),
                    line, fault->message);
        return FALSE;
    }
    if (seen[index])
        return refuse(error, path, line, "an accelerator for the second time",
                      "each accelerator at most once");
    seen[index] = TRUE;
    guint32 accelerator = (guint32)index;
    g_array_append_val(accelerators, accelerator);
    return TRUE;
}

static guint32 *
read_file(const LpWorkload *workload, guint64 n_ranks, const LpMachine *machine, GError **error)
{
    const char *path = workload->placement;
    g_autoptr(GBytes) content = lp_file_read(path, NULL);
    if (content == NULL) {
        g_autofree char *shown = lp_error_quote(path);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "placement: got %s, wanted packed, scattered, or a readable file", shown);
        lp_workload_prefix(workload, error);
        return NULL;
    }
    gsize length = 0;
    const char *bytes = g_bytes_get_data(content, &length);
    g_autofree char *text = g_strndup(bytes != NULL ? bytes : "", length);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree gboolean *seen = g_new0(gboolean, machine->n_accelerators);
    g_autoptr(GArray) accelerators = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; lines[i] != NULL; i++)
        if (!read_line(lines[i], path, i + 1, seen, machine->n_accelerators, accelerators, error))
            return NULL;
    if (accelerators->len < n_ranks) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got %u accelerators, wanted one for each of %" G_GUINT64_FORMAT " ranks",
                    lp_file_label(path), accelerators->len, n_ranks);
        return NULL;
    }
    return (guint32 *)(gpointer)g_array_free(g_steal_pointer(&accelerators), FALSE);
}

LpPlacement *
lp_placement_new(const LpWorkload *workload, const LpMachine *machine, GError **error)
{
    guint64 n_ranks = lp_plan_n_ranks(&workload->plan);
    if (strcmp(workload->placement, "packed") == 0)
        return lp_placement_new_packed(n_ranks);
    if (strcmp(workload->placement, "scattered") == 0)
        return lp_placement_new_given(n_ranks, scatter(n_ranks, machine));
    guint32 *accelerators = read_file(workload, n_ranks, machine, error);
    return accelerators == NULL ? NULL : lp_placement_new_given(n_ranks, accelerators);
}

LpPlacement *
lp_placement_new_packed(guint64 n_ranks)
{
    return lp_placement_new_given(n_ranks, NULL);
}

LpPlacement *
lp_placement_new_given(guint64 n_ranks, guint32 *accelerators)
{
    LpPlacement *self = g_new(LpPlacement, 1);
    *self = (LpPlacement){n_ranks, accelerators};
    return self;
}

LpPlacement *
lp_placement_dup(const LpPlacement *self)
{
    return lp_placement_new_given(self->n_ranks,
                                  g_memdup2(self->accelerators, self->n_ranks * sizeof(guint32)));
}

void
lp_placement_free(LpPlacement *self)
{
    if (self == NULL)
        return;
    g_free(self->accelerators);
    g_free(self);
}

guint64
lp_placement_accelerator(const LpPlacement *self, guint64 rank)
{
    return self->accelerators == NULL ? rank : self->accelerators[rank];
}
