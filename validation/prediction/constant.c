/* SPDX-License-Identifier: Apache-2.0 */
/* The table of fitted constants, their names, and their places. */
#include "validation/prediction/constant.h"

#include "base/error.h"
#include "base/units.h"
#include "platforms/catalogue/catalogue.h"
#include "platforms/catalogue/libraries.h"

#include <string.h>

#define ACCELERATOR LP_CONSTANT_OF_ACCELERATOR
#define PROTOCOL LP_CONSTANT_OF_PROTOCOL
#define FIELD(field) offsetof(LpAccelerator, field)
#define HOP(reach) (offsetof(LpProtocol, hop_s) + (reach) * sizeof(double))
#define WIRE(reach) (offsetof(LpProtocol, wire_factor) + (reach) * sizeof(double))

const LpConstantKind lp_constant_kinds[LP_N_CONSTANT_KINDS] = {
    {"gemm-efficiency", ACCELERATOR, LP_CONSTANT_NUMBER, 0.3, 0.98,
     "no product reaches the peak; below 0.3 the shape is at fault, which has terms of its own",
     FIELD(gemm_efficiency), FALSE},
    {"gemm-ramp", ACCELERATOR, LP_CONSTANT_SIZE, 0.0, 4096.0,
     "filling a pipeline of some stages of 64 to 128 bytes, and writing a tile",
     FIELD(gemm_ramp_bytes), FALSE},
    {"attention-efficiency", ACCELERATOR, LP_CONSTANT_NUMBER, 0.1, 0.98,
     "above 0.1 since fused kernels exist for their speed; not the whole peak",
     FIELD(attention_efficiency), FALSE},
    {"memory-efficiency", ACCELERATOR, LP_CONSTANT_NUMBER, 0.5, 1.0,
     "a streaming copy reaches more than half of any memory", FIELD(memory_efficiency), FALSE},
    {"elementwise-efficiency", ACCELERATOR, LP_CONSTANT_NUMBER, 0.1, 1.0,
     "kernels with reductions; eager ones may read their data several times",
     FIELD(elementwise_efficiency), FALSE},
    {"launch", ACCELERATOR, LP_CONSTANT_TIME, 0.0, 40e-6,
     "start and end of an empty kernel take 2 to 10 us, and one here stands for several of an "
     "eager framework",
     FIELD(launch_s), FALSE},
    {"host-kernel", ACCELERATOR, LP_CONSTANT_TIME, 0.0, 200e-6,
     "an operation costs Python and its dispatcher some tens of microseconds", FIELD(host_kernel_s),
     FALSE},
    {"host-collective", ACCELERATOR, LP_CONSTANT_TIME, 0.0, 2e-3,
     "several such operations, events between streams, and the library's own queue",
     FIELD(host_collective_s), FALSE},
    {"overlap-slowdown", LP_CONSTANT_OF_PLAN, LP_CONSTANT_NUMBER, 1.0, 2.0,
     "collectives take some multiprocessors and memory bandwidth, not half of them",
     offsetof(LpPlan, overlap.slowdown), FALSE},
    {"start-near", LP_CONSTANT_OF_LIBRARY, LP_CONSTANT_TIME, 0.0, 1e-3,
     "a host's work for one peer", offsetof(LpLibrary, start.near_s), FALSE},
    {"start-far", LP_CONSTANT_OF_LIBRARY, LP_CONSTANT_TIME, 0.0, 1e-3, "a host's work for one peer",
     offsetof(LpLibrary, start.far_s), FALSE},
    {"base", PROTOCOL, LP_CONSTANT_TIME, 0.0, 200e-6, "a kernel and its channels' start",
     offsetof(LpProtocol, base_s), FALSE},
    {"domain-hop", PROTOCOL, LP_CONSTANT_TIME, 0.0, 100e-6,
     "a flag through memory of a neighbour: below a millisecond's tenth on any link", HOP(0),
     FALSE},
    {"fabric-hop", PROTOCOL, LP_CONSTANT_TIME, 0.0, 1e-3,
     "a proxy thread and a card at each end: at most a millisecond", HOP(1), FALSE},
    {"domain-share", PROTOCOL, LP_CONSTANT_NUMBER, 0.02, 1.0, "data cannot outrun the link",
     WIRE(0), TRUE},
    {"fabric-share", PROTOCOL, LP_CONSTANT_NUMBER, 0.02, 1.0, "data cannot outrun the link",
     WIRE(1), TRUE},
};

