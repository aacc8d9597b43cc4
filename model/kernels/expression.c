/* SPDX-License-Identifier: Apache-2.0 */
/* Reads expressions by recursive descent into steps of a stack machine. */
#include "model/kernels/expression.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* Values that wait for others, at most; deeper expressions are refused. */
#define DEPTH_MAX 32

typedef enum {
    STEP_NUMBER,
    STEP_PLACE,
    STEP_EXPRESSION,
    STEP_NEGATE,
    STEP_NOT,
    STEP_CEIL,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_MIN,
    STEP_MAX,
    STEP_EQUAL,
    STEP_UNEQUAL,
    STEP_BELOW,
    STEP_AT_MOST,
    STEP_ABOVE,
    STEP_AT_LEAST,
    STEP_TO_TRUTH, /* 1 or 0 */
    STEP_GO,       /* to a step */
    STEP_GO_UNLESS /* the last value, which it drops, is not 0 */
} StepKind;

typedef struct {
    StepKind kind;
    union {
        double number;
        guint place;
        guint target;
        const LpExpression *expression; /* borrowed */
    };
} Step;

struct LpExpression {
    guint n_steps;
    Step *steps; /* owned */
};

typedef struct {
    const char *text, *at;
    LpExpressionFind find;
    gpointer data;
    GArray *steps;
    guint depth;
    GError *error; /* owned: the first fault */
} Reader;

static void read_choice(Reader *self);

/* --- steps --- */

static guint
add(Reader *self, Step step)
{
    g_array_append_val(self->steps, step);
    return self->steps->len - 1;
}

static void
aim(Reader *self, guint step)
{
    g_array_index(self->steps, Step, step).target = self->steps->len;
}

static void
fail(Reader *self, LpInputError code, const char *wanted)
{
    if (self->error != NULL)
        return;
    g_autofree char *rest = g_strdup(*self->at == '\0' ? "its end" : self->at);
    self->error =
        g_error_new(LP_INPUT_ERROR, (int)code, "got \"%s\" at %s%s%s, wanted %s", self->text,
                    *self->at == '\0' ? "" : "\"", rest, *self->at == '\0' ? "" : "\"", wanted);
}

/* --- words --- */

static void
skip_blanks(Reader *self)
{
    while (g_ascii_isspace(*self->at))
        self->at++;
}

static gboolean
take(Reader *self, const char *sign)
{
    skip_blanks(self);
    if (!g_str_has_prefix(self->at, sign))
        return FALSE;
    self->at += strlen(sign);
    return TRUE;
}

/* Letters, digits, and hyphens with one of them behind. */
static gsize
name_length(const char *text)
{
    gsize n = 0;
    while (g_ascii_isalnum(text[n]) || (n > 0 && text[n] == '-' && g_ascii_isalnum(text[n + 1])))
        n++;
    return n;
}

static gboolean
take_word(Reader *self, const char *word)
{
    skip_blanks(self);
    gsize n = name_length(self->at);
    if (n != strlen(word) || strncmp(self->at, word, n) != 0)
        return FALSE;
    self->at += n;
    return TRUE;
}

/* --- grammar --- */

static gboolean
may_go_deeper(Reader *self)
{
    if (self->depth >= DEPTH_MAX)
        fail(self, LP_INPUT_ERROR_SYNTAX, "fewer brackets in each other");
    return self->error == NULL;
}

static void
read_function(Reader *self, StepKind kind, guint n)
{
    for (guint i = 0; i < n && self->error == NULL; i++) {
        if (!take(self, i == 0 ? "(" : ","))
            fail(self, LP_INPUT_ERROR_SYNTAX, i == 0 ? "\"(\"" : "\",\"");
        else
            read_choice(self);
    }
    if (self->error == NULL && !take(self, ")"))
        fail(self, LP_INPUT_ERROR_SYNTAX, "\")\"");
    add(self, (Step){.kind = kind});
}

/* A choice and the word that it is compared with: "precision = fp8". */
static void
read_comparison_of_words(Reader *self, const LpExpressionName *name)
{
    gboolean is_unequal = take(self, "!=");
    if (!is_unequal && !take(self, "=")) {
        fail(self, LP_INPUT_ERROR_SYNTAX, "= or != and one of its words");
        return;
    }
    skip_blanks(self);
    g_autofree char *word = g_strndup(self->at, name_length(self->at));
    guint index = 0;
    while (name->words[index] != NULL && strcmp(name->words[index], word) != 0)
        index++;
    if (name->words[index] == NULL) {
        g_autoptr(GString) wanted = g_string_new("one of");
        for (guint i = 0; name->words[i] != NULL; i++)
            g_string_append_printf(wanted, "%s %s", i > 0 ? "," : "", name->words[i]);
        fail(self, LP_INPUT_ERROR_NAME, wanted->str);
        return;
    }
    self->at += strlen(word);
    add(self, (Step){.kind = STEP_PLACE, .place = name->place});
    add(self, (Step){.kind = STEP_NUMBER, .number = index});
    add(self, (Step){.kind = is_unequal ? STEP_UNEQUAL : STEP_EQUAL});
}

