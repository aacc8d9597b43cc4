/* SPDX-License-Identifier: Apache-2.0 */
/* The error domains that have no module of their own, and the one-line rule for messages. */
#include "base/error.h"

/* Longer culprits would push the rest of the message off the terminal's line. */
#define SHOWN_MAX 60

G_DEFINE_QUARK(lp_input_error, lp_input_error)

gboolean
lp_error_is_shortage(const GError *error)
{
    return g_error_matches(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT) ||
           (error != NULL && error->domain == LP_CHILD_PROCESS_ERROR);
}

gboolean
lp_value_error(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error_literal(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, message);
    return FALSE;
}

char *
lp_error_quote(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *shown = g_string_new("\"");
    glong n_shown = 0;
    for (const char *at = valid; *at != '\0'; at += g_utf8_skip[(guchar)*at], n_shown++) {
        if (n_shown == SHOWN_MAX) {
            g_string_append(shown, "...");
            break;
        }
        gunichar c = g_utf8_get_char(at);
        if (g_unichar_isprint(c))
            g_string_append_unichar(shown, c);
        else
            g_string_append_c(shown, g_unichar_isspace(c) ? ' ' : '?');
    }
    g_string_append_c(shown, '"');
    return g_string_free(shown, FALSE);
}
