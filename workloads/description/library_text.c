/* SPDX-License-Identifier: Apache-2.0 */
/* Reads which communication library runs what. */
#include "workloads/description/attribute_text.h"

#include "base/error.h"
#include "base/units.h"
#include "workloads/description/tuning_file.h"

#include <string.h>

/* More than any buffer. */
#define SIZE_BYTES_MAX 1e18

/* The index of @name among the names, where it is put if it is new. */
static gboolean
find_name(LpLibraryPicks *self, const char *name, guint32 *out_index, GError **error)
{
    if (*name == '\0' || strlen(name) >= LP_LIBRARY_NAME_MAX ||
        strpbrk(name, "=<>:@ \t\n") != NULL) {
        g_autofree char *shown = lp_error_quote(name);
        return lp_value_error(error, "got %s, wanted auto or a name of 1 to %d characters", shown,
                              LP_LIBRARY_NAME_MAX - 1);
    }
    guint32 i = 0;
    while (i < self->n_names && strcmp(self->names[i], name) != 0)
        i++;
    if (i == self->n_names)
        g_strlcpy(self->names[self->n_names++], name, LP_LIBRARY_NAME_MAX);
    *out_index = i;
    return TRUE;
}

static gboolean
add_pick(LpLibraryPicks *self, LpLibraryPick pick, const char *name, GError **error)
{
    if (self->n_picks == LP_LIBRARY_PICKS_MAX)
        return lp_value_error(error, "got more than %d ranges, wanted no more",
                              LP_LIBRARY_PICKS_MAX);
    if (!find_name(self, name, &pick.library, error))
        return FALSE;
    self->picks[self->n_picks++] = pick;
    return TRUE;
}

/* "<=SIZE=NAME" or ">SIZE=NAME" after those up to *@io_end (0: none yet), which grows;
 * G_MAXUINT64: up to any size. */
static gboolean
read_range(LpLibraryPicks *self, LpLibraryPick pick, const char *range, guint64 *io_end,
           GError **error)
{
    gboolean is_last = *range == '>', is_first = *io_end == 0;
    gboolean is_range = is_last || g_str_has_prefix(range, "<=");
    const char *size = is_range ? range + (is_last ? 1 : 2) : "", *equals = strchr(size, '=');
    double bytes = 0.0;
    g_autofree char *text = equals != NULL ? g_strndup(size, (gsize)(equals - size)) : NULL;
    if (text == NULL) {
        g_autofree char *shown = lp_error_quote(range);
        return lp_value_error(error, "got %s, wanted <=SIZE=LIBRARY, or >SIZE=LIBRARY at the end",
                              shown);
    }
    if (!lp_quantity_parse_in(LP_QUANTITY_SIZE, text, 1.0, SIZE_BYTES_MAX, &bytes, error))
        return FALSE;
    guint64 at = (guint64)bytes;
    if (*io_end == G_MAXUINT64 || (is_last ? !is_first && at < *io_end : at <= *io_end))
        return lp_value_error(error,
                              "got \"%s\", which overlaps what is before it, wanted ranges "
                              "that go on from each other",
                              range);
    if (is_last && at != *io_end)
        return lp_value_error(error,
                              "got nothing for sizes up to that of \"%s\", wanted ranges "
                              "that go on from each other",
                              range);
    *io_end = pick.bytes_max = is_last ? G_MAXUINT64 : at;
    return add_pick(self, pick, equals + 1, error);
}

static gboolean
read_ranges(LpLibraryPicks *self, LpLibraryPick pick, const char *text, GError **error)
{
    g_auto(GStrv) ranges = g_strsplit_set(text, ", \t\n", -1);
    guint64 end = 0;
    pick.bytes_max = G_MAXUINT64;
    if (text[strcspn(text, "<>")] == '\0')
        return add_pick(self, pick, text, error);
    for (char **range = ranges; *range != NULL; range++)
        if (**range != '\0' && !read_range(self, pick, *range, &end, error))
            return FALSE;
    return end == G_MAXUINT64 ||
           lp_value_error(error, "got no library for sizes above the last, wanted >SIZE=LIBRARY "
                                 "at the end");
}

