/* SPDX-License-Identifier: Apache-2.0 */
/* Flows over given links as a platform, without a machine: what the engine is given to load where
 * one flow stands for many. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A link that flows share. */
typedef struct {
    double bytes_per_s;
} LpPlainLink;

/** What a flow crosses. SimGrid loads a link as often as a route names it. */
typedef struct {
    guint32 n_links;
    const guint32 *links; /* borrowed: indices */
} LpPlainFlow;

/** A platform with @n_links @links and, for each of @n_flows @flows, fewer than 2^31, two hosts
 * with that route from one to the other; and a host at which no route begins. No link has a
 * latency. Returns: (transfer full). */
char *lp_plain_flows(const LpPlainLink *links, guint32 n_links, const LpPlainFlow *flows,
                     guint32 n_flows) G_GNUC_WARN_UNUSED_RESULT;

/** The name of the host at an end of flow number @flow. Returns: (transfer full). */
char *lp_plain_flow_host(guint32 flow, gboolean receives) G_GNUC_WARN_UNUSED_RESULT;
/** The name of the host at which no route begins. Returns: (transfer full). */
char *lp_plain_flows_empty_host(void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
