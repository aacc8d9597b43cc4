/* SPDX-License-Identifier: Apache-2.0 */
/* Which plane carries which class of traffic, as text. */
#include "platforms/machine/plane_classes.h"

#include "base/units.h"

#include <string.h>

gboolean
lp_plane_classes_parse(const char *text, guint32 n_planes, guint32 *out_plane, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gboolean seen[LP_N_TRAFFIC] = {FALSE};
    guint32 planes[LP_N_TRAFFIC] = {0};
    guint n_seen = 0;
    for (char **word = words; *word != NULL; word++) {
        char *plane = strchr(*word, '=');
        if (plane != NULL)
            *plane++ = '\0';
        int traffic = lp_choice_parse(*word, lp_plane_class_names, error);
        guint64 value = 0;
        if (traffic < 0 ||
            !lp_count_parse(plane != NULL ? plane : "", 0, n_planes - 1, &value, error))
            return FALSE;
        n_seen += seen[traffic] ? 0 : 1;
        seen[traffic] = TRUE;
        planes[traffic] = (guint32)value;
    }
    /* Tied embeddings, the last class, follow another: their gradients are gradients. */
    const guint n_classes = LP_TRAFFIC_EMBEDDING;
    if (n_seen != n_classes || g_strv_length(words) != n_classes) {
        g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_VALUE,
                    "%u classes, wanted each of tp, pp, dp, ep and cp once", n_seen);
        return FALSE;
    }
    planes[LP_TRAFFIC_EMBEDDING] = planes[LP_TRAFFIC_DP];
    memcpy(out_plane, planes, sizeof planes);
    return TRUE;
}
