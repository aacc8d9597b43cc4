/* SPDX-License-Identifier: Apache-2.0 */
/* Several jobs, traffic, slow ranks and failures on one machine: cases worked out by hand, and what
 * holds for all of them. */
#include "tests/sim/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <math.h>
#include <string.h>

/* Two domains of two accelerators, which share one card of 10 GB/s. */
#define SHARED_CARDS                                                                               \
    "--system=generic --accelerators=4 --accelerator=a100-80 --domain-size=2 "                     \
    "--domain-bandwidth=100GBps --scale-out-bandwidth=5GBps --nics-per-domain=1"
#define CARD_BYTES_PER_S 1e10
/* A job of two ranks, in different domains, that has no host, hides nothing, and reduces all
 * gradients at once. */
/* With CUDA graphs: what waits for a host does not become slower with its device. */
#define PAIR                                                                                       \
    "workload='gpt3-125m' dp='2' micro-batch='8' global-batch='16' overlap-dp='no' bucket='all' "  \
    "cuda-graphs='yes'"
/* A message that is under way for as long as anything runs. */
#define ENDLESS "message='1000TB'"
/* The engine against sums of quotients: some ten roundings. */
#define EXACT 1e-9

typedef struct {
    char *platform, *scenario; /* owned: paths */
} Files;

static char *
write_scenario(const char *content)
{
    char *path = NULL;
    int file = g_file_open_tmp("lightpath-test-XXXXXX.xml", &path, NULL);
    g_autofree char *text = g_strdup_printf("<scenario name='test'>%s</scenario>", content);
    lp_test_true("temporary file",
                 file >= 0 && g_close(file, NULL) && g_file_set_contents(path, text, -1, NULL));
    return path;
}

static Files
files_new(const char *content)
{
    return (Files){lp_spawn_platform(SHARED_CARDS), write_scenario(content)};
}

static void
files_clear(Files *self)
{
    (void)g_unlink(self->platform);
    (void)g_unlink(self->scenario);
    g_free(self->platform);
    g_free(self->scenario);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

static json_t *
run_files(const Files *files, const char *options)
{
    g_autofree char *line =
        g_strconcat("simulate --format=json ", files->scenario, " ", files->platform, NULL);
    return lp_spawn_json(line, options);
}

/* The result of the scenario @content on shared cards. */
static json_t *
run(const char *content, const char *options)
{
    g_auto(Files) files = files_new(content);
    return run_files(&files, options);
}

static json_t *
member(json_t *result, const char *list, guint index)
{
    if (result == NULL)
        return NULL;
    json_t *array = json_object_get(result, list);
    lp_test_true(list, index < json_array_size(array));
    return index < json_array_size(array) ? json_array_get(array, index) : NULL;
}

static double
at(json_t *result, guint job, const char *path)
{
    return lp_json_at(member(result, "jobs", job), path);
}

/* --- one job is one workload --- */

static char *
member_text(json_t *node, const char *name)
{
    if (node == NULL)
        return g_strdup("nothing");
    return lp_json_print_line(json_object_get(node, name));
}

static void
test_single_job(void)
{
    static const struct {
        const char *label, *attributes, *settings, *platform;
    } rows[] = {
        {"overlapped", "workload='gpt3-125m'", "gpt3-125m", "dgx-a100-8"},
        {"pipeline", "workload='gpt3-1.3b' tp='4' pp='4' dp='4' global-batch='64'",
         "gpt3-1.3b --set=tp=4 --set=pp=4 --set=dp=4 --set=global-batch=64", "dgx-h100-64"},
        {"scattered", "workload='gpt3-1.3b' tp='2' dp='8' global-batch='64' placement='scattered'",
         "gpt3-1.3b --set=tp=2 --set=dp=8 --set=global-batch=64 --set=placement=scattered",
         "dgx-h100-64"},
        {"experts", "workload='mixtral-8x7b'", "mixtral-8x7b", "dgx-h100-64"},
    };
    static const char *const members[] = {"plan",  "simulated",     "closed_form",
                                          "amped", "traffic_bytes", "memory"};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *content = g_strdup_printf("<job name='a' %s/>", rows[i].attributes);
        g_autofree char *path = write_scenario(content);
        g_autofree char *words = g_strconcat(path, " ", rows[i].platform, NULL);
        g_autoptr(json_t) scenario = lp_spawn_json("simulate --format=json --ignore-memory", words);
        g_autofree char *plain_words = g_strconcat(rows[i].settings, " ", rows[i].platform, NULL);
        g_autoptr(json_t) plain =
            lp_spawn_json("simulate --format=json --ignore-memory", plain_words);
        for (guint k = 0; k < G_N_ELEMENTS(members); k++) {
            g_autofree char *got = member_text(member(scenario, "jobs", 0), members[k]);
            g_autofree char *wanted = member_text(plain, members[k]);
            g_autofree char *label = g_strconcat(rows[i].label, ": ", members[k], NULL);
            lp_test_text(label, got, wanted);
        }
        lp_test_close(rows[i].label, at(scenario, 0, "slowdown"), 1.0, 0.0);
        lp_test_close(rows[i].label, at(scenario, 0, "difference.unexplained_s"),
                      lp_json_at(plain, "difference.unexplained_s"), 0.0);
        (void)g_unlink(path);
    }
}

