/* SPDX-License-Identifier: Apache-2.0 */
/* A list of a workload's attributes, as texts. */
#include "validation/cases/settings.h"

#include <string.h>

void
lp_settings_init(LpSettings *self)
{
    self->texts = g_ptr_array_new_with_free_func(g_free);
}

void
lp_settings_clear(LpSettings *self)
{
    g_ptr_array_unref(self->texts);
}

const char *
lp_settings_get(const LpSettings *self, const char *name)
{
    gsize length = strlen(name);
    for (guint i = self->texts->len; i > 0; i--) {
        const char *text = self->texts->pdata[i - 1];
        if (strncmp(text, name, length) == 0 && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

gboolean
lp_settings_is(const LpSettings *self, const char *name, const char *value)
{
    return g_strcmp0(lp_settings_get(self, name), value) == 0;
}

guint64
lp_settings_number(const LpSettings *self, const char *name)
{
    const char *text = lp_settings_get(self, name);
    return text != NULL ? g_ascii_strtoull(text, NULL, 10) : 1;
}

void
lp_settings_set(LpSettings *self, const char *name, const char *value)
{
    g_ptr_array_add(self->texts, g_strconcat(name, "=", value, NULL));
}

void
lp_settings_set_all(LpSettings *self, const char *texts)
{
    g_auto(GStrv) all = g_strsplit(texts, " ", -1);
    for (guint i = 0; all[i] != NULL; i++)
        g_ptr_array_add(self->texts, g_strdup(all[i]));
}

void
lp_settings_set_unless_said(LpSettings *self, const char *name, const char *value)
{
    if (lp_settings_get(self, name) == NULL)
        lp_settings_set(self, name, value);
}
