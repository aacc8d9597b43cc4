/* SPDX-License-Identifier: Apache-2.0 */
/* Traces become programs by hand. */
#include "cli/import_trace.h"

#include "cli/options.h"
#include "cli/output_paths.h"

#include "base/file.h"
#include "platforms/catalogue/catalogue.h"
#include "workloads/given/given_writer.h"
#include "workloads/traces/chakra.h"
#include "workloads/traces/kineto.h"
#include "workloads/traces/ti.h"
#include "workloads/traces/trace_program.h"

#include <string.h>

typedef LpTrace *(*Read)(const char *const *paths, guint n_paths, const char *groups,
                         GError **error);

static LpTrace *
read_kineto(const char *const *paths, guint n_paths, const char *groups, GError **error)
{
    return lp_kineto_read(paths, n_paths, groups, NULL, error);
}

static const struct {
    const char *name, *what;
    Read read;
} formats[] = {{"chakra", "Chakra execution traces", lp_chakra_read},
               {"ti", "time-independent traces", lp_ti_read},
               {"kineto", "profiles of PyTorch", read_kineto}};

/* What the command line says beside files. */
typedef struct {
    char *groups, *from, *to, *precision; /* owned */
} Words;

static void
words_clear(Words *self)
{
    g_free(self->groups);
    g_free(self->from);
    g_free(self->to);
    g_free(self->precision);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Words, words_clear)

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

