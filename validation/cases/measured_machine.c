/* SPDX-License-Identifier: Apache-2.0 */
/* A row's words about a machine, as options of a generated platform. */
#include "validation/cases/measured_machine.h"

#include "platforms/generation/generate.h"

#define NVL72_DOMAIN 72u

const char *
lp_measured_machine_system(const LpMeasuredMachine *self)
{
    static const struct {
        const char *begins, *system;
    } systems[] = {{"gb200", "gb200-nvl72"}, {"gb300", "gb300-nvl72"}, {"b200", "dgx-b200"},
                   {"b300", "dgx-b300"},     {"v100", "dgx-a100"},     {"a100", "dgx-a100"},
                   {"a800", "dgx-a100"}};
    for (guint i = 0; i < G_N_ELEMENTS(systems); i++)
        if (g_str_has_prefix(self->accelerator, systems[i].begins))
            return systems[i].system;
    return "dgx-h100";
}

/* Rates are rounded to nine digits: what rows state has fewer, and what is divided back from them
 * would have noise in the last. */
static gboolean
set_rate(LpMachineSpecification *machine, LpMachineOptionId option, double bytes_per_s,
         GError **error)
{
    g_autofree char *text = g_strdup_printf("%.9gGBps", bytes_per_s * 1e-9);
    return lp_specification_set(machine, option, text, error);
}

static gboolean
set_scale_out(LpMachineSpecification *machine, const LpMeasuredMachine *self, GError **error)
{
    guint32 n_cards = MIN(self->n_cards, self->domain_size);
    if (n_cards == 0 || self->n_domains <= 1)
        return TRUE;
    return lp_specification_set_count(machine, LP_MACHINE_OPTION_NICS_PER_DOMAIN, n_cards, error) &&
           set_rate(machine, LP_MACHINE_OPTION_NIC_BANDWIDTH,
                    self->card_bytes_per_s * self->n_cards / n_cards, error);
}

LpMachine *
lp_measured_machine_new(const LpMeasuredMachine *self, GError **error)
{
    const char *system = lp_measured_machine_system(self);
    gboolean is_whole_rack =
        g_str_has_suffix(system, "-nvl72") && self->domain_size == NVL72_DOMAIN;
    g_autoptr(LpMachineSpecification) machine =
        lp_specification_new(system, self->domain_size * self->n_domains, error);
    if (machine == NULL ||
        !lp_specification_set(machine, LP_MACHINE_OPTION_ACCELERATOR, self->accelerator, error) ||
        (!is_whole_rack && !lp_specification_set_count(machine, LP_MACHINE_OPTION_DOMAIN_SIZE,
                                                       self->domain_size, error)) ||
        (self->domain_bytes_per_s > 0.0 &&
         !set_rate(machine, LP_MACHINE_OPTION_DOMAIN_BANDWIDTH, self->domain_bytes_per_s, error)) ||
        !set_scale_out(machine, self, error))
        return NULL;
    return lp_generate_machine(machine, "the row's machine", error);
}
