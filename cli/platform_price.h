/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath platform price: what networks cost, without a machine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The command; its name is @argv[0]. Errors: LP_INPUT_ERROR. */
gboolean lp_cmd_platform_price(int argc, char **argv, GError **error);

G_END_DECLS
