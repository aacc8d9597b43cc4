/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a machine as a plain platform, which the engine then reads. */
#include "sim/engine/loading.h"

#include "base/error.h"
#include "base/file.h"
#include "platforms/plain/plain.h"
#include "platforms/plain/plain_rails.h"
#include "sim/engine/engine.h"

#include <string.h>
#include <unistd.h>

static gboolean
load(const char *text, const GArray *engine_options, GError **error)
{
    if (lp_engine_has_started()) {
        g_set_error_literal(error, LP_CHILD_PROCESS_ERROR, LP_CHILD_PROCESS_ERROR_START,
                            "the engine has run in this process, wanted a process for each run "
                            "(lp_simulation_run_apart)");
        return FALSE;
    }
    g_autofree char *path = NULL;
    int file = lp_file_in_memory(text, strlen(text), &path, error);
    if (file < 0)
        return FALSE;
    lp_engine_start(engine_options, path);
    close(file);
    return TRUE;
}

gboolean
lp_engine_load(const LpMachine *machine, const GArray *engine_options, GError **error)
{
    g_autofree char *text = lp_machine_to_plain(machine);
    return load(text, engine_options, error);
}

gboolean
lp_engine_load_on_rails(const LpMachine *machine, const GArray *engine_options, GError **error)
{
    if (!lp_plain_rails_possible(machine))
        return lp_engine_load(machine, engine_options, error);
    g_autofree char *text = lp_plain_rails(machine);
    return load(text, engine_options, error);
}
