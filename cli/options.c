/* SPDX-License-Identifier: Apache-2.0 */
/* Shared option parsing, input loading and result printing. */
#include "cli/options.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "base/json.h"
#include "cli/attribute_table.h"
#include "cli/colour.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/made_machine.h"
#include "cli/message.h"
#include "cli/system_hint.h"
#include "report/plan_export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

gboolean
lp_usage_error(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, message);
    return FALSE;
}

/* @n_made: of them, machines that are made. */
static gboolean
has_argument_count(const char *command, int n, guint n_made, int n_minimum, int n_maximum,
                   GError **error)
{
    if (n >= n_minimum && n <= n_maximum)
        return TRUE;
    if (n > n_maximum && n_made > 0)
        return lp_usage_error(error,
                              "%s: got --system beside all %d arguments, wanted it in place of the "
                              "platform (lightpath %s --help)",
                              command, n - (int)n_made, command);
    g_autofree char *wanted = n_minimum == n_maximum ? g_strdup_printf("%d", n_minimum)
                              : n_maximum == G_MAXINT
                                  ? g_strdup_printf("at least %d", n_minimum)
                                  : g_strdup_printf("%d to %d", n_minimum, n_maximum);
    return lp_usage_error(error, "%s: got %d argument%s, wanted %s (lightpath %s --help)", command,
                          n, n == 1 ? "" : "s", wanted, command);
}

/* Prints a text, where GLib would print and exit whether or not the text could be written. @text:
 * (transfer full). Returns: FALSE, with @error, if writing fails. */
static gboolean
print_and_exit(char *text, GError **error)
{
    g_autofree char *owned = text;
    if (!lp_print_result(owned, error))
        return FALSE;
    exit(EXIT_SUCCESS);
}

static gboolean
print_attributes(GError **error)
{
    char *const all[] = {NULL};
    return print_and_exit(lp_attribute_table_to_text(all), error);
}

/* What is looked at for help and completion: @entries, and those of a machine that is made; all of
 * these where the words behind the command name a system. Returns: (transfer full). */
static GOptionEntry *
list_entries(const GOptionEntry *entries, gboolean takes_machine, char *const *words)
{
    guint n = 0;
    gboolean has_system = FALSE;
    while (entries[n].long_name != NULL)
        n++;
    for (; *words != NULL; words++)
        has_system = has_system || lp_made_machine_is(*words);
    GOptionEntry *all = g_new0(GOptionEntry, n + LP_N_MACHINE_OPTIONS + 1);
    memcpy(all, entries, n * sizeof *all);
    if (takes_machine)
        lp_made_machine_add_entries(all, n, NULL, has_system);
    return all;
}

