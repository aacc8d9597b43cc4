/* SPDX-License-Identifier: Apache-2.0 */
/* Rings as benchmarks. */
#include "sim/run/bench.h"

#include "platforms/catalogue/libraries.h"
#include "sim/run/bench_ring.h"
#include "sim/engine/engine.h"
#include "sim/engine/loading.h"
#include "sim/run/collective_run.h"

static LpNetwork *
start(const LpMachine *machine, GError **error)
{
    g_autoptr(LpNetwork) network = lp_network_new(machine);
    g_autoptr(GArray) options = lp_engine_options(machine->n_accelerators);
    return lp_network_load(network, options, error) ? g_steal_pointer(&network) : NULL;
}

gboolean
lp_bench_ring(const LpMachine *machine, guint64 bytes, LpFidelity fidelity, gboolean collapse,
              LpRunResult *out_result, GError **error)
{
    LpCollectiveResult result;
    LpCollectiveRequest request = {.collective = LP_COLLECTIVE_ALL_REDUCE,
                                   .bytes = bytes,
                                   .n_ranks = (guint32)machine->n_accelerators,
                                   .fidelity = fidelity,
                                   .collapse = collapse};
    if (!lp_library_find("single-ring", &request.library, error) ||
        !lp_collective_run(&request, machine, &result, error))
        return FALSE;
    *out_result = result.run;
    return TRUE;
}

gboolean
lp_bench_engine_ring(const LpMachine *machine, guint64 bytes, LpRunResult *out_result,
                     GError **error)
{
    g_autoptr(LpNetwork) network = start(machine, error);
    if (network == NULL)
        return FALSE;
    *out_result = lp_bench_ring_bare(network, bytes);
    return TRUE;
}
