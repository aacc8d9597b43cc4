/* SPDX-License-Identifier: Apache-2.0 */
/* T_comp and T_opt: what the mean stage computes. */
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/gradient_check.h"
#include "model/times/optimizer.h"

/* Layer @index in @pass, one micro-batch. */
static LpWork
layer_work(const LpClosedFormInput *input, guint32 index, LpPass pass)
{
    LpWork sum = LP_WORK_NONE;
    for (LpBlock block = LP_BLOCK_ATTENTION; block < LP_BLOCK_HEAD; block++)
        sum = lp_work_then(sum, lp_block_work(input->transformer, input->plan, input->accelerator,
                                              index, block, pass));
    return sum;
}

/* Embedding or head, with the tokens of layer @index. */
static LpWork
end_work(const LpClosedFormInput *input, guint32 index, LpBlock block, LpPass pass)
{
    return lp_block_work(input->transformer, input->plan, input->accelerator, index, block, pass);
}

/* Copies around the gathers of what crosses stage boundaries: one forward; backward one of what
 * came back, and one of what went on. */
static LpWork
boundary_work(const LpClosedFormInput *input, LpPass pass)
{
    const LpPlan *plan = input->plan;
    double n_boundaries = degree(input, LP_AXIS_PP) * plan->pipeline.virtual_stages - 1.0;
    double n_gathers = pass == LP_PASS_FORWARD ? 1.0 : pass == LP_PASS_BACKWARD_INPUT ? 2.0 : 0.0;
    return lp_work_scale(lp_boundary_copies_work(input->transformer, plan, input->accelerator),
                         n_boundaries * n_gathers);
}

/* Layers that are alike are worked out once. */
LpWork
lp_closed_form_pass_work(const LpClosedFormInput *input, LpPass pass)
{
    const LpTransformer *shape = input->transformer;
    guint32 n_layers = lp_transformer_n_layers(shape);
    LpWork kinds[LP_LAYER_KINDS], sum = LP_WORK_NONE;
    gboolean known[LP_LAYER_KINDS] = {FALSE};
    for (guint32 i = 0; i < n_layers; i++) {
        guint kind = lp_transformer_layer_kind(shape, i);
        if (!known[kind])
            kinds[kind] = layer_work(input, i, pass);
        known[kind] = TRUE;
        if (lp_pass_has_layer(shape, input->plan, i, pass))
            sum = lp_work_then(sum, kinds[kind]);
    }
    sum = lp_work_then(sum, end_work(input, 0, LP_BLOCK_EMBEDDING, pass));
    if (shape->decoder.n_layers > 0)
        sum = lp_work_then(sum, end_work(input, shape->n_layers, LP_BLOCK_EMBEDDING, pass));
    sum = lp_work_then(sum, boundary_work(input, pass));
    LpWork head = end_work(input, n_layers - 1, LP_BLOCK_HEAD, pass);
    LpWork ahead = lp_work_then(end_work(input, 0, LP_BLOCK_EMBEDDING, pass), head);
    for (guint32 i = 0; i < shape->n_mtp; i++)
        sum = lp_work_then(sum, ahead);
    return lp_work_then(sum, head);
}

double
lp_closed_form_pass_s(const LpClosedFormInput *input, LpPass pass)
{
    return n_micro_batches(input) * lp_closed_form_pass_work(input, pass).device_s /
           degree(input, LP_AXIS_PP);
}

LpWork
lp_closed_form_checks_work(const LpClosedFormInput *input)
{
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double n = lp_plan_reduces_each(input->plan) ? n_micro_batches(input) : 1.0;
    LpWork sum = LP_WORK_NONE;
    for (guint32 stage = 0; stage < pp; stage++)
        sum = lp_work_then(sum, lp_gradient_checks_work(input->transformer, input->plan,
                                                        input->accelerator, stage));
    return lp_work_scale(sum, n / pp);
}

double
lp_closed_form_compute_s(const LpClosedFormInput *input)
{
    double sum_s = lp_closed_form_checks_work(input).device_s;
    for (LpPass pass = 0; pass < LP_N_PASSES; pass++)
        sum_s += lp_closed_form_pass_s(input, pass);
    return sum_s;
}

/* The mean of @seconds over the stages. */
static double
mean_stage_s(const LpClosedFormInput *input,
             double (*seconds)(const LpClosedFormInput *input, guint32 stage))
{
    guint32 pp = input->plan->degree[LP_AXIS_PP];
    double sum_s = 0.0;
    for (guint32 stage = 0; stage < pp; stage++)
        sum_s += seconds(input, stage);
    return sum_s / pp;
}

static double
step_device_s(const LpClosedFormInput *input, guint32 stage)
{
    return lp_optimizer_time_s(input->transformer, input->plan, input->accelerator, stage) +
           lp_optimizer_list_copies(input->transformer, input->plan, input->accelerator, stage)
               .device_s;
}

static double
step_host_s(const LpClosedFormInput *input, guint32 stage)
{
    return lp_optimizer_list_copies(input->transformer, input->plan, input->accelerator, stage)
        .host_s;
}

double
lp_closed_form_optimizer_s(const LpClosedFormInput *input)
{
    return mean_stage_s(input, step_device_s);
}

double
lp_closed_form_optimizer_host_s(const LpClosedFormInput *input)
{
    return mean_stage_s(input, step_host_s);
}
