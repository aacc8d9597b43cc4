/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits that turn through a fixed cycle of matchings, whatever is sent (RotorNet, Mellette et
 * al., SIGCOMM 2017), without an engine. Time is what the caller says.
 *
 * Time is cut into slots. At the beginning of each all lanes of an attachment go on to their next
 * matching, and carry nothing for the dead time; in a cycle each attachment meets every other of
 * its switch. A lane carries its equal part of the attachment's rate. What waits for an attachment
 * goes first what was relayed, then by itself, each in the order in which it came; what is left of
 * a slot may take bytes of others along, who go on from there in a later slot, as far as they would
 * not get away in the sender's own next slot and as far as the relay can pass on in one slot. A
 * circuit ends at lanes of the same number; while one of them has stopped it carries nothing. */
#pragma once

#include "platforms/machine/circuit_switch.h"

G_BEGIN_DECLS

typedef struct LpRotor LpRotor;

/** The bytes that a rotor has carried. */
typedef struct {
    double direct_bytes;  /**< that went over one circuit */
    double relayed_bytes; /**< that went over two */
    double busy_s;        /**< of lanes, one way, summed */
    guint32 n_lanes;      /**< of all attachments that have sent anything */
    guint32 n_senders;    /**< those */
} LpRotorCount;

/** A rotor of @n_attachments, divided into switches of @n_joined in a row, a divisor of it.
 * @settings: borrowed; their policy is a rotor. @bytes_per_s: of an attachment, each way. Returns:
 * (transfer full). */
LpRotor *lp_rotor_new(guint32 n_attachments, guint32 n_joined, double bytes_per_s,
                      const LpCircuitSwitch *settings);
void lp_rotor_free(LpRotor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpRotor, lp_rotor_free)

/** Slots in which all attachments have met. */
guint32 lp_rotor_n_slots(const LpRotor *self);
/** Share of the time in which a circuit carries bytes. */
double lp_rotor_duty(const LpRotor *self);
/** Whether circuits join @a and @b, two attachments, at any time. */
gboolean lp_rotor_joins(const LpRotor *self, guint32 a, guint32 b);

/** Stops @lanes (as bits) of @attachment; bytes in flight arrive. The remaining lanes then
 * alternate between the matchings, cycle by cycle, so that each pair loses the same share of the
 * time in which it meets: the stopped lanes of either end, over all lanes. */
void lp_rotor_kill(LpRotor *self, guint32 attachment, guint64 lanes);

/** Sends @bytes (> 0) from attachment @from to @to, which are joined, from @now_s on. @data: what
 * lp_rotor_pop_due() gives when the last byte has arrived. */
void lp_rotor_send(LpRotor *self, guint32 from, guint32 to, guint64 bytes, double now_s,
                   gpointer data);
/** When lp_rotor_advance() is next to be called, s: a flow arrives, or a slot begins that somebody
 * waits for; INFINITY: never, unless more is sent. */
double lp_rotor_next_s(const LpRotor *self);
/** Goes on to @now_s, at most lp_rotor_next_s(). */
void lp_rotor_advance(LpRotor *self, double now_s);
/** The data of the next flow that has arrived; NULL: none has. */
gpointer lp_rotor_pop_due(LpRotor *self);
LpRotorCount lp_rotor_count(const LpRotor *self);

G_END_DECLS
