/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the values of attributes, each as the kind that the table gives it. */
#include "workloads/description/attribute.h"

#include "base/error.h"
#include "base/units.h"
#include "model/kernels/kernel_variants.h"
#include "workloads/description/attribute_text.h"
#include "workloads/description/foreign_words.h"
#include "workloads/description/framework.h"
#include "workloads/description/layer_pattern.h"
#include "workloads/given/step_file.h"

#include <stddef.h>
#include <string.h>

typedef enum {
    KIND_COUNT,
    KIND_CHOICE,
    KIND_BOOLEAN,
    KIND_NUMBER,
    KIND_TEXT, /* of the plan, with its own reader */
    KIND_PATH,
    KIND_NAME,
    KIND_FRAMEWORK,
    KIND_ALGORITHMS,
    KIND_PATTERN,
    KIND_MAPPED,  /* a choice of the plan, with functions of its own */
    KIND_NEGATED, /* a boolean that the plan holds the other way round */
    KIND_KERNELS, /* a choice, or a file of lists */
    KIND_VARIANT, /* an overlay of the lists of kernels, which is called so */
    KIND_WITH,    /* traits and overlays by name */
} Kind;

/* A name that other tools give to a value, in lower case and without separators, and the settings
 * that it means; or, of what is not modelled, NULL and the value that is nearest. */
typedef struct {
    const char *name, *settings, *nearest;
} Word;

struct LpAttribute {
    const char *element;
    const char *name;
    Kind kind;
    size_t offset;
    double minimum, maximum; /* of counts and numbers */
    const char *const *choices;
    const Word *words; /* NULL: none; the last has no name */
    const LpAttributeText *text;
    const LpAttributeChoice *mapping;
    const char *initial; /* the value of one that nobody gives; NULL: what is left follows later */
    LpAttributeHelp help;
};

/* The table, "attributes": made of attributes.xml and traits.xml, which say what each is, and of
 * the overlays of model/kernels. */
#include "attribute_rows.h"

const LpAttribute *
lp_attribute_at(guint index)
{
    return index < G_N_ELEMENTS(attributes) ? &attributes[index] : NULL;
}

/* All by name: conditions of frameworks are looked up for each plan of a search. */
static GHashTable *
by_name(void)
{
    static GHashTable *table; /* owned, constant once made */
    static gsize is_made;
    if (g_once_init_enter(&is_made)) {
        table = g_hash_table_new(g_str_hash, g_str_equal);
        for (guint i = 0; i < G_N_ELEMENTS(attributes); i++)
            g_hash_table_insert(table, (gpointer)(guintptr)attributes[i].name,
                                (gpointer)(guintptr)&attributes[i]);
        g_once_init_leave(&is_made, 1);
    }
    return table;
}

const LpAttribute *
lp_attribute_find(const char *name, GError **error)
{
    const LpAttribute *found = g_hash_table_lookup(by_name(), name);
    if (found != NULL || error == NULL)
        return found;
    const char *names[G_N_ELEMENTS(attributes) + 1] = {NULL};
    for (guint i = 0; i < G_N_ELEMENTS(attributes); i++)
        names[i] = attributes[i].name;
    const char *meant = lp_foreign_word_attribute(name);
    const char *like = meant != NULL ? meant : lp_like_name(name, names);
    g_autofree char *hint = like != NULL ? g_strdup_printf("the nearest known one is \"%s\"", like)
                                         : g_strdup("\"lightpath workload attributes\" lists all");
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "unknown attribute \"%s\", %s", name,
                hint);
    return NULL;
}

const char *
lp_attribute_name(const LpAttribute *self)
{
    return self->name;
}

const char *
lp_attribute_element(const LpAttribute *self)
{
    return self->element;
}

gboolean
lp_attribute_is_trait(const LpAttribute *self)
{
    return strcmp(self->element, "with") == 0;
}

gboolean
lp_attribute_stands_in(const LpAttribute *self, const char *element)
{
    return lp_attribute_is_trait(self)
               ? strcmp(element, "plan") == 0 || strcmp(element, "options") == 0
               : strcmp(element, self->element) == 0;
}

const char *const *
lp_attribute_choices(const LpAttribute *self)
{
    static const char *const either[] = {"no", "yes", NULL};
    gboolean is_either =
        self->kind == KIND_BOOLEAN || self->kind == KIND_NEGATED || self->kind == KIND_VARIANT;
    return is_either ? either : self->choices;
}

