/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that every part of a configuration takes. */
#include "workloads/import/reader.h"

const char *
lp_reader_said(const LpReader *self, const char *key)
{
    return lp_config_peek(self->config, key) != NULL ? key : "";
}

void
lp_reader_leave(const LpReader *self, const char *key, const char *reason)
{
    g_autofree char *value = lp_config_show(self->config, key);
    lp_import_leave(self->import, key, value, reason);
}

gboolean
lp_reader_map_count(const LpReader *self, const char *attribute, const char *keys, guint32 minimum,
                    guint32 *value, GError **error)
{
    if (!lp_config_count(self->config, keys, minimum, value, error))
        return FALSE;
    g_autofree char *key = lp_config_key(self->config, keys);
    lp_import_map_count(self->import, attribute, *value, lp_reader_said(self, key));
    return TRUE;
}
