/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a platform file's scale-out cluster: order of ports, planes, paths, PCIe links. */
#pragma once

#include "base/xml.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Reads the cluster @node, and its properties, into @machine, whose scale-up part has been read.
 * Checks that ports, rails, planes, paths and PCIe links fit together. Errors: LP_INPUT_ERROR,
 * LP_MACHINE_ERROR; "FILE:LINE: got, wanted". */
gboolean lp_scale_out_read(const LpXml *xml, xmlNode *node, LpMachine *machine, GError **error);

G_END_DECLS
