/* SPDX-License-Identifier: Apache-2.0 */
/* Reads steps, and keeps them. */
#include "workloads/given/step_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/ranges.h"
#include "base/xml.h"
#include "workloads_resource.h"

#include <string.h>

#define SCHEMA "resource:///lightpath/workloads/schema/steps.xsd"
/* What a symbolic execution holds: bits of all chunks of all members. */
#define BITS_MAX ((guint64)1 << 31)
#define RANKS_MAX 65536
#define PLACES_MAX ((guint64)1 << 26)

gboolean
lp_step_file_is_named(const char *text)
{
    return g_str_has_suffix(text, ".xml");
}

/* --- one list --- */

typedef struct {
    const LpXml *xml;    /* borrowed */
    const xmlNode *node; /* borrowed: of the list */
    int collective;
    guint64 n_ranks, n_chunks;
    GArray *sends; /* owned: LpListedSend */
} Reader;

static gboolean
read_send(Reader *self, const xmlNode *node, guint32 step, GError **error)
{
    guint64 from = 0, to = 0;
    gboolean sums = FALSE;
    const char *sum = lp_xml_attribute(node, "sum");
    if (!lp_xml_count(self->xml, node, "from", 0, self->n_ranks - 1, &from, error) ||
        !lp_xml_count(self->xml, node, "to", 0, self->n_ranks - 1, &to, error))
        return FALSE;
    if (sum != NULL && !lp_boolean_parse(sum, &sums, error)) {
        lp_xml_prefix(self->xml, node, "sum", error);
        return FALSE;
    }
    if (from == to) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error,
                     "step %u: member %u: got a message to itself, wanted another member", step,
                     (guint)from);
        return FALSE;
    }
    g_autoptr(GArray) chunks =
        lp_ranges_parse(lp_xml_attribute(node, "chunks"), (guint32)self->n_chunks - 1, error);
    if (chunks == NULL) {
        lp_xml_prefix(self->xml, node, "chunks", error);
        return FALSE;
    }
    for (guint i = 0; i < chunks->len; i++) {
        LpListedSend send = {step, (guint32)from, (guint32)to, g_array_index(chunks, guint32, i),
                             sums};
        g_array_append_val(self->sends, send);
    }
    return TRUE;
}

/* Chunks of an all-to-all are the pairs. */
static gboolean
read_sizes(Reader *self, GError **error)
{
    const xmlNode *node = self->node;
    gboolean pairs = self->collective == LP_COLLECTIVE_ALL_TO_ALL;
    if (!lp_xml_count(self->xml, node, "ranks", 2, RANKS_MAX, &self->n_ranks, error))
        return FALSE;
    self->n_chunks = self->n_ranks * self->n_ranks;
    if (pairs && lp_xml_attribute(node, "chunks") != NULL) {
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error,
                     "got chunks of an all-to-all, wanted none: they are its pairs");
        return FALSE;
    }
    if (!pairs &&
        !lp_xml_count(self->xml, node, "chunks", 1, G_MAXUINT32 / 2, &self->n_chunks, error))
        return FALSE;
    gboolean owned = self->collective == LP_COLLECTIVE_ALL_GATHER ||
                     self->collective == LP_COLLECTIVE_REDUCE_SCATTER;
    if (owned && self->n_chunks % self->n_ranks != 0)
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error,
                     "got %" G_GUINT64_FORMAT
                     " chunks, wanted as many for each of %" G_GUINT64_FORMAT " ranks",
                     self->n_chunks, self->n_ranks);
    else if (self->n_chunks > BITS_MAX / self->n_ranks / (self->n_ranks + 63))
        lp_xml_error(self->xml, node, LP_INPUT_ERROR_VALUE, error,
                     "got %" G_GUINT64_FORMAT " chunks of %" G_GUINT64_FORMAT
                     " ranks, wanted at most 2^31 chunks times ranks squared",
                     self->n_chunks, self->n_ranks);
    else
        return TRUE;
    return FALSE;
}

static gboolean
read_collective(Reader *self, GError **error)
{
    self->collective =
        lp_choice_parse(lp_xml_attribute(self->node, "operation"), lp_collective_names, error);
    if (self->collective >= 0 && lp_step_list_can((LpCollective)self->collective))
        return TRUE;
    if (self->collective >= 0)
        lp_value_error(error, "got %s, wanted one that moves a buffer among all members",
                       lp_collective_names[self->collective]);
    lp_xml_prefix(self->xml, self->node, "operation", error);
    return FALSE;
}

