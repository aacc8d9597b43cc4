/* SPDX-License-Identifier: Apache-2.0 */
/* The machine on which a row of measured training ran. */
#include "validation/cases/training_machine.h"

#include "base/error.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/system.h"
#include "validation/cases/accelerator_name.h"
#include "validation/cases/row_source.h"
#include "validation/cases/row_word.h"

#include <math.h>
#include <string.h>

#define GENERIC "generic"
/* Rates that differ by less are the same one, rounded. */
#define SAME_RATE 0.01

/* Options of generate, as texts. */
typedef struct {
    char *accelerators, *domain_size, *domain_bandwidth, *scale_out, *nics; /* owned */
} MachineTexts;

static void
clear_texts(MachineTexts *self)
{
    g_free(self->accelerators);
    g_free(self->domain_size);
    g_free(self->domain_bandwidth);
    g_free(self->scale_out);
    g_free(self->nics);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MachineTexts, clear_texts)

/* The number in @column with @unit behind it; *@out_text stays if the field is empty. */
static gboolean
read_rate(const LpTableRow *row, const char *column, const char *unit, char **out_text,
          GError **error)
{
    double value = 0.0;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (!lp_table_has(row, column))
        return TRUE;
    if (!lp_table_number(row, column, 1e-3, 1e6, &value, error))
        return FALSE;
    *out_text = g_strconcat(g_ascii_dtostr(digits, sizeof digits, value), unit, NULL);
    return TRUE;
}

/* Shipped systems whose links between and beside accelerators are those of other machines with the
 * accelerator, too. A800 have NVLink as H800 have, and cards as A100 have. */
static const struct {
    const char *accelerator, *scale_up, *scale_out;
} links_of[] = {
    {"v100-16", "dgx-1", "dgx-1"},
    {"v100-32", "dgx-1", "dgx-1"},
    {"a100-40", "dgx-a100", "dgx-a100"},
    {"a100-80", "dgx-a100", "dgx-a100"},
    {"a800", "hgx-h800", "dgx-a100"},
    {"h100-sxm", "dgx-h100", "dgx-h100"},
    {"h100-sxm-96", "dgx-h100", "dgx-h100"},
    {"h200", "dgx-h100", "dgx-h100"},
    {"h20", "dgx-h100", "dgx-h100"},
    {"h800", "hgx-h800", "hgx-h800"},
    {"b200", "dgx-b200", "dgx-b200"},
    {"b300", "dgx-b300", "dgx-b300"},
    {"gb200", "gb200-nvl72", "gb200-nvl72"},
    {"gb300", "gb300-nvl72", "gb300-nvl72"},
    {"mi300x", "mi300x-platform", "mi300x-platform"},
    {"mi325x", "mi300x-platform", "mi300x-platform"},
    {"mi350x", "mi355x-platform", "mi355x-platform"},
    {"mi355x", "mi355x-platform", "mi355x-platform"},
    {"mi250x-gcd", "frontier", "frontier"},
    {"mi250-gcd", "frontier", "frontier"},
    {"t4", "pcie-3", GENERIC},
    {"a100-80-pcie", "pcie-4", GENERIC},
    {"a100-40-pcie", "pcie-4", GENERIC},
    {"a10", "pcie-4", GENERIC},
    {"a10g", "pcie-4", GENERIC},
    {"a40", "pcie-4", GENERIC},
    {"a6000", "pcie-4", GENERIC},
    {"l4", "pcie-4", GENERIC},
    {"l40", "pcie-4", GENERIC},
    {"l40s", "pcie-4", GENERIC},
    {"rtx-3090", "pcie-4", GENERIC},
    {"rtx-4090", "pcie-4", GENERIC},
    {"mi210", "pcie-4", GENERIC},
    {"h100-pcie", "pcie-5", GENERIC},
    {"h100-nvl", "pcie-5", GENERIC},
};

