/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of a rotor, and the bytes that each of its circuits carries in a slot. That share is
 * fixed when the slot begins, or when the bytes come if that is later, and never changes. A flow's
 * arrival is therefore known as soon as its last bytes have a slot. */
#include "sim/circuits/rotor.h"

#include "sim/circuits/tournament.h"

#include <math.h>

/* Instants that are this close, as a fraction of a slot, are equal: rounding, not physics. */
#define SLACK 1e-9
/* Less than this is rounding, too. */
#define BYTES_MIN 1e-3

/* A flow under way. */
typedef struct {
    double left_bytes; /* that have no slot of their last circuit yet */
    double end_s;      /* when the last of the others arrive */
    gpointer data;     /* borrowed */
} Flow;

/* A part of a flow that waits for a circuit. */
typedef struct {
    Flow *flow; /* borrowed */
    double bytes;
} Piece;

/* All that waits at one attachment for its circuit to another. */
typedef struct {
    guint32 from, to;
    double bytes;
    GQueue pieces; /* owned Piece */
} Backlog;

/* The bytes that one attachment sends, or that it passes on. */
typedef struct {
    GPtrArray *backlogs; /* owned Backlog: those with bytes */
} Queue;

/* A part that is on its way to who passes it on. */
typedef struct {
    guint32 relay, to;
    Piece piece;
} Incoming;

struct LpRotor {
    const LpCircuitSwitch *settings; /* borrowed */
    guint32 n_attachments, n_joined, n_lanes, n_matchings;
    double lane_bytes_per_s, dead_s;
    double slot_bytes;      /* that a circuit carries in a slot */
    guint64 slot;           /* at hand */
    Queue *own, *relayed;   /* owned, by attachment */
    GHashTable *of_own;     /* owned: finds backlogs by their ends */
    GHashTable *of_relayed; /* owned */
    gboolean *has_sent;     /* owned, by attachment */
    guint64 *dead;          /* owned: lanes that have stopped, by attachment, as bits */
    gboolean has_dead;
    double *free_s;             /* owned, by attachment and lane: until when it is taken */
    GArray *incoming;           /* owned: Incoming of the slot at hand */
    GHashTable *incoming_bytes; /* owned: of them by ends, owned doubles */
    GSequence *due;             /* owned, of owned Flow: the first to arrive first */
    guint64 n_waiting;          /* backlogs, and parts under way to relays */
    double now_s;
    LpRotorCount count;
};

/* --- making --- */

static void
backlog_free(gpointer data)
{
    Backlog *self = data;
    g_queue_clear_full(&self->pieces, g_free);
    g_free(self);
}

static Queue *
queues_new(guint32 n)
{
    Queue *queues = g_new(Queue, n);
    for (guint32 i = 0; i < n; i++)
        queues[i].backlogs = g_ptr_array_new_with_free_func(backlog_free);
    return queues;
}

static void
queues_free(Queue *self, guint32 n)
{
    for (guint32 i = 0; i < n; i++)
        g_ptr_array_unref(self[i].backlogs);
    g_free(self);
}

static void
set_dead_time(LpRotor *self, double dead_s)
{
    self->dead_s = dead_s;
    self->slot_bytes = (self->settings->slot_s - dead_s) * self->lane_bytes_per_s;
}

LpRotor *
lp_rotor_new(guint32 n_attachments, guint32 n_joined, double bytes_per_s,
             const LpCircuitSwitch *settings)
{
    LpRotor *self = g_new0(LpRotor, 1);
    guint32 n_lanes = lp_circuit_switch_n_lanes(settings);
    self->settings = settings;
    self->n_attachments = n_attachments;
    self->n_joined = n_joined;
    self->n_matchings = n_joined > 1 ? lp_tournament_n_matchings(n_joined) : 0;
    self->n_lanes = MIN(n_lanes, self->n_matchings);
    self->lane_bytes_per_s = settings->wavelength_bytes_per_s > 0.0
                                 ? settings->wavelength_bytes_per_s
                                 : bytes_per_s / n_lanes;
    /* Where each matching has a lane of its own nothing turns. */
    set_dead_time(
        self, self->n_lanes == self->n_matchings ? 0.0 : lp_circuit_switch_dead_time_s(settings));
    self->own = queues_new(n_attachments);
    self->relayed = queues_new(n_attachments);
    self->of_own = g_hash_table_new(NULL, NULL);
    self->of_relayed = g_hash_table_new(NULL, NULL);
    self->free_s = g_new0(double, (gsize)n_attachments *MAX(self->n_lanes, 1));
    self->has_sent = g_new0(gboolean, n_attachments);
    self->dead = g_new0(guint64, n_attachments);
    self->incoming = g_array_new(FALSE, FALSE, sizeof(Incoming));
    self->incoming_bytes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    self->due = g_sequence_new(g_free);
    return self;
}

