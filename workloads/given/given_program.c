/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what is given. */
#include "workloads/given/given_program.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

static void
body_clear(gpointer data)
{
    LpGivenBody *self = data;
    g_free(self->name);
    g_array_unref(self->ops);
}

static void
groups_clear(gpointer data)
{
    LpGivenGroups *self = data;
    g_free(self->name);
    g_array_unref(self->ranks);
    g_array_unref(self->sizes);
    g_free(self->number);
}

static void
section_clear(gpointer data)
{
    LpGivenSection *self = data;
    g_array_unref(self->ranks);
}

LpGivenProgram *
lp_given_program_new(const char *path, guint32 n_ranks)
{
    LpGivenProgram *self = g_new0(LpGivenProgram, 1);
    self->path = g_strdup(path);
    self->n_ranks = n_ranks;
    self->n_users = 1;
    self->execution.host_is_free = TRUE;
    self->queues = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(self->queues, g_strdup("compute"));
    self->groups = g_array_new(FALSE, FALSE, sizeof(LpGivenGroups));
    g_array_set_clear_func(self->groups, groups_clear);
    self->bodies = g_array_new(FALSE, FALSE, sizeof(LpGivenBody));
    g_array_set_clear_func(self->bodies, body_clear);
    self->sections = g_array_new(FALSE, FALSE, sizeof(LpGivenSection));
    g_array_set_clear_func(self->sections, section_clear);
    self->after = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->section = g_new0(guint32, n_ranks);
    return self;
}

LpGivenProgram *
lp_given_program_ref(LpGivenProgram *self)
{
    if (self != NULL)
        self->n_users++;
    return self;
}

void
lp_given_program_free(LpGivenProgram *self)
{
    if (self == NULL || --self->n_users > 0)
        return;
    g_free(self->path);
    g_ptr_array_unref(self->queues);
    g_array_unref(self->groups);
    g_array_unref(self->bodies);
    g_array_unref(self->sections);
    g_array_unref(self->after);
    g_free(self->section);
    g_free(self);
}

guint32
lp_given_program_add_body(LpGivenProgram *self, const char *name)
{
    LpGivenBody body = {g_strdup(name), g_array_new(FALSE, FALSE, sizeof(LpGivenOp))};
    g_array_append_val(self->bodies, body);
    return self->bodies->len - 1;
}

guint32
lp_given_program_queue(LpGivenProgram *self, const char *name)
{
    for (guint32 i = 0; i < self->queues->len; i++)
        if (strcmp(self->queues->pdata[i], name) == 0)
            return i;
    if (self->queues->len == LP_GIVEN_QUEUES_MAX)
        return G_MAXUINT32;
    g_ptr_array_add(self->queues, g_strdup(name));
    return self->queues->len - 1;
}

guint32
lp_given_program_add_groups(LpGivenProgram *self, const char *name, LpTraffic traffic)
{
    LpGivenGroups groups = {.name = g_strdup(name),
                            .traffic = traffic,
                            .ranks = g_array_new(FALSE, FALSE, sizeof(guint32)),
                            .sizes = g_array_new(FALSE, FALSE, sizeof(guint32)),
                            .number = g_new0(guint32, self->n_ranks)};
    g_array_append_val(self->groups, groups);
    return self->groups->len - 1;
}

/* Gives each of @ranks @number in @io_numbers, by rank. */
static gboolean
claim(const LpGivenProgram *self, const GArray *ranks, guint32 *io_numbers, guint32 number,
      GError **error)
{
    for (guint i = 0; i < ranks->len; i++) {
        guint32 rank = g_array_index(ranks, guint32, i);
        if (rank >= self->n_ranks)
            return lp_value_error(error, "got rank %u, wanted one of the program's %u", rank,
                                  self->n_ranks);
        if (io_numbers[rank] != 0)
            return lp_value_error(error, "got rank %u a second time, wanted each once", rank);
        io_numbers[rank] = number;
    }
    return TRUE;
}

gboolean
lp_given_program_add_group(LpGivenProgram *self, guint32 groups, const GArray *ranks,
                           GError **error)
{
    LpGivenGroups *kind = lp_given_program_groups(self, groups);
    if (!claim(self, ranks, kind->number, kind->sizes->len + 1, error))
        return FALSE;
    g_array_append_vals(kind->ranks, ranks->data, ranks->len);
    g_array_append_val(kind->sizes, ranks->len);
    return TRUE;
}

gboolean
lp_given_program_add_section(LpGivenProgram *self, GArray *ranks, guint32 body, guint32 line,
                             GError **error)
{
    LpGivenSection section = {.line = line, .ranks = ranks, .body = body};
    g_array_append_val(self->sections, section);
    return claim(self, ranks, self->section, self->sections->len, error);
}

LpGivenBody *
lp_given_program_body(const LpGivenProgram *self, guint32 index)
{
    return &g_array_index(self->bodies, LpGivenBody, index);
}

LpGivenOp *
lp_given_body_op(const LpGivenBody *self, guint index)
{
    return &g_array_index(self->ops, LpGivenOp, index);
}

LpGivenGroups *
lp_given_program_groups(const LpGivenProgram *self, guint32 index)
{
    return &g_array_index(self->groups, LpGivenGroups, index);
}

LpGivenSection *
lp_given_program_section(const LpGivenProgram *self, guint32 index)
{
    return &g_array_index(self->sections, LpGivenSection, index);
}

const char *
lp_given_op_name(const LpGivenOp *op)
{
    static const char *const names[] = {"compute", NULL, "send", "receive", "wait", "run"};
    return op->kind == LP_GIVEN_COLLECTIVE ? lp_collective_names[op->collective] : names[op->kind];
}

gboolean
lp_given_program_fail(const LpGivenProgram *self, guint32 line, GError **error, const char *format,
                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "%s:%u: %s", lp_file_label(self->path),
                line, message);
    return FALSE;
}
