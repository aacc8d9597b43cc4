/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the machine anew from the command that its file repeats. */
#include "cli/machine_variant.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/machine_options.h"
#include "platforms/plain/plain.h"

#include <string.h>

/* The option's place, or a negative number. */
static int
find_option(const char *name)
{
    int option = lp_machine_option_find(name, LP_OPTION_ON_COMMAND_LINE, NULL);
    return option == LP_MACHINE_OPTION_SYSTEM ? -1 : option;
}

gboolean
lp_machine_variant_knows(const char *name)
{
    return find_option(name) >= 0;
}

/* What generated it loads the same links: nobody has changed the file since. */
static gboolean
is_unchanged(const LpMachine *machine, const LpMachineSpecification *specification)
{
    g_autoptr(LpMachine) again = lp_generate_machine(specification, machine->path, NULL);
    if (again == NULL)
        return FALSE;
    g_autofree char *one = lp_machine_to_plain(machine);
    g_autofree char *other = lp_machine_to_plain(again);
    return strcmp(one, other) == 0;
}

char *
lp_machine_variant_value(const LpMachine *machine, const char *name)
{
    g_autofree char *option = g_strdup_printf("--%s=", name);
    g_auto(GStrv) words =
        g_strsplit(machine->generated_by != NULL ? machine->generated_by : "", " ", -1);
    for (guint i = 0; words[i] != NULL; i++)
        if (g_str_has_prefix(words[i], option))
            return g_strdup(words[i] + strlen(option));
    return NULL;
}

/* @line, "--name=value --name=value", with @options in place of what it says of them. Returns:
 * (transfer full). */
static char *
with_options(const char *line, const char *const *options)
{
    g_auto(GStrv) words = g_strsplit(line + strlen("--"), " --", -1);
    GString *text = g_string_new(NULL);
    for (char **word = words; *word != NULL; word++) {
        gboolean is_other = TRUE;
        for (guint i = 0; options[i] != NULL; i++) {
            gsize length = strcspn(options[i], "=") + 1;
            is_other = is_other && strncmp(*word, options[i], length) != 0;
        }
        if (is_other)
            g_string_append_printf(text, "%s--%s", text->len > 0 ? " " : "", *word);
    }
    for (guint i = 0; options[i] != NULL; i++)
        g_string_append_printf(text, " --%s", options[i]);
    return g_string_free(text, FALSE);
}

LpMachine *
lp_machine_variant_new(const LpMachine *machine, const char *const *options, GError **error)
{
    static const char command[] = "lightpath platform generate ";
    const char *generated_by = machine->generated_by != NULL ? machine->generated_by : "";
    g_autoptr(LpMachineSpecification) specification =
        g_str_has_prefix(generated_by, command)
            ? lp_specification_parse(generated_by + strlen(command), NULL)
            : NULL;
    if (specification == NULL || !is_unchanged(machine, specification)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got a platform file that is not as \"platform generate\" wrote it, wanted "
                    "one that is, to vary its options",
                    lp_file_label(machine->path));
        return NULL;
    }
    g_autofree char *line = with_options(generated_by + strlen(command), options);
    g_autoptr(LpMachineSpecification) varied = lp_specification_parse(line, error);
    return varied != NULL ? lp_generate_machine(varied, machine->path, error) : NULL;
}
