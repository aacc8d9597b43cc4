/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that tells versions of SimGrid's C API apart. */
#include "tests/support/engine_route.h"

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/version.h>
#include <xbt/dynar.h>

#include <stdlib.h>

void
lp_engine_begin(void)
{
    char program[] = "test";
#ifdef LP_CONTEXT_FACTORY
    char factory[] = "--cfg=contexts/factory:" LP_CONTEXT_FACTORY;
    char *argv[] = {program, factory, NULL};
    int argc = 2;
#else
    char *argv[] = {program, NULL};
    int argc = 1;
#endif
    simgrid_init(&argc, argv);
}

#if SIMGRID_VERSION >= 40100
GPtrArray *
lp_engine_route(const_sg_host_t from, const_sg_host_t to)
{
    GPtrArray *route = g_ptr_array_new();
    int n = 0;
    const_sg_link_t *links = sg_host_get_route_links(from, to, &n);
    for (int i = 0; i < n; i++)
        g_ptr_array_add(route, (gpointer)(guintptr)links[i]);
    free(links);
    return route;
}
#else
GPtrArray *
lp_engine_route(const_sg_host_t from, const_sg_host_t to)
{
    GPtrArray *route = g_ptr_array_new();
    xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, links);
    for (unsigned long i = 0; i < xbt_dynar_length(links); i++)
        g_ptr_array_add(route, xbt_dynar_get_as(links, i, sg_link_t));
    xbt_dynar_free(&links);
    return route;
}
#endif
