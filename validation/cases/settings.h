/* SPDX-License-Identifier: Apache-2.0 */
/* A list of a workload's attributes, as texts "name=value"; of several with one name the last one
 * counts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The list. */
typedef struct {
    GPtrArray *texts; /* owned, of owned "name=value" */
} LpSettings;

/** An empty list. */
void lp_settings_init(LpSettings *self);
/** Frees what @self owns. */
void lp_settings_clear(LpSettings *self);

/** The value of @name, borrowed until the next setting; NULL if it has none. */
const char *lp_settings_get(const LpSettings *self, const char *name);
/** Whether @name has the value @value. */
gboolean lp_settings_is(const LpSettings *self, const char *name, const char *value);
/** The value of @name, a whole number that was checked before; 1 if it has none. */
guint64 lp_settings_number(const LpSettings *self, const char *name);

/** Adds "@name=@value". */
void lp_settings_set(LpSettings *self, const char *name, const char *value);
/** Adds several: @texts is "name=value name=value". */
void lp_settings_set_all(LpSettings *self, const char *texts);
/** Adds "@name=@value" unless @name has a value. */
void lp_settings_set_unless_said(LpSettings *self, const char *name, const char *value);

G_END_DECLS
