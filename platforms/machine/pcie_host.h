/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts whose accelerators are cards on PCIe: bridges between pairs of them, and roots that some
 * share. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How the accelerators of a domain are joined besides their own links. */
typedef struct {
    double pair_bytes_per_s;   /**< of a bridge between two neighbours, each way; 0: no bridges */
    guint32 root_accelerators; /**< below one PCIe root, a divisor of the domain; 0: none share */
    double root_bytes_per_s;   /**< of a root's link to the rest of the host, each way */
    gboolean has_cards_inside; /**< network cards hang below the roots, by their accelerators */
} LpPcieHost;

/** The names of the places of network cards: "outside" or "inside" of the PCIe roots; NULL-ended.
 */
extern const char *const lp_root_cards_names[];

/** Whether there are bridges or roots, so that accelerators meet on PCIe and in no switch. */
gboolean lp_pcie_host_is_present(const LpPcieHost *self);
/** Whether a bridge joins the accelerators @a and @b. */
gboolean lp_pcie_host_has_bridge(const LpPcieHost *self, guint64 a, guint64 b);
/** The root that @accelerator hangs below, counted over the machine; where none share one, its own.
 */
guint64 lp_pcie_host_root(const LpPcieHost *self, guint64 accelerator);
/** Whether what leaves the domain crosses the link of its accelerator's root. */
gboolean lp_pcie_host_is_on_way_out(const LpPcieHost *self);

G_END_DECLS
