/* SPDX-License-Identifier: Apache-2.0 */
/* A row's words about a machine, as options of a generated platform. */
#include "validation/cases/measured_machine.h"

#include "platforms/generation/generate.h"

#include <string.h>

#define NVL72_DOMAIN 72u

const char *
lp_measured_machine_system(const LpMeasuredMachine *self)
{
    static const char *const older[] = {"v100", "a100", "a800"};
    if (g_str_has_prefix(self->accelerator, "gb"))
        return "gb200-nvl72";
    for (guint i = 0; i < G_N_ELEMENTS(older); i++)
        if (g_str_has_prefix(self->accelerator, older[i]))
            return "dgx-a100";
    return "dgx-h100";
}

static char *
rate_text(double bytes_per_s)
{
    return g_strdup_printf("%.9gGBps", bytes_per_s * 1e-9);
}

LpMachine *
lp_measured_machine_new(const LpMeasuredMachine *self, GError **error)
{
    guint32 n_cards = MIN(self->n_cards, self->domain_size);
    g_autofree char *n = g_strdup_printf("%u", self->domain_size * self->n_domains);
    g_autofree char *domain = g_strdup_printf("%u", self->domain_size);
    g_autofree char *cards = g_strdup_printf("%u", n_cards);
    g_autofree char *domain_rate = rate_text(self->domain_bytes_per_s);
    g_autofree char *card_rate =
        rate_text(self->card_bytes_per_s * MAX(self->n_cards, 1) / MAX(n_cards, 1));
    LpGenerateOptions options = {.system = lp_measured_machine_system(self),
                                 .accelerators = n,
                                 .accelerator = self->accelerator};
    if (strcmp(options.system, "gb200-nvl72") != 0 || self->domain_size != NVL72_DOMAIN)
        options.domain_size = domain;
    if (self->domain_bytes_per_s > 0.0)
        options.domain_bandwidth = domain_rate;
    if (n_cards > 0 && self->n_domains > 1) {
        options.nics_per_domain = cards;
        options.nic_bandwidth = card_rate;
    }
    g_autofree char *text = lp_generate(&options, error);
    return text != NULL ? lp_machine_parse("the row's machine", text, error) : NULL;
}
