/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a study: its inputs, axes, constraints and records. */
#include "study/study.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "study/study_values.h"
#include "study_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/study/study.xsd"
#define RUNS_MAX 1000000

static const char *const simulate_keys[] = {
    "simulated.iteration_time_s", "closed_form.iteration_time_s",
    "simulated.tokens_per_s",     "simulated.mfu",
    "memory.total_bytes",         NULL};
static const char *const estimate_keys[] = {"closed_form.iteration_time_s",
                                            "closed_form.tokens_per_s", "closed_form.mfu", NULL};
static const char *const contention_keys[] = {"iteration_time_s", "total_s", NULL};
static const char *const goodput_keys[] = {"goodput", "availability", NULL};

static const char *const characterize_keys[] = {"simulated.iteration_time_s", NULL};
static const char *const collective_keys[] = {"runs.0.time_s", NULL};

static const LpStudyCommand commands[] = {{"simulate", TRUE, FALSE, simulate_keys},
                                          {"estimate", FALSE, FALSE, estimate_keys},
                                          {"contention", FALSE, FALSE, contention_keys},
                                          {"goodput", TRUE, FALSE, goodput_keys},
                                          {"characterize", FALSE, FALSE, characterize_keys},
                                          {"collective", FALSE, TRUE, collective_keys},
                                          {NULL, FALSE, FALSE, NULL}};

static const char *const keep_names[] = {"all", "recorded", NULL};

/* --- memory --- */

static void
clear_constraint(gpointer data)
{
    LpStudyConstraint *constraint = data;
    lp_xml_expression_free(constraint->expression);
    g_free(constraint->where);
}

static void
clear_value(gpointer data)
{
    LpStudyValue *value = data;
    g_free(value->label);
    lp_study_inputs_clear(&value->inputs);
    clear_constraint(&value->only);
}

static void
clear_axis(gpointer data)
{
    LpStudyAxis *axis = data;
    g_free(axis->name);
    g_array_unref(axis->values);
}

static void
clear_record(gpointer data)
{
    LpStudyRecord *record = data;
    g_free(record->key);
    g_free(record->name);
    g_free(record->where);
}

static GArray *
new_array(gsize size, GDestroyNotify clear)
{
    GArray *array = g_array_new(FALSE, TRUE, (guint)size);
    g_array_set_clear_func(array, clear);
    return array;
}

void
lp_study_free(LpStudy *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_free(self->name);
    g_free(self->text);
    lp_study_inputs_clear(&self->base);
    g_array_unref(self->axes);
    g_array_unref(self->dimensions);
    g_array_unref(self->constraints);
    g_array_unref(self->records);
    g_free(self);
}

/* --- axes --- */

static gboolean
add_axis(const LpXml *xml, const xmlNode *node, LpStudy *self, LpStudyAxis *axis, GError **error)
{
    for (guint i = 0; i < self->axes->len; i++)
        if (strcmp(lp_study_axis(self, i)->name, axis->name) == 0) {
            lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                         "<%s> got a second %s, wanted each name once (as=\"...\" gives another)",
                         node->name, axis->name);
            clear_axis(axis);
            return FALSE;
        }
    g_array_append_vals(self->axes, axis, 1);
    return TRUE;
}

static gboolean
find_owner(const LpXml *xml, const xmlNode *node, const char *name, LpStudyOwner *out_of,
           GError **error)
{
    const char *of = lp_xml_attribute(node, "of");
    if (of == NULL) {
        if (lp_study_setting_find_owner(name, out_of, error))
            return TRUE;
        lp_xml_prefix(xml, node, "name", error);
        return FALSE;
    }
    int owner = lp_choice_parse(of, lp_study_owner_names, error);
    if (owner < 0)
        lp_xml_prefix(xml, node, "of", error);
    *out_of = (LpStudyOwner)owner;
    return owner >= 0;
}

