/* SPDX-License-Identifier: Apache-2.0 */
/* Reads communication libraries. */
#include "platforms/catalogue/libraries.h"

#include "base/error.h"
#include "base/xml.h"
#include "platforms_resource.h"

#include <string.h>

#define LIBRARIES "resource:///lightpath/platforms/catalogue/libraries.xml"
#define SCHEMA "resource:///lightpath/platforms/catalogue/libraries.xsd"

/* A share of zero would make every transfer last for ever. */
#define SHARE_MIN 1e-6

static gboolean
read_protocol(const LpXml *xml, const xmlNode *node, LpProtocol *protocol, GError **error)
{
    static const char *const hops[] = {"domain-hop", "fabric-hop"};
    static const char *const shares[] = {"domain-share", "fabric-share"};
    g_strlcpy(protocol->name, lp_xml_attribute(node, "name"), sizeof protocol->name);
    for (LpReach reach = 0; reach < LP_N_REACHES; reach++) {
        double share = 1.0;
        if (!lp_xml_quantity_in(xml, node, hops[reach], LP_QUANTITY_TIME, 0.0, 1.0,
                                &protocol->hop_s[reach], error) ||
            !lp_xml_number(xml, node, shares[reach], SHARE_MIN, 1.0, &share, error))
            return FALSE;
        protocol->wire_factor[reach] = 1.0 / share;
    }
    return lp_xml_quantity_in(xml, node, "base", LP_QUANTITY_TIME, 0.0, 1.0, &protocol->base_s,
                              error) &&
           lp_xml_quantity_in(xml, node, "chunk", LP_QUANTITY_SIZE, 1.0, 1e12,
                              &protocol->chunk_bytes, error);
}

static gboolean
read_choice_of(const LpXml *xml, const xmlNode *node, const char *name, const char *const *names,
               guint fallback, guint *out_index, GError **error)
{
    const char *text = lp_xml_attribute(node, name);
    int index = text == NULL ? (int)fallback : lp_choice_parse(text, names, error);
    if (index < 0) {
        lp_xml_prefix(xml, node, name, error);
        return FALSE;
    }
    *out_index = (guint)index;
    return TRUE;
}

/* @out_count stays as it is where @name is not said. */
static gboolean
read_count(const LpXml *xml, const xmlNode *node, const char *name, guint64 maximum,
           guint64 *out_count, GError **error)
{
    return lp_xml_attribute(node, name) == NULL ||
           lp_xml_count(xml, node, name, 1, maximum, out_count, error);
}

static gboolean
read_limits(const LpXml *xml, const xmlNode *node, LpLibraryRule *rule, GError **error)
{
    static const char *const cards[] = {"card-up-to", "cards-up-to"};
    double *rates[] = {&rule->card_bytes_per_s_max, &rule->cards_bytes_per_s_max};
    for (guint i = 0; i < G_N_ELEMENTS(cards); i++)
        if (lp_xml_attribute(node, cards[i]) != NULL &&
            !lp_xml_quantity_in(xml, node, cards[i], LP_QUANTITY_BANDWIDTH, 1.0, 1e18, rates[i],
                                error))
            return FALSE;
    rule->ranks_max = rule->bytes_max = G_MAXUINT64;
    if (!read_count(xml, node, "ranks-up-to", G_MAXUINT32, &rule->ranks_max, error))
        return FALSE;
    if (lp_xml_attribute(node, "bytes-up-to") == NULL)
        return TRUE;
    double bytes = 0.0;
    if (!lp_xml_quantity_in(xml, node, "bytes-up-to", LP_QUANTITY_SIZE, 0.0, 1e18, &bytes, error))
        return FALSE;
    rule->bytes_max = (guint64)bytes;
    return TRUE;
}

static gboolean
read_rule(const LpXml *xml, const xmlNode *node, const LpLibrary *library, LpLibraryRule *rule,
          GError **error)
{
    const char *names[LP_LIBRARY_PROTOCOLS_MAX + 1] = {NULL};
    for (guint32 i = 0; i < library->n_protocols; i++)
        names[i] = library->protocols[i].name;
    guint collective = 0, spread = 0, protocol = 0;
    guint64 channels = 0;
    if (!read_choice_of(xml, node, "operation", lp_collective_names, 0, &collective, error) ||
        !read_choice_of(xml, node, "domains", lp_spread_names, LP_SPREAD_ANY, &spread, error) ||
        !read_choice_of(xml, node, "protocol", names, 0, &protocol, error) ||
        !read_limits(xml, node, rule, error) ||
        !read_count(xml, node, "channels", G_MAXUINT16, &channels, error))
        return FALSE;
    rule->collective = (LpCollective)collective;
    rule->spread = (LpSpread)spread;
    rule->protocol = protocol;
    rule->channels = (guint32)channels;
    if (lp_algorithms_parse(lp_xml_attribute(node, "algorithm"), &rule->algorithms))
        return TRUE;
    g_autofree char *shown = lp_error_quote(lp_xml_attribute(node, "algorithm"));
    lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                 "algorithm: got %s, wanted auto, an algorithm, or levels such as ring+tree",
                 shown);
    return FALSE;
}

