/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath import msccl FILE.xml": collective algorithms of others as lists of steps. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Makes a file of steps (docs/collectives.md) of an algorithm of MSCCL. */
gboolean lp_cmd_import_steps(int argc, char **argv, GError **error);

G_END_DECLS
