/* SPDX-License-Identifier: Apache-2.0 */
/* The communication library of a machine: that of its accelerators, as bridges, PCIe and transport
 * have it. */
#pragma once

#include "model/network/library_mix.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** Finds the library called @name, or with LP_LIBRARY_AUTO the machine's own, or else the one for
 * its accelerators. On a machine with bridges groups on one of them follow the accelerators'
 * library for NVLink; what leaves a domain by another transport than RDMA follows what
 * libraries.xml says of it. Errors: LP_INPUT_ERROR. */
gboolean lp_machine_library(const LpMachine *self, const char *name, LpLibrary *out_library,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** All libraries that @said names, as lp_machine_library() has each, with the protocol that it
 * names, if it does; names may be empty, for LP_LIBRARY_AUTO. Errors: LP_INPUT_ERROR, with the
 * attribute before. Returns: (transfer full). */
LpLibrary *lp_machine_libraries(const LpMachine *self, const LpPlanLibrary *said,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
