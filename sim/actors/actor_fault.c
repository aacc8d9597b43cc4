/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the links of failures, and changes them when their time has come. */
#include "sim/actors/actor_fault.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "sim/circuits/lane_failures.h"

#include <simgrid/actor.h>
#include <simgrid/engine.h>

#include <string.h>

/* The engine takes a bandwidth of 0 for an unlimited one. A byte takes 11 days over this one, and
 * the watch ends the run before. */
#define DEAD_BYTES_PER_S 1e-6

/* Names are compared one by one to find one like it, up to this many. */
#define NAMES_MAX 65536u

typedef struct {
    const LpScenarioFailure *failure; /* borrowed */
    GArray *links;                    /* owned: guint32 */
    GArray *lanes;                    /* owned: LpLaneFailure, of circuits */
} Fault;

struct LpFaults {
    const LpNetwork *network; /* borrowed */
    LpFaultsRun run;          /* borrowed */
    GArray *faults;           /* owned: Fault, in order of time */
    GPtrArray *circuits;      /* owned: borrowed LpCircuits of the run's jobs */
};

static gboolean
has_link(const Fault *fault, guint32 link)
{
    for (guint i = 0; i < fault->links->len; i++)
        if (g_array_index(fault->links, guint32, i) == link)
            return TRUE;
    return FALSE;
}

static void
add_link(Fault *fault, guint32 link)
{
    if (!has_link(fault, link))
        g_array_append_val(fault->links, link);
}

static gboolean
find_link(const LpNetwork *network, Fault *fault, GError **error)
{
    guint32 n_links = lp_network_n_links(network), link = 0;
    if (lp_network_find_link(network, fault->failure->link, &link)) {
        add_link(fault, link);
        return TRUE;
    }
    g_autofree const char **names = g_new0(const char *, MIN(n_links, NAMES_MAX) + 1);
    for (guint32 i = 0; i < MIN(n_links, NAMES_MAX); i++)
        names[i] = lp_network_link_name(network, i);
    const char *like = lp_like_name(fault->failure->link, names);
    const char *example = like != NULL ? like : names[0];
    g_autofree char *shown = lp_error_quote(fault->failure->link);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                "%s: <failure> link: got %s, wanted a link such as \"%s\"", fault->failure->where,
                shown, example != NULL ? example : "none");
    return FALSE;
}

/* Routes begin with the link out of their first port, and end with the link into their last. */
static void
add_ends(const LpNetwork *network, Fault *fault, guint64 peer, LpAttachment attachment,
         LpTraffic traffic)
{
    guint64 own = fault->failure->accelerator;
    LpRoute out = lp_network_route_over(network, own, peer, attachment, traffic);
    LpRoute in = lp_network_route_over(network, peer, own, attachment, traffic);
    add_link(fault, out.links[0]);
    add_link(fault, in.links[in.n_links - 1]);
}

/* The links of one plane: any peer shows them but on a torus, where a port has one each way. */
static void
add_plane(const LpNetwork *network, Fault *fault, LpAttachment attachment, LpTraffic traffic)
{
    const LpMachine *machine = lp_network_machine(network);
    gboolean is_out = attachment == LP_ATTACHMENT_SCALE_OUT;
    gboolean is_torus = is_out && machine->cluster[attachment].topology == LP_TOPOLOGY_TORUS;
    guint32 plane = is_out ? lp_machine_plane(machine, traffic) : 0;
    guint64 own = fault->failure->accelerator, port = lp_machine_port(machine, own, attachment);
    for (guint64 peer = 0; peer < machine->n_accelerators; peer++) {
        if (lp_machine_port(machine, peer, attachment) == port ||
            (is_out && !lp_machine_joined(machine, own, peer, plane)))
            continue;
        add_ends(network, fault, peer, attachment, traffic);
        if (!is_torus)
            return;
    }
}

static gboolean
find_port(const LpNetwork *network, Fault *fault, GError **error)
{
    const LpScenarioFailure *failure = fault->failure;
    const LpMachine *machine = lp_network_machine(network);
    LpAttachment attachment = failure->scale_out ? LP_ATTACHMENT_SCALE_OUT : LP_ATTACHMENT_SCALE_UP;
    const char *name = lp_attachment_names[attachment];
    gboolean there = failure->accelerator < machine->n_accelerators &&
                     (!failure->scale_out || machine->has_scale_out);
    guint32 last_plane = G_MAXUINT32;
    for (LpTraffic traffic = 0; there && traffic < LP_N_TRAFFIC; traffic++) {
        guint32 plane = failure->scale_out ? lp_machine_plane(machine, traffic) : 0;
        if (plane != last_plane)
            add_plane(network, fault, attachment, traffic);
        last_plane = plane;
    }
    if (fault->links->len > 0)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                "%s: <failure> port: got the %s port of accelerator %u, wanted one of the "
                "%" G_GUINT64_FORMAT " accelerators of %s whose %s ports join others",
                failure->where, name, failure->accelerator, machine->n_accelerators,
                lp_file_label(machine->path), name);
    return FALSE;
}

