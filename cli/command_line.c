/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a command line before GLib parses it. */
#include "cli/command_line.h"

#include "base/error.h"
#include "base/units.h"
#include "workloads/description/attribute.h"
#include "workloads/description/foreign_words.h"

#include <string.h>

#define OPTIONS_MAX 256
#define ATTRIBUTES_MAX 256

const GOptionEntry *
lp_command_line_find(const GOptionEntry *entries, const char *word, const char **out_value)
{
    *out_value = NULL;
    gboolean is_long = g_str_has_prefix(word, "--");
    const char *end = is_long ? strchr(word, '=') : NULL;
    gsize length = end != NULL ? (gsize)(end - word) : strlen(word);
    for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++) {
        gboolean is_it =
            is_long ? strlen(entry->long_name) == length - 2 &&
                          strncmp(entry->long_name, word + 2, length - 2) == 0
                    : entry->short_name != 0 && word[0] == '-' && word[1] == entry->short_name;
        if (!is_it)
            continue;
        if (end != NULL)
            *out_value = end + 1;
        else if (!is_long && word[2] != '\0')
            *out_value = word + 2;
        return entry;
    }
    return NULL;
}

gboolean
lp_command_line_takes_value(const GOptionEntry *entry)
{
    return entry->arg != G_OPTION_ARG_NONE;
}

/* "-" is standard input, "-1" a number. */
static gboolean
is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !g_ascii_isdigit(word[1]);
}

static gboolean
is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "-?") == 0;
}

/* The word behind @word that is no value of it. */
static char *const *
next_word(char *const *word, const GOptionEntry *entry, const char *value)
{
    gboolean has_value_behind =
        entry != NULL && lp_command_line_takes_value(entry) && value == NULL && word[1] != NULL;
    return word + (has_value_behind ? 2 : 1);
}

gboolean
lp_command_line_asks_help(char *const *words, const GOptionEntry *entries)
{
    while (*words != NULL && strcmp(*words, "--") != 0) {
        const char *value = NULL;
        if (is_help(*words))
            return TRUE;
        const GOptionEntry *entry =
            is_option(*words) ? lp_command_line_find(entries, *words, &value) : NULL;
        words = next_word(words, entry, value);
    }
    return FALSE;
}

gboolean
lp_command_line_asks_attributes(char *const *words, const GOptionEntry *entries)
{
    for (; *words != NULL && strcmp(*words, "--") != 0; words++) {
        const char *value = NULL;
        const GOptionEntry *entry = lp_command_line_find(entries, *words, &value);
        if (entry != NULL && strcmp(entry->long_name, "set") == 0 &&
            g_strcmp0(value != NULL ? value : words[1], "help") == 0)
            return TRUE;
    }
    return FALSE;
}

/* What was meant by --@name: an attribute of a workload, an option like it, or nothing known.
 * Returns: (transfer full). */
static char *
guess(const char *command, const GOptionEntry *entries, const char *name, const char *value)
{
    const char *options[OPTIONS_MAX + 1] = {NULL}, *unused = NULL;
    const char *attributes[ATTRIBUTES_MAX + 1] = {NULL};
    for (guint i = 0; i < OPTIONS_MAX && entries[i].long_name != NULL; i++)
        options[i] = entries[i].long_name;
    if (lp_command_line_find(entries, "--set", &unused) != NULL)
        for (guint i = 0; i < ATTRIBUTES_MAX && lp_attribute_at(i) != NULL; i++)
            attributes[i] = lp_attribute_name(lp_attribute_at(i));
    const char *meant = attributes[0] != NULL ? lp_foreign_word_attribute(name) : NULL;
    const char *option = lp_like_name(name, options), *attribute = lp_like_name(name, attributes);
    if (meant != NULL && (attribute == NULL || strcmp(attribute, name) != 0))
        attribute = meant;
    if (attribute != NULL && (attribute == meant || strcmp(attribute, name) == 0 || option == NULL))
        return g_strdup_printf("wanted --set %s=%s", attribute, value != NULL ? value : "VALUE");
    if (option != NULL)
        return g_strdup_printf("wanted one such as --%s", option);
    return g_strdup_printf("wanted one of \"lightpath %s --help\"", command);
}

static gboolean
refuse_unknown(const char *command, const GOptionEntry *entries, const char *word, GError **error)
{
    const char *dashless = word + strspn(word, "-");
    const char *end = strchr(dashless, '=');
    g_autofree char *name =
        end != NULL ? g_strndup(dashless, (gsize)(end - dashless)) : g_strdup(dashless);
    g_autofree char *wanted = guess(command, entries, name, end != NULL ? end + 1 : NULL);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, "%s: got the unknown option %s, %s",
                command, word, wanted);
    return FALSE;
}

gboolean
lp_command_line_check(const char *command, char *const *words, const GOptionEntry *entries,
                      GError **error)
{
    gboolean is_given[OPTIONS_MAX] = {FALSE};
    while (*words != NULL && strcmp(*words, "--") != 0) {
        const char *value = NULL;
        const GOptionEntry *entry = NULL;
        if (is_option(*words)) {
            entry = lp_command_line_find(entries, *words, &value);
            if (entry == NULL)
                return refuse_unknown(command, entries, *words, error);
            gsize place = (gsize)(entry - entries);
            g_return_val_if_fail(place < OPTIONS_MAX, FALSE);
            gboolean is_list = entry->arg == G_OPTION_ARG_STRING_ARRAY ||
                               entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
            if (is_given[place] && !is_list) {
                g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE,
                            "--%s: given twice, wanted once", entry->long_name);
                return FALSE;
            }
            is_given[place] = TRUE;
        }
        words = next_word(words, entry, value);
    }
    return TRUE;
}
