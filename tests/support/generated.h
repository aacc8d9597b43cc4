/* SPDX-License-Identifier: Apache-2.0 */
/* Machines of a line of options, as tests write them. */
#pragma once

#include "platforms/generation/generate.h"

G_BEGIN_DECLS

/** The specification that @options ask for: "--rails=4 --leaf-ports=16". Of the system generic with
 * 64 accelerators, unless they say otherwise. Returns: (transfer full). */
LpMachineSpecification *lp_generated_specification(const char *options,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Its platform file. Returns: (transfer full). */
char *lp_generated_text(const char *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Its machine, read from that text. Returns: (transfer full). */
LpMachine *lp_generated_machine(const char *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** As lp_generated_machine(); asserts that there is no error. Returns: (transfer full), NULL after
 * a failure.
 */
LpMachine *lp_generated_machine_good(const char *options);

/** Options that make no machine. */
typedef struct {
    const char *label, *options;
    GQuark (*domain)(void);
    int code;
    const char *part; /**< of the message */
} LpBadOptions;

/** Asserts of each of the @n_rows that it is refused, with its error. */
void lp_generated_check_bad(const LpBadOptions *rows, gsize n_rows);

G_END_DECLS
