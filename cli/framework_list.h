/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath workload frameworks. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Lists frameworks, or what one sets. */
gboolean lp_cmd_workload_frameworks(int argc, char **argv, GError **error);

G_END_DECLS
