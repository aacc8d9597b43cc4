/* SPDX-License-Identifier: Apache-2.0 */
/* lightpath help: a command's options, or one of the documents, which are built in. */
#include "cli/commands.h"
#include "cli/options.h"

#include "base/file.h"
#include "base/units.h"
#include "documents_resource.h"

#include <gio/gio.h>

#include <stdlib.h>
#include <string.h>

#define FOLDER "/lightpath/docs/"

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of documents without ".md", sorted. Returns: (transfer full). */
static char **
topics(void)
{
    /* Named here so that the linker keeps the documents. */
    (void)lp_documents_get_resource();
    char **names = g_resources_enumerate_children(FOLDER, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_assert(names != NULL);
    for (char **name = names; *name != NULL; name++)
        if (g_str_has_suffix(*name, ".md"))
            (*name)[strlen(*name) - strlen(".md")] = '\0';
    qsort(names, g_strv_length(names), sizeof *names, compare_names);
    return names;
}

static char *
read_topic(const char *name)
{
    g_autofree char *path = g_strconcat("resource://" FOLDER, name, ".md", NULL);
    g_autoptr(GBytes) bytes = lp_file_read(path, NULL);
    gsize length = 0;
    const char *text = bytes != NULL ? g_bytes_get_data(bytes, &length) : NULL;
    return text != NULL ? g_strndup(text, length) : NULL;
}

/* Prints the topics of help, each with its title. */
static gboolean
print_topics(char **names, GError **error)
{
    g_autoptr(GString) text = g_string_new("Topics:\n");
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const[]){"", "", NULL});
    for (; *names != NULL; names++) {
        g_autofree char *content = read_topic(*names);
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", *names);
        lp_text_table_add_cell(table, "%.*s", (int)strcspn(content + 2, "\n"), content + 2);
    }
    lp_text_table_append(text, table, 2);
    return lp_print_result(text->str, error);
}

gboolean
lp_cmd_help(int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {{NULL, 0, 0, 0, NULL, NULL, NULL}};
    if (!lp_options_parse("help", "[COMMAND...|TOPIC]",
                          "Prints a command's options, or a document; alone, the documents there "
                          "are.",
                          entries, &argc, &argv, 0, 1, error))
        return FALSE;
    g_auto(GStrv) names = topics();
    if (argc == 1)
        return print_topics(names, error);
    g_autofree char *text = read_topic(argv[1]);
    if (text != NULL)
        return lp_print_result(text, error);
    const char *like = lp_like_name(argv[1], (const char *const *)names);
    return lp_usage_error(error, "help: got \"%s\", wanted a command or a topic%s%s%s", argv[1],
                          like != NULL ? " such as " : "", like != NULL ? like : "",
                          like != NULL ? "" : " (lightpath help)");
}
