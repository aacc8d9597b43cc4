/* SPDX-License-Identifier: Apache-2.0 */
/* Knows files of other programs by their first element or by words that only they have. */
#include "base/foreign_file.h"

#include "base/error.h"

#include <string.h>

/* How a file begins. */
typedef enum {
    FORM_XML,
    FORM_JSON,
    FORM_OTHER
} Form;

/* Files of one program: all words stand in them, and no other one. Of XML @root is the first
 * element; of others NULL. */
typedef struct {
    Form form;
    const char *root;
    const char *words[2]; /* NULL: fewer */
    const char *without;  /* NULL: none */
    const char *what;
    const char *command; /* that makes one of ours of the path "%s"; NULL: none does */
} Foreign;

#define IMPORT "lightpath import huggingface %s makes one of it"
#define SETTINGS "--set takes its values, by the names of \"lightpath workload attributes\""

/* The formats in the order in which they are tried. */
static const Foreign foreign[] = {
    {FORM_XML, "system", {"<cpu"}, NULL, "NCCL's topology of a node", NULL},
    {FORM_XML, "system", {"<gpu"}, NULL, "NCCL's topology of a node", NULL},
    {FORM_XML, "graphs", {"<graph"}, NULL, "NCCL's graphs of channels", NULL},
    {FORM_XML, "topology", {"<object"}, NULL, "hwloc's topology of a node", NULL},
    {FORM_XML, "adag", {NULL}, NULL, "a workflow of Pegasus (DAX)", NULL},
    {FORM_XML, "graphml", {NULL}, NULL, "a graph (GraphML)", NULL},
    {FORM_XML, "platform", {"<actor"}, "<zone", "a deployment of SimGrid's", NULL},
    {FORM_XML, "platform", {"<process"}, "<zone", "a deployment of SimGrid's", NULL},
    {FORM_XML, "platform", {NULL}, "role", "a platform of SimGrid's that is no machine", NULL},
    {FORM_XML, "platform_description", {NULL}, NULL, "a platform of an older SimGrid", NULL},
    {FORM_JSON, NULL, {"\"zero_optimization\""}, NULL, "DeepSpeed's configuration", SETTINGS},
    {FORM_JSON, NULL, {"\"train_batch_size\""}, NULL, "DeepSpeed's configuration", SETTINGS},
    {FORM_JSON, NULL, {"\"train_micro_batch"}, NULL, "DeepSpeed's configuration", SETTINGS},
    {FORM_JSON, NULL, {"\"model_type\""}, NULL, "a model's configuration (Hugging Face)", IMPORT},
    {FORM_JSON,
     NULL,
     {"\"architectures\""},
     NULL,
     "a model's configuration (Hugging Face)",
     IMPORT},
    {FORM_JSON, NULL, {"\"hidden_size\""}, NULL, "a model's configuration (Hugging Face)", IMPORT},
    {FORM_JSON, NULL, {"\"n_embd\""}, NULL, "a model's configuration (Hugging Face)", IMPORT},
    {FORM_JSON,
     NULL,
     {"\"scheduling-policy\""},
     NULL,
     "ASTRA-sim's configuration of a system",
     NULL},
    {FORM_JSON, NULL, {"\"dimensions-count\""}, NULL, "ASTRA-sim's network", NULL},
    {FORM_JSON, NULL, {"\"topology-name\""}, NULL, "ASTRA-sim's network", NULL},
    {FORM_JSON, NULL, {"\"traceEvents\""}, NULL, "a trace of a profiler", NULL},
    {FORM_JSON, NULL, {NULL}, NULL, "JSON", NULL},
    {FORM_OTHER, NULL, {"npus_count"}, NULL, "ASTRA-sim's network", NULL},
    {FORM_OTHER, NULL, {"topology:", "bandwidth:"}, NULL, "ASTRA-sim's network", NULL},
    {FORM_OTHER, NULL, {"[training]", "[model]"}, NULL, "torchtitan's configuration", SETTINGS},
    {FORM_OTHER,
     NULL,
     {"[training]", "[parallelism]"},
     NULL,
     "torchtitan's configuration",
     SETTINGS},
    {FORM_OTHER, NULL, {NULL}, NULL, "no XML document", NULL},
};

