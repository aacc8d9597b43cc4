/* SPDX-License-Identifier: Apache-2.0 */
/* How finely a simulation follows the steps of collectives. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How a collective runs: one fluid flow a connection with all latencies up front, or every step of
 * its algorithm as a message. */
typedef enum {
    LP_FIDELITY_FLOW,
    LP_FIDELITY_MESSAGE
} LpFidelity;

/** "flow" "message", as options and outputs have them; NULL-ended. */
extern const char *const lp_fidelity_names[];

G_END_DECLS
