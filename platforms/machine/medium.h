/* SPDX-License-Identifier: Apache-2.0 */
/* What a cluster's links and switches are made of: their technologies' names, power and price. */
#pragma once

#include "model/network/network_cost.h"

G_BEGIN_DECLS

/** Numbers of a medium that may be known. */
typedef enum {
    LP_MEDIUM_LINK_RATE,         /**< of a transceiver or port, each way, bytes/s */
    LP_MEDIUM_STATIC_POWER,      /**< of a link's end, beyond the energy of bits, W */
    LP_MEDIUM_TRANSCEIVER_POWER, /**< at full rate, energy of bits included, W */
    LP_MEDIUM_TRANSCEIVER_PRICE, /**< US dollars */
    LP_MEDIUM_CARD_PRICE,        /**< of a network card with one port, US dollars */
    LP_MEDIUM_SWITCH_PORT_POWER, /**< W */
    LP_MEDIUM_SWITCH_PORT_PRICE, /**< US dollars */
    LP_MEDIUM_SWITCH_PORT_RATE,  /**< each way, bytes/s; of a switch of packets */
    LP_N_MEDIUM_NUMBERS
} LpMediumNumber;

#define LP_MEDIUM_NAME_MAX 31 /* bytes of a technology's name */

/** What is known of the links and switches of a cluster. */
typedef struct {
    char link_technology[LP_MEDIUM_NAME_MAX + 1];   /**< empty if not given */
    char switch_technology[LP_MEDIUM_NAME_MAX + 1]; /**< empty if not given */
    LpTransceivers transceivers;
    guint known; /**< bit of each LpMediumNumber */
    double number[LP_N_MEDIUM_NUMBERS];
} LpMedium;

/** The properties of a cluster, NULL-ended: first the two names and the ends with transceivers,
 * then the numbers in the order of LpMediumNumber. */
#define LP_MEDIUM_FIRST_NUMBER 3
#define LP_N_MEDIUM_PROPERTIES (LP_MEDIUM_FIRST_NUMBER + LP_N_MEDIUM_NUMBERS)
extern const char *const lp_medium_property_names[];
extern const char *const lp_transceivers_names[]; /* by LpTransceivers: "both" "host" */

/** Reads the property at @index in lp_medium_property_names. Errors: LP_INPUT_ERROR, "got,
 * wanted". */
gboolean lp_medium_set(LpMedium *self, guint index, const char *text,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether @number is known. */
gboolean lp_medium_knows(const LpMedium *self, LpMediumNumber number);

G_END_DECLS