static void
read_name(Reader *self)
{
    g_autofree char *name = g_strndup(self->at, name_length(self->at));
    LpExpressionName found = {0};
    if (!self->find(self->data, name, &found)) {
        if (self->error == NULL)
            self->error = g_error_new(LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                                      "got \"%s\", wanted a known size", name);
        return;
    }
    self->at += strlen(name);
    if (found.words != NULL)
        read_comparison_of_words(self, &found);
    else if (found.expression != NULL)
        add(self, (Step){.kind = STEP_EXPRESSION, .expression = found.expression});
    else
        add(self, (Step){.kind = STEP_PLACE, .place = found.place});
}

static void
read_number(Reader *self)
{
    char *end = NULL;
    double number = g_ascii_strtod(self->at, &end);
    self->at = end;
    add(self, (Step){.kind = STEP_NUMBER, .number = number});
}

static void
read_factor(Reader *self)
{
    skip_blanks(self);
    if (!may_go_deeper(self))
        return;
    self->depth++;
    if (take(self, "(")) {
        read_choice(self);
        if (self->error == NULL && !take(self, ")"))
            fail(self, LP_INPUT_ERROR_SYNTAX, "\")\"");
    } else if (take(self, "-")) {
        read_factor(self);
        add(self, (Step){.kind = STEP_NEGATE});
    } else if (g_ascii_isdigit(*self->at)) {
        read_number(self);
    } else if (take_word(self, "min")) {
        read_function(self, STEP_MIN, 2);
    } else if (take_word(self, "max")) {
        read_function(self, STEP_MAX, 2);
    } else if (take_word(self, "ceil")) {
        read_function(self, STEP_CEIL, 1);
    } else if (g_ascii_islower(*self->at)) {
        read_name(self);
    } else {
        fail(self, LP_INPUT_ERROR_SYNTAX, "a number, a name or \"(\"");
    }
    self->depth--;
}

static void
read_term(Reader *self)
{
    read_factor(self);
    while (self->error == NULL) {
        StepKind kind = take(self, "*") ? STEP_MULTIPLY : take(self, "/") ? STEP_DIVIDE : STEP_GO;
        if (kind == STEP_GO)
            return;
        read_factor(self);
        add(self, (Step){.kind = kind});
    }
}

static void
read_sum(Reader *self)
{
    read_term(self);
    while (self->error == NULL) {
        StepKind kind = take(self, "+") ? STEP_ADD : take(self, "-") ? STEP_SUBTRACT : STEP_GO;
        if (kind == STEP_GO)
            return;
        read_term(self);
        add(self, (Step){.kind = kind});
    }
}

static void
read_comparison(Reader *self)
{
    static const struct {
        const char *sign;
        StepKind kind;
    } signs[] = {{"!=", STEP_UNEQUAL}, {"<=", STEP_AT_MOST}, {">=", STEP_AT_LEAST},
                 {"<", STEP_BELOW},    {">", STEP_ABOVE},    {"=", STEP_EQUAL}};
    read_sum(self);
    for (guint i = 0; self->error == NULL && i < G_N_ELEMENTS(signs); i++)
        if (take(self, signs[i].sign)) {
            read_sum(self);
            add(self, (Step){.kind = signs[i].kind});
            return;
        }
}

static void
read_not(Reader *self)
{
    if (!take_word(self, "not")) {
        read_comparison(self);
        return;
    }
    if (!may_go_deeper(self))
        return;
    self->depth++;
    read_not(self);
    self->depth--;
    add(self, (Step){.kind = STEP_NOT});
}

/* Reads "and", whose right side is evaluated only where the left one is not 0. */
static void
read_and(Reader *self)
{
    read_not(self);
    while (self->error == NULL && take_word(self, "and")) {
        guint unless = add(self, (Step){.kind = STEP_GO_UNLESS});
        read_not(self);
        add(self, (Step){.kind = STEP_TO_TRUTH});
        guint past = add(self, (Step){.kind = STEP_GO});
        aim(self, unless);
        add(self, (Step){.kind = STEP_NUMBER, .number = 0.0});
        aim(self, past);
    }
}

