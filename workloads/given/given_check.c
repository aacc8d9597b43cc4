/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of each rank, body and operation for itself. What ranks do together is checked
 * where it has become what runs (workloads/program/program_check.h). */
#include "workloads/given/given_program.h"

/* A program holds an operation a collective and a step a message, and each repetition once more. */
#define STEPS_MAX 33554432.0
/* Bytes are counted in 64 bits. What algorithms and protocols send more than they must, and the 63
 * bits of numbers in JSON, are the room to spare. */
#define VOLUME_MAX 0x1p61

static gboolean
check_ranks(const LpGivenProgram *self, GError **error)
{
    for (guint32 rank = 0; rank < self->n_ranks; rank++)
        if (self->section[rank] == 0)
            return lp_given_program_fail(self, 1, error,
                                         "<program> ranks: got no <ranks> that has rank %u, wanted "
                                         "one for each of %u",
                                         rank, self->n_ranks);
    return TRUE;
}

static gboolean
check_group(const LpGivenProgram *self, const LpGivenSection *section, const LpGivenOp *op,
            GError **error)
{
    const LpGivenGroups *groups = lp_given_program_groups(self, op->group);
    guint n_alone = 0;
    for (guint i = 0; i < section->ranks->len; i++) {
        guint32 rank = g_array_index(section->ranks, guint32, i), number = groups->number[rank];
        n_alone += number > 0 && g_array_index(groups->sizes, guint32, number - 1) == 1;
        if (groups->number[rank] == 0)
            return lp_given_program_fail(self, op->line, error,
                                         "<%s> group: got %s, in which rank %u is not, wanted "
                                         "groups of all ranks that run it",
                                         lp_given_op_name(op), groups->name, rank);
    }
    return n_alone == 0 || n_alone == section->ranks->len ||
           lp_given_program_fail(
               self, op->line, error,
               "<%s> group: got %s, in which some ranks that run it are alone and "
               "others are not, wanted <ranks> of their own for those",
               lp_given_op_name(op), groups->name);
}

static gboolean
check_peer(const LpGivenProgram *self, const LpGivenSection *section, const LpGivenOp *op,
           GError **error)
{
    for (guint i = 0; i < section->ranks->len; i++) {
        guint32 rank = g_array_index(section->ranks, guint32, i);
        gint64 peer = op->peer + (op->is_relative ? (gint64)rank : 0);
        if (peer < 0 || peer >= (gint64)self->n_ranks || peer == (gint64)rank)
            return lp_given_program_fail(self, op->line, error,
                                         "<%s> %s: got rank %" G_GINT64_FORMAT
                                         " for rank %u, wanted another one of the program's %u",
                                         lp_given_op_name(op),
                                         op->kind == LP_GIVEN_SEND ? "to" : "from", peer, rank,
                                         self->n_ranks);
    }
    return TRUE;
}

/* A walk through the bodies that a section runs, each body once. */
typedef struct {
    const LpGivenProgram *program; /* borrowed */
    const LpGivenSection *section; /* borrowed */
    double *n_steps;               /* owned, by body: that it runs; negative: it is being walked
                                      through; 0: not yet */
    double *bytes;                 /* owned, by body: that it sends, an all-reduce counted twice */
    gboolean *is_seen;             /* owned, by body: of this section */
} Walk;

static gboolean walk(Walk *self, guint32 index, GError **error);

static gboolean
check_op(Walk *self, const LpGivenOp *op, double *io_steps, double *io_bytes, GError **error)
{
    switch (op->kind) {
    case LP_GIVEN_COLLECTIVE:
        *io_bytes += 2.0 * (double)op->bytes;
        return check_group(self->program, self->section, op, error);
    case LP_GIVEN_SEND:
        *io_bytes += (double)op->bytes;
        return check_peer(self->program, self->section, op, error);
    case LP_GIVEN_RECEIVE:
        return check_peer(self->program, self->section, op, error);
    case LP_GIVEN_RUN:
        if (self->n_steps[op->body] < 0.0)
            return lp_given_program_fail(self->program, op->line, error,
                                         "<run> block: got a block that runs itself, wanted one "
                                         "that ends");
        if (!walk(self, op->body, error))
            return FALSE;
        *io_steps += op->times * self->n_steps[op->body];
        *io_bytes += op->times * self->bytes[op->body];
        return *io_steps <= STEPS_MAX ||
               lp_given_program_fail(self->program, op->line, error,
                                     "<run> times: got %.3g operations, wanted at most %.3g",
                                     *io_steps, STEPS_MAX);
    case LP_GIVEN_COMPUTE:
    case LP_GIVEN_WAIT:
        break;
    }
    return TRUE;
}

static gboolean
walk(Walk *self, guint32 index, GError **error)
{
    const LpGivenBody *body = lp_given_program_body(self->program, index);
    if (self->is_seen[index])
        return TRUE;
    self->is_seen[index] = TRUE;
    double n_steps = body->ops->len + 1.0, bytes = 0.0;
    self->n_steps[index] = -1.0;
    for (guint i = 0; i < body->ops->len; i++)
        if (!check_op(self, lp_given_body_op(body, i), &n_steps, &bytes, error))
            return FALSE;
    self->n_steps[index] = n_steps;
    self->bytes[index] = bytes;
    return TRUE;
}

static gboolean
check_section(const LpGivenProgram *self, const LpGivenSection *section, double *io_steps,
              double *io_bytes, GError **error)
{
    g_autofree double *n_steps = g_new0(double, self->bodies->len);
    g_autofree double *bytes = g_new0(double, self->bodies->len);
    g_autofree gboolean *is_seen = g_new0(gboolean, self->bodies->len);
    Walk data = {self, section, n_steps, bytes, is_seen};
    if (!walk(&data, section->body, error))
        return FALSE;
    *io_steps += n_steps[section->body];
    *io_bytes += bytes[section->body] * section->ranks->len;
    if (*io_bytes > VOLUME_MAX)
        return lp_given_program_fail(self, section->line, error,
                                     "<ranks>: got a program that moves up to %.3g B, wanted at "
                                     "most %.3g B",
                                     *io_bytes, VOLUME_MAX);
    return *io_steps <= STEPS_MAX ||
           lp_given_program_fail(self, section->line, error,
                                 "<ranks>: got a program of %.3g operations, wanted at most %.3g",
                                 *io_steps, STEPS_MAX);
}

gboolean
lp_given_program_check(const LpGivenProgram *self, GError **error)
{
    double n_steps = 0.0, bytes = 0.0;
    if (!check_ranks(self, error))
        return FALSE;
    for (guint32 i = 0; i < self->bodies->len; i++) {
        g_autoptr(GArray) order =
            lp_given_program_order(self, lp_given_program_body(self, i), error);
        if (order == NULL)
            return FALSE;
    }
    for (guint32 i = 0; i < self->sections->len; i++)
        if (!check_section(self, lp_given_program_section(self, i), &n_steps, &bytes, error))
            return FALSE;
    return TRUE;
}
