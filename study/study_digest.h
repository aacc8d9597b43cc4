/* SPDX-License-Identifier: Apache-2.0 */
/* Digests of command lines and of the files that they name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What was looked at, so that each file is read once. */
typedef struct LpStudyDigests LpStudyDigests;

/** @program: a digest of the program and of the data that it brings. Returns: (transfer full). */
LpStudyDigests *lp_study_digests_new(const char *program);
/** @self may be NULL. */
void lp_study_digests_free(LpStudyDigests *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStudyDigests, lp_study_digests_free)

/** The same for equal @words, NULL-ended, and @more, texts or NULL, where the program is the same,
 * and so are the files that words name as a whole or behind "=", and the files that those name in
 * quotation marks. Where they lie does not matter. Returns: (transfer full), hexadecimal. */
char *lp_study_digests_of(LpStudyDigests *self, const char *const *words, const char *const *more);

G_END_DECLS