static gboolean
read_axis(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    const char *name = lp_xml_attribute(node, "name"), *as = lp_xml_attribute(node, "as");
    gboolean is_name = strcmp(name, "workload") == 0 || strcmp(name, "machine") == 0;
    LpStudyOwner of = strcmp(name, "machine") == 0 ? LP_STUDY_OF_MACHINE : LP_STUDY_OF_WORKLOAD;
    if (!is_name && !find_owner(xml, node, name, &of, error))
        return FALSE;
    gboolean is_zipped = strcmp((const char *)node->parent->name, "zip") == 0;
    g_auto(GStrv) values =
        lp_study_values_parse(lp_xml_attribute(node, "values"), !is_zipped, error);
    if (values == NULL) {
        lp_xml_prefix(xml, node, "values", error);
        return FALSE;
    }
    LpStudyAxis axis = {g_strdup(as != NULL ? as : name),
                        new_array(sizeof(LpStudyValue), clear_value), self->dimensions->len - 1};
    for (char **value = values; *value != NULL; value++) {
        LpStudyValue one = {g_strdup(*value), lp_study_inputs_new(), {NULL, NULL}};
        if (is_name)
            lp_study_inputs_name(&one.inputs, xml, of, *value);
        one.inputs.has_machine |= of == LP_STUDY_OF_MACHINE && strcmp(name, "system") == 0;
        g_array_append_val(axis.values, one);
        if (!is_name && !lp_study_inputs_add(&one.inputs, xml, node, of, name, *value, error)) {
            clear_axis(&axis);
            return FALSE;
        }
    }
    return add_axis(xml, node, self, &axis, error);
}

static gboolean
read_condition(const LpXml *xml, const xmlNode *node, const char *attribute, LpStudyConstraint *out,
               GError **error)
{
    out->where = lp_study_where(xml, node, attribute);
    out->expression = lp_xml_expression_new(lp_xml_attribute(node, attribute), error);
    if (out->expression == NULL)
        g_prefix_error(error, "%s", out->where);
    return out->expression != NULL;
}

/* Cases of one name are told apart by where they are any. */
static gboolean
read_case(const LpXml *xml, xmlNode *node, LpStudyAxis *axis, GError **error)
{
    const char *label = lp_xml_attribute(node, "name");
    gboolean is_conditional = lp_xml_attribute(node, "only") != NULL;
    for (guint i = 0; i < axis->values->len; i++)
        if (!is_conditional &&
            strcmp(g_array_index(axis->values, LpStudyValue, i).label, label) == 0) {
            lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                         "<case> name: got \"%s\" twice, wanted each once, or only=\"...\"", label);
            return FALSE;
        }
    LpStudyValue value = {g_strdup(label), lp_study_inputs_new(), {NULL, NULL}};
    g_array_append_val(axis->values, value);
    LpStudyValue *own = &g_array_index(axis->values, LpStudyValue, axis->values->len - 1);
    if (is_conditional && !read_condition(xml, node, "only", &own->only, error))
        return FALSE;
    for (xmlNode *child = lp_xml_element(node->children, NULL); child != NULL;
         child = lp_xml_element(child->next, NULL))
        if (!lp_study_inputs_read(&own->inputs, xml, child, error))
            return FALSE;
    return TRUE;
}

static gboolean
read_choice(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    LpStudyAxis axis = {g_strdup(lp_xml_attribute(node, "name")),
                        new_array(sizeof(LpStudyValue), clear_value), self->dimensions->len - 1};
    for (xmlNode *child = lp_xml_element(node->children, "case"); child != NULL;
         child = lp_xml_element(child->next, "case")) {
        self->is_conditional |= lp_xml_attribute(child, "only") != NULL;
        if (!read_case(xml, child, &axis, error)) {
            clear_axis(&axis);
            return FALSE;
        }
    }
    return add_axis(xml, node, self, &axis, error);
}

static gboolean
read_one(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    return strcmp((const char *)node->name, "axis") == 0 ? read_axis(xml, node, self, error)
                                                         : read_choice(xml, node, self, error);
}

/* One axis, or several that are zipped. */
static gboolean
read_dimension(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    guint first = self->axes->len;
    g_array_append_val(self->dimensions, first);
    if (strcmp((const char *)node->name, "zip") != 0)
        return read_one(xml, node, self, error);
    for (xmlNode *child = lp_xml_element(node->children, NULL); child != NULL;
         child = lp_xml_element(child->next, NULL)) {
        if (!read_one(xml, child, self, error))
            return FALSE;
        const LpStudyAxis *axis = lp_study_axis(self, self->axes->len - 1);
        guint n = lp_study_axis(self, first)->values->len;
        if (axis->values->len != n) {
            lp_xml_error(xml, child, LP_INPUT_ERROR_VALUE, error,
                         "<zip> got %u values of %s, wanted %u as %s has", axis->values->len,
                         axis->name, n, lp_study_axis(self, first)->name);
            return FALSE;
        }
    }
    return TRUE;
}

