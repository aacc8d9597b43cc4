/* SPDX-License-Identifier: Apache-2.0 */
/* Devices and inodes of the files that were read. */
#include "base/read_files.h"

#include <sys/stat.h>

typedef struct {
    dev_t device;
    ino_t inode;
} Place;

/* The files that the process has opened. Any module may open them, so they are kept here. */
static GMutex mutex;
static GArray *places;

static gboolean
find(const struct stat *file)
{
    for (guint i = 0; places != NULL && i < places->len; i++) {
        const Place *place = &g_array_index(places, Place, i);
        if (place->device == file->st_dev && place->inode == file->st_ino)
            return TRUE;
    }
    return FALSE;
}

void
lp_read_files_add(int fd)
{
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return;
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&mutex);
    if (places == NULL)
        places = g_array_new(FALSE, FALSE, sizeof(Place));
    Place place = {file.st_dev, file.st_ino};
    if (!find(&file))
        g_array_append_val(places, place);
}

gboolean
lp_read_files_has(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return FALSE;
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&mutex);
    return find(&file);
}