/* What counts where a row states neither. */
static LpMachineSpecification *
habitual_links(const char *accelerator, gboolean is_scale_out, GError **error)
{
    const char *name = GENERIC;
    for (guint i = 0; i < G_N_ELEMENTS(links_of); i++)
        if (strcmp(links_of[i].accelerator, accelerator) == 0)
            name = is_scale_out ? links_of[i].scale_out : links_of[i].scale_up;
    return lp_system_load(name, error);
}

/* Rates are per accelerator; several may share a card, and more cards than accelerators act as one
 * for each. */
static gboolean
read_scale_out(MachineTexts *texts, const LpTableRow *row, guint64 domain_size,
               const char *accelerator, LpOutcome *outcome, GError **error)
{
    guint64 n_nics = domain_size;
    if (!read_rate(row, "scale_out_Gbps", "Gbps", &texts->scale_out, error) ||
        !lp_row_count(row, "nics_per_domain", 1, G_MAXUINT32, &n_nics, outcome, error))
        return FALSE;
    texts->nics = g_strdup_printf("%" G_GUINT64_FORMAT, MIN(n_nics, domain_size));
    if (texts->scale_out != NULL)
        return TRUE;
    g_autoptr(LpMachineSpecification) system = habitual_links(accelerator, TRUE, error);
    if (system == NULL)
        return FALSE;
    texts->scale_out = g_strdup_printf("%.9gGbps", system->scale_out.bytes_per_s * 8e-9);
    lp_outcome_infer(outcome, "scale-out %.4g Gb/s an accelerator, as %s: nothing is stated",
                     system->scale_out.bytes_per_s * 8e-9, system->system);
    return TRUE;
}

/* Rate and size of domains. *@size: of @system's; of those that a row leaves open, as few as hold
 * @n accelerators are taken, all alike where they are large. */
static gboolean
read_domain(MachineTexts *texts, const LpTableRow *row, const char *accelerator, guint64 n,
            guint64 *size, LpOutcome *outcome, GError **error)
{
    g_autoptr(LpMachineSpecification) system = habitual_links(accelerator, FALSE, error);
    if (system == NULL)
        return FALSE;
    if (!lp_table_has(row, "accelerators_per_domain")) {
        guint64 whole = system->domain.size, n_domains = (n + whole - 1) / whole;
        *size = whole > *size ? (n + n_domains - 1) / n_domains : *size;
        lp_outcome_infer(outcome, "%" G_GUINT64_FORMAT " accelerators a domain: nothing is stated",
                         *size);
    }
    if (texts->domain_bandwidth == NULL) {
        double rate = system->domain.bytes_per_s * 1e-9;
        texts->domain_bandwidth = g_strdup_printf("%.9gGBps", rate);
        lp_outcome_infer(outcome, "scale-up %.4g GB/s an accelerator, as %s: nothing is stated",
                         rate, system->system);
    }
    return TRUE;
}

/* Whether the row has a word on the network of its machine. */
static gboolean
states_network(const LpTableRow *row)
{
    static const char *const columns[] = {"system", "accelerators_per_domain", "scale_up_GBps",
                                          "scale_out_Gbps", "nics_per_domain"};
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        if (lp_table_has(row, columns[i]))
            return TRUE;
    return FALSE;
}

/* Domains of @system, all alike and as few as hold the accelerators. */
static gboolean
read_habitual(MachineTexts *texts, const LpTableRow *row, const LpMachineSpecification *system,
              LpOutcome *outcome, GError **error)
{
    guint64 n = 0;
    if (!lp_table_has(row, "accelerators"))
        return lp_table_fault(row, "accelerators", "their number", error);
    if (!lp_row_count(row, "accelerators", 1, LP_MACHINE_HOSTS_MAX, &n, outcome, error))
        return FALSE;
    guint64 n_domains = (n + system->domain.size - 1) / system->domain.size,
            size = (n + n_domains - 1) / n_domains;
    texts->accelerators = g_strdup_printf("%" G_GUINT64_FORMAT, n_domains * size);
    texts->domain_size = g_strdup_printf("%" G_GUINT64_FORMAT, size);
    lp_outcome_infer(outcome,
                     "machine %s in domains of %" G_GUINT64_FORMAT ": nothing is stated but the "
                     "accelerator",
                     system->system, size);
    return TRUE;
}