const LpAttributeHelp *
lp_attribute_help(const LpAttribute *self)
{
    return &self->help;
}

static gboolean
set_path(char **place, const char *text, GError **error)
{
    if (*text == '\0') {
        g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                            "got nothing, wanted a word or the name of a file");
        return FALSE;
    }
    g_free(*place);
    *place = g_strdup(text);
    return TRUE;
}

/* A short name; whether there is such a thing shows where it is looked up. */
static gboolean
set_name(char *place, const char *text, GError **error)
{
    if (*text == '\0' || strlen(text) >= LP_LIBRARY_NAME_MAX) {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "got %s, wanted auto or a name of 1 to %d characters", shown,
                    LP_LIBRARY_NAME_MAX - 1);
        return FALSE;
    }
    g_strlcpy(place, text, LP_LIBRARY_NAME_MAX);
    return TRUE;
}

/* The name among @names that @text is in other letters, or with a version, or NULL. Borrowed from
 * @names. */
static const char *
find_framework(const char *const *names, const char *text)
{
    g_autofree char *word = lp_foreign_word_unversioned(text);
    g_autofree char *plain = lp_foreign_word_plain(word);
    for (; *names != NULL; names++) {
        g_autofree char *name = lp_foreign_word_plain(*names);
        if (strcmp(name, plain) == 0)
            return *names;
    }
    return NULL;
}

static gboolean
set_framework(char *place, const char *text, GError **error)
{
    /* The list is a file of its own, which nobody need read for none. */
    g_auto(GStrv) names = NULL;
    if (strlen(text) >= LP_FRAMEWORK_NAME_MAX)
        return lp_value_error(error, "got a name of %zu characters, wanted fewer than %d",
                              strlen(text), LP_FRAMEWORK_NAME_MAX);
    if (strcmp(text, LP_FRAMEWORK_NONE) != 0 && !lp_framework_is_file(text)) {
        if ((names = lp_framework_names(error)) == NULL)
            return FALSE;
        const char *name = find_framework((const char *const *)names, text);
        if (lp_choice_parse(name != NULL ? name : text, (const char *const *)names, error) < 0)
            return FALSE;
        text = name;
    }
    g_strlcpy(place, text, LP_FRAMEWORK_NAME_MAX);
    return TRUE;
}

static gboolean
set_algorithms(LpAlgorithms *place, const char *text, GError **error)
{
    if (lp_algorithms_parse(text, place))
        return TRUE;
    if (lp_step_file_is_named(text))
        return lp_step_file_load(text, place, error);
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "got %s, wanted auto, one of ring, tree, doubling, halving-doubling, bruck, "
                "pairwise, direct, torus, in-network, or two or three of them from the inside out, "
                "such as ring+tree, or a file of steps, FILE.xml",
                shown);
    return FALSE;
}

static gboolean
set_count(const LpAttribute *self, guint32 *place, const char *text, GError **error)
{
    guint64 value;
    if (!lp_count_parse(text, (guint64)self->minimum, (guint64)self->maximum, &value, error))
        return FALSE;
    *place = (guint32)value;
    return TRUE;
}

/* A file's lists stand over the fused ones. */
static gboolean
set_kernels(LpWorkload *workload, const char *text, GError **error)
{
    gboolean is_file = g_str_has_suffix(text, ".xml");
    int index = is_file ? LP_KERNELS_FUSED : lp_choice_parse(text, lp_kernels_names, error);
    if (index < 0)
        return FALSE;
    workload->plan.host.kernels = (LpKernels)index;
    g_free(workload->kernels);
    workload->kernels = is_file ? g_strdup(text) : NULL;
    return TRUE;
}

static gboolean
set_variant(guint64 *place, const char *name, const char *text, GError **error)
{
    gboolean value;
    if (!lp_boolean_parse(text, &value, error))
        return FALSE;
    guint64 bit = lp_kernel_variant(name);
    *place = value ? *place | bit : *place & ~bit;
    return TRUE;
}

static gboolean parse_value(const LpAttribute *self, LpWorkload *workload, const char *text,
                            GError **error);

static const Word *
find_word(const LpAttribute *self, const char *text)
{
    g_autofree char *plain = lp_foreign_word_plain(text);
    g_autofree char *last = lp_foreign_word_plain(lp_foreign_word_last(text));
    for (const Word *word = self->words; word != NULL && word->name != NULL; word++)
        if (strcmp(word->name, plain) == 0 || strcmp(word->name, last) == 0)
            return word;
    g_autofree char *name = lp_foreign_word_unversioned(text);
    return strcmp(name, text) != 0 ? find_word(self, name) : NULL;
}