/* --- contention --- */

/* Both jobs' rings send the gradients over the same two links at the same time. */
static void
test_two_jobs(void)
{
    static const char *const options[] = {"--collapse=on", "--collapse=off"};
    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autoptr(json_t) result = run("<job name='a' " PAIR " accelerators='0,2'/>"
                                       "<job name='b' " PAIR " accelerators='1,3'/>",
                                       options[i]);
        for (guint job = 0; job < 2; job++) {
            double bytes = at(result, job, "traffic_bytes.dp") / 2.0;
            double alone_s = at(result, job, "alone_s");
            lp_test_close(options[i], at(result, job, "simulated.iteration_time_s"),
                          alone_s + bytes / CARD_BYTES_PER_S, EXACT);
            lp_test_close(options[i], at(result, job, "difference.others_s"),
                          bytes / CARD_BYTES_PER_S, EXACT);
            lp_test_true(options[i], fabs(at(result, job, "difference.contention_s")) < 1e-12);
        }
    }
}

/* Jobs that start so far apart that they never send together do not feel each other. */
static void
test_start(void)
{
    g_autoptr(json_t) apart = run("<job name='a' " PAIR " accelerators='0,2'/>"
                                  "<job name='b' " PAIR " accelerators='1,3' start='100ms'/>",
                                  NULL);
    for (guint job = 0; job < 2; job++)
        lp_test_close("apart", at(apart, job, "simulated.iteration_time_s"),
                      at(apart, job, "alone_s"), EXACT);
    lp_test_close("start", at(apart, 1, "start_s"), 0.1, 0.0);
    lp_test_close("end", at(apart, 1, "end_s") - at(apart, 0, "end_s"), 0.1, EXACT);
}

