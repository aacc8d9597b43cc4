/* SPDX-License-Identifier: Apache-2.0 */
/* Traces become programs by hand. */
#include "cli/import_trace.h"

#include "cli/options.h"
#include "cli/output_paths.h"

#include "base/file.h"
#include "workloads/given/given_writer.h"
#include "workloads/traces/chakra.h"
#include "workloads/traces/kineto.h"
#include "workloads/traces/ti.h"
#include "workloads/traces/trace_program.h"

#include <string.h>

typedef LpTrace *(*Read)(const char *const *paths, guint n_paths, const char *groups,
                         GError **error);

static const struct {
    const char *name, *what;
    Read read;
} formats[] = {{"chakra", "Chakra execution traces", lp_chakra_read},
               {"ti", "time-independent traces", lp_ti_read},
               {"kineto", "profiles of PyTorch", lp_kineto_read}};

static Read
find_read(const char *kind, const char **out_what)
{
    for (guint i = 0; i < G_N_ELEMENTS(formats); i++)
        if (strcmp(formats[i].name, kind) == 0) {
            *out_what = formats[i].what;
            return formats[i].read;
        }
    return NULL;
}

gboolean
lp_import_trace_is(const char *kind)
{
    const char *what;
    return find_read(kind, &what) != NULL;
}

/* What stands in a program's name: a line. */
static char *
name_of(const LpTrace *trace)
{
    if (trace->name != NULL)
        return g_strdelimit(g_strdup(trace->name), "\r\n\t", ' ');
    g_autofree char *base = g_path_get_basename(trace->path);
    char *end = strchr(base, '.');
    if (end != NULL && end != base)
        *end = '\0';
    return g_strdup(base);
}

static char *
to_text(const LpTrace *trace, const LpGivenProgram *program, const char *name, const char *output)
{
    guint64 n_nodes = 0;
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        n_nodes += lp_trace_rank(trace, rank)->nodes->len;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text,
                           "program     %s\nfile        %s\nranks       %u, in %u classes of "
                           "equal traces\nnodes       %" G_GUINT64_FORMAT "\ngroups      ",
                           name, output, program->n_ranks, program->sections->len, n_nodes);
    for (guint32 i = 0; i < program->groups->len; i++) {
        const LpGivenGroups *groups = lp_given_program_groups(program, i);
        g_string_append_printf(text, "%s%s (%u, class %s)", i > 0 ? ", " : "", groups->name,
                               groups->sizes->len, lp_traffic_names[groups->traffic]);
    }
    g_string_append(text, program->groups->len == 0 ? "none\nqueues      " : "\nqueues      ");
    for (guint i = 0; i < program->queues->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               (const char *)program->queues->pdata[i]);
    g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

static gboolean
import_files(int argc, char **argv, const char *groups, const char *output, GError **error)
{
    const char *what = NULL;
    Read read = find_read(argv[0], &what);
    g_autoptr(LpTrace) trace = read((const char *const *)argv + 1, (guint)argc - 1, groups, error);
    g_autoptr(LpGivenProgram) program = trace == NULL ? NULL : lp_trace_to_given(trace, error);
    if (program == NULL)
        return FALSE;
    g_autofree char *name = name_of(trace);
    g_autofree char *source = g_strdup_printf("%s of %u ranks", what, program->n_ranks);
    g_autofree char *xml = lp_given_program_to_xml(program, name, source, trace->settings);
    if (output == NULL || strcmp(output, "-") == 0)
        return lp_print_result(xml, error);
    if (!lp_file_write(output, xml, strlen(xml), error))
        return FALSE;
    g_autofree char *text = to_text(trace, program, name, output);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_import_trace(int argc, char **argv, GError **error)
{
    g_autofree char *output = NULL, *groups = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Where to write the program (default standard output)", "PROGRAM.xml"},
        {"groups", 0, 0, G_OPTION_ARG_FILENAME, &groups,
         "Ranks of process groups by name, as ASTRA-sim takes them (default: as the traces say)",
         "FILE.json"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autofree char *command = g_strdup_printf("import %s", argv[0]);
    if (!lp_options_parse(command, "FILE...",
                          "Makes a program by hand of the traces of all ranks of a job.", entries,
                          &argc, &argv, 1, G_MAXINT, error))
        return FALSE;
    const LpOutputPath written = {"-o", output != NULL && strcmp(output, "-") != 0 ? output : NULL,
                                  FALSE};
    return lp_check_outputs(&written, 1, argv + 1, error) &&
           import_files(argc, argv, groups, output, error);
}
