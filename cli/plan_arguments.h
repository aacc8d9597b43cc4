/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say which plan a command runs: --set, --framework, --memory-reserve, --plan and
 * --ignore-memory. A command has the rows of cli/option_rows.h that it takes. */
#pragma once

#include "cli/inputs.h"

G_BEGIN_DECLS

/** What those options say. */
typedef struct {
    char **settings;        /**< owned, or NULL: "NAME=VALUE", of --set and, once read, of others */
    char *framework;        /**< owned, or NULL */
    char *memory_reserve;   /**< owned, or NULL */
    char *plan;             /**< owned, or NULL: "file" or "fit" */
    gboolean ignore_memory; /**< a plan that does not fit in memory is run, too */
    LpPlanChoice choice;    /**< of @plan and @ignore_memory, once read */
} LpPlanArguments;

/** Frees what @self owns. */
void lp_plan_arguments_clear(LpPlanArguments *self);

/** Reads what the command line said: sets @choice, and adds framework and memory-reserve to
 * @settings. Errors: LP_INPUT_ERROR_USAGE that names the option, where there is no such framework,
 * where --set names another, where a size is none, or a plan neither "file" nor "fit". */
gboolean lp_plan_arguments_read(LpPlanArguments *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @name, of --framework, is a framework, a file of one, or another word for one. Errors:
 * LP_INPUT_ERROR_USAGE. */
gboolean lp_plan_arguments_check_framework(const char *name,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The settings, for functions that change none. Returns: borrowed; NULL where there are none. */
const char *const *lp_plan_arguments_settings(const LpPlanArguments *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpPlanArguments, lp_plan_arguments_clear)

G_END_DECLS
