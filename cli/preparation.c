/* SPDX-License-Identifier: Apache-2.0 */
/* Answers questions a line each, so that a script that asks thousands starts one process. */
#include "cli/preparation.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/xml.h"
#include "model/memory/memory.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/system.h"
#include "sim/run/simulation.h"
#include "validation/prediction/prediction.h"
#include "workloads/description/attribute.h"
#include "workloads/description/framework.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORKLOAD_SCHEMA "resource:///lightpath/workloads/schema/workload.xsd"

/* The machine of the last question about a plan: one row asks about many. */
typedef struct {
    char *options;      /* owned */
    LpMachine *machine; /* owned */
} Asked;

static void
set_names(json_t *answer, const char *key, char *const *names)
{
    json_t *list = lp_json_set_array(answer, key);
    for (; names != NULL && *names != NULL; names++)
        lp_json_append_text(list, *names);
}

static gboolean
answer_names(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    (void)fields;
    g_auto(GStrv) systems = lp_system_names(error);
    g_auto(GStrv) frameworks = systems != NULL ? lp_framework_names(error) : NULL;
    g_autoptr(GArray) accelerators = frameworks != NULL ? lp_catalogue_load(error) : NULL;
    if (accelerators == NULL)
        return FALSE;
    set_names(answer, "systems", systems);
    set_names(answer, "frameworks", frameworks);
    json_t *attributes = lp_json_set_array(answer, "transformer");
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++)
        if (strcmp(lp_attribute_element(attribute), "transformer") == 0)
            lp_json_append_text(attributes, lp_attribute_name(attribute));
    json_t *list = lp_json_set_array(answer, "accelerators");
    for (guint i = 0; i < accelerators->len; i++) {
        const LpAccelerator *one = &g_array_index(accelerators, LpAccelerator, i);
        json_t *object = lp_json_append_object(list);
        lp_json_set_text(object, "name", one->name);
        lp_json_set_number(object, "memory_bytes", one->memory_bytes);
    }
    return TRUE;
}

static void
set_system(json_t *answer, const LpMachineSpecification *system)
{
    lp_json_set_text(answer, "name", system->system);
    lp_json_set_text(answer, "like", system->like != NULL ? system->like : "");
    lp_json_set_text(answer, "library", system->library != NULL ? system->library : "");
    lp_json_set_count(answer, "domain_size", system->domain.size);
    lp_json_set_number(answer, "domain_bytes_per_s", system->domain.bytes_per_s);
    lp_json_set_number(answer, "scale_out_bytes_per_s", system->scale_out.bytes_per_s);
}

static gboolean
answer_system(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    g_autoptr(LpMachineSpecification) system = lp_system_load(fields[0], error);
    if (system == NULL)
        return FALSE;
    set_system(answer, system);
    return TRUE;
}

static gboolean
answer_default_system(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    (void)error;
    g_autoptr(LpMachineSpecification) system = lp_system_default(fields[0]);
    if (system != NULL)
        set_system(answer, system);
    return TRUE;
}

static gboolean
answer_accelerator(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    LpAccelerator found = {.name = ""};
    if (!lp_catalogue_find(fields[0], &found, error))
        return FALSE;
    lp_json_set_text(answer, "name", found.name);
    (void)json_object_set_new(answer, "has_fp8",
                              json_boolean(found.peak_flop_per_s[LP_PRECISION_FP8] > 0.0));
    return TRUE;
}

