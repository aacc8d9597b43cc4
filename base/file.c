/* SPDX-License-Identifier: Apache-2.0 */
/* Writes result files whole or not at all, and finds shipped files by name. */
/* memfd_create(2) */
#define _GNU_SOURCE

#include "base/file.h"

#include "base/error.h"
#include "base/held_signals.h"
#include "base/read_files.h"
#include "base/units.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESOURCE_SCHEME "resource://"
/* The largest file read: far above any description, far below what would hurt (/dev/zero). */
#define READ_MAX (64u << 20)

static gboolean
fail(GError **error, const char *path, int code)
{
    gboolean is_short =
        code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOSPC || code == EDQUOT;
    g_set_error(error, LP_INPUT_ERROR, is_short ? LP_INPUT_ERROR_SHORT : LP_INPUT_ERROR_FILE,
                "%s: %s", lp_file_label(path), g_strerror(code));
    return FALSE;
}

static gboolean
write_all(int fd, const char *text, gsize length)
{
    while (length > 0) {
        ssize_t n_written = write(fd, text, length);
        if (n_written < 0 && errno == EINTR)
            continue;
        if (n_written < 0)
            return FALSE;
        text += n_written;
        length -= (gsize)n_written;
    }
    return TRUE;
}

static gboolean
write_directly(const char *path, const char *text, gsize length, GError **error)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return fail(error, path, errno);
    gboolean good = write_all(fd, text, length);
    int code = errno;
    if (close(fd) != 0 && good)
        return fail(error, path, errno);
    return good || fail(error, path, code);
}

const char *
lp_file_reason(const GError *fault)
{
    const char *colon = g_strrstr(fault->message, ": ");
    return colon != NULL ? colon + 2 : fault->message;
}

/* @label: what messages call the file. @mode: of a new file. */
static gboolean
write_whole(const char *path, const char *label, guint mode, const char *text, gsize length,
            GError **error)
{
    g_auto(LpHeldSignals) held = lp_held_signals_begin();
    g_autoptr(GError) fault = NULL;
    if (g_file_set_contents_full(path, text, (gssize)length,
                                 G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                 (int)mode, &fault))
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "%s: %s", lp_file_label(label),
                lp_file_reason(fault));
    return FALSE;
}

/* Refuses a link to nothing: writing would replace the link. */
static gboolean
check_no_link(const char *path, GError **error)
{
    if (!g_file_test(path, G_FILE_TEST_IS_SYMLINK))
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got a link to nothing, wanted a file or nothing there", lp_file_label(path));
    return FALSE;
}

static gboolean
check_not_read(const char *path, GError **error)
{
    if (!lp_read_files_has(path))
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got a file that is read, wanted another one to write", lp_file_label(path));
    return FALSE;
}

gboolean
lp_file_write(const char *path, const char *text, gsize length, GError **error)
{
    g_return_val_if_fail(path != NULL && text != NULL, FALSE);
    if (strcmp(path, "-") == 0)
        return write_all(STDOUT_FILENO, text, length) || fail(error, "standard output", errno);
    struct stat old;
    if (stat(path, &old) != 0)
        return check_no_link(path, error) && write_whole(path, path, 0666, text, length, error);
    if (!S_ISREG(old.st_mode))
        return write_directly(path, text, length, error);
    if (!check_not_read(path, error))
        return FALSE;
    /* Renaming onto a symbolic link would replace the link, not what it names. */
    char target[PATH_MAX];
    if (realpath(path, target) == NULL)
        return fail(error, path, errno);
    guint mode = old.st_mode & 07777;
    if (!write_whole(target, path, mode, text, length, error))
        return FALSE;
    /* The umask takes bits from a new file that the old one had. */
    return g_chmod(target, mode) == 0 || fail(error, path, errno);
}

/* Makes the temporary file beside @path that writing begins with, and removes it. */
static gboolean
try_beside(const char *path, const char *label, GError **error)
{
    if (*path == '\0')
        return fail(error, label, ENOENT);
    g_auto(LpHeldSignals) held = lp_held_signals_begin();
    g_autofree char *trial = g_strconcat(path, ".XXXXXX", NULL);
    int fd = g_mkstemp(trial);
    if (fd < 0)
        return fail(error, label, errno);
    (void)g_unlink(trial);
    return close(fd) == 0 || fail(error, label, errno);
}

