/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of GlobalMetadata: settings of the whole trace, each once, and groups of the rank. */
#include "workloads/traces/chakra_head.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

static gboolean
fail(const LpChakraHead *self, GError **error, const char *message)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:0: %s", lp_file_label(self->path),
                message);
    return FALSE;
}

/* Attributes of the program, "precision=bf16 library=nccl": those that plans have, each once. */
static gboolean
check_settings(const char *text, GError **error)
{
    static const char *const names[] = {"precision", "library",   "library-switch",
                                        "protocol",  "placement", "slowdown"};
    gboolean is_said[G_N_ELEMENTS(names)] = {FALSE};
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        const char *value = strchr(words[i], '=');
        guint k = 0;
        while (value != NULL && k < G_N_ELEMENTS(names) &&
               (strlen(names[k]) != (gsize)(value - words[i]) ||
                strncmp(names[k], words[i], strlen(names[k])) != 0))
            k++;
        gboolean is_good =
            value != NULL && k < G_N_ELEMENTS(names) && !is_said[k] && value[1] != '\0';
        for (const char *at = words[i]; is_good && *at != '\0'; at++)
            is_good = g_ascii_isgraph(*at);
        if (!is_good) {
            g_autofree char *shown = lp_error_quote(words[i]);
            return lp_value_error(
                error, "got %s, wanted precision=NAME, library=NAME and such, each once", shown);
        }
        is_said[k] = TRUE;
    }
    return TRUE;
}

static gboolean
read_setting(const LpChakraHead *self, const char *name, const LpChakraValue *value, GError **error)
{
    LpTrace *trace = self->trace;
    LpExecution *execution = &trace->execution;
    g_autofree char *text = lp_chakra_text(value->text);
    int word = 0;
    if (strcmp(name, "name") == 0 && trace->name == NULL)
        trace->name = g_strdup(text);
    else if (strcmp(name, "settings") == 0 && trace->settings == NULL) {
        if (!check_settings(text, error))
            return FALSE;
        trace->settings = g_strdup(text);
    } else if (strcmp(name, "compute-stream") == 0 && fabs(value->number) < 1e9)
        trace->compute_stream = (gint64)value->number;
    else if (strcmp(name, "host-collective_s") == 0 && value->number >= 0.0 &&
             value->number <= 3600.0)
        execution->collective_host_s = value->number;
    else if (strcmp(name, "host-free") == 0)
        execution->host_is_free = value->number > 0.0;
    else if (strcmp(name, "host-waits-within") == 0)
        execution->waits_within = value->number > 0.0;
    else if (strcmp(name, "host-sync") == 0) {
        word = lp_choice_parse(text, lp_traits[LP_TRAIT_HOST_SYNC].words, error);
        execution->host_sync = (LpHostSync)MAX(word, 0);
    } else if (strcmp(name, "collective-checks") == 0) {
        word = lp_choice_parse(text, lp_traits[LP_TRAIT_COLLECTIVE_CHECKS].words, error);
        execution->checks = (LpCollectiveChecks)MAX(word, 0);
    }
    return word >= 0;
}

gboolean
lp_chakra_groups_read(LpTraceNaming *naming, guint32 rank, const char *path, guint number,
                      LpWire text, GError **error)
{
    gsize length = (gsize)(text.end - text.at);
    if (length == 0 || lp_trace_naming_add(naming, rank, (const char *)text.at, length, error))
        return TRUE;
    g_prefix_error(error, "%s:%u: ", lp_file_label(path), number);
    return FALSE;
}

static gboolean
read_head_attribute(const LpChakraHead *self, LpWire message, gboolean wants_groups, GError **error)
{
    LpWire name;
    LpChakraValue value;
    if (!lp_chakra_attribute_read(message, &name, &value))
        return fail(self, error, "got an attribute that is none, wanted AttributeProto");
    g_autofree char *text = lp_chakra_text(name);
    gboolean is_groups = strcmp(text, LP_CHAKRA_GROUPS_SETTING) == 0;
    if (wants_groups)
        return !is_groups || !value.is_text ||
               lp_chakra_groups_read(self->naming, self->rank, self->path, 0, value.text, error);
    if (!g_str_has_prefix(text, "lightpath.") ||
        read_setting(self, text + strlen("lightpath."), &value, error))
        return TRUE;
    g_prefix_error(error, "%s:0: %s: ", lp_file_label(self->path), text);
    return FALSE;
}

/* GlobalMetadata has its version where a node has its number. Reads its groups, or all else. */
gboolean
lp_chakra_head_read(const LpChakraHead *self, LpWire message, gboolean wants_groups, GError **error)
{
    LpWireField field;
    for (;;) {
        if (!lp_wire_next(&message, &field) || (field.number == 1 && field.type != LP_WIRE_BYTES))
            return fail(self, error,
                        "got no GlobalMetadata, wanted a Chakra execution trace (protobuf, .et)");
        if (field.number == 0)
            return TRUE;
        if (field.number == 2 && field.type == LP_WIRE_BYTES &&
            !read_head_attribute(self, field.bytes, wants_groups, error))
            return FALSE;
    }
}