void
lp_rotor_free(LpRotor *self)
{
    if (self == NULL)
        return;
    queues_free(self->own, self->n_attachments);
    queues_free(self->relayed, self->n_attachments);
    g_hash_table_unref(self->of_own);
    g_hash_table_unref(self->of_relayed);
    g_free(self->free_s);
    g_free(self->has_sent);
    g_free(self->dead);
    g_array_unref(self->incoming);
    g_hash_table_unref(self->incoming_bytes);
    g_sequence_free(self->due);
    g_free(self);
}

guint32
lp_rotor_n_slots(const LpRotor *self)
{
    return self->n_lanes == 0 ? 0 : (self->n_matchings + self->n_lanes - 1) / self->n_lanes;
}

double
lp_rotor_duty(const LpRotor *self)
{
    return 1.0 - self->dead_s / self->settings->slot_s;
}

gboolean
lp_rotor_joins(const LpRotor *self, guint32 a, guint32 b)
{
    return a != b && a / self->n_joined == b / self->n_joined;
}

LpRotorCount
lp_rotor_count(const LpRotor *self)
{
    return self->count;
}

/* --- backlogs --- */

static gpointer
key_of(guint32 from, guint32 to)
{
    return GSIZE_TO_POINTER(((guint64)from << 32 | to) + 1);
}

static double
backlog_bytes(GHashTable *table, guint32 from, guint32 to)
{
    const Backlog *backlog = g_hash_table_lookup(table, key_of(from, to));
    return backlog == NULL ? 0.0 : backlog->bytes;
}

static void
add_piece(LpRotor *self, Queue *queues, GHashTable *table, guint32 from, guint32 to, Piece piece)
{
    Backlog *backlog = g_hash_table_lookup(table, key_of(from, to));
    if (backlog == NULL) {
        backlog = g_new0(Backlog, 1);
        backlog->from = from;
        backlog->to = to;
        g_queue_init(&backlog->pieces);
        g_hash_table_insert(table, key_of(from, to), backlog);
        g_ptr_array_add(queues[from].backlogs, backlog);
        self->n_waiting++;
    }
    Piece *made = g_new(Piece, 1);
    *made = piece;
    g_queue_push_tail(&backlog->pieces, made);
    backlog->bytes += piece.bytes;
}

/* Takes up to @most bytes off the front of @backlog, of one flow. */
static Piece
take_piece(Backlog *backlog, double most)
{
    Piece *first = g_queue_peek_head(&backlog->pieces);
    Piece taken = {first->flow, MIN(first->bytes, most)};
    first->bytes -= taken.bytes;
    if (first->bytes < BYTES_MIN) {
        taken.bytes += first->bytes;
        g_free(g_queue_pop_head(&backlog->pieces));
    }
    backlog->bytes = g_queue_is_empty(&backlog->pieces) ? 0.0 : backlog->bytes - taken.bytes;
    return taken;
}

static void
drop_if_empty(LpRotor *self, Queue *queues, GHashTable *table, Backlog *backlog)
{
    if (!g_queue_is_empty(&backlog->pieces))
        return;
    g_hash_table_remove(table, key_of(backlog->from, backlog->to));
    g_ptr_array_remove(queues[backlog->from].backlogs, backlog);
    self->n_waiting--;
}

/* --- slots --- */

static gint
compare_due(gconstpointer a, gconstpointer b, gpointer data)
{
    (void)data;
    const Flow *one = a, *other = b;
    return one->end_s < other->end_s ? -1 : one->end_s > other->end_s;
}

/* The bytes of @piece arrive for good at @end_s. */
static void
deliver(LpRotor *self, Piece piece, double end_s)
{
    Flow *flow = piece.flow;
    flow->left_bytes -= piece.bytes;
    flow->end_s = MAX(flow->end_s, end_s);
    if (flow->left_bytes < BYTES_MIN)
        (void)g_sequence_insert_sorted(self->due, flow, compare_due, NULL);
}

