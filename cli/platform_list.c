/* SPDX-License-Identifier: Apache-2.0 */
/* Lists systems, accelerators, libraries and shipped machines: their names, then their numbers. */
#include "cli/platform_list.h"

#include "base/units.h"
#include "cli/plan_fit.h"
#include "cli/options.h"
#include "cli/technology_text.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/generation/system.h"

#include "base/file.h"

#include <string.h>

/* All that is listed. */
typedef struct {
    GPtrArray *systems;   /* owned, of LpMachineSpecification */
    GArray *accelerators; /* owned, of LpAccelerator */
    char **libraries;     /* owned */
    GPtrArray *machines;  /* owned, of LpMachine */
} Listed;

static void
listed_clear(Listed *self)
{
    g_clear_pointer(&self->systems, g_ptr_array_unref);
    g_clear_pointer(&self->accelerators, g_array_unref);
    g_clear_pointer(&self->machines, g_ptr_array_unref);
    g_strfreev(self->libraries);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Listed, listed_clear)

static GPtrArray *
load_systems(GError **error)
{
    g_auto(GStrv) names = lp_system_names(error);
    g_autoptr(GPtrArray) systems =
        g_ptr_array_new_with_free_func((GDestroyNotify)lp_specification_free);
    for (char **name = names; name != NULL && *name != NULL; name++) {
        LpMachineSpecification *system = lp_system_load(*name, error);
        if (system == NULL)
            return NULL;
        g_ptr_array_add(systems, system);
    }
    return names != NULL ? g_steal_pointer(&systems) : NULL;
}

static gboolean
load(Listed *listed, GError **error)
{
    listed->systems = load_systems(error);
    if (listed->systems != NULL)
        listed->accelerators = lp_catalogue_load(error);
    if (listed->accelerators != NULL)
        listed->libraries = lp_library_names(error);
    if (listed->libraries != NULL)
        listed->machines = lp_fit_shipped_machines(error);
    return listed->machines != NULL;
}

/* Without ".xml". Returns: (transfer full). */
static char *
machine_name(const LpMachine *machine)
{
    const char *label = lp_file_label(machine->path);
    return g_strndup(label, strlen(label) - strlen(".xml"));
}

static const char *
name_of(const Listed *listed, guint list, guint i, char **out_owned)
{
    switch (list) {
    case 0: {
        const LpMachineSpecification *system = g_ptr_array_index(listed->systems, i);
        return system->system;
    }
    case 1:
        return g_array_index(listed->accelerators, LpAccelerator, i).name;
    case 2:
        return listed->libraries[i];
    default:
        return *out_owned = machine_name(g_ptr_array_index(listed->machines, i));
    }
}

/* The names: a row a list as text, an array of names in JSON. */
static void
add_names(const Listed *listed, LpTextTable *table, json_t *root)
{
    const char *const lists[] = {"systems", "accelerators", "libraries", "machines"};
    const guint counts[] = {listed->systems->len, listed->accelerators->len,
                            g_strv_length(listed->libraries), listed->machines->len};
    for (guint list = 0; list < G_N_ELEMENTS(lists); list++) {
        g_autoptr(GString) joined = g_string_new(NULL);
        json_t *names = lp_json_set_array(root, lists[list]);
        for (guint i = 0; i < counts[list]; i++) {
            g_autofree char *owned = NULL;
            const char *name = name_of(listed, list, i, &owned);
            g_string_append_printf(joined, "%s%s", i > 0 ? " " : "", name);
            lp_json_append_text(names, name);
        }
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", lists[list]);
        lp_text_table_add_cell(table, "%s", joined->str);
    }
}

/* A number with its unit as text, in SI units in JSON; "-" and no key where there is none. */
static void
add_number(LpTextTable *table, json_t *object, const char *key, LpQuantity quantity, double value)
{
    g_autofree char *text = value > 0.0 ? lp_quantity_format(quantity, value) : g_strdup("-");
    lp_text_table_add_cell(table, "%s", text);
    if (value > 0.0)
        lp_json_set_number(object, key, value);
}

static json_t *
add_row(LpTextTable *table, json_t *array, const char *name)
{
    json_t *object = lp_json_append_object(array);
    lp_json_set_text(object, "name", name);
    lp_text_table_add_row(table);
    lp_text_table_add_cell(table, "%s", name);
    return object;
}

