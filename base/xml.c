/* SPDX-License-Identifier: Apache-2.0 */
/* The one door to libxml2: loads a document, checks it against a schema, reads attributes. */
#include "base/xml.h"

#include "base/error.h"
#include "base/file.h"
#include "base/foreign_file.h"
#include "base/xml_scan.h"

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlParserCtxt, xmlFreeParserCtxt)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlSchemaParserCtxt, xmlSchemaFreeParserCtxt)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlSchema, xmlSchemaFree)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlSchemaValidCtxt, xmlSchemaFreeValidCtxt)

/* No network and no DTD; entities stay unexpanded, and a declared one ends the reading anyway. */
#define PARSE_OPTIONS (XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOWARNING)

/* The first fault of a document, since the ones after it are mostly its consequences. */
typedef struct {
    char *message; /* owned; NULL: none yet */
    long line;
    char **out_root; /* borrowed: takes the root's name, and ends the reading; NULL: nobody */
} Fault;

static void
record_fault(Fault *fault, long line, const char *message)
{
    if (fault->message != NULL)
        return;
    fault->line = line;
    fault->message = g_strdelimit(g_strdup(message), "\r\n\t", ' ');
    g_strstrip(fault->message);
    gsize length = strlen(fault->message);
    if (length > 0 && fault->message[length - 1] == '.')
        fault->message[length - 1] = '\0';
}

static void
on_parse_error(void *context, xmlErrorPtr raised)
{
    const xmlParserCtxt *parser = context;
    if (raised->level >= XML_ERR_ERROR)
        record_fault(parser->_private, raised->line, raised->message);
}

static void
on_encoding_error(void *fault, xmlErrorPtr raised)
{
    if (raised->level >= XML_ERR_ERROR)
        record_fault(fault, MAX(raised->line, 1), raised->message);
}

static void
on_schema_error(void *fault, xmlErrorPtr raised)
{
    if (raised->level < XML_ERR_ERROR)
        return;
    /* "Element 'a', attribute 'b': [facet 'pattern'] The value ...": the facet's name is noise. */
    g_autofree char *message = g_strdup(raised->message);
    char *facet = strstr(message, "[facet '");
    char *end = facet != NULL ? strstr(facet, "'] ") : NULL;
    if (end != NULL)
        memmove(facet, end + strlen("'] "), strlen(end + strlen("'] ")) + 1);
    record_fault(fault, raised->node != NULL ? xmlGetLineNo(raised->node) : raised->line, message);
}

static void
on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id,
          const xmlChar *system_id, xmlChar *content)
{
    (void)type, (void)public_id, (void)system_id, (void)content;
    xmlParserCtxt *parser = context;
    g_autofree char *shown = lp_error_quote((const char *)name);
    g_autofree char *message = g_strdup_printf("entity %s, wanted no entities", shown);
    record_fault(parser->_private, xmlSAX2GetLineNumber(parser), message);
    xmlStopParser(parser);
}

static void
on_root(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
        int n_namespaces, const xmlChar **namespaces, int n_attributes, int n_defaulted,
        const xmlChar **attributes)
{
    (void)prefix, (void)uri, (void)n_namespaces, (void)namespaces;
    (void)n_attributes, (void)n_defaulted, (void)attributes;
    xmlParserCtxt *parser = context;
    const Fault *fault = parser->_private;
    if (*fault->out_root == NULL)
        *fault->out_root = g_strdup((const char *)name);
    xmlStopParser(parser);
}

/* Turns @fault into an error and empties it. */
static gboolean
fail(Fault *fault, const char *path, GError **error)
{
    g_set_error(error, LP_INPUT_ERROR, LP_INPUT_ERROR_SYNTAX, "%s:%ld: %s", path, fault->line,
                fault->message);
    g_clear_pointer(&fault->message, g_free);
    return FALSE;
}

