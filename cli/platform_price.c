/* SPDX-License-Identifier: Apache-2.0 */
/* Fat trees, rails and optical circuit switches for so many accelerators: ports, price and power
 * by the counts of model/network/network_cost.h, with the constants of technologies.xml. */
#include "cli/platform_price.h"

#include "base/error.h"
#include "base/units.h"
#include "cli/options.h"
#include "report/result_field.h"
#include "model/network/network_cost.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/machine/medium.h"

#define N_ACCELERATORS_MAX (1 << 30) /* what all three counts take */
#define PORTS_MAX 1024               /* of an accelerator; products stay far below 2^64 */

/* What the command line gives; texts are owned. */
typedef struct {
    char *accelerators, *domain_size, *technology, *switch_technology, *circuit_switch_technology;
    char *ports, *transceivers, *format;
} Texts;

static void
texts_clear(Texts *self)
{
    char *const all[] = {self->accelerators,
                         self->domain_size,
                         self->technology,
                         self->switch_technology,
                         self->circuit_switch_technology,
                         self->ports,
                         self->transceivers,
                         self->format};
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
        g_free(all[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Texts, texts_clear)

/* One network beside the others. */
typedef struct {
    const char *name, *label;
    LpNetworkCount count;
    LpNetworkCost cost;
} Network;

enum {
    FAT_TREE,
    RAILS,
    CIRCUITS,
    N_NETWORKS
};

static gboolean
is_given(const char *option, const char *text, const char *wanted, GError **error)
{
    return text != NULL || lp_usage_error(error, "--%s: missing, wanted %s", option, wanted);
}

static LpTechnologyEntry *
find(const char *option, const char *text, LpTechnologyKind kind, GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (!is_given(option, text, "a name of \"lightpath platform list --technologies\"", error))
        return NULL;
    LpTechnologyEntry *entry = lp_technologies_find(kind, text, &fault);
    if (entry == NULL)
        (void)lp_usage_error(error, "--%s: %s", option, fault->message);
    return entry;
}

/* A price or a power that the sums need. */
static gboolean
read_link(const LpTechnologyEntry *link, LpNetworkParts *parts, GError **error)
{
    const LpTechnologyNumber *price = &link->number[LP_TECHNOLOGY_TRANSCEIVER_PRICE];
    const LpTechnologyNumber *power = &link->number[LP_TECHNOLOGY_TRANSCEIVER_POWER];
    if (!price->is_known || !power->is_known)
        return lp_usage_error(error,
                              "--technology: %s has no transceiver-%s, wanted links whose "
                              "transceivers have price and power",
                              link->name, price->is_known ? "power" : "price");
    parts->transceiver_price_usd = price->value;
    parts->transceiver_power_w = power->value;
    return TRUE;
}

static gboolean
read_switch(const char *option, const LpTechnologyEntry *entry, LpNetworkParts *parts,
            GError **error)
{
    const char *source;
    if (!lp_technology_entry_port(entry, LP_TECHNOLOGY_PORT_PRICE, &parts->switch_port_price_usd,
                                  &source))
        return lp_usage_error(error, "--%s: %s has no price, wanted a switch whose price is known",
                              option, entry->name);
    if (!lp_technology_entry_port(entry, LP_TECHNOLOGY_PORT_POWER, &parts->switch_port_power_w,
                                  &source))
        return lp_usage_error(error, "--%s: %s has no power, wanted a switch whose power is known",
                              option, entry->name);
    return TRUE;
}

/* Constants of electrical and of circuit switches, with the same transceivers. */
static gboolean
read_parts(const Texts *texts, LpNetworkParts *electrical, LpNetworkParts *circuits, GError **error)
{
    g_autoptr(LpTechnologyEntry) link =
        find("technology", texts->technology, LP_TECHNOLOGY_KIND_LINK, error);
    if (link == NULL || !read_link(link, electrical, error))
        return FALSE;
    *circuits = *electrical;
    g_autoptr(LpTechnologyEntry) packet =
        find("switch-technology", texts->switch_technology, LP_TECHNOLOGY_KIND_SWITCH, error);
    if (packet == NULL || !read_switch("switch-technology", packet, electrical, error))
        return FALSE;
    g_autoptr(LpTechnologyEntry) circuit =
        find("circuit-switch-technology", texts->circuit_switch_technology,
             LP_TECHNOLOGY_KIND_SWITCH, error);
    return circuit != NULL && read_switch("circuit-switch-technology", circuit, circuits, error);
}

static gboolean
count(const Texts *texts, Network *networks, GError **error)
{
    guint n_accelerators, domain_size, n_ports, transceivers;
    if (!is_given("accelerators", texts->accelerators, "their number", error) ||
        !lp_option_count("accelerators", texts->accelerators, 1, N_ACCELERATORS_MAX, 1,
                         &n_accelerators, error) ||
        !is_given("domain-size", texts->domain_size, "accelerators of a domain", error) ||
        !lp_option_count("domain-size", texts->domain_size, 1, n_accelerators, 1, &domain_size,
                         error) ||
        !lp_option_count("circuit-ports", texts->ports, 1, PORTS_MAX, 2, &n_ports, error) ||
        !lp_option_choice("transceivers", texts->transceivers, lp_transceivers_names,
                          LP_TRANSCEIVERS_BOTH, &transceivers, error))
        return FALSE;
    if (n_accelerators % domain_size != 0)
        return lp_usage_error(error, "--domain-size: got %u, wanted a divisor of %u accelerators",
                              domain_size, n_accelerators);
    LpTransceivers ends = (LpTransceivers)transceivers;
    networks[FAT_TREE].count = lp_network_count_fat_tree(n_accelerators, ends);
    networks[RAILS].count = lp_network_count_rails(n_accelerators / domain_size, domain_size, ends);
    networks[CIRCUITS].count = lp_network_count_circuits(n_accelerators, n_ports);
    return TRUE;
}

static json_t *
to_json(const Network *networks)
{
    const LpNetworkCost *least = &networks[CIRCUITS].cost;
    json_t *root = lp_json_document();
    json_t *array = lp_json_set_array(root, "networks");
    for (gsize i = 0; i < N_NETWORKS; i++) {
        const Network *network = &networks[i];
        json_t *object = lp_json_append_object(array);
        lp_json_set_text(object, "name", network->name);
        lp_json_set_count(object, "host_ports", network->count.n_host_ports);
        lp_json_set_count(object, "switch_ports", network->count.n_switch_ports);
        lp_json_set_count(object, "transceivers", network->count.n_transceivers);
        lp_json_set_number(object, "price_usd", network->cost.price_usd);
        lp_json_set_number(object, "power_w", network->cost.power_w);
        lp_json_set_number(object, "price_over_circuits",
                           network->cost.price_usd / least->price_usd);
        lp_json_set_number(object, "power_over_circuits", network->cost.power_w / least->power_w);
    }
    return root;
}

static gboolean
print_text(const Network *networks, GError **error)
{
    const LpNetworkCost *least = &networks[CIRCUITS].cost;
    static const char *const keys[] = {
        "/name",    "/switch_ports",        "/transceivers",       "/price_usd",
        "/power_w", "/price_over_circuits", "/power_over_circuits"};
    g_autoptr(GPtrArray) headings = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        g_ptr_array_add(headings, g_strconcat(i > 0 ? "#" : "",
                                              lp_result_field_label("priced", keys[i]), NULL));
    g_ptr_array_add(headings, NULL);
    g_autoptr(LpTextTable) table = lp_text_table_new((const char *const *)headings->pdata);
    for (gsize i = 0; i < N_NETWORKS; i++) {
        const Network *network = &networks[i];
        lp_text_table_add_row(table);
        lp_text_table_add_cell(table, "%s", network->label);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, network->count.n_switch_ports);
        lp_text_table_add_cell(table, "%" G_GUINT64_FORMAT, network->count.n_transceivers);
        lp_text_table_add_quantity(table, LP_QUANTITY_PRICE, network->cost.price_usd);
        lp_text_table_add_quantity(table, LP_QUANTITY_POWER, network->cost.power_w);
        lp_text_table_add_cell(table, "%.2f", network->cost.price_usd / least->price_usd);
        lp_text_table_add_cell(table, "%.1f", network->cost.power_w / least->power_w);
    }
    return lp_print_table(table, error);
}

gboolean
lp_cmd_platform_price(int argc, char **argv, GError **error)
{
    g_auto(Texts) texts = {.accelerators = NULL};
    const GOptionEntry entries[] = {
        {"accelerators", 0, 0, G_OPTION_ARG_STRING, &texts.accelerators, "How many", "N"},
        {"domain-size", 0, 0, G_OPTION_ARG_STRING, &texts.domain_size,
         "Accelerators of a scale-up domain, one on each rail", "N"},
        {"technology", 0, 0, G_OPTION_ARG_STRING, &texts.technology,
         "Links: a name of list --technologies", "NAME"},
        {"switch-technology", 0, 0, G_OPTION_ARG_STRING, &texts.switch_technology,
         "Switches of the fat tree and the rails, likewise", "NAME"},
        {"circuit-switch-technology", 0, 0, G_OPTION_ARG_STRING, &texts.circuit_switch_technology,
         "Optical circuit switches, likewise", "NAME"},
        {"circuit-ports", 0, 0, G_OPTION_ARG_STRING, &texts.ports,
         "Ports of circuit switches an accelerator (2: a ring)", "N"},
        {"transceivers", 0, 0, G_OPTION_ARG_STRING, &texts.transceivers,
         "Ends of electrical networks' links that have one: both (default) or host", "ENDS"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &texts.format, "text (default) or json", "FORMAT"},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL}};
    LpFormat format = LP_FORMAT_TEXT;
    Network networks[N_NETWORKS] = {[FAT_TREE] = {.name = "fat-tree", .label = "fat tree"},
                                    [RAILS] = {.name = "rails", .label = "rails"},
                                    [CIRCUITS] = {.name = "circuits", .label = "circuits"}};
    LpNetworkParts electrical = {0}, circuits = {0};
    if (!lp_options_parse("platform price", NULL,
                          "Price and power of networks: a fat tree, a rail-optimised fabric, and "
                          "optical circuit switches.",
                          entries, &argc, &argv, 0, 0, error) ||
        !lp_format_parse(texts.format, &format, error) || !count(&texts, networks, error) ||
        !read_parts(&texts, &electrical, &circuits, error))
        return FALSE;
    for (gsize i = 0; i < N_NETWORKS; i++)
        networks[i].cost =
            lp_network_cost(&networks[i].count, i == CIRCUITS ? &circuits : &electrical);
    return format == LP_FORMAT_JSON ? lp_print_json(to_json(networks), error)
                                    : print_text(networks, error);
}