/* What a row states of the network between domains counts where it is not @named's own. Its cards
 * stay, since tables count those of a host, which need not be a domain. */
static gboolean
read_named_scale_out(MachineTexts *texts, const LpTableRow *row,
                     const LpMachineSpecification *named, gboolean is_large, LpOutcome *outcome,
                     GError **error)
{
    double own_gbps = named->scale_out.bytes_per_s * 8e-9;
    guint64 n_nics = 0;
    if (!read_rate(row, "scale_out_Gbps", "Gbps", &texts->scale_out, error) ||
        !lp_row_count(row, "nics_per_domain", 1, G_MAXUINT32, &n_nics, outcome, error))
        return FALSE;
    double stated_gbps = texts->scale_out != NULL ? g_ascii_strtod(texts->scale_out, NULL) : 0.0;
    if (texts->scale_out == NULL || own_gbps <= 0.0 || !is_large ||
        fabs(stated_gbps - own_gbps) <= SAME_RATE * own_gbps) {
        g_clear_pointer(&texts->scale_out, g_free);
        return TRUE;
    }
    lp_outcome_infer(outcome, "scale-out %.4g Gb/s an accelerator: the row's, not %s's %.4g",
                     stated_gbps, named->system, own_gbps);
    return TRUE;
}

/* Of @named's domains, whose size a row may state otherwise. */
static gboolean
read_texts(MachineTexts *texts, const LpTableRow *row, const LpMachineSpecification *named,
           const char *accelerator, gboolean *out_is_large, LpOutcome *outcome, GError **error)
{
    gboolean is_generic = strcmp(named->system, GENERIC) == 0;
    guint64 n = 0, size = MAX(named->domain.size, 1);
    if (!lp_table_has(row, "accelerators"))
        return lp_table_fault(row, "accelerators", "their number", error);
    if (!lp_row_count(row, "accelerators", 1, LP_MACHINE_HOSTS_MAX, &n, outcome, error) ||
        !lp_row_count(row, "accelerators_per_domain", 1, LP_MACHINE_HOSTS_MAX, &size, outcome,
                      error) ||
        !read_rate(row, "scale_up_GBps", "GBps", &texts->domain_bandwidth, error) ||
        (is_generic && !read_domain(texts, row, accelerator, n, &size, outcome, error)))
        return FALSE;
    texts->accelerators = g_strdup_printf("%" G_GUINT64_FORMAT, (n + size - 1) / size * size);
    texts->domain_size = g_strdup_printf("%" G_GUINT64_FORMAT, size);
    *out_is_large = n > size;
    if (!is_generic)
        return read_named_scale_out(texts, row, named, *out_is_large, outcome, error);
    return n <= size || read_scale_out(texts, row, size, accelerator, outcome, error);
}

/* By the name in the catalogue, another name that is listed, or the words of the text. */
static gboolean
find_accelerator(const LpTableRow *row, const LpPublicModels *models,
                 LpAccelerator *out_accelerator, LpOutcome *outcome, GError **error)
{
    g_autoptr(GError) fault = NULL;
    const char *name = lp_table_text(row, "accelerator");
    const char *other = lp_public_models_accelerator(models, name);
    g_autofree char *shown = lp_error_quote(name);
    if (lp_catalogue_find(other != NULL ? other : name, out_accelerator, &fault)) {
        if (g_ascii_strcasecmp(out_accelerator->name, name) != 0)
            lp_outcome_infer(outcome, "accelerator %s: in place of %s", out_accelerator->name,
                             shown);
        return TRUE;
    }
    g_autofree char *matched = lp_accelerator_name_match(name, NULL);
    if (matched == NULL) {
        g_propagate_error(error, g_steal_pointer(&fault));
        return FALSE;
    }
    lp_outcome_infer(outcome, "accelerator %s: by the words of %s", matched, shown);
    return lp_catalogue_find(matched, out_accelerator, error);
}

