/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a machine's options, which is made of platforms/machine/options.xml: of it are made
 * the options of "platform generate", and systems.xml is read by it. */
#pragma once

#include "platforms/generation/specification.h"

G_BEGIN_DECLS

/** What an option measures, and so how its text is read and what type its value has. */
typedef enum {
    LP_OPTION_KIND_SYSTEM,      /**< the name of a system; read by lp_specification_new() */
    LP_OPTION_KIND_ACCELERATOR, /**< a name of the catalogue: LpAccelerator */
    LP_OPTION_KIND_PROPERTY,    /**< a property of the accelerator: changes LpAccelerator */
    LP_OPTION_KIND_COUNT,       /**< guint32 */
    LP_OPTION_KIND_BANDWIDTH,   /**< bytes per second: double */
    LP_OPTION_KIND_TIME,        /**< seconds: double */
    LP_OPTION_KIND_NUMBER,      /**< without a unit: double */
    LP_OPTION_KIND_CHOICE,      /**< a name of a list: an enum, its place in it */
    LP_OPTION_KIND_BOOLEAN,     /**< yes or no: gboolean */
    LP_OPTION_KIND_RATIO,       /**< "4" or "3:2": LpOversubscription */
    LP_OPTION_KIND_DIMENSIONS,  /**< "16x16x16", or how many: LpTorus */
    LP_OPTION_KIND_LINK,        /**< a medium, or a name of the catalogue: LpLinkSpecification */
    LP_OPTION_KIND_SWITCH,      /**< a name of the catalogue: LpTechnologyEntry *, owned */
    LP_OPTION_KIND_LIBRARY,     /**< a communication library: char *, owned */
    LP_OPTION_KIND_CIRCUIT,     /**< a property of the circuit switch: changes LpCircuitSwitch */
    LP_OPTION_KIND_BLOCKS,      /**< "3,17": those of LpTorusBlocks that failed */
    LP_OPTION_KIND_CLASSES      /**< a plane for each class of traffic: guint32[LP_N_TRAFFIC] */
} LpMachineOptionKind;

/** The places in which an option may stand. */
typedef enum {
    LP_OPTION_ON_COMMAND_LINE = 1 << 0,
    LP_OPTION_IN_SYSTEMS = 1 << 1,   /**< a parameter of systems.xml */
    LP_OPTION_NEEDED = 1 << 2,       /**< no system may leave it out */
    LP_OPTION_IN_SCALE_OUT = 1 << 3, /**< a property of the scale-out cluster, by the same name */
    LP_OPTION_IN_SCALE_UP = 1 << 4   /**< a property of the scale-up cluster, by the same name */
} LpMachineOptionFlags;

/** A row of the table. */
typedef struct {
    const char *name;  /* "domain-size" */
    const char *value; /* what stands for the value in help: "RATE" */
    const char *help;  /* a line */
    LpMachineOptionKind kind;
    guint flags;              /**< of LpMachineOptionFlags */
    gsize offset;             /**< of the value in LpMachineSpecification */
    double minimum, maximum;  /**< of counts and quantities, in SI units */
    const char *const *names; /* borrowed: to choose from, NULL-ended; or NULL */
    guint topologies;         /**< bit of each LpTopology that has a use for it; 0: all have */
} LpMachineOption;

/** The options, by LpMachineOptionId. */
extern const LpMachineOption lp_machine_options[LP_N_MACHINE_OPTIONS];

/** The option called @name that may stand where @flag says, or -1 with LP_INPUT_ERROR_NAME that
 * lists the names. */
int lp_machine_option_find(const char *name, LpMachineOptionFlags flag, GError **error);

/** Reads @text, stores the value in @specification, and writes down its origin. @text: with its
 * unit, "25GBps". @source: a line for people. @is_given: whether the caller named the option.
 * Not of an option of kind LP_OPTION_KIND_SYSTEM. Errors: LP_INPUT_ERROR, LP_MACHINE_ERROR, "got,
 * wanted", without the option's name; @specification then stays as it is. */
gboolean lp_machine_option_set(LpMachineSpecification *specification, LpMachineOptionId option,
                               const char *text, const char *source, gboolean is_given,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