static gboolean
read_start(const LpXml *xml, const xmlNode *node, LpLibraryStart *start, GError **error)
{
    return lp_xml_quantity_in(xml, node, "near", LP_QUANTITY_TIME, 0.0, 1.0, &start->near_s,
                              error) &&
           lp_xml_quantity_in(xml, node, "far", LP_QUANTITY_TIME, 0.0, 1.0, &start->far_s, error);
}

static int
compare_measured(const LpMeasuredTime *a, const LpMeasuredTime *b)
{
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->n_ranks != b->n_ranks)
        return a->n_ranks < b->n_ranks ? -1 : 1;
    return (a->n_nodes > b->n_nodes) - (a->n_nodes < b->n_nodes);
}

/* "BYTES=TIME" of a table. */
static gboolean
read_measured_time(const char *text, LpMeasuredTime *row, GError **error)
{
    g_auto(GStrv) sides = g_strsplit(text, "=", 2);
    double bytes = 0.0;
    if (g_strv_length(sides) != 2) {
        g_autofree char *shown = lp_error_quote(text);
        return lp_value_error(error, "got %s, wanted BYTES=TIME", shown);
    }
    if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, sides[0], 0.0, 1e18, &bytes, error) ||
        !lp_quantity_parse_in(LP_QUANTITY_TIME, sides[1], 1e-9, 1e4, &row->time_s, error))
        return FALSE;
    row->bytes = (guint64)bytes;
    return TRUE;
}

/* A line between sizes takes two of them, each once. */
static gboolean
read_measured_times(const char *text, LpMeasuredTime like, LpLibrary *library, GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \t\r\n", -1);
    guint32 first = library->n_measured;
    for (char **word = words; *word != NULL; word++) {
        if (**word == '\0')
            continue;
        if (library->n_measured == LP_LIBRARY_MEASURED_MAX)
            return lp_value_error(error, "got more than %u times in a library, wanted no more",
                                  LP_LIBRARY_MEASURED_MAX);
        if (!read_measured_time(*word, &like, error))
            return FALSE;
        if (library->n_measured > first &&
            library->measured[library->n_measured - 1].bytes >= like.bytes)
            return lp_value_error(error,
                                  "got %s behind a size that is no smaller, wanted each size once, "
                                  "the smallest first",
                                  *word);
        library->measured[library->n_measured++] = like;
    }
    return library->n_measured - first >= 2 ||
           lp_value_error(error, "got %u sizes, wanted two or more to go between",
                          library->n_measured - first);
}

/* Tables come in the order of operations, ranks and nodes. */
static gboolean
read_measured(const LpXml *xml, const xmlNode *node, LpLibrary *library, GError **error)
{
    guint collective = 0;
    guint64 n_ranks = 0, n_nodes = 0;
    if (!read_choice_of(xml, node, "operation", lp_collective_names, 0, &collective, error) ||
        !lp_xml_count(xml, node, "ranks", 2, G_MAXUINT32, &n_ranks, error) ||
        !lp_xml_count(xml, node, "nodes", 1, n_ranks, &n_nodes, error))
        return FALSE;
    LpMeasuredTime like = {.collective = (LpCollective)collective,
                           .n_ranks = (guint32)n_ranks,
                           .n_nodes = (guint32)n_nodes};
    const LpMeasuredTime *last =
        library->n_measured > 0 ? &library->measured[library->n_measured - 1] : NULL;
    if (last != NULL && compare_measured(last, &like) >= 0) {
        lp_value_error(error, "got a table that is there already, or that stands behind a later "
                              "one, wanted each once, by operations, ranks and nodes");
        lp_xml_prefix(xml, node, "operation", error);
        return FALSE;
    }
    if (read_measured_times(lp_xml_attribute(node, "times"), like, library, error))
        return TRUE;
    lp_xml_prefix(xml, node, "times", error);
    return FALSE;
}

