/* SPDX-License-Identifier: Apache-2.0 */
/* What a part of a study says of the inputs of a run. */
#pragma once

#include "base/xml.h"
#include "study/study_setting.h"

G_BEGIN_DECLS

/** Names and settings. */
typedef struct {
    char *workload, *machine; /* owned: names or paths; NULL: those said before it hold */
    gboolean has_machine;     /**< names a machine or a system: what was said of others is void */
    GPtrArray *settings;      /* owned: LpStudySetting */
} LpStudyInputs;

/** Inputs in which nothing is set; lp_study_inputs_clear() frees them. */
LpStudyInputs lp_study_inputs_new(void);
void lp_study_inputs_clear(LpStudyInputs *self);

/** Reads <workload>, <machine> or <options>. Errors: LP_INPUT_ERROR, "FILE:LINE: got, wanted". */
gboolean lp_study_inputs_read(LpStudyInputs *self, const LpXml *xml, xmlNode *node,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Names the workload or, by @of, the machine. */
void lp_study_inputs_name(LpStudyInputs *self, const LpXml *xml, LpStudyOwner of, const char *name);
/** Adds a setting that @node gives. Errors: as lp_study_setting_check(). */
gboolean lp_study_inputs_add(LpStudyInputs *self, const LpXml *xml, const xmlNode *node,
                             LpStudyOwner of, const char *name, const char *value,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** "FILE:LINE: <element> @attribute: ". Returns: (transfer full). */
char *lp_study_where(const LpXml *xml, const xmlNode *node, const char *attribute);

G_END_DECLS
