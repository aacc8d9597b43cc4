/* SPDX-License-Identifier: Apache-2.0 */
/* The demands of a workload's parallelisms on the network, as JSON and as tables. */
#pragma once

#include "base/json.h"
#include "report/characterization_data.h"

G_BEGIN_DECLS

/** JSON of "characterize", keys in a fixed order. Returns: (transfer full). */
json_t *lp_characterization_to_json(const LpCharacterization *self);
/** Its text, with a line end. Returns: (transfer full). */
char *lp_characterization_to_json_text(const LpCharacterization *self);
/** The same content as tables for people. Returns: (transfer full). */
char *lp_characterization_to_text(const LpCharacterization *self);

G_END_DECLS
