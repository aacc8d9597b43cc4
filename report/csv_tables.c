/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as comma-separated values (RFC 4180). */
#include "report/csv_tables.h"

#include "report/csv_cell.h"
#include "report/result_field.h"

#include <string.h>

const char *const lp_csv_names[] = {"terms.csv",   "timeline.csv",   "links.csv", "utilisation.csv",
                                    "traffic.csv", "operations.csv", NULL};

static void
table_clear(LpCsvTable *self)
{
    g_string_free(self->text, TRUE);
}

/* A table with its first row, which report/fields.xml has under the table's name. Returns: borrowed
 * from @tables. */
static GString *
add_table(GArray *tables, const char *name)
{
    g_autofree char *columns = lp_result_field_columns(name);
    LpCsvTable table = {name, g_string_new(columns)};
    g_string_append(table.text, "\n");
    g_array_append_val(tables, table);
    return table.text;
}

/* --- rows --- */

static void
end_row(GString *text)
{
    g_string_append_c(text, '\n');
}

static const char *
kind_name(guint kind)
{
    return kind == LP_FLOW_LOG_BACKGROUND ? "background" : lp_traffic_names[kind];
}

/* --- tables --- */

static void
add_terms_of(GString *text, const char *job, const json_t *run)
{
    static const char *const models[] = {"simulated", "closed_form", "amped"};
    for (guint i = 0; i < G_N_ELEMENTS(models); i++)
        for (LpTerm term = 0; term < LP_N_TERMS; term++) {
            const json_t *terms = json_object_get(json_object_get(run, models[i]), "terms_s");
            if (terms == NULL)
                continue;
            lp_csv_add_text(text, models[i]);
            lp_csv_add_text(text, job);
            lp_csv_add_text(text, lp_term_names[term]);
            lp_csv_add_number(text, json_number_value(json_object_get(terms, lp_term_names[term])));
            end_row(text);
        }
}

static void
add_terms(GArray *tables, const json_t *document)
{
    GString *text = add_table(tables, "terms.csv");
    const json_t *jobs = json_object_get(document, "jobs");
    if (jobs == NULL)
        add_terms_of(text, NULL, document);
    for (gsize i = 0; i < json_array_size(jobs); i++) {
        const json_t *job = json_array_get(jobs, i);
        add_terms_of(text, json_string_value(json_object_get(job, "name")), job);
    }
}

/* The figures of a tier or a link. */
typedef struct {
    double bytes_per_s;
    const double *bytes;  /* by class */
    const double *busy_s; /* NULL: not known, as the next */
    const double *excess_s;
    const char *place; /* borrowed, or NULL */
} LinkRow;

static void
add_known(GString *text, const double *number)
{
    if (number != NULL)
        lp_csv_add_number(text, *number);
    else
        lp_csv_add_text(text, NULL);
}

/* A row for each class. */
static void
add_link_rows(GString *text, LpTier tier, const char *link, LinkRow row, double duration_s)
{
    for (guint kind = 0; kind < LP_N_FLOW_LOG_KINDS; kind++) {
        if (row.bytes[kind] <= 0.0)
            continue;
        lp_csv_add_text(text, lp_tier_names[tier]);
        lp_csv_add_text(text, link);
        lp_csv_add_text(text, kind_name(kind));
        lp_csv_add_number(text, row.bytes_per_s);
        lp_csv_add_number(text, row.bytes[kind]);
        lp_csv_add_number(text, row.bytes[kind] / row.bytes_per_s / duration_s);
        add_known(text, row.busy_s);
        add_known(text, row.excess_s);
        lp_csv_add_text(text, row.place);
        end_row(text);
    }
}

static void
add_links(GArray *tables, const LpObservation *self)
{
    GString *text = add_table(tables, "links.csv");
    for (guint i = 0; i < self->tiers->len; i++) {
        const LpObservedTier *tier = &g_array_index(self->tiers, LpObservedTier, i);
        LinkRow row = {.bytes_per_s = tier->bytes_per_s,
                       .bytes = tier->bytes,
                       .excess_s = tier->has_excess ? &tier->excess_s : NULL};
        add_link_rows(text, tier->tier, NULL, row, self->end_s);
    }
    for (guint i = 0; i < self->links->len; i++) {
        const LpObservedLink *link = &g_array_index(self->links, LpObservedLink, i);
        LinkRow row = {.bytes_per_s = link->bytes_per_s,
                       .bytes = link->bytes,
                       .busy_s = link->busy_s >= 0.0 ? &link->busy_s : NULL,
                       .place = link->place};
        add_link_rows(text, link->tier, link->name, row, self->end_s);
    }
}

