/* SPDX-License-Identifier: Apache-2.0 */
/* Compares limits with what is taken. */
#include "base/address_space.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (1024.0 * 1024.0)

/* What this process has taken: all of its address space, and that of its data; 0 where /proc does
 * not tell it. */
static void
find_taken(double *out_all_bytes, double *out_data_bytes)
{
    unsigned long n_pages = 0, n_data_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file != NULL && fscanf(file, "%lu %*u %*u %*u %*u %lu", &n_pages, &n_data_pages) != 2)
        n_pages = n_data_pages = 0;
    if (file != NULL)
        (void)fclose(file);
    double page_bytes = (double)sysconf(_SC_PAGESIZE);
    *out_all_bytes = (double)n_pages * page_bytes;
    *out_data_bytes = (double)n_data_pages * page_bytes;
}

/* @out_option: how a shell's ulimit calls the limit that leaves least. */
static double
find_left(const char **out_option)
{
    struct rlimit all, data;
    *out_option = "-v";
    if (getrlimit(RLIMIT_AS, &all) != 0 || getrlimit(RLIMIT_DATA, &data) != 0 ||
        (all.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY))
        return INFINITY;
    double all_bytes, data_bytes;
    find_taken(&all_bytes, &data_bytes);
    double left_bytes = all.rlim_cur == RLIM_INFINITY ? INFINITY : (double)all.rlim_cur - all_bytes;
    if (data.rlim_cur == RLIM_INFINITY || (double)data.rlim_cur - data_bytes >= left_bytes)
        return left_bytes;
    *out_option = "-d";
    return (double)data.rlim_cur - data_bytes;
}

double
lp_address_space_left_bytes(void)
{
    const char *option;
    return find_left(&option);
}

gboolean
lp_address_space_check(double wanted_bytes, const char *purpose, GError **error)
{
    const char *option;
    double left_bytes = find_left(&option);
    if (left_bytes >= wanted_bytes)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT,
                "memory: got a limit (ulimit %s) that leaves %.0f MiB, wanted at least %.0f for %s",
                option, MAX(left_bytes, 0.0) / MIB, wanted_bytes / MIB, purpose);
    return FALSE;
}
