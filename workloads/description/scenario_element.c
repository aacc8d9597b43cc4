/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of a scenario, each for itself. */
#include "workloads/description/scenario_element.h"

#include "base/error.h"
#include "base/file.h"
#include "base/ranges.h"
#include "workloads/description/attribute.h"
#include "workloads/description/given_workload.h"

#include <math.h>
#include <string.h>

const char *const lp_pattern_names[] = {"permutation", "uniform",    "pairs",
                                        "incast",      "all-to-all", NULL};
const char *const lp_ports_names[] = {"auto", "scale-up", "scale-out", NULL};
const char *const lp_jitter_names[] = {"none", "normal", "lognormal", "exponential", NULL};

/* No machine has more accelerators (LP_MACHINE_HOSTS_MAX). */
#define NUMBER_MAX ((1u << 21) - 1)
#define ITERATIONS_MAX 10000u
/* Longer than any iteration: a century. */
#define TIME_MAX_S 3.2e9
/* Counts of bytes stay exact as doubles. */
#define MESSAGE_MAX_BYTES 9007199254740992.0
#define RATE_MAX_BYTES_PER_S 1e18
#define LOAD_MAX 16.0
#define FACTOR_MAX 1e6
#define JITTER_MAX 10.0
/* A link that is slower than this is as good as dead, and should be called so. */
#define BANDWIDTH_FACTOR_MIN 1e-6

void
lp_scenario_job_free(LpScenarioJob *self)
{
    g_free(self->where);
    g_free(self->name);
    lp_workload_free(self->workload);
    g_clear_pointer(&self->accelerators, g_array_unref);
    g_free(self);
}

void
lp_scenario_traffic_free(LpScenarioTraffic *self)
{
    g_free(self->where);
    g_free(self->name);
    g_clear_pointer(&self->accelerators, g_array_unref);
    g_free(self);
}

void
lp_scenario_straggler_free(LpScenarioStraggler *self)
{
    g_free(self->where);
    g_free(self->job);
    g_clear_pointer(&self->ranks, g_array_unref);
    g_clear_pointer(&self->accelerators, g_array_unref);
    g_free(self);
}

void
lp_scenario_failure_free(LpScenarioFailure *self)
{
    g_free(self->where);
    g_free(self->link);
    g_free(self);
}

/* --- attributes: absent ones keep the value that is there --- */

typedef struct {
    LpScenario *scenario; /* borrowed, as are the others */
    const LpXml *xml;
    xmlNode *node;
} Reader;

static char *
where(const Reader *self)
{
    return g_strdup_printf("%s:%ld", lp_file_label(self->xml->path), xmlGetLineNo(self->node));
}

static gboolean fail(const Reader *self, const char *attribute, GError **error, const char *format,
                     ...) G_GNUC_PRINTF(4, 5);

static gboolean
fail(const Reader *self, const char *attribute, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, message);
    lp_xml_prefix(self->xml, self->node, attribute, error);
    return FALSE;
}

static gboolean
has(const Reader *self, const char *name)
{
    return lp_xml_attribute(self->node, name) != NULL;
}

static gboolean
read_quantity(const Reader *self, const char *name, LpQuantity quantity, double minimum,
              double maximum, double *io_value, GError **error)
{
    return !has(self, name) || lp_xml_quantity_in(self->xml, self->node, name, quantity, minimum,
                                                  maximum, io_value, error);
}

static gboolean
read_number(const Reader *self, const char *name, double minimum, double maximum, double *io_value,
            GError **error)
{
    return !has(self, name) ||
           lp_xml_number(self->xml, self->node, name, minimum, maximum, io_value, error);
}

static gboolean
read_count(const Reader *self, const char *name, guint32 minimum, guint32 maximum,
           guint32 *io_value, GError **error)
{
    guint64 value = *io_value;
    if (has(self, name) &&
        !lp_xml_count(self->xml, self->node, name, minimum, maximum, &value, error))
        return FALSE;
    *io_value = (guint32)value;
    return TRUE;
}

static gboolean
read_choice(const Reader *self, const char *name, const char *const *names, guint *io_value,
            GError **error)
{
    const char *text = lp_xml_attribute(self->node, name);
    int choice = text == NULL ? (int)*io_value : lp_choice_parse(text, names, error);
    if (choice >= 0) {
        *io_value = (guint)choice;
        return TRUE;
    }
    lp_xml_prefix(self->xml, self->node, name, error);
    return FALSE;
}

static gboolean
read_numbers(const Reader *self, const char *name, GArray **io_numbers, GError **error)
{
    const char *text = lp_xml_attribute(self->node, name);
    if (text == NULL)
        return TRUE;
    *io_numbers = lp_ranges_parse(text, NUMBER_MAX, error);
    if (*io_numbers != NULL)
        return TRUE;
    lp_xml_prefix(self->xml, self->node, name, error);
    return FALSE;
}

