/* SPDX-License-Identifier: Apache-2.0 */
/* Partition refinement by all parts of a divided class but the largest. */
#include "sim/quotient/refinement.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    guint32 seer, seen, label;
} Edge;

/* A vertex that sees another one. */
typedef struct {
    guint32 seer, label;
} Look;

/* A seer of the class at hand, and the labels of its looks: a row of them in order. */
typedef struct {
    guint32 class, seer;
    guint32 first, n; /* in labels */
} View;

struct LpRefinement {
    guint32 n_vertices, n_classes;
    guint32 *colour;                      /* owned, by vertex */
    GArray *edges;                        /* owned Edge, until they are sorted by what is seen */
    guint32 *first_look;                  /* owned, by vertex and one beyond */
    Look *looks;                          /* owned, by what is seen */
    guint32 *order;                       /* owned: vertices, those of a class in a row */
    guint32 *place;                       /* owned, by vertex: where it stands in that order */
    guint32 *of_vertex;                   /* owned, by vertex: its class */
    guint32 *first, *n;                   /* owned, by class: its row */
    gboolean *is_waiting;                 /* owned, by class: whether it is in the queue */
    guint32 n_rounds, cut_begin, cut_end; /* lp_refinement_cut() */
    gboolean is_cut;
    GQueue queue;    /* classes that others have not been told of, plus 1 */
    GArray *seen_by; /* owned Look: all that see it */
    GArray *labels;  /* owned guint32 */
    GArray *views;   /* owned View */
};

LpRefinement *
lp_refinement_new(guint32 n_vertices)
{
    LpRefinement *self = g_new0(LpRefinement, 1);
    self->n_vertices = n_vertices;
    self->colour = g_new0(guint32, n_vertices);
    self->edges = g_array_new(FALSE, FALSE, sizeof(Edge));
    self->of_vertex = g_new0(guint32, n_vertices);
    g_queue_init(&self->queue);
    return self;
}

void
lp_refinement_free(LpRefinement *self)
{
    if (self == NULL)
        return;
    if (self->edges != NULL)
        g_array_unref(self->edges);
    g_queue_clear(&self->queue);
    g_free(self->colour);
    g_free(self->of_vertex);
    g_free(self);
}

void
lp_refinement_set_colour(LpRefinement *self, guint32 vertex, guint32 colour)
{
    self->colour[vertex] = colour;
}

void
lp_refinement_add_edge(LpRefinement *self, guint32 seer, guint32 seen, guint32 label)
{
    Edge edge = {seer, seen, label};
    g_array_append_val(self->edges, edge);
}

void
lp_refinement_cut(LpRefinement *self, guint32 n_rounds, guint32 begin, guint32 end)
{
    self->n_rounds = n_rounds;
    self->cut_begin = begin;
    self->cut_end = end;
}

gboolean
lp_refinement_is_cut(const LpRefinement *self)
{
    return self->is_cut;
}

guint32
lp_refinement_class(const LpRefinement *self, guint32 vertex)
{
    return self->of_vertex[vertex];
}

/* --- before the first round --- */

/* Edges by what is seen. */
static void
sort_edges(LpRefinement *self)
{
    self->first_look = g_new0(guint32, (gsize)self->n_vertices + 1);
    for (guint i = 0; i < self->edges->len; i++)
        self->first_look[g_array_index(self->edges, Edge, i).seen + 1]++;
    for (guint32 v = 0; v < self->n_vertices; v++)
        self->first_look[v + 1] += self->first_look[v];
    self->looks = g_new(Look, self->edges->len);
    g_autofree guint32 *next = g_memdup2(self->first_look, sizeof *next * (self->n_vertices + 1ul));
    for (guint i = 0; i < self->edges->len; i++) {
        const Edge *edge = &g_array_index(self->edges, Edge, i);
        self->looks[next[edge->seen]++] = (Look){edge->seer, edge->label};
    }
    g_clear_pointer(&self->edges, g_array_unref);
}

static int
compare_colours(const void *a, const void *b, void *data)
{
    guint32 one = *(const guint32 *)a, other = *(const guint32 *)b;
    const guint32 *colour = data;
    if (colour[one] != colour[other])
        return colour[one] < colour[other] ? -1 : 1;
    return one < other ? -1 : one > other;
}

