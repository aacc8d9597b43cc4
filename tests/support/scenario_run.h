/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios on a small machine whose links are shared. */
#pragma once

#include "tests/support/spawn.h"

/* Two domains of two accelerators, which share one card of 10 GB/s. */
#define LP_SHARED_CARDS                                                                            \
    "--system=generic --accelerators=4 --accelerator=a100-80 --domain-size=2 "                     \
    "--domain-bandwidth=100GBps --scale-out-bandwidth=5GBps --nics-per-domain=1"
#define LP_SHARED_CARD_BYTES_PER_S 1e10
/* A job of two ranks, in different domains, that has no host, hides nothing, and reduces all
 * gradients at once. It has CUDA graphs, since what waits for a host does not become slower with
 * its device. */
#define LP_JOB_OF_TWO                                                                              \
    "workload='gpt3-125m' dp='2' micro-batch='8' global-batch='16' overlap-dp='no' bucket='all' "  \
    "cuda-graphs='yes' framework='none' library='single-ring'"
/* A message that is under way for as long as anything runs. */
#define LP_ENDLESS_MESSAGE "message='1000TB'"
/* The engine against sums of quotients: some ten roundings. */
#define LP_SCENARIO_EXACT 1e-9

/** The files of a run. */
typedef struct {
    char *platform, *scenario; /* owned: paths */
} LpScenarioFiles;

/** Writes LP_SHARED_CARDS and <scenario> with @content. Returns: (transfer full). */
LpScenarioFiles lp_scenario_files_new(const char *content);
/** Removes the files. */
void lp_scenario_files_clear(LpScenarioFiles *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LpScenarioFiles, lp_scenario_files_clear)

/** Writes <scenario> with @content to a new file. Returns: (transfer full) its path. */
char *lp_scenario_file(const char *content);

/** The JSON result of the scenario @content on LP_SHARED_CARDS. @options: of "simulate", or NULL.
 * Returns: (transfer full), NULL after a failure. */
json_t *lp_scenario_run(const char *content, const char *options);

/** The member @index of the array @list of a result; NULL, and a failure, if there is none.
 * Returns: (transfer none). */
json_t *lp_scenario_member(json_t *result, const char *list, guint index);

/** The number at "a.b.c" of a result's job. */
double lp_scenario_at(json_t *result, guint job, const char *path);
