/* SPDX-License-Identifier: Apache-2.0 */
/* Whether ranks may stand for others of which it is assumed, and checked, that they do the same. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Where a run is tried with classes that are not proven beforehand (sim/run/assumed_run.h). */
typedef enum {
    LP_ASSUME_WHERE_WORTHWHILE, /**< where many ranks are left otherwise, and for at most about what
                                their run takes */
    LP_ASSUME_NEVER,
    LP_ASSUME_ALWAYS /**< whatever it takes */
} LpAssume;

G_END_DECLS
