/* SPDX-License-Identifier: Apache-2.0 */
/* What lists of tensors cost the host and the device. */
#include "model/times/list_copies.h"

#include "tests/model/shapes.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12

/* 0.8 TB/s; a slice is 10 us for the host and 7 for the device, unless either is faster. */
static LpListCosts
costs_of(double host_s, double launch_s, gboolean graphs)
{
    LpAccelerator accelerator = lp_test_hosted_accelerator(host_s, launch_s);
    accelerator.loop = (LpAcceleratorLoop){.slice_s = 10e-6, .slice_launch_s = 7e-6};
    LpPlan plan = lp_test_plan(1, 1, 4, 1, 4);
    plan.host.cuda_graphs = graphs;
    return lp_list_costs(&plan, &accelerator);
}

static void
test_costs(void)
{
    LpListCosts costs = costs_of(62e-6, 14e-6, FALSE);
    lp_test_close("host", costs.host_s, 10e-6, IDENTITY);
    lp_test_close("device", costs.device_s, 7e-6, IDENTITY);
    lp_test_close("byte", costs.byte_s, 1.0 / 0.8e12, IDENTITY);
    lp_test_close("faster host", costs_of(4e-6, 14e-6, FALSE).host_s, 4e-6, IDENTITY);
    lp_test_close("faster device", costs_of(4e-6, 5e-6, FALSE).device_s, 5e-6, IDENTITY);
    lp_test_close("captured", costs_of(62e-6, 14e-6, TRUE).host_s, 0.0, IDENTITY);
}

/* The host slices only when the device is done: however far it was ahead, the next kernel begins
 * after all slices. Copies and sums make nobody wait. */
static void
test_hosts(void)
{
    LpListCosts costs = costs_of(62e-6, 14e-6, FALSE);
    double clear_s = 8e9 / 0.8e12;
    LpWork views = lp_list_views_work(&costs, 100.0, 8e9);
    lp_test_close("device", views.device_s, clear_s, IDENTITY);
    lp_test_close("host behind", lp_work_host_end_s(&views, 0.0, 5.0), 5.0 + clear_s + 1e-3,
                  IDENTITY);
    LpWork copies = lp_list_copies_work(&costs, 100.0, 8e9);
    lp_test_close("copies", copies.device_s, 7e-4 + 2.0 * clear_s, IDENTITY);
    lp_test_close("by nobody", lp_work_host_end_s(&copies, 0.0, 5.0), 0.0, IDENTITY);
    LpWork sum = lp_list_sum_work(&costs, 100.0, 8e9);
    lp_test_close("divided and copied", sum.device_s, 7e-4 + 4.0 * clear_s, IDENTITY);
    lp_test_close("host ahead", lp_work_host_end_s(&sum, 0.0, 5.0), 1e-3, IDENTITY);
    lp_test_close("of small ones the host", lp_list_sum_work(&costs, 100.0, 0.0).bound_s, 1e-3,
                  IDENTITY);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"costs", test_costs}, {"hosts", test_hosts}, {NULL, NULL}};
    return lp_test_run("list-copies", cases);
}
