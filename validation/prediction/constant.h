/* SPDX-License-Identifier: Apache-2.0 */
/* The constants that no datasheet says, and that are fitted: which there are, within which bounds,
 * and where they stand in an accelerator, a plan or a communication library. */
#pragma once

#include "model/accelerator.h"
#include "model/library.h"
#include "model/plan.h"

G_BEGIN_DECLS

/** What a constant belongs to, and where it takes effect. */
typedef enum {
    LP_CONSTANT_OF_ACCELERATOR,
    LP_CONSTANT_OF_PLAN, /**< named after an accelerator; of the plans that run on it */
    LP_CONSTANT_OF_LIBRARY,
    LP_CONSTANT_OF_PROTOCOL,
} LpConstantPlace;

typedef enum {
    LP_CONSTANT_NUMBER,
    LP_CONSTANT_TIME, /**< s */
    LP_CONSTANT_SIZE, /**< bytes */
} LpConstantUnit;

/** One row of the table of constants. */
typedef struct {
    const char *name;
    LpConstantPlace place;
    LpConstantUnit unit;
    double minimum, maximum; /**< what is physically possible */
    const char *reason;      /**< of the bounds */
    gsize offset;            /**< of the double in the struct that it stands in */
    gboolean is_share;       /**< kept there as its inverse */
} LpConstantKind;

#define LP_N_CONSTANT_KINDS 15
extern const LpConstantKind lp_constant_kinds[LP_N_CONSTANT_KINDS];

/** A constant that is not fitted. */
#define LP_CONSTANT_HELD G_MAXUINT

typedef struct {
    char owner[LP_ACCELERATOR_NAME_MAX]; /**< accelerator or library */
    char protocol[LP_LIBRARY_NAME_MAX];  /**< "" if it is no protocol's */
    guint kind;                          /**< index in lp_constant_kinds */
    guint variable; /**< constants with the same one have one value; LP_CONSTANT_HELD */
    double value;   /**< base unit */
} LpConstant;

/** Constants that hold in place of the shipped ones; of two for the same place the latter. */
typedef struct {
    GArray *items; /* owned: LpConstant */
    guint n_variables;
} LpConstants;

LpConstants *lp_constants_new(void);
LpConstants *lp_constants_copy(const LpConstants *self);
void lp_constants_free(LpConstants *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpConstants, lp_constants_free)

guint lp_constants_n(const LpConstants *self);
/** Borrowed from @self. */
LpConstant *lp_constants_at(const LpConstants *self, guint index);

/**
 * Adds what @text names, "OWNER[+OWNER...]:NAME[,NAME...]", each NAME as a new variable that all
 * of its owners share: OWNER is an accelerator, a library, or LIBRARY/PROTOCOL. The values are the
 * shipped ones, or those that constants of @self give the place already.
 * Errors: LP_INPUT_ERROR_SYNTAX, LP_INPUT_ERROR_NAME with the nearest name, LP_INPUT_ERROR_VALUE
 * (named twice); without "where".
 */
gboolean lp_constants_add(LpConstants *self, const char *text,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Adds a single constant that is held at @value (base unit): as a file gives it. Errors as above,
 * and a value out of bounds. */
gboolean lp_constants_hold(LpConstants *self, const char *owner, const char *name,
                           const char *value, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Whether the constant has to do with runs on @accelerator with @library (names). */
gboolean lp_constant_applies(const LpConstant *self, const char *accelerator, const char *library);

/** Puts the constants of this accelerator in. @self may be NULL: none, here and below. */
void lp_constants_to_accelerator(const LpConstants *self, LpAccelerator *accelerator);
/** Puts in what holds of plans on @accelerator. */
void lp_constants_to_plan(const LpConstants *self, const char *accelerator, LpPlan *plan);
/** Puts the constants of this library and its protocols in. */
void lp_constants_to_library(const LpConstants *self, LpLibrary *library);

/** "a100-80", "nccl-efa/efa". Returns: (transfer full). */
char *lp_constant_owner(const LpConstant *self);
/** "0.82", "4us": as files have it, four significant digits. Returns: (transfer full). */
char *lp_constant_value_text(guint kind, double value);
/** @value as lp_constant_value_text() shows it. */
double lp_constant_round(guint kind, double value);
/** "OWNER:NAME=VALUE" a line, all digits. Returns: (transfer full). */
char *lp_constants_to_text(const LpConstants *self);

G_END_DECLS