static void
enqueue(LpRefinement *self, guint32 class)
{
    if (self->is_waiting[class])
        return;
    self->is_waiting[class] = TRUE;
    g_queue_push_tail(&self->queue, GUINT_TO_POINTER(class + 1));
}

static void
divide_by_colour(LpRefinement *self)
{
    guint32 n = self->n_vertices;
    self->order = g_new(guint32, n);
    self->place = g_new(guint32, n);
    self->first = g_new(guint32, n);
    self->n = g_new0(guint32, n);
    self->is_waiting = g_new0(gboolean, n);
    for (guint32 v = 0; v < n; v++)
        self->order[v] = v;
    g_qsort_with_data(self->order, (gint)n, sizeof *self->order, compare_colours, self->colour);
    for (guint32 i = 0; i < n; i++) {
        guint32 v = self->order[i];
        if (i == 0 || self->colour[v] != self->colour[self->order[i - 1]])
            self->first[self->n_classes++] = i;
        self->place[v] = i;
        self->of_vertex[v] = self->n_classes - 1;
        self->n[self->n_classes - 1]++;
    }
    for (guint32 class = 0; class < self->n_classes; class ++)
        enqueue(self, class);
}

/* --- a round --- */

static int
compare_looks(const void *a, const void *b)
{
    const Look *one = a, *other = b;
    if (one->seer != other->seer)
        return one->seer < other->seer ? -1 : 1;
    return one->label < other->label ? -1 : one->label > other->label;
}

