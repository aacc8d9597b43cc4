/* SPDX-License-Identifier: Apache-2.0 */
/* Puts rules of several libraries together. */
#include "platforms/machine/machine_library.h"

#include "base/error.h"
#include "platforms/catalogue/libraries.h"

#include <string.h>

#define PAIR_PREFIX "pair-"

static gboolean
fail_full(const LpLibrary *library, GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "library %s: got more protocols and choices than %d and %d with those of bridges "
                "and transports, wanted fewer",
                library->name, LP_LIBRARY_PROTOCOLS_MAX, LP_LIBRARY_RULES_MAX);
    return FALSE;
}

/* The place of the protocol called @name, or n_protocols. */
static guint32
find_protocol(const LpLibrary *library, const char *name)
{
    guint32 place = 0;
    while (place < library->n_protocols && strcmp(library->protocols[place].name, name) != 0)
        place++;
    return place;
}

/* The protocol of a bridge. Returns: its place, or -1 where there is no room. */
static int
add_pair_protocol(LpLibrary *library, const LpProtocol *protocol)
{
    LpProtocol own = *protocol;
    g_snprintf(own.name, sizeof own.name, PAIR_PREFIX "%s", protocol->name);
    guint32 place = find_protocol(library, own.name);
    if (place == LP_LIBRARY_PROTOCOLS_MAX)
        return -1;
    if (place == library->n_protocols)
        library->protocols[library->n_protocols++] = own;
    return (int)place;
}

/* Whether @rule is for groups that leave their domain, and for no others. */
static gboolean
leaves_domain(const LpLibraryRule *rule)
{
    return rule->spread == LP_SPREAD_DOMAINS || rule->spread == LP_SPREAD_TORUS ||
           rule->spread == LP_SPREAD_TWO;
}

/* Whether a group of two in one domain may follow @rule. A bridge reduces nothing. */
static gboolean
is_for_pair(const LpLibraryRule *rule)
{
    return !leaves_domain(rule) && rule->ranks_max >= 2 &&
           !(rule->algorithms.n_levels > 0 && rule->algorithms.level[0] == LP_ALGORITHM_IN_NETWORK);
}

/* Puts what @bridged does with two accelerators in front. */
static gboolean
add_pairs(LpLibrary *library, const LpLibrary *bridged, GError **error)
{
    LpLibraryRule rules[LP_LIBRARY_RULES_MAX];
    gboolean is_settled[LP_N_COLLECTIVES] = {FALSE};
    guint32 n = 0;
    for (guint32 i = 0; i < bridged->n_rules; i++) {
        LpLibraryRule rule = bridged->rules[i];
        if (!is_for_pair(&rule) || is_settled[rule.collective])
            continue;
        is_settled[rule.collective] = rule.bytes_max == G_MAXUINT64;
        int protocol = add_pair_protocol(library, &bridged->protocols[rule.protocol]);
        if (protocol < 0 || n + library->n_rules >= LP_LIBRARY_RULES_MAX)
            return fail_full(library, error);
        rule.spread = LP_SPREAD_PAIR;
        rule.protocol = (guint32)protocol;
        rules[n++] = rule;
    }
    memcpy(rules + n, library->rules, sizeof *rules * library->n_rules);
    library->n_rules += n;
    memcpy(library->rules, rules, sizeof *rules * library->n_rules);
    return TRUE;
}

/* Protocols between domains become those of the transport; a card carries @rate_bytes_per_s at
 * most. Returns: how many. */
static guint32
take_protocols(LpLibrary *library, const LpLibrary *transport, double rate_bytes_per_s,
               double card_bytes_per_s)
{
    guint32 n = 0;
    for (guint32 i = 0; i < transport->n_protocols; i++) {
        const LpProtocol *other = &transport->protocols[i];
        guint32 place = find_protocol(library, other->name);
        if (place == library->n_protocols)
            continue;
        LpProtocol *own = &library->protocols[place];
        own->base_s = other->base_s;
        own->chunk_bytes = other->chunk_bytes;
        own->hop_s[LP_REACH_FABRIC] = other->hop_s[LP_REACH_FABRIC];
        own->wire_factor[LP_REACH_FABRIC] =
            other->wire_factor[LP_REACH_FABRIC] * MAX(1.0, card_bytes_per_s / rate_bytes_per_s);
        n++;
    }
    return n;
}

