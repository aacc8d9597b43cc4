/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validation/temporary.h"

#include "tests/testlib.h"

#include <glib/gstdio.h>

char *
lp_temporary_file(const char *text, gssize length)
{
    char *path = NULL;
    int file = g_file_open_tmp("lightpath-test-XXXXXX.csv", &path, NULL);
    lp_test_true("temporary file", file >= 0 && g_close(file, NULL));
    lp_test_true("write", g_file_set_contents(path, text, length, NULL));
    return path;
}

void
lp_temporary_remove(char *path)
{
    (void)g_unlink(path);
    g_free(path);
}
