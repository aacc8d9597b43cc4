/* SPDX-License-Identifier: Apache-2.0 */
/* A setting of a study: whose it is, its name, and a value that may hold expressions. */
#pragma once

#include "base/xml_expression.h"

G_BEGIN_DECLS

/** What a setting is an attribute or an option of. */
typedef enum {
    LP_STUDY_OF_WORKLOAD,
    LP_STUDY_OF_MACHINE,
    LP_STUDY_OF_COMMAND,
    LP_STUDY_OF_NOBODY, /**< a variable of expressions */
    LP_STUDY_N_OWNERS
} LpStudyOwner;

/** "workload", "machine", "command", "variable"; NULL-ended. */
extern const char *const lp_study_owner_names[];

/** A setting. */
typedef struct {
    LpStudyOwner of;
    char *name, *value;  /* owned */
    gboolean is_further; /**< stands beside others of its name */
    GPtrArray *pieces; /* owned: of LpXmlExpression, between the pieces of text in @texts; NULL: the
                          value is as it stands */
    char **texts;      /* owned: one more than there are pieces */
    char *where;       /* owned: "FILE:LINE: <element> attribute: " */
} LpStudySetting;

/** A setting of @value, in which "{EXPRESSION}" stands for a number. Errors:
 * LP_INPUT_ERROR_SYNTAX, with @where. Returns: (transfer full). */
LpStudySetting *lp_study_setting_new(LpStudyOwner of, const char *name, const char *value,
                                     const char *where, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_study_setting_free(LpStudySetting *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpStudySetting, lp_study_setting_free)

/** Whether its value is one by itself. Errors: LP_INPUT_ERROR, "WHERE: got, wanted". */
gboolean lp_study_setting_check(const LpStudySetting *self,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The value of a setting, with numbers in the place of expressions. Errors: as
 * lp_xml_expression_number(), with the place. Returns: (transfer full). */
char *lp_study_setting_text(const LpStudySetting *self, LpXmlVariable variable, gconstpointer data,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whose attribute @name is. Errors: LP_INPUT_ERROR_NAME where it is nobody's, or both a
 * workload's and a machine's; "got, wanted". */
gboolean lp_study_setting_find_owner(const char *name, LpStudyOwner *out_of,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
