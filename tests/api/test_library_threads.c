/* SPDX-License-Identifier: Apache-2.0 */
/* The library called from several threads: each gets what it would get alone, a result may be read
 * by all of them, and a fork among them leaves the child a library that works. The preset "tsan"
 * runs this with a detector of data races. */
#include "lightpath.h"
#include "tests/testlib.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 6
#define N_FORKS 4

/* What a thread asks for, several wrong on purpose, and a part of what it is told. */
static const struct {
    const char *workload, *system, *option, *value, *attribute, *setting, *told;
} jobs[] = {
    {"gpt3-125m", "dgx-a100", "nics-per-domain", "4", "dp", "4", "iteration_time_s"},
    {"gpt3-125m", "dgx-h100", "nics-per-domain", "8", "dp", "8", "iteration_time_s"},
    {"gpt3-125m", "ocs", "reconfiguration-time", "1ms", "seq", "512", "iteration_time_s"},
    {"no-such-model", "dgx-h100", "rails", "8", "tp", "2", "\"no-such-model\" is neither"},
    {"gpt3-125m", "no-such-system", "rails", "8", "tp", "2", "\"no-such-system\" is not"},
    {"gpt3-125m", "dgx-h100", "no-such-option", "8", "tp", "2", "no-such-option"},
    {"gpt3-125m", "dgx-h100", "rails", "8", "no-such-attribute", "2", "unknown attribute"},
    {"gpt3-125m", "dgx-h100", "rails", "8", "tp", "no-such-degree", "tp=no-such-degree: "},
    {"gpt3-125m", "dgx-h100", "rails", "8", "tp", "7", "wanted a divisor of heads"},
};

/* A text that was made, or an error: both are @text from now on. @made: (transfer full). */
static void
add_text(GString *text, char *made, char *error)
{
    g_string_append_printf(text, "%s\n", made != NULL ? made : error);
    lp_free(made);
    lp_free(error);
}

static void
add_result(GString *text, LpResult *result, char *error)
{
    if (result == NULL) {
        add_text(text, NULL, error);
        return;
    }
    g_string_append_printf(text, "%s%.17g %ld\n", lp_result_json(result),
                           lp_result_number(result, "/simulated/iteration_time_s"),
                           lp_result_size(result, "/simulated/terms_s"));
    lp_result_free(result);
}

/* All that the library says to job @job. Returns: for g_free(). */
static char *
work(gsize job)
{
    GString *text = g_string_new(NULL);
    char *error = NULL;
    LpWorkload *workload = lp_workload_load(jobs[job].workload, &error);
    LpMachine *machine = workload != NULL ? lp_machine_generate(jobs[job].system, 8, &error) : NULL;
    if (machine != NULL &&
        lp_machine_set(machine, jobs[job].option, jobs[job].value, &error) == 0 &&
        lp_workload_set(workload, jobs[job].attribute, jobs[job].setting, &error) == 0) {
        LpResult *estimate = lp_estimate(workload, machine, NULL, &error);
        add_result(text, estimate, error);
        error = NULL;
        LpResult *result = lp_simulate(workload, machine, NULL, &error);
        add_result(text, result, error);
    } else {
        add_text(text, NULL, error);
    }
    lp_machine_free(machine);
    lp_workload_free(workload);
    return g_string_free(text, FALSE);
}

/* What each job is told where nobody else asks; set once by the first test that needs it. */
static char *alone[G_N_ELEMENTS(jobs)];

static void
ask_alone(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(jobs) && alone[G_N_ELEMENTS(jobs) - 1] == NULL; i++)
        alone[i] = work(i);
}

/* --- threads --- */

typedef struct {
    pthread_t thread;
    gsize number;
    const LpResult *shared; /* or NULL */
    GString *found;         /* what the thread says of itself */
    gsize n_wrong;
} Caller;

/* Runs @function in each of @n threads, which have a number and @shared, and waits for them. */
static void
start(Caller *callers, void *(*function)(void *), const LpResult *shared)
{
    for (gsize i = 0; i < N_THREADS; i++) {
        callers[i] = (Caller){.number = i, .shared = shared, .found = g_string_new(NULL)};
        if (pthread_create(&callers[i].thread, NULL, function, &callers[i]) != 0)
            abort();
    }
}

static void
finish(Caller *callers, const char *label, const char *wanted)
{
    for (gsize i = 0; i < N_THREADS; i++) {
        pthread_join(callers[i].thread, NULL);
        lp_test_true(label, callers[i].n_wrong == 0);
        if (wanted != NULL)
            lp_test_text(label, callers[i].found->str, wanted);
        g_string_free(callers[i].found, TRUE);
    }
}

static void *
call_all(void *data)
{
    Caller *self = data;
    for (gsize i = 0; i < G_N_ELEMENTS(jobs); i++) {
        gsize job = (self->number + i) % G_N_ELEMENTS(jobs);
        g_autofree char *text = work(job);
        self->n_wrong += strcmp(text, alone[job]) != 0;
    }
    return NULL;
}

static void
test_side_by_side(void)
{
    Caller callers[N_THREADS];
    ask_alone();
    for (gsize i = 0; i < G_N_ELEMENTS(jobs); i++)
        lp_test_contains(jobs[i].system, alone[i], jobs[i].told);
    start(callers, call_all, NULL);
    finish(callers, "as alone", NULL);
}

/* The first of all: no program waits that could be asked in its place. */
static void *
call_nobody(void *data)
{
    Caller *self = data;
    char *error = NULL;
    LpMachine *machine = lp_machine_load("dgx-a100-8", &error);
    lp_machine_free(machine);
    add_text(self->found, NULL, error);
    return NULL;
}

