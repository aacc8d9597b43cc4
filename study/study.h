/* SPDX-License-Identifier: Apache-2.0 */
/* A study: a workload and a machine, what varies of both, and what is recorded of each run. */
#pragma once

#include "study/study_inputs.h"

G_BEGIN_DECLS

/** Combinations that a study may have. */
#define LP_STUDY_POINTS_MAX 10000000

/** A command that a study may run on each point. */
typedef struct {
    const char *name;
    gboolean has_seed;           /**< it takes --seed */
    gboolean has_operation;      /**< in the place of a workload it has an operation */
    const char *const *recorded; /**< keys of its JSON that are recorded where nothing is named */
} LpStudyCommand;

/** What must hold of a point. */
typedef struct {
    LpXmlExpression *expression; /* owned; NULL: nothing */
    char *where;                 /* owned: "FILE:LINE: <constraint> that: ", or NULL */
} LpStudyConstraint;

/** One of the values of an axis. */
typedef struct {
    char *label; /* owned */
    LpStudyInputs inputs;
    LpStudyConstraint only; /**< where it is a value */
} LpStudyValue;

/** Values and the name of their column. */
typedef struct {
    char *name;      /* owned */
    GArray *values;  /* owned: LpStudyValue */
    guint dimension; /**< axes of one dimension are zipped, dimensions are crossed */
} LpStudyAxis;

/** A key of the command's JSON, and the column that it goes to. */
typedef struct {
    char *key, *name; /* owned; "simulated.terms_s.tp", parts of arrays by number */
    char *where;      /* owned: "FILE:LINE: <record> key: "; NULL: no result need have it */
} LpStudyRecord;

/** A study. */
typedef struct {
    char *path;                    /* owned: as messages name it */
    char *name;                    /* owned */
    char *text;                    /* owned: the whole file */
    const LpStudyCommand *command; /* borrowed */
    gboolean keeps_all;            /**< the whole JSON of each run, or what is recorded */
    LpStudyInputs base;
    GArray *axes;            /* owned: LpStudyAxis, those of one dimension one after the other */
    GArray *dimensions;      /* owned: guint, which axis is the first of each */
    GArray *constraints;     /* owned: LpStudyConstraint */
    gboolean is_conditional; /**< not all combinations are points */
    GArray *records;         /* owned: LpStudyRecord */
} LpStudy;

/** Reads @path. Names of files in it that are paths are relative to its folder. Nothing that it
 * names is opened. Errors: LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer full). */
LpStudy *lp_study_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** @self may be NULL. */
void lp_study_free(LpStudy *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStudy, lp_study_free)

/** The axis at @index. Borrowed. */
const LpStudyAxis *lp_study_axis(const LpStudy *self, guint index);
/** Dimensions. */
guint lp_study_n_dimensions(const LpStudy *self);
/** Values of the dimension at @index. */
guint lp_study_n_values(const LpStudy *self, guint index);
/** Combinations of all values, constraints aside. */
double lp_study_n_combinations(const LpStudy *self);
/** The record at @index. Borrowed. */
const LpStudyRecord *lp_study_record(const LpStudy *self, guint index);

G_END_DECLS