/* Whether program.xsd has @letter in names. */
static gboolean
is_of_name(gunichar letter)
{
    GUnicodeType type = g_unichar_type(letter);
    return g_unichar_isprint(letter) && type != G_UNICODE_PRIVATE_USE &&
           type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* What stands in a program's name: a line that prints. */
static char *
name_of(const LpTrace *trace)
{
    g_autofree char *base = g_path_get_basename(trace->path);
    char *end = strchr(base, '.');
    if (end != NULL && end != base)
        *end = '\0';
    g_autofree char *text = g_utf8_make_valid(trace->name != NULL ? trace->name : base, -1);
    GString *name = g_string_new(NULL);
    for (const char *at = text; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar letter = g_utf8_get_char(at);
        g_string_append_unichar(name, is_of_name(letter) ? letter : '?');
    }
    return g_string_free(name, FALSE);
}

static char *
to_text(const LpTrace *trace, const LpGivenProgram *program, const char *name, const char *output)
{
    guint64 n_nodes = 0;
    for (guint32 rank = 0; rank < trace->ranks->len; rank++)
        n_nodes += lp_trace_rank(trace, lp_trace_rank(trace, rank)->like)->nodes->len;
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
    if (trace->n_shared > 0)
        g_string_append_printf(text,
                               "streams     %u share the last queue with another, and run in its "
                               "order\n",
                               trace->n_shared);
    if (trace->n_unsized > 0)
        g_string_append_printf(text,
                               "as seen     %u kernels communicate, and what is not said: they "
                               "take the time that they took\n",
                               trace->n_unsized);
    return g_string_free(text, FALSE);
}

/* --- another accelerator --- */

/* What kernels of a kind do in a second, as far as it is their accelerator's. */
static double
rate_of(const LpAccelerator *accelerator, LpKinetoKind kind, LpPrecision precision)
{
    double peak = lp_accelerator_peak_flop_per_s(accelerator, precision);
    double attention = accelerator->attention_efficiency;
    double elements = accelerator->elementwise_efficiency;
    switch (kind) {
    case LP_KINETO_PRODUCTS:
        return peak * lp_accelerator_gemm_efficiency(accelerator, precision);
    case LP_KINETO_ATTENTION:
        return peak * (attention > 0.0 ? attention : accelerator->gemm_efficiency);
    case LP_KINETO_OTHERS:
        return accelerator->memory_bytes_per_s *
               (elements > 0.0 ? elements : accelerator->memory_efficiency);
    case LP_KINETO_COPIES:
        return accelerator->memory_bytes_per_s * accelerator->memory_efficiency;
    default:
        return 1.0;
    }
}

static gboolean
find_accelerator(const char *option, const char *name, LpAccelerator *out, GError **error)
{
    g_autoptr(GError) fault = NULL;
    return lp_catalogue_find(name, out, &fault) ||
           lp_usage_error(error, "--%s: %s", option, fault->message);
}

static gboolean
find_scale(const char *kind, const Words *words, LpKinetoScale *out_scale, GError **error)
{
    LpAccelerator from, to;
    guint precision;
    if ((words->from == NULL) != (words->to == NULL))
        return lp_usage_error(error, "--%s: got it alone, wanted --from with --to",
                              words->from != NULL ? "from" : "to");
    if (strcmp(kind, "kineto") != 0)
        return lp_usage_error(error,
                              "--from: got it for %s, wanted kineto: others do not tell "
                              "kernels apart",
                              kind);
    if (!find_accelerator("from", words->from, &from, error) ||
        !find_accelerator("to", words->to, &to, error) ||
        !lp_option_choice("precision", words->precision, lp_precision_names, LP_PRECISION_BF16,
                          &precision, error))
        return FALSE;
    for (LpKinetoKind i = 0; i < LP_N_KINETO_KINDS; i++) {
        double had = rate_of(&from, i, (LpPrecision)precision);
        double has = rate_of(&to, i, (LpPrecision)precision);
        if (had <= 0.0 || has <= 0.0)
            return lp_usage_error(error, "--precision: got %s, wanted one that %s has units for",
                                  lp_precision_names[precision], had <= 0.0 ? from.name : to.name);
        out_scale->factor[i] = had / has;
    }
    return TRUE;
}

/* --- files --- */

static LpTrace *
read_files(int argc, char **argv, const Words *words, const char **out_what, GError **error)
{
    const char *const *paths = (const char *const *)argv + 1;
    Read read = find_read(argv[0], out_what);
    LpKinetoScale scale;
    if (words->from == NULL && words->to == NULL && words->precision == NULL)
        return read(paths, (guint)argc - 1, words->groups, error);
    if (words->from == NULL && words->to == NULL) {
        lp_usage_error(error, "--precision: got it alone, wanted it with --from and --to");
        return NULL;
    }
    return find_scale(argv[0], words, &scale, error)
               ? lp_kineto_read(paths, (guint)argc - 1, words->groups, &scale, error)
               : NULL;
}

static gboolean
import_files(int argc, char **argv, const Words *words, const char *output, GError **error)
{
    const char *what = NULL;
    g_autoptr(LpTrace) trace = read_files(argc, argv, words, &what, error);
    g_autoptr(LpGivenProgram) program = trace == NULL ? NULL : lp_trace_to_given(trace, error);
    if (program == NULL)
        return FALSE;
    g_autofree char *name = name_of(trace);
    g_autofree char *source = g_strdup_printf("%s of %u ranks", what, program->n_ranks);
    g_autofree char *xml = lp_given_program_to_xml(program, name, source, trace->settings);
    if (output == NULL || strcmp(output, "-") == 0)
        return lp_print_result(xml, error);
    g_autoptr(GError) fault = NULL;
    gboolean is_written = lp_file_write(output, xml, strlen(xml), &fault);
    g_autofree char *text = to_text(trace, program, name, output);
    return lp_outputs_join(lp_print_result(text, error), is_written, &fault, error);
}

gboolean
lp_cmd_import_trace(int argc, char **argv, GError **error)
{
    g_autofree char *output = NULL;
    g_auto(Words) words = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Where to write the program (default standard output)", "PROGRAM.xml"},
        {"groups", 0, 0, G_OPTION_ARG_FILENAME, &words.groups,
         "Ranks of process groups by name, as ASTRA-sim takes them (default: as the traces say)",
         "FILE.json"},
        {"from", 0, 0, G_OPTION_ARG_STRING, &words.from,
         "With --to: the accelerator that a profile (kineto) was taken on", "ACCELERATOR"},
        {"to", 0, 0, G_OPTION_ARG_STRING, &words.to,
         "The accelerator whose rates kernels get, by kind: products, attention, others, copies",
         "ACCELERATOR"},
        {"precision", 0, 0, G_OPTION_ARG_STRING, &words.precision,
         "Of the products, for --from and --to (default bf16)", "NAME"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    g_autofree char *command = g_strdup_printf("import %s", argv[0]);
    if (!lp_options_parse(command, "FILE...",
                          "Makes a program by hand of the traces of all ranks of a job.", entries,
                          &argc, &argv, 1, G_MAXINT, error))
        return FALSE;
    const LpOutputPath written = {"-o", output != NULL && strcmp(output, "-") != 0 ? output : NULL,
                                  FALSE};
    return lp_check_outputs(&written, 1, argv + 1, error) &&
           import_files(argc, argv, &words, output, error);
}
