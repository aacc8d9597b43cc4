/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath sweep plot": a page of a store. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** "plot STORE". */
gboolean lp_sweep_plot(int argc, char **argv, GError **error);

G_END_DECLS
