/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath collective: a single collective on a machine, by message size. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/option_rows.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/sizes.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "platforms/catalogue/libraries.h"
#include "model/network/library_mix.h"
#include "platforms/machine/machine_library.h"
#include "workloads/description/attribute_text.h"
#include "base/json.h"
#include "report/result_field.h"
#include "sim/run/collective_run.h"
#include "workloads/given/step_file.h"

#include <string.h>

typedef struct {
    char *bytes, *ranks, *groups, *library, *class, *protocol, *algorithm, *fidelity, *collapse,
        *format; /* owned */
    gboolean strided, flows;
} Options;

static void
options_clear(Options *self)
{
    g_free(self->bytes);
    g_free(self->ranks);
    g_free(self->groups);
    g_free(self->library);
    g_free(self->class);
    g_free(self->protocol);
    g_free(self->algorithm);
    g_free(self->fidelity);
    g_free(self->collapse);
    g_free(self->format);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* A size and what came of it. */
typedef struct {
    guint64 bytes;
    char library[LP_LIBRARY_NAME_MAX];
    LpCollectiveResult result;
} Row;

/* A collective is among two ranks or more. */
static gboolean
parse_ranks(const Options *options, const LpMachine *machine, LpCollectiveRequest *request,
            GError **error)
{
    if (!lp_option_count("groups", options->groups, 1, machine->n_accelerators, 1,
                         &request->n_groups, error))
        return FALSE;
    guint64 most = machine->n_accelerators / request->n_groups;
    if (most < 2)
        return lp_usage_error(error,
                              "--groups: got %u of %" G_GUINT64_FORMAT
                              " accelerators, wanted at least 2 for each",
                              request->n_groups, machine->n_accelerators);
    if (request->collective == LP_COLLECTIVE_SEND)
        most = 2;
    return lp_option_count("ranks", options->ranks, 2, most, most, &request->n_ranks, error);
}

/* Returns: (transfer full), that of the job, or several. */
static LpLibrary *
load_libraries(const Options *options, const LpMachine *machine, GError **error)
{
    g_autoptr(GError) fault = NULL;
    g_autofree LpPlan *plan = g_new0(LpPlan, 1);
    const char *text = options->library != NULL ? options->library : LP_LIBRARY_AUTO;
    if (!lp_text_library.set(plan, text, &fault)) {
        lp_usage_error(error, "--library: %s", fault->message);
        return NULL;
    }
    g_autoptr(LpLibrary) library = lp_machine_libraries(machine, &plan->library, &fault);
    if (library == NULL) {
        lp_usage_error(error, "--%s", fault->message);
        return NULL;
    }
    for (guint32 i = 0; options->protocol != NULL && i < lp_library_n_mixed(library); i++)
        if (!lp_library_restrict(lp_library_mixed(library, i), options->protocol, &fault)) {
            lp_usage_error(error, "--protocol: %s", fault->message);
            return NULL;
        }
    return g_steal_pointer(&library);
}

/* The class that the group is of; LP_N_TRAFFIC: of none. */
static gboolean
parse_class(const Options *options, LpTraffic *out_class, GError **error)
{
    const char *names[LP_N_TRAFFIC + 1] = {NULL};
    guint n = 0, index = 0;
    for (guint i = 0; i < LP_N_TRAFFIC; i++)
        if (i != LP_TRAFFIC_PP) /* whose messages are no collectives */
            names[n++] = lp_traffic_names[i];
    if (!lp_option_choice("class", options->class, names, n, &index, error))
        return FALSE;
    *out_class = (LpTraffic)(index == n ? LP_N_TRAFFIC : index + (index >= LP_TRAFFIC_PP));
    return TRUE;
}

/* Selects the library, among @libraries, that runs what @row asks for. */
static void
pick_library(const LpLibrary *libraries, LpTraffic class, const Row *row,
             LpCollectiveRequest *io_request)
{
    io_request->bytes = row->bytes;
    io_request->library = *lp_library_for(libraries, io_request->collective, class, row->bytes);
    io_request->library.mix = NULL;
}

static gboolean
parse_algorithm(const Options *options, LpCollectiveRequest *request, GError **error)
{
    if (options->algorithm == NULL || lp_algorithms_parse(options->algorithm, &request->algorithms))
        return TRUE;
    if (lp_step_file_is_named(options->algorithm))
        return lp_step_file_load(options->algorithm, &request->algorithms, error);
    g_autofree char *shown = lp_error_quote(options->algorithm);
    return lp_usage_error(error,
                          "--algorithm: got %s, wanted auto, one of ring, tree, doubling, "
                          "halving-doubling, bruck, pairwise, direct, torus, in-network, levels "
                          "such as ring+tree, or a file of steps, FILE.xml",
                          shown);
}

static gboolean
parse_request(const Options *options, const char *operation, const LpMachine *machine,
              LpCollectiveRequest *request, GError **error)
{
    static const char *const switch_names[] = {"off", "on", NULL};
    guint fidelity = 0, collapse = 0;
    g_autoptr(GError) fault = NULL;
    int collective = lp_choice_parse(operation, lp_collective_names, &fault);
    if (collective < 0)
        return lp_usage_error(error, "collective: operation: %s", fault->message);
    request->collective = (LpCollective)collective;
    request->strided = options->strided;
    if (!lp_option_choice("fidelity", options->fidelity, lp_fidelity_names, LP_FIDELITY_FLOW,
                          &fidelity, error) ||
        !lp_option_choice("collapse", options->collapse, switch_names, TRUE, &collapse, error) ||
        !parse_ranks(options, machine, request, error))
        return FALSE;
    request->fidelity = (LpFidelity)fidelity;
    request->collapse = collapse != 0;
    return parse_algorithm(options, request, error);
}

static double
algorithmic_bytes_per_s(const Row *row)
{
    double time_s = row->result.run.iteration_time_s;
    return time_s > 0.0 ? (double)row->bytes / time_s : 0.0;
}

static json_t *
to_json(const LpCollectiveRequest *request, const char *library, const GArray *rows)
{
    json_t *root = lp_json_document();
    lp_json_set_text(root, "operation", lp_collective_names[request->collective]);
    lp_json_set_text(root, "library", library);
    lp_json_set_text(root, "fidelity", lp_fidelity_names[request->fidelity]);
    lp_json_set_count(root, "ranks", request->n_ranks);
    lp_json_set_count(root, "groups", request->n_groups);
    json_t *runs = lp_json_set_array(root, "runs");
    for (guint i = 0; i < rows->len; i++) {
        const Row *row = &g_array_index(rows, Row, i);
        json_t *run = lp_json_append_object(runs);
        lp_json_set_count(run, "bytes", row->bytes);
        lp_json_set_text(run, "library", row->library);
        lp_json_set_text(run, "algorithm", row->result.algorithm);
        lp_json_set_text(run, "protocol", row->result.protocol);
        lp_json_set_number(run, "time_s", row->result.run.iteration_time_s);
        lp_json_set_number(run, "alone_s", row->result.isolated_s);
        lp_json_set_number(run, "algorithmic_bytes_per_s", algorithmic_bytes_per_s(row));
        lp_json_set_number(run, "bus_bytes_per_s",
                           algorithmic_bytes_per_s(row) *
                               lp_collective_bus_factor(request->collective, request->n_ranks));
        lp_json_set_count(run, "traffic_bytes", row->result.run.traffic_bytes[LP_TRAFFIC_DP]);
        lp_json_set_count(run, "activities", row->result.run.n_activities);
    }
    return root;
}

/* @report: what to_json() made. */
static char *
to_text(const LpCollectiveRequest *request, const char *library, const LpMachine *machine,
        const json_t *report)
{
    static const char *const keys[] = {"/bytes",           "/algorithm", "/protocol",
                                       "/time_s",          "/alone_s",   "/algorithmic_bytes_per_s",
                                       "/bus_bytes_per_s", NULL};
    static const char *const mixed[] = {"/bytes",
                                        "/library",
                                        "/algorithm",
                                        "/protocol",
                                        "/time_s",
                                        "/alone_s",
                                        "/algorithmic_bytes_per_s",
                                        "/bus_bytes_per_s",
                                        NULL};
    gboolean is_mix = strcmp(library, request->library.name) != 0;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s among %u ranks of %s, library %s, fidelity %s\n",
                           lp_collective_names[request->collective], request->n_ranks,
                           lp_file_label(machine->path), library,
                           lp_fidelity_names[request->fidelity]);
    g_autoptr(LpTextTable) table =
        lp_result_field_table("collective", "/runs", is_mix ? mixed : keys, report);
    lp_text_table_append(out, table, 0);
    return g_string_free(out, FALSE);
}

