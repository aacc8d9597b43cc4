/* SPDX-License-Identifier: Apache-2.0 */
/* Takes options of machines out of command lines, and makes the machines. */
#include "cli/made_machine.h"

#include "base/error.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/message.h"
#include "platforms/generation/effect.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/system.h"
#include "workloads/description/attribute.h"

#include <string.h>

#define PREFIX "--system="

void
lp_made_machine_add_entries(GOptionEntry *io_entries, gsize n, char **texts, gboolean all)
{
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        const LpMachineOption *option = &lp_machine_options[i];
        gboolean is_needed = i == LP_MACHINE_OPTION_SYSTEM || i == LP_MACHINE_OPTION_ACCELERATORS;
        const char *unused = NULL;
        g_autofree char *word = g_strconcat("--", option->name, NULL);
        if ((option->flags & LP_OPTION_ON_COMMAND_LINE) == 0 || (!all && !is_needed) ||
            lp_command_line_find(io_entries, word, &unused) != NULL)
            continue;
        io_entries[n++] = (GOptionEntry){.long_name = option->name,
                                         .arg = G_OPTION_ARG_STRING,
                                         .arg_data = texts != NULL ? &texts[i] : NULL,
                                         .description = option->help,
                                         .arg_description = option->value};
        io_entries[n] = (GOptionEntry){.long_name = NULL};
    }
}

/* --- taking --- */

static gboolean
usage(GError **error, const char *format, const char *option)
{
    g_autofree char *message = g_strdup_printf(format, option);
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, message);
    return FALSE;
}

/* The option of a machine that @word names, negative if it names none. @out_value: what stands
 * behind "=", or NULL. */
static int
find_option(const char *word, const char **out_value)
{
    if (!g_str_has_prefix(word, "--"))
        return -1;
    const char *equals = strchr(word, '=');
    g_autofree char *name =
        g_strndup(word + 2, equals != NULL ? (gsize)(equals - word) - 2 : strlen(word) - 2);
    *out_value = equals != NULL ? equals + 1 : NULL;
    return lp_machine_option_find(name, LP_OPTION_ON_COMMAND_LINE, NULL);
}

/* @machines: texts of options, of machines one after the other. */
static gboolean
add_value(GPtrArray *machines, int option, const char *value, GError **error)
{
    const char **texts = machines->len > 0 ? g_ptr_array_index(machines, machines->len - 1) : NULL;
    if (value == NULL)
        return usage(error, "--%s: got no value, wanted one", lp_machine_options[option].name);
    if (texts == NULL ||
        (option == LP_MACHINE_OPTION_SYSTEM && texts[LP_MACHINE_OPTION_SYSTEM] != NULL)) {
        texts = g_new0(const char *, LP_N_MACHINE_OPTIONS);
        g_ptr_array_add(machines, texts);
    }
    if (texts[option] != NULL)
        return usage(error, "--%s: given twice, wanted once", lp_machine_options[option].name);
    texts[option] = value;
    return TRUE;
}

/* Whether the attribute of a workload is rather meant where no machine is made: what is called as
 * the option of a machine is. */
static gboolean
is_attribute(int option)
{
    for (guint i = 0; option >= 0 && lp_attribute_at(i) != NULL; i++)
        if (strcmp(lp_attribute_name(lp_attribute_at(i)), lp_machine_options[option].name) == 0)
            return TRUE;
    return FALSE;
}

/* Returns: (transfer full), texts by LpMachineOptionId of each machine; borrowed from @words. */
static GPtrArray *
take_words(const GOptionEntry *entries, char **words, GError **error)
{
    g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func(g_free);
    char **kept = words;
    gboolean has_system = FALSE;
    for (char **word = words; *word != NULL && strcmp(*word, "--") != 0; word++)
        has_system = has_system || g_str_has_prefix(*word, "--system");
    while (*words != NULL && strcmp(*words, "--") != 0) {
        const char *value = NULL;
        const GOptionEntry *own = lp_command_line_find(entries, *words, &value);
        gboolean is_own = (*words)[0] == '-' && own != NULL;
        int option = is_own ? -1 : find_option(*words, &value);
        if (!has_system && is_attribute(option))
            option = -1;
        gboolean is_apart = value == NULL && words[1] != NULL &&
                            (option >= 0 || (is_own && lp_command_line_takes_value(own)));
        if (option < 0) {
            *kept++ = *words;
            if (is_apart)
                *kept++ = words[1];
        } else if (!add_value(machines, option, is_apart ? words[1] : value, error)) {
            return NULL;
        }
        words += is_apart ? 2 : 1;
    }
    while (*words != NULL)
        *kept++ = *words++;
    *kept = NULL;
    return g_steal_pointer(&machines);
}

