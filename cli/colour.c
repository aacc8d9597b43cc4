/* SPDX-License-Identifier: Apache-2.0 */
/* Colours lines of results by what they begin with. */
#include "cli/colour.h"

#include <string.h>
#include <unistd.h>

/* Select graphic rendition (ECMA-48, 8.3.117). */
#define PLAIN "\033[0m"
#define BOLD "\033[1m"
#define BOLD_RED "\033[1;31m"
#define YELLOW "\033[33m"

gboolean
lp_colour_is_wanted(int fd)
{
    const char *forbidden = g_getenv("NO_COLOR"), *terminal = g_getenv("TERM");
    return isatty(fd) != 0 && (forbidden == NULL || *forbidden == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

/* Lines of reports that begin a part of it. */
static gboolean
is_heading(const char *line)
{
    static const char *const beginnings[] = {
        "  seconds ", "memory of an ", "bytes on the wire", "simulated less ", "job ", NULL};
    for (guint i = 0; beginnings[i] != NULL; i++)
        if (g_str_has_prefix(line, beginnings[i]))
            return TRUE;
    return FALSE;
}

char *
lp_colour_result(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *out = g_string_new(NULL);
    for (char **line = lines; *line != NULL; line++) {
        const char *colour = g_str_has_prefix(*line, "warning") ? YELLOW
                             : is_heading(*line)                ? BOLD
                                                                : NULL;
        g_string_append_printf(out, "%s%s%s%s", colour != NULL ? colour : "", *line,
                               colour != NULL ? PLAIN : "", line[1] != NULL ? "\n" : "");
    }
    return g_string_free(out, FALSE);
}

const char *
lp_colour_error_begin(void)
{
    return lp_colour_is_wanted(STDERR_FILENO) ? BOLD_RED : "";
}

const char *
lp_colour_error_end(void)
{
    return lp_colour_is_wanted(STDERR_FILENO) ? PLAIN : "";
}
