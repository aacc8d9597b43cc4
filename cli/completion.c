/* SPDX-License-Identifier: Apache-2.0 */
/* Completes words of a command line from the tables that the commands themselves go by. */
#include "cli/completion.h"

#include "base/file.h"
#include "cli/command_line.h"
#include "model/plan/collective.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/libraries.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/system.h"
#include "workloads/description/attribute.h"
#include "workloads/description/framework.h"

#include <string.h>

void
lp_complete_add(GString *out, const char *word, const char *candidate, const char *meaning)
{
    if (g_str_has_prefix(candidate, word))
        g_string_append_printf(out, "%s%s%s\n", candidate, meaning != NULL ? "\t" : "",
                               meaning != NULL ? meaning : "");
}

/* @before: what each candidate begins with: "--format=", or nothing. */
static void
add_all(GString *out, const char *before, const char *word, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++)
        if (g_str_has_prefix(*names, word))
            g_string_append_printf(out, "%s%s\n", before, *names);
}

static void
add_owned(GString *out, const char *before, const char *word, char **names)
{
    add_all(out, before, word, (const char *const *)names);
    g_strfreev(names);
}

static char **
accelerator_names(void)
{
    g_autoptr(GArray) accelerators = lp_catalogue_load(NULL);
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; accelerators != NULL && i < accelerators->len; i++)
        g_ptr_array_add(names, g_strdup(g_array_index(accelerators, LpAccelerator, i).name));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* Behind "--set": an attribute, or its value where it has few. */
static void
add_settings(GString *out, const char *before, const char *word)
{
    const LpAttribute *one;
    for (guint i = 0; (one = lp_attribute_at(i)) != NULL; i++) {
        g_autofree char *name = g_strconcat(lp_attribute_name(one), "=", NULL);
        if (!g_str_has_prefix(word, name)) {
            if (g_str_has_prefix(name, word))
                g_string_append_printf(out, "%s%s\n", before, name);
            continue;
        }
        g_autofree char *whole = g_strconcat(before, name, NULL);
        if (strcmp(name, "framework=") == 0)
            add_owned(out, whole, word + strlen(name), lp_framework_names(NULL));
        else
            add_all(out, whole, word + strlen(name), lp_attribute_help(one)->words);
    }
}

static void
add_workloads(GString *out, const char *before, const char *word)
{
    add_owned(out, before, word, lp_file_shipped("workloads"));
    add_owned(out, before, word, lp_file_shipped("workloads/programs"));
}

/* The value of an option: one of those that its help names, or a name of a catalogue. */
static void
add_values(GString *out, const GOptionEntry *entry, const char *before, const char *word)
{
    const char *values = entry->arg_description;
    if (values == NULL)
        return;
    int option = lp_machine_option_find(entry->long_name, LP_OPTION_ON_COMMAND_LINE, NULL);
    if (option >= 0 && lp_machine_options[option].names != NULL)
        add_all(out, before, word, lp_machine_options[option].names);
    else if (strcmp(entry->long_name, "set") == 0)
        add_settings(out, before, word);
    else if (strcmp(entry->long_name, "system") == 0)
        add_owned(out, before, word, lp_system_names(NULL));
    else if (strcmp(entry->long_name, "accelerator") == 0)
        add_owned(out, before, word, accelerator_names());
    else if (strcmp(entry->long_name, "framework") == 0)
        add_owned(out, before, word, lp_framework_names(NULL));
    else if (strcmp(entry->long_name, "library") == 0 || strcmp(entry->long_name, "libraries") == 0)
        add_owned(out, before, word, lp_library_names(NULL));
    else if (strcmp(values, "WORKLOAD") == 0)
        add_workloads(out, before, word);
    else if (strcmp(values, "PLATFORM") == 0)
        add_owned(out, before, word, lp_file_shipped("platforms"));
    else if (strcmp(values, "FORMAT") == 0)
        add_all(out, before, word, (const char *const[]){"text", "json", NULL});
    else if (strchr(values, '|') != NULL)
        add_owned(out, before, word, g_strsplit(values, "|", -1));
}

static void
add_options(GString *out, const GOptionEntry *entries, const char *word)
{
    for (; entries->long_name != NULL; entries++) {
        g_autofree char *option = g_strconcat(
            "--", entries->long_name, lp_command_line_takes_value(entries) ? "=" : "", NULL);
        lp_complete_add(out, word, option, entries->description);
    }
    lp_complete_add(out, word, "--help", "Show help options");
}

/* The name that help has for the argument at @place; the last one may stand for more. */
static char *
argument_at(const char *arguments, guint place)
{
    g_auto(GStrv) names = g_strsplit(arguments != NULL ? arguments : "", " ", -1);
    guint n = g_strv_length(names);
    if (n == 0 || (place >= n && !g_str_has_suffix(names[n - 1], "...") &&
                   !g_str_has_suffix(names[n - 1], "...]")))
        return g_strdup("");
    return g_strdup(names[MIN(place, n - 1)]);
}

static void
add_argument(GString *out, const char *arguments, guint place, const char *word)
{
    g_autofree char *name = argument_at(arguments, place);
    if (strstr(name, "WORKLOAD") != NULL)
        add_workloads(out, "", word);
    if (strstr(name, "SCENARIO") != NULL)
        add_owned(out, "", word, lp_file_shipped("workloads/scenarios"));
    if (strstr(name, "PLATFORM") != NULL)
        add_owned(out, "", word, lp_file_shipped("platforms"));
    if (strstr(name, "FRAMEWORK") != NULL)
        add_owned(out, "", word, lp_framework_names(NULL));
    if (strcmp(name, "OPERATION") == 0)
        add_all(out, "", word, lp_collective_names);
    if (g_ascii_islower(name[0]))
        lp_complete_add(out, word, name, NULL);
}

/* An option that waits for its value in the word before the last; NULL: none does. @out_place: how
 * many arguments stand before the last word. */
static const GOptionEntry *
read_words(const GOptionEntry *entries, char *const *words, guint *out_place)
{
    const GOptionEntry *waiting = NULL;
    gboolean has_ended = FALSE;
    *out_place = 0;
    for (; words[0] != NULL && words[1] != NULL; words++) {
        const char *value = NULL;
        gboolean is_option = !has_ended && waiting == NULL && words[0][0] == '-';
        has_ended = has_ended || strcmp(words[0], "--") == 0;
        const GOptionEntry *entry =
            is_option ? lp_command_line_find(entries, words[0], &value) : NULL;
        *out_place += !is_option && waiting == NULL ? 1 : 0;
        waiting =
            entry != NULL && lp_command_line_takes_value(entry) && value == NULL ? entry : NULL;
    }
    return waiting;
}

char *
lp_complete(const GOptionEntry *entries, const char *arguments, char *const *words)
{
    GString *out = g_string_new(NULL);
    guint n = 0, place = 0;
    while (words[n] != NULL)
        n++;
    const char *last = n > 0 ? words[n - 1] : "", *value = NULL;
    const GOptionEntry *waiting = read_words(entries, words, &place);
    const GOptionEntry *entry = lp_command_line_find(entries, last, &value);
    if (waiting != NULL) {
        add_values(out, waiting, "", last);
    } else if (entry != NULL && value != NULL && g_str_has_prefix(last, "--")) {
        g_autofree char *before = g_strndup(last, (gsize)(value - last));
        add_values(out, entry, before, value);
    } else if (last[0] == '-') {
        add_options(out, entries, last);
    } else {
        add_argument(out, arguments, place, last);
    }
    return g_string_free(out, FALSE);
}
