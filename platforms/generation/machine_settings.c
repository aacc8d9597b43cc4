/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the specification of a machine of its system and of options in the place of its values. */
#include "platforms/generation/machine_settings.h"

#include "base/error.h"
#include "platforms/generation/machine_options.h"
#include "platforms/generation/system.h"

#include <string.h>

#define GIVEN "given on the command line"

/* Sets an option as lp_machine_option_set() does. Error messages begin with the option. */
static gboolean
set(LpMachineSpecification *self, LpMachineOptionId option, const char *text, const char *source,
    gboolean is_given, GError **error)
{
    if (lp_machine_option_set(self, option, text, source, is_given, error))
        return TRUE;
    g_prefix_error(error, "--%s: ", lp_machine_options[option].name);
    return FALSE;
}

/* Takes back what the system says. */
static void
clear(LpMachineSpecification *self, LpMachineOptionId option)
{
    LpOptionOrigin *origin = &self->origin[option];
    g_clear_pointer(&origin->text, g_free);
    g_clear_pointer(&origin->source, g_free);
    origin->is_given = FALSE;
}

/* Another accelerator keeps the properties that were set. */
static gboolean
repeat_properties(LpMachineSpecification *self, GError **error)
{
    for (guint i = LP_MACHINE_OPTION_PROPERTY; i < LP_N_MACHINE_OPTIONS; i++) {
        g_autofree char *text = g_strdup(self->origin[i].text);
        if (text != NULL && !set(self, i, text, GIVEN, TRUE, error))
            return FALSE;
    }
    return TRUE;
}

/* Behind circuit switches the ports of an accelerator are theirs. */
static gboolean
set_circuit_ports(LpMachineSpecification *self, const char *text, GError **error)
{
    self->planes.ports_per_accelerator = 0;
    if (!lp_specification_is_given(self, LP_MACHINE_OPTION_CIRCUIT_PORTS))
        return set(self, LP_MACHINE_OPTION_CIRCUIT_PORTS, text,
                   "follows from --ports-per-accelerator on the command line", FALSE, error);
    if (strcmp(self->origin[LP_MACHINE_OPTION_CIRCUIT_PORTS].text, text) == 0)
        return TRUE;
    g_set_error(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_SIZE,
                "--ports-per-accelerator: %s, wanted the value of --circuit-ports, or one of the "
                "two",
                text);
    return FALSE;
}

/* What a technology of circuit switches says, where the caller says nothing. Re-locking is left
 * out, as published training times leave it out. */
static gboolean
set_circuit_technology(LpMachineSpecification *self, GError **error)
{
    static const struct {
        LpTechnologyParameter parameter;
        LpMachineOptionId option;
    } rows[] = {
        {LP_TECHNOLOGY_SETTLING_TIME, LP_MACHINE_OPTION_RECONFIGURATION_TIME},
        {LP_TECHNOLOGY_SWITCHING_TIME, LP_MACHINE_OPTION_RECONFIGURATION_TIME},
        {LP_TECHNOLOGY_PORTS, LP_MACHINE_OPTION_OCS_PORTS},
        {LP_TECHNOLOGY_INSERTION_LOSS, LP_MACHINE_OPTION_INSERTION_LOSS},
    };
    const LpTechnologyEntry *switches = self->scale_out.switches;
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        const LpTechnologyNumber *number = &switches->number[rows[i].parameter];
        if (!number->is_known || lp_specification_is_given(self, rows[i].option))
            continue;
        g_autofree char *source = g_strdup_printf("%s: %s", switches->name, number->source);
        if (!set(self, rows[i].option, number->text, source, FALSE, error))
            return FALSE;
    }
    const LpTechnologyEntry *link = self->scale_out.link.entry;
    if (link == NULL || !link->number[LP_TECHNOLOGY_LINK_BUDGET].is_known ||
        lp_specification_is_given(self, LP_MACHINE_OPTION_LINK_BUDGET))
        return TRUE;
    const LpTechnologyNumber *budget = &link->number[LP_TECHNOLOGY_LINK_BUDGET];
    return set(self, LP_MACHINE_OPTION_LINK_BUDGET, budget->text, budget->source, FALSE, error);
}

static gboolean
set_implied(LpMachineSpecification *self, LpMachineOptionId option, const char *text,
            GError **error)
{
    switch ((int)option) {
    case LP_MACHINE_OPTION_ACCELERATOR:
        return repeat_properties(self, error);
    case LP_MACHINE_OPTION_RAILS:
        return lp_specification_is_given(self, LP_MACHINE_OPTION_PORT_ORDER) ||
               set(self, LP_MACHINE_OPTION_PORT_ORDER, lp_port_order_names[LP_PORT_ORDER_RAIL],
                   "follows from --rails on the command line", FALSE, error);
    case LP_MACHINE_OPTION_PORTS_PER_ACCELERATOR:
        if (self->circuits.is_present)
            return set_circuit_ports(self, text, error);
        return lp_specification_is_given(self, LP_MACHINE_OPTION_PLANES) ||
               set(self, LP_MACHINE_OPTION_PLANES, text,
                   "follows from --ports-per-accelerator on the command line", FALSE, error);
    case LP_MACHINE_OPTION_SWITCH_TECHNOLOGY:
        return !self->circuits.is_present || set_circuit_technology(self, error);
    case LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH:
        /* The rate of a port, where it is the system's, gives way to that of an accelerator. */
        if (!lp_specification_is_given(self, LP_MACHINE_OPTION_NIC_BANDWIDTH)) {
            clear(self, LP_MACHINE_OPTION_NIC_BANDWIDTH);
            self->scale_out.port_bytes_per_s = 0.0;
        }
        return TRUE;
    default:
        return TRUE;
    }
}

