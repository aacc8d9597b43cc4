/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded before the program (LD_PRELOAD), makes one of its writes fail: the one of number
 * LIGHTPATH_FAULT, from 1, of all calls that open a file to write, write to it, flush and close it,
 * rename it, or make a folder, with the error number LIGHTPATH_ERROR; without one a write takes
 * half of its bytes. With the number 0 none fails, and their number is said on standard error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES_MAX 1024

static int calls;
static char is_written[FILES_MAX]; /* by descriptor */

static int
number(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : 0;
}

/* Counts a call. Returns: whether it is the one to fail, with errno. */
static int
fails(void)
{
    if (++calls != number("LIGHTPATH_FAULT"))
        return 0;
    errno = number("LIGHTPATH_ERROR");
    return errno != 0;
}

static int
counts(int file)
{
    return file >= 0 && file < FILES_MAX && is_written[file];
}

/* Calls of the C library under their own types. */
#define NEXT(name, type) (__extension__(type) dlsym(RTLD_NEXT, name))

typedef int (*Open)(const char *, int, ...);

static int
open_next(const char *path, int flags, mode_t mode)
{
    int writes = (flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0;
    if (writes && fails())
        return -1;
    int file = NEXT("open64", Open)(path, flags, mode);
    if (file >= 0 && file < FILES_MAX)
        is_written[file] = (char)writes;
    return file;
}

int
open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_next(path, flags, mode);
}

/* Of files of any size, which all are where off_t has 64 bits. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

ssize_t
write(int file, const void *bytes, size_t length)
{
    size_t taken = length;
    if (counts(file) && fails())
        return -1;
    if (counts(file) && calls == number("LIGHTPATH_FAULT") && length > 1)
        taken = length / 2;
    return NEXT("write", ssize_t(*)(int, const void *, size_t))(file, bytes, taken);
}

int
fsync(int file)
{
    if (counts(file) && fails())
        return -1;
    return NEXT("fsync", int (*)(int))(file);
}

/* The file is closed all the same, as after an error of a network's file system. */
int
close(int file)
{
    int failed = counts(file) && fails(), code = errno;
    if (file >= 0 && file < FILES_MAX)
        is_written[file] = 0;
    int result = NEXT("close", int (*)(int))(file);
    if (!failed)
        return result;
    errno = code;
    return -1;
}

int
rename(const char *from, const char *to)
{
    if (fails())
        return -1;
    return NEXT("rename", int (*)(const char *, const char *))(from, to);
}

int
renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    if (fails())
        return -1;
    return NEXT("renameat2", int (*)(int, const char *, int, const char *, unsigned))(
        from_folder, from, to_folder, to, flags);
}

int
mkdir(const char *path, mode_t mode)
{
    if (fails())
        return -1;
    return NEXT("mkdir", int (*)(const char *, mode_t))(path, mode);
}

__attribute__((destructor)) static void
say_calls(void)
{
    if (getenv("LIGHTPATH_FAULT") != NULL && number("LIGHTPATH_FAULT") == 0)
        fprintf(stderr, "%d calls\n", calls);
}
