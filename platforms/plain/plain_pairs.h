/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a machine as a platform: some of its hosts and links, and the routes of some pairs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The route from one host to another. */
typedef struct {
    guint32 from, to;     /**< numbers of hosts; each pair once */
    guint32 n_links;      /**< > 0 */
    const guint32 *links; /* borrowed: numbers, in order */
} LpPlainPair;

/** What such a platform holds; all borrowed. Numbers are the caller's own. */
typedef struct {
    const guint32 *hosts; /* their numbers, each once */
    guint32 n_hosts;
    const guint32 *links; /* their numbers, each once */
    const double *links_bytes_per_s;
    guint32 n_links;
    const LpPlainPair *pairs; /* of those hosts, over those links */
    guint32 n_pairs;
} LpPlainPart;

/** The platform. Links have one way and no latency. Between hosts that are no pair nothing can be
 * sent. Returns: (transfer full). */
char *lp_plain_pairs(const LpPlainPart *part) G_GNUC_WARN_UNUSED_RESULT;
/** The name of its host @number. Returns: (transfer full). */
char *lp_plain_pairs_host(guint32 number) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
