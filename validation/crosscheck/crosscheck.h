/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the difference between simulation and closed form, each part measured for itself. */
#pragma once

#include "model/closed_form/closed_form.h"
#include "sim/run/simulation.h"

G_BEGIN_DECLS

/**
 * simulated = closed form + contention - closed form's contention + imbalance + algorithm +
 * slowdown
 *             + host - overlap + unexplained.
 *
 * contention: the run less the uncontended one, in which every communication takes its isolated
 *   time and none waits for circuits.
 * closed form's contention: what the form has of it, collectives of a class that meet on narrow
 *   links above ports, and T_rec.
 * imbalance: the uncontended run less the one in which, besides, every stage takes the mean stage's
 *   time, and all experts have the mean load. What follows is of that balanced run's critical path,
 *   which changes ranks where it leads through the last to come.
 * overlap: seconds in which communication was in flight beside the path, unwaited for, less what
 *   the closed form takes as hidden (o T_DP, and behind attention); of collectives inside layers
 *   that run beside computing, what they take on the mean stage (hidden times do not add up, so
 *   that a run cannot balance them).
 * slowdown: what communication beside it added to computing.
 * host: the waiting for hosts, less the closed form's T_host.
 * algorithm: communication + schedule.
 * communication: the closed form composed with the communication times that the simulation's
 *   algorithms and routes give, less the closed form with its own; and what the mean stage of the
 *   program computes more than that of the closed form: gradients are checked bucket by bucket.
 * schedule: what messages between stages cost under the plan's schedule (the balanced run less the
 *   one in which they take no time, without what that changes of host and slowdown) less what they
 *   cost in the closed form so composed, the hidden ones counted back in; and the bubble of the run
 * with free messages less the closed form's.
 */
typedef struct {
    double iteration_fraction; /**< (simulated - closed form) / closed form */
    double contention_s;
    double closed_form_contention_s;
    double overlap_s;
    double algorithm_s;
    double communication_s;
    LpTerm communication_term; /**< whose communication times differ most */
    double schedule_s;
    double imbalance_s;
    double slowdown_s;
    double host_s;
    double unexplained_s;
} LpDifference;

/** The parts of the difference of one run, s. @simulation: with its counterfactual runs, so not
 * with options.alone. @input: the closed form's, of the plan and machine that were simulated. */
LpDifference lp_crosscheck(const LpSimulation *simulation, const LpClosedFormInput *input);

G_END_DECLS
