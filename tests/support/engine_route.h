/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's start, and its routes, by whichever name its version has for them. */
#pragma once

#include <simgrid/forward.h>

#include <glib.h>

G_BEGIN_DECLS

/** Starts the engine, once a process. */
void lp_engine_begin(void);

/** The links (const_sg_link_t) of the engine's route between two hosts, in order. Returns:
 * (transfer full). */
GPtrArray *lp_engine_route(const_sg_host_t from, const_sg_host_t to);

G_END_DECLS
