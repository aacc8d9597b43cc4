/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: who takes one when, by what a count says and no clock decides. */
#include "sim/actors/actor_tokens.h"

#include "sim/engine/engine.h"
#include "tests/sim/engine_actors.h"
#include "tests/support/forked.h"
#include "tests/testlib.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

static LpTokens *tokens;
static guint n_taken;

/* Takes one, and says when it had it: 1 s for the first, then a second later each. */
static void
take(gpointer data)
{
    (void)data;
    lp_tokens_take(tokens);
    lp_test_close("taken when it is put", simgrid_get_clock(), ++n_taken, 1e-12);
}

static void
take_within(gpointer data)
{
    (void)data;
    lp_test_true("none came", !lp_tokens_take_within(tokens, 0.25));
    lp_test_close("waited for that", simgrid_get_clock(), 0.25, 1e-12);
    lp_test_true("one came", lp_tokens_take_within(tokens, 10.0));
    lp_test_close("when it came", simgrid_get_clock(), 1.0, 1e-12);
    /* Put at the instant at which the wait ends: taken by it or left for the next, never lost. */
    gboolean taken = lp_tokens_take_within(tokens, 1.0);
    lp_test_close("no later", simgrid_get_clock(), 2.0, 1e-12);
    if (!taken)
        lp_test_true("left", lp_tokens_take_within(tokens, 0.5));
    lp_test_close("at once", simgrid_get_clock(), 2.0, 1e-12);
}

static void
put_each_second(gpointer data)
{
    for (guint i = 0; i < GPOINTER_TO_UINT(data); i++) {
        sg_actor_sleep_for(1.0);
        lp_tokens_put(tokens);
    }
}

static void
take_what_is_there(gpointer data)
{
    (void)data;
    lp_tokens_wake(tokens); /* nobody waits: there is none */
    lp_test_true("no token", !lp_tokens_take_within(tokens, 0.5));
    lp_tokens_put(tokens);
    lp_tokens_put(tokens);
    lp_tokens_take(tokens);
    lp_tokens_take(tokens);
    lp_test_close("without waiting", simgrid_get_clock(), 0.5, 1e-12);
}

static void
take_one_of_three(gpointer data)
{
    take(data);
    sg_actor_sleep_for(1.5);
    lp_test_true("no second one", !lp_tokens_take_within(tokens, 0.5));
    lp_test_close("waited for it", simgrid_get_clock(), 3.0, 1e-12);
}

/* Once while one waits, and twice while nobody does. */
static void
wake_thrice(gpointer data)
{
    (void)data;
    sg_actor_sleep_for(1.0);
    lp_tokens_wake(tokens);
    lp_tokens_wake(tokens);
    sg_actor_sleep_for(1.0);
    lp_tokens_wake(tokens);
}

typedef struct {
    void (*run[3])(gpointer data);
    guint n_puts;
} Case;

static gboolean
run(const void *input, void *result)
{
    (void)result;
    const Case *row = input;
    LpNetwork *network = lp_engine_actors_network(LP_ENGINE_ACTORS_FLAT);
    if (network == NULL)
        return FALSE;
    tokens = lp_tokens_new();
    for (guint i = 0; i < G_N_ELEMENTS(row->run) && row->run[i] != NULL; i++)
        lp_engine_actors_start(lp_engine_actors_host(network, i), row->run[i],
                               GUINT_TO_POINTER(row->n_puts));
    (void)lp_engine_run();
    lp_tokens_free(tokens);
    return TRUE;
}

static void
test_tokens(void)
{
    static const Case waiting = {{take, take, put_each_second}, 2},
                      within = {{take_within, put_each_second}, 2},
                      there = {{take_what_is_there}, 0},
                      woken = {{take_one_of_three, wake_thrice}, 0};
    (void)lp_forked_result("two wait", run, &waiting, NULL, 0);
    (void)lp_forked_result("within a time", run, &within, NULL, 0);
    (void)lp_forked_result("nobody waits", run, &there, NULL, 0);
    (void)lp_forked_result("woken", run, &woken, NULL, 0);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"tokens", test_tokens}, {NULL, NULL}};
    return lp_test_run("tokens of actors", cases);
}
