/* SPDX-License-Identifier: Apache-2.0 */
/* Whose software ran a row of measured training. */
#include "validation/cases/training_framework.h"

#include "base/error.h"
#include "validation/cases/row_word.h"
#include "workloads/description/framework.h"

#include <string.h>

/* The framework whose name is one of the words of column "source", but for those of one
 * publication, or NULL. Returns: (transfer full). */
static char *
framework_of_source(const LpTableRow *row)
{
    g_auto(GStrv) known = lp_framework_names(NULL);
    g_autofree char *words = g_ascii_strdown(lp_table_text(row, "source"), -1);
    g_strcanon(words, "abcdefghijklmnopqrstuvwxyz0123456789-", ' ');
    g_auto(GStrv) parts = g_strsplit(words, " ", -1);
    for (guint i = 0; known != NULL && parts[i] != NULL; i++)
        if (strcmp(parts[i], LP_FRAMEWORK_NONE) != 0 &&
            g_strv_contains((const char *const *)known, parts[i]) &&
            !lp_framework_of_one_publication(parts[i]))
            return g_strdup(parts[i]);
    return NULL;
}

/* Whether @word is a container's version: year, month and what follows, "24.03.01". */
static gboolean
is_container(const char *word)
{
    return g_ascii_isdigit(word[0]) && g_ascii_isdigit(word[1]) && word[2] == '.' &&
           g_ascii_isdigit(word[3]) && g_ascii_isdigit(word[4]) &&
           (word[5] == '\0' || word[5] == '.');
}

/* The version of NeMo or of its container that column @column names: "26.06.01 NeMo Container",
 * "NeMo 24.03.01". Returns: (transfer full) (nullable). */
static char *
container_in(const LpTableRow *row, const char *column)
{
    g_auto(GStrv) words = g_strsplit_set(lp_table_text(row, column), " ,;()", -1);
    if (!g_strv_contains((const char *const *)words, "NeMo"))
        return NULL;
    for (guint i = 0; words[i] != NULL; i++)
        if (is_container(words[i]))
            return g_strdup(words[i]);
    return NULL;
}

/* That in column "where", else that in the name of the source, or NULL. Returns: (transfer full).
 */
static char *
container_of(const LpTableRow *row)
{
    char *container = container_in(row, "where");
    return container != NULL ? container : container_in(row, "source");
}

/* The framework that @text names, by its name or another word for it. Static or borrowed. */
static const char *
known_framework(const char *text, LpOutcome *outcome)
{
    g_auto(GStrv) known = lp_framework_names(NULL);
    g_autofree char *word = lp_row_word("framework", text);
    if (known == NULL || g_strv_contains((const char *const *)known, text) ||
        g_strv_contains((const char *const *)known, word))
        return text;
    g_autofree char *shown = lp_error_quote(text);
    lp_outcome_infer(outcome, "framework none: nothing is known of %s", shown);
    return LP_FRAMEWORK_NONE;
}

char *
lp_training_framework_name(const LpTableRow *row, LpOutcome *outcome)
{
    const char *text = lp_table_text(row, "framework");
    g_autofree char *named = framework_of_source(row);
    if (named != NULL && strcmp(named, text) != 0 && !lp_framework_is_like(text, named)) {
        text = named;
        lp_outcome_infer(outcome, "framework %s: the source is named so", named);
    } else if (*text == '\0') {
        text = LP_FRAMEWORK_NONE;
        lp_outcome_infer(outcome, "framework none: nothing is stated");
    } else {
        text = known_framework(text, outcome);
    }
    g_autofree char *container = container_of(row);
    g_autofree char *version = lp_framework_version(text, container, lp_table_text(row, "source"));
    if (version == NULL || strcmp(version, text) == 0)
        return g_strdup(text);
    lp_outcome_infer(outcome, "framework %s: of %s%s", version,
                     container != NULL ? "NeMo container " : "",
                     container != NULL ? container : "that publication");
    return g_steal_pointer(&version);
}