/* The schema has made sure that neither array overflows. */
static gboolean
read_library(const LpXml *xml, const xmlNode *node, LpLibrary *library, GError **error)
{
    *library = (LpLibrary){.n_protocols = 0};
    g_strlcpy(library->name, lp_xml_attribute(node, "name"), sizeof library->name);
    const char *layer = lp_xml_attribute(node, "ucc-layer");
    g_strlcpy(library->layer, layer != NULL ? layer : "", sizeof library->layer);
    guint64 sends_at_once = 0;
    if (lp_xml_attribute(node, "sends-at-once") != NULL &&
        !lp_xml_count(xml, node, "sends-at-once", 1, G_MAXUINT32, &sends_at_once, error))
        return FALSE;
    library->sends_at_once = (guint32)sends_at_once;
    for (const xmlNode *child = lp_xml_element(node->children, "protocol"); child != NULL;
         child = lp_xml_element(child->next, "protocol")) {
        g_assert(library->n_protocols < LP_LIBRARY_PROTOCOLS_MAX);
        if (!read_protocol(xml, child, &library->protocols[library->n_protocols++], error))
            return FALSE;
    }
    for (const xmlNode *child = lp_xml_element(node->children, "choice"); child != NULL;
         child = lp_xml_element(child->next, "choice")) {
        g_assert(library->n_rules < LP_LIBRARY_RULES_MAX);
        if (!read_rule(xml, child, library, &library->rules[library->n_rules++], error))
            return FALSE;
    }
    for (const xmlNode *child = lp_xml_element(node->children, "measured"); child != NULL;
         child = lp_xml_element(child->next, "measured"))
        if (!read_measured(xml, child, library, error))
            return FALSE;
    const xmlNode *start = lp_xml_element(node->children, "start");
    return start == NULL || read_start(xml, start, &library->start, error);
}

static GPtrArray *
collect_names(const LpXml *xml, const char *element)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, element); node != NULL;
         node = lp_xml_element(node->next, element))
        g_ptr_array_add(names, g_strdup(lp_xml_attribute(node, "name")));
    g_ptr_array_add(names, NULL);
    return names;
}

char **
lp_library_names(GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(LIBRARIES, SCHEMA, error);
    return xml == NULL ? NULL : (char **)g_ptr_array_free(collect_names(xml, "library"), FALSE);
}

/* Whether no library was once called @name. */
static gboolean
check_current(const LpXml *xml, const char *name, GError **error)
{
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "library"); node != NULL;
         node = lp_xml_element(node->next, "library"))
        if (g_strcmp0(lp_xml_attribute(node, "formerly"), name) == 0) {
            g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                        "got \"%s\", wanted \"%s\", as it is called now", name,
                        lp_xml_attribute(node, "name"));
            return FALSE;
        }
    return TRUE;
}

/* The @element called @name. Returns: (borrowed from @xml), NULL with the error. */
static const xmlNode *
find_element(const LpXml *xml, const char *element, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = collect_names(xml, element);
    int index = lp_choice_parse(name, (const char *const *)names->pdata, error);
    if (index < 0)
        return NULL;
    const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, element);
    while (index-- > 0)
        node = lp_xml_element(node->next, element);
    return node;
}

static gboolean
find(const LpXml *xml, const char *name, LpLibrary *out_library, GError **error)
{
    if (!check_current(xml, name, error))
        return FALSE;
    const xmlNode *node = find_element(xml, "library", name, error);
    return node != NULL && read_library(xml, node, out_library, error);
}

gboolean
lp_library_is_named(const char *name)
{
    return *name != '\0' && strcmp(name, LP_LIBRARY_AUTO) != 0;
}

const char *
lp_library_name_or_auto(const char *name)
{
    return lp_library_is_named(name) ? name : LP_LIBRARY_AUTO;
}

gboolean
lp_library_find(const char *name, LpLibrary *out_library, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(LIBRARIES, SCHEMA, error);
    return xml != NULL && find(xml, name, out_library, error);
}

gboolean
lp_library_parse(const char *path, GBytes *content, const char *name, LpLibrary *out_library,
                 GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    return xml != NULL && find(xml, name, out_library, error);
}

/* Whether the attribute @list of a library, names between blanks, has @accelerator, behind whose
 * name words may say what was modified. */
