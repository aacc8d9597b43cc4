/* SPDX-License-Identifier: Apache-2.0 */
/* Folders are written whole or not at all. */
#include "base/folder.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = {"a.csv", "b.csv", NULL};

static void
check_content(const char *label, const char *folder, const char *name, const char *wanted)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    (void)g_file_get_contents(path, &text, NULL, NULL);
    lp_test_text(label, text != NULL ? text : "(none)", wanted);
}

static guint
count_entries(const char *folder)
{
    guint n = 0;
    g_autoptr(GDir) all = g_dir_open(folder, 0, NULL);
    while (all != NULL && g_dir_read_name(all) != NULL)
        n++;
    return n;
}

static void
remove_tree(const char *path)
{
    g_autoptr(GDir) all = g_dir_open(path, 0, NULL);
    const char *name;
    while (all != NULL && (name = g_dir_read_name(all)) != NULL) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        remove_tree(below);
    }
    (void)g_remove(path);
}

static void
test_whole(void)
{
    g_autofree char *parent = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(parent, "tables", NULL);
    g_autofree char *slash = g_strconcat(path, "/", NULL);
    const LpFolderFile first[] = {{"a.csv", "1", 1}, {"b.csv", "2", 1}},
                       later[] = {{"a.csv", "3", 1}};
    GError *fault = NULL;
    lp_test_true("new", lp_folder_write(path, first, 2, &fault));
    check_content("new", path, "b.csv", "2");
    lp_test_true("again", lp_folder_write(slash, first, 2, &fault));
    lp_test_true("check", lp_folder_check(path, names, &fault));
    check_content("again", path, "a.csv", "1");
    lp_test_true("nothing else stays", count_entries(parent) == 1);
    /* Fewer files than before: those that were left would belong to another run. */
    lp_test_true("other names", !lp_folder_write(path, later, 1, &fault));
    lp_test_error("other names", &fault, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "holds b.csv");
    check_content("other names", path, "a.csv", "1");
    remove_tree(parent);
}

static void
test_faults(void)
{
    g_autofree char *parent = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(parent, "file", NULL);
    g_autofree char *nowhere = g_build_filename(parent, "no", "tables", NULL);
    const LpFolderFile one[] = {{"a.csv", "1", 1}};
    (void)g_file_set_contents(file, "x", -1, NULL);
    GError *at_file = NULL, *at_nowhere = NULL;
    lp_test_true("a file", !lp_folder_write(file, one, 1, &at_file));
    lp_test_error("a file", &at_file, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "Not a directory");
    lp_test_true("no parent", !lp_folder_write(nowhere, one, 1, &at_nowhere));
    lp_test_error("no parent", &at_nowhere, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE, "No such file");
    lp_test_true("nothing is left", count_entries(parent) == 1);
    remove_tree(parent);
}

/* A folder that is replaced keeps its mode, and a link to it stays a link. */
static void
test_links(void)
{
    g_autofree char *parent = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(parent, "tables", NULL);
    g_autofree char *link = g_build_filename(parent, "link", NULL);
    g_autofree char *dangling = g_build_filename(parent, "dangling", NULL);
    const LpFolderFile one[] = {{"a.csv", "1", 1}};
    GError *fault = NULL;
    GStatBuf kind;
    (void)g_mkdir(path, 0710);
    lp_test_true("links", symlink("tables", link) == 0 && symlink("nowhere", dangling) == 0);
    lp_test_true("by a link",
                 lp_folder_check(link, names, &fault) && lp_folder_write(link, one, 1, &fault));
    check_content("by a link", path, "a.csv", "1");
    lp_test_true("is a link", g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    lp_test_true("mode", g_stat(path, &kind) == 0 && (kind.st_mode & 07777) == 0710);
    lp_test_true("check of a link to nothing", !lp_folder_check(dangling, names, &fault));
    lp_test_error("check of a link to nothing", &fault, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "a link to nothing");
    lp_test_true("link to nothing", !lp_folder_write(dangling, one, 1, &fault));
    lp_test_error("link to nothing", &fault, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                  "a link to nothing");
    lp_test_true("nothing is left", count_entries(parent) == 3);
    remove_tree(parent);
}

/* Folders that are made go again up to the first that was there, unless they hold something. */
static void
test_made(void)
{
    g_autofree char *parent = g_dir_make_tmp("lightpath-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(parent, "a", "b", "c", NULL);
    g_autofree char *above = g_build_filename(parent, "a", "b", NULL);
    GError *fault = NULL;
    g_autofree char *first = lp_folder_make(path, &fault);
    lp_test_true("made", first != NULL && g_file_test(path, G_FILE_TEST_IS_DIR));
    g_autofree char *again = lp_folder_make(path, &fault);
    lp_test_text("is there", again, "");
    lp_folder_unmake(path, again);
    lp_test_true("stays", g_file_test(path, G_FILE_TEST_IS_DIR));
    g_autofree char *file = g_build_filename(above, "file", NULL);
    (void)g_file_set_contents(file, "x", -1, NULL);
    lp_folder_unmake(path, first);
    lp_test_true("as far as empty", count_entries(above) == 1);
    (void)g_unlink(file);
    lp_folder_unmake(above, first);
    lp_test_true("all", count_entries(parent) == 0);
    remove_tree(parent);
}

/* A signal that comes while a folder is written ends the process when it is whole: files and
 * folders on the way to it do not stay. */
static void
test_signals(void)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGQUIT,
                                  SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
    const LpFolderFile files[] = {{"a.csv", "1", 1}, {"b.csv", "2", 1}};
    for (guint i = 0; i < 4 * G_N_ELEMENTS(signals); i++) {
        int number = signals[i % G_N_ELEMENTS(signals)], status = 0;
        g_autofree char *parent = g_dir_make_tmp("lightpath-XXXXXX", NULL);
        g_autofree char *path = g_build_filename(parent, "tables", NULL);
        pid_t child = fork();
        /* It may be ignored by what started the test, as in the background of a shell. */
        if (child == 0)
            (void)signal(number, SIG_DFL);
        while (child == 0)
            if (!lp_folder_write(path, files, 2, NULL))
                _exit(1);
        /* From then on there is nearly always something on the way. */
        while (!g_file_test(path, G_FILE_TEST_IS_DIR))
            g_usleep(1000);
        g_usleep(700 * i);
        lp_test_true("sent", kill(child, number) == 0);
        lp_test_true("waited", waitpid(child, &status, 0) == child);
        lp_test_true("ended by it", WIFSIGNALED(status) && WTERMSIG(status) == number);
        lp_test_true("nothing on the way", count_entries(parent) == 1);
        lp_test_true("whole", count_entries(path) == 2);
        check_content("whole", path, "b.csv", "2");
        remove_tree(parent);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"whole or not at all", test_whole},
                                       {"what cannot be written", test_faults},
                                       {"links", test_links},
                                       {"folders that are made", test_made},
                                       {"signals", test_signals},
                                       {NULL, NULL}};
    return lp_test_run("folder", cases);
}
