/* SPDX-License-Identifier: Apache-2.0 */
/* libxml2's XPath, with variables in the place of a document. */
#include "base/xml_expression.h"

#include "base/error.h"
#include "base/units.h"

#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <math.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlXPathObject, xmlXPathFreeObject)

struct LpXmlExpression {
    char *text;                 /* owned */
    xmlXPathContext *context;   /* owned */
    xmlXPathCompExpr *compiled; /* owned */
    LpXmlVariable variable;     /* while it is worked out, as all below */
    gconstpointer data;
    char *unknown; /* owned: the first variable that there is none of, or NULL */
};

static void
be_silent(void *data, xmlErrorPtr raised)
{
    (void)data, (void)raised;
}

/* @value without the rounding of its unit, so that 100us is 1e-4. */
static double
round_off(double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.15g", value), NULL);
}

/* The number that @text is, with or without a unit; NAN: it is none. */
static double
number_of(const char *text)
{
    double value;
    if (lp_number_parse(text, -G_MAXDOUBLE, G_MAXDOUBLE, &value, NULL))
        return value;
    for (LpQuantity quantity = LP_QUANTITY_TIME; quantity <= LP_QUANTITY_PRICE; quantity++)
        if (lp_quantity_parse(quantity, text, &value, NULL))
            return round_off(value);
    return NAN;
}

static xmlXPathObject *
look_up(void *data, const xmlChar *name, const xmlChar *space)
{
    LpXmlExpression *self = data;
    const char *text = space == NULL ? self->variable((const char *)name, self->data) : NULL;
    if (text == NULL && self->unknown == NULL)
        self->unknown = g_strdup((const char *)name);
    if (text == NULL)
        return NULL;
    double value = number_of(text);
    return isnan(value) ? xmlXPathNewString((const xmlChar *)text) : xmlXPathNewFloat(value);
}

LpXmlExpression *
lp_xml_expression_new(const char *text, GError **error)
{
    g_autoptr(LpXmlExpression) self = g_new0(LpXmlExpression, 1);
    self->text = g_strdup(text);
    self->context = xmlXPathNewContext(NULL);
    self->context->error = be_silent;
    xmlXPathRegisterVariableLookup(self->context, look_up, self);
    self->compiled = xmlXPathCtxtCompile(self->context, (const xmlChar *)text);
    if (self->compiled != NULL)
        return g_steal_pointer(&self);
    g_autofree char *shown = lp_error_quote(text);
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX,
                "got %s, wanted an expression of XPath such as \"$tp * $pp = 8\"", shown);
    return NULL;
}

void
lp_xml_expression_free(LpXmlExpression *self)
{
    if (self == NULL)
        return;
    xmlXPathFreeCompExpr(self->compiled);
    xmlXPathFreeContext(self->context);
    g_free(self->unknown);
    g_free(self->text);
    g_free(self);
}

static xmlXPathObject *
evaluate(LpXmlExpression *self, LpXmlVariable variable, gconstpointer data, GError **error)
{
    self->variable = variable;
    self->data = data;
    g_clear_pointer(&self->unknown, g_free);
    g_autoptr(xmlXPathObject) value = xmlXPathCompiledEval(self->compiled, self->context);
    if (self->unknown != NULL) {
        g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                    "got $%s, wanted the name of an axis or of an attribute that the study gives",
                    self->unknown);
        return NULL;
    }
    if (value == NULL)
        (void)lp_value_error(error,
                             "got \"%s\", wanted an expression of variables, numbers and "
                             "texts: there is no document",
                             self->text);
    return g_steal_pointer(&value);
}

gboolean
lp_xml_expression_test(LpXmlExpression *self, LpXmlVariable variable, gconstpointer data,
                       gboolean *out_holds, GError **error)
{
    g_autoptr(xmlXPathObject) value = evaluate(self, variable, data, error);
    if (value == NULL)
        return FALSE;
    if (value->type != XPATH_BOOLEAN)
        return lp_value_error(error, "got \"%s\", wanted a comparison such as \"$tp * $pp = 8\"",
                              self->text);
    *out_holds = value->boolval != 0;
    return TRUE;
}

gboolean
lp_xml_expression_number(LpXmlExpression *self, LpXmlVariable variable, gconstpointer data,
                         double *out_value, GError **error)
{
    g_autoptr(xmlXPathObject) value = evaluate(self, variable, data, error);
    if (value == NULL)
        return FALSE;
    *out_value = xmlXPathCastToNumber(value);
    return isfinite(*out_value) || lp_value_error(error,
                                                  "got \"%s\", which is no finite number, "
                                                  "wanted one",
                                                  self->text);
}
