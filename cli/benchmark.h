/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks of lightpath bench. */
#pragma once

#include "sim/fidelity.h"

G_BEGIN_DECLS

/** The kinds of benchmarks. */
typedef enum {
    LP_BENCHMARK_JOB,
    LP_BENCHMARK_RING,        /**< through the simulator, */
    LP_BENCHMARK_ENGINE_RING, /**< or without it */
    LP_BENCHMARK_CONTENTION,  /**< what a job's contention is attributed by */
    LP_BENCHMARK_VALIDATE,    /**< all measured steps */
    LP_N_BENCHMARK_KINDS
} LpBenchmarkKind;

/** A benchmark. All texts are static; NULL where not said. */
typedef struct {
    const char *name;
    const char *summary; /**< NULL: one of a series, shown by --growth */
    LpBenchmarkKind kind;
    LpFidelity fidelity;      /**< job, ring */
    const char *workload;     /**< job, contention */
    const char *settings;     /**< of the workload: "dp=64 global-batch=1024" */
    const char *platform;     /**< a shipped file, or else: */
    const char *accelerators; /**< how many; rings: 1,024 if not said */
    const char *system;  /**< dgx-h100 if not said; options of "platform generate" may follow */
    const char *command; /**< command: the subcommand and its options */
    gboolean whole;      /**< job: without collapse */
    gboolean collapse;   /**< ring: with it */
    gboolean is_long;    /**< not among those that run when none is named */
} LpBenchmark;

/** All of them, until one that has no name. */
extern const LpBenchmark lp_benchmarks[];

G_END_DECLS
