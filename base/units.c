/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers and quantities with units from text, and prints them for people. */
#include "base/units.h"

#include "base/error.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A unit; those with a text for people are the ones that results are written in. The rows of a
 * quantity stand from the smallest unit for people to the largest. */
typedef struct {
    const char *text;
    double scale;
    const char *shown; /* NULL: read only */
} Unit;

typedef struct {
    const char *wanted;
    Unit units[20]; /* ends with a NULL text */
} Quantity;

/* The scales are written as SimGrid's own, so that both readers get the same double. */
static const Quantity quantities[] = {
    [LP_QUANTITY_TIME] = {"a time such as 1us or 2.5ms",
                          {{"ps", 1e-12, "ps"},
                           {"ns", 1e-9, "ns"},
                           {"us", 1e-6, "us"},
                           {"ms", 1e-3, "ms"},
                           {"s", 1, "s"},
                           {"m", 60, NULL},
                           {"h", 3600, NULL}}},
    [LP_QUANTITY_SIZE] = {"a size such as 80GB or 25MiB",
                          {{"B", 1, "B"},
                           {"kB", 1e3, "kB"},
                           {"MB", 1e6, "MB"},
                           {"GB", 1e9, "GB"},
                           {"TB", 1e12, "TB"},
                           {"PB", 1e15, "PB"},
                           {"KiB", 0x1p10, NULL},
                           {"MiB", 0x1p20, NULL},
                           {"GiB", 0x1p30, NULL},
                           {"TiB", 0x1p40, NULL}}},
    [LP_QUANTITY_BANDWIDTH] = {"a bandwidth such as 25GBps or 200Gbps",
                               {{"Bps", 1, "B/s"},
                                {"kBps", 1e3, "kB/s"},
                                {"MBps", 1e6, "MB/s"},
                                {"GBps", 1e9, "GB/s"},
                                {"TBps", 1e12, "TB/s"},
                                {"PBps", 1e15, "PB/s"},
                                {"EBps", 1e18, "EB/s"},
                                {"bps", 1.0 / 8, NULL},
                                {"kbps", 1e3 / 8, NULL},
                                {"Mbps", 1e6 / 8, NULL},
                                {"Gbps", 1e9 / 8, NULL},
                                {"Tbps", 1e12 / 8, NULL},
                                {"Pbps", 1e15 / 8, NULL},
                                {"Ebps", 1e18 / 8, NULL},
                                {"KiBps", 0x1p10, NULL},
                                {"MiBps", 0x1p20, NULL},
                                {"GiBps", 0x1p30, NULL},
                                {"TiBps", 0x1p40, NULL}}},
    [LP_QUANTITY_SPEED] = {"a speed such as 312Tf",
                           {{"f", 1, "FLOP/s"},
                            {"kf", 1e3, "kFLOP/s"},
                            {"Mf", 1e6, "MFLOP/s"},
                            {"Gf", 1e9, "GFLOP/s"},
                            {"Tf", 1e12, "TFLOP/s"},
                            {"Pf", 1e15, "PFLOP/s"},
                            {"Ef", 1e18, "EFLOP/s"}}},
    [LP_QUANTITY_POWER] =
        {"a power such as 400W",
         {{"mW", 1e-3, "mW"}, {"W", 1, "W"}, {"kW", 1e3, "kW"}, {"MW", 1e6, "MW"}}},
    [LP_QUANTITY_ENERGY_PER_BIT] = {"an energy per bit such as 5pJ/bit",
                                    {{"fJ/bit", 1e-15, "fJ/bit"},
                                     {"pJ/bit", 1e-12, "pJ/bit"},
                                     {"nJ/bit", 1e-9, "nJ/bit"},
                                     {"J/bit", 1, "J/bit"}}},
    [LP_QUANTITY_ENERGY] =
        {"an energy such as 5kJ",
         {{"J", 1, "J"}, {"kJ", 1e3, "kJ"}, {"MJ", 1e6, "MJ"}, {"GJ", 1e9, "GJ"}}},
    [LP_QUANTITY_PRICE] = {"a price such as 879USD",
                           {{"USD", 1, "USD"}, {"kUSD", 1e3, "kUSD"}, {"MUSD", 1e6, "MUSD"}}},
};

static gboolean
fail(GError **error, int code, const char *text, const char *problem, const char *wanted)
{
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, code, "%s %s %s", shown, problem, wanted);
    return FALSE;
}

/* Reads a decimal number at the start of @text; FALSE if there is none. The first character is
 * checked by hand because strtod() also reads blanks, "nan", "infinity" and hexadecimal. */
