/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of simulate, compare, contention and workload kernels. */
#pragma once

#include "report/observed.h"

G_BEGIN_DECLS

/**
 * The page of @document, what a command prints with --format=json; of simulate with "observed" if
 * there is an observation. @vega: the library of plots (lp_vega_load()). Returns: (transfer full).
 */
char *lp_page_of_simulation(const json_t *document, const char *vega);
/** The page of what "compare" prints; parameters as of lp_page_of_simulation(). */
char *lp_page_of_comparison(const json_t *document, const char *vega);
/** The page of what "contention" prints; parameters as of lp_page_of_simulation(). */
char *lp_page_of_contention(const json_t *document, const char *vega);
/** The page of what "workload kernels" prints; parameters as of lp_page_of_simulation(). */
char *lp_page_of_kernels(const json_t *document, const char *vega);

G_END_DECLS
