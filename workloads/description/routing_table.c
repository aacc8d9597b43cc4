/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a table of routings, and holds that nothing is missing from it or there twice. */
#include "workloads/description/routing_table.h"

#include "base/error.h"
#include "base/table.h"

#include <math.h>

/* Loads that a table may have: 400 MB of them. */
#define LOADS_MAX 50000000u
#define INDEX_MAX 1000000u
/* More tokens than any batch has. */
#define LOAD_MAX 1e15

/* The place of a row in the table. */
typedef struct {
    guint64 layer, micro_batch, expert;
} Place;

static gboolean
read_place(const LpTableRow *row, guint32 n_experts, Place *out_place, GError **error)
{
    *out_place = (Place){G_MAXUINT64, 0, G_MAXUINT64};
    if (!lp_table_count(row, "layer", 0, INDEX_MAX, &out_place->layer, error) ||
        !lp_table_count(row, "micro-batch", 0, INDEX_MAX, &out_place->micro_batch, error) ||
        !lp_table_count(row, "expert", 0, MAX(n_experts, 1u) - 1, &out_place->expert, error))
        return FALSE;
    if (out_place->layer == G_MAXUINT64)
        return lp_table_fault(row, "layer", "a layer with experts, from 0", error);
    if (out_place->expert == G_MAXUINT64)
        return lp_table_fault(row, "expert", "an expert, from 0", error);
    return TRUE;
}

static gboolean
measure(LpRoutingTable *self, const LpTable *table, GError **error)
{
    for (guint i = 0; i < lp_table_n_rows(table); i++) {
        Place place;
        if (!read_place(lp_table_row(table, i), self->n_experts, &place, error))
            return FALSE;
        self->n_layers = MAX(self->n_layers, (guint32)place.layer + 1);
        self->n_micro_batches = MAX(self->n_micro_batches, (guint32)place.micro_batch + 1);
    }
    double wanted = (double)self->n_layers * self->n_micro_batches * self->n_experts;
    if (wanted <= LOADS_MAX && (guint)wanted == lp_table_n_rows(table))
        return TRUE;
    g_set_error(
        error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
        "%s: got %u rows, wanted one for each of %u layers, %u micro-batches and %u experts",
        lp_table_path(table), lp_table_n_rows(table), self->n_layers, self->n_micro_batches,
        self->n_experts);
    return FALSE;
}

static gboolean
read_load(LpRoutingTable *self, const LpTableRow *row, GError **error)
{
    Place place;
    double load = -1.0;
    if (!read_place(row, self->n_experts, &place, error) ||
        !lp_table_number(row, "load", 0.0, LOAD_MAX, &load, error))
        return FALSE;
    if (load < 0.0)
        return lp_table_fault(row, "load", "a number of tokens", error);
    double *at =
        &self->loads[(place.layer * self->n_micro_batches + place.micro_batch) * self->n_experts +
                     place.expert];
    if (!isnan(*at))
        return lp_table_fault(row, "expert", "each expert of a layer and micro-batch once", error);
    *at = load;
    return TRUE;
}

static gboolean
check_sums(const LpRoutingTable *self, const char *path, GError **error)
{
    for (guint32 layer = 0; layer < self->n_layers; layer++)
        for (guint32 m = 0; m < self->n_micro_batches; m++) {
            const double *loads =
                &self->loads[((gsize)layer * self->n_micro_batches + m) * self->n_experts];
            double sum = 0.0;
            for (guint32 expert = 0; expert < self->n_experts; expert++)
                sum += loads[expert];
            if (sum > 0.0)
                continue;
            g_set_error(
                error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s: got no load for layer %u, micro-batch %u, wanted some expert's above 0", path,
                layer, m);
            return FALSE;
        }
    return TRUE;
}

/* A column that is not read would often part rows that are read as one kind: a step, a device. */
static gboolean
check_columns(const LpTable *table, GError **error)
{
    static const char *const known[] = {"layer", "micro-batch", "expert", "load", NULL};
    const char *column;
    for (guint i = 0; (column = lp_table_column(table, i)) != NULL; i++) {
        if (g_strv_contains(known, column))
            continue;
        g_autofree char *shown = lp_error_quote(column);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got the column %s, wanted layer, expert, load, and micro-batch or not",
                    lp_table_path(table), shown);
        return FALSE;
    }
    return TRUE;
}

static gboolean
read_table(LpRoutingTable *self, const LpTable *table, GError **error)
{
    if (!lp_table_has_columns(table, "layer expert load") || lp_table_n_rows(table) == 0) {
        g_autofree char *shown = lp_table_header(table);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got %u rows under the header %s, wanted rows of layer, expert, load, and "
                    "micro-batch or not",
                    lp_table_path(table), lp_table_n_rows(table), shown);
        return FALSE;
    }
    if (!check_columns(table, error) || !measure(self, table, error))
        return FALSE;
    gsize n = (gsize)self->n_layers * self->n_micro_batches * self->n_experts;
    self->loads = g_new(double, n);
    for (gsize i = 0; i < n; i++)
        self->loads[i] = NAN;
    for (guint i = 0; i < lp_table_n_rows(table); i++)
        if (!read_load(self, lp_table_row(table, i), error))
            return FALSE;
    return check_sums(self, lp_table_path(table), error);
}

LpRoutingTable *
lp_routing_table_load(const char *path, guint32 n_experts, GError **error)
{
    g_autoptr(LpTable) table = lp_table_load(path, error);
    if (table == NULL)
        return NULL;
    g_autoptr(LpRoutingTable) self = g_new0(LpRoutingTable, 1);
    self->n_experts = n_experts;
    return read_table(self, table, error) ? g_steal_pointer(&self) : NULL;
}

void
lp_routing_table_free(LpRoutingTable *self)
{
    if (self == NULL)
        return;
    g_free(self->loads);
    g_free(self);
}
