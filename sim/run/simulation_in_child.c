/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation in a process of its own, and its way home. */
#include "base/child_process.h"
#include "sim/run/simulation.h"

#include <string.h>

#define NAME "process of a simulation"

typedef struct {
    const LpSetup *setup; /* borrowed */
    LpSimulationOptions options;
} Work;

/* The owned texts of a simulation; whoever adds an owned member sends it along, too. */
static const gsize text_offsets[] = {G_STRUCT_OFFSET(LpSimulation, contention),
                                     G_STRUCT_OFFSET(LpSimulation, circuits)};
#define N_TEXTS G_N_ELEMENTS(text_offsets)
/* The length of a text that is NULL. */
#define NO_TEXT G_MAXSIZE

/* A simulation on its way. Engine options and texts follow; the options' own texts are static, and
 * a child's constants stand where its parent's do. */
typedef struct {
    LpSimulation simulation;
    gsize n_options, lengths[N_TEXTS];
} SimulationHeader;

static char **
text_of(LpSimulation *simulation, guint i)
{
    return (char **)(gpointer)((char *)simulation + text_offsets[i]);
}

static void
append(GByteArray *result, const void *bytes, gsize length)
{
    if (length > 0)
        g_byte_array_append(result, bytes, (guint)length);
}

static void
pack(GByteArray *result, LpSimulation *simulation)
{
    SimulationHeader header = {.simulation = *simulation,
                               .n_options = simulation->engine_options->len};
    for (guint i = 0; i < N_TEXTS; i++) {
        const char *text = *text_of(simulation, i);
        header.lengths[i] = text != NULL ? strlen(text) : NO_TEXT;
    }
    append(result, &header, sizeof header);
    append(result, simulation->engine_options->data, header.n_options * sizeof(LpEngineOption));
    for (guint i = 0; i < N_TEXTS; i++)
        if (header.lengths[i] != NO_TEXT)
            append(result, *text_of(simulation, i), header.lengths[i]);
}

static gboolean
run(const void *data, GByteArray *result, GError **error)
{
    const Work *work = data;
    g_autoptr(LpSimulation) simulation = lp_simulation_run(work->setup, work->options, error);
    if (simulation != NULL)
        pack(result, simulation);
    return simulation != NULL;
}

/* Whether @length is that of all that @header announces. */
static gboolean
is_whole(const SimulationHeader *header, gsize length)
{
    gsize wanted = sizeof *header + header->n_options * sizeof(LpEngineOption);
    for (guint i = 0; i < N_TEXTS; i++)
        wanted += header->lengths[i] != NO_TEXT ? header->lengths[i] : 0;
    return length == wanted;
}

/* What @bytes hold; NULL if they are cut off. */
static LpSimulation *
unpack(const guint8 *bytes, gsize length)
{
    SimulationHeader header;
    if (length < sizeof header)
        return NULL;
    memcpy(&header, bytes, sizeof header);
    if (!is_whole(&header, length))
        return NULL;
    LpSimulation *self = g_memdup2(&header.simulation, sizeof header.simulation);
    bytes += sizeof header;
    self->engine_options = g_array_new(FALSE, FALSE, sizeof(LpEngineOption));
    g_array_append_vals(self->engine_options, bytes, (guint)header.n_options);
    bytes += header.n_options * sizeof(LpEngineOption);
    for (guint i = 0; i < N_TEXTS; i++) {
        gboolean is_there = header.lengths[i] != NO_TEXT;
        *text_of(self, i) = is_there ? g_strndup((const char *)bytes, header.lengths[i]) : NULL;
        bytes += is_there ? header.lengths[i] : 0;
    }
    return self;
}

LpSimulation *
lp_simulation_run_in_child(const LpSetup *setup, LpSimulationOptions options, GError **error)
{
    g_return_val_if_fail(setup != NULL && options.run.timeline == NULL &&
                             options.run.calls == NULL && options.observation == NULL,
                         NULL);
    Work work = {setup, options};
    g_autoptr(LpChildProcess) process = lp_child_process_start(NAME, run, &work, 0, error);
    if (process == NULL)
        return NULL;
    LpChildProcess *running = process;
    while (!lp_child_process_has_ended(process))
        lp_child_process_wait_any(&running, 1, -1);
    if (!lp_child_process_check(process, error))
        return NULL;
    const GByteArray *result = lp_child_process_result(process);
    LpSimulation *self = unpack(result->data, result->len);
    if (self == NULL)
        g_set_error_literal(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_RESULT,
                            NAME ": got a part of a result, wanted a whole one; is memory short?");
    return self;
}
