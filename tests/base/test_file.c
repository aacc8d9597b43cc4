/* SPDX-License-Identifier: Apache-2.0 */
/* Files are written whole or not at all, and names find files. */
#include "base/file.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files that stand in @folder. */
static guint
count_files(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint n_files = 0;
    while (g_dir_read_name(dir) != NULL)
        n_files++;
    return n_files;
}

static void
test_write(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "out.txt", NULL);
    g_autofree char *link = g_build_filename(folder, "link.txt", NULL);
    g_autofree char *content = NULL;
    lp_test_true("new", lp_file_write(path, "one\n", 4, &error));
    lp_test_true("mode kept", g_chmod(path, 0600) == 0);
    lp_test_true("a link", symlink("out.txt", link) == 0);
    lp_test_true("through the link", lp_file_write(link, "second\n", 7, &error));
    lp_test_true("read", g_file_get_contents(path, &content, NULL, NULL));
    lp_test_text("content", content, "second\n");
    lp_test_true("still a link", g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    GStatBuf status;
    lp_test_true("mode", g_stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
    lp_test_true("a wide mode", g_chmod(path, 0666) == 0);
    lp_test_true("again", lp_file_write(path, "third\n", 6, &error));
    lp_test_true("mode whatever the umask",
                 g_stat(path, &status) == 0 && (status.st_mode & 0777) == 0666);
    lp_test_true("nothing else", count_files(folder) == 2);
    lp_test_true("empty", lp_file_write(path, "", 0, &error));
    lp_test_true("standard output", lp_file_write("-", "", 0, &error));
    lp_test_true("a device", lp_file_write("/dev/null", "x", 1, &error));
    g_unlink(link);
    g_unlink(path);
    g_rmdir(folder);
}

static void
test_bad_writes(void)
{
    g_autoptr(GError) error = NULL;
    lp_test_true("full device", !lp_file_write("/dev/full", "x", 1, &error));
    lp_test_error("full device", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT,
                  "/dev/full: No space left on device");
    lp_test_true("no folder", !lp_file_write("/nonexistent/x", "x", 1, &error));
    lp_test_error("no folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "/nonexistent/x: No such file or directory");
    lp_test_true("a folder", !lp_file_write("/tmp", "x", 1, &error));
    lp_test_error("a folder", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "/tmp: Is a directory");
}

/* A file size limit stands in for a full disk. */
static void
test_full_disk(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "out.txt", NULL);
    g_autofree char *text = g_strnfill(100000, 'x');
    g_autofree char *content = NULL;
    lp_test_true("before", lp_file_write(path, "old", 3, &error));
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    struct rlimit small = {.rlim_cur = 4096, .rlim_max = limit.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    gboolean written = lp_file_write(path, text, 100000, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, handler);
    lp_test_true("refused", !written);
    lp_test_error("refused", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "out.txt: File too large");
    lp_test_true("read", g_file_get_contents(path, &content, NULL, NULL));
    lp_test_text("the old file stays", content, "old");
    lp_test_true("nothing else", count_files(folder) == 1);
    g_unlink(path);
    g_rmdir(folder);
}

/* A file in memory is one that can also be opened. */
static void
test_few_descriptors(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    int next = dup(0);
    close(next);
    for (int n_left = 0; n_left < 3; n_left++) {
        struct rlimit few = {.rlim_cur = (rlim_t)(next + n_left), .rlim_max = limit.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        int fd = lp_file_in_memory("text", 4, &path, &error);
        setrlimit(RLIMIT_NOFILE, &limit);
        lp_test_true("only with two", (fd >= 0) == (n_left == 2));
        if (fd >= 0)
            close(fd);
        else
            lp_test_error("too few", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_SHORT,
                          "a file in memory: Too many open files");
    }
}

static void
test_read(void)
{
    static const struct {
        const char *path;
        const char *part;
    } rows[] = {
        {"/nonexistent", "/nonexistent: No such file"},
        {"/tmp", "/tmp: Is a directory"},
        {"/dev/zero", "/dev/zero: File too large"},
        {"resource:///lightpath/none.xml", "none.xml: No such file"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].path, lp_file_read(rows[i].path, &error) == NULL);
        lp_test_error(rows[i].path, &error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, rows[i].part);
    }
    g_autoptr(GBytes) nothing = lp_file_read("/dev/null", NULL);
    lp_test_true("empty", nothing != NULL && g_bytes_get_size(nothing) == 0);
}

/* This program links no resources: nothing is shipped. The platforms' tests find shipped files. */
static void
test_find(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = lp_file_find("nothing", "a/b", &error);
    g_autofree char *named = lp_file_find("nothing", "b.xml", &error);
    g_auto(GStrv) shipped = lp_file_shipped("nothing");
    lp_test_text("a path", path, "a/b");
    lp_test_text("an XML file", named, "b.xml");
    lp_test_true("none shipped", shipped[0] == NULL);
    lp_test_true("a name", lp_file_find("nothing", "gpt", &error) == NULL);
    lp_test_error("a name", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "\"gpt\" is neither a file nor a shipped name of nothing");
}

int
main(void)
{
    static const LpTestCase cases[] = {{"write", test_write},
                                       {"bad writes", test_bad_writes},
                                       {"full disk", test_full_disk},
                                       {"few descriptors", test_few_descriptors},
                                       {"read", test_read},
                                       {"find", test_find},
                                       {NULL, NULL}};
    return lp_test_run("file", cases);
}
