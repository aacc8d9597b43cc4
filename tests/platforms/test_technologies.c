/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped technologies against their sources' figures, and how broken files are refused. */
#include "platforms/catalogue/technologies.h"

#include "base/error.h"
#include "tests/testlib.h"

#include <string.h>

/* Every number has a source, a scope and a finite value; every entry something that is known. */
static void
test_shipped(void)
{
    static const guint fewest[] = {
        [LP_TECHNOLOGY_KIND_LINK] = 15, [LP_TECHNOLOGY_KIND_SWITCH] = 20};
    for (LpTechnologyKind kind = 0; kind < LP_N_TECHNOLOGY_KINDS; kind++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) entries = lp_technologies_load(kind, &error);
        lp_test_text("load", error != NULL ? error->message : NULL, NULL);
        lp_test_true("many", entries != NULL && entries->len >= fewest[kind]);
        for (guint i = 0; entries != NULL && i < entries->len; i++) {
            const LpTechnologyEntry *entry = g_ptr_array_index(entries, i);
            guint n = 0;
            for (guint p = 0; p < LP_N_TECHNOLOGY_PARAMETERS; p++) {
                const LpTechnologyNumber *number = &entry->number[p];
                n += number->is_known ? 1 : 0;
                lp_test_true(entry->name, number->is_known == (number->source != NULL) &&
                                              number->maximum >= number->value);
            }
            lp_test_true(entry->name, entry->kind == kind && n > 0);
        }
    }
}

/* Written here a second time. */
static void
test_figures(void)
{
    static const struct {
        LpTechnologyKind kind;
        const char *name;
        LpTechnologyParameter parameter;
        double value;
        LpTechnologyScope scope;
    } rows[] = {
        {LP_TECHNOLOGY_KIND_LINK, "pluggable-400g", LP_TECHNOLOGY_TRANSCEIVER_PRICE, 659,
         LP_TECHNOLOGY_SCOPE_MODULE},
        {LP_TECHNOLOGY_KIND_LINK, "pluggable-800g", LP_TECHNOLOGY_ENERGY_PER_BIT, 21e-12,
         LP_TECHNOLOGY_SCOPE_WITH_HOST_SERDES},
        {LP_TECHNOLOGY_KIND_LINK, "pluggable-800g", LP_TECHNOLOGY_CARD_PRICE, 2248,
         LP_TECHNOLOGY_SCOPE_DEVICE},
        /* Short electrical lines (arXiv 2407.10290). */
        {LP_TECHNOLOGY_KIND_LINK, "copper-xsr-112g", LP_TECHNOLOGY_ENERGY_PER_BIT, 1e-12,
         LP_TECHNOLOGY_SCOPE_PHY},
        {LP_TECHNOLOGY_KIND_LINK, "copper-lr-112g", LP_TECHNOLOGY_ENERGY_PER_BIT, 5e-12,
         LP_TECHNOLOGY_SCOPE_PHY},
        {LP_TECHNOLOGY_KIND_LINK, "copper-pcb", LP_TECHNOLOGY_ENERGY_PER_BIT, 2e-12,
         LP_TECHNOLOGY_SCOPE_PHY},
        {LP_TECHNOLOGY_KIND_LINK, "copper-wafer", LP_TECHNOLOGY_ENERGY_PER_BIT, 0.1e-12,
         LP_TECHNOLOGY_SCOPE_PHY},
        {LP_TECHNOLOGY_KIND_LINK, "copper-cabinet", LP_TECHNOLOGY_ENERGY_PER_BIT, 20e-12,
         LP_TECHNOLOGY_SCOPE_PHY},
        {LP_TECHNOLOGY_KIND_LINK, "linear-800g", LP_TECHNOLOGY_TRANSCEIVER_POWER, 8,
         LP_TECHNOLOGY_SCOPE_MODULE},
        {LP_TECHNOLOGY_KIND_LINK, "co-packaged", LP_TECHNOLOGY_ENERGY_PER_BIT, 12e-12,
         LP_TECHNOLOGY_SCOPE_WITH_HOST_SERDES},
        {LP_TECHNOLOGY_KIND_LINK, "waveguide-package", LP_TECHNOLOGY_ENERGY_PER_BIT, 4.3e-12,
         LP_TECHNOLOGY_SCOPE_WHOLE_LINK},
        {LP_TECHNOLOGY_KIND_LINK, "waveguide-substrate", LP_TECHNOLOGY_WAVELENGTH_RATE, 7e9,
         LP_TECHNOLOGY_SCOPE_WHOLE_LINK},
        {LP_TECHNOLOGY_KIND_SWITCH, "qm9700", LP_TECHNOLOGY_POWER, 1720,
         LP_TECHNOLOGY_SCOPE_DEVICE},
        {LP_TECHNOLOGY_KIND_SWITCH, "electrical-400g", LP_TECHNOLOGY_PORT_PRICE, 1090,
         LP_TECHNOLOGY_SCOPE_PORT},
        {LP_TECHNOLOGY_KIND_SWITCH, "piezo-polatis-192", LP_TECHNOLOGY_SWITCHING_TIME, 41.44e-3,
         LP_TECHNOLOGY_SCOPE_DEVICE},
        {LP_TECHNOLOGY_KIND_SWITCH, "tunable-laser-awgr", LP_TECHNOLOGY_SETTLING_TIME, 3.84e-9,
         LP_TECHNOLOGY_SCOPE_WHOLE_LINK},
        {LP_TECHNOLOGY_KIND_SWITCH, "silicon-ipronics-one-32", LP_TECHNOLOGY_INSERTION_LOSS, 6,
         LP_TECHNOLOGY_SCOPE_DEVICE},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(LpTechnologyEntry) entry = lp_technologies_find(rows[i].kind, rows[i].name, NULL);
        lp_test_true(rows[i].name, entry != NULL);
        if (entry == NULL)
            continue;
        const LpTechnologyNumber *number = &entry->number[rows[i].parameter];
        /* A rounding of the unit's scale. */
        lp_test_close(rows[i].name, number->value, rows[i].value, 1e-15);
        lp_test_true(rows[i].name, number->is_known && number->scope == rows[i].scope);
    }
}

