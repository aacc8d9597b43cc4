/* SPDX-License-Identifier: Apache-2.0 */
/* Lays the user's files over the shipped ones, by GLib's overlays of resources. */
#include "cli/own_data.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "platforms_resource.h"

#include <gio/gio.h>

#include <string.h>

#define FOLDER "/lightpath/platforms/catalogue/"
/* The share of the peak that matrix products reach. */
#define PRODUCTS "--products"
#define PRODUCTS_MIN 1e-6
/* What GLib reads when the first resource is asked for. */
#define OVERLAYS "G_RESOURCE_OVERLAYS"

/* Entries of a kind with @unique are known by names that no two may have; of others the user's own
 * comes before a shipped one. */
static const struct {
    const char *option, *file, *element, *unique;
} kinds[LP_OWN_DATA_KINDS] = {{"--catalogue", "accelerators.xml", "accelerators", "accelerator"},
                              {"--libraries", "libraries.xml", "libraries", NULL},
                              {"--kernels-table", "kernels.xml", "kernels", NULL}};
#define KERNELS 2

/* "lightpath tune" has an option of the same name for names to choose from. */
static gboolean
are_names(const char *option, const char *value, char **argv)
{
    const char *command = strcmp(argv[1], "--complete") == 0 ? argv[2] : argv[1];
    return strcmp(command, "tune") == 0 && strcmp(option, "--libraries") == 0 &&
           !g_str_has_suffix(value, ".xml");
}

/* Takes the option @name with its value out of @argv; NULL: it is not there. */
static const char *
take_option(const char *name, int *io_argc, char **argv)
{
    gsize length = strlen(name);
    for (int i = 1; i < *io_argc && strcmp(argv[i], "--") != 0; i++) {
        gboolean is_whole = strcmp(argv[i], name) == 0 && i + 1 < *io_argc;
        if (!is_whole && (strncmp(argv[i], name, length) != 0 || argv[i][length] != '='))
            continue;
        const char *value = is_whole ? argv[i + 1] : argv[i] + length + 1;
        if (are_names(name, value, argv))
            continue;
        int n = is_whole ? 2 : 1;
        memmove(argv + i, argv + i + n, sizeof *argv * (gsize)(*io_argc - i - n + 1));
        *io_argc -= n;
        return value;
    }
    return NULL;
}

/* The entries of @text: between the opening and the closing tag of @element. */
static gboolean
find_entries(const char *text, const char *element, const char **out_begin, const char **out_end)
{
    g_autofree char *opening = g_strdup_printf("<%s", element);
    g_autofree char *closing = g_strdup_printf("</%s>", element);
    const char *tag = strstr(text, opening);
    const char *begin = tag != NULL ? strchr(tag, '>') : NULL;
    *out_end = g_strrstr(text, closing);
    *out_begin = begin != NULL ? begin + 1 : NULL;
    return begin != NULL && *out_end != NULL && *out_end > begin;
}

static char *
text_of(GBytes *bytes)
{
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    return g_strndup(text != NULL ? text : "", length);
}

/* Whether no @element of @own has the name of one of @shipped, which have it first. */
static gboolean
check_unique(const char *own, const char *shipped, const char *element, const char *path,
             GError **error)
{
    g_autofree char *pattern = g_strdup_printf("<%s\\s[^>]*?\\bname=\"([^\"]*)\"", element);
    g_autoptr(GRegex) names = g_regex_new(pattern, 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    for (g_regex_match(names, own, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL)) {
        g_autofree char *name = g_match_info_fetch(match, 1);
        g_autofree char *entry = g_strdup_printf("<%s name=\"%s\"", element, name);
        if (strstr(shipped, entry) == NULL)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "%s: %s: got the name \"%s\", which is shipped, wanted another one", path,
                    element, name);
        return FALSE;
    }
    return TRUE;
}

/* The user's file, whose lines keep their numbers, with the shipped entries behind its own. */
static char *
merge(const char *own, const char *shipped, const char *element, const char *path, GError **error)
{
    const char *own_begin, *own_end, *begin, *end;
    gboolean is_ours = find_entries(shipped, element, &begin, &end);
    g_assert(is_ours);
    if (!find_entries(own, element, &own_begin, &own_end)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got no <%s>...</%s>, wanted entries in them as the shipped file has them",
                    path, element, element);
        return NULL;
    }
    return g_strdup_printf("%.*s%.*s</%s>\n", (int)(own_end - own), own, (int)(end - begin), begin,
                           element);
}

/* GLib says of each overlay that it is there. */
static void
keep_quiet(const char *domain, GLogLevelFlags level, const char *message, void *data)
{
    (void)domain, (void)level, (void)message, (void)data;
}