/* A circuit of one lane in the slot at hand. */
typedef struct {
    guint32 from, to;
    double *free_s; /* borrowed: until when it is taken */
    double end_s;   /* of the slot */
} Window;

static double
room_bytes(const LpRotor *self, const Window *window)
{
    return (window->end_s - *window->free_s) * self->lane_bytes_per_s;
}

static void
occupy(LpRotor *self, const Window *window, double bytes)
{
    self->count.n_senders += self->has_sent[window->from] ? 0 : 1;
    self->count.n_lanes = self->count.n_senders * self->n_lanes;
    self->has_sent[window->from] = TRUE;
    *window->free_s += bytes / self->lane_bytes_per_s;
    self->count.busy_s += bytes / self->lane_bytes_per_s;
}

/* Sends the bytes that wait for the circuit of @window. */
static void
serve(LpRotor *self, const Window *window, Queue *queues, GHashTable *table, double *io_count)
{
    Backlog *backlog = g_hash_table_lookup(table, key_of(window->from, window->to));
    if (backlog == NULL)
        return;
    for (double room;
         (room = room_bytes(self, window)) >= BYTES_MIN && !g_queue_is_empty(&backlog->pieces);) {
        Piece piece = take_piece(backlog, room);
        occupy(self, window, piece.bytes);
        *io_count += piece.bytes;
        deliver(self, piece, *window->free_s);
    }
    drop_if_empty(self, queues, table, backlog);
}

/* Bytes for @to that @relay could still pass on in one slot. */
static double
relay_room(LpRotor *self, guint32 relay, guint32 to)
{
    const double *coming = g_hash_table_lookup(self->incoming_bytes, key_of(relay, to));
    return self->slot_bytes - backlog_bytes(self->of_own, relay, to) -
           backlog_bytes(self->of_relayed, relay, to) - (coming == NULL ? 0.0 : *coming);
}

static void
hand_on(LpRotor *self, guint32 relay, guint32 to, Piece piece)
{
    Incoming incoming = {relay, to, piece};
    g_array_append_val(self->incoming, incoming);
    double *coming = g_hash_table_lookup(self->incoming_bytes, key_of(relay, to));
    if (coming == NULL) {
        coming = g_new0(double, 1);
        g_hash_table_insert(self->incoming_bytes, key_of(relay, to), coming);
    }
    *coming += piece.bytes;
    self->n_waiting++;
}

/* Fills the rest of a slot with bytes for others, backlog after backlog; in each slot another
 * backlog comes first. */
static void
take_along(LpRotor *self, const Window *window)
{
    GPtrArray *backlogs = self->own[window->from].backlogs;
    guint n = backlogs->len;
    for (guint i = 0; i < n; i++) {
        Backlog *backlog = backlogs->pdata[(i + self->slot) % n];
        double room = MIN(relay_room(self, window->to, backlog->to), room_bytes(self, window));
        room = MIN(room, backlog->bytes - self->slot_bytes);
        while (backlog->to != window->to && room >= BYTES_MIN) {
            Piece piece = take_piece(backlog, room);
            occupy(self, window, piece.bytes);
            room -= piece.bytes;
            hand_on(self, window->to, backlog->to, piece);
        }
    }
}

/* The matching of @lane in the slot at hand. Where lanes have stopped, they change places from
 * cycle to cycle. */
static guint32
matching_of(const LpRotor *self, guint32 lane)
{
    guint64 cycle = self->has_dead ? self->slot / lp_rotor_n_slots(self) : 0;
    guint64 place = (lane + cycle) % self->n_lanes;
    return (guint32)((self->slot * self->n_lanes + place) % self->n_matchings);
}

/* Returns: whether @lane of @from has a circuit in the slot at hand, and can still carry bytes. */
static gboolean
open_window(LpRotor *self, guint32 from, guint32 lane, Window *out_window)
{
    guint32 first = from / self->n_joined * self->n_joined;
    guint32 matching = matching_of(self, lane);
    double start_s = (double)self->slot * self->settings->slot_s + self->dead_s;
    double *free_s = &self->free_s[(gsize)from * self->n_lanes + lane];
    *free_s = MAX(*free_s, MAX(start_s, self->now_s));
    *out_window =
        (Window){.from = from,
                 .to = first + lp_tournament_opponent(self->n_joined, matching, from - first),
                 .free_s = free_s,
                 .end_s = (double)(self->slot + 1) * self->settings->slot_s};
    gboolean is_dead = ((self->dead[from] | self->dead[out_window->to]) >> lane & 1) != 0;
    return !is_dead && out_window->to != from && room_bytes(self, out_window) >= BYTES_MIN;
}

