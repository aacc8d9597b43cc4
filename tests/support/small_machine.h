/* SPDX-License-Identifier: Apache-2.0 */
/* A small machine in parts that tests replace: four domains of four, two rails, leaves of two. */
#pragma once

#include "platforms/machine/machine.h"

G_BEGIN_DECLS

/** The parts of a platform file, all borrowed. */
typedef struct {
    const char *zone; /**< attributes */
    const char *zone_props;
    const char *up; /**< attributes */
    const char *up_props;
    const char *out; /**< attributes; NULL: no cluster */
    const char *out_props;
} LpSmallMachine;

#define ZONE "id='m' routing='None'"
#define ZONE_PROPS "<prop id='system' value='test'/><prop id='source.any' value='here'/>"
#define UP_REST "speed='1Tf' bw='100GBps' lat='1us' sharing_policy='SPLITDUPLEX'"
#define UP "id='up' prefix='u-' suffix='' radical='0-15' " UP_REST
#define ROLE_UP "<prop id='role' value='scale-up'/>"
#define UP_PROPS                                                                                   \
    ROLE_UP "<prop id='accelerator' value='a100-80'/><prop id='domain-size' value='4'/>"           \
            "<prop id='technology' value='electrical'/>"
#define OUT_REST "speed='1f' bw='10GBps' lat='2us' sharing_policy='SPLITDUPLEX'"
#define OUT "id='out' prefix='o-' suffix='.x' radical='0-7' " OUT_REST
#define TREE(parameters) OUT " topology='FAT_TREE' topo_parameters='" parameters "'"
#define ROLE_OUT "<prop id='role' value='scale-out'/>"
#define OUT_REST_PROPS                                                                             \
    "<prop id='cards-per-domain' value='2'/><prop id='technology' value='optical'/>"
#define RAIL(unit) "<prop id='port-order' value='rail'/><prop id='unit-domains' value='" unit "'/>"
#define NODE "<prop id='port-order' value='node'/>"
#define RAIL_PROPS ROLE_OUT RAIL("2") OUT_REST_PROPS
#define NODE_PROPS ROLE_OUT NODE OUT_REST_PROPS
#define PROP(id, value) "<prop id='" id "' value='" value "'/>"

extern const LpSmallMachine lp_small_machine;

/** Loads @text as a file. Returns: (transfer full). */
LpMachine *lp_machine_load_text(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** Loads the machine of these parts. Returns: (transfer full). */
LpMachine *lp_small_machine_load(const LpSmallMachine *parts,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/** As lp_small_machine_load(), and asserts that there is no error. Returns: (transfer full). */
LpMachine *lp_small_machine_load_good(const LpSmallMachine *parts);

/** A machine that is refused. */
typedef struct {
    const char *label;
    LpSmallMachine
        parts; /**< NULL: as in lp_small_machine. An empty @out takes the cluster away. */
    GQuark (*domain)(void);
    int code;
    const char *part; /**< of the message */
} LpBadMachine;

/** Asserts of each of the @n_rows that it is refused, with its error. */
void lp_small_machine_check_bad(const LpBadMachine *rows, gsize n_rows);

G_END_DECLS
