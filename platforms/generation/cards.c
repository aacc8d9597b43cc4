/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of a domain's network cards, and their shares for accelerators. */
#include "platforms/generation/cards.h"

#include "base/units.h"
#include "platforms/generation/system.h"

#include <math.h>

/* Rates that differ by less are equal: a third of 12.5 GB/s has eleven digits in a file. */
#define SAME_RATE 1e-9

static gboolean
are_same(double a, double b)
{
    return fabs(a - b) <= SAME_RATE * MAX(a, b);
}

static gboolean
has_cards(const LpMachineSpecification *self)
{
    return self->scale_out.n_rails != 0 || self->scale_out.domain_ports != 0;
}

/* The rate of a card of the system with all its ports: an accelerator's rate times the accelerators
 * that share the card. */
static double
system_card(const LpMachineSpecification *system)
{
    const LpScaleOutSpecification *out = &system->scale_out;
    return out->port_bytes_per_s > 0.0 ? out->port_bytes_per_s * system->planes.n
                                       : out->bytes_per_s * out->accelerators_per_port;
}

double
lp_cards_bytes_per_s(const LpMachineSpecification *self, guint32 n_cards)
{
    const LpScaleOutSpecification *out = &self->scale_out;
    if (out->port_bytes_per_s > 0.0)
        return out->port_bytes_per_s;
    if (has_cards(self) && !lp_specification_is_given(self, LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH))
        return system_card(self) / self->planes.n;
    return out->bytes_per_s * self->domain.size / n_cards / self->planes.n;
}

/* The rate of a card with all its ports. */
static double
card(const LpMachineSpecification *self, guint32 n_cards)
{
    return lp_cards_bytes_per_s(self, n_cards) * self->planes.n;
}

double
lp_cards_accelerator_bytes_per_s(const LpMachineSpecification *self, guint32 n_cards)
{
    return card(self, n_cards) * n_cards / self->domain.size;
}

/* The warning about the rate of a card, where a rate per accelerator was given beside the number of
 * cards. */
static char *
warn_of_card(const LpMachineSpecification *self, guint32 n_cards,
             const LpMachineSpecification *system)
{
    double faster = card(self, n_cards), own = system_card(system);
    if (faster < own || are_same(faster, own))
        return NULL;
    g_autofree char *per_card = lp_quantity_format(LP_QUANTITY_BANDWIDTH, faster);
    g_autofree char *rate = lp_quantity_format(LP_QUANTITY_BANDWIDTH, own);
    g_autofree char *share =
        lp_quantity_format(LP_QUANTITY_BANDWIDTH, lp_cards_accelerator_bytes_per_s(self, n_cards));
    return g_strdup_printf("--scale-out-bandwidth: %s per accelerator over %u of %s's cards for %u "
                           "accelerators are %s a card, which has %s",
                           share, n_cards, self->system, self->domain.size, per_card, rate);
}

/* The warning about the rate of an accelerator, where cards keep the system's rate. */
static char *
warn_of_accelerator(const LpMachineSpecification *self, guint32 n_cards,
                    const LpMachineSpecification *system)
{
    double left = lp_cards_accelerator_bytes_per_s(self, n_cards);
    double own = system_card(system) / system->scale_out.accelerators_per_port;
    if (are_same(left, own))
        return NULL;
    g_autofree char *share = lp_quantity_format(LP_QUANTITY_BANDWIDTH, left);
    g_autofree char *usual = lp_quantity_format(LP_QUANTITY_BANDWIDTH, own);
    g_autofree char *rate = lp_quantity_format(LP_QUANTITY_BANDWIDTH, card(self, n_cards));
    return g_strdup_printf("--%s: %u of %s's cards, %s each, for %u accelerators are %s per "
                           "accelerator, where the system has %s",
                           self->scale_out.n_rails != 0 ? "rails" : "nics-per-domain", n_cards,
                           self->system, rate, self->domain.size, share, usual);
}

char *
lp_cards_warning(const LpMachineSpecification *self, guint32 n_cards)
{
    if (!has_cards(self) || self->n_accelerators <= self->domain.size ||
        lp_specification_is_given(self, LP_MACHINE_OPTION_NIC_BANDWIDTH))
        return NULL;
    g_autoptr(LpMachineSpecification) system = lp_system_load(self->system, NULL);
    return lp_specification_is_given(self, LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH)
               ? warn_of_card(self, n_cards, system)
               : warn_of_accelerator(self, n_cards, system);
}
