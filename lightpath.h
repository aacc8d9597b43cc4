/* SPDX-License-Identifier: Apache-2.0 */
/* Lightpath as a library: all that a program needs to simulate a training iteration.
 *
 * A run takes these steps, each with its header:
 *   base/file.h                         lp_file_find()       the path of a shipped file
 *   workloads/description/workload.h    lp_workload_load()   a model and the plan to train it
 *   platforms/machine/machine.h         lp_machine_load()    a machine from its XML description
 *   sim/mapping/setup.h                 lp_setup_new()       whether the one fits on the other
 *   sim/run/simulation.h                lp_simulation_run_apart()  one iteration, in a process of
 * its own, so that a program can run any number validation/crosscheck/crosscheck.h  lp_crosscheck()
 * its difference to the closed form report/report.h                     lp_report_init()     JSON
 * and tables of all this
 *
 * A scenario of several jobs is read by workloads/description/scenario.h, simulated by
 * sim/run/scenario_simulation.h and reported by report/scenario_report.h.
 * platforms/generation/generate.h makes machines of options; model/closed_form.h is the closed form
 * alone.
 *
 * The headers named below are the public ones: they alone are installed, they include none but
 * themselves and GLib, and the shared library exports what they declare and nothing else.
 *
 * Conventions: memory holds seconds, bytes, bytes/s and FLOP as double, and names end in their
 * unit. What can fail returns FALSE or NULL and sets a GError whose message is one line: where,
 * what it got, what it wanted. Names with "new" and "load" return what the caller owns; "get"
 * lends. Simulations fork: call them before other threads start.
 *
 *     cc program.c $(pkg-config --cflags --libs lightpath)
 */
#pragma once

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "model/accelerator.h"
#include "model/amped.h"
#include "model/availability.h"
#include "model/checkpoint.h"
#include "model/closed_form.h"
#include "model/closed_form_input.h"
#include "model/collective.h"
#include "model/fabric.h"
#include "model/goodput.h"
#include "model/hops.h"
#include "model/memory.h"
#include "model/memory_fit.h"
#include "model/network_cost.h"
#include "model/plan.h"
#include "model/plan_choices.h"
#include "model/plan_experts.h"
#include "model/plan_flop.h"
#include "model/plan_layers.h"
#include "model/plan_options.h"
#include "model/plan_parameters.h"
#include "model/plan_rank.h"
#include "model/plan_recompute.h"
#include "model/plan_routing.h"
#include "model/rotor_cycle.h"
#include "model/terms.h"
#include "model/torus.h"
#include "model/transformer.h"
#include "model/transformer_flop.h"
#include "model/transformer_layers.h"
#include "model/transformer_parameters.h"
#include "model/transformer_shape.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/reliability.h"
#include "platforms/catalogue/technologies.h"
#include "platforms/generation/generate.h"
#include "platforms/generation/machine_settings.h"
#include "platforms/generation/specification.h"
#include "platforms/machine/describe.h"
#include "platforms/machine/circuit_switch.h"
#include "platforms/machine/machine.h"
#include "platforms/machine/medium.h"
#include "platforms/machine/network_parts.h"
#include "platforms/machine/pcie_host.h"
#include "platforms/machine/torus_blocks.h"
#include "platforms/machine/tier.h"
#include "report/distribution.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/report_data.h"
#include "report/scenario_report.h"
#include "sim/actors/background_result.h"
#include "sim/actors/circuit_result.h"
#include "sim/actors/timeline.h"
#include "sim/analysis/summary.h"
#include "sim/days/days.h"
#include "sim/days/sample.h"
#include "sim/engine/engine_option.h"
#include "sim/fidelity.h"
#include "sim/mapping/placement.h"
#include "sim/mapping/setup.h"
#include "sim/quotient/quotient_size.h"
#include "sim/run/assume.h"
#include "sim/run/result.h"
#include "sim/run/scenario_simulation.h"
#include "sim/run/simulation.h"
#include "sim/simulation_error.h"
#include "validation/crosscheck/crosscheck.h"
#include "workloads/description/scenario.h"
#include "workloads/description/scenario_data.h"
#include "workloads/description/workload.h"
#include "workloads/description/workload_data.h"
#include "workloads/program/program_error.h"
