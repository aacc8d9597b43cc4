/* SPDX-License-Identifier: Apache-2.0 */
/* The library: objects of the caller as words of command lines, and results as JSON. */
#include "lightpath.h"

#include "api/server.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A list of words, each owned. */
static GPtrArray *
words_new(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

static void
append_words(GPtrArray *words, const GPtrArray *others)
{
    for (guint i = 0; i < others->len; i++)
        g_ptr_array_add(words, g_strdup(g_ptr_array_index(others, i)));
}

/* Puts @word, "--name=value", in the place of the one of @words that has its first @length bytes,
 * or at the end. @word: (transfer full). */
static void
put_word(GPtrArray *words, char *word, gsize length)
{
    for (guint i = 0; i < words->len; i++)
        if (strncmp(g_ptr_array_index(words, i), word, length) == 0) {
            g_free(words->pdata[i]);
            words->pdata[i] = word;
            return;
        }
    g_ptr_array_add(words, word);
}

/* Whether @name can stand for a file: what begins with a dash would be an option. */
static gboolean
is_name(const char *name, char **out_error)
{
    if (*name != '-' && *name != '\0')
        return TRUE;
    g_autofree char *shown = lp_server_shown(name);
    lp_server_fail(out_error,
                   g_strdup_printf("\"%s\": got no name, wanted a shipped one or a path", shown));
    return FALSE;
}

/* Runs @words, to which NULL is added, and forgets the answer. */
static gboolean
check(GPtrArray *words, char **out_error)
{
    g_ptr_array_add(words, NULL);
    g_autofree char *text = lp_server_run((const char *const *)words->pdata, NULL, NULL, out_error);
    return text != NULL;
}

const char *
lp_version(void)
{
    return LP_VERSION_STRING;
}

void
lp_free(char *text)
{
    g_free(text);
}

/* --- workloads --- */

struct LpWorkload {
    GPtrArray *words; /* its name, then "--set=NAME=VALUE" */
};

LpWorkload *
lp_workload_load(const char *name, char **out_error)
{
    if (!is_name(name, out_error))
        return NULL;
    g_autoptr(GPtrArray) words = words_new();
    for (guint i = 0; i < 3; i++)
        g_ptr_array_add(words, g_strdup(((const char *[]){"workload", "check", name})[i]));
    if (!check(words, out_error))
        return NULL;
    LpWorkload *self = g_new(LpWorkload, 1);
    self->words = words_new();
    g_ptr_array_add(self->words, g_strdup(name));
    return self;
}

int
lp_workload_set(LpWorkload *self, const char *name, const char *value, char **out_error)
{
    g_autofree char *setting = g_strconcat(name, "=", value, NULL);
    char *reason = NULL;
    if (!lp_server_check_setting(setting, &reason)) {
        g_autofree char *shown = lp_server_shown(setting);
        lp_server_fail(out_error, g_strdup_printf("%s: %s", shown, reason));
        g_free(reason);
        return -1;
    }
    put_word(self->words, g_strconcat("--set=", setting, NULL),
             strlen("--set=") + strlen(name) + strlen("="));
    return 0;
}

void
lp_workload_free(LpWorkload *self)
{
    if (self != NULL)
        g_ptr_array_unref(self->words);
    g_free(self);
}

/* --- machines --- */

struct LpMachine {
    GPtrArray *words; /* a name, or "--system=NAME" and other options */
    gboolean is_generated;
};

/* A machine of @words if it is one. @words: (transfer full). */
static gboolean
machine_check(const GPtrArray *words, char **out_error)
{
    g_autoptr(GPtrArray) command = words_new();
    g_ptr_array_add(command, g_strdup("platform"));
    g_ptr_array_add(command, g_strdup("describe"));
    append_words(command, words);
    return check(command, out_error);
}

static LpMachine *
machine_new(GPtrArray *words, gboolean is_generated, char **out_error)
{
    if (!machine_check(words, out_error)) {
        g_ptr_array_unref(words);
        return NULL;
    }
    LpMachine *self = g_new(LpMachine, 1);
    *self = (LpMachine){words, is_generated};
    return self;
}

LpMachine *
lp_machine_load(const char *name, char **out_error)
{
    if (!is_name(name, out_error))
        return NULL;
    GPtrArray *words = words_new();
    g_ptr_array_add(words, g_strdup(name));
    return machine_new(words, FALSE, out_error);
}

LpMachine *
lp_machine_generate(const char *system, unsigned long n_accelerators, char **out_error)
{
    GPtrArray *words = words_new();
    g_ptr_array_add(words, g_strconcat("--system=", system, NULL));
    g_ptr_array_add(words, g_strdup_printf("--accelerators=%lu", n_accelerators));
    return machine_new(words, TRUE, out_error);
}

int
lp_machine_set(LpMachine *self, const char *option, const char *value, char **out_error)
{
    if (!self->is_generated) {
        g_autofree char *shown = lp_server_shown(option);
        lp_server_fail(
            out_error,
            g_strdup_printf("%s: got a machine of a file, wanted one that is generated", shown));
        return -1;
    }
    GPtrArray *words = words_new();
    append_words(words, self->words);
    char *word = g_strdup_printf("--%s=%s", option, value);
    put_word(words, word, strlen("--") + strlen(option) + strlen("="));
    if (!machine_check(words, out_error)) {
        g_ptr_array_unref(words);
        return -1;
    }
    g_ptr_array_unref(self->words);
    self->words = words;
    return 0;
}

void
lp_machine_free(LpMachine *self)
{
    if (self != NULL)
        g_ptr_array_unref(self->words);
    g_free(self);
}

/* --- options --- */

struct LpOptions {
    GPtrArray *words;
    LpProgressFunction progress; /* or NULL */
    void *data;
};

LpOptions *
lp_options_new(void)
{
    LpOptions *self = g_new(LpOptions, 1);
    *self = (LpOptions){words_new(), NULL, NULL};
    return self;
}

void
lp_options_set(LpOptions *self, const char *name, const char *value)
{
    g_ptr_array_add(self->words, value == NULL ? g_strconcat("--", name, NULL)
                                               : g_strconcat("--", name, "=", value, NULL));
}

void
lp_options_set_progress(LpOptions *self, LpProgressFunction function, void *data)
{
    self->progress = function;
    self->data = data;
}

void
lp_options_free(LpOptions *self)
{
    if (self != NULL)
        g_ptr_array_unref(self->words);
    g_free(self);
}

/* --- runs --- */

struct LpResult {
    GPtrArray *words; /* the command, without --format */
    char *text;       /* JSON */
    json_t *document;
};

/* What @words print with @option behind them. */
static char *
run(const GPtrArray *words, const char *option, const LpOptions *options, char **out_error)
{
    g_autoptr(GPtrArray) all = words_new();
    append_words(all, words);
    if (option != NULL)
        g_ptr_array_add(all, g_strdup(option));
    g_ptr_array_add(all, NULL);
    return lp_server_run((const char *const *)all->pdata,
                         options != NULL ? options->progress : NULL,
                         options != NULL ? options->data : NULL, out_error);
}

/* What makes @words print JSON; NULL: they say so themselves. */
static const char *
json_option(const GPtrArray *words)
{
    for (guint i = 0; i < words->len; i++)
        if (strcmp(g_ptr_array_index(words, i), "--export=json") == 0)
            return NULL;
    return "--format=json";
}

/* @words: (transfer full). */
static LpResult *
result_new(GPtrArray *words, const LpOptions *options, char **out_error)
{
    if (options != NULL)
        append_words(words, options->words);
    g_autofree char *text = run(words, json_option(words), options, out_error);
    json_t *document = text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    if (document == NULL) {
        if (text != NULL)
            lp_server_fail(out_error, g_strdup_printf("%s: got no JSON, wanted a command that "
                                                      "takes --format=json",
                                                      (char *)g_ptr_array_index(words, 0)));
        g_ptr_array_unref(words);
        return NULL;
    }
    LpResult *self = g_new(LpResult, 1);
    *self = (LpResult){words, g_steal_pointer(&text), document};
    return self;
}

static LpResult *
run_pair(const char *command, const LpWorkload *workload, const LpMachine *machine,
         const LpOptions *options, char **out_error)
{
    GPtrArray *words = words_new();
    g_ptr_array_add(words, g_strdup(command));
    append_words(words, workload->words);
    append_words(words, machine->words);
    return result_new(words, options, out_error);
}

LpResult *
lp_simulate(const LpWorkload *workload, const LpMachine *machine, const LpOptions *options,
            char **out_error)
{
    return run_pair("simulate", workload, machine, options, out_error);
}

LpResult *
lp_estimate(const LpWorkload *workload, const LpMachine *machine, const LpOptions *options,
            char **out_error)
{
    return run_pair("estimate", workload, machine, options, out_error);
}

LpResult *
lp_run(const char *const *arguments, const LpOptions *options, char **out_error)
{
    GPtrArray *words = words_new();
    for (; *arguments != NULL; arguments++)
        g_ptr_array_add(words, g_strdup(*arguments));
    if (words->len == 0) {
        g_ptr_array_unref(words);
        lp_server_fail(out_error, g_strdup("arguments: got none, wanted a command"));
        return NULL;
    }
    return result_new(words, options, out_error);
}

/* --- results --- */

/* The member of @node that @token names, in which "~1" is "/" and "~0" is "~" (RFC 6901). */
static const json_t *
member(const json_t *node, const char *token)
{
    g_auto(GStrv) slashes = g_strsplit(token, "~1", -1);
    g_autofree char *joined = g_strjoinv("/", slashes);
    g_auto(GStrv) tildes = g_strsplit(joined, "~0", -1);
    g_autofree char *name = g_strjoinv("~", tildes);
    if (json_is_object(node))
        return json_object_get(node, name);
    char *end = NULL;
    guint64 index = g_ascii_strtoull(name, &end, 10);
    gboolean is_index = g_ascii_isdigit(*name) && *end == '\0';
    return json_is_array(node) && is_index ? json_array_get(node, (size_t)index) : NULL;
}

static const json_t *
find(const LpResult *self, const char *pointer)
{
    const json_t *node = self->document;
    if (*pointer == '\0')
        return node;
    g_auto(GStrv) tokens = g_strsplit(pointer, "/", -1);
    if (*tokens[0] != '\0')
        return NULL;
    for (char **token = tokens + 1; node != NULL && *token != NULL; token++)
        node = member(node, *token);
    return node;
}

double
lp_result_number(const LpResult *self, const char *pointer)
{
    const json_t *node = find(self, pointer);
    if (json_is_boolean(node))
        return json_is_true(node) ? 1.0 : 0.0;
    return json_is_number(node) ? json_number_value(node) : (double)NAN;
}

const char *
lp_result_string(const LpResult *self, const char *pointer)
{
    return json_string_value(find(self, pointer));
}

long
lp_result_size(const LpResult *self, const char *pointer)
{
    const json_t *node = find(self, pointer);
    if (json_is_array(node))
        return (long)json_array_size(node);
    return json_is_object(node) ? (long)json_object_size(node) : -1;
}

const char *
lp_result_json(const LpResult *self)
{
    return self->text;
}

char *
lp_result_text(const LpResult *self, char **out_error)
{
    return run(self->words, NULL, NULL, out_error);
}

char *
lp_result_page(const LpResult *self, char **out_error)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", &error);
    if (folder == NULL) {
        lp_server_fail(out_error, g_strdup(error->message));
        return NULL;
    }
    g_autofree char *path = g_build_filename(folder, "page.html", NULL);
    g_autofree char *option = g_strconcat("--report=", path, NULL);
    g_autofree char *text = run(self->words, option, NULL, out_error);
    char *page = NULL;
    if (text != NULL && !g_file_get_contents(path, &page, NULL, &error))
        lp_server_fail(out_error, g_strdup(error->message));
    (void)unlink(path);
    (void)rmdir(folder);
    return page;
}

void
lp_result_free(LpResult *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->words);
    g_free(self->text);
    json_decref(self->document);
    g_free(self);
}
