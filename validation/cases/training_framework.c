/* SPDX-License-Identifier: Apache-2.0 */
/* Whose software ran a row of measured training. */
#include "validation/cases/training_framework.h"

#include "base/error.h"
#include "validation/cases/row_word.h"
#include "workloads/description/framework.h"

#include <string.h>

/* The words of column "source", in lower case. Returns: (transfer full). */
static char **
words_of_source(const LpTableRow *row)
{
    g_autofree char *words = g_ascii_strdown(lp_table_text(row, "source"), -1);
    g_strcanon(words, "abcdefghijklmnopqrstuvwxyz0123456789-", ' ');
    return g_strsplit(words, " ", -1);
}

/* The framework that one of @words is the name of, but for those of one publication, or NULL.
 * Returns: (transfer full). */
static char *
framework_among(const char *const *words)
{
    g_auto(GStrv) known = lp_framework_names(NULL);
    for (guint i = 0; known != NULL && words[i] != NULL; i++)
        if (strcmp(words[i], LP_FRAMEWORK_NONE) != 0 &&
            g_strv_contains((const char *const *)known, words[i]) &&
            !lp_framework_of_one_publication(words[i]))
            return g_strdup(words[i]);
    return NULL;
}

/* Whether one of @words is @name or what its first parts are: "megatron-lm" of "megatron-lm-2021".
 */
static gboolean
is_named_by(const char *name, const char *const *words)
{
    for (guint i = 0; words[i] != NULL; i++) {
        gsize length = strlen(words[i]);
        if (length > 0 && g_str_has_prefix(name, words[i]) &&
            (name[length] == '\0' || name[length] == '-'))
            return TRUE;
    }
    return FALSE;
}

/* Whether a source with these @words, which bears the name of @of_source, ran that where its rows
 * state @stated: software on top of @stated; or software of its own, which columns call by what is
 * nearest, unless the source names @stated as well. */
static gboolean
beats(const char *of_source, const char *stated, const char *const *words)
{
    if (strcmp(of_source, stated) == 0 || lp_framework_is_like(stated, of_source))
        return FALSE;
    return lp_framework_is_like(of_source, stated) ||
           (lp_framework_is_original(of_source) && !is_named_by(stated, words));
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

/* @text as the name of one of @known, however it is written, but for those of one publication,
 * which are named exactly; or another word for one. Returns: (transfer full). */
static char *
framework_word(const char *text, const char *const *known)
{
    g_autofree char *lower = g_ascii_strdown(text, -1);
    if (g_strv_contains(known, text))
        return g_strdup(text);
    if (g_strv_contains(known, lower) && !lp_framework_of_one_publication(lower))
        return g_steal_pointer(&lower);
    return lp_row_word("framework", text);
}

/* The framework that @text names, or NULL. Returns: (transfer full). */
static char *
known_framework(const char *text)
{
    g_auto(GStrv) names = lp_framework_names(NULL);
    const char *const *known = (const char *const *)names;
    if (known == NULL)
        return g_strdup(text);
    g_autofree char *word = framework_word(text, known);
    return g_strv_contains(known, word) ? g_steal_pointer(&word) : NULL;
}

/* @stated, which column "framework" names, or none. Returns: (transfer full). */
static char *
stated_framework(const char *text, const char *stated, LpOutcome *outcome)
{
    g_autofree char *shown = lp_error_quote(text);
    if (*text == '\0')
        lp_outcome_infer(outcome, "framework none: nothing is stated");
    else if (stated == NULL)
        lp_outcome_infer(outcome, "framework none: nothing is known of %s", shown);
    else if (strcmp(stated, text) != 0)
        lp_outcome_infer(outcome, "framework %s: in place of %s", stated, shown);
    return g_strdup(stated != NULL ? stated : LP_FRAMEWORK_NONE);
}

/* What the columns name, whatever its version. Returns: (transfer full). */
static char *
named_framework(const LpTableRow *row, LpOutcome *outcome)
{
    const char *text = lp_table_text(row, "framework");
    g_auto(GStrv) parts = words_of_source(row);
    const char *const *words = (const char *const *)parts;
    g_autofree char *of_source = framework_among(words);
    g_autofree char *stated = *text != '\0' ? known_framework(text) : NULL;
    if (of_source == NULL && stated == NULL) /* "NeMo" is another word for one */
        of_source = known_framework(lp_table_text(row, "source"));
    if (of_source == NULL || (stated != NULL && !beats(of_source, stated, words)))
        return stated_framework(text, stated, outcome);
    g_autofree char *shown = lp_error_quote(text);
    gboolean is_unknown = *text != '\0' && stated == NULL;
    lp_outcome_infer(outcome, "framework %s: the source is named so%s%s", of_source,
                     is_unknown ? ", and nothing is known of " : "", is_unknown ? shown : "");
    return g_steal_pointer(&of_source);
}

char *
lp_training_framework_name(const LpTableRow *row, LpOutcome *outcome)
{
    char *name = named_framework(row, outcome);
    g_autofree char *container = container_of(row);
    g_autofree char *version = lp_framework_version(name, container, lp_table_text(row, "source"));
    if (version == NULL || strcmp(version, name) == 0)
        return name;
    lp_outcome_infer(outcome, "framework %s: of %s%s", version,
                     container != NULL ? "NeMo container " : "",
                     container != NULL ? container : "that publication");
    g_free(name);
    return g_steal_pointer(&version);
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
