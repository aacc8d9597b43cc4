/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as lists of kernels, from XML: blocks, passes, and the kernels of each as expressions over
 * named sizes (docs/ways/own-kernels.md). A list may start from another and change it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Sizes, with those that lists add, at most. */
#define LP_KERNEL_SIZES_MAX 256

/** A size that expressions may name; of a choice, the words that it is compared with. */
typedef struct {
    const char *name;
    const char *const *words; /**< NULL-ended, or NULL: a number */
} LpKernelSize;

/** What lists are written in: who works sizes out gives their names, in the order of their values.
 * The first are "part", whose words are the parts of blocks, and those of LpKernelField from
 * LP_KERNEL_WIDE on, which hold for all kernels that do not say another; launches for streams and
 * sweeps alone. */
typedef struct {
    const LpKernelSize *sizes;
    guint n_sizes;
    const char *const *blocks, *const *passes; /**< names, NULL-ended */
} LpKernelVocabulary;

/** What a kernel is. */
typedef enum {
    LP_LISTED_PRODUCT, /**< matrix products: count times (m, k)(k, n) */
    LP_LISTED_STREAM,  /**< reads and writes in order */
    LP_LISTED_SWEEP    /**< bound by memory, with sums over rows or random numbers */
} LpListedKind;

/** Figures of a kernel; of what it does not say, 0 up to LP_KERNEL_COLLECTIVE. */
typedef enum {
    LP_KERNEL_M,
    LP_KERNEL_K,
    LP_KERNEL_N,
    LP_KERNEL_COUNT,
    LP_KERNEL_BYTES,
    LP_KERNEL_COLUMN_BYTES,
    LP_KERNEL_HEAD_WIDTH,
    LP_KERNEL_SHARE,
    LP_KERNEL_FUSED,
    LP_KERNEL_COLLECTIVE,
    LP_KERNEL_WAITS,
    LP_KERNEL_WIDE,
    LP_KERNEL_GROUPED,
    LP_KERNEL_APART,
    LP_KERNEL_HOST_OVERHEAD,
    LP_KERNEL_LOOPED,
    LP_KERNEL_LAUNCHES,
    LP_N_KERNEL_FIELDS
} LpKernelField;
/** What lists call them. */
extern const char *const lp_kernel_field_names[];
#define LP_KERNEL_FIRST_INHERITED LP_KERNEL_WIDE
/** The place of an inherited field's size. */
#define LP_KERNEL_PLACE(field) (1 + (field)-LP_KERNEL_FIRST_INHERITED)
#define LP_N_KERNEL_PLACES LP_KERNEL_PLACE(LP_N_KERNEL_FIELDS)

/** A kernel of a list, worked out. */
typedef struct {
    LpListedKind kind;
    const char *name; /* borrowed from the lists */
    const char *file; /* borrowed: where it is named */
    guint line;
    guint part;
    double field[LP_N_KERNEL_FIELDS];
} LpListedKernel;

/** Takes a kernel. */
typedef void (*LpTakeKernel)(gpointer data, const LpListedKernel *kernel);

/** The lists of one software. Constant once read. */
typedef struct LpKernelLists LpKernelLists;

/** Reads @paths, NULL-ended: files, or names of shipped lists ("standard", variants), each over
 * those before it, and those that they start from. Errors: LP_INPUT_ERROR, "FILE:LINE: got,
 * wanted". Returns: (transfer full). */
LpKernelLists *lp_kernel_lists_load(const char *const *paths, const LpKernelVocabulary *vocabulary,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** NULL is allowed. */
void lp_kernel_lists_free(LpKernelLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpKernelLists, lp_kernel_lists_free)

/** Whether they have anything for @block in @pass, whatever the sizes. */
gboolean lp_kernel_lists_has(const LpKernelLists *self, guint block, guint pass);
/** Works out the kernels of @block in @pass, one after the other, and hands them to @take.
 * @values: of LP_KERNEL_SIZES_MAX, the vocabulary's filled in. @out_fault: where an expression
 * divided by zero, "FILE:LINE", or NULL; (transfer full); may be NULL. */
void lp_kernel_lists_run(const LpKernelLists *self, guint block, guint pass, double *values,
                         LpTakeKernel take, gpointer data, char **out_fault);

/** A size that lists derive: the bytes that a layer keeps of a micro-batch for its backward pass.
 */
#define LP_KERNEL_KEPT_BYTES "kept-bytes"
/** The file and @out_line in which they derive a size called @name; NULL: they do not. Borrowed. */
const char *lp_kernel_lists_size_file(const LpKernelLists *self, const char *name, guint *out_line);
/** Works out the size called @name, which they derive. @values: as lp_kernel_lists_run(). */
double lp_kernel_lists_size(const LpKernelLists *self, const char *name, double *values);

G_END_DECLS