/* Whether at most one of two attributes is given. */
static gboolean
is_single(const Reader *self, const char *name, const char *other, GError **error)
{
    if (!has(self, name) || !has(self, other))
        return TRUE;
    return fail(self, name, error, "got %s=\"%s\" too, wanted one of both", other,
                lp_xml_attribute(self->node, other));
}

/* --- jobs --- */

static gboolean
is_own_attribute(const char *name)
{
    static const char *const names[] = {"name",       "workload", "accelerators", "first", "start",
                                        "iterations", NULL};
    return g_strv_contains(names, name);
}

/* Reads the workload's attributes of a job as settings. Each is tried first, so that an error names
 * its place in the scenario. */
static char **
read_attributes(const Reader *self, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(LpWorkload) scratch = g_new0(LpWorkload, 1);
    for (const xmlAttr *at = self->node->properties; at != NULL; at = at->next) {
        const char *name = (const char *)at->name;
        if (is_own_attribute(name))
            continue;
        const char *text = lp_xml_attribute(self->node, name);
        const LpAttribute *attribute = lp_attribute_find(name, error);
        if (attribute == NULL ||
            !lp_attribute_set(attribute, scratch, text, LP_ORIGIN_SETTING, error)) {
            lp_xml_prefix(self->xml, self->node, name, error);
            return NULL;
        }
        g_ptr_array_add(all, g_strdup_printf("%s=%s", name, text));
    }
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&all), FALSE);
}

/* A path in a scenario starts where the scenario lies. */
static char *
resolve(const Reader *self, const char *name)
{
    gboolean is_path = strchr(name, '/') != NULL || g_str_has_suffix(name, ".xml");
    if (!is_path || g_path_is_absolute(name) || g_str_has_prefix(self->xml->path, "resource:"))
        return g_strdup(name);
    g_autofree char *folder = g_path_get_dirname(self->xml->path);
    return strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
}

static LpWorkload *
load_workload(const Reader *self, const char *const *settings, GError **error)
{
    g_auto(GStrv) own = read_attributes(self, error);
    if (own == NULL)
        return NULL;
    g_autofree char *name = resolve(self, lp_xml_attribute(self->node, "workload"));
    g_autofree char *path = lp_given_workload_find(name, error);
    LpWorkload *workload =
        path == NULL ? NULL : lp_workload_load_job(path, (const char *const *)own, settings, error);
    if (workload == NULL) {
        /* A shipped scenario is called by its name: settings may not go with it. */
        g_autofree char *place = where(self);
        g_prefix_error(error, "%s: <job> workload: ", place);
    }
    return workload;
}

/* Checks that only one attribute says on which accelerators a job runs. */
static gboolean
check_place(const Reader *self, const LpScenarioJob *job, GError **error)
{
    if (!is_single(self, "first", "accelerators", error))
        return FALSE;
    gboolean is_packed = strcmp(job->workload->placement, "packed") == 0;
    const char *name = job->accelerators != NULL ? "accelerators" : "first";
    if (!is_packed && (job->accelerators != NULL || job->has_first))
        return fail(self, name, error, "got placement=%s too, wanted placement=packed with it",
                    job->workload->placement);
    guint64 n_ranks = lp_plan_n_ranks(&job->workload->plan);
    if (job->accelerators != NULL && job->accelerators->len != n_ranks)
        return fail(self, name, error,
                    "got %u accelerators, wanted one for each of %" G_GUINT64_FORMAT " ranks",
                    job->accelerators->len, n_ranks);
    return TRUE;
}

static gboolean
read_job(const Reader *self, const char *const *settings, GError **error)
{
    g_autoptr(LpScenarioJob) job = g_new0(LpScenarioJob, 1);
    job->where = where(self);
    job->name = g_strdup(lp_xml_attribute(self->node, "name"));
    job->n_iterations = 1;
    job->has_first = has(self, "first");
    if (!read_numbers(self, "accelerators", &job->accelerators, error) ||
        !read_count(self, "first", 0, NUMBER_MAX, &job->first, error) ||
        !read_quantity(self, "start", LP_QUANTITY_TIME, 0.0, TIME_MAX_S, &job->start_s, error) ||
        !read_count(self, "iterations", 1, ITERATIONS_MAX, &job->n_iterations, error))
        return FALSE;
    job->workload = load_workload(self, settings, error);
    if (job->workload == NULL || !check_place(self, job, error))
        return FALSE;
    g_ptr_array_add(self->scenario->jobs, g_steal_pointer(&job));
    return TRUE;
}

/* --- traffic --- */

