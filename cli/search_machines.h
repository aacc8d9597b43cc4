/* SPDX-License-Identifier: Apache-2.0 */
/* The machines of a search: those that are named, with options that vary. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/**
 * The machines that @names mean, each with all combinations of the options of "platform generate"
 * that @io_items, as lp_search_items() gives them, vary. These are taken out of @io_items. A
 * machine's path says its options. Combinations of which there is no machine are left out.
 * @out_refused: (transfer full) why, by combination, NULL-ended.
 * Errors: as lp_input_load_machine() and, where no combination is one, lp_machine_variant_new();
 * LP_INPUT_ERROR_USAGE. Returns: (transfer full) array of LpMachine.
 */
GPtrArray *lp_search_machines_load(char *const *names, char **io_items, char ***out_refused,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
