/* SPDX-License-Identifier: Apache-2.0 */
/* How many parts a machine has that may fail. */
#pragma once

#include "model/reliability/goodput.h"
#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/**
 * Parts of a kind in all of the machine. Hosts: accelerators over @host_size, but at most a domain
 * a host where domains have several accelerators. Cards, and links as many: scale-out ports of all
 * planes. Switches: nodes of all levels of the trees of all planes; of another packet network
 * without a known number of switches 0. Circuit switches: ports of accelerators over those of a
 * switch, rounded up; without known ports one for each rail, and with planes for each port.
 * Software: one.
 */
guint64 lp_machine_part_count(const LpMachine *self, LpGoodputPart part, guint64 host_size);

/** Accelerators of a host, as lp_machine_part_count() takes them. */
guint64 lp_machine_host_size(const LpMachine *self, guint64 host_size);

G_END_DECLS
