/* SPDX-License-Identifier: Apache-2.0 */
/* memfd_create(2) */
#define _GNU_SOURCE
#include "cli/command_output.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static gboolean
fail(GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "output of a command: %s",
                g_strerror(errno));
    return FALSE;
}

int
lp_command_output_begin(GError **error)
{
    int output = memfd_create("output", MFD_CLOEXEC);
    int nowhere = output < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0)
        return output;
    (void)fail(error);
    return -1;
}

gboolean
lp_command_output_take(int output, GByteArray *result, GError **error)
{
    off_t length = fflush(stdout) == 0 ? lseek(output, 0, SEEK_END) : -1;
    void *text =
        length > 0 ? mmap(NULL, (gsize)length, PROT_READ, MAP_PRIVATE, output, 0) : MAP_FAILED;
    if (length < 0 || (length > 0 && text == MAP_FAILED))
        return fail(error);
    if (length > 0)
        g_byte_array_append(result, text, (guint)length);
    return TRUE;
}