/* A message that is always there takes half; several on one link share it evenly. */
static void
test_traffic(void)
{
    static const struct {
        const char *label, *traffic;
        double share;
    } rows[] = {
        {"none", "", 1.0},
        {"one flow", "<traffic name='t' pattern='pairs' accelerators='1,3' " ENDLESS "/>", 2.0},
        {"two flows",
         "<traffic name='t' pattern='pairs' accelerators='1,3' " ENDLESS "/>"
         "<traffic name='u' pattern='pairs' accelerators='0,2' " ENDLESS "/>",
         3.0},
        {"both ways", "<traffic name='t' pattern='permutation' accelerators='1,3' " ENDLESS "/>",
         2.0},
        {"incast of one", "<traffic name='t' pattern='incast' accelerators='1,3' " ENDLESS "/>",
         2.0},
        {"all to all", "<traffic name='t' pattern='all-to-all' accelerators='1,3' " ENDLESS "/>",
         2.0},
        {"uniform", "<traffic name='t' pattern='uniform' accelerators='1,3' " ENDLESS "/>", 2.0},
        {"elsewhere", "<traffic name='t' pattern='pairs' accelerators='0,1' " ENDLESS "/>", 1.0},
        {"over", "<traffic name='t' pattern='pairs' accelerators='1,3' message='1B' end='0s'/>",
         1.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *content =
            g_strconcat("<job name='a' " PAIR " accelerators='0,2'/>", rows[i].traffic, NULL);
        g_autoptr(json_t) result = run(content, NULL);
        double bytes = at(result, 0, "traffic_bytes.dp") / 2.0;
        double wanted_s =
            at(result, 0, "alone_s") + (rows[i].share - 1.0) * bytes / CARD_BYTES_PER_S;
        lp_test_close(rows[i].label, at(result, 0, "simulated.iteration_time_s"), wanted_s, EXACT);
    }
}

/* Half of a link's rate in messages of equal distance: each takes twice its lonely time while the
 * job sends, which leaves the job half of the link; before, one message in two gaps is there. The
 * job may have up to one message's time more or less. */
static void
test_load(void)
{
    double message_s = 1e6 / CARD_BYTES_PER_S;
    g_autoptr(json_t) result =
        run("<job name='a' " PAIR " accelerators='0,2'/>"
            "<traffic name='t' pattern='pairs' accelerators='1,3' load='0.5' gaps='fixed' "
            "message='1MB'/>",
            NULL);
    double bytes = at(result, 0, "traffic_bytes.dp") / 2.0;
    double time_s = at(result, 0, "simulated.iteration_time_s");
    double wanted_s = at(result, 0, "alone_s") + bytes / CARD_BYTES_PER_S;
    lp_test_true("half of the link", fabs(time_s - wanted_s) <= 2.0 * message_s);
    json_t *traffic = member(result, "traffic", 0);
    double n = lp_json_at(traffic, "messages") + lp_json_at(traffic, "under_way");
    lp_test_close("messages", n, floor(time_s / (2.0 * message_s)) + 1.0, 0.0);
    lp_test_close("bytes", lp_json_at(traffic, "bytes"), lp_json_at(traffic, "messages") * 1e6,
                  0.0);
}

/* Poisson arrivals: the number of messages is within five standard deviations of its mean. */
static void
test_poisson(void)
{
    g_autoptr(json_t) result =
        run("<job name='a' " PAIR " accelerators='0,2'/>"
            "<traffic name='t' pattern='pairs' accelerators='1,3' rate='1GBps' message='1MB'/>",
            NULL);
    json_t *traffic = member(result, "traffic", 0);
    double n = lp_json_at(traffic, "messages") + lp_json_at(traffic, "under_way");
    double mean = at(result, 0, "end_s") * 1e9 / 1e6;
    lp_test_true("arrivals", fabs(n - mean) < 5.0 * sqrt(mean));
    lp_test_true("a job beside is not faster", at(result, 0, "slowdown") >= 1.0);
}

/* --- failures --- */

typedef struct {
    double start_s, end_s; /* of the gradients' flows */
    double time_s;         /* of the iteration */
} Gradients;

static Gradients
find_gradients(void)
{
    g_autoptr(json_t) result = run("<job name='a' " PAIR " accelerators='0,2'/>", NULL);
    double bytes = at(result, 0, "traffic_bytes.dp") / 2.0;
    double time_s = at(result, 0, "simulated.iteration_time_s");
    double end_s = time_s - at(result, 0, "simulated.terms_s.optimizer");
    return (Gradients){end_s - bytes / CARD_BYTES_PER_S, end_s, time_s};
}

/* What is left when the link degrades takes 1 / factor as long. */
static void
test_degraded(void)
{
    static const struct {
        const char *label;
        double when, factor; /* when: over the flows' time */
    } rows[] = {{"in the middle", 0.5, 0.5},
                {"late", 0.9, 0.25},
                {"before", -2.0, 0.5},
                {"after", 1.001, 0.1},
                {"at all times", -1e9, 0.5}};
    static const char *const ports[] = {"port='scale-out:0'", "port='scale-out:3'"};
    Gradients flows = find_gradients();
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double at_s = MAX(flows.start_s + rows[i].when * (flows.end_s - flows.start_s), 0.0);
        char when[G_ASCII_DTOSTR_BUF_SIZE], factor[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *content =
            g_strdup_printf("<job name='a' " PAIR " accelerators='0,2'/>"
                            "<failure %s at='%ss' bandwidth-factor='%s'/>",
                            ports[i % 2], g_ascii_dtostr(when, sizeof when, at_s),
                            g_ascii_dtostr(factor, sizeof factor, rows[i].factor));
        double slow_from_s = CLAMP(at_s, flows.start_s, flows.end_s);
        double more_s = (flows.end_s - slow_from_s) * (1.0 / rows[i].factor - 1.0);
        static const char *const options[] = {"--collapse=on", "--collapse=off"};
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = run(content, options[k]);
            lp_test_close(rows[i].label, at(result, 0, "simulated.iteration_time_s"),
                          flows.time_s + more_s, 1e-6);
            lp_test_close(rows[i].label, at(result, 0, "slowdown"), 1.0, 0.0);
            lp_test_true(rows[i].label, fabs(at(result, 0, "difference.faults_s") - more_s) < 1e-6);
        }
    }
}

