/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the elements of a program by hand. */
#include "report/given_text.h"

const char *const lp_given_no_closed_form =
    "none: closed forms are of Transformers, and this is a program by hand";

static guint
n_operations(const LpGivenProgram *program)
{
    guint n = 0;
    for (guint32 i = 0; i < program->bodies->len; i++)
        n += lp_given_program_body(program, i)->ops->len;
    return n;
}

static guint
n_groups(const LpGivenProgram *program)
{
    guint n = 0;
    for (guint32 i = 0; i < program->groups->len; i++)
        n += lp_given_program_groups(program, i)->sizes->len;
    return n;
}

char *
lp_given_text(const LpGivenProgram *program)
{
    return g_strdup_printf("ranks %u, sections %u, groups %u, operations %u, queues %u",
                           program->n_ranks, program->sections->len, n_groups(program),
                           n_operations(program), program->queues->len);
}

void
lp_given_add_json(json_t *object, const LpWorkload *workload)
{
    const LpGivenProgram *program = workload->given;
    if (program == NULL)
        return;
    json_t *part = lp_json_set_object(object, "program");
    lp_json_set_count(part, "ranks", program->n_ranks);
    lp_json_set_count(part, "sections", program->sections->len);
    lp_json_set_count(part, "groups", n_groups(program));
    lp_json_set_count(part, "operations", n_operations(program));
    lp_json_set_count(part, "queues", program->queues->len);
    lp_json_set_text(object, "no_closed_form", lp_given_no_closed_form);
}