/* --- lists --- */

LpConstants *
lp_constants_new(void)
{
    LpConstants *self = g_new0(LpConstants, 1);
    self->items = g_array_new(FALSE, TRUE, sizeof(LpConstant));
    return self;
}

LpConstants *
lp_constants_copy(const LpConstants *self)
{
    LpConstants *copy = g_new0(LpConstants, 1);
    copy->items = g_array_copy(self->items);
    copy->n_variables = self->n_variables;
    return copy;
}

void
lp_constants_free(LpConstants *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->items);
    g_free(self);
}

guint
lp_constants_n(const LpConstants *self)
{
    return self != NULL ? self->items->len : 0;
}

LpConstant *
lp_constants_at(const LpConstants *self, guint index)
{
    return &g_array_index(self->items, LpConstant, index);
}

/* --- into place --- */

static double
stored(const LpConstantKind *kind, double value)
{
    return kind->is_share ? 1.0 / value : value;
}

static double *
field(guint kind, void *holder)
{
    return (double *)(gpointer)((char *)holder + lp_constant_kinds[kind].offset);
}

static gboolean
is_of(const LpConstant *self, LpConstantPlace place, const char *owner)
{
    return lp_constant_kinds[self->kind].place == place && strcmp(self->owner, owner) == 0;
}

static void
put(const LpConstant *self, void *holder)
{
    *field(self->kind, holder) = stored(&lp_constant_kinds[self->kind], self->value);
}

static void
put_all(const LpConstants *self, LpConstantPlace place, const char *owner, void *holder)
{
    for (guint i = 0; i < lp_constants_n(self); i++)
        if (is_of(lp_constants_at(self, i), place, owner))
            put(lp_constants_at(self, i), holder);
}

void
lp_constants_to_accelerator(const LpConstants *self, LpAccelerator *accelerator)
{
    put_all(self, LP_CONSTANT_OF_ACCELERATOR, accelerator->name, accelerator);
    for (guint i = 0; i < lp_constants_n(self); i++) {
        const LpConstant *constant = lp_constants_at(self, i);
        if (is_of(constant, LP_CONSTANT_OF_ACCELERATOR, accelerator->name) &&
            lp_constant_kinds[constant->kind].offset == FIELD(gemm_efficiency))
            lp_accelerator_set_gemm_efficiency(accelerator, constant->value);
    }
}

void
lp_constants_to_plan(const LpConstants *self, const char *accelerator, LpPlan *plan)
{
    put_all(self, LP_CONSTANT_OF_PLAN, accelerator, plan);
}

static LpProtocol *
find_protocol(LpLibrary *library, const char *name)
{
    for (guint32 i = 0; i < library->n_protocols; i++)
        if (strcmp(library->protocols[i].name, name) == 0)
            return &library->protocols[i];
    return NULL;
}

void
lp_constants_to_library(const LpConstants *self, LpLibrary *library)
{
    put_all(self, LP_CONSTANT_OF_LIBRARY, library->name, library);
    for (guint i = 0; i < lp_constants_n(self); i++) {
        const LpConstant *constant = lp_constants_at(self, i);
        if (!is_of(constant, LP_CONSTANT_OF_PROTOCOL, library->name))
            continue;
        LpProtocol *protocol = find_protocol(library, constant->protocol);
        /* A plan may have restricted the library to another one. */
        if (protocol != NULL)
            put(constant, protocol);
    }
}

gboolean
lp_constant_applies(const LpConstant *self, const char *accelerator, const char *library)
{
    LpConstantPlace place = lp_constant_kinds[self->kind].place;
    gboolean is_library = place == LP_CONSTANT_OF_LIBRARY || place == LP_CONSTANT_OF_PROTOCOL;
    return strcmp(self->owner, is_library ? library : accelerator) == 0;
}