static void
fault_clear(Fault *self)
{
    g_clear_pointer(&self->links, g_array_unref);
    g_clear_pointer(&self->lanes, g_array_unref);
}

LpFaults *
lp_faults_new(const LpScenario *scenario, const LpNetwork *network, GError **error)
{
    if (scenario->failures->len == 0)
        return NULL;
    g_autoptr(LpFaults) self = g_new0(LpFaults, 1);
    self->network = network;
    self->circuits = g_ptr_array_new();
    self->faults = g_array_new(FALSE, FALSE, sizeof(Fault));
    g_array_set_clear_func(self->faults, (GDestroyNotify)fault_clear);
    for (guint i = 0; i < scenario->failures->len; i++) {
        Fault fault = {.failure = scenario->failures->pdata[i],
                       .links = g_array_new(FALSE, FALSE, sizeof(guint32)),
                       .lanes = g_array_new(FALSE, FALSE, sizeof(LpLaneFailure))};
        g_array_append_val(self->faults, fault);
        gboolean good = fault.failure->part != LP_CIRCUIT_PART_NONE
                            ? lp_lane_failures_find(fault.failure, lp_network_machine(network),
                                                    fault.lanes, error)
                        : fault.failure->link != NULL ? find_link(network, &fault, error)
                                                      : find_port(network, &fault, error);
        if (!good)
            return NULL;
    }
    return g_steal_pointer(&self);
}

void
lp_faults_free(LpFaults *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->faults);
    g_ptr_array_unref(self->circuits);
    g_free(self);
}

/* All lanes that stop. @out_where: the last of the failures. Returns: (transfer full). */
static GArray *
all_lanes(const LpFaults *self, const char **out_where)
{
    GArray *lanes = g_array_new(FALSE, FALSE, sizeof(LpLaneFailure));
    *out_where = "circuits";
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        g_array_append_vals(lanes, fault->lanes->data, fault->lanes->len);
        *out_where = fault->lanes->len > 0 ? fault->failure->where : *out_where;
    }
    return lanes;
}

gboolean
lp_faults_check(const LpFaults *self, const LpCircuitPlan *plan, GError **error)
{
    const char *where = NULL;
    g_autoptr(GArray) lanes = all_lanes(self, &where);
    return lp_lane_failures_check(lanes, plan, where, error);
}

/* A rotor takes no notice of links: it carries what its lanes do. */
static gboolean
check_links_of_rotor(const LpFaults *self, const Fault *fault, GError **error)
{
    for (guint i = 0; i < fault->links->len; i++) {
        LpLink link = lp_network_link(self->network, g_array_index(fault->links, guint32, i));
        if (link.tier == LP_TIER_SCALE_UP)
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
                    "%s: <failure> %s: got a part of a rotor, wanted one of its circuits, or a "
                    "scale-up port",
                    fault->failure->where, fault->failure->link != NULL ? "link" : "port");
        return FALSE;
    }
    return TRUE;
}

gboolean
lp_faults_check_rotor(const LpFaults *self, GError **error)
{
    const char *where = NULL;
    for (guint i = 0; i < self->faults->len; i++)
        if (!check_links_of_rotor(self, &g_array_index(self->faults, Fault, i), error))
            return FALSE;
    g_autoptr(GArray) lanes = all_lanes(self, &where);
    return lp_lane_failures_check_rotor(lanes, lp_network_machine(self->network), where, error);
}

GArray *
lp_faults_before_jobs(const LpFaults *self, GError **error)
{
    const char *where = NULL;
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        if (fault->lanes->len == 0 || fault->failure->at_s <= 0.0)
            continue;
        g_set_error(
            error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE,
            "%s: <failure> at: got %g s on circuits that never change, wanted 0 s: they are "
            "planned before the job",
            fault->failure->where, fault->failure->at_s);
        return NULL;
    }
    return all_lanes(self, &where);
}

void
lp_faults_add_circuits(LpFaults *self, LpCircuits *circuits)
{
    g_ptr_array_add(self->circuits, circuits);
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        for (guint k = 0; fault->failure->at_s <= 0.0 && k < fault->lanes->len; k++)
            lp_circuits_kill(circuits, g_array_index(fault->lanes, LpLaneFailure, k));
    }
}

void
lp_faults_mark(const LpFaults *self, gboolean *io_links)
{
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        for (guint k = 0; k < fault->links->len; k++)
            io_links[g_array_index(fault->links, guint32, k)] = TRUE;
    }
}

gboolean
lp_faults_any_dead(const LpFaults *self)
{
    for (guint i = 0; i < self->faults->len; i++)
        if (g_array_index(self->faults, Fault, i).failure->dead)
            return TRUE;
    return FALSE;
}

