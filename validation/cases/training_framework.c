/* SPDX-License-Identifier: Apache-2.0 */
/* Whose software ran a row of measured training. */
#include "validation/cases/training_framework.h"

#include "base/error.h"
#include "validation/cases/row_source.h"
#include "validation/cases/row_word.h"
#include "workloads/description/framework.h"

#include <string.h>

/* The framework that a word of column "source" is the name of, or NULL. Returns: (transfer full).
 */
static char *
framework_in_source(const LpTableRow *row)
{
    g_auto(GStrv) known = lp_framework_names(NULL);
    g_auto(GStrv) words = lp_row_words(lp_table_text(row, "source"));
    for (guint i = 0; known != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], LP_FRAMEWORK_NONE) != 0 &&
            g_strv_contains((const char *const *)known, words[i]))
            return g_strdup(words[i]);
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

/* The framework that @text names, in whatever letters or by another word for it, or NULL. Returns:
 * (transfer full). */
static char *
known_framework(const char *text)
{
    g_auto(GStrv) names = lp_framework_names(NULL);
    const char *const *known = (const char *const *)names;
    g_autofree char *lower = g_ascii_strdown(text, -1);
    if (known == NULL || g_strv_contains(known, lower))
        return g_steal_pointer(&lower);
    g_autofree char *word = lp_row_word("framework", text);
    return g_strv_contains(known, word) ? g_steal_pointer(&word) : NULL;
}

/* @stated, which column "framework" means. Returns: (transfer full). */
static char *
stated_framework(const char *text, const char *stated, LpOutcome *outcome)
{
    g_autofree char *shown = lp_error_quote(text);
    if (strcmp(stated, text) != 0)
        lp_outcome_infer(outcome, "framework %s: in place of %s", stated, shown);
    return g_strdup(stated);
}

/* What is left where the column says nothing that is known: what the source is named for, or none.
 * Returns: (transfer full). */
static char *
guessed_framework(const LpTableRow *row, LpOutcome *outcome)
{
    const char *text = lp_table_text(row, "framework");
    g_autofree char *shown = lp_error_quote(text);
    g_autofree char *unknown =
        *text != '\0' ? g_strdup_printf("nothing is known of %s", shown) : NULL;
    char *name = framework_in_source(row);
    if (name == NULL) /* "NeMo" is another word for one */
        name = known_framework(lp_table_text(row, "source"));
    if (name == NULL) {
        lp_outcome_infer(outcome, "framework none: %s",
                         unknown != NULL ? unknown : "nothing is stated");
        return g_strdup(LP_FRAMEWORK_NONE);
    }
    lp_outcome_infer(outcome, "framework %s: the source is named so%s%s", name,
                     unknown != NULL ? ", and " : "", unknown != NULL ? unknown : "");
    return name;
}

/* What the columns name, whatever its version. Returns: (transfer full). */
static char *
named_framework(const LpTableRow *row, LpOutcome *outcome)
{
    const char *text = lp_table_text(row, "framework");
    g_autofree char *stated = *text != '\0' ? known_framework(text) : NULL;
    return stated != NULL ? stated_framework(text, stated, outcome)
                          : guessed_framework(row, outcome);
}

/* The version of @name that the row's container has, or NULL. Returns: (transfer full). */
static char *
version_of_container(const LpTableRow *row, const char *name, LpOutcome *outcome)
{
    g_autofree char *container = container_of(row);
    g_autofree char *version = container != NULL ? lp_framework_version(name, container) : NULL;
    if (version == NULL || strcmp(version, name) == 0)
        return NULL;
    lp_outcome_infer(outcome, "framework %s: of NeMo container %s", version, container);
    return g_steal_pointer(&version);
}

/* What the row's source ran by validation/sources.xml where its column means @name, or NULL.
 * Returns: (transfer full). */
static char *
reading_of_source(const LpTableRow *row, const char *name, LpOutcome *outcome)
{
    char *reading = lp_row_source_framework(lp_table_text(row, "source"), name);
    if (reading != NULL)
        lp_outcome_infer(outcome, "framework %s: what that source ran, in place of \"%s\"", reading,
                         name);
    return reading;
}

char *
lp_training_framework_name(const LpTableRow *row, LpOutcome *outcome)
{
    char *name = named_framework(row, outcome);
    char *better = version_of_container(row, name, outcome);
    if (better == NULL)
        better = reading_of_source(row, name, outcome);
    if (better == NULL)
        return name;
    g_free(name);
    return better;
}

/* Whether the settings at hand are those that @setting asks for. */
static gboolean
is_due(const LpSettings *settings, const LpFrameworkSetting *setting)
{
    for (guint i = 0; i < setting->conditions->len; i++) {
        const LpFrameworkCondition *condition = setting->conditions->pdata[i];
        const char *text = lp_settings_get(settings, condition->name);
        gboolean holds = g_strcmp0(text, condition->value) == 0;
        if (condition->comparison == LP_COMPARISON_IS_NOT)
            holds = !holds;
        else if (condition->comparison == LP_COMPARISON_ABOVE)
            holds =
                text != NULL && g_ascii_strtod(text, NULL) > g_ascii_strtod(condition->value, NULL);
        if (!holds)
            return FALSE;
    }
    return TRUE;
}

char *
lp_training_framework_default(const LpSettings *settings, const char *name)
{
    g_autoptr(LpFramework) framework =
        lp_framework_find(lp_settings_get(settings, "framework"), NULL);
    for (guint i = 0; framework != NULL && i < framework->settings->len; i++) {
        const LpFrameworkSetting *setting = framework->settings->pdata[i];
        if (strcmp(setting->name, name) == 0 && is_due(settings, setting))
            return g_strdup(setting->value);
    }
    return NULL;
}
