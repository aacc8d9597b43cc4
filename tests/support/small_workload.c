/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/small_workload.h"

#include "tests/testlib.h"

LpWorkload *
lp_small_workload_load(const char *settings)
{
    g_autofree char *all = g_strconcat(LP_MINIMAL_SETTINGS, settings, NULL);
    g_auto(GStrv) words = g_strsplit(g_strchomp(all), " ", -1);
    g_autoptr(GError) error = NULL;
    LpWorkload *workload = lp_workload_load("resource:///lightpath/workloads/gpt3-175b.xml",
                                            (const char *const *)words, &error);
    lp_test_text(settings, error != NULL ? error->message : NULL, NULL);
    return workload;
}
