/* SPDX-License-Identifier: Apache-2.0 */
/* A setting of the engine, as reports repeat it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A setting as it is handed to SimGrid, and why it has this value. */
typedef struct {
    const char *name;
    const char *value;
    const char *reason;
} LpEngineOption;

G_END_DECLS
