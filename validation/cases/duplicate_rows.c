/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that state the same inputs. */
#include "validation/cases/duplicate_rows.h"

/* The first row that states some inputs. */
typedef struct {
    guint index;
    guint n_notes; /* that reading it gave */
} First;

typedef struct {
    guint index;
    First first;
} Alike;

struct LpDuplicateRows {
    const LpCaseKind *kind; /* borrowed */
    GHashTable *firsts;     /* owned First, by a hash of their inputs */
    GArray *alike;          /* owned: Alike */
};

LpDuplicateRows *
lp_duplicate_rows_new(const LpCaseKind *kind)
{
    LpDuplicateRows *self = g_new(LpDuplicateRows, 1);
    self->kind = kind;
    self->firsts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    self->alike = g_array_new(FALSE, FALSE, sizeof(Alike));
    return self;
}

void
lp_duplicate_rows_free(LpDuplicateRows *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->firsts);
    g_array_unref(self->alike);
    g_free(self);
}

/* What stands for the inputs of @row, which notes in @scratch what it fills in; NULL: they are like
 * no others. Returns: (transfer full). */
static char *
key_of(const LpDuplicateRows *self, const LpTableRow *row, LpOutcome *scratch)
{
    g_autofree char *inputs = self->kind->inputs != NULL ? self->kind->inputs(row, scratch) : NULL;
    return inputs != NULL ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, inputs, -1) : NULL;
}

gboolean
lp_duplicate_rows_add(LpDuplicateRows *self, guint index, const LpTableRow *row, LpOutcome *outcome)
{
    g_autoptr(LpOutcome) scratch = lp_outcome_new(outcome->measure, outcome->id, outcome->source);
    g_autofree char *key = key_of(self, row, scratch);
    if (key == NULL)
        return FALSE;
    const First *known = g_hash_table_lookup(self->firsts, key);
    if (known == NULL) {
        First first = {index, scratch->inferred->len};
        g_hash_table_insert(self->firsts, g_steal_pointer(&key), g_memdup2(&first, sizeof first));
        return FALSE;
    }
    Alike alike = {index, *known};
    g_array_append_val(self->alike, alike);
    lp_outcome_take_notes(outcome, scratch, 0);
    return TRUE;
}

guint
lp_duplicate_rows_n(const LpDuplicateRows *self)
{
    return self->alike->len;
}

guint
lp_duplicate_rows_index(const LpDuplicateRows *self, guint i)
{
    return g_array_index(self->alike, Alike, i).index;
}

gboolean
lp_duplicate_rows_settle(const LpDuplicateRows *self, guint i, const GPtrArray *outcomes)
{
    const Alike *alike = &g_array_index(self->alike, Alike, i);
    const LpOutcome *first = outcomes->pdata[alike->first.index];
    LpOutcome *outcome = outcomes->pdata[alike->index];
    if (first->status != LP_OUTCOME_OK) {
        g_ptr_array_set_size(outcome->inferred, 0);
        return FALSE;
    }
    lp_outcome_take_predictions(outcome, first);
    lp_outcome_take_notes(outcome, first, alike->first.n_notes);
    return TRUE;
}