static void
add_series(GString *text, const LpObservation *self, const char *tier, const char *link,
           const LpFlowSeries *series, double bytes_per_s)
{
    for (guint bin = 0; series != NULL && bin < self->n_bins; bin++) {
        double start_s = bin * self->bin_s, end_s = MIN(start_s + self->bin_s, self->end_s);
        if (end_s <= start_s)
            continue;
        lp_csv_add_text(text, tier);
        lp_csv_add_text(text, link);
        lp_csv_add_number(text, start_s);
        lp_csv_add_number(text, end_s);
        lp_csv_add_number(text, series->bytes[bin]);
        lp_csv_add_number(text, series->bytes[bin] / bytes_per_s / (end_s - start_s));
        end_row(text);
    }
}

static void
add_utilisation(GArray *tables, const LpObservation *self)
{
    GString *text = add_table(tables, "utilisation.csv");
    for (guint i = 0; i < self->tiers->len; i++) {
        const LpObservedTier *tier = &g_array_index(self->tiers, LpObservedTier, i);
        add_series(text, self, lp_tier_names[tier->tier], NULL, tier->series, tier->bytes_per_s);
    }
    for (guint i = 0; i < self->links->len; i++) {
        const LpObservedLink *link = &g_array_index(self->links, LpObservedLink, i);
        add_series(text, self, lp_tier_names[link->tier], link->name, link->series,
                   link->bytes_per_s);
    }
}

static void
add_traffic(GArray *tables, const LpTrafficCensus *census)
{
    GString *text = add_table(tables, "traffic.csv");
    for (LpTraffic traffic = 0; census != NULL && traffic < LP_N_TRAFFIC; traffic++)
        for (guint32 from = 0; from < census->n_blocks; from++)
            for (guint32 to = 0; to < census->n_blocks; to++) {
                double bytes = lp_traffic_census_pair(census, traffic, from, to);
                if (bytes <= 0.0)
                    continue;
                lp_csv_add_text(text, lp_traffic_names[traffic]);
                lp_csv_add_count(text, from);
                lp_csv_add_count(text, to);
                lp_csv_add_number(text, bytes);
                end_row(text);
            }
}

static void
add_operations(GArray *tables, const LpTrafficCensus *census)
{
    GString *text = add_table(tables, "operations.csv");
    for (guint i = 0; census != NULL && i < census->messages->len; i++) {
        const LpMessageCount *message = &g_array_index(census->messages, LpMessageCount, i);
        lp_csv_add_text(text, lp_traffic_names[message->traffic]);
        lp_csv_add_text(text, message->operation == LP_MESSAGE_BETWEEN_STAGES
                                  ? "message"
                                  : lp_collective_names[message->operation]);
        lp_csv_add_count(text, message->bytes);
        lp_csv_add_number(text, message->n);
        end_row(text);
    }
}

static void
add_slice(GString *text, const char *job, const LpSlice *slice)
{
    lp_csv_add_text(text, lp_lane_names[slice->lane]);
    lp_csv_add_text(text, job);
    lp_csv_add_count(text, slice->stage);
    lp_csv_add_text(text, slice->name);
    if (slice->micro_batch >= 0)
        lp_csv_add_count(text, (guint64)slice->micro_batch);
    else
        lp_csv_add_text(text, NULL);
    if (slice->bytes > 0)
        lp_csv_add_count(text, slice->bytes);
    else
        lp_csv_add_text(text, NULL);
    lp_csv_add_number(text, slice->start_s);
    lp_csv_add_number(text, slice->end_s);
    end_row(text);
}

static void
add_timeline(GArray *tables, const LpTrack *tracks, guint n_tracks)
{
    GString *text = add_table(tables, "timeline.csv");
    for (guint i = 0; i < n_tracks; i++) {
        const GArray *slices = tracks[i].timeline->slices;
        for (guint k = 0; k < slices->len; k++)
            add_slice(text, tracks[i].name, &g_array_index(slices, LpSlice, k));
    }
}

GArray *
lp_csv_tables_new(const json_t *document, const LpObservation *observation, const LpTrack *tracks,
                  guint n_tracks)
{
    GArray *tables = g_array_new(FALSE, FALSE, sizeof(LpCsvTable));
    g_array_set_clear_func(tables, (GDestroyNotify)table_clear);
    add_terms(tables, document);
    add_timeline(tables, tracks, n_tracks);
    /* Nothing was observed if every communication takes its isolated time. */
    add_links(tables, observation);
    add_utilisation(tables, observation);
    add_traffic(tables, observation->census);
    add_operations(tables, observation->census);
    return tables;
}
