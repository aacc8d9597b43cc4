/* SPDX-License-Identifier: Apache-2.0 */
/* Measured times of an accelerator's kernels, and what they say of kernels of other sizes.
 *
 * What is interpolated is the logarithm of measured over modelled time, so that the model keeps
 * tiles, waves and limits of memory; the weights are Franke and Little's of Shepard's method, by
 * the distance between two kernels in doublings of their sizes (Franke and Nielson, "Smooth
 * interpolation of large sets of scattered data", Int. J. Numer. Meth. Engng. 15, 1980, section
 * 2). */
#pragma once

#include "model/times/kernel_block.h"

G_BEGIN_DECLS

/** The kinds of kernels that tables distinguish. */
typedef enum {
    LP_MEASURED_PRODUCT,   /**< one matrix product in a kernel */
    LP_MEASURED_GROUPED,   /**< several in a kernel */
    LP_MEASURED_ATTENTION, /**< fused attention, k summed over its products */
    LP_MEASURED_STREAM,    /**< bound by memory, in order */
    LP_MEASURED_SWEEP,     /**< bound by memory, with sums over rows */
    LP_N_MEASURED
} LpMeasuredKind;
/** "product", "grouped", "attention", "stream", "sweep"; NULL-ended. */
extern const char *const lp_measured_kind_names[];

/** The limits of tables: sizes and bytes of kernels at most, and times, s. */
#define LP_MEASURED_SIZE_MAX 1e15
#define LP_MEASURED_TIME_MIN_S 1e-9
#define LP_MEASURED_TIME_MAX_S 1e4

/** A row of a table. */
typedef struct {
    const char *name; /**< borrowed; NULL: the model knows it, by: */
    double size;      /**< of a kernel with a name */
    LpKernel kernel;  /**< its sizes; what they are decides what it is compared with */
    LpPrecision precision;
    double time_s;     /**< on the device, from its beginning to its end */
    double modelled_s; /**< what lp_kernel_device_s() says without tables */
    gboolean is_copy;  /**< the same row for another's kernel: it is not counted again */
} LpMeasuredKernel;

/** The source of a kernel's time. */
typedef enum {
    LP_TIMED_BY_MODEL,
    LP_TIMED_BETWEEN, /**< by the model and measured kernels near it */
    LP_TIMED_AS_MEASURED
} LpTimedBy;
/** "model", "interpolated", "measured"; NULL-ended. */
extern const char *const lp_timed_by_names[];

/** Doublings of all sizes together beyond which a measured kernel says nothing. */
#define LP_MEASURED_REACH 6.0

/** The measured kernels of an accelerator. Constant once made. */
typedef struct LpMeasuredKernels LpMeasuredKernels;

/** The kind under which tables have a kernel. */
LpMeasuredKind lp_measured_kind(const LpKernel *kernel);
/** Bytes of a kernel of @kind that a table says none of: operands read once, and the result, in at
 * least 16 bits, written once. */
double lp_measured_bytes(const LpKernel *kernel, LpPrecision precision);

/** Rows of the same kind, sizes and precision are one, at the geometric mean of their ratios.
 * Returns: (transfer full). */
LpMeasuredKernels *lp_measured_kernels_new(const LpMeasuredKernel *rows, guint n_rows);
void lp_measured_kernels_free(LpMeasuredKernels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpMeasuredKernels, lp_measured_kernels_free)

/** What the model's time of @kernel is multiplied by: exp(sum w y / (sum w + 1/R^2)), over the
 * measured kernels of its kind and precision (those of 16 bits are one) at distance d < R =
 * LP_MEASURED_REACH, w = ((R - d) / (R d))^2, y = ln(measured / model): exact at each, and 1, the
 * model, where none is near. @self: NULL: 1. @out_by: may be NULL. */
double lp_measured_kernels_factor(const LpMeasuredKernels *self, const LpKernel *kernel,
                                  LpPrecision precision, LpTimedBy *out_by);

/** Time of the kernel called @name of @size, s: a straight line between the logarithms of measured
 * sizes and times, and in proportion to the size outside of them. Returns: whether any was
 * measured. @self: may be NULL; @out_time_s, @out_by: too. */
gboolean lp_measured_kernels_named(const LpMeasuredKernels *self, const char *name, double size,
                                   double *out_time_s, LpTimedBy *out_by);

/** Errors as |model / measured - 1|: quantiles by nearest rank. */
typedef struct {
    double median, p90, worst;
} LpMeasuredErrors;

/** How well the model meets measured kernels of a kind. */
typedef struct {
    guint n_rows, n_sizes;          /**< rows, and different sizes among them */
    double ratio;                   /**< median of measured over modelled time */
    LpMeasuredErrors model;         /**< of the model alone */
    LpMeasuredErrors leave_one_out; /**< of each size, interpolated from the others */
} LpMeasuredFit;

/** Errors over the sizes of @kind. Returns: whether there are any. */
gboolean lp_measured_kernels_fit(const LpMeasuredKernels *self, LpMeasuredKind kind,
                                 LpMeasuredFit *out_fit);

G_END_DECLS
