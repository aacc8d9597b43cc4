/* SPDX-License-Identifier: Apache-2.0 */
/* The error to expect, in words and as JSON. */
#include "report/expected_text.h"

/* "megatron-core on h100-sxm", "all software on h100-sxm", "all software". Returns: (transfer
 * full).
 */
static char *
blind_of(const LpExpectedError *self)
{
    gboolean has_card = *self->blind_accelerator != '\0';
    const char *software = *self->blind_software != '\0' ? self->blind_software : "all software";
    return g_strconcat(software, has_card ? " on " : "", self->blind_accelerator, NULL);
}

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
    lp_json_set_number(part, "band", self->band);
    if (self->n_blind == 0)
        return;
    g_autofree char *of = blind_of(self);
    json_t *blind = lp_json_set_object(part, "blind");
    lp_json_set_number(blind, "median", self->blind_median);
    lp_json_set_number(blind, "p90", self->blind_p90);
    lp_json_set_count(blind, "steps", self->n_blind);
    lp_json_set_text(blind, "of", of);
}

char *
lp_expected_error_to_text(const LpExpectedError *self, const LpWorkload *workload,
                          const LpMachine *machine)
{
    g_autofree char *of = blind_of(self);
    g_autofree char *blind =
        self->n_blind > 0
            ? g_strdup_printf("; blind: %.1f and %.1f %%, %u of %s", 100.0 * self->blind_median,
                              100.0 * self->blind_p90, self->n_blind, of)
            : g_strdup("");
    if (self->n_steps == 0)
        return g_strdup_printf("nine in ten within %.0f %%; no measured step of %s on %s%s",
                               100.0 * self->band, workload->framework, machine->accelerator.name,
                               blind);
    return g_strdup_printf("nine in ten within %.0f %%; %.1f %% in the median and %.1f for nine in "
                           "ten of what was measured "
                           "(%u steps of %s on %s, %s%s)",
                           100.0 * self->band, 100.0 * self->median, 100.0 * self->p90,
                           self->n_steps, workload->framework, machine->accelerator.name,
                           *self->kind != '\0' ? self->kind : "of all kinds", blind);
}