/* --- names --- */

static gboolean
find_kind(const char *name, guint *out_kind, GError **error)
{
    const char *names[LP_N_CONSTANT_KINDS + 1] = {NULL};
    for (guint i = 0; i < LP_N_CONSTANT_KINDS; i++)
        names[i] = lp_constant_kinds[i].name;
    int kind = lp_choice_parse(name, names, error);
    *out_kind = (guint)MAX(kind, 0);
    return kind >= 0;
}

static gboolean
wants_protocol(LpConstantPlace place, const char *protocol, GError **error)
{
    if ((place == LP_CONSTANT_OF_PROTOCOL) == (*protocol != '\0'))
        return TRUE;
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                place == LP_CONSTANT_OF_PROTOCOL
                    ? "got an owner without protocol, wanted LIBRARY/PROTOCOL"
                    : "got protocol \"%s\", wanted an accelerator or a library alone",
                protocol);
    return FALSE;
}

/* The value to start from, base unit: the shipped one, or that of a constant of @self. */
static gboolean
find_value(const LpConstants *self, LpConstant *constant, GError **error)
{
    const LpConstantKind *kind = &lp_constant_kinds[constant->kind];
    void *holder = NULL;
    LpAccelerator accelerator;
    LpLibrary library;
    LpPlan plan = {.overlap.slowdown = 1.0};
    if (kind->place == LP_CONSTANT_OF_ACCELERATOR || kind->place == LP_CONSTANT_OF_PLAN) {
        if (!lp_catalogue_find(constant->owner, &accelerator, error))
            return FALSE;
        lp_constants_to_accelerator(self, &accelerator);
        lp_constants_to_plan(self, accelerator.name, &plan);
        holder = kind->place == LP_CONSTANT_OF_PLAN ? (void *)&plan : (void *)&accelerator;
    } else {
        if (!lp_library_find(constant->owner, &library, error))
            return FALSE;
        lp_constants_to_library(self, &library);
        holder = &library;
    }
    if (kind->place == LP_CONSTANT_OF_PROTOCOL) {
        const char *names[LP_LIBRARY_PROTOCOLS_MAX + 1] = {NULL};
        for (guint32 i = 0; i < library.n_protocols; i++)
            names[i] = library.protocols[i].name;
        int index = lp_choice_parse(constant->protocol, names, error);
        if (index < 0)
            return FALSE;
        holder = &library.protocols[index];
    }
    constant->value = stored(kind, *field(constant->kind, holder));
    return TRUE;
}

/* Fills in all but the variable. */
static gboolean
find_constant(const LpConstants *self, const char *owner, const char *name, LpConstant *constant,
              GError **error)
{
    const char *slash = strchr(owner, '/');
    gsize length = slash != NULL ? (gsize)(slash - owner) : strlen(owner);
    *constant = (LpConstant){.variable = LP_CONSTANT_FIXED};
    g_autofree char *head = g_strndup(owner, length);
    g_strlcpy(constant->owner, head, sizeof constant->owner);
    g_strlcpy(constant->protocol, slash != NULL ? slash + 1 : "", sizeof constant->protocol);
    return find_kind(name, &constant->kind, error) &&
           wants_protocol(lp_constant_kinds[constant->kind].place, constant->protocol, error) &&
           find_value(self, constant, error);
}

static gboolean
is_same(const LpConstant *a, const LpConstant *b)
{
    return a->kind == b->kind && strcmp(a->owner, b->owner) == 0 &&
           strcmp(a->protocol, b->protocol) == 0;
}

static gboolean
is_new(const LpConstants *self, const LpConstant *constant, GError **error)
{
    for (guint i = 0; i < lp_constants_n(self); i++) {
        const LpConstant *other = lp_constants_at(self, i);
        if (!is_same(other, constant) ||
            (other->variable == LP_CONSTANT_FIXED) != (constant->variable == LP_CONSTANT_FIXED))
            continue;
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "got %s twice, wanted it once",
                    lp_constant_kinds[constant->kind].name);
        return FALSE;
    }
    return TRUE;
}

