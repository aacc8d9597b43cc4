/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of a GPT layer by the names that measurements give them, as shapes. */
#include "validation/cases/layer_operator.h"

#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define SIZE_MAX_ELEMENTS 1e9
#define HEAD_WIDTH 128.0
#define FFN_WIDTHS 4.0

/* A layer, in the words of a note. */
typedef struct {
    double hidden, batch, seq, n_heads, tp;
    gboolean is_decode;
} Layer;

/* The number that the group of @pattern finds in @text; *@io_number stays if nothing is found. */
static gboolean
find_number(const char *pattern, const char *text, double *io_number)
{
    g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(regex, text, 0, &match))
        return FALSE;
    g_autofree char *number = g_match_info_fetch(match, 1);
    return lp_number_parse(number, 1.0, SIZE_MAX_ELEMENTS, io_number, NULL);
}

static gboolean
parse_batched(const char *note, LpLayerOperator *self)
{
    g_autoptr(GRegex) regex =
        g_regex_new("\\b([0-9]+) ?x ?([0-9]+) ?x ?([0-9]+) ?x ?([0-9]+)\\b", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    double side[4] = {0.0};
    if (!g_regex_match(regex, note, 0, &match))
        return FALSE;
    for (int i = 0; i < 4; i++) {
        g_autofree char *number = g_match_info_fetch(match, i + 1);
        if (!lp_number_parse(number, 1.0, SIZE_MAX_ELEMENTS, &side[i], NULL))
            return FALSE;
    }
    *self =
        (LpLayerOperator){.kind = LP_OPERATOR_PRODUCT,
                          .gemm = {.n_batch = side[0], .m = side[1], .k = side[2], .n = side[3]}};
    return TRUE;
}

static gboolean
fail(const char *note, const char *wanted, GError **error)
{
    g_autofree char *shown = lp_error_quote(note);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_VALUE, "got %s, wanted %s", shown, wanted);
    return FALSE;
}

static gboolean
read_layer(const char *note, const char *machine, Layer *layer, GError **error)
{
    *layer = (Layer){.tp = 1.0};
    if (!find_number("\\bh(?:idden)? *=? *([0-9]+)", note, &layer->hidden) ||
        !find_number("\\b(?:bs|mb|batch) *=? *([0-9]+)", note, &layer->batch) ||
        !find_number("\\bs(?:eq)? *=? *([0-9]+)", note, &layer->seq))
        return fail(note, "a layer such as \"h 12288, bs 8, s 2048\"", error);
    layer->n_heads = layer->hidden / HEAD_WIDTH;
    find_number("\\b([0-9]+) heads", note, &layer->n_heads);
    if (!find_number("\\btp *=? *([0-9]+)", machine, &layer->tp))
        find_number("\\btp *=? *([0-9]+)", note, &layer->tp);
    g_autofree char *lower = g_ascii_strdown(note, -1);
    layer->is_decode = strstr(lower, "decod") != NULL;
    return TRUE;
}

typedef enum {
    SHAPE_QKV,
    SHAPE_ONE_OF_QKV,
    SHAPE_SCORES,
    SHAPE_VALUES,
    SHAPE_OUT,
    SHAPE_UP,
    SHAPE_DOWN,
    SHAPE_SOFTMAX,
    SHAPE_NORM,
    SHAPE_ACTIVATION,
    SHAPE_ALL_REDUCE
} Shape;

/* Prefixes of operators' names, in lower case and without what is no letter or digit. */
static const struct {
    const char *name;
    Shape shape;
} names[] = {
    {"qkv", SHAPE_QKV},
    {"qmulk", SHAPE_SCORES},
    {"amulv", SHAPE_VALUES},
    {"qproj", SHAPE_ONE_OF_QKV},
    {"kproj", SHAPE_ONE_OF_QKV},
    {"vproj", SHAPE_ONE_OF_QKV},
    {"woproj", SHAPE_OUT},
    {"w1proj", SHAPE_UP},
    {"w2proj", SHAPE_DOWN},
    {"softmax", SHAPE_SOFTMAX},
    {"layernorm", SHAPE_NORM},
    {"gelu", SHAPE_ACTIVATION},
    {"allreduce", SHAPE_ALL_REDUCE},
};