/* Whether one behind number @at gives @link more than that leaves of it. */
static gboolean
recovers(const LpFaults *self, guint at, guint32 link)
{
    double factor = g_array_index(self->faults, Fault, at).failure->bandwidth_factor;
    for (guint i = at + 1; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        if (fault->failure->bandwidth_factor > factor && has_link(fault, link))
            return TRUE;
    }
    return FALSE;
}

gboolean
lp_faults_any_recovers(const LpFaults *self)
{
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        for (guint k = 0; k < fault->links->len; k++)
            if (recovers(self, i, g_array_index(fault->links, guint32, k)))
                return TRUE;
    }
    return FALSE;
}

/* A link's number stands for what has happened to it so far. */
void
lp_faults_number(const LpFaults *self, guint32 n_links, guint32 *out_changes)
{
    g_auto(LpNumbering) numbers;
    lp_numbering_init(&numbers);
    memset(out_changes, 0, n_links * sizeof *out_changes);
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        for (guint k = 0; k < fault->links->len; k++) {
            guint32 *change = &out_changes[g_array_index(fault->links, guint32, k)];
            lp_numbering_add_count(&numbers, *change);
            lp_numbering_add_number(&numbers, fault->failure->at_s);
            lp_numbering_add_number(&numbers,
                                    fault->failure->dead ? 0.0 : fault->failure->bandwidth_factor);
            *change = lp_numbering_end(&numbers) + 1;
        }
    }
}

static void
stop_lanes(const LpFaults *self, const Fault *fault)
{
    LpRotorRun *rotor = lp_flow_engine_rotor(self->run.sharing);
    for (guint i = 0; rotor != NULL && i < fault->lanes->len; i++)
        lp_rotor_run_kill(rotor, g_array_index(fault->lanes, LpLaneFailure, i));
}

/* The link as routes and the watch know it; G_MAXUINT32 if none has it. */
static guint32
link_of_run(const LpFaults *self, guint32 link)
{
    return self->run.quotient == NULL ? link : lp_quotient_link(self->run.quotient, link);
}

/* @own: as routes call @link. */
static void
set_bandwidth(const LpFaults *self, guint32 link, guint32 own, double factor)
{
    double described = lp_network_link(self->network, link).bytes_per_s;
    double bytes_per_s = factor > 0.0 ? described * factor : DEAD_BYTES_PER_S;
    LpOpening *opening = lp_flow_engine_opening(self->run.sharing);
    if (opening != NULL)
        lp_opening_set_bandwidth(opening, link, own, bytes_per_s, described);
    else if (self->run.quotient != NULL)
        lp_quotient_set_bandwidth(self->run.quotient, link, bytes_per_s);
    else
        lp_network_set_bandwidth(self->network, link, bytes_per_s);
    lp_flow_engine_set_bandwidth(self->run.sharing, link, bytes_per_s);
}

/* What failure number @at does to @link. */
static void
change(const LpFaults *self, guint at, guint32 link)
{
    const LpScenarioFailure *failure = g_array_index(self->faults, Fault, at).failure;
    guint32 own = link_of_run(self, link);
    if (own == G_MAXUINT32)
        return;
    if (failure->dead)
        lp_watch_fail_link(self->run.watch, own, recovers(self, at, link));
    set_bandwidth(self, link, own, failure->dead ? 0.0 : failure->bandwidth_factor);
    if (!failure->dead)
        lp_watch_revive_link(self->run.watch, own);
}

static void
happen(const LpFaults *self, guint at)
{
    const Fault *fault = &g_array_index(self->faults, Fault, at);
    stop_lanes(self, fault);
    for (guint i = 0; i < self->circuits->len; i++)
        for (guint k = 0; k < fault->lanes->len; k++)
            lp_circuits_kill(self->circuits->pdata[i],
                             g_array_index(fault->lanes, LpLaneFailure, k));
    for (guint i = 0; i < fault->links->len; i++)
        change(self, at, g_array_index(fault->links, guint32, i));
}

static void
fault_actor(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const LpFaults *self = sg_actor_self_get_data();
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        double left_s = fault->failure->at_s - simgrid_get_clock();
        if (left_s > 0.0)
            sg_actor_sleep_for(left_s);
        happen(self, i);
    }
}

void
lp_faults_start(LpFaults *self, const LpFaultsRun *run, struct s4u_Host *home)
{
    self->run = *run;
    for (guint i = 0; i < self->faults->len; i++) {
        const Fault *fault = &g_array_index(self->faults, Fault, i);
        if (fault->failure->at_s <= 0.0)
            stop_lanes(self, fault);
    }
    sg_actor_t actor = sg_actor_init("fault", home);
    sg_actor_set_data(actor, self);
    sg_actor_start_(actor, (xbt_main_func_t)fault_actor, 0, NULL);
    sg_actor_daemonize(actor);
}
