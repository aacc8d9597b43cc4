/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine that is to be generated is made of: typed values in parts, and who said so. */
#include "platforms/generation/specification.h"

void
lp_specification_free(LpMachineSpecification *self)
{
    if (self == NULL)
        return;
    for (int i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        g_free(self->origin[i].text);
        g_free(self->origin[i].source);
    }
    lp_technology_entry_free(self->domain.link.entry);
    lp_technology_entry_free(self->scale_out.link.entry);
    lp_technology_entry_free(self->scale_out.switches);
    lp_technology_entry_free(self->packet_network.link.entry);
    lp_technology_entry_free(self->packet_network.switches);
    g_free(self->library);
    g_free(self->system);
    g_free(self->description);
    g_free(self->like);
    g_free(self);
}

gboolean
lp_specification_has(const LpMachineSpecification *self, LpMachineOptionId option)
{
    return self->origin[option].text != NULL;
}

gboolean
lp_specification_is_given(const LpMachineSpecification *self, LpMachineOptionId option)
{
    return self->origin[option].is_given;
}
