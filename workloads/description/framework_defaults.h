/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a workload the defaults of the framework that it names. */
#pragma once

#include "workloads/description/framework.h"
#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/** Gives @workload the defaults of the shipped framework that it names, unless it has them already.
 */
gboolean lp_framework_defaults_apply(LpWorkload *workload,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * Makes the settings of @framework whose conditions hold, one after the other: conditions see what
 * those before have set. An attribute that the file or a setting gave keeps its value.
 * Errors: LP_INPUT_ERROR, "framework NAME: ATTRIBUTE: got, wanted", where the framework names an
 * attribute or a value that does not exist.
 */
gboolean lp_framework_defaults_give(const LpFramework *framework, LpWorkload *workload,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Makes settings anew that depend on the accelerator, now that it is known; until then none of
 * their conditions holds. Errors: as lp_framework_defaults_give(). */
gboolean lp_framework_defaults_apply_machine(LpWorkload *workload, const char *accelerator,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
