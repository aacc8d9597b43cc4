/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath: finds the subcommand, prints errors, picks the exit status. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/interruption.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/own_data.h"
#include "cli/process_limits.h"
#include "cli/subcommands.h"
#include "sim/engine/engine.h"
#include "version.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const LpCommand commands[] = {
    {"simulate", lp_cmd_simulate, "simulate one training iteration on a machine"},
    {"estimate", lp_cmd_estimate, "estimate it by a closed form"},
    {"compare", lp_cmd_compare, "simulate it on several machines, side by side"},
    {"search", lp_cmd_search, "find the fastest plan for a workload on a machine"},
    {"sweep", lp_cmd_sweep, "run a study: what varies, and what is recorded of it"},
    {"contention", lp_cmd_contention, "say what holds an iteration back, and who is in whose way"},
    {"characterize", lp_cmd_characterize,
     "say what a workload asks of the network, by parallelism"},
    {"goodput", lp_cmd_goodput, "say what days of failures and repairs leave of it"},
    {"collective", lp_cmd_collective, "run a single collective, by message size"},
    {"tune", lp_cmd_tune, "choose communication libraries by operation, size and group"},
    {"platform", lp_cmd_platform, "generate, describe, check and list machines"},
    {"workload", lp_cmd_workload, "list, describe and check workloads"},
    {"import", lp_cmd_import, "make a workload of a Hugging Face configuration or of traces"},
    {"describe", lp_cmd_describe, "say what profiles of PyTorch spend their time on"},
    {"export", lp_cmd_export, "write what the ranks of a workload do as traces"},
    {"validate", lp_cmd_validate, "predict published measurements, and compare"},
    {"calibrate", lp_cmd_calibrate, "fit constants to published measurements"},
    {"bench", lp_cmd_bench, "measure the simulator itself"},
    {"serve", lp_cmd_serve, "run commands for a program that uses the library"},
    {"help", lp_cmd_help, "print a command's options or a document"},
    {NULL, NULL, NULL}};

static const LpCommand *
find_command(const char *name)
{
    for (const LpCommand *command = commands; command->name != NULL; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* "help simulate" is "simulate --help", as people ask git for it; "help platform list" the same of
 * a group's command. */
static gboolean
print_command_help(const LpCommand *command, int argc, char **argv, GError **error)
{
    static char help_option[] = "--help";
    gboolean is_group = command->function == lp_cmd_platform ||
                        command->function == lp_cmd_workload || command->function == lp_cmd_sweep ||
                        command->function == lp_cmd_tune;
    int n_most = is_group ? 4 : 3;
    if (argc > n_most)
        return lp_usage_error(error, "help: got \"%s\" behind \"%s\", wanted nothing more",
                              argv[n_most], argv[n_most - 1]);
    char *asked[] = {argv[0], argv[2], argc == 4 ? argv[3] : help_option,
                     argc == 4 ? help_option : NULL, NULL};
    return lp_run_command("lightpath", commands, NULL, NULL, argc, asked, error);
}

static gboolean
print_version(GError **error)
{
    g_autofree char *text =
        g_strdup_printf("lightpath %s (%s, %s)\n", LP_VERSION, LP_COMMIT, lp_engine_version());
    return lp_print_result(text, error);
}

/* What comes before any command: help and version. */
static gboolean
run(int argc, char **argv, GError **error)
{
    gboolean asks_help = argc > 2 && strcmp(argv[1], "help") == 0;
    if (argc > 2 && strcmp(argv[1], "study") == 0 && strcmp(argv[2], "plot") == 0)
        return lp_cmd_sweep(argc - 1, argv + 1, error);
    const LpCommand *command = asks_help ? find_command(argv[2]) : NULL;
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return print_version(error);
    if (command != NULL)
        return print_command_help(command, argc, argv, error);
    return lp_run_command(
        "lightpath", commands,
        "Simulates the training of Transformers on machines described in XML.\n\n",
        "\n\"lightpath COMMAND --help\" tells a command's options, \"lightpath "
        "help\" the documents,\n\"lightpath --version\" the version.\n\n"
        "Options of every command:\n"
        "  --catalogue=FILE  accelerators of your own, as accelerators.xml has "
        "them\n"
        "  --libraries=FILE  communication libraries of your own, as "
        "libraries.xml has them\n"
        "  --kernels-table=FILE  measured kernels of your machine, as \"calibrate "
        "--kernels\" writes them\n"
        "  --products=SHARE  the share of the peak that matrix products reach on "
        "your machine\n",
        argc, argv, error);
}

/* The next file or pipe would take the number of a standard stream that the caller closed, and be
 * read or written in its place. Open the wrong way round, standard input and output still fail. */
static void
keep_streams_apart(void)
{
    static const int modes[] = {
        [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_WRONLY};
    for (int stream = 0; stream < (int)G_N_ELEMENTS(modes); stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)open("/dev/null", modes[stream]);
}

int
lp_run_program(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    LpOwnData own = {{NULL}};
    if (lp_process_limits_check(&error) && lp_own_data_take(&own, &argc, argv, &error) &&
        run(argc, argv, &error)) {
        lp_interruption_release();
        return 0;
    }
    if (error == NULL) /* which would be a bug */
        g_set_error(&error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: got a failure without a reason, wanted one (a bug of Lightpath)",
                    argc > 1 ? argv[1] : "lightpath");
    lp_own_data_name_files(&own, error);
    lp_message_print(error->message);
    lp_interruption_release();
    return g_error_matches(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE) ? 2 : 1;
}

int
main(int argc, char **argv)
{
    keep_streams_apart();
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write */
    /* UTF-8, and letters as in ASCII, whatever language the user speaks. */
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    return lp_run_program(argc, argv);
}
