/* SPDX-License-Identifier: Apache-2.0 */
/* The points of a study, one after the other: what each is called, and the command that runs it. */
#pragma once

#include "study/study.h"
#include "study/study_digest.h"

G_BEGIN_DECLS

/** A point. */
typedef struct {
    guint64 place;       /**< among those for which all constraints hold */
    const char **labels; /* borrowed: by axis */
    char **words;        /* owned by the space: a command line without the program's name */
    char *digest;        /* owned by the space */
} LpStudyPoint;

/** A way through the points, dimension by dimension, the last one fastest. */
typedef struct LpStudySpace LpStudySpace;

/** The options ("--system=dgx-a100 --accelerators=16") by which the machine @name was generated.
 * Errors: where it was not. Returns: (transfer full). */
typedef char *(*LpStudyMachineOptions)(const char *name, GError **error);

/**
 * Begins before the first point. All but labels depends on the files that @self names.
 * @program: as lp_study_digests_new() has it. @self is borrowed.
 * Errors: LP_INPUT_ERROR_VALUE, "FILE: got, wanted", of too many combinations, or of none for which
 * the constraints hold. Returns: (transfer full).
 */
LpStudySpace *lp_study_space_new(const LpStudy *study, const char *program,
                                 LpStudyMachineOptions options,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_study_space_free(LpStudySpace *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStudySpace, lp_study_space_free)

/** Points that there are in all. */
guint64 lp_study_space_n_points(const LpStudySpace *self);
/** The same for studies of the same text and files, run by the same program. Returns: (transfer
 * full), hexadecimal. */
char *lp_study_space_digest(LpStudySpace *self);
/** Goes to the first point at @first or behind it. */
void lp_study_space_seek(LpStudySpace *self, guint64 first);
/** The next point, which is valid until the next call; NULL behind the last one or on an error.
 * Errors: "FILE:LINE: got, wanted", of expressions. */
const LpStudyPoint *lp_study_space_next(LpStudySpace *self, GError **error);

G_END_DECLS