/* Whether the text begins with a byte-order mark of UTF-16. */
static gboolean
is_utf16(const char *text, gsize length)
{
    return length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

/* @out_root: takes the root's name (transfer full), and no more than that is read; NULL: all is. */
static xmlDoc *
parse(const char *path, GBytes *content, char **out_root, GError **error)
{
    gsize length = 0;
    const char *text = g_bytes_get_data(content, &length);
    Fault fault = {NULL, 1, out_root};
    g_autofree char *converted = NULL;
    const char *encoding = NULL;
    if (is_utf16(text, length)) {
        /* "UTF-16" takes a byte-order mark, which stands at the beginning, for what it is. */
        converted = g_convert(text, (gssize)length, "UTF-8", "UTF-16", NULL, &length, NULL);
        text = converted != NULL ? converted : "";
        length = converted != NULL ? length : 0;
        encoding = "UTF-8";
    }
    /* libxml2 would take the text before it for the whole. */
    if (length > 0 && memchr(text, '\0', length) != NULL) {
        record_fault(&fault, 1, "a null byte, wanted text");
        fail(&fault, path, error);
        return NULL;
    }
    const char *what = NULL;
    fault.line = length > 0 ? lp_xml_scan_crowded(text, length, &what) : 0;
    if (what != NULL) {
        g_autofree char *message = g_strconcat(what, ", wanted fewer", NULL);
        record_fault(&fault, fault.line, message);
        fail(&fault, path, error);
        return NULL;
    }
    fault.line = 1;
    g_autoptr(xmlParserCtxt) parser = xmlNewParserCtxt();
    parser->_private = &fault;
    parser->sax->serror = on_parse_error;
    parser->sax->entityDecl = on_entity;
    if (out_root != NULL)
        parser->sax->startElementNs = on_root;
    /* Converters of encodings know no parser: without a handler they print. */
    xmlStructuredErrorFunc kept = xmlStructuredError;
    void *kept_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(&fault, on_encoding_error);
    g_autoptr(xmlDoc) doc = xmlCtxtReadMemory(parser, text != NULL ? text : "", (int)length, path,
                                              encoding, PARSE_OPTIONS);
    xmlSetStructuredErrorFunc(kept_context, kept);
    if (out_root != NULL && fault.message == NULL)
        return NULL;
    if (fault.message == NULL && (doc == NULL || xmlDocGetRootElement(doc) == NULL))
        record_fault(&fault, 1, "no XML document");
    if (fault.message == NULL && doc->intSubset != NULL && doc->intSubset->children != NULL)
        record_fault(&fault, 1, "an internal DTD subset, wanted none");
    if (fault.message != NULL) {
        fail(&fault, path, error);
        return NULL;
    }
    return g_steal_pointer(&doc);
}

static xmlSchema *
read_schema(const char *resource, GError **error)
{
    g_autoptr(GBytes) bytes = lp_file_read(resource, error);
    if (bytes == NULL)
        return NULL;
    gsize length = 0;
    const char *text = g_bytes_get_data(bytes, &length);
    Fault fault = {NULL, 1, NULL};
    g_autoptr(xmlSchemaParserCtxt) parser = xmlSchemaNewMemParserCtxt(text, (int)length);
    xmlSchemaSetParserStructuredErrors(parser, on_schema_error, &fault);
    g_autoptr(xmlSchema) schema = xmlSchemaParse(parser);
    if (schema != NULL && fault.message == NULL)
        return g_steal_pointer(&schema);
    record_fault(&fault, 1, "not a schema");
    fail(&fault, resource, error);
    return NULL;
}

/* --- what is embedded --- */

/* Embedded documents and schemas are constant, so what is read of them is kept. Reading the ten
 * files that a row of measurements needs took most of its time. Forked processes find there what
 * was read before. */
typedef struct {
    GHashTable *schemas;   /* owned xmlSchema, by resource */
    GHashTable *documents; /* owned LpXml, by resource */
} Embedded;

G_LOCK_DEFINE_STATIC(embedded);
static Embedded embedded;

static gboolean
is_embedded(const char *path)
{
    return g_str_has_prefix(path, "resource://");
}

/* The entry of @path in @table, which is made if there is none yet. */
static gpointer
recall(GHashTable **table, const char *path)
{
    G_LOCK(embedded);
    if (*table == NULL)
        *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gpointer known = g_hash_table_lookup(*table, path);
    G_UNLOCK(embedded);
    return known;
}

/* Keeps @what for later readers of @path. If two threads have read the same file, the first copy
 * stays in the table, and the second lives on, since its reader uses it. */
static void
keep(GHashTable *table, const char *path, gpointer what)
{
    G_LOCK(embedded);
    if (!g_hash_table_contains(table, path))
        g_hash_table_insert(table, g_strdup(path), what);
    G_UNLOCK(embedded);
}

/* Returns: (borrowed). */
static xmlSchema *
schema_of(const char *resource, GError **error)
{
    xmlSchema *schema = recall(&embedded.schemas, resource);
    if (schema == NULL && (schema = read_schema(resource, error)) != NULL)
        keep(embedded.schemas, resource, schema);
    return schema;
}

static gboolean
validate(const char *path, xmlDoc *doc, const char *schema_resource, GError **error)
{
    xmlSchema *schema = schema_of(schema_resource, error);
    if (schema == NULL)
        return FALSE;
    Fault fault = {NULL, 1, NULL};
    g_autoptr(xmlSchemaValidCtxt) validator = xmlSchemaNewValidCtxt(schema);
    xmlSchemaSetValidStructuredErrors(validator, on_schema_error, &fault);
    if (xmlSchemaValidateDoc(validator, doc) == 0)
        return TRUE;
    record_fault(&fault, 1, "the document does not follow its schema");
    return fail(&fault, path, error);
}

/* @schema_resource: NULL: it needs no check. */
static LpXml *
parse_checked(const char *path, GBytes *content, const char *schema_resource, GError **error)
{
    g_autoptr(xmlDoc) doc = parse(path, content, NULL, error);
    if (doc == NULL || (schema_resource != NULL && !validate(path, doc, schema_resource, error))) {
        if (schema_resource != NULL)
            lp_foreign_file_explain(path, content, schema_resource, error);
        return NULL;
    }
    LpXml *self = g_new(LpXml, 1);
    *self = (LpXml){.path = g_strdup(path), .doc = g_steal_pointer(&doc)};
    return self;
}

LpXml *
lp_xml_load(const char *path, const char *schema_resource, GError **error)
{
    g_return_val_if_fail(path != NULL && schema_resource != NULL, NULL);
    LpXml *known = is_embedded(path) ? recall(&embedded.documents, path) : NULL;
    if (known != NULL)
        return known;
    g_autoptr(GBytes) content = lp_file_read(path, error);
    const char *schema = lp_file_is_shipped(path) ? NULL : schema_resource;
    g_autoptr(LpXml) self = content != NULL ? parse_checked(path, content, schema, error) : NULL;
    if (self != NULL && is_embedded(path)) {
        self->is_kept = TRUE;
        keep(embedded.documents, path, self);
    }
    return g_steal_pointer(&self);
}

LpXml *
lp_xml_parse(const char *path, GBytes *content, const char *schema_resource, GError **error)
{
    g_return_val_if_fail(path != NULL && content != NULL && schema_resource != NULL, NULL);
    return parse_checked(path, content, schema_resource, error);
}

void
lp_xml_free(LpXml *self)
{
    if (self == NULL || self->is_kept)
        return;
    g_free(self->path);
    xmlFreeDoc(self->doc);
    g_free(self);
}

char *
lp_xml_root_name(const char *path)
{
    g_autoptr(GBytes) content = lp_file_read(path, NULL);
    char *name = NULL;
    g_autoptr(xmlDoc) doc = content == NULL ? NULL : parse(path, content, &name, NULL);
    return name;
}

xmlNode *
lp_xml_root(const LpXml *self)
{
    return xmlDocGetRootElement(self->doc);
}

xmlNode *
lp_xml_element(xmlNode *node, const char *name)
{
    for (; node != NULL; node = node->next)
        if (node->type == XML_ELEMENT_NODE &&
            (name == NULL || strcmp((const char *)node->name, name) == 0))
            return node;
    return NULL;
}

#define GAPS " \t\r\n"

char *
lp_xml_text(const xmlNode *node)
{
    xmlChar *content = xmlNodeGetContent(node);
    GString *text = g_string_new(NULL);
    for (const char *word = (const char *)content; word != NULL && *word != '\0';) {
        gsize length = strcspn(word, GAPS);
        if (length > 0 && text->len > 0)
            g_string_append_c(text, ' ');
        g_string_append_len(text, word, (gssize)length);
        word += length + strspn(word + length, GAPS);
    }
    xmlFree(content);
    return g_string_free(text, FALSE);
}

const char *
lp_xml_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *attribute = node->properties; attribute != NULL;
         attribute = attribute->next) {
        if (strcmp((const char *)attribute->name, name) != 0)
            continue;
        /* Without entities the value is one text node, or none when it is empty. */
        const xmlNode *text = attribute->children;
        return text != NULL && text->content != NULL ? (const char *)text->content : "";
    }
    return NULL;
}

