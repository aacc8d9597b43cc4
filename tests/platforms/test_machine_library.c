/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine leaves of its library: rules for its cards, and its transport. */
#include "platforms/machine/machine_library.h"

#include "platforms/catalogue/libraries.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <string.h>

static gboolean
load(const char *options, LpLibrary *library, double *card_bytes_per_s)
{
    g_autoptr(LpMachine) machine = lp_generated_machine_good(options);
    gboolean found = machine != NULL && lp_machine_library(machine, LP_LIBRARY_AUTO, library, NULL);
    lp_test_true(options, found);
    if (found)
        *card_bytes_per_s = machine->cluster[LP_ATTACHMENT_SCALE_OUT].link_bytes_per_s;
    return found;
}

/* Rules for cards, or all cards of a domain, up to a rate hold for those and for no faster ones,
 * by however little; the unit does not matter. */
static void
test_cards(void)
{
    static const struct {
        const char *options;
        gboolean has_rules;
    } rows[] = {
        {"--system=dgx-a100 --accelerators=16 --nic-bandwidth=100Gbps", TRUE},
        {"--system=dgx-a100 --accelerators=16 --nic-bandwidth=12.5GBps", TRUE},
        {"--system=dgx-a100 --accelerators=16 --nic-bandwidth=101Gbps", FALSE},
        {"--system=dgx-a100 --accelerators=16 --nic-bandwidth=110Gbps", FALSE},
        {"--system=dgx-h100 --accelerators=16 --nic-bandwidth=200Gbps", TRUE},
        {"--system=dgx-h100 --accelerators=16 --nic-bandwidth=202Gbps", FALSE},
        {"--system=dgx-h100 --accelerators=16 --nic-bandwidth=400Gbps", FALSE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpLibrary library;
        double card = 0.0;
        guint32 n = 0;
        if (!load(rows[i].options, &library, &card))
            continue;
        for (guint32 k = 0; k < library.n_rules; k++)
            n += library.rules[k].card_bytes_per_s_max + library.rules[k].cards_bytes_per_s_max > 0;
        lp_test_true(rows[i].options, (n > 0) == rows[i].has_rules);
    }
}

/* Sockets reach 4 to 6 GB/s whatever the card (NCCL issue 450, and 7 of 8 where it is slower: NCCL
 * issue 209); a transport takes the protocols beyond domains, and leaves those inside. */
static void
test_transport(void)
{
    static const struct {
        const char *rate;
        double low, high;
    } rows[] = {{"32Gbps", 3.5e9, 4e9}, {"100Gbps", 4e9, 6e9}, {"400Gbps", 4e9, 6e9}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *options = g_strdup_printf(
            "--system=dgx-h100 --accelerators=16 --transport=tcp --nic-bandwidth=%s", rows[i].rate);
        LpLibrary library, plain;
        double card = 0.0, other = 0.0;
        if (!load(options, &library, &card) ||
            !load("--system=dgx-h100 --accelerators=16", &plain, &other))
            continue;
        for (guint32 k = 0; k < library.n_protocols; k++) {
            const LpProtocol *own = &library.protocols[k];
            double rate = card / own->wire_factor[LP_REACH_FABRIC];
            if (strcmp(own->name, "fabric-simple") == 0)
                lp_test_true(rows[i].rate, rate > rows[i].low && rate < rows[i].high);
            lp_test_close(own->name, own->hop_s[LP_REACH_DOMAIN],
                          plain.protocols[k].hop_s[LP_REACH_DOMAIN], 0.0);
        }
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"cards", test_cards}, {"transport", test_transport}, {NULL, NULL}};
    return lp_test_run("machine library", cases);
}
