/* SPDX-License-Identifier: Apache-2.0 */
/* What software that trains does of itself (workloads/frameworks.xml), as settings of a plan. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LP_FRAMEWORK_NONE "none" /* the framework without defaults */

/** What a value is compared by. */
typedef enum {
    LP_COMPARISON_IS,
    LP_COMPARISON_IS_NOT,
    LP_COMPARISON_ABOVE /**< both are numbers */
} LpComparison;

/** "NAME=VALUE", "NAME!=VALUE" or "NAME>VALUE": of an attribute of the workload; or
 * "accelerator=NAME|NAME", of the machine that it runs on. */
typedef struct {
    char *name, *value; /* owned */
    LpComparison comparison;
} LpFrameworkCondition;

/** A setting that a framework makes where all conditions hold and nobody else has made it. */
typedef struct {
    char *name, *value;    /* owned: of an attribute */
    char *source;          /* owned: where that software does so */
    char *framework;       /* owned: that states it, a version before or itself */
    char *place;           /* owned: "FILE:LINE" of one in a file of one's own; or NULL */
    GPtrArray *conditions; /* owned LpFrameworkCondition: first its own, then those under which the
                              attribute has a meaning */
    guint n_own;           /* of these, its own */
    char *publishers; /* owned: of how many its conditions hold for measured rows, where these are
                         fewer than three; else NULL */
} LpFrameworkSetting;

/** A framework; several workloads may own it together. */
typedef struct LpFramework {
    grefcount n_owners;
    char *name, *description;     /* owned */
    char *like;                   /* owned: the version before, or NULL */
    gboolean names_replica_batch; /* its batch size is a replica's, which a pipeline cuts up */
    GPtrArray *settings; /* owned LpFrameworkSetting; the first of a name that holds counts */
} LpFramework;

/** The names of all, in the file's order. Errors: LP_INPUT_ERROR, where the shipped file cannot be
 * read. Returns: (transfer full), NULL-ended. */
char **lp_framework_names(GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether @name is a file, "FILE.xml", whose last framework counts, or "FILE.xml#NAME". */
gboolean lp_framework_is_file(const char *name);
/** The framework called @name, a shipped one or one of a file, which may start from shipped ones.
 * Errors: LP_INPUT_ERROR_NAME with the known names; LP_INPUT_ERROR, "FILE:LINE: got, wanted".
 * Returns: (transfer full). */
LpFramework *lp_framework_find(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The same from the text of another such file; @path: what messages call it. Errors:
 * LP_INPUT_ERROR, "FILE:LINE: got, wanted". Returns: (transfer full). */
LpFramework *lp_framework_parse(const char *path, GBytes *content, const char *name,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The name of that version of @name which NVIDIA's NeMo container @container has ("26.06.01", by
 * year and month), the one that came with the latest container up to it; or @name itself. NULL
 * where the shipped file cannot be read. Returns: (transfer full). */
char *lp_framework_version(const char *name, const char *container);
/** "tp>1 precision=bf16": the conditions of @setting, empty where it has none. Returns: (transfer
 * full). */
char *lp_framework_setting_when(const LpFrameworkSetting *setting);
/** Whether the condition is one on the accelerator. */
gboolean lp_framework_condition_is_of_machine(const LpFrameworkCondition *self);
/** One more owner of it. Returns: (transfer full) @self. */
LpFramework *lp_framework_ref(LpFramework *self);
/** One owner less; the last frees it. @self may be NULL. */
void lp_framework_free(LpFramework *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpFramework, lp_framework_free)

G_END_DECLS
