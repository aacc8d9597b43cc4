/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up what report.gresource.xml lists. */
#include "report/embedded.h"

#include "report_resource.h"

#include <gio/gio.h>

void
lp_embedded_append(GString *text, const char *name)
{
    g_autofree char *path = g_strconcat("/lightpath/report/", name, NULL);
    /* Naming it here makes the linker take it along. */
    g_autoptr(GBytes) bytes =
        g_resource_lookup_data(lp_report_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    gsize length = 0;
    g_assert(bytes != NULL);
    const char *content = g_bytes_get_data(bytes, &length);
    g_string_append_len(text, content, (gssize)length);
}

json_t *
lp_embedded_json(const char *name)
{
    g_autoptr(GString) text = g_string_new(NULL);
    lp_embedded_append(text, name);
    json_t *node = lp_json_read(name, text->str, text->len, NULL);
    g_assert(node != NULL);
    return node;
}
