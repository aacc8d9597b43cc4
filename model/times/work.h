/* SPDX-License-Identifier: Apache-2.0 */
/* A run of kernels on a device that a host feeds, as three times. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A run of kernels on a device that a host feeds: the host issues each kernel before it starts,
 * and both go on in order; behind some the host waits for the device. Started with the device free
 * at D and the host ready at H, they end with the device free at max(D + device_s + idle_s, H +
 * bound_s), and the host ready at H + host_s, or, if it waits, at max(H + host_s, D + wait_s). */
typedef struct {
    double device_s; /**< the kernels' own times */
    double host_s; /**< the host's time for issuing them, and for what it waits if it begins last */
    double issue_s; /**< the host's time for issuing them, whatever it waits for */
    double bound_s; /**< from the host's first issue to the last kernel's end on a free device */
    double idle_s; /**< what the device waits behind the host's waits, however far that was ahead */
    double wait_s; /**< from the device's start to the host's end, if it waits */
    gboolean waits; /**< the host waits for the device somewhere in the run */
} LpWork;

/** Work that takes no time. */
#define LP_WORK_NONE ((LpWork){0.0, 0.0, 0.0, 0.0, 0.0, 0.0, FALSE})
/** @first, then @second. Associative, so that runs may be merged in any grouping. */
LpWork lp_work_then(LpWork first, LpWork second);
/** Every time multiplied by @factor. */
LpWork lp_work_scale(LpWork work, double factor);

/** The seconds that the device waits for the host while it does @self from @now_s on. The host runs
 * ahead and is ready at @host_s; a synchronous host (@is_host_synchronous) issues nothing before
 * the device is done, and the device waits for all of its work. */
double lp_work_waited_s(const LpWork *self, double host_s, double now_s,
                        gboolean is_host_synchronous);
/** When the host is ready again that was ready at @host_s, while the device does @self from @now_s
 * on, s. */
double lp_work_host_end_s(const LpWork *self, double host_s, double now_s);

G_END_DECLS
