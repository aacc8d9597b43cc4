/* SPDX-License-Identifier: Apache-2.0 */
/* A torus as blocks that circuit switches join: which of a machine's blocks it is made of. */
#pragma once

#include "model/network/torus.h"

G_BEGIN_DECLS

/** Blocks of a machine. */
#define LP_TORUS_BLOCKS_MAX 1024u

/** Inside a block links are fixed; those of its faces go to circuit switches, so that any blocks
 * can be neighbours, and a torus of any number of them can be set up around those that failed. */
typedef struct {
    guint32 size; /**< ports along each dimension of a block; 0: the torus has none */
    guint32 n;    /**< of the machine; 0: as many as the torus needs */
    guint32 n_failed;
    guint8 failed[LP_TORUS_BLOCKS_MAX]; /**< whether it did, by block */
} LpTorusBlocks;

/** Reads the blocks that failed: "3,17". Errors: LP_INPUT_ERROR;
 * @out_blocks then stays as it is. */
gboolean lp_torus_blocks_parse(const char *text, LpTorusBlocks *out_blocks, GError **error);

/** Whether @torus can be made of the blocks that work. Errors: LP_INPUT_ERROR, "name: got,
 * wanted". */
gboolean lp_torus_blocks_check(const LpTorusBlocks *self, const LpTorus *torus, GError **error);

/** Blocks that @torus is made of. */
guint64 lp_torus_blocks_needed(const LpTorusBlocks *self, const LpTorus *torus);
/** The machine's block at @place of the torus, places counted as ports are: the first that work, in
 * their order. */
guint32 lp_torus_blocks_at(const LpTorusBlocks *self, guint64 place);
/** Links of @torus between blocks, or from a block around to itself: each crosses a circuit switch.
 */
guint64 lp_torus_blocks_n_links(const LpTorusBlocks *self, const LpTorus *torus);

G_END_DECLS
