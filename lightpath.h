/* SPDX-License-Identifier: Apache-2.0 */
/* Lightpath as a library: all that a program needs to simulate a training iteration.
 *
 * A run has four steps, and each has one header:
 *   platforms/machine/machine.h     lp_machine_load()     a machine from its XML description
 *   workloads/description/workload.h    lp_workload_load()    a model and the plan to train it
 *   sim/run/simulation.h        lp_simulation_run()   one iteration on SimGrid; once a process
 *   validation/crosscheck/crosscheck.h lp_crosscheck()       its difference to the closed form
 * lp_file_find() turns the name of a shipped file into a path that the loaders take;
 * report/report.h makes JSON and tables of the results; model/closed_form.h is the closed form
 * alone.
 *
 * Conventions: memory holds seconds, bytes, bytes/s and FLOP as double, and names end in their
 * unit. What can fail returns FALSE or NULL and sets a GError whose message is one line: where,
 * what it got, what it wanted. Names with "new" and "load" return what the caller owns; "get"
 * lends. lp_simulation_run() forks for its counterfactual runs: call it before other threads start.
 *
 *     cc program.c $(pkg-config --cflags --libs lightpath)
 */
#pragma once

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "model/accelerator.h"
#include "model/amped.h"
#include "model/closed_form.h"
#include "model/fabric.h"
#include "model/gemm.h"
#include "model/kernel.h"
#include "model/memory.h"
#include "model/plan.h"
#include "model/terms.h"
#include "model/transformer.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/machine/describe.h"
#include "platforms/generation/generate.h"
#include "platforms/machine/machine.h"
#include "report/report.h"
#include "report/scenario_report.h"
#include "sim/run/scenario_simulation.h"
#include "sim/run/simulation.h"
#include "validation/crosscheck/crosscheck.h"
#include "workloads/description/attribute.h"
#include "workloads/program/program.h"
#include "workloads/description/scenario.h"
#include "workloads/description/workload.h"
