/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as groups, blocks and sections; operations are read by given_operation.c. */
#include "workloads/given/given_reader.h"

#include "base/error.h"
#include "base/ranges.h"
#include "workloads/given/given_operation.h"
#include "workloads/given/step_file.h"

#include <string.h>

/* No machine has more accelerators. */
#define RANKS_MAX ((1u << 21) - 1)
#define HOST_MAX_S 3600.0

/* Places an error at an attribute of @node. */
static gboolean
fail_at(const LpXml *xml, const xmlNode *node, const char *attribute, GError **error)
{
    lp_xml_prefix(xml, node, attribute, error);
    return FALSE;
}

static gboolean
read_choice(const LpXml *xml, const xmlNode *node, const char *name, const char *const *names,
            int *io_value, GError **error)
{
    const char *text = lp_xml_attribute(node, name);
    if (text == NULL)
        return TRUE;
    *io_value = lp_choice_parse(text, names, error);
    return *io_value >= 0 || fail_at(xml, node, name, error);
}

/* --- host --- */

static gboolean
read_yes_no(const LpXml *xml, const xmlNode *node, const char *name, gboolean *io_value,
            GError **error)
{
    const char *text = lp_xml_attribute(node, name);
    return text == NULL || lp_boolean_parse(text, io_value, error) ||
           fail_at(xml, node, name, error);
}

static gboolean
read_host(LpGivenProgram *self, const LpXml *xml, const xmlNode *node, GError **error)
{
    LpExecution *execution = &self->execution;
    int sync = (int)execution->host_sync, check = (int)execution->checks;
    execution->host_is_free = FALSE;
    if ((lp_xml_attribute(node, "collective") != NULL &&
         !lp_xml_quantity_in(xml, node, "collective", LP_QUANTITY_TIME, 0.0, HOST_MAX_S,
                             &execution->collective_host_s, error)) ||
        !read_yes_no(xml, node, "free", &execution->host_is_free, error) ||
        !read_yes_no(xml, node, "waits-within", &execution->waits_within, error) ||
        !read_choice(xml, node, "sync", lp_traits[LP_TRAIT_HOST_SYNC].words, &sync, error) ||
        !read_choice(xml, node, "collective-checks", lp_traits[LP_TRAIT_COLLECTIVE_CHECKS].words,
                     &check, error))
        return FALSE;
    execution->host_sync = (LpHostSync)sync;
    execution->checks = (LpCollectiveChecks)check;
    return TRUE;
}

/* --- groups --- */

static gboolean
add_group(LpGivenProgram *self, const LpXml *xml, const xmlNode *node, guint32 groups,
          GError **error)
{
    g_autoptr(GArray) ranks = lp_ranges_parse(lp_xml_attribute(node, "ranks"), RANKS_MAX, error);
    return (ranks != NULL && lp_given_program_add_group(self, groups, ranks, error)) ||
           fail_at(xml, node, "ranks", error);
}

/* Rank r stands at place r / stride mod size of its group. */
static gboolean
add_regular(LpGivenProgram *self, const LpXml *xml, const xmlNode *node, guint32 groups,
            GError **error)
{
    guint64 size = 0, stride = 1;
    if (!lp_xml_count(xml, node, "size", 1, self->n_ranks, &size, error) ||
        (lp_xml_attribute(node, "stride") != NULL &&
         !lp_xml_count(xml, node, "stride", 1, self->n_ranks, &stride, error)))
        return FALSE;
    if (self->n_ranks % (size * stride) != 0) {
        lp_value_error(error,
                       "got groups of %" G_GUINT64_FORMAT " ranks at a stride of %" G_GUINT64_FORMAT
                       ", wanted both to divide the %u ranks",
                       size, stride, self->n_ranks);
        return fail_at(xml, node, "size", error);
    }
    for (guint64 first = 0; first < self->n_ranks; first++) {
        if (first / stride % size != 0)
            continue;
        g_autoptr(GArray) ranks = g_array_sized_new(FALSE, FALSE, sizeof(guint32), (guint)size);
        for (guint64 i = 0; i < size; i++) {
            guint32 rank = (guint32)(first + i * stride);
            g_array_append_val(ranks, rank);
        }
        if (!lp_given_program_add_group(self, groups, ranks, error))
            return fail_at(xml, node, "size", error);
    }
    return TRUE;
}

static gboolean
check_name(const LpGivenProgram *self, const LpXml *xml, const xmlNode *node, GError **error)
{
    const char *name = lp_xml_attribute(node, "name");
    for (guint32 i = 0; i < self->groups->len; i++)
        if (strcmp(lp_given_program_groups(self, i)->name, name) == 0) {
            lp_value_error(error, "got %s a second time, wanted each name once", name);
            return fail_at(xml, node, "name", error);
        }
    return TRUE;
}

