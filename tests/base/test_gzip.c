/* SPDX-License-Identifier: Apache-2.0 */
/* What gzip packed comes out whole, and never larger than it may. */
#include "base/gzip.h"

#include "tests/testlib.h"

#include <gio/gio.h>
#include <string.h>

static void
pack(GByteArray *out, const char *data, gsize length)
{
    g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9);
    guint8 block[65536];
    GConverterResult result = G_CONVERTER_CONVERTED;
    while (result != G_CONVERTER_FINISHED) {
        gsize n_read = 0, n_written = 0;
        result = g_converter_convert(G_CONVERTER(gzip), data, length, block, sizeof block,
                                     G_CONVERTER_INPUT_AT_END, &n_read, &n_written, NULL);
        g_byte_array_append(out, block, (guint)n_written);
        data += n_read;
        length -= n_read;
    }
}

static GBytes *
packed(const char *data, gsize length)
{
    GByteArray *out = g_byte_array_new();
    pack(out, data, length);
    return g_byte_array_free_to_bytes(out);
}

static void
check(const char *label, GBytes *bytes, gsize n_most, const char *wanted)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) found = lp_gzip_unpack(bytes, "f.gz", n_most, &error);
    gsize length = 0;
    const char *data = found != NULL ? g_bytes_get_data(found, &length) : NULL;
    g_autofree char *text =
        found != NULL ? g_strndup(data != NULL ? data : "", length) : g_strdup(error->message);
    lp_test_text(label, text, wanted);
}

static void
test_unpack(void)
{
    check("plain", g_bytes_new("{}", 2), 9, "{}");
    check("empty", g_bytes_new("", 0), 9, "");
    check("packed", packed("a text\n", 7), 9, "a text\n");
    check("nothing packed", packed("", 0), 9, "");
    GByteArray *two = g_byte_array_new();
    pack(two, "one ", 4);
    pack(two, "two", 3);
    check("two members", g_byte_array_free_to_bytes(two), 9, "one two");
    check("as large as it may be", packed("a text\n", 7), 7, "a text\n");
}

static void
test_refused(void)
{
    static const char large[] = "f.gz: got gzip data that unpack to more than 6 B, wanted less";
    check("too large", packed("a text\n", 7), 6, large);
    g_autoptr(GBytes) good = packed("a text\n", 7);
    gsize length;
    const char *data = g_bytes_get_data(good, &length);
    for (gsize n = 3; n < length; n++)
        check("cut", g_bytes_new(data, n), 9, "f.gz: got damaged gzip data, wanted a whole file");
    GByteArray *tail = g_byte_array_new();
    pack(tail, "a", 1);
    g_byte_array_append(tail, (const guint8 *)"more", 4);
    check("tail", g_byte_array_free_to_bytes(tail), 9,
          "f.gz: got bytes behind gzip data, wanted their end");
}

/* A hundred megabytes of zeros are a hundred kilobytes: they end where they may not grow. */
static void
test_bomb(void)
{
    gsize length = 100u << 20;
    g_autofree char *zeros = g_malloc0(length);
    GBytes *bytes = packed(zeros, length);
    lp_test_true("small", g_bytes_get_size(bytes) < 200000);
    check("a bomb", bytes, 1u << 20,
          "f.gz: got gzip data that unpack to more than 1048576 B, wanted less");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"unpack", test_unpack}, {"refused", test_refused}, {"bomb", test_bomb}, {NULL, NULL}};
    return lp_test_run("gzip", cases);
}
