/* SPDX-License-Identifier: Apache-2.0 */
/* Optical circuit switches between the ports of a scale-out network, and who decides about their
 * circuits. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** When circuits are asked for. */
typedef enum {
    LP_CIRCUIT_POLICY_STATIC,    /**< once, before the job, from its traffic matrix */
    LP_CIRCUIT_POLICY_DEMAND,    /**< when the first byte wants to leave */
    LP_CIRCUIT_POLICY_PROVISION, /**< when the last byte of the phase before has left */
    LP_CIRCUIT_POLICY_PHASE,     /**< ahead, from the known program */
    LP_CIRCUIT_POLICY_ROTOR,     /**< never: they turn through a fixed cycle of matchings */
    LP_N_CIRCUIT_POLICIES
} LpCircuitPolicyKind;

/** Which ports a switch joins. */
typedef enum {
    LP_CIRCUIT_SCOPE_ALL,   /**< all of a rail, or of the machine where rails meet */
    LP_CIRCUIT_SCOPE_PLANE, /**< a switch for each port of an accelerator: circuits join ports of
                                 the same number */
    LP_N_CIRCUIT_SCOPES
} LpCircuitScope;

/** What happens to a message in flight whose port another circuit is wanted for. */
typedef enum {
    LP_CIRCUIT_YIELD_DRAIN,  /**< it is sent to its end first */
    LP_CIRCUIT_YIELD_PREEMPT /**< it gives way after the part under way, and waits for its turn */
} LpCircuitYield;

/** Names as in platform files, NULL-ended, by the enums above. */
extern const char *const lp_circuit_policy_names[];
extern const char *const lp_circuit_scope_names[];
extern const char *const lp_circuit_yield_names[];

#define LP_CIRCUIT_LANES_MAX 64u       /* of an attachment: ports times wavelengths */
#define LP_CIRCUIT_DEAD_TIME_MAX_S 1e9 /* of each part */
/** Circuits that would take this long to change never do: a policy then has its first circuits
 * only, as LP_CIRCUIT_POLICY_STATIC has. About twelve days. */
#define LP_CIRCUIT_NEVER_S 1e6

/** The circuit switches of a machine. A lane is a wavelength of a port: it is in one circuit at a
 * time. The lanes of an attachment share its rate, and each can carry all of it unless
 * wavelength_bytes_per_s says less. */
typedef struct {
    gboolean is_present; /**< FALSE: the network switches packets */
    LpCircuitPolicyKind policy;
    LpCircuitScope scope;
    LpCircuitYield yield;
    guint32 n_ports;       /**< of each attachment (accelerator, or card that several share) */
    guint32 n_wavelengths; /**< of a port; each is in a circuit of its own */
    double wavelength_bytes_per_s;            /**< each way; 0: as fast as the attachment */
    guint32 switch_ports;                     /**< of a switch; 0: as many as are needed */
    double control_s;                         /**< from the request until the switch acts */
    double reconfiguration_s;                 /**< until the new circuit has settled */
    double relock_s;                          /**< until the link is up again */
    double hold_s;                            /**< a circuit stands at least so long */
    double insertion_loss_db, link_budget_db; /**< 0: not said */
    double slot_s;      /**< of a rotor: from one matching to the next, dead time and all */
    guint32 rotor_hops; /**< circuits of a rotor that a byte may take: 1, or 2 with a relay */
} LpCircuitSwitch;

/** Lanes of an attachment. */
guint32 lp_circuit_switch_n_lanes(const LpCircuitSwitch *self);
/** From the request for a circuit until it carries bytes, s. */
double lp_circuit_switch_dead_time_s(const LpCircuitSwitch *self);
/** Whether its circuits turn by themselves. */
gboolean lp_circuit_switch_is_rotor(const LpCircuitSwitch *self);
/** Whether circuits are set up on request while a job runs. */
gboolean lp_circuit_switch_is_switched(const LpCircuitSwitch *self);
/** Whether its circuits stay as they are for the whole job. */
gboolean lp_circuit_switch_is_fixed(const LpCircuitSwitch *self);

/** The properties of a scale-out cluster with circuits, NULL-ended; they are there together with
 * the first, the policy. */
#define LP_CIRCUIT_PROPERTY_NAMES                                                                  \
    "policy", "circuit-ports", "circuit-scope", "circuit-yield", "wavelengths",                    \
        "wavelength-bandwidth", "ocs-ports", "control-time", "reconfiguration-time",               \
        "relock-time", "hold-time", "insertion-loss", "link-budget", "slot-time", "rotor-hops"
#define LP_N_CIRCUIT_PROPERTIES 15
extern const char *const lp_circuit_property_names[];

/** Reads the property at @index in lp_circuit_property_names. Errors: LP_INPUT_ERROR, "got,
 * wanted". */
gboolean lp_circuit_switch_set(LpCircuitSwitch *self, guint index, const char *text,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether a machine can be built so: the switch has the ports that @n_attachments that it joins
 * need, light survives it, and wavelengths carry no more than the attachment's
 * @attachment_bytes_per_s. Errors: LP_INPUT_ERROR_VALUE, the reason; it begins with the property's
 * name. */
gboolean lp_circuit_switch_check(const LpCircuitSwitch *self, guint64 n_attachments,
                                 double attachment_bytes_per_s,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