/* @text with the instants MID, in the gradients' flows, and LATER, 1 ms behind. */
static char *
with_instants(const char *text, const Gradients *flows)
{
    double mid_s = flows->start_s + 0.25 * (flows->end_s - flows->start_s);
    char mid[G_ASCII_DTOSTR_BUF_SIZE], later[G_ASCII_DTOSTR_BUF_SIZE];
    g_autoptr(GString) result = g_string_new(text);
    g_string_replace(result, "MID", g_ascii_dtostr(mid, sizeof mid, mid_s), 0);
    g_string_replace(result, "LATER", g_ascii_dtostr(later, sizeof later, mid_s + 1e-3), 0);
    return g_strdup(result->str);
}

/* A rank whose message dies makes the run end at once with one line that says who waits for whom;
 * one that has sent all is not harmed. */
static void
test_dead(void)
{
    static const struct {
        const char *label, *rest;
        gboolean lives;
    } rows[] = {
        {"from the start", "<failure port='scale-out:0' at='0s' dead='yes'/>", FALSE},
        {"on the way", "<failure port='scale-out:0' at='MIDs' dead='yes'/>", FALSE},
        {"beside another job",
         "<failure port='scale-out:0' at='MIDs' dead='yes'/>"
         "<job name='b' workload='gpt3-125m' dp='1' global-batch='32' accelerators='1'/>",
         FALSE},
        {"beside traffic that never ends",
         "<failure port='scale-out:0' at='MIDs' dead='yes'/>"
         "<traffic name='t' pattern='permutation' message='1MB' load='0.2'/>"
         "<traffic name='u' pattern='pairs' accelerators='1,3' message='10MB'/>",
         FALSE},
        {"degraded, then dead",
         "<failure port='scale-out:2' at='MIDs' bandwidth-factor='0.001'/>"
         "<failure port='scale-out:2' at='LATERs' dead='yes'/>",
         FALSE},
        {"after the end", "<failure port='scale-out:0' at='1s' dead='yes'/>", TRUE},
        {"a port that nobody uses", "<failure port='scale-up:1' at='0s' dead='yes'/>", TRUE},
    };
    static const char *const options[] = {"--collapse=on", "--collapse=off", "--fidelity=message",
                                          "--set=algorithm-dp=tree --fidelity=message",
                                          "--set=algorithm-dp=direct"};
    Gradients flows = find_gradients();
    lp_test_true("a while", flows.start_s > 0.0 && flows.end_s - flows.start_s > 4e-3);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *rest = with_instants(rows[i].rest, &flows);
        g_autofree char *content =
            g_strconcat("<job name='a' " PAIR " accelerators='0,2'/>", rest, NULL);
        g_auto(Files) files = files_new(content);
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autofree char *line =
                g_strconcat("simulate ", files.scenario, " ", files.platform, NULL);
            LpSpawned ran = lp_spawn(line, options[k]);
            lp_test_true(rows[i].label, ran.status == (rows[i].lives ? 0 : 1));
            lp_test_true(rows[i].label,
                         (strstr(ran.complaint, "job \"a\": rank ") != NULL &&
                          strstr(ran.complaint, " waits for ever for a message of rank ") != NULL &&
                          strstr(ran.complaint, "dead since ") != NULL) != rows[i].lives);
            const char *end = strchr(ran.complaint, '\n');
            lp_test_true(rows[i].label, rows[i].lives ? end == NULL : end != NULL && end[1] == 0);
            lp_spawned_clear(&ran);
        }
    }
}

