/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of words, contents in the place of files' names. */
#include "study/study_digest.h"

#include <string.h>

/* A scenario names workloads, which name tables of routing. */
#define DEPTH_MAX 4
/* What a name in quotation marks may have, bytes. */
#define NAME_MAX_BYTES 4096

struct LpStudyDigests {
    char *program;     /* owned */
    GHashTable *files; /* owned: path to digest, "" of what is no file */
};

LpStudyDigests *
lp_study_digests_new(const char *program)
{
    LpStudyDigests *self = g_new0(LpStudyDigests, 1);
    self->program = g_strdup(program);
    self->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void
lp_study_digests_free(LpStudyDigests *self)
{
    if (self == NULL)
        return;
    g_free(self->program);
    g_hash_table_unref(self->files);
    g_free(self);
}

static void
add_text(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

static const char *digest_file(LpStudyDigests *self, const char *path, guint depth);

/* The files that @text names in quotation marks. */
static void
add_named(LpStudyDigests *self, GChecksum *sum, const char *text, const char *folder, guint depth)
{
    for (const char *open = strchr(text, '"'); open != NULL; open = strchr(open, '"')) {
        const char *close = strchr(++open, '"');
        if (close == NULL)
            return;
        gsize length = (gsize)(close - open);
        if (length == 0 || length > NAME_MAX_BYTES)
            continue;
        g_autofree char *name = g_strndup(open, length);
        g_autofree char *beside = g_build_filename(folder, name, NULL);
        add_text(sum, digest_file(self, name, depth));
        add_text(sum, digest_file(self, beside, depth));
    }
}

/* Returns: "" of what is no file; borrowed from @self. */
static const char *
digest_file(LpStudyDigests *self, const char *path, guint depth)
{
    const char *known = g_hash_table_lookup(self->files, path);
    if (known != NULL)
        return known;
    g_autofree char *text = NULL;
    gsize length = 0;
    char *digest = g_strdup("");
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR) &&
        g_file_get_contents(path, &text, &length, NULL)) {
        /* A file that names itself ends here. */
        g_hash_table_insert(self->files, g_strdup(path), g_strdup(""));
        g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
        g_autofree char *folder = g_path_get_dirname(path);
        g_checksum_update(sum, (const guchar *)text, (gssize)length);
        if (depth < DEPTH_MAX)
            add_named(self, sum, text, folder, depth + 1);
        g_free(digest);
        digest = g_strdup(g_checksum_get_string(sum));
    }
    g_hash_table_insert(self->files, g_strdup(path), digest);
    return digest;
}

static void
add_word(LpStudyDigests *self, GChecksum *sum, const char *word)
{
    /* "FILE", "--option=FILE", "--set=name=FILE". */
    for (const char *part = word; part != NULL;) {
        const char *digest = digest_file(self, part, 0);
        if (*digest != '\0') {
            g_autofree char *before = g_strndup(word, (gsize)(part - word));
            g_autofree char *name = g_path_get_basename(part);
            add_text(sum, before);
            add_text(sum, name);
            add_text(sum, digest);
            return;
        }
        const char *equals = strchr(part, '=');
        part = equals != NULL ? equals + 1 : NULL;
    }
    add_text(sum, word);
}

char *
lp_study_digests_of(LpStudyDigests *self, const char *const *words, const char *const *more)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    add_text(sum, self->program);
    for (; *words != NULL; words++)
        add_word(self, sum, *words);
    add_text(sum, "");
    for (; more != NULL && *more != NULL; more++)
        add_text(sum, *more);
    return g_strdup(g_checksum_get_string(sum));
}
