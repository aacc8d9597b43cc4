/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks the blocks of a torus, and counts what joins them. */
#include "platforms/machine/torus_blocks.h"

#include "base/error.h"
#include "base/units.h"

gboolean
lp_torus_blocks_parse(const char *text, LpTorusBlocks *out_blocks, GError **error)
{
    LpTorusBlocks read = *out_blocks;
    g_auto(GStrv) parts = g_strsplit(*text == '\0' ? "," : text, ",", -1);
    for (guint i = 0; parts[i] != NULL; i++) {
        guint64 block = 0;
        if (!lp_count_parse(parts[i], 0, LP_TORUS_BLOCKS_MAX - 1, &block, error))
            return FALSE;
        if (read.failed[block]) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                        "block %" G_GUINT64_FORMAT " twice, wanted each at most once", block);
            return FALSE;
        }
        read.failed[block] = TRUE;
        read.n_failed++;
    }
    *out_blocks = read;
    return TRUE;
}

guint64
lp_torus_blocks_needed(const LpTorusBlocks *self, const LpTorus *torus)
{
    guint64 n = 1;
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        n *= torus->size[i] / self->size;
    return n;
}

static gboolean
fail(GError **error, const char *message)
{
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, message);
    return FALSE;
}

static gboolean
check_numbers(const LpTorusBlocks *self, GError **error)
{
    guint32 last = 0;
    for (guint32 i = 0; i < LP_TORUS_BLOCKS_MAX; i++)
        last = self->failed[i] ? i : last;
    if (self->n > LP_TORUS_BLOCKS_MAX) {
        g_autofree char *message =
            g_strdup_printf("blocks: %u, wanted at most %u", self->n, LP_TORUS_BLOCKS_MAX);
        return fail(error, message);
    }
    if (self->n_failed == 0 || last < self->n)
        return TRUE;
    g_autofree char *message = g_strdup_printf(
        "failed-blocks: block %u, wanted one of the %u blocks from 0 on", last, self->n);
    return fail(error, message);
}

gboolean
lp_torus_blocks_check(const LpTorusBlocks *self, const LpTorus *torus, GError **error)
{
    if (self->size == 0)
        return (self->n == 0 && self->n_failed == 0) ||
               fail(error, "blocks: given without block-size, wanted both");
    if (torus->n_dimensions == 0)
        return fail(error, "block-size: given without a torus, wanted one: it is made of blocks");
    for (guint32 i = 0; i < torus->n_dimensions; i++)
        if (torus->size[i] % self->size != 0) {
            g_autofree char *message =
                g_strdup_printf("block-size: %u for a dimension of %u, wanted a divisor",
                                self->size, torus->size[i]);
            return fail(error, message);
        }
    if (!check_numbers(self, error))
        return FALSE;
    guint64 needed = lp_torus_blocks_needed(self, torus);
    if (self->n == 0 || needed <= self->n - self->n_failed)
        return TRUE;
    g_autofree char *message =
        g_strdup_printf("blocks: %u of %u work, wanted at least %" G_GUINT64_FORMAT
                        " for the torus, or a smaller one",
                        self->n - self->n_failed, self->n, needed);
    return fail(error, message);
}

guint32
lp_torus_blocks_at(const LpTorusBlocks *self, guint64 place)
{
    guint32 block = 0;
    for (;; block++)
        if (block >= LP_TORUS_BLOCKS_MAX || (!self->failed[block] && place-- == 0))
            return block;
}

guint64
lp_torus_blocks_n_links(const LpTorusBlocks *self, const LpTorus *torus)
{
    guint64 n_faces = lp_torus_n_ports(torus) / self->size, n = 0;
    for (guint32 d = 0; d < torus->n_dimensions; d++) {
        gboolean has_one_link = torus->size[d] == 2 && !torus->is_twisted;
        n += !has_one_link ? n_faces : self->size == 1 ? n_faces / 2 : 0;
    }
    return n;
}