/* --- slow ranks --- */

static void
test_straggler(void)
{
    g_autoptr(json_t) plain = run("<job name='a' " PAIR " accelerators='0,2'/>", NULL);
    static const char *const slow[] = {"job='a' ranks='1'", "job='a' ranks='0-1'",
                                       "accelerators='2'", "job='a'"};
    for (guint i = 0; i < G_N_ELEMENTS(slow); i++) {
        g_autofree char *content = g_strdup_printf("<job name='a' " PAIR " accelerators='0,2'/>"
                                                   "<straggler %s factor='2'/>",
                                                   slow[i]);
        static const char *const options[] = {"--collapse=on", "--collapse=off"};
        for (guint k = 0; k < G_N_ELEMENTS(options); k++) {
            g_autoptr(json_t) result = run(content, options[k]);
            lp_test_close(slow[i], at(result, 0, "simulated.terms_s.compute"),
                          2.0 * at(plain, 0, "simulated.terms_s.compute"), EXACT);
            lp_test_close(slow[i], at(result, 0, "simulated.terms_s.optimizer"),
                          2.0 * at(plain, 0, "simulated.terms_s.optimizer"), EXACT);
            lp_test_close(slow[i], at(result, 0, "simulated.terms_s.dp"),
                          at(plain, 0, "simulated.terms_s.dp"), EXACT);
            lp_test_close(slow[i], at(result, 0, "difference.faults_s"),
                          at(plain, 0, "simulated.terms_s.compute") +
                              at(plain, 0, "simulated.terms_s.optimizer"),
                          EXACT);
        }
    }
}

/* The slowest member sets the pace of a tensor-parallel group, merged or not; a slow stage that of
 * its pipeline. */
static void
test_straggler_collapse(void)
{
    static const char *const plans[] = {
        "tp='4' dp='2'", "tp='2' pp='2' dp='2'", "tp='8' dp='1'",
        "tp='2' pp='4' dp='1' sequence-parallel='yes' overlap-tp='bulk'"};
    static const char *const slow[] = {
        "factor='1.5'", "factor='1.3' distribution='lognormal' jitter='0.1' seed='5'",
        "distribution='exponential' jitter='0.2'", "distribution='normal' jitter='0.3' seed='9'"};
    for (guint i = 0; i < G_N_ELEMENTS(plans); i++) {
        g_autofree char *content = g_strdup_printf(
            "<job name='a' workload='gpt3-1.3b' %s global-batch='32' micro-batch='2'/>"
            "<straggler job='a' ranks='0,3' %s/>",
            plans[i], slow[i]);
        g_autofree char *path = write_scenario(content);
        g_autofree char *line = g_strconcat("simulate --format=json --ignore-memory ", path,
                                            " dgx-a100-8 --collapse", NULL);
        g_autofree char *with = g_strconcat(line, "=on", NULL);
        g_autofree char *without = g_strconcat(line, "=off", NULL);
        g_autoptr(json_t) merged = lp_spawn_json(with, NULL);
        g_autoptr(json_t) whole = lp_spawn_json(without, NULL);
        lp_test_close(plans[i], at(merged, 0, "simulated.iteration_time_s"),
                      at(whole, 0, "simulated.iteration_time_s"), 1e-6);
        lp_test_true(plans[i], at(merged, 0, "difference.faults_s") > 0.0);
        (void)g_unlink(path);
    }
}

/* --- what holds for all --- */