const char *
lp_attribute_word(const LpAttribute *self, const char *text)
{
    const Word *word = find_word(self, text);
    return word != NULL ? word->settings : NULL;
}

static gboolean
set_words(const char *settings, LpWorkload *workload, LpOrigin origin, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(settings, " ", -1);
    for (guint i = 0; parts[i] != NULL; i++) {
        char *equals = strchr(parts[i], '=');
        *equals = '\0';
        const LpAttribute *attribute = lp_attribute_find(parts[i], error);
        if (attribute == NULL || !parse_value(attribute, workload, equals + 1, error))
            return FALSE;
        workload->origin[attribute - attributes] = origin;
    }
    return TRUE;
}

/* @item: "NAME", which is "NAME=yes", "NAME=VALUE", or a word of @with. */
static gboolean
set_trait(const LpAttribute *with, LpWorkload *workload, const char *item, LpOrigin origin,
          GError **error)
{
    const char *equals = strchr(item, '=');
    g_autofree char *name = g_strndup(item, equals != NULL ? (gsize)(equals - item) : strlen(item));
    const LpAttribute *trait = lp_attribute_find(name, NULL);
    const char *word = equals == NULL ? lp_attribute_word(with, name) : NULL;
    if (trait == NULL && word != NULL)
        return set_words(word, workload, origin, error);
    if (trait == NULL || !lp_attribute_is_trait(trait)) {
        g_autofree char *shown = lp_error_quote(name);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    trait == NULL ? "got %s, wanted a trait or an overlay"
                                  : "got %s, which is an attribute of its own, wanted a trait or "
                                    "an overlay",
                    shown);
        return FALSE;
    }
    if (!parse_value(trait, workload, equals != NULL ? equals + 1 : "yes", error)) {
        g_prefix_error(error, "%s: ", name);
        return FALSE;
    }
    workload->origin[trait - attributes] = origin;
    return TRUE;
}

static gboolean
set_traits(const LpAttribute *with, LpWorkload *workload, const char *text, LpOrigin origin,
           GError **error)
{
    g_auto(GStrv) items = g_strsplit(text, ",", -1);
    for (guint i = 0; strcmp(text, "none") != 0 && (i == 0 || items[i] != NULL); i++)
        if (!set_trait(with, workload, items[i] != NULL ? items[i] : "", origin, error))
            return FALSE;
    return TRUE;
}

/* The traits that the file or a setting gave, not the framework. */
static char *
get_traits(const LpWorkload *workload)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(attributes); i++) {
        if (!lp_attribute_is_trait(&attributes[i]) || workload->origin[i] < LP_ORIGIN_FILE)
            continue;
        g_autofree char *value = lp_attribute_get(&attributes[i], workload);
        gboolean is_yes = strcmp(value, "yes") == 0;
        g_string_append_printf(text, "%s%s%s%s", text->len > 0 ? "," : "", attributes[i].name,
                               is_yes ? "" : "=", is_yes ? "" : value);
    }
    return text->len > 0 ? g_string_free(g_steal_pointer(&text), FALSE) : g_strdup("none");
}

static gboolean
parse_value(const LpAttribute *self, LpWorkload *workload, const char *text, GError **error)
{
    void *place = (char *)workload + self->offset;
    switch (self->kind) {
    case KIND_COUNT:
        return set_count(self, place, text, error);
    case KIND_CHOICE: {
        int index = lp_choice_parse(text, self->choices, error);
        if (index >= 0)
            *(guint *)place = (guint)index;
        return index >= 0;
    }
    case KIND_MAPPED: {
        int index = lp_choice_parse(text, self->choices, error);
        if (index >= 0)
            self->mapping->set(&workload->plan, (guint)index);
        return index >= 0;
    }
    case KIND_BOOLEAN:
        return lp_boolean_parse(text, place, error);
    case KIND_NUMBER:
        return lp_number_parse(text, self->minimum, self->maximum, place, error);
    case KIND_TEXT:
        return self->text->set(&workload->plan, text, error);
    case KIND_PATH:
        return set_path(place, text, error);
    case KIND_NAME:
        return set_name(place, text, error);
    case KIND_FRAMEWORK:
        return set_framework(place, text, error);
    case KIND_ALGORITHMS:
        return set_algorithms(place, text, error);
    case KIND_PATTERN:
        return lp_layer_pattern_parse(text, place, error);
    case KIND_NEGATED: {
        gboolean value;
        if (!lp_boolean_parse(text, &value, error))
            return FALSE;
        *(gboolean *)place = !value;
        return TRUE;
    }
    case KIND_KERNELS:
        return set_kernels(workload, text, error);
    case KIND_VARIANT:
        return set_variant(place, self->name, text, error);
    case KIND_WITH:
        return set_traits(self, workload, text, LP_ORIGIN_DEFAULT, error);
    }
    g_assert_not_reached();
}

