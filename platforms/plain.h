/* SPDX-License-Identifier: Apache-2.0 */
/* A machine view as the plainest SimGrid platform: what the engine is given to load. */
#pragma once

#include "platforms/machine.h"

G_BEGIN_DECLS

/** The clusters of @self with their hosts, links and topology as they were read, and nothing else.
 * SimGrid's own parser is stricter than XML and aborts where it stumbles, so it is never shown what
 * a user wrote. Every number reads back to the same double. Returns: (transfer full). */
char *lp_machine_to_plain(const LpMachine *self);

G_END_DECLS
