/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads, read from files and settings. */
#pragma once

#include "model/accelerator.h"
#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/**
 * Reads a workload file (docs/workload-format.md), applies @settings ("name=value", NULL-ended, or
 * NULL), and checks the whole. A setting beats the file, the file beats the default.
 * Errors: LP_INPUT_ERROR and LP_MODEL_ERROR; "FILE:LINE: ...", "--set NAME=VALUE: ..." or, for
 * rules that join several attributes, "ATTRIBUTE: got, wanted" behind lp_workload_prefix().
 * Returns: (transfer full).
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

/** The value of attribute @index in @self, as a setting would write it; NULL past the last one.
 * @out_name: the attribute's name, static. Returns: (transfer full). */
char *lp_workload_attribute(const LpWorkload *self, guint index, const char **out_name);
/** Who gave the value of attribute @index. */
LpOrigin lp_workload_origin(const LpWorkload *self, guint index);
/** Where the framework's value of attribute @index comes from, in words; NULL for other values.
 * Borrowed. */
const char *lp_workload_source(const LpWorkload *self, guint index);
/** Puts where it comes from in front of @error, "ATTRIBUTE: got, wanted": the settings whose names
 * it has, "--set NAME=VALUE: ", or else the file, "FILE: ". Nothing if there is none. */
void lp_workload_prefix(const LpWorkload *self, GError **error);
/** Gives values that depend on the machine ("ep-relay=domains", "overlap-dp=accelerator", the
 * framework's recipes for its accelerator) for one whose scale-up domains have @domain_size of
 * @accelerator. Once: a second machine does not take back what the first has given. */
void lp_workload_suit(LpWorkload *self, guint64 domain_size, const LpAccelerator *accelerator);

G_END_DECLS