/* The shipped file, by way of its own resource: to ask for it among all would be too early. */
static GBytes *
read_shipped(const char *path)
{
    GBytes *bytes = g_resource_lookup_data(lp_platforms_get_resource(), path,
                                           G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_assert(bytes != NULL);
    return bytes;
}

/* The user's file, and entries before its own; where there is no file, those alone. Returns:
 * (transfer full). */
static char *
read_own(guint kind, const char *path, const char *more, GError **error)
{
    const char *element = kinds[kind].element, *begin, *end;
    if (path == NULL)
        return g_strdup_printf("<%s>%s</%s>", element, more, element);
    g_autofree char *file = lp_file_argument(path, error);
    g_autoptr(GBytes) content = file != NULL ? lp_file_read(file, error) : NULL;
    g_autofree char *own = content != NULL ? text_of(content) : NULL;
    if (own == NULL || more == NULL || !find_entries(own, element, &begin, &end))
        return g_steal_pointer(&own);
    return g_strdup_printf("%.*s%s%s", (int)(begin - own), own, more, begin);
}

static gboolean
lay_over(guint kind, const char *path, const char *more, GError **error)
{
    g_autofree char *resource = g_strconcat(FOLDER, kinds[kind].file, NULL);
    g_autoptr(GBytes) bytes = read_shipped(resource);
    g_autofree char *shipped = text_of(bytes);
    g_autofree char *own = read_own(kind, path, more, error);
    const char *unique = kinds[kind].unique;
    gboolean is_new =
        own != NULL && (unique == NULL || check_unique(own, shipped, unique, path, error));
    g_autofree char *merged = is_new ? merge(own, shipped, kinds[kind].element, path, error) : NULL;
    g_autofree char *place = NULL;
    /* The file in memory stays open for as long as the program runs. */
    if (merged == NULL || lp_file_in_memory(merged, strlen(merged), &place, error) < 0)
        return FALSE;
    const char *before = g_getenv(OVERLAYS);
    g_autofree char *after = g_strdup_printf("%s%s%s=%s", before != NULL ? before : "",
                                             before != NULL ? ":" : "", resource, place);
    (void)g_setenv(OVERLAYS, after, TRUE);
    (void)g_log_set_handler("GLib-GIO", G_LOG_LEVEL_MESSAGE, keep_quiet, NULL);
    return TRUE;
}

/* NULL: it is not given, or given twice. */
static const char *
take_once(const char *name, int *io_argc, char **argv, GError **error)
{
    const char *value = take_option(name, io_argc, argv);
    if (value == NULL || take_option(name, io_argc, argv) == NULL)
        return value;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, "%s: given twice, wanted once", name);
    return NULL;
}

/* What the user says of all matrix products, as a table of measured kernels; @out_table: NULL:
 * nothing. */
static gboolean
take_products(int *io_argc, char **argv, char **out_table, GError **error)
{
    GError *fault = NULL;
    double share = 0.0;
    const char *text = take_once(PRODUCTS, io_argc, argv, &fault);
    if (text != NULL && lp_number_parse(text, PRODUCTS_MIN, 1.0, &share, &fault))
        *out_table = g_strdup_printf(
            "<table accelerator=\"any\" source=\"" PRODUCTS "\" products=\"%s\"/>", text);
    if (fault == NULL)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_USAGE, "%s%s",
                text != NULL ? PRODUCTS ": " : "", fault->message);
    g_error_free(fault);
    return FALSE;
}

gboolean
lp_own_data_take(LpOwnData *self, int *io_argc, char **argv, GError **error)
{
    g_autofree char *products = NULL;
    GError *fault = NULL;
    if (!take_products(io_argc, argv, &products, error))
        return FALSE;
    for (guint kind = 0; kind < LP_OWN_DATA_KINDS; kind++) {
        const char *more = kind == KERNELS ? products : NULL;
        self->paths[kind] = take_once(kinds[kind].option, io_argc, argv, &fault);
        if (fault == NULL && (self->paths[kind] != NULL || more != NULL))
            (void)lay_over(kind, self->paths[kind], more, &fault);
        if (fault != NULL) {
            g_propagate_error(error, fault);
            return FALSE;
        }
    }
    return TRUE;
}

/* What is wrong on a line of the user's file has nothing to do with the file that named what was
 * looked for in it: the message begins at "@path:12:". */
static void
begin_at_line(GError *error, const char *path)
{
    g_autofree char *place = g_strconcat(path, ":", NULL);
    const char *at = strstr(error->message, place);
    if (at == NULL || at == error->message || !g_ascii_isdigit(at[strlen(place)]))
        return;
    char *message = g_strdup(at);
    g_free(error->message);
    error->message = message;
}

void
lp_own_data_name_files(const LpOwnData *self, GError *error)
{
    for (guint kind = 0; kind < LP_OWN_DATA_KINDS; kind++) {
        g_autofree char *shipped = g_strconcat("resource://", FOLDER, kinds[kind].file, NULL);
        if (self->paths[kind] == NULL || strstr(error->message, shipped) == NULL)
            continue;
        g_auto(GStrv) parts = g_strsplit(error->message, shipped, -1);
        g_free(error->message);
        error->message = g_strjoinv(self->paths[kind], parts);
        begin_at_line(error, self->paths[kind]);
    }
}