/* The place of @text in @names, without one that has no collectives that a library runs. */
static int
choose(const char *text, const char *const *names, guint without, GError **error)
{
    const char *left[MAX(LP_N_COLLECTIVES, LP_N_TRAFFIC) + 1] = {NULL};
    guint n = 0;
    for (guint i = 0; names[i] != NULL; i++)
        if (i != without)
            left[n++] = names[i];
    int index = lp_choice_parse(text, left, error);
    return index >= (int)without ? index + 1 : index;
}

/* "all-to-all" or "all-to-all@ep", which no pick has yet. */
static gboolean
read_what(const LpLibraryPicks *self, char *text, LpLibraryPick *out_pick, GError **error)
{
    char *at = strchr(text, '@');
    if (at != NULL)
        *at = '\0';
    int collective = choose(text, lp_collective_names, LP_COLLECTIVE_SEND, error);
    if (collective < 0)
        return FALSE;
    int traffic =
        at != NULL ? choose(at + 1, lp_traffic_names, LP_TRAFFIC_PP, error) : LP_N_TRAFFIC;
    if (traffic < 0)
        return FALSE;
    out_pick->collective = (LpCollective)collective;
    out_pick->traffic = (LpTraffic)traffic;
    for (guint32 i = 0; i < self->n_picks; i++)
        if (self->picks[i].collective == out_pick->collective &&
            self->picks[i].traffic == out_pick->traffic)
            return lp_value_error(error, "got it twice, wanted all its ranges in one place");
    return TRUE;
}

static gboolean
read_part(LpLibraryPicks *self, char *part, GError **error)
{
    LpLibraryPick pick = {.bytes_max = 0};
    char *colon = strchr(part, ':');
    guint32 index = 0;
    if (colon == NULL && self->n_names == 0)
        return find_name(self, part, &index, error);
    if (self->n_names == 0)
        (void)find_name(self, "auto", &index, NULL);
    if (colon == NULL) {
        g_autofree char *shown = lp_error_quote(part);
        return lp_value_error(error, "got %s, wanted OPERATION: and its libraries", shown);
    }
    *colon = '\0';
    g_autofree char *what = g_strdup(g_strstrip(part));
    if (read_what(self, part, &pick, error) &&
        read_ranges(self, pick, g_strstrip(colon + 1), error))
        return TRUE;
    g_prefix_error(error, "%s: ", what);
    return FALSE;
}

static gboolean
parse(const char *text, LpLibraryPicks *out_picks, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    *out_picks = (LpLibraryPicks){.n_names = 0};
    guint32 index = 0;
    if (*parts == NULL)
        return find_name(out_picks, text, &index, error);
    for (char **part = parts; *part != NULL; part++)
        if (!read_part(out_picks, g_strstrip(*part), error))
            return FALSE;
    return TRUE;
}

/* @text without blanks, and commas between ranges. Returns: (transfer full). */
static char *
without_blanks(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr(", \t\n", *at) == NULL) {
            g_string_append_c(out, *at);
            continue;
        }
        const char *next = at + strspn(at, ", \t\n");
        if (out->len > 0 && strchr(":;,", out->str[out->len - 1]) == NULL &&
            strchr(":;", *next) == NULL)
            g_string_append_c(out, ',');
        at = next - 1;
    }
    return g_string_free(out, FALSE);
}

/* What is said in words, also by a file. */
static gboolean
set_words(LpPlan *plan, const char *text, GError **error)
{
    LpLibraryPicks picks;
    if (strlen(text) >= sizeof plan->library.name)
        return lp_value_error(error, "got a text of more than %d bytes, wanted a shorter one",
                              LP_LIBRARY_TEXT_MAX - 1);
    if (!parse(text, &picks, error))
        return FALSE;
    plan->library.picks = picks;
    g_autofree char *kept = without_blanks(text);
    g_strlcpy(plan->library.name, kept, sizeof plan->library.name);
    return TRUE;
}

/* Whether there are such libraries shows where they are looked up. */
static gboolean
set_library(LpPlan *plan, const char *text, GError **error)
{
    if (!lp_tuning_file_is_named(text))
        return set_words(plan, text, error);
    g_autofree char *words = lp_tuning_file_read(text, error);
    if (words == NULL)
        return FALSE;
    if (set_words(plan, words, error))
        return TRUE;
    g_prefix_error(error, "%s: ", text);
    return FALSE;
}

static char *
get_library(const LpPlan *plan)
{
    return g_strdup(plan->library.name);
}

const LpAttributeText lp_text_library = {set_library, get_library};