static void
send_direct(LpRotor *self, const Window *window)
{
    serve(self, window, self->relayed, self->of_relayed, &self->count.relayed_bytes);
    serve(self, window, self->own, self->of_own, &self->count.direct_bytes);
}

static void
turn(LpRotor *self)
{
    for (guint i = 0; i < self->incoming->len; i++) {
        const Incoming *incoming = &g_array_index(self->incoming, Incoming, i);
        add_piece(self, self->relayed, self->of_relayed, incoming->relay, incoming->to,
                  incoming->piece);
        self->n_waiting--;
    }
    g_array_set_size(self->incoming, 0);
    g_hash_table_remove_all(self->incoming_bytes);
    for (guint32 from = 0; from < self->n_attachments; from++) {
        Window window;
        if (self->own[from].backlogs->len + self->relayed[from].backlogs->len == 0)
            continue;
        for (guint32 lane = 0; lane < self->n_lanes; lane++)
            if (open_window(self, from, lane, &window))
                send_direct(self, &window);
    }
    /* Relays have sent what they could of their own. */
    for (guint32 from = 0; self->settings->rotor_hops > 1 && from < self->n_attachments; from++) {
        Window window;
        if (self->own[from].backlogs->len == 0)
            continue;
        for (guint32 lane = 0; lane < self->n_lanes; lane++)
            if (open_window(self, from, lane, &window))
                take_along(self, &window);
    }
}

static guint64
slot_at(const LpRotor *self, double at_s)
{
    return (guint64)floor(at_s / self->settings->slot_s + SLACK);
}

void
lp_rotor_advance(LpRotor *self, double now_s)
{
    guint64 last = slot_at(self, now_s);
    while (self->slot < last && self->n_waiting > 0) {
        self->slot++;
        self->now_s = (double)self->slot * self->settings->slot_s;
        turn(self);
    }
    self->slot = last;
    self->now_s = now_s;
}

double
lp_rotor_next_s(const LpRotor *self)
{
    GSequenceIter *first = g_sequence_get_begin_iter(self->due);
    double next_s = INFINITY;
    if (!g_sequence_iter_is_end(first))
        next_s = ((const Flow *)g_sequence_get(first))->end_s;
    if (self->n_waiting > 0)
        next_s = MIN(next_s, (double)(self->slot + 1) * self->settings->slot_s);
    return next_s;
}

void
lp_rotor_kill(LpRotor *self, guint32 attachment, guint64 lanes)
{
    /* Lanes that no matching needs are idle anyway. */
    guint64 used = self->n_lanes >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << self->n_lanes) - 1;
    if ((lanes & used) == 0)
        return;
    self->dead[attachment] |= lanes & used;
    self->has_dead = TRUE;
    set_dead_time(self, lp_circuit_switch_dead_time_s(self->settings));
}

void
lp_rotor_send(LpRotor *self, guint32 from, guint32 to, guint64 bytes, double now_s, gpointer data)
{
    g_return_if_fail(lp_rotor_joins(self, from, to) && bytes > 0);
    lp_rotor_advance(self, now_s);
    Flow *flow = g_new(Flow, 1);
    *flow = (Flow){.left_bytes = (double)bytes, .end_s = now_s, .data = data};
    add_piece(self, self->own, self->of_own, from, to, (Piece){flow, (double)bytes});
    for (guint32 lane = 0; lane < self->n_lanes; lane++) {
        Window window;
        if (open_window(self, from, lane, &window) && window.to == to)
            send_direct(self, &window);
    }
}

gpointer
lp_rotor_pop_due(LpRotor *self)
{
    GSequenceIter *first = g_sequence_get_begin_iter(self->due);
    if (g_sequence_iter_is_end(first))
        return NULL;
    const Flow *flow = g_sequence_get(first);
    if (flow->end_s > self->now_s + SLACK * self->settings->slot_s)
        return NULL;
    gpointer data = flow->data;
    g_sequence_remove(first);
    return data;
}
