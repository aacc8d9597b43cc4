/* SPDX-License-Identifier: Apache-2.0 */
/* Reads CSV by libcsv, line by line, so that messages can name the line of a row. */
#include "base/table.h"

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"

#include <csv.h>

#include <string.h>

/* Above any time, bandwidth or rate in SI units or with a prefix. */
#define MEASURED_MAX 1e18

struct LpTableRow {
    const LpTable *table; /* borrowed: it owns this row */
    guint64 line;
    char **fields; /* owned: as many as the header has */
};

struct LpTable {
    char *path;         /* owned */
    char **header;      /* owned */
    GHashTable *places; /* owned: column, borrowed from header, to place */
    GPtrArray *rows;    /* owned: LpTableRow */
};

static void
free_row(gpointer data)
{
    LpTableRow *row = data;
    g_strfreev(row->fields);
    g_free(row);
}

void
lp_table_free(LpTable *self)
{
    if (self == NULL)
        return;
    g_free(self->path);
    g_strfreev(self->header);
    g_hash_table_unref(self->places);
    g_ptr_array_unref(self->rows);
    g_free(self);
}

/* A field takes some 64 bytes: a file is to fit into a gigabyte. */
#define COLUMNS_MAX 1000u
#define FIELDS_MAX 10000000u

/* A file on the way to being a table. */
typedef struct {
    LpTable *table;
    GPtrArray *fields; /* owned: of the row that is being read */
    guint64 begin;     /* the line on which it begins */
    gboolean open;     /* whether it has begun */
    guint n_fields;    /* in all */
    GError *error;     /* owned: the first fault */
} Reading;

static void set_fault(Reading *reading, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void
set_fault(Reading *reading, const char *format, ...)
{
    if (reading->error != NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(&reading->error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "%s:%" G_GUINT64_FORMAT ": %s", reading->table->path, reading->begin, message);
}

static void
take_field(void *text, size_t length, void *data)
{
    Reading *reading = data;
    /* What comes behind a fault is not kept: the parser reads a line to its end. */
    if (reading->error != NULL)
        return;
    if (reading->fields->len == COLUMNS_MAX || reading->n_fields++ == FIELDS_MAX)
        set_fault(reading, "got more than %u columns or %u fields in all, wanted fewer",
                  COLUMNS_MAX, FIELDS_MAX);
    g_ptr_array_add(reading->fields, g_strndup(text != NULL ? text : "", length));
}

static void
take_header(Reading *reading, char **fields)
{
    LpTable *table = reading->table;
    table->header = fields;
    for (guint i = 0; fields[i] != NULL && reading->error == NULL; i++) {
        g_autofree char *shown = lp_error_quote(fields[i]);
        if (!g_hash_table_insert(table->places, fields[i], GUINT_TO_POINTER(i)))
            set_fault(reading, "got the column %s twice, wanted each once", shown);
    }
}

static void
take_row(int end, void *data)
{
    (void)end;
    Reading *reading = data;
    LpTable *table = reading->table;
    guint n = reading->fields->len;
    g_ptr_array_add(reading->fields, NULL);
    char **fields = (char **)g_ptr_array_free(reading->fields, FALSE);
    reading->fields = g_ptr_array_new_with_free_func(g_free);
    reading->open = FALSE;
    if (table->header == NULL) {
        take_header(reading, fields);
        return;
    }
    guint n_wanted = g_strv_length(table->header);
    if (n != n_wanted)
        set_fault(reading, "got %u fields, wanted the %u of the header", n, n_wanted);
    LpTableRow *row = g_new0(LpTableRow, 1);
    *row = (LpTableRow){table, reading->begin, fields};
    g_ptr_array_add(table->rows, row);
}

static gboolean
is_blank(const char *text, gsize length)
{
    for (gsize i = 0; i < length; i++)
        if (strchr(" \t\r\n", text[i]) == NULL)
            return FALSE;
    return TRUE;
}

static gsize
line_length(const char *text, gsize left)
{
    const char *end = memchr(text, '\n', left);
    return end != NULL ? (gsize)(end - text) + 1 : left;
}

static void
read_lines(Reading *reading, struct csv_parser *parser, const char *text, gsize length)
{
    gsize n;
    guint64 line = 1;
    for (gsize at = 0; at < length && reading->error == NULL; at += n, line++) {
        n = line_length(text + at, length - at);
        if (!reading->open && is_blank(text + at, n))
            continue;
        if (!reading->open)
            reading->begin = line;
        reading->open = TRUE;
        if (csv_parse(parser, text + at, n, take_field, take_row, reading) != n)
            set_fault(reading, "got a quote out of place, wanted CSV (RFC 4180)");
    }
    if (reading->error == NULL && csv_fini(parser, take_field, take_row, reading) != 0)
        set_fault(reading, "got a quote that is never closed, wanted CSV (RFC 4180)");
}

static gboolean
read_text(LpTable *table, const char *text, gsize length, GError **error)
{
    if (!g_utf8_validate_len(text, length, NULL)) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "%s: got bytes that are not UTF-8, wanted CSV", table->path);
        return FALSE;
    }
    text = lp_file_skip_mark(text, &length);
    struct csv_parser parser;
    Reading reading = {.table = table, .begin = 1};
    reading.fields = g_ptr_array_new_with_free_func(g_free);
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        g_error("csv_init: cannot allocate");
    read_lines(&reading, &parser, text, length);
    csv_free(&parser);
    g_ptr_array_unref(reading.fields);
    if (reading.error == NULL)
        return TRUE;
    g_propagate_error(error, reading.error);
    return FALSE;
}

