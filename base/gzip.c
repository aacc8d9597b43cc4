/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks block by block, so that a small file cannot claim more memory than its reader allows. */
#include "base/gzip.h"

#include "base/error.h"
#include "base/file.h"

#include <gio/gio.h>

static gboolean
is_packed(const guint8 *data, gsize length)
{
    return length >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

static gboolean
fail(const char *path, GError **error, const char *reason)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "%s: %s", lp_file_label(path), reason);
    return FALSE;
}

/* A file may have several members, one behind the other. */
static gboolean
unpack(const guint8 *data, gsize length, const char *path, gsize n_most, GByteArray *out,
       GError **error)
{
    g_autoptr(GZlibDecompressor) gzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    guint8 block[65536];
    for (;;) {
        gsize n_read = 0, n_written = 0;
        GConverterResult result =
            g_converter_convert(G_CONVERTER(gzip), data, length, block, sizeof block,
                                G_CONVERTER_INPUT_AT_END, &n_read, &n_written, NULL);
        if (result == G_CONVERTER_ERROR)
            return fail(path, error, "got damaged gzip data, wanted a whole file");
        if (out->len + n_written > n_most) {
            g_autofree char *reason = g_strdup_printf(
                "got gzip data that unpack to more than %" G_GSIZE_FORMAT " B, wanted less",
                n_most);
            return fail(path, error, reason);
        }
        g_byte_array_append(out, block, (guint)n_written);
        data += n_read;
        length -= n_read;
        if (result != G_CONVERTER_FINISHED)
            continue;
        if (length == 0)
            return TRUE;
        if (!is_packed(data, length))
            return fail(path, error, "got bytes behind gzip data, wanted their end");
        g_converter_reset(G_CONVERTER(gzip));
    }
}

GBytes *
lp_gzip_unpack(GBytes *bytes, const char *path, gsize n_most, GError **error)
{
    g_autoptr(GBytes) packed = bytes;
    gsize length;
    const guint8 *data = g_bytes_get_data(packed, &length);
    if (!is_packed(data, length))
        return g_steal_pointer(&packed);
    g_autoptr(GByteArray) out = g_byte_array_new();
    if (!unpack(data, length, path, n_most, out, error))
        return NULL;
    return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}
