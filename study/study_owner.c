/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of open file descriptions (fcntl(2)), behind all that a store can hold. */
#define _GNU_SOURCE

#include "study/study_owner.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* SQLite's own locks lie at 2^30, its pages below 2^48. */
#define FIRST_BYTE (G_GINT64_CONSTANT(1) << 60)
#define SLOTS_MAX 4096

static struct flock
lock_of(gint64 slot)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = FIRST_BYTE + slot, .l_len = 1};
}

gboolean
lp_study_owner_take(const char *path, LpStudyOwnership *out, GError **error)
{
    out->file = open(path, O_RDWR | O_CLOEXEC);
    for (out->slot = 0; out->file >= 0 && out->slot < SLOTS_MAX; out->slot++) {
        struct flock lock = lock_of(out->slot);
        if (fcntl(out->file, F_OFD_SETLK, &lock) == 0)
            return TRUE;
        if (errno != EAGAIN && errno != EACCES)
            break;
    }
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_FILE,
                "%s: got \"%s\", wanted a file that can be locked, by at most %d processes", path,
                g_strerror(errno), SLOTS_MAX);
    lp_study_owner_leave(out);
    return FALSE;
}

gboolean
lp_study_owner_lives(const LpStudyOwnership *self, gint64 slot)
{
    struct flock lock = lock_of(slot);
    return fcntl(self->file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void
lp_study_owner_leave(LpStudyOwnership *self)
{
    if (self->file >= 0)
        close(self->file);
    self->file = -1;
}