/* Reads the start and the end of what an element describes. */
static gboolean
read_span(const Reader *self, double *out_start_s, double *out_end_s, GError **error)
{
    *out_start_s = 0.0;
    *out_end_s = INFINITY;
    if (!read_quantity(self, "start", LP_QUANTITY_TIME, 0.0, TIME_MAX_S, out_start_s, error) ||
        !read_quantity(self, "end", LP_QUANTITY_TIME, 0.0, TIME_MAX_S, out_end_s, error))
        return FALSE;
    return *out_end_s >= *out_start_s ||
           fail(self, "end", error, "got an end before the start, wanted one after it");
}

static gboolean
read_rate(const Reader *self, LpScenarioTraffic *traffic, GError **error)
{
    static const char *const names[] = {"exponential", "fixed", NULL};
    guint gaps = LP_GAPS_EXPONENTIAL;
    if (!is_single(self, "load", "rate", error) ||
        !read_quantity(self, "rate", LP_QUANTITY_BANDWIDTH, 1.0, RATE_MAX_BYTES_PER_S,
                       &traffic->rate_bytes_per_s, error) ||
        !read_number(self, "load", 1e-6, LOAD_MAX, &traffic->load, error) ||
        !read_choice(self, "gaps", names, &gaps, error))
        return FALSE;
    gboolean closed = !has(self, "rate") && !has(self, "load");
    if (closed && has(self, "gaps"))
        return fail(self, "gaps", error, "got neither rate nor load, wanted one of them with it");
    traffic->gaps = closed ? LP_GAPS_CLOSED : (LpGaps)gaps;
    return TRUE;
}

static gboolean
read_traffic(const Reader *self, GError **error)
{
    g_autoptr(LpScenarioTraffic) traffic = g_new0(LpScenarioTraffic, 1);
    traffic->where = where(self);
    traffic->name = g_strdup(lp_xml_attribute(self->node, "name"));
    traffic->seed = 1;
    guint pattern = 0, ports = LP_PORTS_AUTO;
    double message_bytes = 0.0;
    if (!read_choice(self, "pattern", lp_pattern_names, &pattern, error) ||
        !read_numbers(self, "accelerators", &traffic->accelerators, error) ||
        !read_quantity(self, "message", LP_QUANTITY_SIZE, 1.0, MESSAGE_MAX_BYTES, &message_bytes,
                       error) ||
        !read_rate(self, traffic, error) ||
        !read_span(self, &traffic->start_s, &traffic->end_s, error) ||
        !read_count(self, "seed", 0, G_MAXUINT32, &traffic->seed, error) ||
        !read_choice(self, "class", lp_ports_names, &ports, error))
        return FALSE;
    if (traffic->accelerators != NULL && traffic->accelerators->len < 2)
        return fail(self, "accelerators", error, "got one accelerator, wanted two or more");
    traffic->pattern = (LpPattern)pattern;
    traffic->ports = (LpPorts)ports;
    traffic->message_bytes = (guint64)message_bytes;
    g_ptr_array_add(self->scenario->traffic, g_steal_pointer(&traffic));
    return TRUE;
}

/* --- stragglers and failures --- */

static gboolean
check_straggler(const Reader *self, GError **error)
{
    if (!is_single(self, "accelerators", "job", error))
        return FALSE;
    if (!has(self, "accelerators") && !has(self, "job"))
        return fail(self, "job", error, "got neither job nor accelerators, wanted one of them");
    if (has(self, "ranks") && !has(self, "job"))
        return fail(self, "ranks", error, "got no job, wanted the one whose ranks these are");
    if (has(self, "jitter") != has(self, "distribution"))
        return fail(self, has(self, "jitter") ? "jitter" : "distribution", error,
                    "got one of jitter and distribution, wanted both or none");
    return TRUE;
}

static gboolean
read_straggler(const Reader *self, GError **error)
{
    g_autoptr(LpScenarioStraggler) straggler = g_new0(LpScenarioStraggler, 1);
    straggler->where = where(self);
    straggler->job = g_strdup(lp_xml_attribute(self->node, "job"));
    straggler->factor = 1.0;
    straggler->seed = 1;
    guint distribution = LP_JITTER_NONE;
    if (!check_straggler(self, error) || !read_numbers(self, "ranks", &straggler->ranks, error) ||
        !read_numbers(self, "accelerators", &straggler->accelerators, error) ||
        !read_number(self, "factor", 1.0, FACTOR_MAX, &straggler->factor, error) ||
        !read_number(self, "jitter", 0.0, JITTER_MAX, &straggler->jitter, error) ||
        !read_choice(self, "distribution", lp_jitter_names, &distribution, error) ||
        !read_span(self, &straggler->start_s, &straggler->end_s, error) ||
        !read_count(self, "seed", 0, G_MAXUINT32, &straggler->seed, error))
        return FALSE;
    straggler->distribution = (LpJitter)distribution;
    g_ptr_array_add(self->scenario->stragglers, g_steal_pointer(&straggler));
    return TRUE;
}