/* --- flows --- */

static json_t *
flows_to_json(const GArray *flows)
{
    json_t *root = lp_json_document();
    json_t *list = lp_json_set_array(root, "flows");
    for (guint i = 0; i < flows->len; i++) {
        const LpCollectiveFlow *flow = &g_array_index(flows, LpCollectiveFlow, i);
        json_t *element = lp_json_append_object(list);
        lp_json_set_count(element, "from", flow->from);
        lp_json_set_count(element, "to", flow->to);
        lp_json_set_count(element, "bytes", flow->bytes);
        lp_json_set_text(element, "from_port", flow->from_port);
        lp_json_set_text(element, "relay_port", flow->relay);
        lp_json_set_text(element, "to_port", flow->to_port);
        lp_json_set_count(element, "links", flow->n_links);
        lp_json_set_number(element, "latency_s", flow->latency_s);
        lp_json_set_number(element, "bytes_per_s", flow->bytes_per_s);
    }
    return root;
}

/* @report: what flows_to_json() made. */
static char *
flows_to_text(const json_t *report)
{
    static const char *const keys[] = {"/from",        "/to",      "/bytes", "/from_port",
                                       "/relay_port",  "/to_port", "/links", "/latency_s",
                                       "/bytes_per_s", NULL};
    GString *out = g_string_new(NULL);
    g_autoptr(LpTextTable) table = lp_result_field_table("flows", "/flows", keys, report);
    lp_text_table_append(out, table, 0);
    return g_string_free(out, FALSE);
}

