/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads, read from files and settings. */
#pragma once

#include "model/times/accelerator.h"
#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/**
 * Reads a workload file (docs/workload-format.md) or a program by hand (docs/program-format.md),
 * applies @settings ("name=value", NULL-ended, or NULL), and checks the whole. A setting beats the
 * file, the file beats the default. Errors: LP_INPUT_ERROR and LP_MODEL_ERROR; "FILE:LINE: ...",
 * "--set NAME=VALUE: ..." or, for rules that join several attributes, "ATTRIBUTE: got, wanted"
 * behind lp_workload_prefix(). Returns: (transfer full).
 */
LpWorkload *lp_workload_load(const char *path, const char *const *settings,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the workload of a scenario's job, whose own @attributes ("name=value", NULL-ended) stand
 * between the file and @settings, and of which no message says "--set". Errors: as
 * lp_workload_load(). Returns: (transfer full). */
LpWorkload *lp_workload_load_job(const char *path, const char *const *attributes,
                                 const char *const *settings,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** A workload called @name from @settings alone, which give all that has no default. @path: what
 * messages say in place of a file. Errors: as lp_workload_load(). Returns: (transfer full). */
LpWorkload *lp_workload_new(const char *path, const char *name, const char *const *settings,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether workloads have an attribute of that name. Error: LP_INPUT_ERROR_NAME, with one that is
 * like it or how to list them. */
gboolean lp_workload_has_attribute(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether the setting "name=value" is one by itself, whatever the workload. Errors:
 * LP_INPUT_ERROR, "got, wanted"; the caller says where. */
gboolean lp_workload_check_setting(const char *setting, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Whether all of @settings are ("name=value", NULL-ended, or NULL), which stand behind "--set".
 * Errors: LP_INPUT_ERROR, "--set NAME=VALUE: got, wanted". */
gboolean lp_workload_check_settings(const char *const *settings,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Frees @self and all that it owns; nothing if it is NULL. */
void lp_workload_free(LpWorkload *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpWorkload, lp_workload_free)

/** A workload file and settings, read once, from which workloads are made that differ in further
 * settings, without a file being read again. */
typedef struct LpWorkloadDraft LpWorkloadDraft;

/** Reads as lp_workload_load() does, and checks no rule that joins several attributes. Errors: as
 * there. Returns: (transfer full). */
LpWorkloadDraft *lp_workload_draft_load(const char *path, const char *const *settings,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_workload_draft_free(LpWorkloadDraft *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpWorkloadDraft, lp_workload_draft_free)
/** What the file and the settings say, of which no rule was checked. Returns: (transfer full). */
LpWorkload *lp_workload_draft_read(const LpWorkloadDraft *self);
/** Whether the rules of lp_plan_check_degrees() hold with @settings and, if @with_batch, those of
 * lp_plan_check_batch(). They are among those of lp_workload_draft_complete(), and take a hundredth
 * of its time. Errors: LP_INPUT_ERROR, and LP_MODEL_ERROR, "ATTRIBUTE: got, wanted". */
gboolean lp_workload_draft_check(const LpWorkloadDraft *self, const char *const *settings,
                                 gboolean with_batch, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The workload that lp_workload_load() gives with @settings behind those of the draft. Errors: as
 * there. Returns: (transfer full). */
LpWorkload *lp_workload_draft_complete(const LpWorkloadDraft *self, const char *const *settings,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The value of attribute @index in @self, as a setting would write it; NULL past the last one.
 * @out_name: the attribute's name, static. Returns: (transfer full). */
char *lp_workload_attribute(const LpWorkload *self, guint index, const char **out_name);
/** Who gave the value of attribute @index. */
LpOrigin lp_workload_origin(const LpWorkload *self, guint index);
/** The source of the framework's value of attribute @index, in words; NULL for other values.
 * Borrowed. */
const char *lp_workload_source(const LpWorkload *self, guint index);
/** Puts where it comes from in front of @error, "ATTRIBUTE: got, wanted": the settings whose names
 * it has, "--set NAME=VALUE: ", or else the file, "FILE: ". Nothing if there is none. */
void lp_workload_prefix(const LpWorkload *self, GError **error);
/** Gives values that depend on the machine ("ep-relay=domains", "overlap-dp=accelerator", the
 * framework's recipes for its accelerator) for one whose scale-up domains have @domain_size of
 * @accelerator. Once: a second machine does not take back what the first has given.
 * Errors: LP_INPUT_ERROR, where kernels of the user fail with the values of this machine. */
gboolean lp_workload_apply_machine(LpWorkload *self, guint64 domain_size,
                                   const LpAccelerator *accelerator,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