gboolean
lp_made_machine_report_idle(const LpMachineSpecification *specification, GError **error)
{
    g_auto(GStrv) lines = lp_specification_find_idle(specification, error);
    for (char **line = lines; line != NULL && *line != NULL; line++)
        lp_message_print(*line);
    return lines != NULL;
}

/* The first option of @texts that a machine without a system has. */
static const char *
first_name(const char *const *texts)
{
    guint i = 0;
    while (texts[i] == NULL)
        i++;
    return lp_machine_options[i].name;
}

/* Returns: (transfer full), what stands for the machine of @texts. */
static char *
name_machine(const char *const *texts, GError **error)
{
    if (texts[LP_MACHINE_OPTION_SYSTEM] == NULL) {
        (void)usage(error,
                    "--%s: got no --system beside it, wanted one of \"lightpath platform list\"",
                    first_name(texts));
        return NULL;
    }
    if (texts[LP_MACHINE_OPTION_ACCELERATORS] == NULL) {
        (void)usage(error, "--accelerators: missing, wanted their number beside --system=%s",
                    texts[LP_MACHINE_OPTION_SYSTEM]);
        return NULL;
    }
    g_autoptr(GError) fault = NULL;
    g_autoptr(LpMachineSpecification) specification = lp_specification_from_texts(texts, &fault);
    if (specification == NULL || !lp_made_machine_report_idle(specification, &fault)) {
        (void)usage(error, "%s", fault->message);
        return NULL;
    }
    g_autoptr(GString) name = g_string_new(NULL);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if (texts[i] != NULL)
            g_string_append_printf(name, "%s--%s=%s", name->len > 0 ? " " : "",
                                   lp_machine_options[i].name, texts[i]);
    return g_strdup(name->str);
}

char **
lp_made_machine_take(const GOptionEntry *entries, char **words, GError **error)
{
    g_autoptr(GPtrArray) machines = take_words(entries, words, error);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; machines != NULL && i < machines->len; i++) {
        char *name = name_machine(g_ptr_array_index(machines, i), error);
        if (name == NULL)
            return NULL;
        g_ptr_array_add(names, name);
    }
    g_ptr_array_add(names, NULL);
    return machines != NULL ? (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE) : NULL;
}

/* --- making --- */

gboolean
lp_made_machine_is(const char *name)
{
    return g_str_has_prefix(name, PREFIX);
}

LpMachine *
lp_made_machine_load(const char *path, GError **error)
{
    if (!lp_made_machine_is(path))
        return lp_machine_load(path, error);
    g_autoptr(GError) fault = NULL;
    g_autoptr(LpMachineSpecification) specification = lp_specification_parse(path, &fault);
    LpMachine *machine =
        specification != NULL ? lp_generate_machine(specification, path, &fault) : NULL;
    if (machine == NULL)
        (void)usage(error, "%s", fault->message);
    return machine;
}

/* --- suggesting --- */

gboolean
lp_made_machine_is_system(const char *name)
{
    g_auto(GStrv) systems = lp_system_names(NULL);
    return systems != NULL && g_strv_contains((const char *const *)systems, name);
}

char *
lp_made_machine_suggest(const char *system, guint64 n_ranks)
{
    g_autoptr(LpMachineSpecification) specification = lp_system_load(system, NULL);
    guint64 domain = specification != NULL ? MAX(specification->domain.size, 1) : 1, n = n_ranks;
    if (n_ranks > domain)
        n = (n_ranks + domain - 1) / domain * domain;
    while (n_ranks <= domain && domain % n != 0)
        n++;
    return g_strdup_printf(PREFIX "%s --accelerators=%" G_GUINT64_FORMAT, system, n);
}