static gboolean
find_shape(const char *note, Shape *out_shape, GError **error)
{
    const char *operator_word = strstr(note, "operator ");
    if (operator_word == NULL)
        return fail(note, "sides M, N and K, a batched product, or an operator of a layer", error);
    g_autofree char *lower = g_ascii_strdown(operator_word + strlen("operator "), -1);
    GString *name = g_string_new(NULL);
    for (const char *c = lower; *c != '\0' && *c != ' ' && *c != ','; c++)
        if (g_ascii_isalnum(*c))
            g_string_append_c(name, *c);
    g_autofree char *normal = g_string_free(name, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_str_has_prefix(normal, names[i].name)) {
            *out_shape = names[i].shape;
            return TRUE;
        }
    return fail(operator_word, "an operator such as Q_mul_K, Wo_proj, Softmax or AllReduce_MHA",
                error);
}

static LpLayerOperator
product(double m, double k, double n, double n_batch)
{
    return (LpLayerOperator){.kind = LP_OPERATOR_PRODUCT,
                             .gemm = {.m = m, .k = k, .n = n, .n_batch = n_batch}};
}

static LpLayerOperator
other(LpOperatorKind kind, double elements, double n_ranks)
{
    return (LpLayerOperator){.kind = kind, .elements = elements, .n_ranks = (guint32)n_ranks};
}

static LpLayerOperator
operator_of(const Layer *layer, Shape shape)
{
    double queries = layer->is_decode ? 1.0 : layer->seq;
    double tokens = layer->batch * queries;
    double own = layer->hidden / layer->tp;
    double head = layer->hidden / layer->n_heads;
    double n_sets = layer->batch * layer->n_heads / layer->tp;
    switch (shape) {
    case SHAPE_QKV:
        return product(tokens, layer->hidden, 3.0 * own, 1.0);
    case SHAPE_ONE_OF_QKV:
        return product(tokens, layer->hidden, own, 1.0);
    case SHAPE_SCORES:
        return product(queries, head, layer->seq, n_sets);
    case SHAPE_VALUES:
        return product(queries, layer->seq, head, n_sets);
    case SHAPE_OUT:
        return product(tokens, own, layer->hidden, 1.0);
    case SHAPE_UP:
        return product(tokens, layer->hidden, FFN_WIDTHS * own, 1.0);
    case SHAPE_DOWN:
        return product(tokens, FFN_WIDTHS * own, layer->hidden, 1.0);
    case SHAPE_SOFTMAX:
        return other(LP_OPERATOR_SOFTMAX, n_sets * queries * layer->seq, 1.0);
    case SHAPE_NORM:
        return other(LP_OPERATOR_ELEMENTWISE, tokens * layer->hidden, 1.0);
    case SHAPE_ACTIVATION:
        return other(LP_OPERATOR_ELEMENTWISE, tokens * FFN_WIDTHS * own, 1.0);
    case SHAPE_ALL_REDUCE:
        return other(LP_OPERATOR_ALL_REDUCE, tokens * layer->hidden, layer->tp);
    }
    g_assert_not_reached();
}

gboolean
lp_layer_operator_parse(LpLayerOperator *self, const char *note, const char *machine,
                        GError **error)
{
    g_return_val_if_fail(self != NULL && note != NULL && machine != NULL, FALSE);
    if (parse_batched(note, self))
        return TRUE;
    Layer layer;
    Shape shape = SHAPE_QKV;
    if (!find_shape(note, &shape, error) || !read_layer(note, machine, &layer, error))
        return FALSE;
    *self = operator_of(&layer, shape);
    return TRUE;
}
