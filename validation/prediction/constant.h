/* SPDX-License-Identifier: Apache-2.0 */
/* The constants that stand in no datasheet and are fitted: their names and bounds, and their places
 * in an accelerator, a plan or a communication library. */
#pragma once

#include "model/times/accelerator.h"
#include "model/network/library.h"
#include "model/plan/plan.h"

G_BEGIN_DECLS

/** What a constant belongs to, and where it takes effect. */
typedef enum {
    LP_CONSTANT_OF_ACCELERATOR,
    LP_CONSTANT_OF_PLAN, /**< of all plans that run on the accelerator that is its owner */
    LP_CONSTANT_OF_LIBRARY,
    LP_CONSTANT_OF_PROTOCOL,
} LpConstantPlace;

/** The base unit of a constant. */
typedef enum {
    LP_CONSTANT_NUMBER,
    LP_CONSTANT_TIME, /**< s */
    LP_CONSTANT_SIZE, /**< bytes */
} LpConstantUnit;

/** What can be fitted: a row of the table of constants. */
typedef struct {
    const char *name;
    LpConstantPlace place;
    LpConstantUnit unit;
    double minimum, maximum; /**< what is physically possible */
    const char *reason;      /**< for the bounds */
    gsize offset;            /**< of the double in the struct that it stands in */
    gboolean is_share;       /**< the struct holds its inverse */
} LpConstantKind;

#define LP_N_CONSTANT_KINDS 16
/** All that can be fitted, in the order in which they are documented. */
extern const LpConstantKind lp_constant_kinds[LP_N_CONSTANT_KINDS];

/** A constant that is not fitted. */
#define LP_CONSTANT_FIXED G_MAXUINT

/** A constant with a value. */
typedef struct {
    char owner[LP_ACCELERATOR_NAME_MAX]; /**< accelerator or library */
    char protocol[LP_LIBRARY_NAME_MAX];  /**< "" if it is no protocol's */
    guint kind;                          /**< index in lp_constant_kinds */
    guint variable; /**< constants of one variable are fitted to one value; LP_CONSTANT_FIXED */
    double value;   /**< base unit */
} LpConstant;

/** Constants that replace the shipped ones; of two for the same place the latter counts. */
typedef struct {
    GArray *items; /* owned: LpConstant */
    guint n_variables;
} LpConstants;

/** None yet. Returns: (transfer full). */
LpConstants *lp_constants_new(void);
/** Returns: (transfer full). */
LpConstants *lp_constants_copy(const LpConstants *self);
/** @self may be NULL. */
void lp_constants_free(LpConstants *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpConstants, lp_constants_free)

/** How many there are. @self may be NULL: 0. */
guint lp_constants_n(const LpConstants *self);
/** Borrowed from @self. */
LpConstant *lp_constants_at(const LpConstants *self, guint index);

/**
 * Adds what @text names, "OWNER[+OWNER...]:NAME[,NAME...]", each NAME as a new variable that all
 * of its owners share: OWNER is an accelerator, a library, or LIBRARY/PROTOCOL. The values are the
 * shipped ones, or those that constants of @self give the place already.
 * Errors: LP_INPUT_ERROR_SYNTAX, LP_INPUT_ERROR_NAME with the known names, LP_INPUT_ERROR_VALUE
 * (named twice); without "where".
 */
gboolean lp_constants_add(LpConstants *self, const char *text,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Adds a single constant that is held at @value, a text with a unit as calibration files have it.
 * Errors: as lp_constants_add(), and LP_INPUT_ERROR of a value out of bounds. */
gboolean lp_constants_fix(LpConstants *self, const char *owner, const char *name, const char *value,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether the constant belongs to @accelerator or @library (names). */
gboolean lp_constant_applies(const LpConstant *self, const char *accelerator, const char *library);

/** Replaces the constants of that accelerator. @self may be NULL, for none, here and below. */
void lp_constants_to_accelerator(const LpConstants *self, LpAccelerator *accelerator);
/** Replaces the constants of plans on @accelerator. */
void lp_constants_to_plan(const LpConstants *self, const char *accelerator, LpPlan *plan);
/** Replaces the constants of that library and its protocols. */
void lp_constants_to_library(const LpConstants *self, LpLibrary *library);

/** The owner's name in messages and files: "a100-80", "nccl-efa/efa". Returns: (transfer full). */
char *lp_constant_owner(const LpConstant *self);
/** @value (base unit) as files have it, four significant digits: "0.82", "4us".
 * Returns: (transfer full). */
char *lp_constant_value_text(guint kind, double value);
/** @value rounded to what lp_constant_value_text() shows, within the bounds; base unit. */
double lp_constant_round(guint kind, double value);
/** All of them, "OWNER:NAME=VALUE" a line, with all digits. Returns: (transfer full). */
char *lp_constants_to_text(const LpConstants *self);

G_END_DECLS
