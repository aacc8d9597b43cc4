/* SPDX-License-Identifier: Apache-2.0 */
/* A run of kernels on a device that a host feeds, as three times. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A run of kernels on a device that a host feeds: the host issues each kernel before it starts,
 * and both go on in order. Started with the device free at D and the host ready at H, they end with
 * the device free at max(D + device_s, H + bound_s) and the host ready at H + host_s. */
typedef struct {
    double device_s; /**< the kernels' own times */
    double host_s;   /**< the host's time for issuing them */
    double bound_s;  /**< from the host's first issue to the last kernel's end on a free device */
} LpWork;

/** Nothing to do. */
#define LP_WORK_NONE ((LpWork){0.0, 0.0, 0.0})
/** @first, then @second. Associative, so that runs may be merged in any grouping. */
LpWork lp_work_then(LpWork first, LpWork second);
/** Every time multiplied by @factor. */
LpWork lp_work_scale(LpWork work, double factor);

/** What the device waits for the host while it does @self from @now_s on, s: for a host that runs
 * ahead as it can and is ready at @host_s, or for all that it does where it takes turns with the
 * device. */
double lp_work_waited_s(const LpWork *self, double host_s, double now_s, gboolean takes_turns);

G_END_DECLS
