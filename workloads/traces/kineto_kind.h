/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of what runs on a device, by what libraries call their kernels. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What bounds a kernel, as far as its name tells. */
typedef enum {
    LP_KINETO_PRODUCTS,
    LP_KINETO_ATTENTION,
    LP_KINETO_OTHERS, /**< element by element: memory bounds them */
    LP_KINETO_COPIES, /**< copies and fills */
    LP_KINETO_COMMUNICATION,
    LP_N_KINETO_KINDS
} LpKinetoKind;

/** "products" "attention" ..., NULL-ended. */
extern const char *const lp_kineto_kind_names[];

/** The kind of a kernel called @name, by the words that libraries use in names. */
LpKinetoKind lp_kineto_kind_of(const char *name);
/** Whether @name is that of a kernel that exchanges tokens among experts. */
gboolean lp_kineto_kind_is_expert(const char *name);

/** The factors on times of kernels on another accelerator, by kind. */
typedef struct {
    double factor[LP_N_KINETO_KINDS];
} LpKinetoScale;

G_END_DECLS
