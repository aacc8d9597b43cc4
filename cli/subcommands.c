/* SPDX-License-Identifier: Apache-2.0 */
/* Finds commands by name, lists them, and completes their names. */
#include "cli/subcommands.h"

#include "base/text_table.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/completion.h"
#include "cli/options.h"

#include <string.h>

#define COMMANDS_MAX 64

static gboolean
print_help(const char *program, const LpCommand *commands, const char *before, const char *after,
           GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "Usage:\n  %s COMMAND [OPTION...] [ARGUMENT...]\n\n%s", program,
                           before != NULL ? before : "");
    g_string_append(text, "Commands (each with --help):\n");
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    for (; commands->name != NULL; commands++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", commands->name);
        lp_text_table_add_cell(table, "%s", commands->summary);
    }
    lp_text_table_append(text, table, 2);
    g_string_append(text, after != NULL ? after : "");
    return lp_print_result(text->str, error);
}

/* "platform" of "lightpath platform", or nothing. */
static const char *
group_of(const char *program)
{
    const char *blank = strchr(program, ' ');
    return blank != NULL ? blank + 1 : "";
}

static gboolean
refuse(const char *program, const LpCommand *commands, const char *word, GError **error)
{
    const char *names[COMMANDS_MAX + 3] = {NULL};
    guint n = 0;
    for (; commands->name != NULL && n < COMMANDS_MAX; commands++)
        names[n++] = commands->name;
    names[n++] = "--help";
    if (*group_of(program) == '\0')
        names[n++] = "--version";
    g_autofree char *shown = g_strdup(word);
    const char *like = lp_like_name(word, names);
    const char *group = group_of(program);
    return lp_usage_error(error, "%s%sgot the unknown command \"%s\", wanted one %s%s%s(%s --help)",
                          group, *group != '\0' ? ": " : "", shown,
                          like != NULL ? "such as \"" : "of those listed", like != NULL ? like : "",
                          like != NULL ? "\" " : " ", program);
}

/* "--complete platform gen": a command's name, or what the command makes of the words behind it. */
static gboolean
complete(const LpCommand *commands, int argc, char **argv, GError **error)
{
    if (argc <= 3) {
        g_autoptr(GString) out = g_string_new(NULL);
        for (; commands->name != NULL; commands++)
            lp_complete_add(out, argc == 3 ? argv[2] : "", commands->name, commands->summary);
        return lp_print_result(out->str, error);
    }
    for (; commands->name != NULL; commands++)
        if (strcmp(argv[2], commands->name) == 0) {
            /* The command sees its name, and behind it that it is to complete. */
            char *swapped = argv[1];
            argv[1] = argv[2];
            argv[2] = swapped;
            return commands->function(argc - 1, argv + 1, error);
        }
    return TRUE;
}

gboolean
lp_run_command(const char *program, const LpCommand *commands, const char *before,
               const char *after, int argc, char **argv, GError **error)
{
    const char *group = group_of(program);
    if (argc < 2)
        return lp_usage_error(error, "%s%sgot no command, wanted one (%s --help)", group,
                              *group != '\0' ? ": " : "", program);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(program, commands, before, after, error);
    if (strcmp(argv[1], LP_COMPLETE_OPTION) == 0)
        return complete(commands, argc, argv, error);
    for (const LpCommand *command = commands; command->name != NULL; command++)
        if (strcmp(argv[1], command->name) == 0)
            return command->function(argc - 1, argv + 1, error);
    return refuse(program, commands, argv[1], error);
}