#define MANY_JOBS "<job name='a' " PAIR " accelerators='0,2'/>"
#define MANY_OTHER "<job name='b' " PAIR " accelerators='1,3' start='7ms' iterations='2'/>"
#define MANY_TRAFFIC "<traffic name='t' pattern='uniform' message='3MB' load='0.05' seed='4'/>"
#define MANY_CLOSED "<traffic name='s' pattern='permutation' message='3MB' accelerators='0-3'/>"
#define MANY_SLOW                                                                                  \
    "<straggler job='a' distribution='lognormal' jitter='0.05' seed='2'/>"                         \
    "<straggler accelerators='3' factor='1.1'/>"
#define MANY_FAULTS                                                                                \
    "<failure port='scale-out:0' at='100ms' bandwidth-factor='0.5'/>"                              \
    "<failure port='scale-out:3' at='200ms' bandwidth-factor='0.7'/>"

/* Two runs give the same bytes, and so does any order of the elements. */
static void
test_order(void)
{
    static const char *const contents[] = {
        MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED MANY_SLOW MANY_FAULTS,
        MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED MANY_SLOW MANY_FAULTS,
        MANY_FAULTS MANY_CLOSED MANY_SLOW MANY_OTHER MANY_TRAFFIC MANY_JOBS,
        MANY_OTHER MANY_JOBS MANY_FAULTS MANY_TRAFFIC MANY_CLOSED MANY_SLOW};
    static const char *const formats[] = {"--format=json", "--format=text"};
    for (guint format = 0; format < G_N_ELEMENTS(formats); format++) {
        g_autofree char *first = NULL;
        g_autofree char *platform = lp_spawn_platform(SHARED_CARDS);
        for (guint i = 0; i < G_N_ELEMENTS(contents); i++) {
            g_autofree char *path = write_scenario(contents[i]);
            g_autofree char *line = g_strconcat("simulate ", path, " ", platform, NULL);
            LpSpawned ran = lp_spawn(line, formats[format]);
            lp_test_text("order", ran.complaint, "");
            if (first == NULL)
                first = g_strdup(ran.output);
            lp_test_true("same bytes", g_strcmp0(first, ran.output) == 0);
            lp_spawned_clear(&ran);
            (void)g_unlink(path);
        }
        (void)g_unlink(platform);
    }
}

/* Another seed is another run. */
static void
test_seed(void)
{
    static const char *const contents[] = {
        MANY_JOBS "<straggler job='a' distribution='normal' jitter='0.1' seed='%d'/>",
        MANY_JOBS "<traffic name='t' pattern='pairs' accelerators='1,3' message='1MB' load='0.4' "
                  "seed='%d'/>"};
    for (guint i = 0; i < G_N_ELEMENTS(contents); i++) {
        g_auto(GStrv) parts = g_strsplit(contents[i], "%d", 2);
        g_autofree char *one = g_strjoinv("1", parts), *two = g_strjoinv("2", parts);
        g_autoptr(json_t) first = run(one, NULL), second = run(two, NULL);
        lp_test_true("seed", fabs(at(first, 0, "simulated.iteration_time_s") -
                                  at(second, 0, "simulated.iteration_time_s")) > 1e-9);
    }
}

static const struct {
    const char *name, *platform;
} shipped[] = {{"two-jobs", "polaris-64"},
               {"busy-fabric", "dgx-h100-64"},
               {"slow-rank", "dgx-h100-64"},
               {"degraded-port", "dgx-h100-64"}};

/* What is collapsed cannot matter, and nobody gains from others. */
static void
test_shipped(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(shipped); i++) {
        g_autofree char *line = g_strconcat("simulate --format=json ", shipped[i].name, " ",
                                            shipped[i].platform, " --set=global-batch=64", NULL);
        g_autoptr(json_t) on = lp_spawn_json(line, NULL);
        g_autoptr(json_t) off = lp_spawn_json(line, "--collapse=off");
        guint n = (guint)json_array_size(json_object_get(on, "jobs"));
        lp_test_true(shipped[i].name, n > 0);
        for (guint job = 0; job < n; job++) {
            lp_test_close(shipped[i].name, at(on, job, "simulated.iteration_time_s"),
                          at(off, job, "simulated.iteration_time_s"), 1e-6);
            lp_test_true(shipped[i].name, at(on, job, "slowdown") >= 1.0 - EXACT);
        }
    }
}

