/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/temporary.h"

#include "tests/testlib.h"

#include <glib/gstdio.h>

char *
lp_temporary_with_suffix(const char *suffix, const char *text, gssize length)
{
    char *path = NULL;
    g_autofree char *pattern = g_strconcat("lightpath-test-XXXXXX", suffix, NULL);
    int file = g_file_open_tmp(pattern, &path, NULL);
    lp_test_true("temporary file", file >= 0 && g_close(file, NULL));
    lp_test_true("write", g_file_set_contents(path, text, length, NULL));
    return path;
}

char *
lp_temporary_file(const char *text, gssize length)
{
    return lp_temporary_with_suffix(".csv", text, length);
}

void
lp_temporary_remove(char *path)
{
    (void)g_unlink(path);
    g_free(path);
}
