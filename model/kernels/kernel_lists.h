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

/** The kinds of kernels. */
typedef enum {
    LP_LISTED_PRODUCT,  /**< matrix products: count times (m, k)(k, n) */
    LP_LISTED_STREAM,   /**< reads and writes in order */
    LP_LISTED_SWEEP,    /**< bound by memory, with sums over rows or random numbers */
    LP_LISTED_MEASURED, /**< its time is that of its name and size in the accelerator's table */
    LP_LISTED_HOST      /**< the host is busy for some seconds, and the device has nothing to do */
} LpListedKind;

/** Figures of a kernel; of what it does not say, 0 up to LP_KERNEL_COLLECTIVE. */
typedef enum {
    LP_KERNEL_M,
    LP_KERNEL_K,
    LP_KERNEL_N,
    LP_KERNEL_COUNT,
    LP_KERNEL_BYTES,
    LP_KERNEL_COLUMN_BYTES,
    LP_KERNEL_OPERATIONS,
    LP_KERNEL_HEAD_WIDTH,
    LP_KERNEL_SHARE,
    LP_KERNEL_SIZE,
    LP_KERNEL_SECONDS,
    LP_KERNEL_FUSED,
    LP_KERNEL_COLLECTIVE,
    LP_KERNEL_WAITS,
    LP_KERNEL_WIDE,
    LP_KERNEL_GROUPED,
    LP_KERNEL_SEPARATE,
    LP_KERNEL_HOST_OVERHEAD,
    LP_KERNEL_LOOPED,
    LP_KERNEL_LAUNCHES,
    LP_N_KERNEL_FIELDS
} LpKernelField;
/** The names of fields in lists. */
extern const char *const lp_kernel_field_names[];
#define LP_KERNEL_FIRST_INHERITED LP_KERNEL_WIDE
/** The place of an inherited field's size. */
#define LP_KERNEL_PLACE(field) (1 + (field)-LP_KERNEL_FIRST_INHERITED)
#define LP_N_KERNEL_PLACES LP_KERNEL_PLACE(LP_N_KERNEL_FIELDS)

/** A kernel of a list, worked out. */
typedef struct {
    LpListedKind kind;
    const char *name; /* borrowed from the lists */
    const char *file; /* borrowed: where it stands, or is named by an element of the same file */
    guint line;
    guint part;
    double field[LP_N_KERNEL_FIELDS];
} LpListedKernel;

/** Takes a kernel. */
typedef void (*LpTakeKernel)(gpointer data, const LpListedKernel *kernel);

/** The lists of one software. Constant once read. */
typedef struct LpKernelLists LpKernelLists;

/** Before the name of a shipped mixer's list. */
#define LP_KERNEL_MIXER_PREFIX "mixers/"

/** Reads @paths, NULL-ended: files, or names of shipped lists ("standard", variants), each over
 * those before it, and those that they start from. Errors: LP_INPUT_ERROR, "FILE:LINE: got,
 * wanted". Returns: (transfer full). */
LpKernelLists *lp_kernel_lists_load(const char *const *paths, const LpKernelVocabulary *vocabulary,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** NULL is allowed. */
void lp_kernel_lists_free(LpKernelLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpKernelLists, lp_kernel_lists_free)

/** Whether the lists have anything for @block in @pass, whatever the sizes. */
gboolean lp_kernel_lists_has(const LpKernelLists *self, guint block, guint pass);
/** Works out the kernels of @block in @pass, one after the other, and hands them to @take.
 * @values: of LP_KERNEL_SIZES_MAX, the vocabulary's filled in. @out_fault: where an expression
 * divided by zero, "FILE:LINE", or NULL; (transfer full); may be NULL. */
void lp_kernel_lists_run(const LpKernelLists *self, guint block, guint pass, double *values,
                         LpTakeKernel take, gpointer data, char **out_fault);

/** What takes attention's place in some layers: a mixer of lists has passes as blocks have, and
 * figures. */
typedef enum {
    LP_MIXER_PARAMETERS, /**< of its block, with its norm */
    LP_MIXER_WHOLE,      /**< of them, those that each rank of tp holds whole; left out: 0 */
    LP_MIXER_KEPT, /**< bytes a token and rank kept for the backward pass, but for those of the
                      norm */
    LP_MIXER_SENT, /**< elements a token and rank that context parallelism brings to its core, */
    LP_MIXER_RETURNED, /**< and from there back; left out: 0 */
    LP_N_MIXER_FIGURES
} LpMixerFigure;

/** The exchange by which context parallelism brings together the inputs of a mixer's core. */
typedef enum {
    LP_MIXER_ALONE,      /**< not said: it runs on whole sequences only */
    LP_MIXER_ALL_TO_ALL, /**< tokens are traded for heads, and back */
    LP_MIXER_KEYS,       /**< what stands for keys and values is gathered, LP_MIXER_SENT wide */
    LP_MIXER_ATTENTION   /**< as attention's */
} LpMixerExchangeKind;
extern const char *const lp_mixer_exchange_names[]; /**< NULL-ended */

/** The mixer called @name, for the functions below; -1: lists have none. */
int lp_kernel_lists_mixer(const LpKernelLists *self, const char *name);
/** The number by which lp_kernel_lists_run() takes a mixer in place of a block. */
guint lp_kernel_lists_mixer_block(const LpKernelLists *self, guint mixer);
LpMixerExchangeKind lp_kernel_lists_mixer_exchange(const LpKernelLists *self, guint mixer);
/** Works out a figure. @values: as lp_kernel_lists_run(). */
double lp_kernel_lists_mixer_figure(const LpKernelLists *self, guint mixer, LpMixerFigure figure,
                                    double *values);
/** Whether what a mixer says of divisors holds. Returns: NULL, or (transfer full) "DIVISOR: got N,
 * wanted a divisor of SIZE (M)", or that the size is 0. */
char *lp_kernel_lists_mixer_check(const LpKernelLists *self, guint mixer, double *values);

/** Sizes that lists derive, bytes: what a layer, the embedding and the head keep of a micro-batch
 * for the backward pass; what a weight outside and in layers takes, and the optimizer's states of a
 * parameter. */
#define LP_KERNEL_KEPT_BYTES "kept-bytes"
#define LP_KERNEL_KEPT_EMBEDDING_BYTES "kept-embedding-bytes"
#define LP_KERNEL_KEPT_HEAD_BYTES "kept-head-bytes"
#define LP_KERNEL_END_WEIGHT_BYTES "end-weight-bytes"
#define LP_KERNEL_LAYER_WEIGHT_BYTES "layer-weight-bytes"
#define LP_KERNEL_STATE_BYTES "state-bytes"
/** The file and @out_line in which they derive a size called @name; NULL: they do not. Borrowed. */
const char *lp_kernel_lists_size_file(const LpKernelLists *self, const char *name, guint *out_line);
/** Works out the size called @name, which they derive. @values: as lp_kernel_lists_run(). */
double lp_kernel_lists_size(const LpKernelLists *self, const char *name, double *values);

G_END_DECLS
