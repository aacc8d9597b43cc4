/* SPDX-License-Identifier: Apache-2.0 */
/* Which accelerator of the catalogue a freely written name means. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * The catalogue's name for an accelerator in a text such as "A100-SXM4-40GB", "8x H100 SXM 900W" or
 * "GH200 (measured here)": the entry of that family of which most qualifiers (form, memory) are
 * named and fewest are missing. Where the text does not say, an SXM module and the largest memory.
 * Returns: (transfer full), or NULL if no word is an accelerator.
 * Errors: LP_INPUT_ERROR of a broken catalogue.
 */
char *lp_accelerator_name_match(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
