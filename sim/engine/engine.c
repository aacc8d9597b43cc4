/* SPDX-License-Identifier: Apache-2.0 */
/* SimGrid's settings, start and run. */
#include "sim/engine/engine.h"

#include "base/address_space.h"
#include "base/c_locale.h"

#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <xbt/config.h>

#include <signal.h>

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

/* Above this, the guard pages of all stacks together exceed the kernel's limit of mappings. */
#define GUARDED_ACTORS_MAX 32000

/* What an actor takes beside its stack, guard page included: more than was seen. */
#define ACTOR_BYTES 8192

static void
add(GArray *options, const char *name, const char *value, const char *reason)
{
    LpEngineOption option = {name, value, reason};
    g_array_append_val(options, option);
}

GArray *
lp_engine_options(guint64 n_actors)
{
    GArray *options = g_array_new(FALSE, FALSE, sizeof(LpEngineOption));
    add(options, "network/model", "CM02",
        "fluid flows with max-min sharing, no slow-start factors");
    add(options, "network/crosstraffic", "0", "no reverse acknowledgement traffic");
    add(options, "network/TCP-gamma", "0", "no bandwidth cap from a TCP window");
    add(options, "network/latency-factor", "1", "latency as described");
    add(options, "network/bandwidth-factor", "1", "bandwidth as described");
    add(options, "network/weight-S", "0", "equal shares whatever the links' bandwidths");
    add(options, "network/loopback-lat", "0", "ranks never send to their own port");
    add(options, "surf/precision", "1e-12", "nearby events stay apart: short messages are exact");
#ifdef LP_CONTEXT_FACTORY
    add(options, "contexts/factory", LP_CONTEXT_FACTORY, "sanitizers need real threads");
#endif
#if defined(LP_CONTEXT_FACTORY) || defined(__SANITIZE_ADDRESS__)
    add(options, "contexts/stack-size", "512", "sanitizers need larger frames");
#else
    add(options, "contexts/stack-size", n_actors > GUARDED_ACTORS_MAX ? "16" : "64",
        "KiB an actor; programs are shallow");
#endif
    if (n_actors > GUARDED_ACTORS_MAX)
        add(options, "contexts/guard-size", "0", "the kernel limits the number of mappings");
    return options;
}

/* As global as the engine's own state, of which it is the one thing that C cannot ask for. */
static gboolean has_started;
/* Actors that will be made in this run, and what was left before the first. The engine makes those
 * of one instant together, after all of them were asked for. */
static guint64 n_reserved;
static double left_bytes;

gboolean
lp_engine_has_started(void)
{
    return has_started;
}

void
lp_engine_start(const GArray *options, const char *platform_path)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(arguments, g_strdup("lightpath"));
    g_ptr_array_add(arguments, g_strdup("--log=root.thres:critical"));
    for (guint i = 0; i < options->len; i++) {
        const LpEngineOption *option = &g_array_index(options, LpEngineOption, i);
        g_ptr_array_add(arguments, g_strdup_printf("--cfg=%s:%s", option->name, option->value));
    }
    int argc = (int)arguments->len;
    g_ptr_array_add(arguments, NULL);
    /* SimGrid moves what it does not know to the front of the array; the texts stay ours. */
    g_autofree char **argv = g_memdup2(arguments->pdata, sizeof(char *) * arguments->len);
    has_started = TRUE;
    /* SimGrid would answer Ctrl-C by itself, and end with status 1 as if something had failed. */
    struct sigaction on_interrupt;
    gboolean is_known = sigaction(SIGINT, NULL, &on_interrupt) == 0;
    simgrid_init(&argc, argv);
    if (is_known)
        (void)sigaction(SIGINT, &on_interrupt, NULL);
    simgrid_load_platform(platform_path);
}

void
lp_engine_reserve_stacks(guint64 n_actors)
{
    if (n_reserved == 0)
        left_bytes = lp_address_space_left_bytes();
    n_reserved += n_actors;
    double stack_bytes = sg_cfg_get_int("contexts/stack-size") * 1024.0;
    double bytes = (double)n_reserved * (stack_bytes + ACTOR_BYTES);
    if (bytes > left_bytes)
        g_free(g_malloc((gsize)bytes)); /* which there are not */
}

const char *
lp_engine_version(void)
{
    return "SimGrid " TEXT(SIMGRID_VERSION_MAJOR) "." TEXT(SIMGRID_VERSION_MINOR);
}

double
lp_engine_run(void)
{
    g_auto(LpCLocale) locale = lp_c_locale_begin();
    simgrid_run();
    return simgrid_get_clock();
}
