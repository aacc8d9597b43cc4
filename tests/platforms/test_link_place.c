/* SPDX-License-Identifier: Apache-2.0 */
/* Where links lie, in words: a route's links lead from the sender's port, each from where the one
 * before it ended, to the receiver's. */
#include "platforms/plain/routes.h"
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>
#include <string.h>

#define PORTS "--system=generic --accelerators=16 --domain-size=1 "

/* The place of a link, cut at " to " and before the plane. */
static void
ends_of(const LpRoutes *routes, guint32 link, char **out_from, char **out_to)
{
    g_autofree char *place = lp_routes_link_place(routes, link);
    char *middle = strstr(place, " to "), *plane = strstr(place, ", plane ");
    lp_test_true(place, middle != NULL);
    if (plane != NULL)
        *plane = '\0';
    *middle = '\0';
    *out_from = g_strdup(place);
    *out_to = g_strdup(middle + strlen(" to "));
}

static void
check_route(const char *label, const LpRoutes *routes, guint64 from, guint64 to, guint32 path)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree char *at = g_strdup_printf("port of accelerator %" G_GUINT64_FORMAT, from);
    g_autofree char *end = g_strdup_printf("port of accelerator %" G_GUINT64_FORMAT, to);
    lp_routes_add_out(routes, 0, from, to, path, links);
    for (guint i = 0; i < links->len; i++) {
        g_autofree char *first = NULL, *second = NULL;
        ends_of(routes, g_array_index(links, guint32, i), &first, &second);
        lp_test_text(label, first, at);
        g_free(at);
        at = g_steal_pointer(&second);
    }
    lp_test_text(label, at, end);
}

static void
test_routes(void)
{
    static const struct {
        const char *options;
        guint32 n_paths;
    } rows[] = {
        {PORTS "--leaf-ports=4 --oversubscription=2", 1},
        {PORTS "--leaf-ports=4 --oversubscription=2 --planes=2", 1},
        {PORTS "--leaf-ports=4 --oversubscription=2 --path-choice=hash --paths=4", 4},
        {PORTS "--levels=3 --leaf-ports=2 --switch-ports=4", 1},
        {PORTS "--topology=crossbar", 1},
        {PORTS "--topology=torus --dimensions=4x4", 1},
        {PORTS "--topology=torus --dimensions=4x4 --turns=yes", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = lp_spawn_platform(rows[i].options);
        g_autoptr(GError) error = NULL;
        g_autoptr(LpMachine) machine = lp_machine_load(path, &error);
        lp_test_text(rows[i].options, error != NULL ? error->message : NULL, NULL);
        if (machine == NULL)
            continue;
        LpRoutes *routes = lp_routes_new(machine);
        for (guint64 from = 0; from < 16; from++)
            for (guint64 to = 0; to < 16; to++)
                if (from != to)
                    check_route(rows[i].options, routes, from, to,
                                (guint32)(from + to) % rows[i].n_paths);
        lp_routes_free(routes);
        (void)g_unlink(path);
    }
}

/* No two links of a machine lie in one place. */
static void
test_apart(void)
{
    static const char *const options[] = {
        "--system=dgx-h100 --accelerators=64 --port-order=node --leaf-ports=16 "
        "--oversubscription=4",
        PORTS "--topology=dragonfly --group-routers=4 --router-ports=2",
        PORTS "--topology=torus --dimensions=4x4",
        "--system=ocs --accelerators=64",
    };
    for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
        g_autofree char *path = lp_spawn_platform(options[i]);
        g_autoptr(LpMachine) machine = lp_machine_load(path, NULL);
        lp_test_true(options[i], machine != NULL);
        if (machine == NULL)
            continue;
        LpRoutes *routes = lp_routes_new(machine);
        g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint32 link = 0; link < lp_routes_n_links(routes); link++) {
            char *place = lp_routes_link_place(routes, link);
            lp_test_true(place, g_hash_table_add(places, place));
        }
        lp_routes_free(routes);
        (void)g_unlink(path);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"routes", test_routes}, {"apart", test_apart}, {NULL, NULL}};
    return lp_test_run("link_place", cases);
}