gboolean
lp_file_check_output(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, FALSE);
    struct stat old;
    char target[PATH_MAX];
    if (strcmp(path, "-") == 0)
        return TRUE;
    if (stat(path, &old) != 0)
        return check_no_link(path, error) && try_beside(path, path, error);
    if (S_ISDIR(old.st_mode))
        return fail(error, path, EISDIR);
    if (!S_ISREG(old.st_mode))
        return access(path, W_OK) == 0 || fail(error, path, errno);
    if (!check_not_read(path, error))
        return FALSE;
    return realpath(path, target) != NULL ? try_beside(target, path, error)
                                          : fail(error, path, errno);
}

/* GLib takes files that this variable names for embedded ones. */
#define OVERLAYS "G_RESOURCE_OVERLAYS"

/* Constants would change, and no output would say so. Own catalogues are options of the program,
 * which sets it anew (cli/own_data.c). */
__attribute__((constructor)) static void
forget_overlays(void)
{
    g_unsetenv(OVERLAYS);
}

gboolean
lp_file_is_shipped(const char *path)
{
    return g_str_has_prefix(path, "resource://") && g_getenv(OVERLAYS) == NULL;
}

static int
compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *
lp_file_label(const char *path)
{
    if (*path == '\0')
        return "\"\"";
    return g_str_has_prefix(path, "resource:") ? strrchr(path, '/') + 1 : path;
}