/* The last dimension: runs that differ in their seeds. */
static gboolean
read_repeat(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    guint64 n, seed = 1;
    if (!lp_xml_count(xml, node, "runs", 1, RUNS_MAX, &n, error) ||
        (lp_xml_attribute(node, "seed") != NULL &&
         !lp_xml_count(xml, node, "seed", 0, G_MAXINT32, &seed, error)))
        return FALSE;
    if (!self->command->has_seed) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                     "<repeat> got it with the command %s, which draws nothing, wanted simulate or "
                     "goodput",
                     self->command->name);
        return FALSE;
    }
    LpStudyAxis axis = {g_strdup("seed"), new_array(sizeof(LpStudyValue), clear_value),
                        self->dimensions->len};
    g_array_append_val(self->dimensions, self->axes->len);
    for (guint64 i = 0; i < n; i++) {
        LpStudyValue one = {
            g_strdup_printf("%" G_GUINT64_FORMAT, seed + i), lp_study_inputs_new(), {NULL, NULL}};
        g_array_append_val(axis.values, one);
        if (!lp_study_inputs_add(&one.inputs, xml, node, LP_STUDY_OF_COMMAND, "seed", one.label,
                                 error)) {
            clear_axis(&axis);
            return FALSE;
        }
    }
    return add_axis(xml, node, self, &axis, error);
}

/* --- the rest --- */

static gboolean
read_constraint(const LpXml *xml, const xmlNode *node, LpStudy *self, GError **error)
{
    LpStudyConstraint constraint = {NULL, NULL};
    gboolean good = read_condition(xml, node, "that", &constraint, error);
    g_array_append_val(self->constraints, constraint);
    self->is_conditional = TRUE;
    return good;
}

static gboolean
add_record(const LpXml *xml, const xmlNode *node, LpStudy *self, const char *key, const char *as,
           GError **error)
{
    const char *name = as != NULL ? as : key;
    gboolean is_twice = FALSE;
    for (guint i = 0; i < self->records->len; i++)
        is_twice = is_twice || strcmp(lp_study_record(self, i)->name, name) == 0;
    for (guint i = 0; i < self->axes->len; i++)
        is_twice = is_twice || strcmp(lp_study_axis(self, i)->name, name) == 0;
    if (is_twice) {
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                     "<record> got a second column %s, wanted each name once (as=\"...\" gives "
                     "another)",
                     name);
        return FALSE;
    }
    const char *optional = node != NULL ? lp_xml_attribute(node, "optional") : "yes";
    LpStudyRecord record = {g_strdup(key), g_strdup(name),
                            g_strcmp0(optional, "yes") == 0 ? NULL
                                                            : lp_study_where(xml, node, "key")};
    g_array_append_val(self->records, record);
    return TRUE;
}

static gboolean
read_child(const LpXml *xml, xmlNode *node, LpStudy *self, GError **error)
{
    const char *element = (const char *)node->name;
    if (strcmp(element, "source") == 0 || strcmp(element, "record") == 0 ||
        strcmp(element, "repeat") == 0)
        return TRUE;
    if (strcmp(element, "constraint") == 0)
        return read_constraint(xml, node, self, error);
    if (strcmp(element, "axis") == 0 || strcmp(element, "choice") == 0 ||
        strcmp(element, "zip") == 0)
        return read_dimension(xml, node, self, error);
    return lp_study_inputs_read(&self->base, xml, node, error);
}

/* What stands behind the axes, wherever in the file it is. */
static gboolean
read_last(const LpXml *xml, LpStudy *self, GError **error)
{
    xmlNode *first = lp_xml_root(xml)->children;
    for (xmlNode *node = lp_xml_element(first, "repeat"); node != NULL;
         node = lp_xml_element(node->next, "repeat"))
        if (!read_repeat(xml, node, self, error))
            return FALSE;
    for (xmlNode *node = lp_xml_element(first, "record"); node != NULL;
         node = lp_xml_element(node->next, "record"))
        if (!add_record(xml, node, self, lp_xml_attribute(node, "key"),
                        lp_xml_attribute(node, "as"), error))
            return FALSE;
    for (const char *const *key = self->command->recorded; *key != NULL; key++)
        if (lp_xml_element(first, "record") == NULL &&
            !add_record(xml, NULL, self, *key, NULL, error))
            return FALSE;
    return TRUE;
}