/* Turns an error about the algorithm into one about the option that named it. */
static gboolean
refuse_run(GError **error)
{
    if (error != NULL && g_str_has_prefix((*error)->message, "algorithm: "))
        g_prefix_error(error, "--");
    return FALSE;
}

static gboolean
print_flows(LpCollectiveRequest *request, guint64 bytes, const LpMachine *machine, LpFormat format,
            GError **error)
{
    request->bytes = bytes;
    g_autoptr(GArray) flows = lp_collective_run_flows(request, machine, error);
    if (flows == NULL)
        return refuse_run(error);
    if (format == LP_FORMAT_JSON)
        return lp_print_json(flows_to_json(flows), error);
    g_autoptr(json_t) report = flows_to_json(flows);
    g_autofree char *text = flows_to_text(report);
    return lp_print_result(text, error);
}

static gboolean
measure(const Options *options, char **arguments, GError **error)
{
    LpFormat format;
    LpCollectiveRequest request = {.bytes = 0};
    if (!lp_format_parse(options->format, &format, error))
        return FALSE;
    gboolean is_barrier = strcmp(arguments[1], lp_collective_names[LP_COLLECTIVE_BARRIER]) == 0;
    if (is_barrier && options->bytes != NULL)
        return lp_usage_error(error, "--bytes: got a size, wanted none: a barrier carries no data");
    const char *sizes = is_barrier ? "1B" : "1MiB-1GiB";
    g_autoptr(GArray) bytes =
        lp_sizes_parse(options->bytes != NULL ? options->bytes : sizes, error);
    if (bytes == NULL)
        return FALSE;
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(Row));
    for (guint i = 0; i < bytes->len; i++) {
        Row row = {.bytes = g_array_index(bytes, guint64, i)};
        g_array_append_val(rows, row);
    }
    g_autoptr(LpMachine) machine = lp_input_load_machine(arguments[2], error);
    LpTraffic class = LP_N_TRAFFIC;
    if (machine == NULL || !parse_request(options, arguments[1], machine, &request, error) ||
        !parse_class(options, &class, error))
        return FALSE;
    g_autoptr(LpLibrary) libraries = load_libraries(options, machine, error);
    if (libraries == NULL)
        return FALSE;
    pick_library(libraries, class, &g_array_index(rows, Row, 0), &request);
    if (options->flows)
        return print_flows(&request, request.bytes, machine, format, error);
    g_auto(LpProgress) progress = lp_progress_start("sizes");
    for (guint i = 0; i < rows->len; i++) {
        Row *row = &g_array_index(rows, Row, i);
        lp_progress_show(&progress, i, rows->len);
        pick_library(libraries, class, row, &request);
        g_strlcpy(row->library, request.library.name, sizeof row->library);
        if (!lp_collective_run_in_child(&request, machine, &row->result, error))
            return refuse_run(error);
    }
    lp_progress_show(&progress, rows->len, rows->len);
    gboolean is_mix = lp_library_n_mixed(libraries) > 1;
    const char *library = is_mix ? options->library : libraries->name;
    if (format == LP_FORMAT_JSON)
        return lp_print_json(to_json(&request, library, rows), error);
    g_autoptr(json_t) report = to_json(&request, library, rows);
    g_autofree char *text = to_text(&request, library, machine, report);
    return lp_print_result(text, error);
}

