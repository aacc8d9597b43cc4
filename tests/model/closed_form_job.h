/* SPDX-License-Identifier: Apache-2.0 */
/* A job on a machine, as tests give it to the closed forms. */
#pragma once

#include "model/closed_form/closed_form_input.h"
#include "tests/model/shapes.h"

/** What a closed form is of. Made in place, since @input points into it; tests change the rest as
 * they like. */
typedef struct {
    LpTransformer shape;
    LpPlan plan;
    LpAccelerator accelerator; /**< lp_test_accelerator() */
    LpFabric fabric;
    LpClosedFormInput input; /**< of these; ranks stand on accelerators in order */
} LpTestJob;

static inline void
lp_test_job_init(LpTestJob *self, LpTransformer shape, LpPlan plan, LpFabric fabric)
{
    self->shape = shape;
    self->plan = plan;
    self->accelerator = lp_test_accelerator();
    self->fabric = fabric;
    self->input = (LpClosedFormInput){.transformer = &self->shape,
                                      .plan = &self->plan,
                                      .accelerator = &self->accelerator,
                                      .fabric = &self->fabric};
}