static gboolean
scan_number(const char *text, double *out_value, const char **out_end)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (!g_ascii_isdigit(digits[0]) && !(digits[0] == '.' && g_ascii_isdigit(digits[1])))
        return FALSE;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return FALSE;
    char *end = NULL;
    *out_value = g_ascii_strtod(text, &end);
    *out_end = end;
    return TRUE;
}

/* The units of people and of SimGrid; of units with the same ending the longest comes first. */
static const struct {
    LpQuantity quantity;
    const char *people, *simgrid;
} spellings[] = {
    {LP_QUANTITY_BANDWIDTH, "bits/s", "bps"}, {LP_QUANTITY_BANDWIDTH, "bit/s", "bps"},
    {LP_QUANTITY_BANDWIDTH, "b/s", "bps"},    {LP_QUANTITY_BANDWIDTH, "B/s", "Bps"},
    {LP_QUANTITY_TIME, "min", "m"},           {LP_QUANTITY_TIME, "\u00b5s", "us"},
    {LP_QUANTITY_TIME, "\u03bcs", "us"},      {LP_QUANTITY_SPEED, "FLOP/s", "f"},
    {LP_QUANTITY_SPEED, "FLOPS", "f"},
};

/* A unit of SimGrid's that @text is another spelling of: "GBps" of "GB/s". Returns: (transfer
 * full). */
static char *
simgrid_unit(LpQuantity quantity, const char *text)
{
    for (gsize i = 0; i < G_N_ELEMENTS(spellings); i++) {
        if (spellings[i].quantity != quantity || !g_str_has_suffix(text, spellings[i].people))
            continue;
        g_autofree char *prefix = g_strndup(text, strlen(text) - strlen(spellings[i].people));
        return g_strconcat(prefix, spellings[i].simgrid, NULL);
    }
    return g_strdup(text);
}

static const Unit *
find_unit(LpQuantity quantity, const char *text)
{
    g_autofree char *spelt = simgrid_unit(quantity, text);
    for (const Unit *unit = quantities[quantity].units; unit->text != NULL; unit++)
        if (strcmp(unit->text, spelt) == 0)
            return unit;
    return NULL;
}

gboolean
lp_quantity_parse(LpQuantity quantity, const char *text, double *out_value, GError **error)
{
    g_return_val_if_fail(text != NULL && out_value != NULL, FALSE);
    const char *wanted = quantities[quantity].wanted;
    const char *end = NULL;
    double number = 0;
    if (!scan_number(text, &number, &end))
        return fail(error, LP_INPUT_ERROR_SYNTAX, text, "is not", wanted);
    while (*end == ' ')
        end++;
    const Unit *unit = find_unit(quantity, end);
    if (unit == NULL && *end == '\0')
        return fail(error, LP_INPUT_ERROR_SYNTAX, text, "has no unit, wanted", wanted);
    if (unit == NULL)
        return fail(error, LP_INPUT_ERROR_SYNTAX, text, "is not", wanted);
    double value = number * unit->scale;
    if (signbit(value))
        return fail(error, LP_INPUT_ERROR_VALUE, text, "is negative, wanted", wanted);
    if (!isfinite(value))
        return fail(error, LP_INPUT_ERROR_VALUE, text, "is too large, wanted", wanted);
    *out_value = value;
    return TRUE;
}

gboolean
lp_quantity_parse_in(LpQuantity quantity, const char *text, double minimum, double maximum,
                     double *out_value, GError **error)
{
    double value = 0;
    if (!lp_quantity_parse(quantity, text, &value, error))
        return FALSE;
    if (value < minimum || value > maximum) {
        g_autofree char *low = lp_quantity_to_text(quantity, minimum);
        g_autofree char *high = lp_quantity_to_text(quantity, maximum);
        g_autofree char *range = g_strdup_printf("%s to %s", low, high);
        return fail(error, LP_INPUT_ERROR_VALUE, text, "is out of range, wanted", range);
    }
    *out_value = value;
    return TRUE;
}

/* The index of the last unit for people that is not above @value. */
static int
shown_unit(LpQuantity quantity, double value)
{
    const Unit *units = quantities[quantity].units;
    int best = 0;
    for (int i = 0; units[i].text != NULL && units[i].shown != NULL; i++)
        if (units[i].scale <= value)
            best = i;
    return best;
}

static int
base_unit(LpQuantity quantity)
{
    const Unit *units = quantities[quantity].units;
    int i = 0;
    while (units[i].scale != 1)
        i++;
    return i;
}

