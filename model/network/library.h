/* SPDX-License-Identifier: Apache-2.0 */
/* A communication library: what its protocols cost, and which algorithm it takes when. */
#pragma once

#include "model/plan/collective.h"

G_BEGIN_DECLS

/** Rows that a library has room for. */
#define LP_LIBRARY_PROTOCOLS_MAX 16
#define LP_LIBRARY_RULES_MAX 224
#define LP_LIBRARY_MEASURED_MAX 256

/** The properties of a library that the closed forms use, besides measured times. */
typedef struct {
    gboolean has_rails; /**< rings that leave domains are as many as a domain has members, each over
                             a card of its own; else one */
    gboolean over_axes; /**< rings on a torus go both ways round, over several axes at once */
    double chunk_bytes; /**< pieces in which chains pass data on, at most; 0: all at once */
} LpLibraryRings;

/** Whether a transfer stays in a scale-up domain. */
typedef enum {
    LP_REACH_DOMAIN,
    LP_REACH_FABRIC,
    LP_N_REACHES
} LpReach;

/** A protocol, such as NCCL's LL, LL128 and Simple. What it adds to a route is paid by the sender.
 */
typedef struct {
    char name[LP_LIBRARY_NAME_MAX];
    double base_s;                    /**< once a collective: launching it */
    double hop_s[LP_N_REACHES];       /**< each step, beyond the route's own latency */
    double chunk_bytes;               /**< pieces in which trees pass data on */
    double wire_factor[LP_N_REACHES]; /**< bytes on the wire over bytes of data, at least 1: flags,
                                         headers, and what of a link's rate it does not reach */
} LpProtocol;

/** Which groups a rule is for. */
typedef enum {
    LP_SPREAD_ANY,
    LP_SPREAD_ONE_DOMAIN,
    LP_SPREAD_DOMAINS, /**< two or more */
    LP_SPREAD_PAIR,    /**< two accelerators that a bridge joins; rules of one domain fit, too */
    LP_SPREAD_TORUS,   /**< each in a domain of its own, on a torus; rules of several fit, too */
    LP_SPREAD_TWO      /**< as many in each of two domains; rules of several fit, too */
} LpSpread;

extern const char
    *const lp_spread_names[]; /* "any" "one" "several" "pair" "torus" "two", NULL-ended */

/** A row of the table of choices; the first one that fits counts. */
typedef struct {
    LpCollective collective;
    LpSpread spread;
    guint64 ranks_max; /**< G_MAXUINT64: any number */
    guint64 bytes_max; /**< of the buffer (LpOp.bytes); G_MAXUINT64: any size */
    LpAlgorithms algorithms;
    guint32 protocol; /**< index in the library's protocols */
    guint32 channels; /**< parallel rings, or trees with chains; 0: one a member of a domain in
                         groups that leave it */
    double card_bytes_per_s_max;  /**< of machines whose cards carry at most so much; 0: any */
    double cards_bytes_per_s_max; /**< the same, of all cards of a domain together */
} LpLibraryRule;

/** The host's cost of starting a collective for each member of the group, s, where hosts check it
 * first (LpCollectiveChecks). */
typedef struct {
    double near_s; /**< of the rank's own domain, itself among them */
    double far_s;  /**< of another domain */
} LpLibraryStart;

/** A collective as it was measured. */
typedef struct {
    LpCollective collective;
    guint32 n_ranks, n_nodes; /**< that were on so many nodes, as many on each */
    guint64 bytes;            /**< LpOp.bytes */
    double time_s;            /**< > 0 */
} LpMeasuredTime;

/** Which library of several runs what (model/network/library_mix.h). */
typedef struct LpLibraryMix LpLibraryMix;

/** A communication library. */
typedef struct LpLibrary {
    char name[LP_LIBRARY_NAME_MAX];
    char layer[8]; /**< UCC's team layer for it, "nccl"; "": none */
    guint32 n_protocols, n_rules, n_measured;
    LpLibraryStart start;  /**< zeros: starts cost no member anything */
    guint32 sends_at_once; /**< that a member has under way in a step; 0: all */
    LpProtocol protocols[LP_LIBRARY_PROTOCOLS_MAX];
    LpLibraryRule rules[LP_LIBRARY_RULES_MAX];
    LpMeasuredTime measured[LP_LIBRARY_MEASURED_MAX]; /**< by collective, ranks, nodes and bytes */
    LpLibraryMix
        *mix; /* owned by lp_library_free(): others that run some collectives; NULL: none */
} LpLibrary;

/** The way in which a library runs a collective. */
typedef struct {
    LpAlgorithms algorithms;    /**< nothing said: a ring; an all-to-all along the rails */
    const LpProtocol *protocol; /* borrowed from the library */
    guint32 channels;
} LpLibraryChoice;

/** The first rule that fits @collective of @bytes among @n_ranks; where none does, the library says
 * nothing of algorithms and takes its last protocol. @spread: how the ranks stand, not
 * LP_SPREAD_ANY. */
LpLibraryChoice lp_library_choose(const LpLibrary *self, LpCollective collective, guint64 bytes,
                                  guint64 n_ranks, LpSpread spread);

/** Selects a rule for a plan that prescribes @algorithms. Of the rules with these algorithms it is
 * the first that fits, else the first of those for the next smaller number of ranks. Without such a
 * rule it is that of lp_library_choose(). */
LpLibraryChoice lp_library_choose_for(const LpLibrary *self, LpCollective collective, guint64 bytes,
                                      guint64 n_ranks, LpSpread spread,
                                      const LpAlgorithms *algorithms);

/** The properties of collective @collective that the closed forms use for @self alone, without the
 * libraries that are mixed with it: rings over all cards of a domain, if it says anything of that,
 * and the pieces of the protocol for large buffers, its last. NULL: zeros. */
LpLibraryRings lp_library_rings(const LpLibrary *self, LpCollective collective);
/** Whether any of its rules has collectives reduced in switches. */
gboolean lp_library_reduces_in_switches(const LpLibrary *self);

/** Sends that a member has under way at once, at most. */
guint32 lp_library_sends_at_once(const LpLibrary *self);
/** @bytes of data as they are on the wire. */
guint64 lp_protocol_wire_bytes(const LpProtocol *self, LpReach reach, guint64 bytes);

G_END_DECLS
