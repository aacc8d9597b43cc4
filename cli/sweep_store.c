/* SPDX-License-Identifier: Apache-2.0 */
/* Joins stores and prints them. */
#include "cli/sweep_store.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/options.h"
#include "study/study_export.h"
#include "study/study_merge.h"
#include "study/study_record.h"

#include <glib/gstdio.h>

#include <string.h>

gboolean
lp_sweep_store_print(LpStudyStore *store, gint64 study, const char *format, GError **error)
{
    if (strcmp(format, "json") == 0) {
        json_t *document = lp_study_export_json(store, study, G_MAXUINT, error);
        return document != NULL && lp_print_json(document, error);
    }
    g_autofree char *text = lp_study_export_csv(store, study, error);
    return text != NULL && lp_print_result(text, error);
}

gboolean
lp_sweep_store_message(LpStudyStore *store, gint64 study, const char *state, char **out_message,
                       GError **error)
{
    gboolean any = FALSE;
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT message FROM member JOIN point USING (point_id) JOIN result USING "
                     "(point_id) WHERE study_id = ? AND state = ? ORDER BY place LIMIT 1",
                     error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "is", study, state);
    if (!lp_query_next(query, &any, error))
        return FALSE;
    *out_message = g_strdup(any && lp_query_text(query, 0) != NULL ? lp_query_text(query, 0) : "");
    return TRUE;
}

/* Strikes out of @left the records that are in @text. */
static gboolean
find_records(const LpStudy *study, const char *text, gboolean *left, guint *io_n_left,
             GError **error)
{
    g_autoptr(json_t) result = lp_json_read("result", text, strlen(text), error);
    for (guint i = 0; result != NULL && i < study->records->len; i++)
        if (left[i] && lp_study_record_find(result, lp_study_record(study, i)->key) != NULL) {
            left[i] = FALSE;
            (*io_n_left)--;
        }
    return result != NULL;
}

gboolean
lp_sweep_store_check_records(LpStudyStore *store, gint64 number, const LpStudy *study,
                             GError **error)
{
    guint n_left = study->records->len;
    g_autofree gboolean *left = g_new(gboolean, n_left + 1);
    for (guint i = 0; i < n_left; i++)
        left[i] = TRUE;
    g_autoptr(LpQuery) query =
        lp_query_new(lp_study_store_database(store),
                     "SELECT json FROM member JOIN point USING (point_id) JOIN result USING "
                     "(point_id) WHERE study_id = ? AND state = 'done' ORDER BY place",
                     error);
    if (query == NULL)
        return FALSE;
    lp_query_begin(query, "i", number);
    for (gboolean any = TRUE; any && n_left > 0;)
        if (!lp_query_next(query, &any, error) ||
            (any && !find_records(study, lp_query_text(query, 0), left, &n_left, error)))
            return FALSE;
    for (guint i = 0; i < study->records->len; i++) {
        const LpStudyRecord *record = lp_study_record(study, i);
        if (!left[i] || record->where == NULL)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%sgot \"%s\", which no result has, wanted a key of the JSON of \"lightpath "
                    "%s\", such as \"%s\"",
                    record->where, record->key, study->command->name, study->command->recorded[0]);
        return FALSE;
    }
    return TRUE;
}

static gboolean
is_one_file(const char *one, const char *other)
{
    GStatBuf first, second;
    return g_stat(one, &first) == 0 && g_stat(other, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

gboolean
lp_sweep_merge(int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {{NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse(
            "sweep merge", "STORE PART...",
            "Adds to a store, which need not be there yet, what others have. Doing so "
            "again changes nothing.",
            entries, &argc, &argv, 2, G_MAXINT, error))
        return FALSE;
    for (int i = 2; i < argc; i++)
        if (!g_file_test(argv[i], G_FILE_TEST_EXISTS))
            return lp_value_error(error, "%s: got no file, wanted a store to be merged", argv[i]);
    g_autoptr(LpStudyStore) store = lp_study_store_open(argv[1], error);
    if (store == NULL)
        return FALSE;
    for (int i = 2; i < argc; i++)
        if (!is_one_file(argv[i], argv[1]) && !lp_study_merge(store, argv[i], error))
            return FALSE;
    return TRUE;
}

gboolean
lp_sweep_export(int argc, char **argv, GError **error)
{
    static const char *const formats[] = {"csv", "json", NULL};
    g_autofree char *format = NULL, *name = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, "Output format (default csv)", "csv|json"},
        {"study", 0, 0, G_OPTION_ARG_STRING, &name,
         "Of several studies in the store this one (default: the last)", "NAME"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    guint index = 0;
    gint64 study;
    if (!lp_options_parse("sweep export", "STORE", "Prints the points of a store as they are now.",
                          entries, &argc, &argv, 1, 1, error) ||
        !lp_option_choice("format", format, formats, 0, &index, error))
        return FALSE;
    g_autoptr(LpStudyStore) store = lp_study_store_read(argv[1], error);
    return store != NULL && lp_study_export_find(store, name, &study, error) &&
           lp_sweep_store_print(store, study, formats[index], error);
}