static double
round_to_four_digits(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return g_ascii_strtod(g_ascii_formatd(text, sizeof text, "%.4g", value), NULL);
}

char *
lp_quantity_format(LpQuantity quantity, double value)
{
    double magnitude = fabs(value);
    int i = magnitude > 0 ? shown_unit(quantity, magnitude) : base_unit(quantity);
    const Unit *unit = &quantities[quantity].units[i];
    const Unit *next = unit + 1;
    /* 999.96 GB/s is 1 TB/s to four digits. */
    if (next->text != NULL && next->shown != NULL &&
        round_to_four_digits(magnitude / unit->scale) * unit->scale >= next->scale)
        unit = next;
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, "%.4g", value / unit->scale);
    return g_strdup_printf("%s %s", text, unit->shown);
}

/* The text of @value in @unit with the fewest digits that read back, or NULL if none does. */
static char *
exact_text(const Unit *unit, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    for (int n_digits = 1; n_digits <= 17; n_digits++) {
        g_autofree char *format = g_strdup_printf("%%.%dg", n_digits);
        g_ascii_formatd(text, sizeof text, format, value / unit->scale);
        /* "3e+02" reads back, but is not what people write. */
        if (strchr(text, 'e') != NULL && n_digits < 4)
            continue;
        if (g_ascii_strtod(text, NULL) * unit->scale == value)
            return g_strconcat(text, unit->text, NULL);
    }
    return NULL;
}

char *
lp_quantity_to_text(LpQuantity quantity, double value)
{
    g_return_val_if_fail(isfinite(value) && value >= 0, NULL);
    const Unit *units = quantities[quantity].units;
    int best = value > 0 ? shown_unit(quantity, value) : base_unit(quantity);
    char *text = exact_text(&units[best], value);
    /* A scale such as 1e-9 is itself rounded: not every double is a product with it. */
    for (int i = best - 1; i >= 0 && text == NULL; i--)
        text = exact_text(&units[i], value);
    for (int i = best + 1; units[i].shown != NULL && text == NULL; i++)
        text = exact_text(&units[i], value);
    return text;
}

static gboolean
count_fails(GError **error, int code, const char *text, const char *how, guint64 minimum,
            guint64 maximum)
{
    g_autofree char *range = g_strdup_printf(
        "a whole number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, minimum, maximum);
    return fail(error, code, text, how, range);
}

gboolean
lp_count_parse(const char *text, guint64 minimum, guint64 maximum, guint64 *out_value,
               GError **error)
{
    g_return_val_if_fail(text != NULL && out_value != NULL, FALSE);
    gsize n_digits = strspn(text, "0123456789");
    if (n_digits == 0 || text[n_digits] != '\0')
        return count_fails(error, LP_INPUT_ERROR_SYNTAX, text, "is not", minimum, maximum);
    errno = 0;
    guint64 value = g_ascii_strtoull(text, NULL, 10);
    if (errno == ERANGE || value < minimum || value > maximum)
        return count_fails(error, LP_INPUT_ERROR_VALUE, text, "is out of range, wanted", minimum,
                           maximum);
    *out_value = value;
    return TRUE;
}

static gboolean
number_fails(GError **error, int code, const char *text, const char *how, double minimum,
             double maximum)
{
    g_autofree char *range = g_strdup_printf("a number from %g to %g", minimum, maximum);
    return fail(error, code, text, how, range);
}

gboolean
lp_number_parse(const char *text, double minimum, double maximum, double *out_value, GError **error)
{
    g_return_val_if_fail(text != NULL && out_value != NULL, FALSE);
    const char *end = NULL;
    double value = 0;
    if (!scan_number(text, &value, &end) || *end != '\0')
        return number_fails(error, LP_INPUT_ERROR_SYNTAX, text, "is not", minimum, maximum);
    if (!(value >= minimum && value <= maximum && isfinite(value)))
        return number_fails(error, LP_INPUT_ERROR_VALUE, text, "is out of range, wanted", minimum,
                            maximum);
    *out_value = value;
    return TRUE;
}

gboolean
lp_boolean_parse(const char *text, gboolean *out_value, GError **error)
{
    g_return_val_if_fail(text != NULL && out_value != NULL, FALSE);
    gboolean yes = strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "no") != 0)
        return fail(error, LP_INPUT_ERROR_SYNTAX, text, "is not", "yes or no");
    *out_value = yes;
    return TRUE;
}

