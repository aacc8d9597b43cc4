/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers and quantities with units from text, and prints them for people. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What a quantity measures. Memory holds the base unit named here. */
typedef enum {
    LP_QUANTITY_TIME,           /**< seconds: ps ns us ms s m h, or min for m */
    LP_QUANTITY_SIZE,           /**< bytes: B kB MB GB TB PB, KiB MiB GiB TiB */
    LP_QUANTITY_BANDWIDTH,      /**< bytes per second: bps..Ebps (bits), Bps..EBps, KiBps..TiBps; or
                                   b/s, bit/s and B/s for bps and Bps */
    LP_QUANTITY_SPEED,          /**< FLOP per second: f kf Mf Gf Tf Pf Ef */
    LP_QUANTITY_POWER,          /**< watts: mW W kW MW */
    LP_QUANTITY_ENERGY_PER_BIT, /**< joules per bit: fJ/bit pJ/bit nJ/bit J/bit */
    LP_QUANTITY_ENERGY,         /**< joules: J kJ MJ GJ */
    LP_QUANTITY_PRICE,          /**< US dollars: USD kUSD MUSD */
} LpQuantity;

/**
 * Parses "25GBps", "200 Gb/s", "1us", "5min": the whole text, a finite non-negative number and a
 * unit. A zero needs its unit too. @out_value: the value in the base unit of @quantity. Errors:
 * LP_INPUT_ERROR_SYNTAX or LP_INPUT_ERROR_VALUE; the message is "got, wanted" without "where",
 * which the caller puts before it.
 */
gboolean lp_quantity_parse(LpQuantity quantity, const char *text, double *out_value,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Parses as lp_quantity_parse() does, and the value is in [@minimum, @maximum], in the base unit.
 * Errors: LP_INPUT_ERROR_SYNTAX, _VALUE, "got, wanted". */
gboolean lp_quantity_parse_in(LpQuantity quantity, const char *text, double minimum, double maximum,
                              double *out_value, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** "25 GB/s", "1.234 ms": at most four significant digits. Returns: (transfer full). */
char *lp_quantity_format(LpQuantity quantity, double value);

/** A text that SimGrid and lp_quantity_parse() both read back to the same double, with the largest
 * decimal unit below the value and no more digits than needed: "25GBps", "1us".
 * Returns: (transfer full). */
char *lp_quantity_to_text(LpQuantity quantity, double value);

/** Parses a whole number in [@minimum, @maximum]; no sign, no blanks, no unit.
 * Errors: LP_INPUT_ERROR_SYNTAX, _VALUE, "got, wanted". */
gboolean lp_count_parse(const char *text, guint64 minimum, guint64 maximum, guint64 *out_value,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Parses a finite number in [@minimum, @maximum], independent of the locale.
 * Errors: LP_INPUT_ERROR_SYNTAX, _VALUE, "got, wanted". */
gboolean lp_number_parse(const char *text, double minimum, double maximum, double *out_value,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** Parses "yes" or "no". Error: LP_INPUT_ERROR_SYNTAX, "got, wanted". */
gboolean lp_boolean_parse(const char *text, gboolean *out_value,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** The index of @text in the NULL-ended @names, or -1 with LP_INPUT_ERROR_NAME that lists them and
 * names the one that is like it, if one is. */
int lp_choice_parse(const char *text, const char *const *names, GError **error);

/** The name of the NULL-ended @names that was likely meant by @text, whatever the case: the
 * shortest that begins with it, the one whose letters differ in few, or one that has it as a part
 * or is a part of it; parts are of three letters or more. NULL: none is like it. Borrowed. */
const char *lp_like_name(const char *text, const char *const *names);

G_END_DECLS