static void
test_no_program(void)
{
    Caller callers[N_THREADS];
    g_autofree char *program = g_strdup(g_getenv("LIGHTPATH_PROGRAM"));
    g_setenv("LIGHTPATH_PROGRAM", "/nowhere", TRUE);
    start(callers, call_nobody, NULL);
    finish(callers, "no program",
           "/nowhere: got \"No such file or directory\", wanted the program lightpath "
           "(LIGHTPATH_PROGRAM names it)\n");
    g_setenv("LIGHTPATH_PROGRAM", program, TRUE);
}

static void
read_result(GString *text, const LpResult *result)
{
    char *error = NULL;
    g_string_append_printf(text, "%s %.17g %ld %s\n", lp_result_string(result, "/workload"),
                           lp_result_number(result, "/simulated/mfu"), lp_result_size(result, ""),
                           lp_result_json(result));
    char *table = lp_result_text(result, &error);
    add_text(text, table, error);
    error = NULL;
    char *page = lp_result_page(result, &error);
    add_text(text, page, error);
}

static void *
call_result(void *data)
{
    Caller *self = data;
    read_result(self->found, self->shared);
    return NULL;
}

static LpResult *
simulate(const LpOptions *options, char **error)
{
    LpWorkload *workload = lp_workload_load("gpt3-125m", error);
    LpMachine *machine = lp_machine_load("dgx-a100-8", error);
    LpResult *result = lp_simulate(workload, machine, options, error);
    lp_workload_free(workload);
    lp_machine_free(machine);
    return result;
}

static void
test_shared_result(void)
{
    Caller callers[N_THREADS];
    LpResult *result = simulate(NULL, NULL);
    g_autoptr(GString) wanted = g_string_new(NULL);
    read_result(wanted, result);
    lp_test_contains("page", wanted->str, "<html");
    start(callers, call_result, result);
    finish(callers, "read by all", wanted->str);
    lp_result_free(result);
}

/* Ends the runs of every second thread. */
static int
on_progress(double fraction, void *data)
{
    const Caller *self = data;
    return fraction >= -1.0 && self->number % 2 == 0;
}

static void *
call_off(void *data)
{
    Caller *self = data;
    LpOptions *options = lp_options_new();
    lp_options_set(options, "collapse", "off");
    lp_options_set_progress(options, on_progress, self);
    char *error = NULL;
    LpResult *result = simulate(options, &error);
    gboolean is_off = result == NULL && strcmp(error, "cancelled") == 0;
    self->n_wrong += is_off != (self->number % 2 == 0);
    lp_result_free(result);
    lp_free(error);
    lp_options_free(options);
    return NULL;
}

static void
test_cancelled(void)
{
    Caller callers[N_THREADS];
    start(callers, call_off, NULL);
    finish(callers, "ended by itself alone", NULL);
}

/* Forks while other threads call. A child that waits for a thread that it does not have is ended by
 * its alarm. */
static void
test_fork(void)
{
    Caller callers[N_THREADS];
    ask_alone();
    start(callers, call_all, NULL);
    for (gsize i = 0; i < N_FORKS; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            (void)alarm(300);
            g_autofree char *text = work(0);
            _exit(strcmp(text, alone[0]) == 0 ? 0 : 1);
        }
        lp_test_true("forked", child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    finish(callers, "beside forks", NULL);
}

static void
check_message(const char *label, char *error)
{
    gboolean is_line = error != NULL && strlen(error) <= 300 && g_utf8_validate(error, -1, NULL);
    for (const char *at = error; is_line && *at != '\0'; at = g_utf8_next_char(at))
        is_line = g_unichar_isprint(g_utf8_get_char(at));
    lp_test_true(label, is_line);
    lp_free(error);
}

/* Whatever texts are handed over, a message is a line of printable UTF-8, and none is passed over.
 */
static void
test_messages(void)
{
    g_autofree char *large = g_strnfill(100000, 'n');
    const char *const texts[] = {"a\nb", "a\x1b[31mb", "\xff\xfe", "n\u202ex", large};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *errors[6] = {NULL};
        LpWorkload *workload = lp_workload_load("gpt3-125m", NULL);
        LpMachine *machine = lp_machine_load("dgx-a100-8", NULL);
        const char *const words[] = {"platform", "list", texts[i], NULL};
        lp_test_true("file", lp_workload_load(texts[i], &errors[0]) == NULL);
        lp_test_true("name", lp_workload_set(workload, texts[i], "1", &errors[1]) != 0);
        lp_test_true("value", lp_workload_set(workload, "layers", texts[i], &errors[2]) != 0);
        lp_test_true("system", lp_machine_generate(texts[i], 8, &errors[3]) == NULL);
        lp_test_true("option", lp_machine_set(machine, texts[i], "1", &errors[4]) != 0);
        lp_test_true("word", lp_run(words, NULL, &errors[5]) == NULL);
        for (guint k = 0; k < G_N_ELEMENTS(errors); k++)
            check_message("message", errors[k]);
        lp_workload_free(workload);
        lp_machine_free(machine);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"no_program", test_no_program},
                                       {"side_by_side", test_side_by_side},
                                       {"shared_result", test_shared_result},
                                       {"cancelled", test_cancelled},
                                       {"messages", test_messages},
                                       {"fork", test_fork},
                                       {NULL, NULL}};
    int status = lp_test_run("library_threads", cases);
    for (gsize i = 0; i < G_N_ELEMENTS(jobs); i++)
        g_free(alone[i]);
    return status;
}
