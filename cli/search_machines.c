/* SPDX-License-Identifier: Apache-2.0 */
/* Generates a machine for each combination of options. */
#include "cli/search_machines.h"

#include "cli/inputs.h"
#include "cli/machine_variant.h"
#include "cli/options.h"

#include "base/error.h"
#include "search/search_axis.h"

#include <string.h>

#define MACHINES_MAX 4096

/* An option and its values. */
typedef struct {
    char *name, **values; /* owned */
} Axis;

static void
clear_axis(gpointer data)
{
    Axis *axis = data;
    g_free(axis->name);
    g_strfreev(axis->values);
}

/* Takes the items that name options of machines out of @io_items. */
static gboolean
take_axes(GArray *axes, char **io_items, GError **error)
{
    guint n_left = 0, n_items = g_strv_length(io_items);
    for (guint i = 0; i < n_items; i++) {
        g_auto(GStrv) parts = g_strsplit(io_items[i], "=", 2);
        const char *name = parts[0] != NULL ? parts[0] : "";
        if (!lp_machine_variant_knows(name)) {
            io_items[n_left++] = io_items[i];
            continue;
        }
        g_autoptr(GError) fault = NULL;
        char **values = parts[1] == NULL ? NULL : lp_search_values(name, parts[1], NULL, &fault);
        if (values == NULL)
            return lp_usage_error(error, "--vary: %s: %s", name,
                                  fault != NULL ? fault->message : "got no values, wanted some");
        Axis axis = {g_strdup(name), values};
        g_array_append_val(axes, axis);
        g_free(io_items[i]);
    }
    io_items[n_left] = NULL;
    return TRUE;
}

/* Combination number @index, as "name=value". Returns: (transfer full), NULL-ended. */
static char **
options_of(const GArray *axes, guint index)
{
    g_autoptr(GStrvBuilder) options = g_strv_builder_new();
    for (guint i = 0; i < axes->len; i++) {
        const Axis *axis = &g_array_index(axes, Axis, i);
        guint n = g_strv_length(axis->values);
        g_autofree char *option = g_strconcat(axis->name, "=", axis->values[index % n], NULL);
        g_strv_builder_add(options, option);
        index /= n;
    }
    return g_strv_builder_end(options);
}

/* @path with @options, "name=value", behind it, in place of what it says of them. Returns:
 * (transfer full). */
static char *
path_with(const char *path, char *const *options)
{
    g_auto(GStrv) words = g_strsplit(path, " ", -1);
    GString *text = g_string_new(NULL);
    for (char **word = words; *word != NULL; word++) {
        gboolean is_other = TRUE;
        for (guint i = 0; options[i] != NULL && g_str_has_prefix(*word, "--"); i++) {
            gsize length = strcspn(options[i], "=") + 1;
            is_other = is_other && strncmp(*word + 2, options[i], length) != 0;
        }
        if (is_other)
            g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", *word);
    }
    for (guint i = 0; options[i] != NULL; i++)
        g_string_append_printf(text, " --%s", options[i]);
    return g_string_free(text, FALSE);
}

static void
add_variants(GPtrArray *machines, const LpMachine *machine, const GArray *axes, guint n,
             GStrvBuilder *refused)
{
    for (guint i = 0; i < n; i++) {
        g_auto(GStrv) options = options_of(axes, i);
        g_autofree char *shown = g_strjoinv(" --", options);
        g_autoptr(GError) fault = NULL;
        LpMachine *variant = lp_machine_variant_new(machine, (const char *const *)options, &fault);
        if (variant == NULL) {
            g_autofree char *message = g_strdup_printf("--%s: %s", shown, fault->message);
            g_strv_builder_add(refused, message);
            continue;
        }
        g_autofree char *path = g_steal_pointer(&variant->path);
        variant->path = path_with(path, options);
        g_ptr_array_add(machines, variant);
    }
}

GPtrArray *
lp_search_machines_load(char *const *names, char **io_items, char ***out_refused, GError **error)
{
    g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func((GDestroyNotify)lp_machine_free);
    g_autoptr(GArray) axes = g_array_new(FALSE, FALSE, sizeof(Axis));
    g_array_set_clear_func(axes, clear_axis);
    g_autoptr(GStrvBuilder) refused = g_strv_builder_new();
    if (!take_axes(axes, io_items, error))
        return NULL;
    double n = 1.0;
    for (guint i = 0; i < axes->len; i++)
        n *= g_strv_length(g_array_index(axes, Axis, i).values);
    if (n > MACHINES_MAX) {
        (void)lp_usage_error(error, "--vary: got %.3g machines, wanted at most %d", n,
                             MACHINES_MAX);
        return NULL;
    }
    for (; *names != NULL; names++) {
        g_autoptr(LpMachine) machine = lp_input_load_machine(*names, error);
        if (machine == NULL)
            return NULL;
        if (axes->len == 0)
            g_ptr_array_add(machines, g_steal_pointer(&machine));
        else
            add_variants(machines, machine, axes, (guint)n, refused);
    }
    g_auto(GStrv) reasons = g_strv_builder_end(refused);
    if (machines->len == 0) {
        (void)lp_usage_error(error, "--vary: %s", reasons[0]);
        return NULL;
    }
    *out_refused = g_steal_pointer(&reasons);
    return g_steal_pointer(&machines);
}
