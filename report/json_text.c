/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as JSON text, for programs that need not know the JSON library. */
#include "report/report.h"
#include "base/c_locale.h"
#include "report/report_parts.h"

char *
lp_report_to_json_text(const LpReport *self)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) node = lp_report_to_json(self);
    return lp_json_print(node);
}

char *
lp_report_estimate_to_json_text(const LpReport *self, gboolean amped)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(json_t) node = lp_report_estimate_to_json(self, amped);
    return lp_json_print(node);
}