gboolean
lp_table_has_columns(const LpTable *self, const char *columns)
{
    g_auto(GStrv) wanted = g_strsplit(columns, " ", -1);
    for (guint i = 0; wanted[i] != NULL; i++)
        if (!g_hash_table_contains(self->places, wanted[i]))
            return FALSE;
    return TRUE;
}

const char *
lp_table_column(const LpTable *self, guint index)
{
    return index < g_strv_length(self->header) ? self->header[index] : NULL;
}

char *
lp_table_header(const LpTable *self)
{
    g_autofree char *all = g_strjoinv(",", self->header);
    return lp_error_quote(all);
}

static gboolean
check_header(const LpTable *table, GError **error)
{
    if (table->header != NULL)
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "%s: got nothing, wanted a header and rows of CSV", table->path);
    return FALSE;
}

LpTable *
lp_table_parse(const char *path, const char *text, gsize length, GError **error)
{
    g_return_val_if_fail(path != NULL && text != NULL, NULL);
    g_autoptr(LpTable) self = g_new0(LpTable, 1);
    self->path = g_strdup(lp_file_label(path));
    self->places = g_hash_table_new(g_str_hash, g_str_equal);
    self->rows = g_ptr_array_new_with_free_func(free_row);
    if (!read_text(self, text, length, error) || !check_header(self, error))
        return NULL;
    return g_steal_pointer(&self);
}

LpTable *
lp_table_load(const char *path, GError **error)
{
    g_return_val_if_fail(path != NULL, NULL);
    g_autoptr(GBytes) bytes = lp_file_read(path, error);
    if (bytes == NULL)
        return NULL;
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    return lp_table_parse(path, length > 0 ? text : "", length, error);
}

const char *
lp_table_path(const LpTable *self)
{
    return self->path;
}

guint
lp_table_n_rows(const LpTable *self)
{
    return self->rows->len;
}

const LpTableRow *
lp_table_row(const LpTable *self, guint index)
{
    g_return_val_if_fail(index < self->rows->len, NULL);
    return self->rows->pdata[index];
}

const char *
lp_table_text(const LpTableRow *row, const char *column)
{
    gpointer place;
    if (!g_hash_table_lookup_extended(row->table->places, column, NULL, &place))
        return "";
    return row->fields[GPOINTER_TO_UINT(place)];
}

gboolean
lp_table_knows(const LpTableRow *row, const char *column)
{
    return lp_table_has_columns(row->table, column);
}

gboolean
lp_table_has(const LpTableRow *row, const char *column)
{
    return *lp_table_text(row, column) != '\0';
}

static int
compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *
lp_table_content(const LpTableRow *row)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; row->fields[i] != NULL; i++)
        if (*row->fields[i] != '\0')
            g_ptr_array_add(lines, g_strconcat(row->table->header[i], "=", row->fields[i], NULL));
    g_ptr_array_sort(lines, compare_texts);
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

char *
lp_table_id(const LpTableRow *row)
{
    const char *id = lp_table_text(row, "id");
    return *id != '\0' ? g_strdup(id) : g_strdup_printf("%" G_GUINT64_FORMAT, row->line);
}

char *
lp_table_where(const LpTableRow *row)
{
    return g_strdup_printf("%s:%" G_GUINT64_FORMAT, row->table->path, row->line);
}

gboolean
lp_table_prefix(const LpTableRow *row, const char *column, GError **error)
{
    g_prefix_error(error, "%s:%" G_GUINT64_FORMAT ": column %s: ", row->table->path, row->line,
                   column);
    return FALSE;
}

gboolean
lp_table_fault(const LpTableRow *row, const char *column, const char *wanted, GError **error)
{
    g_autofree char *shown = lp_error_quote(lp_table_text(row, column));
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "got %s, wanted %s", shown, wanted);
    return lp_table_prefix(row, column, error);
}

gboolean
lp_table_count(const LpTableRow *row, const char *column, guint64 minimum, guint64 maximum,
               guint64 *io_value, GError **error)
{
    if (!lp_table_has(row, column) ||
        lp_count_parse(lp_table_text(row, column), minimum, maximum, io_value, NULL))
        return TRUE;
    g_autofree char *wanted = g_strdup_printf(
        "a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, minimum, maximum);
    return lp_table_fault(row, column, wanted, error);
}

gboolean
lp_table_number(const LpTableRow *row, const char *column, double minimum, double maximum,
                double *io_value, GError **error)
{
    if (!lp_table_has(row, column) ||
        lp_number_parse(lp_table_text(row, column), minimum, maximum, io_value, NULL))
        return TRUE;
    g_autofree char *wanted = g_strdup_printf("a number from %g to %g", minimum, maximum);
    return lp_table_fault(row, column, wanted, error);
}

gboolean
lp_table_measured(const LpTableRow *row, const char *column, double *out_value, GError **error)
{
    *out_value = 0.0;
    if (lp_table_has(row, column) &&
        lp_number_parse(lp_table_text(row, column), G_MINDOUBLE, MEASURED_MAX, out_value, NULL))
        return TRUE;
    *out_value = 0.0;
    return lp_table_fault(row, column, "a measured value above 0", error);
}
