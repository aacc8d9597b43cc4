/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_run.h"

#include "tests/support/temporary.h"
#include "tests/testlib.h"

char *
lp_scenario_file(const char *content)
{
    g_autofree char *text = g_strdup_printf("<scenario name='test'>%s</scenario>", content);
    return lp_temporary_with_suffix(".xml", text, -1);
}

LpScenarioFiles
lp_scenario_files_new(const char *content)
{
    return (LpScenarioFiles){lp_spawn_platform(LP_SHARED_CARDS), lp_scenario_file(content)};
}

void
lp_scenario_files_clear(LpScenarioFiles *self)
{
    lp_temporary_remove(self->platform);
    lp_temporary_remove(self->scenario);
}

json_t *
lp_scenario_run(const char *content, const char *options)
{
    g_auto(LpScenarioFiles) files = lp_scenario_files_new(content);
    g_autofree char *line =
        g_strconcat("simulate --format=json ", files.scenario, " ", files.platform, NULL);
    return lp_spawn_json(line, options);
}

json_t *
lp_scenario_member(json_t *result, const char *list, guint index)
{
    if (result == NULL)
        return NULL;
    json_t *array = json_object_get(result, list);
    lp_test_true(list, index < json_array_size(array));
    return index < json_array_size(array) ? json_array_get(array, index) : NULL;
}

double
lp_scenario_at(json_t *result, guint job, const char *path)
{
    return lp_test_json_number(lp_scenario_member(result, "jobs", job), path);
}