/* The schemas of files that people write, by the end of the schema's path. */
static const struct {
    const char *schema, *root, *wanted, *command;
} own[] = {
    {"/platform.xsd", "platform",
     "a <platform> whose zone has clusters of the roles scale-up and scale-out",
     "lightpath platform generate --system=NAME --accelerators=N writes one"},
    {"/workload.xsd", "workload", "a <workload>",
     "\"lightpath workload list\" names some, lightpath import huggingface makes them"},
    {"/scenario.xsd", "scenario", "a <scenario>",
     "\"lightpath help scenario-format\" describes it"},
};

/* The first element's name in @text, which may be cut off. Returns: (transfer full), NULL: there is
 * none. */
static char *
root_name(const char *text)
{
    while ((text = strchr(text, '<')) != NULL) {
        if (g_ascii_isalpha(text[1]))
            return g_strndup(text + 1, strcspn(text + 1, " \t\r\n/>"));
        const char *end = g_str_has_prefix(text, "<!--") ? strstr(text, "-->") : strchr(text, '>');
        if (end == NULL)
            return NULL;
        text = end;
    }
    return NULL;
}

static Form
form_of(const char *text)
{
    text += g_str_has_prefix(text, "\xef\xbb\xbf") ? 3 : 0;
    text += strspn(text, " \t\r\n");
    return *text == '<' ? FORM_XML : *text == '{' || *text == '[' ? FORM_JSON : FORM_OTHER;
}

/* Whether @word stands in @text; "role" only as the name of a property. */
static gboolean
has_word(const char *text, const char *word)
{
    if (strcmp(word, "role") != 0)
        return strstr(text, word) != NULL;
    return strstr(text, "id=\"role\"") != NULL || strstr(text, "id='role'") != NULL;
}

static gboolean
is_it(const Foreign *row, Form form, const char *root, const char *text)
{
    if (row->form != form || (row->root != NULL && g_strcmp0(row->root, root) != 0) ||
        (row->without != NULL && has_word(text, row->without)))
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(row->words) && row->words[i] != NULL; i++)
        if (!has_word(text, row->words[i]))
            return FALSE;
    return TRUE;
}

/* A short form of TOML's is taken for JSON by its first mark. */
static const Foreign *
find(Form form, const char *root, const char *text)
{
    gboolean is_toml = form == FORM_JSON && strchr("[", text[strspn(text, " \t\r\n")]) != NULL &&
                       strchr(text, '{') == NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(foreign); i++)
        if (is_it(&foreign[i], is_toml ? FORM_OTHER : form, root, text))
            return &foreign[i];
    return NULL;
}

void
lp_foreign_file_explain(const char *path, GBytes *content, const char *schema_resource,
                        GError **io_error)
{
    gsize length = 0, kind = 0;
    const char *bytes = g_bytes_get_data(content, &length);
    while (kind < G_N_ELEMENTS(own) && !g_str_has_suffix(schema_resource, own[kind].schema))
        kind++;
    if (kind == G_N_ELEMENTS(own) || io_error == NULL || length == 0)
        return;
    /* XML in another encoding begins with '<', or with UTF-16's mark or zeros. */
    gboolean is_text = g_utf8_validate(bytes, (gssize)length, NULL);
    if (!is_text && memchr("<\xfe\xff", bytes[0], sizeof "<\xfe\xff") != NULL)
        return;
    g_autofree char *text = g_strndup(bytes, is_text ? length : 0);
    g_autofree char *root = root_name(text);
    Form form = form_of(text);
    const Foreign *found = find(form, root, text);
    gboolean is_other = form == FORM_XML && root != NULL && strcmp(root, own[kind].root) != 0;
    if (found == NULL && !is_other)
        return;
    g_autofree char *name = root != NULL ? g_strndup(root, 60) : NULL;
    g_autofree char *shown = found == NULL ? g_strdup_printf("<%s>", name) : g_strdup(found->what);
    gboolean has_command = found != NULL && found->command != NULL && kind > 0;
    g_autoptr(GString) command = g_string_new(has_command ? found->command : own[kind].command);
    g_string_replace(command, "%s", path, 0);
    g_clear_error(io_error);
    g_set_error(io_error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s: got %s, wanted %s: %s", path,
                shown, own[kind].wanted, command->str);
}