G_STATIC_ASSERT(G_N_ELEMENTS(attributes) <= LP_WORKLOAD_ATTRIBUTES_MAX);

void
lp_attribute_set_defaults(LpWorkload *workload)
{
    for (guint i = 0; i < G_N_ELEMENTS(attributes); i++) {
        const char *text = attributes[i].initial;
        gboolean good = text == NULL || parse_value(&attributes[i], workload, text, NULL);
        g_assert(good);
    }
}

/* The version of a framework that the NeMo container in @text has: "NeMo 24.07". */
static void
take_container(const LpAttribute *self, LpWorkload *workload, const char *text)
{
    g_autoptr(GMatchInfo) match = NULL;
    g_autoptr(GRegex) pattern = g_regex_new("nemo.*?\\b(2\\d\\.\\d\\d)", G_REGEX_CASELESS, 0, NULL);
    if (self->kind != KIND_FRAMEWORK || !g_regex_match(pattern, text, 0, &match))
        return;
    g_autofree char *container = g_match_info_fetch(match, 1);
    g_autofree char *name = lp_framework_version(workload->framework, container);
    if (name != NULL)
        g_strlcpy(workload->framework, name, LP_FRAMEWORK_NAME_MAX);
}

gboolean
lp_attribute_set(const LpAttribute *self, LpWorkload *workload, const char *text, LpOrigin origin,
                 GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (self->kind == KIND_WITH)
        return set_traits(self, workload, text, origin, error);
    if (!parse_value(self, workload, text, &fault)) {
        const Word *word = find_word(self, text);
        if (word != NULL && word->settings != NULL) {
            gboolean good = set_words(word->settings, workload, origin, error);
            take_container(self, workload, text);
            return good;
        }
        if (word != NULL) {
            g_autofree char *shown = lp_error_quote(text);
            return lp_value_error(error, "got %s, which is not modelled; the nearest is \"%s\"",
                                  shown, word->nearest);
        }
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    workload->origin[self - attributes] = origin;
    return TRUE;
}

LpOrigin
lp_attribute_origin(const LpAttribute *self, const LpWorkload *workload)
{
    return workload->origin[self - attributes];
}

char *
lp_attribute_get(const LpAttribute *self, const LpWorkload *workload)
{
    const void *place = (const char *)workload + self->offset;
    switch (self->kind) {
    case KIND_COUNT:
        return g_strdup_printf("%" G_GUINT32_FORMAT, *(const guint32 *)place);
    case KIND_KERNELS:
        if (workload->kernels != NULL)
            return g_strdup(workload->kernels);
        G_GNUC_FALLTHROUGH;
    case KIND_CHOICE:
        return g_strdup(self->choices[*(const guint *)place]);
    case KIND_MAPPED:
        return g_strdup(self->choices[self->mapping->get(&workload->plan)]);
    case KIND_BOOLEAN:
        return g_strdup(*(const gboolean *)place ? "yes" : "no");
    case KIND_NUMBER:
        return lp_text_of_double(*(const double *)place, "");
    case KIND_TEXT:
        return self->text->get(&workload->plan);
    case KIND_PATH:
        return g_strdup(*(char *const *)place);
    case KIND_NAME:
    case KIND_FRAMEWORK:
        return g_strdup(place);
    case KIND_ALGORITHMS:
        return lp_algorithms_format(place);
    case KIND_PATTERN:
        return lp_layer_pattern_format(place);
    case KIND_NEGATED:
        return g_strdup(*(const gboolean *)place ? "no" : "yes");
    case KIND_VARIANT:
        return g_strdup((*(const guint64 *)place & lp_kernel_variant(self->name)) != 0 ? "yes"
                                                                                       : "no");
    case KIND_WITH:
        return get_traits(workload);
    }
    g_assert_not_reached();
}