static gboolean
answer_framework(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    static const char *const comparisons[] = {
        [LP_COMPARISON_IS] = "=", [LP_COMPARISON_IS_NOT] = "!=", [LP_COMPARISON_ABOVE] = ">"};
    g_autoptr(LpFramework) framework = lp_framework_find(fields[0], error);
    if (framework == NULL)
        return FALSE;
    (void)json_object_set_new(answer, "names_replica_batch",
                              json_boolean(framework->names_replica_batch));
    json_t *list = lp_json_set_array(answer, "settings");
    for (guint i = 0; i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        json_t *object = lp_json_append_object(list);
        lp_json_set_text(object, "name", setting->name);
        lp_json_set_text(object, "value", setting->value);
        lp_json_set_text(object, "stated_by", setting->framework);
        lp_json_set_count(object, "own_conditions", setting->n_own);
        json_t *conditions = lp_json_set_array(object, "conditions");
        for (guint j = 0; j < setting->conditions->len; j++) {
            const LpFrameworkCondition *condition = setting->conditions->pdata[j];
            json_t *one = lp_json_append_object(conditions);
            lp_json_set_text(one, "name", condition->name);
            lp_json_set_text(one, "comparison", comparisons[condition->comparison]);
            lp_json_set_text(one, "value", condition->value);
        }
    }
    return TRUE;
}

static gboolean
answer_version(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    (void)error;
    g_autofree char *version = lp_framework_version(fields[0], fields[1]);
    lp_json_set_text(answer, "name", version != NULL ? version : "");
    return TRUE;
}

/* The shape of a shipped workload, as its file states it; not its plan. */
static gboolean
answer_shape(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    g_autofree char *path = lp_file_find("workloads", fields[0], error);
    g_autoptr(LpXml) xml = path != NULL ? lp_xml_load(path, WORKLOAD_SCHEMA, error) : NULL;
    if (xml == NULL)
        return FALSE;
    const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "transformer");
    json_t *shape = lp_json_set_object(answer, "shape");
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++) {
        const char *name = lp_attribute_name(attribute);
        const char *value = node != NULL ? lp_xml_attribute(node, name) : NULL;
        if (value != NULL && strcmp(lp_attribute_element(attribute), "transformer") == 0)
            lp_json_set_text(shape, name, value);
    }
    return TRUE;
}

static gboolean
answer_accepts(Asked *asked, char **fields, json_t *answer, GError **error)
{
    (void)asked;
    const LpAttribute *attribute = lp_attribute_find(fields[0], error);
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    if (attribute == NULL ||
        !lp_attribute_set(attribute, scratch, fields[1], LP_ORIGIN_SETTING, error))
        return FALSE;
    (void)json_object_set_new(answer, "accepts", json_boolean(TRUE));
    const char *settings = lp_attribute_word(attribute, fields[1]);
    g_autofree char *value = lp_attribute_get(attribute, scratch);
    lp_json_set_text(answer, "value", value);
    if (settings != NULL && strcmp(value, fields[1]) != 0)
        lp_json_set_text(answer, "settings", settings);
    return TRUE;
}

/* The value of an attribute, if it is so for no other reason than the framework's default. */
static void
set_framework_default(json_t *answer, const char *key, const char *name, const LpWorkload *workload)
{
    const LpAttribute *attribute = lp_attribute_find(name, NULL);
    if (attribute == NULL || lp_attribute_origin(attribute, workload) != LP_ORIGIN_FRAMEWORK)
        return;
    g_autofree char *value = lp_attribute_get(attribute, workload);
    lp_json_set_text(answer, key, value);
}

static gboolean
find_machine(Asked *asked, const char *options, GError **error)
{
    if (g_strcmp0(asked->options, options) == 0)
        return TRUE;
    g_clear_pointer(&asked->machine, lp_machine_free);
    g_clear_pointer(&asked->options, g_free);
    g_autoptr(LpMachineSpecification) specification = lp_specification_parse(options, error);
    asked->machine =
        specification != NULL ? lp_generate_machine(specification, "machine", error) : NULL;
    if (asked->machine != NULL)
        asked->options = g_strdup(options);
    return asked->machine != NULL;
}

/* Returns: (transfer full). */
static LpWorkload *
read_workload(Asked *asked, char **fields, GError **error)
{
    if (!find_machine(asked, fields[0], error))
        return NULL;
    g_auto(GStrv) settings = g_strsplit(fields[1], " ", -1);
    g_autoptr(LpWorkload) workload =
        lp_workload_new("plan", "plan", (const char *const *)settings, error);
    if (workload == NULL || !lp_workload_apply_machine(workload, asked->machine->domain_size,
                                                       &asked->machine->accelerator, error))
        return NULL;
    return g_steal_pointer(&workload);
}

