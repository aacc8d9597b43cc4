/* SPDX-License-Identifier: Apache-2.0 */
/* The result of importing a model description of another format: a workload, and the list of what
 * it leaves out. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** An attribute of the workload. */
typedef struct {
    char *attribute; /* owned */
    char *value;     /* owned */
    char *key;       /* owned: where it comes from; "" if from nowhere */
} LpImportRow;

/** What has no attribute, or only a similar one. */
typedef struct {
    char *key;    /* owned */
    char *value;  /* owned: for people, one line */
    char *reason; /* owned */
} LpImportRest;

/** A description on its way to a workload. */
typedef struct {
    char *name;        /* owned: of the workload: printable, on one line */
    char *source;      /* owned: what it was made of: printable, on one line */
    char *plan_source; /* owned: what the plan is, a line */
    GPtrArray *mapped; /* owned: of LpImportRow */
    GPtrArray *rest;   /* owned: of LpImportRest */
} LpImport;

/** An import without attributes. @name and @source may be any text: what cannot be printed on one
 * line is replaced. Returns: (transfer full). */
LpImport *lp_import_new(const char *name, const char *source);
/** Frees @self and all that it owns; nothing if it is NULL. */
void lp_import_free(LpImport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpImport, lp_import_free)

/** Gives @attribute the value @value, which @key said. */
void lp_import_map(LpImport *self, const char *attribute, const char *value, const char *key);
/** Gives @attribute a count, which @key said. */
void lp_import_map_count(LpImport *self, const char *attribute, guint32 value, const char *key);
/** Gives @attribute "yes" or "no", which @key said. */
void lp_import_map_boolean(LpImport *self, const char *attribute, gboolean value, const char *key);
/** Gives @attribute another value, or one if it had none; @key says why. */
void lp_import_replace(LpImport *self, const char *attribute, const char *value, const char *key);
/** Says that @key, whose value is @value, is left out, and why. */
void lp_import_leave(LpImport *self, const char *key, const char *value, const char *reason);

/** The value of @attribute, borrowed, or NULL. */
const char *lp_import_value(const LpImport *self, const char *attribute);

/** The workload itself, checked as one that is read from a file called @path.
 * Errors: as lp_workload_load(). Returns: (transfer full). */
LpWorkload *lp_import_workload(const LpImport *self, const char *path,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A workload file (docs/workload-format.md); what is left out stands in a comment.
 * Returns: (transfer full). */
char *lp_import_to_xml(const LpImport *self);

G_END_DECLS
