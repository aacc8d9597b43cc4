/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the command as the command line would. */
#include "cli/bench_validate.h"

#include "base/error.h"
#include "cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

gboolean
lp_bench_validate(guint64 *out_children_rss_bytes, GError **error)
{
    if (freopen("/dev/null", "w", stdout) == NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/dev/null: %s", g_strerror(errno));
        return FALSE;
    }
    char name[] = "validate", *words[] = {name, NULL};
    gboolean good = lp_cmd_validate(1, words, error);
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) == 0)
        *out_children_rss_bytes = (guint64)usage.ru_maxrss * 1024;
    return good;
}