gboolean
lp_cmd_collective(int argc, char **argv, GError **error)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"bytes", 0, 0, G_OPTION_ARG_STRING, &options.bytes,
         "Size of the whole buffer: 1MB, a list 1MB,64MB, or a range of doublings (default "
         "1MiB-1GiB)",
         "SIZE"},
        {"ranks", 0, 0, G_OPTION_ARG_STRING, &options.ranks,
         "Ranks of a group (default: all accelerators over the groups)", "N"},
        {"groups", 0, 0, G_OPTION_ARG_STRING, &options.groups,
         "Groups that do the same at the same time (default 1)", "N"},
        {"strided", 0, 0, G_OPTION_ARG_NONE, &options.strided,
         "Groups take turns in the accelerators, as rails do; else each has its own in a row",
         NULL},
        {"flows", 0, 0, G_OPTION_ARG_NONE, &options.flows,
         "Instead of running it, say who of the first group sends how much to whom, by which ports",
         NULL},
        {"algorithm", 0, 0, G_OPTION_ARG_STRING, &options.algorithm,
         "Such as ring, tree, ring+tree, or FILE.xml with steps (default: the library's choice)",
         "NAME"},
        {"library", 0, 0, G_OPTION_ARG_STRING, &options.library,
         "Communication library, or several; auto: the one of the accelerators (default auto)",
         "NAME"},
        {"class", 0, 0, G_OPTION_ARG_STRING, &options.class,
         "Of the groups, where several libraries are chosen by that (default: none)",
         "tp|dp|ep|cp|embedding"},
        {"protocol", 0, 0, G_OPTION_ARG_STRING, &options.protocol,
         "Protocol of that library (default: its choice)", "NAME"},
        LP_ROW_FIDELITY(&options.fidelity),
        {"collapse", 0, 0, G_OPTION_ARG_STRING, &options.collapse,
         "Work out what meets no other traffic (on, default), or simulate every flow (off)",
         "on|off"},
        LP_ROW_FORMAT(&options.format),
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("collective", "OPERATION PLATFORM",
                          "Runs a single collective on a machine, by message size: all-reduce, "
                          "reduce-scatter, all-gather, all-to-all, broadcast, reduce, send or "
                          "barrier.",
                          entries, &argc, &argv, 2, 2, error))
        return FALSE;
    return measure(&options, argv, error);
}
