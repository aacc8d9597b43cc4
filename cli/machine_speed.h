/* SPDX-License-Identifier: Apache-2.0 */
/* How fast this machine is, beside the one that forecasts are for. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** How many times as long simulations take here, now, as where `lightpath bench ring-1024-bare`
 * takes LP_FORECAST_RING_S. Measured, in some hundredths of a second. */
double lp_machine_slowness(void);
/** Processor time that this process has taken, s. */
double lp_processor_s(void);

G_END_DECLS
