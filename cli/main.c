/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath: finds the subcommand, prints errors, picks the exit status. */
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "version.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    gboolean (*function)(int argc, char **argv, GError **error);
    const char *summary;
} Command;

static const Command commands[] = {
    {"simulate", lp_cmd_simulate, "simulate one training iteration on a machine"},
    {"estimate", lp_cmd_estimate, "estimate it by a closed form"},
    {"compare", lp_cmd_compare, "simulate it on several machines, side by side"},
    {"contention", lp_cmd_contention, "say what holds an iteration back, and who is in whose way"},
    {"collective", lp_cmd_collective, "run a single collective, by message size"},
    {"platform", lp_cmd_platform, "generate, describe, check and list machines"},
    {"import", lp_cmd_import, "make a workload of a Hugging Face configuration"},
    {"validate", lp_cmd_validate, "predict published measurements, and compare"},
    {"calibrate", lp_cmd_calibrate, "fit constants to published measurements"},
    {"bench", lp_cmd_bench, "measure the simulator itself"},
};

static gboolean
print_help(GError **error)
{
    g_autoptr(GString) text =
        g_string_new("Usage: lightpath COMMAND [OPTION...] [ARGUMENT...]\n\n"
                     "Simulates the training of Transformers on machines described in XML.\n\n"
                     "Commands:\n");
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", commands[i].name);
        lp_text_table_add_cell(table, "%s", commands[i].summary);
    }
    lp_text_table_append(text, table, 2);
    g_string_append(text, "\n\"lightpath COMMAND --help\" tells a command's options; "
                          "\"lightpath --version\" the version.\n");
    return lp_print_result(text->str, error);
}

static gboolean
run_command(int argc, char **argv, GError **error)
{
    const char *names[G_N_ELEMENTS(commands) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].function(argc, argv, error);
    }
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE,
                "got the unknown command \"%s\", wanted one such as \"%s\" (lightpath --help)",
                argv[0], lp_nearest_name(argv[0], names));
    return FALSE;
}

/* What comes before any command: help and version, as people ask git for them. */
static gboolean
run(int argc, char **argv, GError **error)
{
    static char help_option[] = "--help";
    if (argc < 2) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE,
                    "got no command, wanted one (lightpath --help)");
        return FALSE;
    }
    if (strcmp(argv[1], "--version") == 0)
        return lp_print_result("lightpath " LP_VERSION "\n", error);
    if (strcmp(argv[1], "help") == 0 && argc == 3) {
        char *asked[] = {argv[2], help_option, NULL};
        return run_command(2, asked, error);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_help(error);
    return run_command(argc - 1, argv + 1, error);
}

int
main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, "");
    g_autoptr(GError) error = NULL;
    if (run(argc, argv, &error))
        return 0;
    /* One line, whatever a file name or an attribute held. */
    g_strdelimit(error->message, "\r\n", ' ');
    fprintf(stderr, "lightpath: %s\n", error->message);
    return g_error_matches(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE) ? 2 : 1;
}
