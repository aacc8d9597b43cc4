/* SPDX-License-Identifier: Apache-2.0 */
/* The circuits that a job wants of a machine with circuit switches: patterns of them, one for each
 * communicator and for each pair of ranks that send each other messages between stages.
 *
 * An attachment is a scale-out port of the machine view: what a lane of its circuits ends at. A
 * circuit joins two attachments, both ways, and holds lanes of both. A ring takes two lanes of each
 * attachment, one to either side, also where it has two members. Where each lane can carry all that
 * the attachment can, patterns take no more lanes than they need, so that they may stand side by
 * side; where wavelengths have rates of their own, a pattern takes as many as it can use. */
#pragma once

#include "sim/circuits/exchange_plan.h"
#include "sim/circuits/traffic_table.h"
#include "sim/mapping/communication_map.h"

G_BEGIN_DECLS

/** No pattern, no circuit, no lane. */
#define LP_CIRCUIT_NONE G_MAXUINT32

/** Lanes of an attachment that stop. */
typedef struct {
    guint32 attachment;
    guint64 lanes; /**< as bits */
} LpLaneFailure;

/** A circuit that may be set up. */
typedef struct {
    guint32 end[2];  /**< attachments */
    guint32 n_lanes; /**< of each end */
} LpCircuit;

/** Circuits that are wanted together. */
typedef struct {
    guint32 first_circuit, n_circuits; /**< in LpCircuitPlan.pattern_circuits */
    guint32 first_rank, n_ranks;       /**< in LpCircuitPlan.pattern_ranks: those who use it */
    LpTraffic traffic;
    gboolean is_line;       /**< of messages between two stages */
    double cap_bytes_per_s; /**< what the lanes that it holds of an attachment carry, each way: of a
                                 collective all of them, of a message those to its stage; INFINITY:
                                 no less than the attachment */
    double bytes;           /**< that an iteration sends over it, roughly: orders patterns */
    double n_uses;          /**< in an iteration */
} LpCircuitPattern;

/** The circuits that a communicator's collectives need. */
typedef struct {
    guint32 pattern;  /**< the first, in LpCircuitPlan.patterns; LP_CIRCUIT_NONE: it stays inside
                           domains */
    guint32 n_rounds; /**< patterns in a row that an all-to-all takes one after the other; 1 for
                           whatever else */
    LpCircuitExchange exchange;
    double forwarding; /**< hops that a byte takes in the mean; 1 without relays */
} LpCircuitUse;

/** All that a job wants. */
typedef struct {
    const LpCommunicationMap *map; /* borrowed */
    guint32 n_attachments, n_lanes;
    GArray *circuits;     /* owned: LpCircuit */
    GArray *last_pattern; /* owned: guint32, by circuit: the last pattern that it was added to */
    GArray *patterns;     /* owned: LpCircuitPattern */
    GArray *pattern_circuits;        /* owned: guint32, in LpCircuitPlan.circuits */
    GArray *pattern_ranks;           /* owned: guint32 */
    LpCircuitUse *uses[LP_N_GROUPS]; /* owned, by communicator */
    guint32 *direction_pattern[LP_N_PIPELINE_DIRECTIONS]; /* owned, by sending rank;
                                                        LP_CIRCUIT_NONE: in a domain */
    LpStageTraffic *traffic;                              /* owned, by stage */
    GHashTable *by_ends;                                  /* owned: finds circuits */
    GHashTable *by_ranks;                                 /* owned: finds the patterns of lines */
} LpCircuitPlan;

/** The plan of @map's program, which is borrowed, as the map is. Errors: LP_SIMULATION_ERROR where
 * attachments have too few lanes for what a communicator does. Returns: (transfer full). */
LpCircuitPlan *lp_circuit_plan_new(const LpCommunicationMap *map,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_circuit_plan_free(LpCircuitPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpCircuitPlan, lp_circuit_plan_free)

/** The circuit and the pattern of an index, borrowed. */
const LpCircuit *lp_circuit_plan_circuit(const LpCircuitPlan *self, guint32 index);
const LpCircuitPattern *lp_circuit_plan_pattern(const LpCircuitPlan *self, guint32 index);
/** The circuits of @pattern, and the ranks that use it: borrowed arrays of n_circuits and n_ranks.
 */
const guint32 *lp_circuit_plan_circuits_of(const LpCircuitPlan *self,
                                           const LpCircuitPattern *pattern);
const guint32 *lp_circuit_plan_ranks_of(const LpCircuitPlan *self, const LpCircuitPattern *pattern);
/** The circuits that @communicator's collectives need. Borrowed. */
const LpCircuitUse *lp_circuit_plan_use(const LpCircuitPlan *self,
                                        const LpCommunicator *communicator);
/** Patterns by the bytes that they carry, the most first: (transfer full) guint32. */
GArray *lp_circuit_plan_by_bytes(const LpCircuitPlan *self);
/** "dp", "pp" ..., "tied embeddings": of what circuits carry. Static. */
const char *lp_circuit_plan_traffic_name(LpTraffic traffic);

G_END_DECLS
