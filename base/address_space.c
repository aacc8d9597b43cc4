/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the limit with what is taken. */
#include "base/address_space.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)

/* The address space that this process has taken, bytes; 0 where /proc does not tell it. */
static double
taken_bytes(void)
{
    unsigned long n_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0.0;
    if (fscanf(file, "%lu", &n_pages) != 1)
        n_pages = 0;
    (void)fclose(file);
    return (double)n_pages * (double)sysconf(_SC_PAGESIZE);
}

double
lp_address_space_left_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return (double)limit.rlim_cur - taken_bytes();
}

gboolean
lp_address_space_check(double wanted_bytes, const char *purpose, GError **error)
{
    double left_bytes = lp_address_space_left_bytes();
    if (left_bytes >= wanted_bytes)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT,
                "memory: got a limit (ulimit -v) that leaves %.0f MiB, wanted at least %.0f for %s",
                MAX(left_bytes, 0.0) / MIB, wanted_bytes / MIB, purpose);
    return FALSE;
}