static gboolean
read_algorithm(LpGivenGroups *groups, const LpXml *xml, const xmlNode *node, GError **error)
{
    const char *text = lp_xml_attribute(node, "algorithm");
    if (text == NULL || lp_algorithms_parse(text, &groups->algorithms))
        return TRUE;
    if (lp_step_file_is_named(text))
        return lp_step_file_load(text, &groups->algorithms, error) ||
               fail_at(xml, node, "algorithm", error);
    g_autofree char *shown = lp_error_quote(text);
    lp_value_error(
        error, "got %s, wanted auto, an algorithm, two or three joined by +, or a file of steps",
        shown);
    return fail_at(xml, node, "algorithm", error);
}

static gboolean
read_groups(LpGivenProgram *self, const LpXml *xml, xmlNode *node, GError **error)
{
    int traffic = LP_TRAFFIC_DP;
    if (!check_name(self, xml, node, error) ||
        !read_choice(xml, node, "class", lp_traffic_names, &traffic, error))
        return FALSE;
    if (traffic == LP_TRAFFIC_PP) {
        lp_value_error(error, "got pp, the class of messages, wanted one of collectives");
        return fail_at(xml, node, "class", error);
    }
    guint32 groups =
        lp_given_program_add_groups(self, lp_xml_attribute(node, "name"), (LpTraffic)traffic);
    lp_given_program_groups(self, groups)->line = (guint32)xmlGetLineNo(node);
    if (!read_algorithm(lp_given_program_groups(self, groups), xml, node, error))
        return FALSE;
    xmlNode *child = lp_xml_element(node->children, NULL);
    guint n_ways = lp_xml_attribute(node, "size") != NULL ? 1 : 0;
    n_ways += lp_xml_attribute(node, "ranks") != NULL ? 1 : 0;
    n_ways += child != NULL ? 1 : 0;
    if (n_ways != 1) {
        lp_value_error(error, "got %u of size, ranks and <group> elements, wanted one of them",
                       n_ways);
        return fail_at(xml, node, "name", error);
    }
    if (lp_xml_attribute(node, "size") != NULL)
        return add_regular(self, xml, node, groups, error);
    if (child == NULL)
        return add_group(self, xml, node, groups, error);
    for (; child != NULL; child = lp_xml_element(child->next, NULL))
        if (!add_group(self, xml, child, groups, error))
            return FALSE;
    return TRUE;
}

/* --- blocks and sections --- */

static gboolean
read_block(LpGivenProgram *self, const LpXml *xml, xmlNode *node, GError **error)
{
    const char *name = lp_xml_attribute(node, "name");
    for (guint32 i = 0; i < self->bodies->len; i++)
        if (g_strcmp0(lp_given_program_body(self, i)->name, name) == 0) {
            lp_value_error(error, "got %s a second time, wanted each name once", name);
            return fail_at(xml, node, "name", error);
        }
    guint32 body = G_MAXUINT32;
    return lp_given_operations_read(self, xml, node, name, &body, error);
}

static gboolean
read_ranks(LpGivenProgram *self, const LpXml *xml, xmlNode *node, GError **error)
{
    guint32 body = G_MAXUINT32;
    g_autoptr(GArray) ranks = lp_ranges_parse(lp_xml_attribute(node, "list"), RANKS_MAX, error);
    if (ranks == NULL)
        return fail_at(xml, node, "list", error);
    if (!lp_given_operations_read(self, xml, node, NULL, &body, error))
        return FALSE;
    return lp_given_program_add_section(self, g_steal_pointer(&ranks), body,
                                        (guint32)xmlGetLineNo(node), error) ||
           fail_at(xml, node, "list", error);
}

static gboolean
read_element(LpGivenProgram *self, const LpXml *xml, xmlNode *node, GError **error)
{
    const char *name = (const char *)node->name;
    if (strcmp(name, "host") == 0)
        return read_host(self, xml, node, error);
    if (strcmp(name, "groups") == 0)
        return read_groups(self, xml, node, error);
    if (strcmp(name, "block") == 0)
        return read_block(self, xml, node, error);
    return strcmp(name, "ranks") != 0 || read_ranks(self, xml, node, error);
}

LpGivenProgram *
lp_given_program_read(const LpXml *xml, GError **error)
{
    xmlNode *root = lp_xml_root(xml);
    guint64 n_ranks = 0;
    if (!lp_xml_count(xml, root, "ranks", 1, RANKS_MAX, &n_ranks, error))
        return NULL;
    g_autoptr(LpGivenProgram) self = lp_given_program_new(xml->path, (guint32)n_ranks);
    for (xmlNode *node = lp_xml_element(root->children, NULL); node != NULL;
         node = lp_xml_element(node->next, NULL))
        if (!read_element(self, xml, node, error))
            return NULL;
    return lp_given_program_check(self, error) ? g_steal_pointer(&self) : NULL;
}
