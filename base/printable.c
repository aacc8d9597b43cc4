/* SPDX-License-Identifier: Apache-2.0 */
#include "base/printable.h"

gboolean
lp_is_printable(gunichar c)
{
    GUnicodeType type = g_unichar_type(c);
    return g_unichar_isprint(c) && type != G_UNICODE_LINE_SEPARATOR &&
           type != G_UNICODE_PARAGRAPH_SEPARATOR;
}

void
lp_append_escaped(GString *out, gunichar c)
{
    g_string_append_printf(out, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}
