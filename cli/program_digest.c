/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/self/exe, and what stands in the place of shipped files. */
#include "cli/program_digest.h"

#include <gio/gio.h>

static void
add_resource(GChecksum *sum, const char *path)
{
    g_autoptr(GBytes) bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    gsize length = 0;
    const guchar *data = bytes != NULL ? g_bytes_get_data(bytes, &length) : NULL;
    if (length > 0)
        g_checksum_update(sum, data, (gssize)length);
}

char *
lp_program_digest(void)
{
    g_autofree char *text = NULL;
    gsize length = 0;
    if (!g_file_get_contents("/proc/self/exe", &text, &length, NULL))
        return NULL;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)text, (gssize)length);
    add_resource(sum, "/lightpath/platforms/catalogue/accelerators.xml");
    add_resource(sum, "/lightpath/platforms/catalogue/libraries.xml");
    return g_strdup(g_checksum_get_string(sum));
}
