/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform list: what machines can be made of, and those that are there. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** "lightpath platform list". */
gboolean lp_cmd_platform_list(int argc, char **argv, GError **error);

G_END_DECLS