static LpTextTable *
list_accelerators(const Listed *listed, json_t *numbers)
{
    LpTextTable *table = lp_text_table_new((const char *const[]){
        "accelerator", "#dense bf16", "#fp8", "#memory", "#memory bandwidth", NULL});
    json_t *array = lp_json_set_array(numbers, "accelerators");
    for (guint i = 0; i < listed->accelerators->len; i++) {
        const LpAccelerator *accelerator = &g_array_index(listed->accelerators, LpAccelerator, i);
        json_t *object = add_row(table, array, accelerator->name);
        add_number(table, object, "peak_bf16_flop_per_s", LP_QUANTITY_SPEED,
                   accelerator->peak_flop_per_s[LP_PRECISION_BF16]);
        add_number(table, object, "peak_fp8_flop_per_s", LP_QUANTITY_SPEED,
                   accelerator->peak_flop_per_s[LP_PRECISION_FP8]);
        add_number(table, object, "memory_bytes", LP_QUANTITY_SIZE, accelerator->memory_bytes);
        add_number(table, object, "memory_bytes_per_s", LP_QUANTITY_BANDWIDTH,
                   accelerator->memory_bytes_per_s);
    }
    return table;
}

static LpTextTable *
list_systems(const Listed *listed, json_t *numbers)
{
    LpTextTable *table = lp_text_table_new((const char *const[]){
        "system", "accelerator", "#domain", "#scale-up", "#scale-out", "network", "what", NULL});
    json_t *array = lp_json_set_array(numbers, "systems");
    for (guint i = 0; i < listed->systems->len; i++) {
        const LpMachineSpecification *system = g_ptr_array_index(listed->systems, i);
        const char *topology = lp_topology_names[system->scale_out.topology];
        json_t *object = add_row(table, array, system->system);
        lp_text_table_add_cell(table, "%s", system->accelerator.name);
        lp_text_table_add_cell(table, "%u", system->domain.size);
        lp_json_set_text(object, "accelerator", system->accelerator.name);
        lp_json_set_count(object, "domain_size", system->domain.size);
        add_number(table, object, "scale_up_bytes_per_s", LP_QUANTITY_BANDWIDTH,
                   system->domain.bytes_per_s);
        add_number(table, object, "scale_out_bytes_per_s", LP_QUANTITY_BANDWIDTH,
                   system->scale_out.bytes_per_s);
        lp_text_table_add_cell(table, "%s", topology);
        lp_text_table_add_cell(table, "%s", system->description);
        lp_json_set_text(object, "topology", topology);
        lp_json_set_text(object, "description", system->description);
    }
    return table;
}

static LpTextTable *
list_machines(const Listed *listed, json_t *numbers)
{
    LpTextTable *table = lp_text_table_new(
        (const char *const[]){"machine", "system", "#accelerators", "accelerator", NULL});
    json_t *array = lp_json_set_array(numbers, "machines");
    for (guint i = 0; i < listed->machines->len; i++) {
        const LpMachine *machine = g_ptr_array_index(listed->machines, i);
        g_autofree char *name = machine_name(machine);
        json_t *object = add_row(table, array, name);
        lp_text_table_add_cell(table, "%s", machine->system);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, machine->n_accelerators);
        lp_text_table_add_cell(table, "%s", machine->accelerator.name);
        lp_json_set_text(object, "system", machine->system);
        lp_json_set_count(object, "accelerators", machine->n_accelerators);
        lp_json_set_text(object, "accelerator", machine->accelerator.name);
    }
    return table;
}

static gboolean
print_lists(LpFormat format, GError **error)
{
    g_auto(Listed) listed = {NULL};
    if (!load(&listed, error))
        return FALSE;
    g_autoptr(json_t) root = lp_json_document();
    g_autoptr(LpTextTable) names = lp_text_table_new((const char *const[]){"", "", NULL});
    add_names(&listed, names, root);
    json_t *numbers = lp_json_set_object(root, "numbers");
    g_autoptr(LpTextTable) systems = list_systems(&listed, numbers);
    g_autoptr(LpTextTable) accelerators = list_accelerators(&listed, numbers);
    g_autoptr(LpTextTable) machines = list_machines(&listed, numbers);
    if (format == LP_FORMAT_JSON)
        return lp_print_json(g_steal_pointer(&root), error);
    const LpTextTable *const tables[] = {names, systems, accelerators, machines};
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_string_append(text, i > 0 ? "\n" : "");
        lp_text_table_append(text, tables[i], 0);
    }
    return lp_print_result(text->str, error);
}

gboolean
lp_cmd_platform_list(int argc, char **argv, GError **error)
{
    g_autofree char *format_text = NULL;
    gboolean has_technologies = FALSE;
    const GOptionEntry entries[] = {
        {"technologies", 0, 0, G_OPTION_ARG_NONE, &has_technologies,
         "Instead: technologies of links and switches, every number with its source", NULL},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format_text, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    if (!lp_options_parse("platform list", NULL,
                          "Lists systems, accelerators, communication libraries and shipped "
                          "machines, with their numbers.",
                          entries, &argc, &argv, 0, 0, error) ||
        !lp_format_parse(format_text, &format, error))
        return FALSE;
    return has_technologies ? lp_technologies_print(format, error) : print_lists(format, error);
}
