/* SPDX-License-Identifier: Apache-2.0 */
/* How layers follow each other, as a text: "5*window+1*full". */
#include "workloads/description/layer_pattern.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define AUTO "auto"
/* As many as a model may have. */
#define LAYERS_MAX 100000u

/* Returns: whether there was room. */
static gboolean
add_run(LpLayerPattern *self, guint32 count, LpLookback reach)
{
    if (self->n > 0 && self->lookback[self->n - 1] == reach) {
        self->count[self->n - 1] += count;
        return self->count[self->n - 1] <= LAYERS_MAX;
    }
    if (self->n == LP_LAYER_RUNS_MAX)
        return FALSE;
    self->count[self->n] = count;
    self->lookback[self->n++] = reach;
    return TRUE;
}

/* "5*window" or "window". */
static gboolean
parse_run(const char *text, LpLayerPattern *pattern)
{
    const char *star = strchr(text, '*');
    guint64 count = 1;
    if (star != NULL) {
        g_autofree char *number = g_strndup(text, (gsize)(star - text));
        if (!lp_count_parse(number, 1, LAYERS_MAX, &count, NULL))
            return FALSE;
    }
    int reach = lp_choice_parse(star != NULL ? star + 1 : text, lp_lookback_names, NULL);
    return reach >= 0 && add_run(pattern, (guint32)count, (LpLookback)reach);
}

gboolean
lp_layer_pattern_parse(const char *text, LpLayerPattern *out_pattern, GError **error)
{
    LpLayerPattern pattern = {.n = 0};
    g_auto(GStrv) runs = g_strsplit(text, "+", LAYERS_MAX);
    gboolean is_auto = strcmp(text, AUTO) == 0, good = is_auto || runs[0] != NULL;
    for (guint i = 0; good && !is_auto && runs[i] != NULL; i++)
        good = parse_run(runs[i], &pattern);
    if (good) {
        *out_pattern = pattern;
        return TRUE;
    }
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "got %s, wanted auto, or up to %u runs of layers that are full, window or chunk, "
                "such as 5*window+1*full",
                shown, LP_LAYER_RUNS_MAX);
    return FALSE;
}

char *
lp_layer_pattern_format(const LpLayerPattern *self)
{
    if (self->n == 0)
        return g_strdup(AUTO);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < self->n; i++)
        g_string_append_printf(text, "%s%u*%s", i > 0 ? "+" : "", self->count[i],
                               lp_lookback_names[self->lookback[i]]);
    return g_string_free(text, FALSE);
}

static guint32
period_of(const LpLookback *reaches, guint32 n_layers)
{
    for (guint32 period = 1; period < n_layers; period++) {
        guint32 i = period;
        while (i < n_layers && reaches[i] == reaches[i - period])
            i++;
        if (i == n_layers)
            return period;
    }
    return n_layers;
}

gboolean
lp_layer_pattern_of(const LpLookback *reaches, guint32 n_layers, LpLayerPattern *out_pattern)
{
    guint32 period = period_of(reaches, n_layers);
    *out_pattern = (LpLayerPattern){.n = 0};
    for (guint32 i = 0; i < period; i++)
        if (!add_run(out_pattern, 1, reaches[i]))
            return FALSE;
    return TRUE;
}
