/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up what is counted, and what it takes. */
#include "sim/run/forecast.h"

#include <math.h>

/* Processor time of what a run consists of. Fitted to 21 runs of 0.03 to 12 s of gpt3-175b,
 * llama-2-7b, llama-3-8b, mixtral-8x7b, kimi-k2, qwen3-235b and deepseek-v3, by classes and rank by
 * rank, as flows and as messages, on the machine of docs/architecture.md; the worst is off by a
 * factor of 1.56. That page tests them on other runs. */
#define DELAY_S 0.8e-6
#define FLOW_S 2.0e-6
#define CALL_S 1.2e-6
/* What the processor's caches hold no more: so much of that longer each time that actors double
 * from so many on, and from where the large ones hold no more either, as 4,096 and 49,152 actors
 * of gpt3-175b and llama-3-405b without classes have it. */
#define DOUBLING 0.1
#define ACTORS 64.0
#define FAR_DOUBLING 0.6
#define FAR_ACTORS 2048.0
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
doublings(guint64 n, double from)
{
    return log2(MAX((double)n / from, 1.0));
}

double
lp_run_size_processor_s(const LpRunSize *size)
{
    const LpActivities *of = &size->activities;
    double longer = 1.0 + DOUBLING * doublings(size->n_actors, ACTORS) +
                    FAR_DOUBLING * doublings(size->n_actors, FAR_ACTORS);
    return START_S + longer * (DELAY_S * (double)(of->n_delays + of->n_arrivals) +
                               FLOW_S * (double)of->n_flows + CALL_S * (double)of->n_calls);
}

void
lp_forecast_add(LpForecast *self, const char *name, guint32 job, const LpRunJob *jobs, guint n_jobs)
{
    LpForecastRun run = {.name = name, .job = job};
    for (guint i = 0; i < n_jobs; i++) {
        LpRunSize size = lp_run_size(&jobs[i]);
        run.size.n_ranks += size.n_ranks;
        run.size.computing_s = MAX(run.size.computing_s, size.computing_s);
        run.size.n_actors += size.n_actors;
        lp_activities_add(&run.size.activities, &size.activities, 1);
    }
    run.processor_s = lp_run_size_processor_s(&run.size);
    g_array_append_val(self->runs, run);
}

/* A message sleeps until it starts, for its latency, and is a flow. */
double
lp_forecast_traffic_s(const LpForecast *self)
{
    return self->traffic_messages * (2.0 * DELAY_S + FLOW_S);
}

double
lp_forecast_processor_s(const LpForecast *self)
{
    double all_s = 0.0;
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
