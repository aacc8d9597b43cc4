/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of technologies (platforms/technologies.xml): links and switches, each number with
 * its source and scope. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The kinds of technologies. */
typedef enum {
    LP_TECHNOLOGY_KIND_LINK,
    LP_TECHNOLOGY_KIND_SWITCH,
    LP_N_TECHNOLOGY_KINDS
} LpTechnologyKind;

/** What a number counts: an energy of one scope cannot be compared with one of another. */
typedef enum {
    LP_TECHNOLOGY_SCOPE_PHY,              /**< circuits that drive the line */
    LP_TECHNOLOGY_SCOPE_MODULE,           /**< a pluggable module */
    LP_TECHNOLOGY_SCOPE_WITH_HOST_SERDES, /**< a module and the electrical lanes to it */
    LP_TECHNOLOGY_SCOPE_SWITCH_SIDE,      /**< what is at the switch's end of a link */
    LP_TECHNOLOGY_SCOPE_WHOLE_LINK,       /**< both ends */
    LP_TECHNOLOGY_SCOPE_WALL_PLUG,        /**< both ends, with what power supplies lose */
    LP_TECHNOLOGY_SCOPE_CHIP,             /**< a switch chip without optics */
    LP_TECHNOLOGY_SCOPE_PORT,             /**< a port of a switch */
    LP_TECHNOLOGY_SCOPE_DEVICE            /**< a whole switch, card or chiplet */
} LpTechnologyScope;

/** What may be known of a technology. Those up to the card's price are of links, the others, and
 * the rate, of switches. */
typedef enum {
    LP_TECHNOLOGY_RATE,               /**< of a port each way, bytes/s */
    LP_TECHNOLOGY_WAVELENGTHS,        /**< of a port */
    LP_TECHNOLOGY_WAVELENGTH_RATE,    /**< of one, each way, bytes/s */
    LP_TECHNOLOGY_LATENCY_PER_METRE,  /**< s */
    LP_TECHNOLOGY_CONVERSION_LATENCY, /**< between electrical and optical, both ends, s */
    LP_TECHNOLOGY_ENERGY_PER_BIT,     /**< of a bit that crosses a link, J */
    LP_TECHNOLOGY_STATIC_POWER,       /**< of a link's end, beyond the energy of bits, W */
    LP_TECHNOLOGY_TRANSCEIVER_POWER,  /**< of one at full rate, energy of bits included, W */
    LP_TECHNOLOGY_TRANSCEIVER_PRICE,  /**< US dollars */
    LP_TECHNOLOGY_CARD_PRICE,         /**< of a network card with one port, US dollars */
    LP_TECHNOLOGY_PORTS,              /**< of a switch */
    LP_TECHNOLOGY_SETTLING_TIME,      /**< in which a new circuit settles, s */
    LP_TECHNOLOGY_SWITCHING_TIME,     /**< from the command until it has settled, s */
    LP_TECHNOLOGY_RELOCK_TIME,        /**< until the card has its link again, s */
    LP_TECHNOLOGY_INSERTION_LOSS,     /**< dB */
    LP_TECHNOLOGY_LINK_BUDGET,        /**< loss that a link bears, dB */
    LP_TECHNOLOGY_POWER,              /**< of a whole switch, W */
    LP_TECHNOLOGY_PRICE,              /**< of a whole switch, US dollars */
    LP_TECHNOLOGY_PORT_POWER,         /**< W; or that of the switch over its ports */
    LP_TECHNOLOGY_PORT_PRICE,         /**< US dollars; or that of the switch over its ports */
    LP_N_TECHNOLOGY_PARAMETERS
} LpTechnologyParameter;

/** A number and where it comes from; all zero where it is not known. */
typedef struct {
    gboolean is_known;
    double value;   /**< in SI units, US dollars or dB */
    double maximum; /**< the other end of a published range; the value where there is none */
    LpTechnologyScope scope;
    char *text;         /* owned: as the catalogue writes the value */
    char *maximum_text; /* owned: the other end likewise; NULL where there is no range */
    char *source;       /* owned: a line for people */
} LpTechnologyNumber;

/** A technology of links or of switches. */
typedef struct {
    LpTechnologyKind kind;
    char *name;        /* owned */
    char *description; /* owned: a line */
    gboolean is_optical;
    LpTechnologyNumber number[LP_N_TECHNOLOGY_PARAMETERS];
} LpTechnologyEntry;

/** The names of kinds, scopes and parameters in files; each NULL-ended. */
extern const char *const lp_technology_kind_names[];
extern const char *const lp_technology_scope_names[];
extern const char *const lp_technology_parameter_names[];

/** @self: NULL is passed over. */
void lp_technology_entry_free(LpTechnologyEntry *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpTechnologyEntry, lp_technology_entry_free)

/** All shipped technologies of @kind, in the catalogue's order: LpTechnologyEntry. Errors:
 * LP_INPUT_ERROR, where the shipped file cannot be read. Returns: (transfer full). */
GPtrArray *lp_technologies_load(LpTechnologyKind kind, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Reads the text of another such file; @path: what messages call it. Errors: LP_INPUT_ERROR,
 * "FILE:LINE: got, wanted". Returns: (transfer full), the technologies of @kind. */
GPtrArray *lp_technologies_parse(const char *path, GBytes *content, LpTechnologyKind kind,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The shipped technology called @name. Errors: LP_INPUT_ERROR_NAME with the known names.
 * Returns: (transfer full). */
LpTechnologyEntry *lp_technologies_find(LpTechnologyKind kind, const char *name,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What a switch says of a port: @of_port (LP_TECHNOLOGY_PORT_POWER or _PORT_PRICE), or that of the
 * whole switch over its ports. @out_value: W or US dollars. @out_source: (transfer none), borrowed
 * from @self. Returns: FALSE where neither is known. */
gboolean lp_technology_entry_port(const LpTechnologyEntry *self, LpTechnologyParameter of_port,
                                  double *out_value, const char **out_source);

G_END_DECLS