const char *
lp_xml_required(const LpXml *self, const xmlNode *node, const char *name, GError **error)
{
    const char *text = lp_xml_attribute(node, name);
    if (text == NULL)
        lp_xml_error(self, node, LP_INPUT_ERROR_SYNTAX, error,
                     "<%s> has no attribute \"%s\", wanted one", (const char *)node->name, name);
    return text;
}

gboolean
lp_xml_quantity(const LpXml *self, const xmlNode *node, const char *name, LpQuantity quantity,
                double *out_value, GError **error)
{
    return lp_xml_quantity_in(self, node, name, quantity, 0, G_MAXDOUBLE, out_value, error);
}

gboolean
lp_xml_quantity_in(const LpXml *self, const xmlNode *node, const char *name, LpQuantity quantity,
                   double minimum, double maximum, double *out_value, GError **error)
{
    const char *text = lp_xml_required(self, node, name, error);
    if (text == NULL)
        return FALSE;
    if (lp_quantity_parse_in(quantity, text, minimum, maximum, out_value, error))
        return TRUE;
    lp_xml_prefix(self, node, name, error);
    return FALSE;
}

gboolean
lp_xml_count(const LpXml *self, const xmlNode *node, const char *name, guint64 minimum,
             guint64 maximum, guint64 *out_value, GError **error)
{
    const char *text = lp_xml_required(self, node, name, error);
    if (text == NULL)
        return FALSE;
    if (lp_count_parse(text, minimum, maximum, out_value, error))
        return TRUE;
    lp_xml_prefix(self, node, name, error);
    return FALSE;
}

gboolean
lp_xml_number(const LpXml *self, const xmlNode *node, const char *name, double minimum,
              double maximum, double *out_value, GError **error)
{
    const char *text = lp_xml_required(self, node, name, error);
    if (text == NULL)
        return FALSE;
    if (lp_number_parse(text, minimum, maximum, out_value, error))
        return TRUE;
    lp_xml_prefix(self, node, name, error);
    return FALSE;
}

void
lp_xml_prefix(const LpXml *self, const xmlNode *node, const char *attribute, GError **error)
{
    g_prefix_error(error, "%s:%ld: <%s> %s: ", self->path, xmlGetLineNo(node),
                   (const char *)node->name, attribute);
}

void
lp_xml_error(const LpXml *self, const xmlNode *node, int code, GError **error, const char *format,
             ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LP_INPUT_ERROR, code, "%s:%ld: %s", self->path, xmlGetLineNo(node), message);
}
