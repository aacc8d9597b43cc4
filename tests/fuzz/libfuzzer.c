/* SPDX-License-Identifier: Apache-2.0 */
/* The reader that LIGHTPATH_READER names, for clang's libFuzzer: scripts/fuzz. */
#include "tests/fuzz/readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const guint8 *data, size_t length);

static gint reader;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *name = g_getenv("LIGHTPATH_READER");
    reader = name != NULL ? lp_fuzz_reader(name) : -1;
    if (reader < 0)
        g_error("LIGHTPATH_READER: got %s, wanted the name of a reader (tests/fuzz/readers.c)",
                name != NULL ? name : "nothing");
    return 0;
}

int
LLVMFuzzerTestOneInput(const guint8 *data, size_t length)
{
    (void)lp_fuzz_read(reader, data, length);
    return 0;
}
