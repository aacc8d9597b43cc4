/* SPDX-License-Identifier: Apache-2.0 */
/* The names of attributes in training software: one table a software. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A rule that turns the value of an attribute into a setting of some software. The first rule of
 * an attribute counts whose conditions hold and whose text can be filled in. */
typedef struct {
    const char *attribute;
    const char *when; /**< "tp>1 recompute=full|selective zero!=3": all have to hold; NULL: always.
                         Names are of attributes or of lp_export_value() */
    const char *text; /**< "{tp}" stands for a value, "{}" for the attribute's own; "": nothing is
                         to be said, since the software does so by itself, or another rule says it.
                         Behind a blank what the software itself writes: flags, or "key = value",
                         several with ";" between them */
} LpExportRule;

/** Tables, ended by a rule without attribute. */
extern const LpExportRule lp_export_megatron[], lp_export_torchtitan[], lp_export_deepspeed[];

G_END_DECLS