static gboolean
read_head(const LpXml *xml, LpStudy *self, GError **error)
{
    const xmlNode *root = lp_xml_root(xml);
    const char *command = lp_xml_attribute(root, "command"), *keep = lp_xml_attribute(root, "keep");
    const char *names[G_N_ELEMENTS(commands)];
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    int index = command == NULL ? 0 : lp_choice_parse(command, names, error);
    if (index < 0) {
        lp_xml_prefix(xml, root, "command", error);
        return FALSE;
    }
    int kept = keep == NULL ? 0 : lp_choice_parse(keep, keep_names, error);
    if (kept < 0)
        lp_xml_prefix(xml, root, "keep", error);
    self->name = g_strdup(lp_xml_attribute(root, "name"));
    self->command = &commands[index];
    self->keeps_all = kept == 0;
    return kept >= 0;
}

/* Whether each point has a workload and a machine. */
static gboolean
check_inputs(const LpXml *xml, const LpStudy *self, GError **error)
{
    gboolean workload = self->base.workload != NULL, machine = self->base.has_machine;
    for (guint i = 0; i < self->axes->len; i++) {
        const GArray *values = lp_study_axis(self, i)->values;
        gboolean workloads = TRUE, machines = TRUE;
        for (guint k = 0; k < values->len; k++) {
            const LpStudyInputs *inputs = &g_array_index(values, LpStudyValue, k).inputs;
            workloads = workloads && inputs->workload != NULL;
            machines = machines && inputs->has_machine;
        }
        workload = workload || workloads;
        machine = machine || machines;
    }
    if (workload && machine)
        return TRUE;
    lp_xml_error(
        xml, lp_xml_root(xml), LP_INPUT_ERROR_VALUE, error,
        "<study> got no <%s name=\"...\"%s>, wanted one, or one in each <case> of a <choice>",
        workload ? "machine" : "workload", workload ? "> or <machine system=\"...\"" : "");
    return FALSE;
}

LpStudy *
lp_study_load(const char *path, GError **error)
{
    /* Refers to the embedded schema, which a linker would leave out. */
    (void)lp_study_get_resource();
    g_autoptr(GBytes) content = lp_file_read(path, error);
    g_autoptr(LpXml) xml = content != NULL ? lp_xml_parse(path, content, SCHEMA, error) : NULL;
    if (xml == NULL)
        return NULL;
    g_autoptr(LpStudy) self = g_new0(LpStudy, 1);
    gsize length = 0;
    const char *text = g_bytes_get_data(content, &length);
    self->path = g_strdup(path);
    self->text = g_strndup(text, length);
    self->base = lp_study_inputs_new();
    self->axes = new_array(sizeof(LpStudyAxis), clear_axis);
    self->dimensions = g_array_new(FALSE, FALSE, sizeof(guint));
    self->constraints = new_array(sizeof(LpStudyConstraint), clear_constraint);
    self->records = new_array(sizeof(LpStudyRecord), clear_record);
    if (!read_head(xml, self, error))
        return NULL;
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!read_child(xml, node, self, error))
            return NULL;
    if (!read_last(xml, self, error) || !check_inputs(xml, self, error))
        return NULL;
    return g_steal_pointer(&self);
}

/* --- what it has --- */

const LpStudyAxis *
lp_study_axis(const LpStudy *self, guint index)
{
    return &g_array_index(self->axes, LpStudyAxis, index);
}

const LpStudyRecord *
lp_study_record(const LpStudy *self, guint index)
{
    return &g_array_index(self->records, LpStudyRecord, index);
}

guint
lp_study_n_dimensions(const LpStudy *self)
{
    return self->dimensions->len;
}

guint
lp_study_n_values(const LpStudy *self, guint index)
{
    return lp_study_axis(self, g_array_index(self->dimensions, guint, index))->values->len;
}

double
lp_study_n_combinations(const LpStudy *self)
{
    double n = 1.0;
    for (guint i = 0; i < self->dimensions->len; i++)
        n *= lp_study_n_values(self, i);
    return n;
}