/* Returns: (transfer full). */
static LpStepList *
read_list(Reader *self, GError **error)
{
    guint32 n_steps = 0;
    if (!read_collective(self, error) || !read_sizes(self, error))
        return NULL;
    for (xmlNode *step = lp_xml_element(self->node->children, "step"); step != NULL;
         step = lp_xml_element(step->next, "step"), n_steps++)
        for (xmlNode *send = lp_xml_element(step->children, "send"); send != NULL;
             send = lp_xml_element(send->next, "send"))
            if (!read_send(self, send, n_steps, error))
                return NULL;
    if (n_steps * self->n_ranks > PLACES_MAX) {
        lp_xml_error(self->xml, self->node, LP_INPUT_ERROR_VALUE, error,
                     "got %u steps of %" G_GUINT64_FORMAT
                     " ranks, wanted at most %" G_GUINT64_FORMAT " together",
                     n_steps, self->n_ranks, PLACES_MAX);
        return NULL;
    }
    g_autoptr(LpStepList) list = lp_step_list_new(
        lp_xml_attribute(self->node, "name"), (LpCollective)self->collective,
        (guint32)self->n_ranks, (guint32)self->n_chunks, n_steps, g_steal_pointer(&self->sends));
    g_autoptr(GError) fault = NULL;
    if (lp_step_list_check(list, &fault))
        return g_steal_pointer(&list);
    lp_xml_error(self->xml, self->node, LP_INPUT_ERROR_VALUE, error, "algorithm %s: %s", list->name,
                 fault->message);
    return NULL;
}

/* --- a file --- */

static void
free_lists(LpStepLists *self)
{
    for (guint32 i = 0; i < self->n; i++)
        lp_step_list_free(self->lists[i]);
    g_free(self->lists);
    g_free(self->path);
    g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStepLists, free_lists)

static gboolean
add_list(LpStepLists *self, const LpXml *xml, const xmlNode *node, GError **error)
{
    Reader reader = {
        .xml = xml, .node = node, .sends = g_array_new(FALSE, FALSE, sizeof(LpListedSend))};
    LpStepList *list = read_list(&reader, error);
    if (reader.sends != NULL)
        g_array_unref(reader.sends);
    if (list == NULL)
        return FALSE;
    gboolean is_known = lp_step_lists_find(self, list->collective, list->n_ranks) != NULL;
    if (is_known)
        lp_xml_error(xml, node, LP_INPUT_ERROR_VALUE, error,
                     "got a second %s of %u ranks, wanted one",
                     lp_collective_names[list->collective], list->n_ranks);
    self->lists = g_renew(LpStepList *, self->lists, self->n + 1);
    self->lists[self->n++] = list;
    return !is_known;
}

/* Returns: (transfer full). */
static LpStepLists *
read_lists(const char *path, GBytes *content, GError **error)
{
    (void)lp_workloads_get_resource();
    g_autoptr(LpXml) xml = lp_xml_parse(path, content, SCHEMA, error);
    if (xml == NULL)
        return NULL;
    g_autoptr(LpStepLists) self = g_new0(LpStepLists, 1);
    self->path = g_strdup(path);
    for (xmlNode *node = lp_xml_element(lp_xml_root(xml)->children, "algorithm"); node != NULL;
         node = lp_xml_element(node->next, "algorithm"))
        if (!add_list(self, xml, node, error))
            return NULL;
    return g_steal_pointer(&self);
}

/* --- those that were read --- */

G_LOCK_DEFINE_STATIC(known);
/* LpStepLists by path and text: kept for good, as embedded documents are (base/xml.h). */
static GHashTable *known;

gboolean
lp_step_file_load(const char *path, LpAlgorithms *out_algorithms, GError **error)
{
    g_autoptr(GBytes) content = lp_file_read(path, error);
    if (content == NULL)
        return FALSE;
    g_autofree char *digest = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, content);
    g_autofree char *key = g_strconcat(path, ":", digest, NULL);
    G_LOCK(known);
    if (known == NULL)
        known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    LpStepLists *lists = g_hash_table_lookup(known, key);
    if (lists == NULL && (lists = read_lists(path, content, error)) != NULL)
        g_hash_table_insert(known, g_steal_pointer(&key), lists);
    G_UNLOCK(known);
    if (lists != NULL)
        *out_algorithms =
            (LpAlgorithms){.n_levels = 1, .level = {LP_ALGORITHM_LISTED}, .lists = lists};
    return lists != NULL;
}