gboolean
lp_specification_set(LpMachineSpecification *self, LpMachineOptionId option, const char *text,
                     GError **error)
{
    g_return_val_if_fail(option > LP_MACHINE_OPTION_ACCELERATORS && text != NULL, FALSE);
    return set(self, option, text, GIVEN, TRUE, error) && set_implied(self, option, text, error);
}

/* The system, and how many accelerators of it. */
static LpMachineSpecification *
new_of_texts(const char *system, const char *accelerators, GError **error)
{
    g_autoptr(LpMachineSpecification) self = lp_system_load(system, error);
    if (self == NULL) {
        g_prefix_error(error, "--system: ");
        return NULL;
    }
    self->origin[LP_MACHINE_OPTION_SYSTEM] =
        (LpOptionOrigin){g_strdup(system), g_strdup(GIVEN), TRUE};
    if (!set(self, LP_MACHINE_OPTION_ACCELERATORS, accelerators, GIVEN, TRUE, error))
        return NULL;
    if (self->n_accelerators < self->domain.size && self->domain.size % self->n_accelerators == 0) {
        g_autofree char *source = g_strdup_printf("a part of one domain of %u", self->domain.size);
        if (!set(self, LP_MACHINE_OPTION_DOMAIN_SIZE, accelerators, source, FALSE, error))
            return NULL;
    }
    return g_steal_pointer(&self);
}

LpMachineSpecification *
lp_specification_new(const char *system, guint32 n_accelerators, GError **error)
{
    g_return_val_if_fail(system != NULL, NULL);
    g_autofree char *accelerators = g_strdup_printf("%u", n_accelerators);
    return new_of_texts(system, accelerators, error);
}

LpMachineSpecification *
lp_specification_from_texts(const char *const *texts, GError **error)
{
    g_return_val_if_fail(texts[LP_MACHINE_OPTION_SYSTEM] != NULL &&
                             texts[LP_MACHINE_OPTION_ACCELERATORS] != NULL,
                         NULL);
    g_autoptr(LpMachineSpecification) self =
        new_of_texts(texts[LP_MACHINE_OPTION_SYSTEM], texts[LP_MACHINE_OPTION_ACCELERATORS], error);
    for (guint i = LP_MACHINE_OPTION_ACCELERATORS + 1; self != NULL && i < LP_N_MACHINE_OPTIONS;
         i++)
        if (texts[i] != NULL && !lp_specification_set(self, i, texts[i], error))
            return NULL;
    return g_steal_pointer(&self);
}

/* Puts the value of "name=value" in its place of @texts. */
static gboolean
read_word(const char *word, char **texts, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(word, "=", 2);
    int option = lp_machine_option_find(parts[0], LP_OPTION_ON_COMMAND_LINE, error);
    if (option < 0) {
        g_prefix_error(error, "options of a machine: ");
        return FALSE;
    }
    g_free(texts[option]);
    texts[option] = g_strdup(parts[1] != NULL ? parts[1] : "");
    return TRUE;
}

LpMachineSpecification *
lp_specification_parse(const char *line, GError **error)
{
    g_return_val_if_fail(line != NULL && g_str_has_prefix(line, "--"), NULL);
    /* Values may hold blanks. */
    g_auto(GStrv) words = g_strsplit(line + strlen("--"), " --", -1);
    char *texts[LP_N_MACHINE_OPTIONS] = {NULL};
    gboolean good = TRUE;
    for (char **word = words; good && *word != NULL; word++)
        good = read_word(*word, texts, error);
    if (good && (texts[LP_MACHINE_OPTION_SYSTEM] == NULL ||
                 texts[LP_MACHINE_OPTION_ACCELERATORS] == NULL)) {
        g_set_error_literal(error, LP_MACHINE_ERROR, LP_MACHINE_ERROR_STRUCTURE,
                            "options of a machine: got no --system or no --accelerators, wanted "
                            "both");
        good = FALSE;
    }
    LpMachineSpecification *self =
        good ? lp_specification_from_texts((const char *const *)texts, error) : NULL;
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        g_free(texts[i]);
    return self;
}

char *
lp_specification_command(const LpMachineSpecification *self)
{
    GString *command = g_string_new("lightpath platform generate");
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if (lp_specification_is_given(self, i))
            g_string_append_printf(command, " --%s=%s", lp_machine_options[i].name,
                                   self->origin[i].text);
    return g_string_free(command, FALSE);
}
