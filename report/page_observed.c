/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of an observation. */
#include "report/page_observed.h"

#define OBSERVED "/observed"

static guint
size_of(const LpPage *self, const char *at)
{
    return (guint)json_array_size(lp_page_get(self, at));
}

/* A data set that is an array of the document. */
static json_t *
rows_at(const char *at)
{
    json_t *data = json_object();
    lp_json_set_text(data, "rows", at);
    return data;
}

static void
add_timeline(LpPage *self)
{
    if (size_of(self, OBSERVED "/timeline") == 0)
        return;
    lp_page_heading(self, 2, "Timeline of stages and streams");
    g_string_append(self->text, "<div class=\"tools\" data-for=\"plot-timeline\"></div>\n");
    lp_page_plot(
        self, "timeline", "timeline", "Timeline of stages and streams",
        "One rank of each stage, which stands for all that do the same. Turn the wheel or "
        "use the buttons to zoom, and drag to move; point at a slice to see what it is. A pass "
        "has what it computes first, then what its layers wait for.",
        rows_at(OBSERVED "/timeline"));
    if (lp_page_get(self, OBSERVED "/slices_left_out") == NULL)
        return;
    g_string_append(self->text, "<p class=\"quiet\">Left out: ");
    lp_page_value(self, OBSERVED "/slices_left_out");
    g_string_append(self->text, " slices of at most ");
    lp_page_value(self, OBSERVED "/longest_left_out_s");
    g_string_append(self->text, ".</p>\n");
}

/* --- links --- */

/* A row of the plot of utilisation: of what stands at @at, if it has a series. */
static void
add_heat_row(json_t *rows, const LpPage *self, const char *at, const char *tier, gboolean is_tier)
{
    g_autofree char *series = lp_page_at(at, "/utilisation_by_bin");
    g_autofree char *name = lp_page_at(at, "/place");
    g_autofree char *whole = g_strdup_printf("all of %s", tier);
    if (lp_page_get(self, series) == NULL)
        return;
    json_t *row = lp_json_append_object(rows);
    lp_json_set_text(row, "row", is_tier ? whole : json_string_value(lp_page_get(self, name)));
    lp_json_set_text(row, "series", series);
}

/* Each tier, then its links. Returns: (transfer full). */
static json_t *
heat_rows(const LpPage *self)
{
    json_t *data = json_object(), *rows = lp_json_set_array(data, "rows");
    for (guint i = 0; i < size_of(self, OBSERVED "/tiers"); i++) {
        g_autofree char *at = lp_page_at(OBSERVED, "/tiers/%u", i);
        g_autofree char *tier_at = lp_page_at(at, "/tier");
        const char *tier = json_string_value(lp_page_get(self, tier_at));
        add_heat_row(rows, self, at, tier, TRUE);
        for (guint k = 0; k < size_of(self, OBSERVED "/links"); k++) {
            g_autofree char *link = lp_page_at(OBSERVED, "/links/%u", k);
            g_autofree char *of = lp_page_at(link, "/tier");
            if (g_strcmp0(tier, json_string_value(lp_page_get(self, of))) == 0)
                add_heat_row(rows, self, link, tier, FALSE);
        }
    }
    lp_json_set_text(data, "bins", OBSERVED "/bin_s");
    return data;
}

static void
add_links(LpPage *self)
{
    if (size_of(self, OBSERVED "/tiers") == 0)
        return;
    lp_page_heading(self, 2, "How busy the links are");
    lp_page_plot(self, "heat", "heat", "Utilisation of tiers and of their busiest links over time",
                 "The first row of a tier takes all its links together that jobs use; below it "
                 "stand those that are busiest. A flow's bytes are spread evenly over its time.",
                 heat_rows(self));
    lp_page_list(self, "Tiers", OBSERVED "/tiers", NULL);
    g_string_append(self->text, "<details><summary>The busiest links of each tier</summary>\n");
    lp_page_list(self, "Busiest links", OBSERVED "/links", NULL);
    g_string_append(self->text, "</details>\n");
}

static void
add_machine(LpPage *self)
{
    if (size_of(self, OBSERVED "/blocks") == 0)
        return;
    lp_page_heading(self, 2, "The machine and its hot links");
    lp_page_plot(self, "machine", "machine",
                 "The machine: tiers of links, coloured by the busiest link at each block",
                 "Blocks of accelerators stand at the bottom, switches above. A stroke is the "
                 "links of one tier at one block; its colour is the mean utilisation of the "
                 "busiest of them over the run.",
                 rows_at(OBSERVED "/blocks"));
    g_string_append(self->text, "<p class=\"quiet\">Accelerators in a block: ");
    lp_page_value(self, OBSERVED "/block_accelerators");
    g_string_append(self->text, ".</p>\n");
}

/* --- who sends what --- */

static void
add_pairs(LpPage *self)
{
    if (size_of(self, OBSERVED "/pairs") == 0)
        return;
    lp_page_heading(self, 2, "Who sends to whom");
    g_string_append(self->text, "<div class=\"tools\" data-for=\"plot-matrix\"></div>\n");
    lp_page_plot(self, "matrix", "matrix", "Traffic between blocks of accelerators",
                 "Bytes from the block of the row to that of the column, in one run.",
                 rows_at(OBSERVED "/pairs"));
}

static void
add_messages(LpPage *self)
{
    if (size_of(self, OBSERVED "/messages") == 0)
        return;
    lp_page_heading(self, 2, "Sizes of messages by class");
    lp_page_plot(self, "messages", "messages", "Sizes and numbers of messages by class",
                 "A point is all operations of one kind and size: collectives by the size of "
                 "their buffer, counted once for each communicator, and messages between stages.",
                 rows_at(OBSERVED "/messages"));
    lp_page_list(self, "Sizes of messages", OBSERVED "/messages", NULL);
}

void
lp_page_observed_add(LpPage *self)
{
    add_timeline(self);
    add_links(self);
    add_machine(self);
    add_pairs(self);
    add_messages(self);
}
