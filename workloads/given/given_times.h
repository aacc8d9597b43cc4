/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and elements that every writer of programs has: hosts, and times of what is computed.
 */
#pragma once

#include "base/xml_writer.h"
#include "model/times/work.h"
#include "workloads/given/execution.h"

G_BEGIN_DECLS

/** Writes the element "host"; nothing where the host costs nothing and waits for nothing. */
void lp_given_write_host(LpXmlWriter *xml, const LpExecution *execution);
/** Gives the element just opened the times of @work; those that follow from others are left out. */
void lp_given_write_work(LpXmlWriter *xml, const LpWork *work);

G_END_DECLS
