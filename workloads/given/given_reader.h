/* SPDX-License-Identifier: Apache-2.0 */
/* Reads programs by hand: docs/program-format.md. */
#pragma once

#include "base/xml.h"
#include "workloads/given/given_program.h"

G_BEGIN_DECLS

/** What the elements of @xml, a <program> that has met its schema, say: all but the attributes of
 * the root that workloads have too. Checked (lp_given_program_check()). Errors: LP_INPUT_ERROR,
 * "FILE:LINE: <element> attribute: got, wanted". Returns: (transfer full). */
LpGivenProgram *lp_given_program_read(const LpXml *xml, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