static gboolean
answer_plan(Asked *asked, char **fields, json_t *answer, GError **error)
{
    g_autoptr(LpWorkload) workload = read_workload(asked, fields, error);
    if (workload == NULL)
        return FALSE;
    const LpMachine *machine = asked->machine;
    LpMemory memory = lp_memory_fullest(&workload->transformer, &workload->plan);
    double states = memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes;
    (void)json_object_set_new(answer, "fits",
                              json_boolean(lp_setup_check_memory(workload, machine, NULL)));
    (void)json_object_set_new(answer, "states_fit",
                              json_boolean(states <= machine->accelerator.memory_bytes));
    lp_json_set_number(answer, "parameters",
                       lp_plan_stage_parameters(&workload->plan, &workload->transformer, 0));
    lp_json_set_count(answer, "virtual_stages", workload->plan.pipeline.virtual_stages);
    set_framework_default(answer, "recompute_by_framework", "recompute", workload);
    set_framework_default(answer, "gradients_by_framework", "gradient-precision", workload);
    if (lp_plan_n_ranks(&workload->plan) > machine->n_accelerators)
        return TRUE;
    double seconds = lp_prediction_consistent_s(workload, machine);
    lp_json_set_number(answer, "amped_seconds", lp_prediction_amped_s(workload, machine));
    if (isfinite(seconds))
        lp_json_set_number(answer, "seconds", seconds);
    return TRUE;
}

static gboolean
answer_attributes(Asked *asked, char **fields, json_t *answer, GError **error)
{
    g_autoptr(LpWorkload) workload = read_workload(asked, fields, error);
    if (workload == NULL)
        return FALSE;
    const char *name = NULL;
    char *value;
    for (guint i = 0; (value = lp_workload_attribute(workload, i, &name)) != NULL; i++) {
        lp_json_set_text(answer, name, value);
        g_free(value);
    }
    return TRUE;
}

static const struct {
    const char *name;
    guint n_fields;
    gboolean (*answer)(Asked *asked, char **fields, json_t *answer, GError **error);
} questions[] = {
    {"names", 0, answer_names},
    {"system", 1, answer_system},
    {"default-system", 1, answer_default_system},
    {"accelerator", 1, answer_accelerator},
    {"framework", 1, answer_framework},
    {"version", 2, answer_version},
    {"shape", 1, answer_shape},
    {"accepts", 2, answer_accepts},
    {"plan", 2, answer_plan},
    {"attributes", 2, answer_attributes},
};

static gboolean
find_answer(Asked *asked, const char *line, json_t *answer, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, "\t", -1);
    guint n = g_strv_length(words);
    for (guint i = 0; n > 0 && i < G_N_ELEMENTS(questions); i++)
        if (strcmp(words[0], questions[i].name) == 0 && n == questions[i].n_fields + 1)
            return questions[i].answer(asked, words + 1, answer, error);
    g_autofree char *shown = lp_error_quote(line);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "got %s, wanted a question that validation/prepare.py asks", shown);
    return FALSE;
}

static gboolean
print_answer(Asked *asked, const char *line, GError **error)
{
    g_autoptr(GError) fault = NULL;
    json_t *answer = json_object();
    if (!find_answer(asked, line, answer, &fault))
        lp_json_set_text(answer, "error", fault->message);
    g_autofree char *text = lp_json_print_line(answer);
    gboolean good = puts(text) >= 0 && fflush(stdout) == 0;
    json_decref(answer);
    if (!good)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                    "standard output: got an answer that could not be written, wanted it to be");
    return good;
}

gboolean
lp_preparation_answer(GError **error)
{
    Asked asked = {.options = NULL};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    gboolean good = TRUE;
    while (good && (length = getline(&line, &size, stdin)) >= 0) {
        if (length > 0 && line[length - 1] == '\n')
            line[length - 1] = '\0';
        good = print_answer(&asked, line, error);
    }
    free(line);
    g_clear_pointer(&asked.machine, lp_machine_free);
    g_free(asked.options);
    return good;
}
