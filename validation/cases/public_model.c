/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list of public models, and finds those that names mean. */
#include "validation/cases/public_model.h"

#include "base/error.h"
#include "base/file.h"
#include "base/xml.h"
#include "validation_resource.h"
#include "workloads/description/attribute.h"

#include <string.h>

#define MODELS "resource:///lightpath/validation/models.xml"
#define SCHEMA "resource:///lightpath/validation/models.xsd"
#define WORKLOAD_SCHEMA "resource:///lightpath/workloads/schema/workload.xsd"

/* A name, as it is compared, and what it means. */
typedef struct {
    char *words; /* owned */
    guint n_words;
    const LpPublicModel *model; /* borrowed; NULL for an accelerator: */
    char *accelerator;          /* owned */
} Name;

/* A model, and its element. */
typedef struct {
    LpPublicModel model;
    xmlNode *node; /* borrowed */
} Entry;

struct LpPublicModels {
    LpXml *xml;                   /* owned */
    GPtrArray *models;            /* owned: Entry */
    GArray *names, *accelerators; /* owned: Name */
};

static void
clear_name(gpointer data)
{
    Name *name = data;
    g_free(name->words);
    g_free(name->accelerator);
}

static void
free_model(gpointer data)
{
    Entry *entry = data;
    g_free(entry->model.name);
    g_free(entry->model.out_of_scope);
    g_free(entry);
}

void
lp_public_models_free(LpPublicModels *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->models);
    g_array_unref(self->names);
    g_array_unref(self->accelerators);
    lp_xml_free(self->xml);
    g_free(self);
}

/* The end of the word or number that begins at @at. */
static const char *
token_end(const char *at)
{
    if (g_ascii_isalpha(*at)) {
        while (g_ascii_isalpha(*at))
            at++;
        return at;
    }
    while (g_ascii_isdigit(*at))
        at++;
    if (*at == '.' && g_ascii_isdigit(at[1]))
        for (at++; g_ascii_isdigit(*at);)
            at++;
    return at;
}

char *
lp_public_model_words(const char *text)
{
    GString *words = g_string_new(NULL);
    while (*text != '\0') {
        if (!g_ascii_isalnum(*text)) {
            text++;
            continue;
        }
        if (words->len > 0)
            g_string_append_c(words, ' ');
        for (const char *end = token_end(text); text < end; text++)
            g_string_append_c(words, g_ascii_tolower(*text));
    }
    return g_string_free(words, FALSE);
}

static guint
count_words(const char *words)
{
    guint n = *words != '\0';
    for (; *words != '\0'; words++)
        n += *words == ' ';
    return n;
}

static void
add_names(GArray *names, const char *list, const LpPublicModel *model, const char *accelerator)
{
    g_auto(GStrv) parts = g_strsplit(list, "|", -1);
    for (guint i = 0; parts[i] != NULL; i++) {
        Name name = {lp_public_model_words(parts[i]), 0, model, g_strdup(accelerator)};
        name.n_words = count_words(name.words);
        g_array_append_val(names, name);
    }
}

/* The attributes of @node that a workload's <transformer> may have. */
static void
take_attributes(GPtrArray *settings, const xmlNode *node)
{
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++) {
        const char *name = lp_attribute_name(attribute);
        const char *value = lp_xml_attribute(node, name);
        if (value != NULL && strcmp(lp_attribute_element(attribute), "transformer") == 0)
            g_ptr_array_add(settings, g_strconcat(name, "=", value, NULL));
    }
}

/* The shape of a shipped workload, as its file states it; not its plan. */
static gboolean
take_workload(GPtrArray *settings, const char *name, GError **error)
{
    g_autofree char *path = lp_file_find("workloads", name, error);
    g_autoptr(LpXml) xml = path != NULL ? lp_xml_load(path, WORKLOAD_SCHEMA, error) : NULL;
    if (xml == NULL)
        return FALSE;
    take_attributes(settings, lp_xml_element(lp_xml_root(xml)->children, "transformer"));
    return TRUE;
}

static void
add_model(LpPublicModels *self, xmlNode *node)
{
    const char *names = lp_xml_attribute(node, "names");
    Entry *entry = g_new0(Entry, 1);
    entry->model.name = g_strndup(names, strcspn(names, "|"));
    entry->model.out_of_scope = g_strdup(lp_xml_attribute(node, "out-of-scope"));
    entry->node = node;
    g_ptr_array_add(self->models, entry);
    add_names(self->names, names, &entry->model, NULL);
}

/* Read when it is asked for: a row of measurements has one of a hundred. */
char **
lp_public_model_settings(const LpPublicModels *self, const LpPublicModel *model, GError **error)
{
    xmlNode *node = ((const Entry *)model)->node;
    g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);
    const char *workload = lp_xml_attribute(node, "workload");
    if (workload != NULL && !take_workload(settings, workload, error)) {
        lp_xml_prefix(self->xml, node, "workload", error);
        return NULL;
    }
    for (xmlNode *shape = lp_xml_element(node->children, "shape"); shape != NULL;
         shape = lp_xml_element(shape->next, "shape"))
        take_attributes(settings, shape);
    g_ptr_array_add(settings, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&settings), FALSE);
}

static GArray *
new_names(void)
{
    GArray *names = g_array_new(FALSE, FALSE, sizeof(Name));
    g_array_set_clear_func(names, clear_name);
    return names;
}

LpPublicModels *
lp_public_models_load(GError **error)
{
    /* Without a reference the linker leaves the resources of this static library out. */
    g_assert(lp_validation_get_resource() != NULL);
    LpXml *xml = lp_xml_load(MODELS, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    LpPublicModels *self = g_new0(LpPublicModels, 1);
    self->xml = xml;
    self->models = g_ptr_array_new_with_free_func(free_model);
    self->names = new_names();
    self->accelerators = new_names();
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL)) {
        if (strcmp((const char *)node->name, "model") == 0)
            add_model(self, node);
        else
            add_names(self->accelerators, lp_xml_attribute(node, "names"), NULL,
                      lp_xml_attribute(node, "is"));
    }
    return self;
}

/* Whether @words has those of @part next to each other. */
static gboolean
holds(const char *words, const char *part)
{
    g_autofree char *in = g_strconcat(" ", words, " ", NULL);
    g_autofree char *wanted = g_strconcat(" ", part, " ", NULL);
    return strstr(in, wanted) != NULL;
}

const LpPublicModel *
lp_public_models_find(const LpPublicModels *self, const char *text)
{
    g_autofree char *words = lp_public_model_words(text);
    const Name *best = NULL;
    for (guint i = 0; i < self->names->len; i++) {
        const Name *name = &g_array_index(self->names, Name, i);
        if ((best == NULL || name->n_words > best->n_words) && holds(words, name->words))
            best = name;
    }
    return best != NULL ? best->model : NULL;
}

const char *
lp_public_models_accelerator(const LpPublicModels *self, const char *text)
{
    g_autofree char *words = lp_public_model_words(text);
    for (guint i = 0; i < self->accelerators->len; i++) {
        const Name *name = &g_array_index(self->accelerators, Name, i);
        if (strcmp(name->words, words) == 0)
            return name->accelerator;
    }
    return NULL;
}

guint
lp_public_models_n(const LpPublicModels *self)
{
    return self->models->len;
}

const LpPublicModel *
lp_public_models_at(const LpPublicModels *self, guint index)
{
    g_return_val_if_fail(index < self->models->len, NULL);
    return &((const Entry *)self->models->pdata[index])->model;
}
