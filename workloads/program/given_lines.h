/* SPDX-License-Identifier: Apache-2.0 */
/* The lines on which the ranks of a program that is given send to each other, and the stages that
 * follow: a stage's ranks all send on one line where they send at all. */
#pragma once

#include "workloads/given/given_program.h"
#include "workloads/program/program.h"

G_BEGIN_DECLS

/** Whom the ranks of a stage send to or receive from, in one operation. */
typedef struct {
    guint32 stage;
    gboolean sends;
    gboolean is_relative;
    gint64 peer; /**< LpGivenOp.peer */
    guint32 tag;
    guint32 queue; /**< of what sends; else 0 */
    guint32 file_line;
    LpPipelineDirection line;
} LpGivenPort;

/** Stages of the whole program, and their ports. */
typedef struct {
    GArray *section;  /* owned: guint32, by stage: the section that its ranks run */
    GPtrArray *ranks; /* owned arrays of guint32, by stage */
    GArray *ports;    /* owned: LpGivenPort, stage after stage */
    GArray *first;    /* owned: guint, by stage: its first port; and their end */
} LpGivenLines;

/** Finds lines for all messages of @program, and fills to, from and stream of @out_ranks. Sections
 * whose ranks cannot share lines become a stage a rank. Errors: LP_INPUT_ERROR, "FILE:LINE: ...":
 * more lines than there are, or one pair and tag by two queues. Returns: (transfer full). */
LpGivenLines *lp_given_lines_new(const LpGivenProgram *program, LpGivenRanks *out_ranks,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void lp_given_lines_free(LpGivenLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LpGivenLines, lp_given_lines_free)

/** The line of @op, a message of the ranks of @stage. */
LpPipelineDirection lp_given_lines_of(const LpGivenLines *self, guint32 stage, const LpGivenOp *op);
/** The stream of a queue; LP_N_STREAMS: the compute stream. */
LpStream lp_given_queue_stream(guint32 queue);

G_END_DECLS
