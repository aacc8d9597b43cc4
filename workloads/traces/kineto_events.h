/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a PyTorch profile (Kineto's JSON, Chrome trace events) that say what ran when. */
#pragma once

#include "base/json.h"

G_BEGIN_DECLS

/** What ran on the device: a kernel, a copy, a fill. Instants are seconds of the profile. */
typedef struct {
    const char *name;   /* borrowed from the JSON */
    const json_t *args; /* borrowed from the JSON */
    gint64 stream;
    double start_s, end_s;
    double called_s, called_end_s; /**< the call of the host that launched it */
    guint line;                    /**< its number among all events, from 1 */
} LpKinetoWork;

/** A call in which the host waits for the device. */
typedef struct {
    double start_s, end_s;
} LpKinetoSync;

/** A profile. */
typedef struct {
    json_t *root;  /* owned */
    GArray *works; /* owned: LpKinetoWork, in the order in which they were launched */
    GArray *syncs; /* owned: LpKinetoSync, in order */
} LpKinetoEvents;

/** Reads @length bytes of JSON. @path: what messages call them. Errors: LP_INPUT_ERROR, "PATH: got,
 * wanted", "PATH:N: ..." of event N. Returns: (transfer full). */
LpKinetoEvents *lp_kineto_events_read(const char *path, const char *text, gsize length,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_kineto_events_free(LpKinetoEvents *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpKinetoEvents, lp_kineto_events_free)

G_END_DECLS
