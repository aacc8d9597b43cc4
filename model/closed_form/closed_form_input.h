/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of the closed forms. */
#pragma once

#include "model/times/accelerator.h"
#include "model/network/fabric.h"
#include "model/network/library.h"
#include "model/plan/terms.h"

G_BEGIN_DECLS

/** Connections of rings that the terms of one plan ask for again and again. */
typedef struct LpClosedFormRings LpClosedFormRings;

/** The inputs of a closed form, all borrowed. */
typedef struct {
    const LpTransformer *transformer;
    const LpPlan *plan;
    const LpAccelerator *accelerator;
    const LpFabric *fabric;
    const guint32 *accelerators; /**< that ranks stand on; NULL: rank r on accelerator r */
    const LpLibrary *library;    /**< each collective takes the one that is for it, as far as closed
                                      forms know libraries (lp_library_rings(), measured times);
                                      NULL: single rings */
    LpLibraryRings rings; /**< of the library alone that runs the collective in hand: found for
                               each, whatever stands here */
    LpClosedFormRings
        *known; /**< what is known of this input's rings so far; NULL: nothing is kept */
} LpClosedFormInput;

G_END_DECLS
