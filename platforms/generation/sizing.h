/* SPDX-License-Identifier: Apache-2.0 */
/* What the values of a specification imply together: domains, ports, their rate, a fabric. */
#pragma once

#include "platforms/generation/layout.h"
#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** The sizes of a machine. */
typedef struct {
    guint32 n_domains;
    guint32 n_cards;         /**< scale-out ports of a domain */
    double link_bytes_per_s; /**< of a port in one plane, each way; of a link of a torus */
    LpLayoutRequest wanted;  /**< of the scale-out fabric */
    gboolean has_packet_tree;
    LpLayoutRequest packet_network; /**< of the fat tree beside circuits, if there is one */
} LpMachineSizing;

/** Finds the sizes of @specification, and refuses values that do not fit together, and options that
 * its topology has no use for. Errors: LP_MACHINE_ERROR, "--option: got, wanted". */
gboolean lp_sizing_find(const LpMachineSpecification *specification, LpMachineSizing *out_sizing,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
