/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares and writes pages. */
#include "cli/page_file.h"

#include "base/file.h"
#include "cli/options.h"
#include "cli/output_paths.h"
#include "report/vega.h"

#include <string.h>

void
lp_page_file_clear(LpPageFile *self)
{
    g_free(self->path);
    g_free(self->vega);
}

gboolean
lp_check_not_output(const char *option, const char *path, GError **error)
{
    if (g_strcmp0(path, "-") != 0)
        return TRUE;
    return lp_usage_error(error, "%s: got -, wanted a file: the report takes up standard output",
                          option);
}

gboolean
lp_page_file_load(LpPageFile *self, GError **error)
{
    if (!lp_check_not_output("--report", self->path, error))
        return FALSE;
    if (self->path != NULL)
        self->vega = lp_vega_load(lp_vega_folder(), error);
    return self->path == NULL || self->vega != NULL;
}

gboolean
lp_page_file_prepare(LpPageFile *self, char *const *inputs, GError **error)
{
    const LpOutputPath output = {"--report", self->path, FALSE};
    return lp_check_outputs(&output, 1, inputs, error) && lp_page_file_load(self, error);
}

gboolean
lp_page_file_write(const LpPageFile *self, LpPageMaker make, const json_t *document, GError **error)
{
    if (self->path == NULL)
        return TRUE;
    g_autofree char *text = make(document, self->vega);
    return lp_file_write(self->path, text, strlen(text), error);
}