/* What carries bytes from host to host, as far as "system" has a word on it, else NULL. Static. */
static const char *
transport_of(const LpTableRow *row, LpOutcome *outcome)
{
    g_autofree char *words = g_ascii_strdown(lp_table_text(row, "system"), -1);
    if (strstr(words, "omni-path") == NULL)
        return NULL;
    const char *name = lp_transport_names[LP_TRANSPORT_OMNI_PATH];
    lp_outcome_infer(outcome, "transport %s: its system names it", name);
    return name;
}

/* The system of the catalogue that one of the words of the column names ("selene (dgx-a100)"), or
 * that which the row's source ran on, where it is like that one or none is named; else the generic
 * one. Returns: (transfer full). */
static char *
named_system(const LpTableRow *row, GError **error)
{
    g_auto(GStrv) known = lp_system_names(error);
    if (known == NULL)
        return NULL;
    g_autofree char *of_source = lp_row_source_system(lp_table_text(row, "source"));
    g_autoptr(LpMachineSpecification) own =
        of_source != NULL ? lp_system_load(of_source, NULL) : NULL;
    g_auto(GStrv) words = lp_row_words(lp_table_text(row, "system"));
    const char *named = NULL;
    for (guint i = 0; named == NULL && words[i] != NULL; i++)
        if (g_strv_contains((const char *const *)known, words[i]))
            named = words[i];
    if (own != NULL && (named == NULL || g_strcmp0(named, own->like) == 0))
        named = own->system;
    return g_strdup(named != NULL ? named : GENERIC);
}

LpMachine *
lp_training_machine_read(const LpTableRow *row, const LpPublicModels *models, LpOutcome *outcome,
                         char **out_platform, GError **error)
{
    g_auto(MachineTexts) texts = {.accelerators = NULL};
    LpAccelerator accelerator;
    if (!find_accelerator(row, models, &accelerator, outcome, error)) {
        (void)lp_table_prefix(row, "accelerator", error);
        return NULL;
    }
    g_autoptr(LpMachineSpecification) habitual =
        states_network(row) ? NULL : lp_system_habitual(accelerator.name);
    g_autofree char *system =
        habitual != NULL ? g_strdup(habitual->system) : named_system(row, error);
    g_autoptr(LpMachineSpecification) named = system != NULL ? lp_system_load(system, error) : NULL;
    if (named == NULL)
        return NULL;
    gboolean is_generic = strcmp(system, GENERIC) == 0, is_large = FALSE;
    if (habitual != NULL
            ? !read_habitual(&texts, row, habitual, outcome, error)
            : !read_texts(&texts, row, named, accelerator.name, &is_large, outcome, error))
        return NULL;
    if (is_generic && lp_table_has(row, "system"))
        lp_outcome_infer(outcome, "a generic machine: the catalogue has no system of that name");
    const char *options[LP_N_MACHINE_OPTIONS] = {
        [LP_MACHINE_OPTION_SYSTEM] = system,
        [LP_MACHINE_OPTION_ACCELERATORS] = texts.accelerators,
        [LP_MACHINE_OPTION_ACCELERATOR] = accelerator.name,
        [LP_MACHINE_OPTION_DOMAIN_SIZE] = texts.domain_size,
        [LP_MACHINE_OPTION_DOMAIN_BANDWIDTH] = texts.domain_bandwidth};
    if (is_large)
        options[LP_MACHINE_OPTION_SCALE_OUT_BANDWIDTH] = texts.scale_out;
    if (is_large && is_generic) {
        options[LP_MACHINE_OPTION_NICS_PER_DOMAIN] = texts.nics;
        options[LP_MACHINE_OPTION_PORT_ORDER] = "rail";
        options[LP_MACHINE_OPTION_TRANSPORT] = transport_of(row, outcome);
    }
    g_autoptr(LpMachineSpecification) specification = lp_specification_from_texts(options, error);
    g_autofree char *where = lp_table_where(row);
    g_autofree char *xml = specification != NULL ? lp_generate(specification, error) : NULL;
    LpMachine *machine = xml != NULL ? lp_machine_parse(where, xml, error) : NULL;
    if (machine == NULL)
        g_prefix_error(error, "%s: ", where);
    else
        *out_platform = g_steal_pointer(&xml);
    return machine;
}
