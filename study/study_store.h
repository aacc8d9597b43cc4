/* SPDX-License-Identifier: Apache-2.0 */
/* The store of studies: one SQLite file that several processes share. docs/sweep.md has its tables.
 */
#pragma once

#include "study/database.h"
#include "study/study_space.h"

G_BEGIN_DECLS

/** An open store. */
typedef struct LpStudyStore LpStudyStore;

/** How a run ended. */
typedef enum {
    LP_STUDY_DONE,    /**< with a result */
    LP_STUDY_REFUSED, /**< with a message: it will not run another time either */
    LP_STUDY_CRASHED  /**< without a word: the next sweep tries again */
} LpStudyOutcome;

/** A point to run. */
typedef struct {
    gint64 id;
    char **words; /* owned */
} LpStudyTask;

/** What came of it. */
typedef struct {
    gint64 id;
    LpStudyOutcome outcome;
    char *text; /* owned: its JSON, or the message */
} LpStudyResult;

/** Points of a study by state. */
typedef struct {
    guint64 n, n_done, n_refused, n_crashed; /**< of all, those that ended; the rest is to be run */
} LpStudyCounts;

/** Opens @path, makes it if it is not there, and takes a place among the processes that share it.
 * Errors: LP_INPUT_ERROR_FILE, "PATH: got, wanted". Returns: (transfer full). */
LpStudyStore *lp_study_store_open(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Opens @path to be read only. Errors: as lp_study_store_open(). Returns: (transfer full). */
LpStudyStore *lp_study_store_read(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Gives up what is claimed. @self may be NULL. */
void lp_study_store_free(LpStudyStore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStudyStore, lp_study_store_free)
/** The file. Borrowed. */
LpDatabase *lp_study_store_database(LpStudyStore *self);

/**
 * Enters @study, and those of its points that lie from @first up to @end, unless they are in; what
 * crashed is to be run again. @program: as lp_study_space_new() has it.
 * @out_study: its number in the store. Errors: LP_INPUT_ERROR_FILE, and those of
 * lp_study_space_next(); nothing is entered then.
 */
gboolean lp_study_store_enter(LpStudyStore *self, const LpStudy *study, LpStudySpace *space,
                              guint64 first, guint64 end, const char *program, gint64 *out_study,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Stores @results (of LpStudyResult), and claims @n_wanted points of @study at most, which nobody
 * else runs then: @out_tasks, (transfer full) array of LpStudyTask. All or nothing. Errors:
 * LP_INPUT_ERROR_FILE. */
gboolean lp_study_store_exchange(LpStudyStore *self, gint64 study, const GArray *results,
                                 guint n_wanted, GArray **out_tasks,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether points of @study are claimed by other processes that live. Errors: LP_INPUT_ERROR_FILE.
 */
gboolean lp_study_store_is_shared(LpStudyStore *self, gint64 study, gboolean *out_is_shared,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** How far @study is. Errors: LP_INPUT_ERROR_FILE. */
gboolean lp_study_store_count(LpStudyStore *self, gint64 study, LpStudyCounts *out_counts,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
