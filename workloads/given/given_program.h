/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is given, and not made of a plan: what groups of ranks compute, send and reduce,
 * operation by operation, as a file has it. Whatever knows such a program (the XML that is read
 * here, traces of other tools) fills one in; workloads/program/ makes of it what runs. */
#pragma once

#include "model/plan/collective.h"
#include "model/plan/plan.h"
#include "model/plan/terms.h"
#include "model/times/work.h"
#include "workloads/given/execution.h"

G_BEGIN_DECLS

/** The number of queues of a rank. Operations of a queue run in order, and queues run side by side.
 * The first is the compute queue. */
#define LP_GIVEN_QUEUES_MAX 5
#define LP_GIVEN_COMPUTE_QUEUE 0u

/** What an operation does. */
typedef enum {
    LP_GIVEN_COMPUTE,
    LP_GIVEN_COLLECTIVE,
    LP_GIVEN_SEND,
    LP_GIVEN_RECEIVE,
    LP_GIVEN_WAIT, /**< its queue waits until few enough of another queue are left */
    LP_GIVEN_RUN   /**< another body, so and so often */
} LpGivenKind;

/** One operation. What its kind does not use is 0. */
typedef struct {
    LpGivenKind kind;
    guint32 line;     /**< of the file */
    guint32 queue;    /**< of a receive and a run the compute queue */
    gboolean is_free; /**< it waits, beside those before it in its queue, only for those that it
                         names; else also for all of the compute queue that stands before it */
    guint32 first_after, n_after; /**< in LpGivenProgram.after: those that it names */
    gboolean has_term;            /**< term is said, and not that of its kind */
    LpTerm term;                  /**< what its time counts as where it is waited for */
    gboolean has_rates;           /**< compute: by FLOP and bytes, else by work */
    double flop, memory_bytes;
    LpWork work;
    LpCollective collective;
    guint32 group;
    gboolean has_traffic; /**< traffic is said, and not that of the group */
    LpTraffic traffic;
    guint64 bytes; /**< collective: LpOp.bytes; send, receive: of the message */
    gint64 peer;   /**< send, receive: the other rank, or how far it is from the own */
    gboolean is_relative;
    guint32 tag;         /**< messages of one pair and tag arrive in order */
    guint32 waited;      /**< wait: the other queue, */
    guint32 n_left;      /**< of which so many may be left */
    guint32 body, times; /**< run */
} LpGivenOp;

/** Operations in a row. */
typedef struct {
    char *name;  /* owned: of a block; NULL: none */
    GArray *ops; /* owned: LpGivenOp */
} LpGivenBody;

/** Groups of ranks of one purpose: no rank is in two of them. */
typedef struct {
    char *name; /* owned */
    guint32 line;
    LpTraffic traffic;
    LpAlgorithms algorithms;
    GArray *ranks;   /* owned: guint32, group after group */
    GArray *sizes;   /* owned: guint32, of each group */
    guint32 *number; /* owned, by rank: that of its group plus 1; 0: none */
} LpGivenGroups;

/** Ranks that do the same. */
typedef struct {
    guint32 line;
    GArray *ranks; /* owned: guint32 */
    guint32 body;
} LpGivenSection;

/** The whole. */
typedef struct LpGivenProgram {
    char *path; /* owned: what messages say */
    guint32 n_ranks;
    LpExecution execution;
    GPtrArray *queues; /* owned texts: the first is "compute" */
    GArray *groups;    /* owned: LpGivenGroups */
    GArray *bodies;    /* owned: LpGivenBody */
    GArray *after;     /* owned: guint32, places in the own body */
    GArray *sections;  /* owned: LpGivenSection */
    guint32 *section;  /* owned, by rank: its section plus 1; 0: none */
    guint n_users;     /* of this object */
} LpGivenProgram;

/** One of @n_ranks without anything in it. @path: what messages call it. Returns: (transfer full).
 */
LpGivenProgram *lp_given_program_new(const char *path, guint32 n_ranks);
/** The same object once more. Returns: (transfer full). */
LpGivenProgram *lp_given_program_ref(LpGivenProgram *self);
void lp_given_program_free(LpGivenProgram *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpGivenProgram, lp_given_program_free)

/** An empty body, called @name (or NULL). Returns: its number. */
guint32 lp_given_program_add_body(LpGivenProgram *self, const char *name);
/** The queue called @name, a new one if there is none; G_MAXUINT32: there are too many. */
guint32 lp_given_program_queue(LpGivenProgram *self, const char *name);
/** Groups called @name without members. Returns: their number. */
guint32 lp_given_program_add_groups(LpGivenProgram *self, const char *name, LpTraffic traffic);
/** Another group of @groups, of @ranks (guint32). Errors: LP_INPUT_ERROR, "got, wanted": a rank
 * that there is not, or that is in one of these groups already. */
gboolean lp_given_program_add_group(LpGivenProgram *self, guint32 groups, const GArray *ranks,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Lets @ranks (transfer full, guint32; also on errors) run @body. Errors: as
 * lp_given_program_add_group(). */
gboolean lp_given_program_add_section(LpGivenProgram *self, GArray *ranks, guint32 body,
                                      guint32 line, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/** What stands at an index. Borrowed. */
LpGivenBody *lp_given_program_body(const LpGivenProgram *self, guint32 index);
LpGivenOp *lp_given_body_op(const LpGivenBody *self, guint index);
LpGivenGroups *lp_given_program_groups(const LpGivenProgram *self, guint32 index);
LpGivenSection *lp_given_program_section(const LpGivenProgram *self, guint32 index);
/** The name of @op in files: "all-reduce", "compute" ... Static. */
const char *lp_given_op_name(const LpGivenOp *op);

/** Sets an error at line @line of the program's file: "FILE:LINE: message". Returns: FALSE. */
gboolean lp_given_program_fail(const LpGivenProgram *self, guint32 line, GError **error,
                               const char *format, ...) G_GNUC_PRINTF(4, 5);

/** Whether each rank has a section, all members of a section are in the groups that it names, peers
 * are ranks, and no operation waits for itself. Bodies run others that end. Errors: LP_INPUT_ERROR,
 * "FILE:LINE: ...". */
gboolean lp_given_program_check(const LpGivenProgram *self,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** The order in which the compute queue's host hands out the operations of @body, guint32 places in
 * it: what other queues take as early as it may begin. Error: LP_INPUT_ERROR at an operation that
 * waits for itself. Returns: (transfer full). */
GArray *lp_given_program_order(const LpGivenProgram *self, const LpGivenBody *body,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
