/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what moves, and ends a run that cannot go on. */
#include "sim/actors/actor_watch.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

/* Everything that takes no time has happened when the clock has moved at all. */
#define MOMENT_S 1e-9

struct LpWatch {
    guint32 n_links;
    double *died_s;    /* owned, by link; negative: alive */
    gboolean *returns; /* owned, by link: of those that are dead */
    guint64 n_dead, n_returning;
    guint64 n_moving;  /* delays and messages that will end */
    guint64 n_begun;   /* ever */
    LpFlight *flights; /* borrowed from the senders' stacks; the latest first */
    guint64 n_waiting; /* for a link to be revived */
    sg_sem_t revived;  /* owned: released for all of them */
    sg_sem_t idle;     /* owned: released when nothing moves */
    LpStall stall;
};

LpWatch *
lp_watch_new(guint32 n_links)
{
    LpWatch *self = g_new0(LpWatch, 1);
    self->n_links = n_links;
    self->died_s = g_new(double, n_links);
    for (guint32 i = 0; i < n_links; i++)
        self->died_s[i] = -1.0;
    self->returns = g_new0(gboolean, n_links);
    self->revived = sg_sem_init(0);
    self->idle = sg_sem_init(0);
    return self;
}

void
lp_watch_free(LpWatch *self)
{
    if (self == NULL)
        return;
    sg_sem_destroy(self->revived);
    sg_sem_destroy(self->idle);
    g_free(self->died_s);
    g_free(self->returns);
    g_free(self);
}

LpStall
lp_watch_stall(const LpWatch *self)
{
    return self->stall;
}

/* --- what moves --- */

static void
begin(LpWatch *self)
{
    self->n_moving++;
    self->n_begun++;
}

static void
end(LpWatch *self)
{
    if (--self->n_moving == 0 && self->n_dead > 0)
        sg_sem_release(self->idle);
}

void
lp_watch_sleep(LpWatch *self, double duration_s)
{
    if (self != NULL)
        begin(self);
    sg_actor_sleep_for(duration_s);
    if (self != NULL)
        end(self);
}

gboolean
lp_watch_sleep_or(LpWatch *self, LpTokens *tokens, double duration_s)
{
    if (self != NULL)
        begin(self);
    gboolean timed_out = !lp_tokens_take_within(tokens, duration_s);
    if (self != NULL)
        end(self);
    return timed_out;
}

/* The dead link of @route, or n_links. */
static guint32
find_dead(const LpWatch *self, const LpRoute *route)
{
    for (guint32 i = 0; self->n_dead > 0 && i < route->n_links; i++)
        if (self->died_s[route->links[i]] >= 0.0)
            return route->links[i];
    return self->n_links;
}

gboolean
lp_watch_is_dead(const LpWatch *self, const LpRoute *route)
{
    return self != NULL && find_dead(self, route) < self->n_links;
}

void
lp_watch_await(LpWatch *self, const LpRoute *route)
{
    while (lp_watch_is_dead(self, route)) {
        self->n_waiting++;
        sg_sem_acquire(self->revived);
    }
}

void
lp_watch_depart(LpWatch *self, LpFlight *flight)
{
    if (self == NULL)
        return;
    flight->previous = NULL;
    flight->next = self->flights;
    if (self->flights != NULL)
        self->flights->previous = flight;
    self->flights = flight;
    flight->is_held = flight->is_waiting = lp_watch_is_dead(self, flight->route);
    lp_watch_await(self, flight->route);
    flight->is_held = flight->is_waiting = FALSE;
    begin(self);
}

void
lp_watch_arrive(LpWatch *self, LpFlight *flight)
{
    if (self == NULL)
        return;
    if (flight->previous != NULL)
        flight->previous->next = flight->next;
    else
        self->flights = flight->next;
    if (flight->next != NULL)
        flight->next->previous = flight->previous;
    if (!flight->is_held)
        end(self);
}

/* Those who wait for nothing else look again. */
static void
stop_if_idle(LpWatch *self)
{
    if (self->n_moving == 0 && self->n_dead > 0)
        sg_sem_release(self->idle);
}

void
lp_watch_fail_link(LpWatch *self, guint32 link, gboolean returns)
{
    if (self->died_s[link] >= 0.0)
        return;
    self->died_s[link] = simgrid_get_clock();
    self->returns[link] = returns;
    self->n_returning += returns ? 1 : 0;
    self->n_dead++;
    for (LpFlight *flight = self->flights; flight != NULL; flight = flight->next)
        if (!flight->is_held && find_dead(self, flight->route) < self->n_links) {
            flight->is_held = TRUE;
            self->n_moving--;
        }
    stop_if_idle(self);
}

void
lp_watch_revive_link(LpWatch *self, guint32 link)
{
    if (self->died_s[link] < 0.0)
        return;
    self->died_s[link] = -1.0;
    self->n_returning -= self->returns[link] ? 1 : 0;
    self->n_dead--;
    for (LpFlight *flight = self->flights; flight != NULL; flight = flight->next)
        if (flight->is_held && !flight->is_waiting &&
            find_dead(self, flight->route) == self->n_links) {
            flight->is_held = FALSE;
            begin(self);
        }
    guint64 n_waiting = self->n_waiting;
    self->n_waiting = 0;
    for (guint64 i = 0; i < n_waiting; i++)
        sg_sem_release(self->revived);
    stop_if_idle(self);
}

/* --- the end of a run that cannot go on --- */

static gboolean
comes_before(const LpFlight *flight, const LpStall *stall)
{
    if (!stall->has_link || flight->job != stall->job)
        return !stall->has_link || flight->job < stall->job;
    return flight->from != stall->from ? flight->from < stall->from : flight->to < stall->to;
}

/* Of all messages that dead links hold, the one of the first job and rank is told. */
static void
explain(LpWatch *self)
{
    LpStall *stall = &self->stall;
    *stall = (LpStall){.is_stalled = TRUE, .at_s = simgrid_get_clock() - MOMENT_S};
    for (const LpFlight *flight = self->flights; flight != NULL; flight = flight->next) {
        guint32 link = find_dead(self, flight->route);
        if (link == self->n_links)
            continue;
        stall->n_flights++;
        if (!comes_before(flight, stall))
            continue;
        stall->has_link = TRUE;
        stall->job = flight->job;
        stall->from = flight->from;
        stall->to = flight->to;
        stall->link = link;
        stall->died_s = self->died_s[link];
    }
}

static void
watch_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    LpWatch *self = sg_actor_self_get_data();
    for (;;) {
        sg_sem_acquire(self->idle);
        guint64 n_begun = self->n_begun;
        sg_actor_sleep_for(MOMENT_S);
        if (self->n_moving > 0 || self->n_begun != n_begun || self->n_returning > 0)
            continue;
        explain(self);
        sg_actor_kill_all();
        return;
    }
}

void
lp_watch_report_overload(LpWatch *self, guint32 index)
{
    self->stall = (LpStall){.is_overloaded = TRUE, .at_s = simgrid_get_clock(), .job = index};
    sg_actor_kill_all();
}

void
lp_watch_start(LpWatch *self, struct s4u_Host *home)
{
    sg_actor_t actor = sg_actor_init("watch", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)watch_actor, 0, NULL);
    sg_actor_daemonize(actor);
}
