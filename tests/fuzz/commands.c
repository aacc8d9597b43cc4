/* SPDX-License-Identifier: Apache-2.0 */
/* A whole command, whose words are the lines of standard input: for AFL++ (scripts/fuzz-commands).
 */
#include <glib.h>

#include <stdio.h>
#include <string.h>

/* cli/main.c is built with its main() under this name. */
#undef main
int lp_main(int argc, char **argv);

#define TEXT_MAX 65536

/* Whatever it is drawn, a command stays in its folder, and starts nothing that stays. */
static gboolean
is_harmless(const char *word)
{
    return strchr(word, '/') == NULL && strcmp(word, "serve") != 0;
}

int
main(void)
{
    static char text[TEXT_MAX + 1];
    static char name[] = "lightpath";
    gsize length = fread(text, 1, TEXT_MAX, stdin);
    text[length] = '\0';
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, name);
    for (char **line = lines; *line != NULL; line++) {
        if (!is_harmless(*line))
            return 2;
        if (**line != '\0' || line[1] != NULL)
            g_ptr_array_add(words, *line);
    }
    int n = (int)words->len;
    g_ptr_array_add(words, NULL);
    return lp_main(n, (char **)words->pdata);
}
