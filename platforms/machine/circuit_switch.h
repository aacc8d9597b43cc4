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
    LP_CIRCUIT_POLICY_HYBRID,    /**< as another policy says, beside an electrical network; of a
                                    machine that policy is named instead */
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

/** Since when the demand of experts is known that their circuits are set up for. */
typedef enum {
    LP_CIRCUIT_FORECAST_GATE, /**< once the gate has spoken: when tokens of a layer first go to
                                   experts */
    LP_CIRCUIT_FORECAST_AHEAD /**< before: when the all-to-all before has ended */
} LpCircuitForecast;

/** When circuits of experts change for other tokens. */
typedef enum {
    LP_CIRCUIT_CHANGES_ALWAYS, /**< whenever these want others */
    LP_CIRCUIT_CHANGES_GAIN /**< where there and back are sooner over with the change than without
                             */
} LpCircuitChanges;

/** Names as in platform files, NULL-ended, by the enums above. */
extern const char *const lp_circuit_policy_names[];
extern const char *const lp_circuit_scope_names[];
extern const char *const lp_circuit_yield_names[];
extern const char *const lp_circuit_forecast_names[];
extern const char *const lp_circuit_changes_names[];

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
    double slot_s; /**< of a rotor: from one matching to the next, dead time and all */
    /* The following members are of a hybrid. */
    LpCircuitPolicyKind hybrid_policy;
    double electrical_bytes_per_s; /**< of an attachment, each way; 0: no electrical network */
    guint traffic;                 /**< classes that circuits carry, as bits by LpTraffic */
    double message_min_bytes;      /**< what is smaller goes by the electrical network */
    LpCircuitForecast forecast;
    double forecast_error; /**< spread of forecast over actual demand, as exp(x N(0, 1)) */
    LpCircuitChanges changes;
    guint32 region_domains; /**< that a switch joins; 0: all */
    guint32 rotor_hops;     /**< circuits of a rotor that a byte may take: 1, or 2 with a relay */
} LpCircuitSwitch;

/** Lanes of an attachment. */
guint32 lp_circuit_switch_n_lanes(const LpCircuitSwitch *self);
/** The dead time: the seconds from the request for a circuit until it carries bytes. */
double lp_circuit_switch_dead_time_s(const LpCircuitSwitch *self);
/** What properties are where none is given, and a hybrid's policy in place of its name. After all
 * have been read. */
void lp_circuit_switch_settle(LpCircuitSwitch *self);
/** Whether an electrical network stands beside the circuits. */
gboolean lp_circuit_switch_is_hybrid(const LpCircuitSwitch *self);
/** Whether circuits carry @traffic (LpTraffic). */
gboolean lp_circuit_switch_carries(const LpCircuitSwitch *self, guint traffic);
/** Whether its circuits turn by themselves. */
gboolean lp_circuit_switch_is_rotor(const LpCircuitSwitch *self);
/** Whether circuits are set up on request while a job runs. */
gboolean lp_circuit_switch_is_switched(const LpCircuitSwitch *self);
/** Whether its circuits stay as they are for the whole job. */
gboolean lp_circuit_switch_is_fixed(const LpCircuitSwitch *self);

/** The properties of a scale-out cluster with circuits, NULL-ended; they are there together with
 * the first, the policy. */
#define LP_N_CIRCUIT_PROPERTIES 23
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
