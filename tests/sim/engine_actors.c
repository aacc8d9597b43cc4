/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the engine and actors in it. */
#include "tests/sim/engine_actors.h"

#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "tests/support/generated.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>

#define ACTORS_MAX 256

typedef struct {
    void (*run)(gpointer data);
    gpointer data;
} Work;

LpNetwork *
lp_engine_actors_network(const char *options)
{
    LpMachine *machine = lp_generated_machine_good(options);
    g_autoptr(GArray) settings = lp_engine_options(ACTORS_MAX);
    g_autoptr(GError) error = NULL;
    if (machine == NULL)
        return NULL;
    LpNetwork *network = lp_network_new(machine);
    gboolean good = lp_network_load(network, settings, &error);
    lp_test_text("engine", error != NULL ? error->message : NULL, NULL);
    return good ? network : NULL;
}

struct s4u_Host *
lp_engine_actors_host(const LpNetwork *network, guint64 accelerator)
{
    return lp_network_port(network, accelerator, LP_ATTACHMENT_SCALE_OUT)->host;
}

static void
actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    g_autofree Work *work = sg_actor_self_get_data();
    work->run(work->data);
}

void
lp_engine_actors_start(struct s4u_Host *host, void (*run)(gpointer data), gpointer data)
{
    Work work = {run, data};
    sg_actor_t started = sg_actor_init("test", host);
    sg_actor_set_data(started, g_memdup2(&work, sizeof work));
    sg_actor_start_(started, (xbt_main_func_t)actor, 0, NULL);
}