char **
lp_file_shipped(const char *folder)
{
    g_return_val_if_fail(folder != NULL, NULL);
    g_autofree char *path = g_strdup_printf("/lightpath/%s", folder);
    g_auto(GStrv) children =
        g_resources_enumerate_children(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    GPtrArray *names = g_ptr_array_new();
    for (gsize i = 0; children != NULL && children[i] != NULL; i++)
        if (g_str_has_suffix(children[i], ".xml"))
            g_ptr_array_add(names, g_strndup(children[i], strlen(children[i]) - strlen(".xml")));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

gboolean
lp_file_is_path(const char *name)
{
    return strcmp(name, "-") == 0 || strchr(name, '/') != NULL || g_str_has_suffix(name, ".xml") ||
           (g_file_test(name, G_FILE_TEST_EXISTS) && !g_file_test(name, G_FILE_TEST_IS_DIR));
}

char *
lp_file_find(const char *folder, const char *name, GError **error)
{
    g_return_val_if_fail(folder != NULL && name != NULL, NULL);
    if (lp_file_is_path(name))
        return lp_file_argument(name, error);
    g_auto(GStrv) shipped = lp_file_shipped(folder);
    if (g_strv_contains((const char *const *)shipped, name))
        return g_strdup_printf(RESOURCE_SCHEME "/lightpath/%s/%s.xml", folder, name);
    g_autofree char *shown = lp_error_quote(name);
    const char *like = lp_like_name(name, (const char *const *)shipped);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "%s is neither a file nor a shipped name of %s%s%s", shown, folder,
                like != NULL ? "; the nearest is " : "", like != NULL ? like : "");
    return NULL;
}

static GBytes *
read_resource(const char *path, GError **error)
{
    GBytes *bytes =
        g_resources_lookup_data(path + strlen(RESOURCE_SCHEME), G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    if (bytes == NULL)
        fail(error, path, ENOENT);
    return bytes;
}

static gboolean
read_all(int fd, GByteArray *content, gsize n_most)
{
    guint8 block[65536];
    for (;;) {
        ssize_t n_read = read(fd, block, sizeof block);
        if (n_read < 0 && errno == EINTR)
            continue;
        if (n_read <= 0)
            return n_read == 0;
        if (content->len + (gsize)n_read > n_most) {
            errno = EFBIG;
            return FALSE;
        }
        g_byte_array_append(content, block, (guint)n_read);
    }
}

/* A file without a name, which goes with its descriptor. Returns: the descriptor, -1 with errno. */
static int
new_in_memory(const char *text, gsize length)
{
    int fd = memfd_create("lightpath", MFD_CLOEXEC);
    if (fd < 0 || write_all(fd, text, length))
        return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

/* Whoever opens the file needs one descriptor more, and SimGrid aborts without. */
static gboolean
can_be_opened(const char *path)
{
    int another = open(path, O_RDONLY | O_CLOEXEC);
    return another >= 0 && close(another) == 0;
}

int
lp_file_in_memory(const char *text, gsize length, char **out_path, GError **error)
{
    g_return_val_if_fail(text != NULL && out_path != NULL, -1);
    int fd = new_in_memory(text, length);
    g_autofree char *path = g_strdup_printf("/dev/fd/%d", fd);
    if (fd >= 0 && can_be_opened(path)) {
        *out_path = g_steal_pointer(&path);
        return fd;
    }
    if (fd >= 0 && errno == ENOENT)
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                    "/dev/fd: got no name of an open file in it, wanted /proc to be mounted");
    else
        fail(error, "a file in memory", errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

char *
lp_file_whole(int fd)
{
    GString *text = g_string_new(NULL);
    char block[65536];
    gssize n = 0;
    for (off_t at = 0; (n = pread(fd, block, sizeof block, at)) > 0; at += n)
        g_string_append_len(text, block, n);
    return g_string_free(text, FALSE);
}

gboolean
lp_file_check_memory(GError **error)
{
    g_autofree char *path = NULL;
    int fd = lp_file_in_memory("", 0, &path, error);
    return fd >= 0 && close(fd) == 0;
}

/* The descriptor that "/dev/stdin" or "/dev/fd/63" names, as shells write it for <(COMMAND); -1. */
static int
descriptor_of(const char *path)
{
    static const char folder[] = "/dev/fd/";
    guint64 number = 0;
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    return g_str_has_prefix(path, folder) &&
                   lp_count_parse(path + strlen(folder), 0, G_MAXINT, &number, NULL)
               ? (int)number
               : -1;
}

/* Puts a file in memory with all that the pipe @fd brings in the place of the pipe. */
static gboolean
keep_pipe(int fd)
{
    g_autoptr(GByteArray) content = g_byte_array_new();
    if (!read_all(fd, content, READ_MAX))
        return FALSE;
    int kept = new_in_memory((const char *)content->data, content->len);
    gboolean good = kept >= 0 && dup2(kept, fd) >= 0;
    int code = errno;
    if (kept >= 0)
        close(kept);
    errno = code;
    return good;
}

/* Keeps the content of a named pipe, which can be read only once, in memory: a file in memory,
 * which stays open as long as the process, takes its place. Returns: (transfer full) path, NULL
 * with errno. */
static char *
keep_named_pipe(const char *path)
{
    g_autoptr(GByteArray) content = g_byte_array_new();
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    gboolean good = fd >= 0 && read_all(fd, content, READ_MAX);
    int code = errno;
    if (fd >= 0)
        close(fd);
    int kept = good ? new_in_memory((const char *)content->data, content->len) : -1;
    if (!good)
        errno = code;
    return kept < 0 ? NULL : g_strdup_printf("/dev/fd/%d", kept);
}

char *
lp_file_argument(const char *name, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);
    const char *path = strcmp(name, "-") == 0 ? "/dev/stdin" : name;
    struct stat kind;
    int fd = descriptor_of(path);
    if (fd >= 0 && fstat(fd, &kind) == 0 && S_ISFIFO(kind.st_mode) && !keep_pipe(fd)) {
        fail(error, path, errno);
        return NULL;
    }
    if (fd >= 0 || stat(path, &kind) != 0 || !S_ISFIFO(kind.st_mode))
        return g_strdup(path);
    char *kept = keep_named_pipe(path);
    if (kept == NULL)
        fail(error, path, errno);
    return kept;
}

GBytes *
lp_file_read(const char *path, GError **error)
{
    return lp_file_read_at_most(path, READ_MAX, error);
}

GBytes *
lp_file_read_at_most(const char *path, gsize n_most, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    if (g_str_has_prefix(path, RESOURCE_SCHEME))
        return read_resource(path, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        fail(error, path, errno);
        return NULL;
    }
    lp_read_files_add(fd);
    g_autoptr(GByteArray) content = g_byte_array_new();
    gboolean good = read_all(fd, content, n_most);
    int code = errno;
    close(fd);
    if (!good) {
        fail(error, path, code);
        return NULL;
    }
    return g_byte_array_free_to_bytes(g_steal_pointer(&content));
}

const char *
lp_file_skip_mark(const char *text, gsize *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    gsize n_mark = strlen(mark);
    if (*length < n_mark || memcmp(text, mark, n_mark) != 0)
        return text;
    *length -= n_mark;
    return text + n_mark;
}
