/* SPDX-License-Identifier: Apache-2.0 */
/* Readers are given mutated files: none crashes, leaks (under sanitizers), or has an error without
 * a text. The mutations are drawn from a fixed seed; libFuzzer goes further (scripts/fuzz).
 *
 *     test_readers READER N FILE... */
#include "tests/fuzz/readers.h"

#include <gio/gio.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What mutations put in: words that readers know, and bytes that they do not. */
static const char *const words[] = {
    "-1",         "0",
    "4294967295", "18446744073709551615",
    "1e308",      "nan",
    "inf",        "\xff\xfe",
    "&amp;",      "<!--",
    "\"",         "}",
    "[",          "\n",
    ",",          "=",
    "1e-320",     "\xe2\x80\xae",
};

/* Changes @data at @n places: bytes, words in or out, pieces twice. */
static void
mutate(GByteArray *data, GRand *rand, gint n)
{
    for (gint i = 0; i < n && data->len > 0; i++) {
        guint at = (guint)g_rand_int_range(rand, 0, (gint32)data->len);
        guint most = (guint)g_rand_int_range(rand, 1, 40), length = MIN(most, data->len - at);
        const char *word = words[g_rand_int_range(rand, 0, G_N_ELEMENTS(words))];
        switch (g_rand_int_range(rand, 0, 5)) {
        case 0:
            data->data[at] = (guint8)g_rand_int_range(rand, 0, 256);
            break;
        case 1:
            g_byte_array_remove_range(data, at, length);
            break;
        case 2:
            memcpy(data->data + at, word, MIN(strlen(word), data->len - at));
            break;
        case 3: {
            g_autofree guint8 *piece = g_memdup2(data->data + at, length);
            g_byte_array_append(data, piece, length);
            break;
        }
        default:
            g_byte_array_set_size(data, MAX(at, 1));
        }
    }
}

int
main(int argc, char **argv)
{
    gint reader = argc > 3 ? lp_fuzz_reader(argv[1]) : -1;
    if (reader < 0) {
        fprintf(stderr, "usage: test_readers READER N FILE...\n");
        return 2;
    }
    gint64 n = g_ascii_strtoll(argv[2], NULL, 10);
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (int i = 3; i < argc; i++) {
        g_autofree char *seed = NULL;
        gsize length = 0;
        if (!g_file_get_contents(argv[i], &seed, &length, NULL)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
        /* Else mutations would only try what refuses it. */
        if (!lp_fuzz_read(reader, (const guint8 *)seed, length)) {
            fprintf(stderr, "%s: %s: is refused\n", argv[1], argv[i]);
            return 1;
        }
        for (gint64 k = 0; k < n; k++) {
            g_autoptr(GByteArray) data = g_byte_array_new();
            g_byte_array_append(data, (const guint8 *)seed, (guint)length);
            mutate(data, rand, g_rand_int_range(rand, 1, 6));
            (void)lp_fuzz_read(reader, data->data, data->len);
        }
    }
    printf("%s: %" G_GINT64_FORMAT " mutations of each of %d files\n", argv[1], n, argc - 3);
    return 0;
}