static int
compare_labels(const View *one, const View *other, const GArray *labels)
{
    if (one->n != other->n)
        return one->n < other->n ? -1 : 1;
    for (guint32 i = 0; i < one->n; i++) {
        guint32 x = g_array_index(labels, guint32, one->first + i);
        guint32 y = g_array_index(labels, guint32, other->first + i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int
compare_views(const void *a, const void *b, void *labels)
{
    const View *one = a, *other = b;
    if (one->class != other->class)
        return one->class < other->class ? -1 : 1;
    int order = compare_labels(one, other, labels);
    if (order != 0)
        return order;
    return one->seer < other->seer ? -1 : one->seer > other->seer;
}

/* All that see members of @class, and how: those of one class in a row, and of these those that
 * see it alike. */
static void
find_views(LpRefinement *self, guint32 class)
{
    g_array_set_size(self->seen_by, 0);
    for (guint32 i = 0; i < self->n[class]; i++) {
        guint32 v = self->order[self->first[class] + i];
        g_array_append_vals(self->seen_by, self->looks + self->first_look[v],
                            self->first_look[v + 1] - self->first_look[v]);
    }
    if (self->seen_by->len > 0)
        qsort(self->seen_by->data, self->seen_by->len, sizeof(Look), compare_looks);
    g_array_set_size(self->labels, 0);
    g_array_set_size(self->views, 0);
    for (guint i = 0; i < self->seen_by->len; i++) {
        const Look *look = &g_array_index(self->seen_by, Look, i);
        if (i == 0 || look->seer != (look - 1)->seer) {
            View view = {self->of_vertex[look->seer], look->seer, i, 0};
            g_array_append_val(self->views, view);
        }
        g_array_append_val(self->labels, look->label);
        g_array_index(self->views, View, self->views->len - 1).n++;
    }
    g_qsort_with_data(self->views->data, (gint)self->views->len, sizeof(View), compare_views,
                      self->labels);
}

static void
swap(LpRefinement *self, guint32 place, guint32 vertex)
{
    guint32 other = self->order[place], from = self->place[vertex];
    self->order[place] = vertex;
    self->order[from] = other;
    self->place[vertex] = place;
    self->place[other] = from;
}

/* Takes the @n seers of @views out of their class, from the end of its row, into a class of their
 * own. */
static guint32
split(LpRefinement *self, guint32 class, const View *views, guint32 n)
{
    guint32 made = self->n_classes++;
    for (guint32 i = 0; i < n; i++) {
        swap(self, self->first[class] + self->n[class] - 1, views[i].seer);
        self->n[class]--;
        self->of_vertex[views[i].seer] = made;
    }
    self->first[made] = self->first[class] + self->n[class];
    self->n[made] = n;
    return made;
}

/* Splits a class by what its members see: @views are the @n members that see anything. Members that
 * see nothing keep the class's number; if there are none, the first kind of view keeps it. If the
 * whole class still waits in the queue, all of its parts enter the queue; else all but the largest,
 * since what is known of the whole and of the other parts decides about that one. */
static void
divide_class(LpRefinement *self, const View *views, guint32 n)
{
    guint32 class = views->class, n_before = self->n_classes, begin = 0;
    if (n == self->n[class])
        while (begin < n && compare_labels(&views[begin], views, self->labels) == 0)
            begin++;
    for (guint32 end = begin; begin < n; begin = end) {
        while (end < n && compare_labels(&views[end], &views[begin], self->labels) == 0)
            end++;
        (void)split(self, class, views + begin, end - begin);
    }
    if (self->n_classes == n_before)
        return;
    guint32 largest = class;
    for (guint32 made = n_before; made < self->n_classes; made++)
        if (self->n[made] > self->n[largest])
            largest = made;
    gboolean notifies_all = self->is_waiting[class];
    if (notifies_all || largest != class)
        enqueue(self, class);
    for (guint32 made = n_before; made < self->n_classes; made++)
        if (notifies_all || made != largest)
            enqueue(self, made);
}

static void
refine_by(LpRefinement *self, guint32 class)
{
    find_views(self, class);
    const View *views = (const View *)(gconstpointer)self->views->data;
    for (guint begin = 0, end = 0; begin < self->views->len; begin = end) {
        while (end < self->views->len && views[end].class == views[begin].class)
            end++;
        divide_class(self, views + begin, end - begin);
    }
}

/* Whether nobody is to hear of @class any more. */
static gboolean
is_cut_off(const LpRefinement *self, guint32 class, guint32 round)
{
    guint32 vertex = self->order[self->first[class]];
    return round >= self->n_rounds && vertex >= self->cut_begin && vertex < self->cut_end;
}

/* Tells all classes that wait; those that they divide wait for the next round. */
static void
run_round(LpRefinement *self, guint32 round)
{
    for (guint n = g_queue_get_length(&self->queue); n > 0; n--) {
        guint32 class = GPOINTER_TO_UINT(g_queue_pop_head(&self->queue)) - 1;
        self->is_waiting[class] = FALSE;
        if (is_cut_off(self, class, round))
            self->is_cut = TRUE;
        else
            refine_by(self, class);
    }
}

/* Numbers the classes in the order of their lowest vertices. */
static void
number_classes(LpRefinement *self)
{
    g_autofree guint32 *number = g_new(guint32, self->n_classes);
    memset(number, 0xff, sizeof *number * self->n_classes);
    guint32 n = 0;
    for (guint32 v = 0; v < self->n_vertices; v++) {
        guint32 *own = &number[self->of_vertex[v]];
        if (*own == G_MAXUINT32)
            *own = n++;
        self->of_vertex[v] = *own;
    }
}

guint32
lp_refinement_run(LpRefinement *self)
{
    sort_edges(self);
    divide_by_colour(self);
    self->seen_by = g_array_new(FALSE, FALSE, sizeof(Look));
    self->labels = g_array_new(FALSE, FALSE, sizeof(guint32));
    self->views = g_array_new(FALSE, FALSE, sizeof(View));
    for (guint32 round = 0; !g_queue_is_empty(&self->queue); round++)
        run_round(self, round);
    number_classes(self);
    g_clear_pointer(&self->seen_by, g_array_unref);
    g_clear_pointer(&self->labels, g_array_unref);
    g_clear_pointer(&self->views, g_array_unref);
    g_clear_pointer(&self->first_look, g_free);
    g_clear_pointer(&self->looks, g_free);
    g_clear_pointer(&self->order, g_free);
    g_clear_pointer(&self->place, g_free);
    g_clear_pointer(&self->first, g_free);
    g_clear_pointer(&self->n, g_free);
    g_clear_pointer(&self->is_waiting, g_free);
    return self->n_classes;
}
