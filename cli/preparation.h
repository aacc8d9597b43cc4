/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to what validation/prepare.py has to know of catalogues, frameworks and plans. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Reads questions from standard input until it ends, a line each whose fields tabs divide, and
 * writes a JSON object a line:
 *
 *     names                     systems, accelerators, frameworks, attributes of <transformer>
 *     system NAME               its domains and rates
 *     default-system ACCELERATORthe system that is meant by the accelerator alone
 *     accelerator NAME          what the catalogue calls it
 *     framework NAME            its settings, with their conditions
 *     version NAME CONTAINER    the version of a framework in a container
 *     shape WORKLOAD            the transformer that a shipped workload's file states
 *     accepts NAME VALUE        whether an attribute takes a value
 *     plan MACHINE SETTINGS     memory and closed forms of a workload on a machine
 *     attributes MACHINE SETTINGS   all of a workload's, by name
 *
 * What cannot be answered is {"error": MESSAGE}. Errors: none of a question, LP_INPUT_ERROR where
 * nothing can be written. */
gboolean lp_preparation_answer(GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
