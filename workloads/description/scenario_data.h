/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a scenario: jobs on one machine, background traffic, slow accelerators and failing
 * links. */
#pragma once

#include "workloads/description/workload.h"

G_BEGIN_DECLS

/** A workload that runs on a part of the machine. */
typedef struct {
    char *where;          /* owned: "FILE:LINE", as messages say it */
    char *name;           /* owned; no two jobs share one */
    LpWorkload *workload; /* owned; its placement holds if accelerators is NULL and first is 0 */
    GArray *accelerators; /* owned: guint32 by rank, or NULL */
    guint32 first;        /**< rank r on accelerator first + r */
    gboolean has_first;
    double start_s;
    guint32 n_iterations; /**< one after the other */
} LpScenarioJob;

/** Who sends to whom. */
typedef enum {
    LP_PATTERN_PERMUTATION, /**< each to one other, each is sent to by one: drawn once */
    LP_PATTERN_UNIFORM,     /**< each message to any other, drawn for each */
    LP_PATTERN_PAIRS,       /**< the first to the second, the third to the fourth, and so on */
    LP_PATTERN_INCAST,      /**< all others to the first */
    LP_PATTERN_ALL_TO_ALL,  /**< each to all others in turn */
} LpPattern;
extern const char *const lp_pattern_names[]; /**< as files have them; ends in NULL */

/** When messages start. */
typedef enum {
    LP_GAPS_EXPONENTIAL, /**< at random times, whatever is under way */
    LP_GAPS_FIXED,       /**< at equal distances, whatever is under way */
    LP_GAPS_CLOSED,      /**< the next one when the last has arrived */
} LpGaps;

/** Which ports background messages take. */
typedef enum {
    LP_PORTS_AUTO, /**< scale-up within a domain, scale-out between */
    LP_PORTS_SCALE_UP,
    LP_PORTS_SCALE_OUT,
} LpPorts;
extern const char *const lp_ports_names[]; /**< as files have them; ends in NULL */

/** Background traffic. */
typedef struct {
    char *where, *name; /* owned */
    LpPattern pattern;
    GArray *accelerators; /* owned: guint32; NULL: all of the machine */
    guint64 message_bytes;
    LpGaps gaps;
    double rate_bytes_per_s; /**< of each sender; 0 if load says it */
    double load; /**< over the rate of a message alone on its route; 0 if the rate says it */
    double start_s, end_s; /**< no message starts outside */
    guint32 seed;
    LpPorts ports;
} LpScenarioTraffic;

/** How a kernel's time varies around its mean. */
typedef enum {
    LP_JITTER_NONE,
    LP_JITTER_NORMAL,      /**< times 1 + jitter z, at least 0 */
    LP_JITTER_LOGNORMAL,   /**< times exp(jitter z - jitter^2 / 2): the mean stays */
    LP_JITTER_EXPONENTIAL, /**< times 1 + jitter e, with e of mean 1 */
} LpJitter;
extern const char *const lp_jitter_names[]; /**< as files have them; ends in NULL */

/** Ranks that compute slower than the others. */
typedef struct {
    char *where;          /* owned */
    char *job;            /* owned: a job's name; NULL: whichever stands there */
    GArray *ranks;        /* owned: guint32, of the job; NULL: all of it */
    GArray *accelerators; /* owned: guint32, if there is no job */
    double factor;        /**< that every kernel's time is multiplied by */
    LpJitter distribution;
    double jitter;
    double start_s, end_s; /**< slow from when to when; INFINITY: to the end */
    guint32 seed;
} LpScenarioStraggler;

/** A part of the circuits of an attachment, or of all. */
typedef enum {
    LP_CIRCUIT_PART_NONE,
    LP_CIRCUIT_PART_LASER,      /**< that feeds a wavelength of all ports of an attachment */
    LP_CIRCUIT_PART_WAVELENGTH, /**< one lane of an attachment */
    LP_CIRCUIT_PART_PORT,       /**< with all its wavelengths */
    LP_CIRCUIT_PART_PLANE       /**< the switch that joins the ports of one number */
} LpCircuitPart;

/** A link, or all links of a port, that lose bandwidth; or a part of circuits that stops. */
typedef struct {
    char *where; /* owned */
    double at_s;
    char *link;         /* owned: the engine's name; NULL: a port */
    LpCircuitPart part; /**< that stops; none: a link or port */
    guint32 index;      /**< which one of the attachment, or which plane */
    gboolean scale_out;
    guint32 accelerator;     /**< whose port or circuits */
    gboolean dead;           /**< nothing crosses it any more */
    double bandwidth_factor; /**< of the bandwidth as described */
} LpScenarioFailure;

/** A scenario. Its parts are sorted, so that the order in the file cannot matter. */
typedef struct {
    char *path, *name;     /* owned */
    GPtrArray *jobs;       /* owned LpScenarioJob, by name */
    GPtrArray *traffic;    /* owned LpScenarioTraffic, by name */
    GPtrArray *stragglers; /* owned LpScenarioStraggler, in order of their content */
    GPtrArray *failures;   /* owned LpScenarioFailure, in order of time and content */
} LpScenario;

G_END_DECLS
