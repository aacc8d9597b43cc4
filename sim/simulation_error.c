/* SPDX-License-Identifier: Apache-2.0 */
/* The quark of sim/'s errors. */
#include "sim/simulation_error.h"

G_DEFINE_QUARK(lp_simulation_error, lp_simulation_error)
