/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of the values of results, by their keys in JSON: the table of report/fields.xml, and
 * tables of text that show results by it. */
#pragma once

#include "base/json.h"
#include "base/text_table.h"

G_BEGIN_DECLS

/** The unit of a number. */
typedef enum {
    LP_UNIT_NONE, /**< a count, or a ratio that is no share */
    LP_UNIT_FRACTION,
    LP_UNIT_TFLOPS,     /**< 1e12 FLOP/s; the label says so, as of the next */
    LP_UNIT_RATE,       /**< tokens/s */
    LP_UNIT_OPERATIONS, /**< FLOP */
    LP_UNIT_TIME,       /**< from here on quantities in their base unit */
    LP_UNIT_SIZE,
    LP_UNIT_BANDWIDTH,
    LP_UNIT_SPEED,
    LP_UNIT_POWER,
    LP_UNIT_ENERGY,
    LP_UNIT_PRICE
} LpUnit;

/** A key of a result. */
typedef struct {
    const char *name;    /**< the key in JSON */
    const char *label;   /**< what text and pages call it; NULL: they do not show it by itself */
    const char *meaning; /**< of the schema */
    LpUnit unit;
    enum {
        LP_FIELD_ONE,
        LP_FIELD_LIST,
        LP_FIELD_MAP
    } of;                 /**< one value, or several of the kind */
    gboolean is_text;     /**< a text or yes and no */
    gboolean is_of_pages; /**< tables of text leave it to a sentence */
    int sign;             /**< of a part of a sum: with it, it adds up; else 0 */
    const char *shown;    /**< the unit of columns of text, "" without one; NULL: as @unit has it */
    double per_unit;      /**< with @shown: how many of them the unit of JSON is */
    int digits;           /**< with @shown: behind the point */
    gboolean is_signed;   /**< with @shown: a plus sign stands before values above 0 */
    guint members;        /**< private: number of the list of its fields */
} LpResultField;

/** The field at the JSON pointer @pointer (RFC 6901) of an output, such as "simulate", or of a type
 * of report/fields.xml, such as "iteration"; "" is all of it. Returns: static, or NULL: the table
 * does not have it. */
const LpResultField *lp_result_field_find(const char *of, const char *pointer);
/** The label of the field at @pointer, which has one. */
const char *lp_result_field_label(const char *of, const char *pointer);
/** The label of a field with the label of its object before it, if that has one: "closed form:
 * iteration time". Returns: (transfer full). */
char *lp_result_field_path_label(const char *of, const char *pointer);
/** The names of the fields of the type @of with commas in between, the first row of a table of CSV.
 * Returns: (transfer full). */
char *lp_result_field_columns(const char *of);
/** The label of a field and the symbol of its unit, as lp_text_table_new() takes the heading of a
 * column. Returns: (transfer full). */
char *lp_result_field_heading(const char *of, const char *pointer);
/** A table whose columns have the headings of @pointers, and then those of @more, which may be
 * NULL; both are NULL-ended. Returns: (transfer full). */
LpTextTable *lp_result_field_new_table(const char *of, const char *const *pointers,
                                       const char *const *more);
/** The fields of its value, or of each of its values; *@out_n of them. Returns: static. */
const LpResultField *lp_result_field_members(const LpResultField *self, guint *out_n);

/** The symbol of @unit; "" where there is none, or the label or each value has it. */
const char *lp_unit_symbol(LpUnit unit);
/** @value in the digits in which columns of text show the unit, which their heading names. Returns:
 * (transfer full). */
char *lp_unit_digits(LpUnit unit, double value);
/** @value with its unit, per cent of a fraction. Returns: (transfer full). */
char *lp_unit_text(LpUnit unit, double value);

/** Adds a row of its label and values for each field below @self that has a label, those of parts
 * in their place. @objects: @n results, a column each, NULL where there is none; what none has, and
 * terms that are 0 in all, are no rows. @with_units: each value has its unit. */
void lp_result_field_add_rows(LpTextTable *table, const LpResultField *self,
                              const json_t *const *objects, guint n, gboolean with_units);
/** Adds a row of what stands at @pointer of each of @results; none where none has it. @is_alone:
 * its label is that of lp_result_field_path_label(), and has the unit. */
void lp_result_field_add_row(LpTextTable *table, const char *of, const char *pointer,
                             gboolean is_alone, const json_t *const *results, guint n);
/** A table of the list at @pointer of @result, which is an output or type @of: a column for each of
 * @keys, pointers below an element, NULL-ended. Where two keys have the same label, the label of
 * the object that has them stands before it. Returns: (transfer full). */
LpTextTable *lp_result_field_table(const char *of, const char *pointer, const char *const *keys,
                                   const json_t *result);
/** Fills the next cells of the last row with @keys, pointers below @value, which is what stands at
 * @pointer of the output or type @of. */
void lp_result_field_add_cells(LpTextTable *table, const char *of, const char *pointer,
                               const char *const *keys, const json_t *value);

G_END_DECLS