static void
read_or(Reader *self)
{
    read_and(self);
    while (self->error == NULL && take_word(self, "or")) {
        guint unless = add(self, (Step){.kind = STEP_GO_UNLESS});
        add(self, (Step){.kind = STEP_NUMBER, .number = 1.0});
        guint past = add(self, (Step){.kind = STEP_GO});
        aim(self, unless);
        read_and(self);
        add(self, (Step){.kind = STEP_TO_TRUTH});
        aim(self, past);
    }
}

static void
read_choice(Reader *self)
{
    if (!may_go_deeper(self))
        return;
    self->depth++;
    read_or(self);
    if (self->error == NULL && take(self, "?")) {
        guint unless = add(self, (Step){.kind = STEP_GO_UNLESS});
        read_choice(self);
        guint past = add(self, (Step){.kind = STEP_GO});
        aim(self, unless);
        if (self->error == NULL && !take(self, ":"))
            fail(self, LP_INPUT_ERROR_SYNTAX, "\":\"");
        else if (self->error == NULL)
            read_choice(self);
        aim(self, past);
    }
    self->depth--;
}

LpExpression *
lp_expression_parse(const char *text, LpExpressionFind find, gpointer data, GError **error)
{
    Reader reader = {.text = text,
                     .at = text,
                     .find = find,
                     .data = data,
                     .steps = g_array_new(FALSE, FALSE, sizeof(Step))};
    read_choice(&reader);
    skip_blanks(&reader);
    if (reader.error == NULL && *reader.at != '\0')
        fail(&reader, LP_INPUT_ERROR_SYNTAX, "an operator or its end");
    if (reader.error != NULL) {
        g_array_unref(reader.steps);
        g_propagate_error(error, reader.error);
        return NULL;
    }
    LpExpression *self = g_new(LpExpression, 1);
    self->n_steps = reader.steps->len;
    self->steps = (Step *)(void *)g_array_free(reader.steps, FALSE);
    return self;
}

void
lp_expression_free(LpExpression *self)
{
    if (self == NULL)
        return;
    g_free(self->steps);
    g_free(self);
}

/* --- values --- */

static double
join(StepKind kind, double a, double b)
{
    switch (kind) {
    case STEP_ADD:
        return a + b;
    case STEP_SUBTRACT:
        return a - b;
    case STEP_MULTIPLY:
        return a * b;
    case STEP_DIVIDE:
        return a / b;
    case STEP_MIN:
        return fmin(a, b);
    case STEP_MAX:
        return fmax(a, b);
    case STEP_EQUAL:
        return a == b;
    case STEP_UNEQUAL:
        return a != b;
    case STEP_BELOW:
        return a < b;
    case STEP_AT_MOST:
        return a <= b;
    case STEP_ABOVE:
        return a > b;
    case STEP_AT_LEAST:
        return a >= b;
    default:
        g_assert_not_reached();
    }
}

/* The stack is as deep as brackets, functions and conditions are nested, with two more values for
 * the operators of each level. */
double
lp_expression_value(const LpExpression *self, LpExpressionValues *values)
{
    double stack[4 * DEPTH_MAX];
    guint n = 0;
    for (guint i = 0; i < self->n_steps; i++) {
        const Step *step = &self->steps[i];
        switch (step->kind) {
        case STEP_NUMBER:
            stack[n++] = step->number;
            break;
        case STEP_PLACE:
            stack[n++] = values->values[step->place];
            break;
        case STEP_EXPRESSION:
            stack[n++] = lp_expression_value(step->expression, values);
            break;
        case STEP_NEGATE:
            stack[n - 1] = -stack[n - 1];
            break;
        case STEP_NOT:
            stack[n - 1] = stack[n - 1] == 0.0;
            break;
        case STEP_TO_TRUTH:
            stack[n - 1] = stack[n - 1] != 0.0;
            break;
        case STEP_CEIL:
            stack[n - 1] = ceil(stack[n - 1]);
            break;
        case STEP_GO:
            i = step->target - 1;
            break;
        case STEP_GO_UNLESS:
            if (stack[--n] == 0.0)
                i = step->target - 1;
            break;
        case STEP_DIVIDE:
            values->is_divided |= stack[n - 1] == 0.0;
            G_GNUC_FALLTHROUGH;
        default:
            n--;
            stack[n - 1] = join(step->kind, stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}
