/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of programs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Errors of programs. */
#define LP_PROGRAM_ERROR (lp_program_error_quark())
GQuark lp_program_error_quark(void);

/** Codes of LP_PROGRAM_ERROR. */
typedef enum {
    LP_PROGRAM_ERROR_SIZE, /**< More steps than fit in memory, or bytes than can be counted. */
    LP_PROGRAM_ERROR_FORM, /**< It holds what its file format does not say. */
} LpProgramError;

G_END_DECLS
