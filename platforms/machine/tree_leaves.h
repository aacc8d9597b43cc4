/* SPDX-License-Identifier: Apache-2.0 */
/* How the ports of domains and rails stand below the switches of a tree. */
#pragma once

#include "base/xml.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Whether every switch of the tree @cluster, which has the ports of @machine, sees whole domains,
 * whole rails, or parts of one. Errors: LP_MACHINE_ERROR_SIZE, at @node. */
gboolean lp_tree_leaves_check(const LpXml *xml, const xmlNode *node, const LpMachine *machine,
                              const LpCluster *cluster, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