/* "scale-out:12": the ports of that accelerator. */
static gboolean
read_port(const Reader *self, LpScenarioFailure *failure, GError **error)
{
    const char *text = lp_xml_attribute(self->node, "port");
    if (text == NULL)
        return TRUE;
    const char *colon = strchr(text, ':');
    guint64 accelerator = 0;
    failure->scale_out = g_str_has_prefix(text, "scale-out:");
    if (colon == NULL || (!failure->scale_out && !g_str_has_prefix(text, "scale-up:")) ||
        !lp_count_parse(colon + 1, 0, NUMBER_MAX, &accelerator, NULL)) {
        g_autofree char *shown = lp_error_quote(text);
        return fail(self, "port", error,
                    "got %s, wanted \"scale-up:\" or \"scale-out:\" and an accelerator", shown);
    }
    failure->accelerator = (guint32)accelerator;
    return TRUE;
}

/* "laser:A:N", "wavelength:A:N", "port:A:N" of accelerator A, or "plane:N". */
static gboolean
read_circuit(const Reader *self, LpScenarioFailure *failure, GError **error)
{
    static const char *const parts[] = {"laser", "wavelength", "port", "plane", NULL};
    const char *text = lp_xml_attribute(self->node, "circuit");
    if (text == NULL)
        return TRUE;
    g_auto(GStrv) words = g_strsplit(text, ":", -1);
    guint n = g_strv_length(words);
    int part = n > 0 ? lp_choice_parse(words[0], parts, NULL) : -1;
    gboolean is_plane = part + 1 == LP_CIRCUIT_PART_PLANE;
    guint64 accelerator = 0, index = 0;
    if (part < 0 || n != (is_plane ? 2 : 3) ||
        (!is_plane && !lp_count_parse(words[1], 0, NUMBER_MAX, &accelerator, NULL)) ||
        !lp_count_parse(words[n - 1], 0, NUMBER_MAX, &index, NULL)) {
        g_autofree char *shown = lp_error_quote(text);
        return fail(
            self, "circuit", error,
            "got %s, wanted laser, wavelength or port, each with \":ACCELERATOR:NUMBER\", or "
            "\"plane:NUMBER\"",
            shown);
    }
    failure->part = (LpCircuitPart)(part + 1);
    failure->accelerator = (guint32)accelerator;
    failure->index = (guint32)index;
    return TRUE;
}

static gboolean
read_failure(const Reader *self, GError **error)
{
    static const char *const switches[] = {"no", "yes", NULL};
    g_autoptr(LpScenarioFailure) failure = g_new0(LpScenarioFailure, 1);
    failure->where = where(self);
    failure->link = g_strdup(lp_xml_attribute(self->node, "link"));
    guint dead = 0;
    if (!is_single(self, "link", "port", error) || !is_single(self, "link", "circuit", error) ||
        !is_single(self, "port", "circuit", error) || !read_circuit(self, failure, error) ||
        !is_single(self, "dead", "bandwidth-factor", error) || !read_port(self, failure, error) ||
        !read_quantity(self, "at", LP_QUANTITY_TIME, 0.0, TIME_MAX_S, &failure->at_s, error) ||
        !read_number(self, "bandwidth-factor", BANDWIDTH_FACTOR_MIN, 1.0,
                     &failure->bandwidth_factor, error) ||
        !read_choice(self, "dead", switches, &dead, error))
        return FALSE;
    if (!has(self, "link") && !has(self, "port") && !has(self, "circuit"))
        return fail(self, "link", error, "got neither link, port nor circuit, wanted one of them");
    if (has(self, "circuit") && dead == 0)
        return fail(self, "circuit", error, "got a part that does not stop, wanted dead=\"yes\"");
    if (dead == 0 && !has(self, "bandwidth-factor"))
        return fail(self, "bandwidth-factor", error,
                    "got neither bandwidth-factor nor dead=\"yes\", wanted one of them");
    failure->dead = dead != 0;
    g_ptr_array_add(self->scenario->failures, g_steal_pointer(&failure));
    return TRUE;
}

gboolean
lp_scenario_read_element(LpScenario *self, const LpXml *xml, xmlNode *node,
                         const char *const *settings, GError **error)
{
    Reader reader = {self, xml, node};
    const char *element = (const char *)node->name;
    if (strcmp(element, "job") == 0)
        return read_job(&reader, settings, error);
    if (strcmp(element, "traffic") == 0)
        return read_traffic(&reader, error);
    if (strcmp(element, "straggler") == 0)
        return read_straggler(&reader, error);
    return strcmp(element, "failure") != 0 || read_failure(&reader, error);
}
