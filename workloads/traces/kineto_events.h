/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a PyTorch profile (Kineto's JSON, Chrome trace events) that say what ran when. */
#pragma once

#include "base/json.h"
#include "workloads/traces/kineto_kind.h"

G_BEGIN_DECLS

/** What ran on the device: a kernel, a copy, a fill. Instants are seconds of the profile. */
typedef struct {
    LpKinetoKind kind;
    gboolean is_expert; /**< of communication: lp_kineto_kind_is_expert() */
    /** What is known of communication, in the words of a record_param_comms: "Collective name",
     * "In msg nelems", "dtype" ...; NULL: nothing. Owned by LpKinetoEvents. */
    json_t *said;
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
    json_t *root;  /* owned, without its events */
    GArray *works; /* owned: LpKinetoWork, in the order in which they were launched */
    GArray *syncs; /* owned: LpKinetoSync, in order */
} LpKinetoEvents;

/** Reads the profile in the file at @path, which gzip may have packed. Errors: LP_INPUT_ERROR,
 * "PATH: got, wanted", "PATH:N: ..." of event N. Returns: (transfer full). */
LpKinetoEvents *lp_kineto_events_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The member @key of the object "distributedInfo"; NULL: there is none. Borrowed. */
const json_t *lp_kineto_events_head(const LpKinetoEvents *self, const char *key);
void lp_kineto_events_free(LpKinetoEvents *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpKinetoEvents, lp_kineto_events_free)

G_END_DECLS
