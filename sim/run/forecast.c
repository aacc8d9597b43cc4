/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the activities of the forecast's runs, and the time that they take. */
#include "sim/run/forecast.h"

#include <math.h>

/* Processor time of what a run consists of. Fitted to 21 runs of 0.03 to 12 s of gpt3-175b,
 * llama-2-7b, llama-3-8b, mixtral-8x7b, kimi-k2, qwen3-235b and deepseek-v3, by classes and rank by
 * rank, as flows and as messages, on the machine of docs/architecture.md; the worst is off by a
 * factor of 1.56. That page tests them on other runs. */
#define DELAY_S 0.8e-6
#define FLOW_S 2.0e-6
#define CALL_S 1.2e-6
/* Large runs fall out of the processor's caches. Above ACTORS, each doubling of the actors adds
 * DOUBLING to the time of an activity; above FAR_ACTORS, where the large caches are full as well,
 * it adds FAR_DOUBLING. Fitted to gpt3-175b and llama-3-405b without classes, which have 4,096 and
 * 49,152 actors. */
#define DOUBLING 0.1
#define ACTORS 64.0
#define FAR_DOUBLING 0.6
#define FAR_ACTORS 2048.0
/* For each message of background traffic, each of those that are under way with it: fitted to 8
 * runs of permutations and random receivers among 64 to 1,024 accelerators of trees and tori. */
#define UNDER_WAY_S 0.08e-6
/* To start the engine, and to read a run's end. */
#define START_S 0.005
/* Of an actor: its stack (16 KiB) and what it has of the engine and of us, as `lightpath bench
 * gpt3-175b-collapse-off` has it. */
#define ACTOR_BYTES 32768u
/* The engine itself. */
#define ENGINE_BYTES 2000000u

LpForecast
lp_forecast(void)
{
    return (LpForecast){.runs = g_array_new(FALSE, TRUE, sizeof(LpForecastRun))};
}

void
lp_forecast_clear(LpForecast *self)
{
    g_clear_pointer(&self->runs, g_array_unref);
}

/* How often @n doubles above @from. */
static double
doublings(double n, double from)
{
    return log2(MAX(n / from, 1.0));
}

/* How much longer each activity takes where there are @n that do something. */
static double
far_longer(double n)
{
    return 1.0 + DOUBLING * doublings(n, ACTORS) + FAR_DOUBLING * doublings(n, FAR_ACTORS);
}

double
lp_run_size_processor_s(const LpRunSize *size)
{
    const LpActivities *of = &size->activities;
    return START_S + far_longer((double)size->n_actors) *
                         (DELAY_S * (double)(of->n_delays + of->n_arrivals) +
                          FLOW_S * (double)of->n_flows + CALL_S * (double)of->n_calls);
}

void
lp_forecast_add(LpForecast *self, const char *name, guint32 job, const LpRunJob *jobs, guint n_jobs)
{
    LpForecastRun run = {.name = name, .job = job};
    for (guint i = 0; i < n_jobs; i++) {
        LpRunSize size = lp_run_size(&jobs[i]);
        run.size.n_ranks += size.n_ranks;
        run.size.lasts_s = MAX(run.size.lasts_s, size.lasts_s);
        run.size.n_actors += size.n_actors;
        lp_activities_add(&run.size.activities, &size.activities, 1);
    }
    run.processor_s = lp_run_size_processor_s(&run.size);
    g_array_append_val(self->runs, run);
}

void
lp_forecast_add_traffic(LpForecast *self, const GPtrArray *backgrounds)
{
    self->traffic_lasts_s = g_array_index(self->runs, LpForecastRun, 0).size.lasts_s;
    for (guint i = 0; i < backgrounds->len; i++) {
        LpBackgroundLoad load = lp_background_load(backgrounds->pdata[i], self->traffic_lasts_s);
        self->traffic.n_messages += load.n_messages;
        self->traffic.n_under_way += load.n_under_way;
        self->traffic.n_ways += load.n_ways;
        self->traffic.n_overloaded += load.n_overloaded;
    }
}

/* A message sleeps until it starts, for its latency, and is a flow, whose rate and that of others
 * is found among all that are under way. */
double
lp_forecast_traffic_s(const LpForecast *self)
{
    double longer = far_longer(self->traffic.n_ways);
    return self->traffic.n_messages *
           (longer * (2.0 * DELAY_S + FLOW_S) + UNDER_WAY_S * self->traffic.n_under_way);
}

double
lp_forecast_processor_s(const LpForecast *self)
{
    double all_s = lp_forecast_traffic_s(self);
    for (guint i = 0; i < self->runs->len; i++)
        all_s += g_array_index(self->runs, LpForecastRun, i).processor_s;
    return self->is_unlike ? MAX(all_s, (all_s + self->otherwise_s) / 2.0) : all_s;
}

double
lp_forecast_most_s(const LpForecast *self)
{
    double all_s = self->otherwise_s + lp_forecast_traffic_s(self);
    for (guint i = 0; i < self->runs->len; i++)
        all_s += g_array_index(self->runs, LpForecastRun, i).processor_s;
    return all_s;
}

guint64
lp_forecast_bytes(const LpForecast *self)
{
    guint64 n_actors = 0;
    for (guint i = 0; i < self->runs->len; i++)
        n_actors += g_array_index(self->runs, LpForecastRun, i).size.n_actors;
    return 2 * ENGINE_BYTES + ACTOR_BYTES * n_actors;
}
