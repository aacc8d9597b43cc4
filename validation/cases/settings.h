/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of a workload being gathered, as texts: "name=value", of which the last of a name
 * holds. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
    GPtrArray *texts; /* owned, of owned "name=value" */
} LpSettings;

void lp_settings_init(LpSettings *self);
void lp_settings_clear(LpSettings *self);

/** The value that holds, borrowed until the next setting; NULL if nothing has been said. */
const char *lp_settings_get(const LpSettings *self, const char *name);
gboolean lp_settings_is(const LpSettings *self, const char *name, const char *value);
/** A whole number that has been checked before; 1 if nothing has been said. */
guint64 lp_settings_number(const LpSettings *self, const char *name);

void lp_settings_set(LpSettings *self, const char *name, const char *value);
/** Several at once: @texts is "name=value name=value". */
void lp_settings_set_all(LpSettings *self, const char *texts);
void lp_settings_set_unless_said(LpSettings *self, const char *name, const char *value);

G_END_DECLS