/* A job beside others: never faster than alone; alone, as it is by itself on the same machine. */
static void
test_alone(void)
{
    g_autoptr(json_t) crowd = run(MANY_JOBS MANY_OTHER MANY_TRAFFIC MANY_CLOSED, NULL);
    g_autoptr(json_t) first = run(MANY_JOBS, NULL), second = run(MANY_OTHER, NULL);
    for (guint job = 0; job < 2; job++)
        lp_test_true("not faster", at(crowd, job, "slowdown") > 1.0);
    lp_test_close("first", at(crowd, 0, "alone_s"), at(first, 0, "simulated.iteration_time_s"),
                  0.0);
    lp_test_close("second", at(crowd, 1, "alone_s"), at(second, 0, "simulated.iteration_time_s"),
                  0.0);
}

/* Where nothing is hidden iterations follow each other, and the mean of several is one of them. */
static void
test_iterations(void)
{
    g_autoptr(json_t) one = run(MANY_JOBS, NULL);
    g_autoptr(json_t) five =
        run("<job name='a' " PAIR " accelerators='0,2' iterations='5'/>", NULL);
    lp_test_close("mean", at(five, 0, "simulated.iteration_time_s"),
                  at(one, 0, "simulated.iteration_time_s"), EXACT);
    lp_test_close("end", at(five, 0, "end_s"), 5.0 * at(one, 0, "end_s"), EXACT);
    lp_test_close("bytes", at(five, 0, "traffic_bytes.dp"), at(one, 0, "traffic_bytes.dp"), 0.0);
}

/* --- refusals --- */

#define JOB "<job name='a' " PAIR " accelerators='0,2'/>"

