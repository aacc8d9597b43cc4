/* SPDX-License-Identifier: Apache-2.0 */
/* The error to expect, in words and as JSON. */
#include "report/expected_text.h"

void
lp_expected_error_add_json(json_t *object, const LpExpectedError *self)
{
    if (self->n_steps == 0)
        return;
    json_t *part = lp_json_set_object(object, "expected_error");
    lp_json_set_number(part, "median", self->median);
    lp_json_set_number(part, "p90", self->p90);
    lp_json_set_count(part, "steps", self->n_steps);
    lp_json_set_count(part, "sources", self->n_sources);
    lp_json_set_text(part, "kind", *self->kind != '\0' ? self->kind : "all");
}

char *
lp_expected_error_to_text(const LpExpectedError *self, const LpWorkload *workload,
                          const LpMachine *machine)
{
    if (self->n_steps == 0)
        return g_strdup_printf("not known: no measured step of %s on %s", workload->framework,
                               machine->accelerator.name);
    return g_strdup_printf(
        "%.1f %% in the median, %.1f %% for nine in ten (%u measured steps of %s on %s, %s)",
        100.0 * self->median, 100.0 * self->p90, self->n_steps, workload->framework,
        machine->accelerator.name, *self->kind != '\0' ? self->kind : "of all kinds");
}
