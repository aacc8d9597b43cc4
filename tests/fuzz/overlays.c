/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that lie over a workload: overlays.h. */
#include "tests/fuzz/overlays.h"

#include "model/plan/plan.h"
#include "model/times/kernel.h"
#include "model/times/kernel_sizes.h"
#include "model/times/mixer.h"

const LpWorkloadDraft *
lp_fuzz_draft(const char *setting)
{
    static GHashTable *kept; /* owned LpWorkloadDraft, by setting */
    const char *const settings[] = {setting, NULL}, *key = setting != NULL ? setting : "";
    if (kept == NULL)
        kept = g_hash_table_new(g_str_hash, g_str_equal);
    LpWorkloadDraft *draft = g_hash_table_lookup(kept, key);
    if (draft != NULL)
        return draft;
    g_autoptr(GError) error = NULL;
    draft =
        lp_workload_draft_load("resource:///lightpath/workloads/gpt3-125m.xml", settings, &error);
    if (draft == NULL)
        g_error("%s", error->message);
    g_hash_table_insert(kept, g_strdup(key), draft);
    return draft;
}

/* The standard ones take milliseconds to read. */
const char lp_fuzz_lists_base[] =
    "<kernels name=\"base\"><size name=\"kept-bytes\" value=\"2 * hidden\"/>"
    "<size name=\"kept-embedding-bytes\" value=\"1\"/><size name=\"kept-head-bytes\" value=\"1\"/>"
    "<size name=\"end-weight-bytes\" value=\"2\"/><size name=\"layer-weight-bytes\" value=\"2\"/>"
    "<size name=\"state-bytes\" value=\"4\"/><group name=\"norm\">"
    "<sweep name=\"norm\" bytes=\"tokens * hidden\" operations=\"tokens\"/></group>"
    "<block name=\"ffn\"><pass name=\"forward\"><use group=\"norm\"/></pass></block></kernels>";

gboolean
lp_fuzz_lists_read(const char *path, const char *setting, GError **error)
{
    const char *const files[] = {path, NULL};
    g_autoptr(LpWorkload) workload = lp_workload_draft_read(lp_fuzz_draft(setting));
    g_autoptr(LpKernelLists) lists = lp_kernel_lists_load(files, lp_kernel_vocabulary(), error);
    LpTransformer *transformer = &workload->transformer;
    LpPlan *plan = &workload->plan;
    plan->lists = lists;
    if (lists == NULL || !lp_mixers_measure(transformer, plan, error))
        return FALSE;
    plan->experts.tp = 1;
    lp_plan_deal_layers(plan, transformer);
    return lp_plan_check(plan, transformer, error) && lp_mixers_check(transformer, plan, error) &&
           lp_kernels_check(transformer, plan, NULL, error);
}