/* All owners start from the first one's value. */
static gboolean
add_variable(LpConstants *self, char **owners, const char *name, GError **error)
{
    guint first = self->items->len;
    for (guint i = 0; owners[i] != NULL; i++) {
        LpConstant constant;
        if (!find_constant(self, owners[i], name, &constant, error))
            return FALSE;
        constant.variable = self->n_variables;
        if (!is_new(self, &constant, error))
            return FALSE;
        if (i > 0)
            constant.value = lp_constants_at(self, first)->value;
        g_array_append_val(self->items, constant);
    }
    self->n_variables++;
    return TRUE;
}

gboolean
lp_constants_add(LpConstants *self, const char *text, GError **error)
{
    g_auto(GStrv) halves = g_strsplit(text, ":", 2);
    if (g_strv_length(halves) != 2 || *halves[0] == '\0' || *halves[1] == '\0') {
        g_autofree char *shown = lp_error_quote(text);
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                    "got %s, wanted OWNER:NAME,NAME... such as a100-80:launch,host-kernel", shown);
        return FALSE;
    }
    g_auto(GStrv) owners = g_strsplit(halves[0], "+", -1);
    g_auto(GStrv) names = g_strsplit(halves[1], ",", -1);
    for (guint i = 0; names[i] != NULL; i++)
        if (!add_variable(self, owners, names[i], error))
            return FALSE;
    return TRUE;
}

static gboolean
parse_value(guint kind, const char *text, double *out_value, GError **error)
{
    const LpConstantKind *rule = &lp_constant_kinds[kind];
    if (rule->unit == LP_CONSTANT_NUMBER)
        return lp_number_parse(text, rule->minimum, rule->maximum, out_value, error);
    LpQuantity quantity = rule->unit == LP_CONSTANT_TIME ? LP_QUANTITY_TIME : LP_QUANTITY_SIZE;
    return lp_quantity_parse_in(quantity, text, rule->minimum, rule->maximum, out_value, error);
}

gboolean
lp_constants_fix(LpConstants *self, const char *owner, const char *name, const char *value,
                 GError **error)
{
    LpConstant constant;
    if (!find_constant(self, owner, name, &constant, error) || !is_new(self, &constant, error) ||
        !parse_value(constant.kind, value, &constant.value, error))
        return FALSE;
    g_array_append_val(self->items, constant);
    return TRUE;
}

/* --- texts --- */

char *
lp_constant_owner(const LpConstant *self)
{
    return *self->protocol == '\0' ? g_strdup(self->owner)
                                   : g_strconcat(self->owner, "/", self->protocol, NULL);
}

double
lp_constant_round(guint kind, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    const LpConstantKind *rule = &lp_constant_kinds[kind];
    /* Times are rounded in microseconds, so that the text is read back as the same double. */
    double scale = rule->unit == LP_CONSTANT_TIME ? 1e-6 : 1.0;
    double rounded =
        g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.4g", value / scale), NULL) * scale;
    return CLAMP(rounded, rule->minimum, rule->maximum);
}

char *
lp_constant_value_text(guint kind, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    LpConstantUnit unit = lp_constant_kinds[kind].unit;
    double scale = unit == LP_CONSTANT_TIME ? 1e-6 : 1.0;
    const char *suffix = unit == LP_CONSTANT_TIME ? "us" : unit == LP_CONSTANT_SIZE ? "B" : "";
    return g_strconcat(g_ascii_formatd(digits, sizeof digits, "%.4g", value / scale), suffix, NULL);
}

char *
lp_constants_to_text(const LpConstants *self)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < lp_constants_n(self); i++) {
        const LpConstant *constant = lp_constants_at(self, i);
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *owner = lp_constant_owner(constant);
        g_string_append_printf(text, "%s:%s=%s\n", owner, lp_constant_kinds[constant->kind].name,
                               g_ascii_dtostr(digits, sizeof digits, constant->value));
    }
    return g_string_free(text, FALSE);
}
