/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath import chakra, ti ...: programs from traces of other tools. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Whether @kind is a format of traces. */
gboolean lp_import_trace_is(const char *kind);
/** "lightpath import KIND FILE...", from KIND on. */
gboolean lp_cmd_import_trace(int argc, char **argv, GError **error);

G_END_DECLS