static void
test_faults(void)
{
    static const struct {
        const char *content, *part;
    } rows[] = {
        {"", "scenario"},
        {"<traffic name='t' pattern='pairs' message='1B'/>", "got no job, wanted one"},
        {"<job workload='gpt3-125m'/>", "name"},
        {"<job name='a b' workload='gpt3-125m'/>", "name"},
        {"<job name='a'/>", "workload"},
        {"<job name='a' workload='nonsense'/>", "<job> workload: "},
        {"<job name='a' workload='gpt3-125m' nonsense='1'/>", "<job> nonsense: "},
        {"<job name='a' workload='gpt3-125m' dp='x'/>", "<job> dp: "},
        {"<job name='a' workload='gpt3-125m' dp='3'/>", "<job> workload: "},
        {"<job name='a' " PAIR " start='1'/>", "<job> start: "},
        {"<job name='a' " PAIR " iterations='0'/>", "<job> iterations: "},
        {"<job name='a' " PAIR " accelerators='0-2'/>", "got 3 accelerators, wanted one for each"},
        {"<job name='a' " PAIR " accelerators='2-1'/>", "<job> accelerators: "},
        {"<job name='a' " PAIR " accelerators='1,1'/>", "each number once"},
        {"<job name='a' " PAIR " accelerators=''/>", "<job> accelerators: "},
        {"<job name='a' " PAIR " accelerators='0,4'/>", "got accelerator 4 for rank 1"},
        {"<job name='a' " PAIR " accelerators='0-99999999999'/>", "<job> accelerators: "},
        {"<job name='a' " PAIR " first='3'/>", "got accelerator 4 for rank 1"},
        {"<job name='a' " PAIR " first='1' accelerators='0,1'/>", "<job> first: "},
        {"<job name='a' " PAIR " first='1' placement='scattered'/>", "wanted placement=packed"},
        {"<job name='a' workload='gpt3-125m' dp='8'/>", "wanted at most the 4 accelerators"},
        {"<job name='a' " PAIR " placement='/nonexistent'/>", "/nonexistent"},
        {JOB JOB, "got a second job \"a\""},
        {JOB "<job name='b' " PAIR " first='1'/>", "got accelerator 2, which job \"a\" has"},
        {JOB "<traffic name='t' pattern='star' message='1B'/>", "<traffic> pattern: "},
        {JOB "<traffic name='t' pattern='pairs' message='0B'/>", "<traffic> message: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' rate='1GBps' load='1'/>",
         "<traffic> load: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' load='0'/>", "<traffic> load: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' gaps='fixed'/>", "<traffic> gaps: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' accelerators='1'/>",
         "wanted two or more"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' accelerators='1,9'/>",
         "accelerators: got 9"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' class='scale-up'/>",
         "different domains"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' class='scale-out'/>", "card"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' start='2s' end='1s'/>",
         "<traffic> end: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B'/>"
             "<traffic name='t' pattern='pairs' message='1B'/>",
         "got a second traffic \"t\""},
        {JOB "<traffic name='t' pattern='pairs' accelerators='1,3' message='100kB' load='16'/>",
         "wanted a load that the network can carry"},
        {JOB "<straggler factor='2'/>", "<straggler> job: "},
        {JOB "<straggler job='b' factor='2'/>", "wanted the name of a job"},
        {JOB "<straggler job='a' ranks='2' factor='2'/>", "got rank 2"},
        {JOB "<straggler job='a' accelerators='2' factor='2'/>", "<straggler> accelerators: "},
        {JOB "<straggler accelerators='4' factor='2'/>", "<straggler> accelerators: got 4"},
        {JOB "<straggler job='a' factor='0.5'/>", "<straggler> factor: "},
        {JOB "<straggler job='a' jitter='0.5'/>", "<straggler> jitter: "},
        {JOB "<straggler job='a' jitter='0.5' distribution='gamma'/>",
         "<straggler> distribution: "},
        {JOB "<straggler job='a' factor='2'/><straggler accelerators='2' factor='2'/>",
         "rank 1 of job \"a\" a second time"},
        {JOB "<failure at='1s' dead='yes'/>", "<failure> link: "},
        {JOB "<failure at='1s' link='x' dead='yes'/>", "wanted a link such as"},
        {JOB "<failure at='1s' port='0' dead='yes'/>", "<failure> port: "},
        {JOB "<failure at='1s' port='scale-out:4' dead='yes'/>", "accelerator 4"},
        {JOB "<failure at='1s' port='scale-out:0'/>", "<failure> bandwidth-factor: "},
        {JOB "<failure at='1s' port='scale-out:0' bandwidth-factor='0'/>",
         "<failure> bandwidth-factor: "},
        {JOB "<failure at='1s' port='scale-out:0' link='x' dead='yes'/>", "<failure> link: "},
        {JOB "<failure at='-1s' port='scale-out:0' dead='yes'/>", "<failure> at: "},
        {JOB "<failure at='1s' port='scale-out:0' dead='maybe'/>", "<failure> dead: "},
        {JOB "<nonsense/>", "nonsense"},
    };
    g_autofree char *platform = lp_spawn_platform(SHARED_CARDS);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = write_scenario(rows[i].content);
        g_autofree char *line = g_strconcat("simulate ", path, " ", platform, NULL);
        LpSpawned ran = lp_spawn(line, NULL);
        const char *end = strchr(ran.complaint, '\n');
        lp_test_true(rows[i].part, ran.status == 1 && end != NULL && end[1] == '\0');
        if (strstr(ran.complaint, rows[i].part) == NULL)
            lp_test_text(rows[i].content, ran.complaint, rows[i].part);
        lp_spawned_clear(&ran);
        (void)g_unlink(path);
    }
    (void)g_unlink(platform);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"one job is one workload", test_single_job},
                                       {"two jobs on shared links", test_two_jobs},
                                       {"start", test_start},
                                       {"traffic", test_traffic},
                                       {"load", test_load},
                                       {"Poisson arrivals", test_poisson},
                                       {"degraded links", test_degraded},
                                       {"dead links", test_dead},
                                       {"slow ranks", test_straggler},
                                       {"slow ranks, collapsed", test_straggler_collapse},
                                       {"order and repetition", test_order},
                                       {"seeds", test_seed},
                                       {"shipped scenarios", test_shipped},
                                       {"alone", test_alone},
                                       {"iterations", test_iterations},
                                       {"refusals", test_faults},
                                       {NULL, NULL}};
    return lp_test_run("scenario", cases);
}
