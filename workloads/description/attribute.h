/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of a workload: one table serves the file, "--set", and the echo in reports. */
#pragma once

#include "workloads/description/workload_data.h"

G_BEGIN_DECLS

/** One attribute: its name, its range, and where its value stands in a workload. */
typedef struct LpAttribute LpAttribute;

/** A value and what it means. */
typedef struct {
    const char *name, *meaning;
} LpAttributeValue;

/** What people read of an attribute. All static. */
typedef struct {
    const char *values, *range;      /**< texts; range: "" where there is none */
    const char *fallback;            /**< the default */
    const char *meaning;             /**< a sentence */
    const char *since;               /**< the version that it came with */
    const char *const *words;        /**< values to offer while it is typed, NULL-ended */
    const LpAttributeValue *choices; /**< of values that need one; the last has no name */
} LpAttributeHelp;

/** The attribute called @name. Static. Error: LP_INPUT_ERROR_NAME; behind its last comma stands the
 * one that is like it, or how to list all. */
const LpAttribute *lp_attribute_find(const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The attribute at @index, or NULL past the last. Static. */
const LpAttribute *lp_attribute_at(guint index);
/** The name of the attribute in files and behind "--set". Static. */
const char *lp_attribute_name(const LpAttribute *self);
/** The element of the file that carries it: "transformer", "plan" or "options"; of traits and
 * overlays the attribute that does: "with". Static. */
const char *lp_attribute_element(const LpAttribute *self);

/** Whether the attribute is a trait, a property of some software that frameworks set, or "with". */
gboolean lp_attribute_is_trait(const LpAttribute *self);

/** Whether files have the attribute in @element: a trait may stand in "plan" and in "options". */
gboolean lp_attribute_stands_in(const LpAttribute *self, const char *element);

/** The texts that it takes, if these can be listed; NULL: they cannot. Static, NULL-ended. */
const char *const *lp_attribute_choices(const LpAttribute *self);

/** What the table says of it. Static. */
const LpAttributeHelp *lp_attribute_help(const LpAttribute *self);

/** Gives the attributes of @workload, all zero, their defaults. Some defaults follow from other
 * attributes, once these are known. */
void lp_attribute_set_defaults(LpWorkload *workload);
/** The settings, "zero=3 reshard=no", of which @text is another program's word for a value of this
 * attribute (PyTorch's SHARD_GRAD_OP); NULL: it is none. Static. */
const char *lp_attribute_word(const LpAttribute *self, const char *text);
/** Parses @text, with its unit where there is one, into @workload, and notes who gave it; another
 * program's word sets all that it says, lp_attribute_word(). Error:
 * LP_INPUT_ERROR_VALUE, "got, wanted"; the caller says where. */
gboolean lp_attribute_set(const LpAttribute *self, LpWorkload *workload, const char *text,
                          LpOrigin origin, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Who gave the value that it has in @workload. */
LpOrigin lp_attribute_origin(const LpAttribute *self, const LpWorkload *workload);
/** The value as lp_attribute_set() would read it. Returns: (transfer full). */
char *lp_attribute_get(const LpAttribute *self, const LpWorkload *workload);

G_END_DECLS