/* A port's share of a switch, what is said of ports, and nothing where nothing is. */
static void
test_port(void)
{
    double value = 0.0;
    const char *source = NULL;
    g_autoptr(LpTechnologyEntry) whole =
        lp_technologies_find(LP_TECHNOLOGY_KIND_SWITCH, "electrical-64x400g-opus", NULL);
    lp_test_true("power",
                 lp_technology_entry_port(whole, LP_TECHNOLOGY_PORT_POWER, &value, &source));
    lp_test_close("power", value, 2524.0 / 64, 1e-15);
    lp_test_true("price",
                 lp_technology_entry_port(whole, LP_TECHNOLOGY_PORT_PRICE, &value, &source));
    lp_test_close("price", value, 37299.0 / 64, 1e-15);
    lp_test_true("source", source != NULL && strstr(source, "product 149853") != NULL);
    g_autoptr(LpTechnologyEntry) patch =
        lp_technologies_find(LP_TECHNOLOGY_KIND_SWITCH, "robotic-telescent", NULL);
    lp_test_true("said",
                 lp_technology_entry_port(patch, LP_TECHNOLOGY_PORT_PRICE, &value, &source));
    lp_test_close("said", value, 100.0, 1e-15);
    lp_test_true("unknown",
                 !lp_technology_entry_port(patch, LP_TECHNOLOGY_PORT_POWER, &value, &source));
}

static void
test_names(void)
{
    g_autoptr(GError) error = NULL;
    lp_test_true("no such",
                 lp_technologies_find(LP_TECHNOLOGY_KIND_LINK, "pluggable-400", &error) == NULL);
    lp_test_error("no such", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "the nearest is pluggable-400g");
    lp_test_true("a switch", lp_technologies_find(LP_TECHNOLOGY_KIND_LINK, "qm9700", NULL) == NULL);
}

#define FILE_OF(parameters)                                                                        \
    "<technologies><link name='a' medium='optical' description='b'>" parameters                    \
    "</link></technologies>"
#define PARAMETER(name, value)                                                                     \
    "<parameter name='" name "' value='" value "' scope='module' source='c'/>"

static void
test_broken(void)
{
    static const struct {
        const char *label, *text;
        int code;
        const char *message;
    } rows[] = {
        {"unknown parameter", FILE_OF(PARAMETER("energy", "1pJ/bit")), LP_INPUT_ERROR_NAME,
         "the nearest is "},
        {"no unit", FILE_OF(PARAMETER("energy-per-bit", "1")), LP_INPUT_ERROR_SYNTAX,
         "\"1\" has no unit"},
        {"of switches", FILE_OF(PARAMETER("ports", "8")), LP_INPUT_ERROR_SYNTAX,
         "link a: has a parameter ports"},
        {"twice", FILE_OF(PARAMETER("wavelengths", "8") PARAMETER("wavelengths", "8")),
         LP_INPUT_ERROR_SYNTAX, "link a: a second parameter wavelengths"},
        {"none", FILE_OF(PARAMETER("wavelengths", "0")), LP_INPUT_ERROR_VALUE, "out of range"},
        {"unknown scope",
         FILE_OF("<parameter name='rate' value='1GBps' scope='modul' source='c'/>"),
         LP_INPUT_ERROR_NAME, "the nearest is module"},
        {"range",
         FILE_OF("<parameter name='rate' value='2GBps' up-to='1GBps' scope='port' "
                 "source='c'/>"),
         LP_INPUT_ERROR_VALUE, "up-to: got 1GBps, wanted 2GBps or more"},
        {"no source", FILE_OF("<parameter name='rate' value='2GBps' scope='port'/>"),
         LP_INPUT_ERROR_SYNTAX, "source"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GBytes) content = g_bytes_new_static(rows[i].text, strlen(rows[i].text));
        g_autoptr(GError) error = NULL;
        lp_test_true(rows[i].label, lp_technologies_parse("t.xml", content, LP_TECHNOLOGY_KIND_LINK,
                                                          &error) == NULL);
        lp_test_true(rows[i].label, error != NULL && g_str_has_prefix(error->message, "t.xml:1"));
        lp_test_error(rows[i].label, &error, LP_INPUT_ERROR, rows[i].code, rows[i].message);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"shipped", test_shipped}, {"figures", test_figures},
                                       {"port", test_port},       {"names", test_names},
                                       {"broken", test_broken},   {NULL, NULL}};
    return lp_test_run("technologies", cases);
}