/* A transport without choices of its own leaves those of the library. */
static gboolean
take_rules(LpLibrary *library, const LpLibrary *transport, GError **error)
{
    if (transport->n_rules == 0)
        return TRUE;
    guint32 n = 0;
    for (guint32 i = 0; i < library->n_rules; i++)
        if (!leaves_domain(&library->rules[i]))
            library->rules[n++] = library->rules[i];
    for (guint32 i = 0; i < transport->n_rules; i++) {
        LpLibraryRule rule = transport->rules[i];
        rule.protocol = find_protocol(library, transport->protocols[rule.protocol].name);
        if (rule.protocol == library->n_protocols)
            continue;
        if (n == LP_LIBRARY_RULES_MAX)
            return fail_full(library, error);
        library->rules[n++] = rule;
    }
    library->n_rules = n;
    return TRUE;
}

/* A library without protocols of the transport's names has nothing to say of transports. */
static gboolean
take_transport(const LpMachine *machine, LpLibrary *library, GError **error)
{
    LpLibrary transport;
    double rate_bytes_per_s = 0.0;
    if (!lp_library_find_transport(lp_transport_names[machine->transport], &transport,
                                   &rate_bytes_per_s, error))
        return FALSE;
    double card_bytes_per_s = machine->cluster[LP_ATTACHMENT_SCALE_OUT].link_bytes_per_s;
    return take_protocols(library, &transport, rate_bytes_per_s, card_bytes_per_s) == 0 ||
           take_rules(library, &transport, error);
}

/* Rates that differ by less are the same, written in other units. */
#define SAME_RATE (1.0 + 1e-6)

/* Leaves out what is for slower cards. */
static void
drop_slower_cards(const LpMachine *machine, LpLibrary *library)
{
    double card = machine->cluster[LP_ATTACHMENT_SCALE_OUT].link_bytes_per_s;
    double all = card * machine->cards_per_domain * machine->n_planes;
    guint32 n = 0;
    for (guint32 i = 0; i < library->n_rules; i++) {
        const LpLibraryRule *rule = &library->rules[i];
        gboolean fits =
            (rule->card_bytes_per_s_max == 0.0 || card <= rule->card_bytes_per_s_max * SAME_RATE) &&
            (rule->cards_bytes_per_s_max == 0.0 || all <= rule->cards_bytes_per_s_max * SAME_RATE);
        if (fits)
            library->rules[n++] = *rule;
    }
    library->n_rules = n;
}

gboolean
lp_machine_library(const LpMachine *self, const char *name, LpLibrary *out_library, GError **error)
{
    const char *accelerator = lp_accelerator_known_as(&self->accelerator);
    if (self->library != NULL && strcmp(name, LP_LIBRARY_AUTO) == 0)
        name = self->library;
    gboolean on_pcie = lp_pcie_host_is_present(&self->pcie_host);
    gboolean has_bridges = self->pcie_host.pair_bytes_per_s > 0.0;
    if (!lp_library_find_for(name, accelerator, on_pcie, self->domain_size, out_library, error))
        return FALSE;
    LpLibrary bridged;
    if (has_bridges && strcmp(name, LP_LIBRARY_AUTO) == 0 &&
        (!lp_library_find_for(name, accelerator, FALSE, self->domain_size, &bridged, error) ||
         !add_pairs(out_library, &bridged, error)))
        return FALSE;
    if (self->transport != LP_TRANSPORT_RDMA && !take_transport(self, out_library, error))
        return FALSE;
    drop_slower_cards(self, out_library);
    return TRUE;
}

static LpLibrary *
find_one(const LpMachine *self, const char *name, const char *protocol, GError **error)
{
    g_autoptr(LpLibrary) library = g_new0(LpLibrary, 1);
    if (!lp_machine_library(self, lp_library_name_or_auto(name), library, error)) {
        g_prefix_error(error, "library: ");
        return NULL;
    }
    if (lp_library_is_named(protocol) && !lp_library_restrict(library, protocol, error)) {
        g_prefix_error(error, "protocol: ");
        return NULL;
    }
    return g_steal_pointer(&library);
}

LpLibrary *
lp_machine_libraries(const LpMachine *self, const LpPlanLibrary *said, GError **error)
{
    const LpLibraryPicks *picks = &said->picks;
    const char *first = picks->n_picks > 0 ? picks->names[0] : said->name;
    g_autoptr(LpLibrary) library = find_one(self, first, said->protocol, error);
    if (library == NULL || picks->n_picks == 0)
        return g_steal_pointer(&library);
    library->mix = g_new0(LpLibraryMix, 1);
    library->mix->said = *picks;
    for (guint32 i = 1; i < picks->n_names; i++) {
        library->mix->libraries[i] = find_one(self, picks->names[i], said->protocol, error);
        if (library->mix->libraries[i] == NULL)
            return NULL;
    }
    return g_steal_pointer(&library);
}