int
lp_choice_parse(const char *text, const char *const *names, GError **error)
{
    g_return_val_if_fail(text != NULL && names != NULL, -1);
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    g_autofree char *shown = lp_error_quote(text);
    g_autoptr(GString) list = g_string_new(NULL);
    for (gsize i = 0; names[i] != NULL; i++)
        g_string_append_printf(list, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *like = lp_like_name(text, names);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME, "%s is not one of %s%s%s", shown,
                list->str, like != NULL ? "; the nearest is " : "", like != NULL ? like : "");
    return -1;
}

/* Names are short; a longer text is no near miss of any. */
#define NAME_MAX_LENGTH 63
/* The shortest part of a name that counts; shorter parts occur in too many names. */
#define PART_MIN_LENGTH 3

static gsize
name_length(const char *name)
{
    return strnlen(name, NAME_MAX_LENGTH);
}

/* Levenshtein's distance between the first NAME_MAX_LENGTH bytes of both, by rows, where case does
 * not count. */
static gsize
edit_distance(const char *a, const char *b)
{
    gsize row[NAME_MAX_LENGTH + 1];
    gsize n_a = name_length(a), n_b = name_length(b);
    for (gsize j = 0; j <= n_b; j++)
        row[j] = j;
    for (gsize i = 1; i <= n_a; i++) {
        gsize diagonal = row[0];
        row[0] = i;
        for (gsize j = 1; j <= n_b; j++) {
            gsize replaced =
                diagonal + (g_ascii_tolower(a[i - 1]) != g_ascii_tolower(b[j - 1]) ? 1 : 0);
            diagonal = row[j];
            row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[n_b];
}

/* The shortest of @names that @text is the beginning of; the first among equals. */
static const char *
name_begun(const char *text, const char *const *names)
{
    const char *begun = NULL;
    for (gsize i = 0; *text != '\0' && names[i] != NULL; i++)
        if (g_ascii_strncasecmp(names[i], text, strlen(text)) == 0 &&
            (begun == NULL || strlen(names[i]) < strlen(begun)))
            begun = names[i];
    return begun;
}

/* Whether few letters differ: one wrong letter in three, or two that are swapped, but never most of
 * the letters. */
static gboolean
few_differ(gsize distance, const char *text, const char *name)
{
    gsize longer = MAX(name_length(text), name_length(name));
    return distance <= MAX(longer / 3, 2) && 2 * distance <= longer;
}

/* The name of fewest other letters, if they are few; the first among equals. */
static const char *
name_with_few_differing(const char *text, const char *const *names)
{
    const char *nearest = NULL;
    gsize smallest = G_MAXSIZE;
    for (gsize i = 0; names[i] != NULL; i++) {
        /* The distance is no less than what one is longer. */
        gsize n_text = name_length(text), n_name = name_length(names[i]);
        gsize least = MAX(n_text, n_name) - MIN(n_text, n_name);
        if (least >= smallest || !few_differ(least, text, names[i]))
            continue;
        gsize distance = edit_distance(text, names[i]);
        if (distance < smallest && few_differ(distance, text, names[i])) {
            smallest = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

static gboolean
stands_in(const char *part, const char *whole)
{
    g_autofree char *low_part = g_ascii_strdown(part, -1);
    g_autofree char *low_whole = g_ascii_strdown(whole, -1);
    return strlen(part) >= PART_MIN_LENGTH && strstr(low_whole, low_part) != NULL;
}

/* The shortest name that contains @text, else the longest name that @text contains; the first of
 * equally long ones. NULL: there is none. */
static const char *
name_with_part(const char *text, const char *const *names)
{
    const char *whole = NULL, *part = NULL;
    for (gsize i = 0; names[i] != NULL; i++) {
        if (stands_in(text, names[i]) && (whole == NULL || strlen(names[i]) < strlen(whole)))
            whole = names[i];
        if (stands_in(names[i], text) && (part == NULL || strlen(names[i]) > strlen(part)))
            part = names[i];
    }
    return whole != NULL ? whole : part;
}

const char *
lp_like_name(const char *text, const char *const *names)
{
    g_return_val_if_fail(text != NULL && names != NULL, NULL);
    const char *begun = name_begun(text, names);
    /* A name that begins with the text is meant before one with few differing letters: "h100" means
     * h100-sxm, not h200. */
    if (begun != NULL && strlen(text) >= PART_MIN_LENGTH)
        return begun;
    const char *nearest = name_with_few_differing(text, names);
    if (nearest == NULL)
        nearest = begun;
    return nearest != NULL ? nearest : name_with_part(text, names);
}