static gboolean
has_accelerator(const xmlNode *library, const char *list, const char *accelerator)
{
    const char *listed = lp_xml_attribute(library, list);
    g_auto(GStrv) names = g_strsplit(listed != NULL ? listed : "", " ", -1);
    g_auto(GStrv) words = g_strsplit(accelerator, " ", 2);
    return words[0] != NULL && g_strv_contains((const char *const *)names, words[0]);
}

char **
lp_library_names_measured_on(const char *accelerator, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(LIBRARIES, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    GPtrArray *names = g_ptr_array_new();
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "library"); node != NULL;
         node = lp_xml_element(node->next, "library"))
        if (has_accelerator(node, "measured-on", accelerator))
            g_ptr_array_add(names, g_strdup(lp_xml_attribute(node, "name")));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static gboolean
is_listed(const xmlNode *library, const char *accelerator, gboolean on_pcie)
{
    return (lp_xml_attribute(library, "domain") != NULL) == on_pcie &&
           has_accelerator(library, "accelerators", accelerator);
}

/* Sets @out_name (borrowed from @xml) to that of the first library that goes with the accelerator
 * in such domains, if there is one. */
static gboolean
find_listed(const LpXml *xml, const char *accelerator, gboolean on_pcie, guint64 domain_size,
            const char **out_name, GError **error)
{
    for (const xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "library");
         node != NULL && *out_name == NULL; node = lp_xml_element(node->next, "library")) {
        guint64 from = 0, up_to = G_MAXUINT64;
        if (!read_count(xml, node, "domain-size-from", G_MAXUINT32, &from, error) ||
            !read_count(xml, node, "domain-size-up-to", G_MAXUINT32, &up_to, error))
            return FALSE;
        if (domain_size >= from && domain_size <= up_to && is_listed(node, accelerator, on_pcie))
            *out_name = lp_xml_attribute(node, "name");
    }
    return TRUE;
}

/* The library that lists @accelerator. Libraries for PCIe are searched first for accelerators on
 * PCIe, and last for others: an accelerator that only they list communicates over PCIe anyway. */
static gboolean
find_name(const LpXml *xml, const char *accelerator, gboolean on_pcie, guint64 domain_size,
          const char **out_name, GError **error)
{
    *out_name = NULL;
    if (on_pcie && !find_listed(xml, accelerator, TRUE, domain_size, out_name, error))
        return FALSE;
    if (*out_name == NULL && !find_listed(xml, accelerator, FALSE, domain_size, out_name, error))
        return FALSE;
    if (*out_name == NULL && !on_pcie &&
        !find_listed(xml, accelerator, TRUE, domain_size, out_name, error))
        return FALSE;
    if (*out_name == NULL)
        *out_name = LP_LIBRARY_SINGLE_RING;
    return TRUE;
}

gboolean
lp_library_find_for(const char *name, const char *accelerator, gboolean on_pcie,
                    guint64 domain_size, LpLibrary *out_library, GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(LIBRARIES, SCHEMA, error);
    if (xml == NULL)
        return FALSE;
    const char *wanted = name;
    if (strcmp(name, LP_LIBRARY_AUTO) == 0 &&
        !find_name(xml, accelerator, on_pcie, domain_size, &wanted, error))
        return FALSE;
    return find(xml, wanted, out_library, error);
}

gboolean
lp_library_find_transport(const char *name, LpLibrary *out_transport, double *out_rate_bytes_per_s,
                          GError **error)
{
    g_autoptr(LpXml) xml = lp_xml_load(LIBRARIES, SCHEMA, error);
    if (xml == NULL)
        return FALSE;
    const xmlNode *node = find_element(xml, "transport", name, error);
    if (node == NULL) {
        g_prefix_error(error, "%s: transport: ", xml->path);
        return FALSE;
    }
    return read_library(xml, node, out_transport, error) &&
           lp_xml_quantity_in(xml, node, "rate-max", LP_QUANTITY_BANDWIDTH, 1.0, 1e18,
                              out_rate_bytes_per_s, error);
}

gboolean
lp_library_restrict(LpLibrary *self, const char *name, GError **error)
{
    const char *names[LP_LIBRARY_PROTOCOLS_MAX + 1] = {NULL};
    for (guint32 i = 0; i < self->n_protocols; i++)
        names[i] = self->protocols[i].name;
    int index = lp_choice_parse(name, names, error);
    if (index < 0)
        return FALSE;
    self->protocols[0] = self->protocols[index];
    self->n_protocols = 1;
    for (guint32 i = 0; i < self->n_rules; i++)
        self->rules[i].protocol = 0;
    return TRUE;
}
