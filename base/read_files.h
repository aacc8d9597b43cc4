/* SPDX-License-Identifier: Apache-2.0 */
/* Which files this process has read, whatever named them: the command line, a catalogue, another
 * file. None of them is written over. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Keeps in mind which file the descriptor @fd reads; only regular files count. */
void lp_read_files_add(int fd);

/** Whether @path is, by device and inode, a file that was added. */
gboolean lp_read_files_has(const char *path);

G_END_DECLS
