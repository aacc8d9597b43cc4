/* SPDX-License-Identifier: Apache-2.0 */
/* The costs of lists of tensors besides the collectives that take them. */
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_counts.h"
#include "model/times/list_copies.h"

/* The work of lists around a gather. The device waits for what the host does after its waits. */
static LpWork
gathered_lists(const LpClosedFormInput *input, const LpListCosts *costs, double n_members,
               gboolean backwards)
{
    LpClosedFormPieces pieces = lp_closed_form_tensor_gathers(input, backwards);
    double slices = pieces.n_dense * n_members;
    LpWork views = lp_list_views_work(costs, slices, pieces.bytes.dense);
    LpWork copies = lp_list_copies_work(costs, slices, pieces.bytes.dense);
    return (LpWork){.device_s = views.device_s + copies.device_s,
                    .idle_s = views.wait_s - views.device_s};
}

LpWork
lp_closed_form_lists(const LpClosedFormInput *input)
{
    const LpPlan *plan = input->plan;
    double n_members = (double)lp_group_size(input->transformer, plan, LP_GROUP_DP);
    if (!lp_plan_gathers_tensor_lists(plan) || n_members < 2.0)
        return LP_WORK_NONE;
    LpListCosts costs = lp_list_costs(plan, input->accelerator);
    LpClosedFormDp dp = lp_closed_form_dp(input);
    double slices = lp_closed_form_tensor_sums(input).n_dense * n_members;
    LpWork there = gathered_lists(input, &costs, n_members, FALSE);
    LpWork back = gathered_lists(input, &costs, n_members, TRUE);
    return (LpWork){.device_s =
                        dp.n_sums * lp_list_sum_work(&costs, slices, dp.sum_bytes).device_s +
                        dp.n_gathers * there.device_s + dp.n_back_gathers * back.device_s,
                    .idle_s = dp.n_gathers * there.idle_s + dp.n_back_gathers * back.idle_s};
}