/* GLib leaves "--" where it is if what stands behind it looks like an option. */
static void
drop_separator(int *argc, char **argv)
{
    int kept = 0;
    gboolean is_dropped = FALSE;
    for (int i = 0; i < *argc; i++) {
        gboolean is_it = !is_dropped && strcmp(argv[i], "--") == 0;
        is_dropped = is_dropped || is_it;
        if (!is_it)
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    *argc = kept;
}

/* What a named pipe brings can be read once, and commands look at their arguments more than once: a
 * file in memory takes its place. */
static gboolean
keep_pipes(int argc, char **argv, GError **error)
{
    for (int i = 1; i < argc; i++) {
        struct stat kind;
        if (stat(argv[i], &kind) != 0 || !S_ISFIFO(kind.st_mode))
            continue;
        g_autofree char *kept = lp_file_argument(argv[i], error);
        if (kept == NULL)
            return FALSE;
        argv[i] = (char *)(guintptr)g_intern_string(kept);
    }
    return TRUE;
}

/* Takes machines out of the command line, and puts what stands for them behind its arguments, which
 * are fewer words. */
static gboolean
parse_arguments(GOptionContext *context, const char *command, const GOptionEntry *entries,
                const GOptionEntry *all, int *argc, char ***argv, guint *out_n_made, GError **error)
{
    char **words = *argv + 1;
    const char *unused = NULL;
    gboolean takes_machine = lp_command_line_find(all, "--system", &unused) != NULL &&
                             lp_command_line_find(entries, "--system", &unused) == NULL;
    g_auto(GStrv) made =
        takes_machine ? lp_made_machine_take(entries, words, error) : g_new0(char *, 1);
    if (made == NULL || !lp_command_line_check(command, words, all, error))
        return FALSE;
    *argc = 1 + (int)g_strv_length(words);
    g_autoptr(GError) fault = NULL;
    if (!g_option_context_parse(context, argc, argv, &fault)) {
        gboolean is_text =
            !g_error_matches(fault, G_CONVERT_ERROR, G_CONVERT_ERROR_ILLEGAL_SEQUENCE);
        return lp_usage_error(error, "%s: %s", command,
                              is_text ? fault->message
                                      : "got an option with bytes that are not UTF-8, wanted text");
    }
    drop_separator(argc, *argv);
    if (!keep_pipes(*argc, *argv, error))
        return FALSE;
    *out_n_made = g_strv_length(made);
    for (guint i = 0; i < *out_n_made; i++)
        (*argv)[(*argc)++] = (char *)(guintptr)g_intern_string(made[i]);
    (*argv)[*argc] = NULL;
    return TRUE;
}

gboolean
lp_options_parse(const char *command, const char *arguments, const char *summary,
                 const GOptionEntry *entries, int *argc, char ***argv, int n_minimum, int n_maximum,
                 GError **error)
{
    g_autofree char *program = g_strconcat("lightpath ", command, NULL);
    g_set_prgname(program);
    g_autoptr(GOptionContext) context = g_option_context_new(arguments);
    g_option_context_set_summary(context, summary);
    g_option_context_add_main_entries(context, entries, NULL);
    char **words = *argv + 1;
    gboolean takes_machine = arguments != NULL && strstr(arguments, "PLATFORM") != NULL;
    if (takes_machine)
        g_option_context_set_description(
            context, "In place of a PLATFORM, a machine that is made:\n"
                     "  --system=NAME --accelerators=N, and the options of \"lightpath platform "
                     "generate\"\n");
    g_autofree GOptionEntry *all = list_entries(entries, takes_machine, words);
    if (*argc > 1 && strcmp(words[0], LP_COMPLETE_OPTION) == 0)
        return print_and_exit(lp_complete(all, arguments, words + 1), error);
    if (lp_command_line_asks_help(words, all))
        return print_and_exit(g_option_context_get_help(context, TRUE, NULL), error);
    if (lp_command_line_asks_attributes(words, entries))
        return print_attributes(error);
    g_auto(GStrv) given = g_strdupv(words);
    guint n_made = 0;
    return parse_arguments(context, command, entries, all, argc, argv, &n_made, error) &&
           has_argument_count(command, *argc - 1, n_made, n_minimum, n_maximum, error) &&
           lp_system_hint_check(program, arguments, entries, *argv, given, error);
}

gboolean
lp_option_choice(const char *option, const char *text, const char *const *names, guint fallback,
                 guint *out_index, GError **error)
{
    g_autoptr(GError) fault = NULL;
    int index = text == NULL ? (int)fallback : lp_choice_parse(text, names, &fault);
    if (index < 0)
        return lp_usage_error(error, "--%s: %s", option, fault->message);
    *out_index = (guint)index;
    return TRUE;
}

gboolean
lp_option_count(const char *option, const char *text, guint64 minimum, guint64 maximum,
                guint64 fallback, guint *out_count, GError **error)
{
    g_autoptr(GError) fault = NULL;
    guint64 count = fallback;
    if (text != NULL && !lp_count_parse(text, minimum, maximum, &count, &fault))
        return lp_usage_error(error, "--%s: %s", option, fault->message);
    *out_count = (guint)count;
    return TRUE;
}

gboolean
lp_format_parse(const char *text, LpFormat *out_format, GError **error)
{
    static const char *const names[] = {"text", "json", NULL};
    guint index = 0;
    if (!lp_option_choice("format", text, names, LP_FORMAT_TEXT, &index, error))
        return FALSE;
    *out_format = (LpFormat)index;
    return TRUE;
}

gboolean
lp_export_parse(const char *text, const char *format, guint *out_export, GError **error)
{
    if (text != NULL && format != NULL)
        return lp_usage_error(error, "--export: got --format beside it, wanted one of them");
    return lp_option_choice("export", text, lp_export_names, LP_N_EXPORTS, out_export, error);
}

gboolean
lp_print_result(const char *text, GError **error)
{
    g_autofree char *safe = lp_message_text(text);
    g_autofree char *coloured =
        lp_colour_is_wanted(STDOUT_FILENO) ? lp_colour_result(safe) : g_strdup(safe);
    return lp_file_write("-", coloured, strlen(coloured), error);
}

gboolean
lp_print_json(json_t *node, GError **error)
{
    g_autoptr(json_t) owned = node;
    g_autofree char *text = lp_json_print(owned);
    return lp_print_result(text, error);
}

gboolean
lp_print_table(const LpTextTable *table, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    lp_text_table_append(text, table, 0);
    return lp_print_result(text->str, error);
}

double
lp_wall_clock_s(void)
{
    return (double)g_get_monotonic_time() * 1e-6;
}

guint64
lp_peak_rss_bytes(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    /* Linux counts in KiB. */
    return (guint64)usage.ru_maxrss * 1024;
}
