/* SPDX-License-Identifier: Apache-2.0 */
/* Finds keys, and leaves out what nobody asked for. */
#include "study/study_record.h"

#include "base/units.h"

#include <string.h>

const json_t *
lp_study_record_find(const json_t *document, const char *key)
{
    g_auto(GStrv) names = g_strsplit(key, ".", -1);
    for (char **name = names; *name != NULL && document != NULL; name++) {
        guint64 index = 0;
        if (!json_is_array(document))
            document = json_object_get(document, *name);
        else if (lp_count_parse(*name, 0, G_MAXUINT32, &index, NULL))
            document = json_array_get(document, index);
        else
            document = NULL;
    }
    return document;
}

/* Puts @value at @key of @document, in objects only: they are looked into by the same key. */
static void
put(json_t *document, const char *key, const json_t *value)
{
    g_auto(GStrv) names = g_strsplit(key, ".", -1);
    guint last = g_strv_length(names) - 1;
    for (guint i = 0; i < last; i++) {
        json_t *inner = json_object_get(document, names[i]);
        document = json_is_object(inner) ? inner : lp_json_set_object(document, names[i]);
    }
    json_object_set_new(document, names[last], json_deep_copy(value));
}

char *
lp_study_record_keep(const LpStudy *study, const char *text, GError **error)
{
    g_autoptr(json_t) document = lp_json_read("result", text, strlen(text), error);
    if (document == NULL || study->keeps_all)
        return document != NULL ? lp_json_print_line(document) : NULL;
    g_autoptr(json_t) kept = json_object();
    for (guint i = 0; i < study->records->len; i++) {
        const char *key = lp_study_record(study, i)->key;
        const json_t *value = lp_study_record_find(document, key);
        if (value != NULL)
            put(kept, key, value);
    }
    return lp_json_print_line(kept);
}
