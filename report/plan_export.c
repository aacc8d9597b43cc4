/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a workload's attributes by the rules of some software. */
#include "report/plan_export.h"

#include "base/json.h"
#include "base/units.h"
#include "report/export_rules.h"
#include "report/export_value.h"
#include "workloads/description/attribute.h"

#include <string.h>

const char *const lp_export_names[] = {"megatron", "torchtitan", "deepspeed", NULL};

/* The title, the term and the rules of each software. */
static const struct {
    const char *title, *word;
    const LpExportRule *rules;
} formats[] = {
    [LP_EXPORT_MEGATRON] = {"Megatron-LM core_v0.19.0", "flag", lp_export_megatron},
    [LP_EXPORT_TORCHTITAN] = {"torchtitan v0.2.2", "key", lp_export_torchtitan},
    [LP_EXPORT_DEEPSPEED] = {"DeepSpeed of August 2026", "key", lp_export_deepspeed},
};

/* The texts to be written. */
typedef struct {
    GPtrArray *words; /* owned texts: filled-in texts of rules, in their order */
    GPtrArray *shape; /* owned texts "name=value": the model's, without a word */
    GPtrArray *plan;  /* the same of the rest */
} Export;

static void
export_clear(Export *self)
{
    g_ptr_array_unref(self->words);
    g_ptr_array_unref(self->shape);
    g_ptr_array_unref(self->plan);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Export, export_clear)

/* --- rules --- */

/* "name=a|b", "name!=a" or "name>1". */
static gboolean
holds(const char *condition, const LpWorkload *workload)
{
    gsize length = strcspn(condition, "!=>");
    const char *sign = condition + length;
    g_autofree char *name = g_strndup(condition, length);
    g_autofree char *value = lp_export_value(workload, name);
    if (value == NULL)
        return FALSE;
    if (*sign == '>') {
        double number;
        return lp_number_parse(value, 0.0, G_MAXDOUBLE, &number, NULL) &&
               number > g_ascii_strtod(sign + 1, NULL);
    }
    gboolean is_not = *sign == '!';
    g_auto(GStrv) wanted = g_strsplit(sign + (is_not ? 2 : 1), "|", -1);
    return g_strv_contains((const char *const *)wanted, value) != is_not;
}

static gboolean
all_hold(const char *when, const LpWorkload *workload)
{
    g_auto(GStrv) conditions = g_strsplit(when != NULL ? when : "", " ", -1);
    for (guint i = 0; conditions[i] != NULL; i++)
        if (*conditions[i] != '\0' && !holds(conditions[i], workload))
            return FALSE;
    return TRUE;
}

/* @rule's text with values in it; NULL: one has none. Returns: (transfer full). */
static char *
fill_in(const LpExportRule *rule, const LpWorkload *workload)
{
    GString *text = g_string_new(NULL);
    const char *at = rule->text;
    for (const char *open; (open = strchr(at, '{')) != NULL;) {
        const char *close = strchr(open, '}');
        g_autofree char *name = g_strndup(open + 1, (gsize)(close - open - 1));
        g_autofree char *value = lp_export_value(workload, *name != '\0' ? name : rule->attribute);
        if (value == NULL) {
            g_string_free(text, TRUE);
            return NULL;
        }
        g_string_append_len(text, at, open - at);
        g_string_append(text, value);
        at = close + 1;
    }
    g_string_append(text, at);
    return g_string_free(text, FALSE);
}

/* What @rules say of @attribute; NULL: nothing. @out_is_known: whether there is a rule for it at
 * all. Returns: (transfer full). */
static char *
said(const LpExportRule *rules, const char *attribute, const LpWorkload *workload,
     gboolean *out_is_known)
{
    *out_is_known = FALSE;
    for (const LpExportRule *rule = rules; rule->attribute != NULL; rule++) {
        if (strcmp(rule->attribute, attribute) != 0)
            continue;
        *out_is_known = TRUE;
        char *text = all_hold(rule->when, workload) ? fill_in(rule, workload) : NULL;
        if (text != NULL)
            return text;
    }
    return NULL;
}

/* Whether @name says how a run is simulated, and nothing about what software does. */
static gboolean
is_of_simulation(const char *name)
{
    static const char *const names[] = {"framework",
                                        "memory-reserve",
                                        "skew",
                                        "seed",
                                        "routing-draws",
                                        "routing-table",
                                        "overlap-fraction",
                                        "slowdown",
                                        "amped-efficiency",
                                        NULL};
    return g_strv_contains(names, name);
}

/* Adds an attribute. An attribute that was not given and has no rule is left to the software's
 * default. */
static void
add_attribute(Export *self, const LpExportRule *rules, const LpAttribute *attribute,
              const LpWorkload *workload)
{
    const char *name = lp_attribute_name(attribute);
    gboolean is_known;
    g_autofree char *text = said(rules, name, workload, &is_known);
    if (text != NULL) {
        if (*text != '\0')
            g_ptr_array_add(self->words, g_steal_pointer(&text));
        return;
    }
    gboolean is_given = lp_attribute_origin(attribute, workload) >= LP_ORIGIN_FILE;
    if ((!is_given && !is_known) || is_of_simulation(name))
        return;
    g_autofree char *value = lp_attribute_get(attribute, workload);
    gboolean is_shape = strcmp(lp_attribute_element(attribute), "transformer") == 0;
    g_ptr_array_add(is_shape ? self->shape : self->plan, g_strconcat(name, "=", value, NULL));
}

static Export
make_export(const LpWorkload *workload, const LpExportRule *rules)
{
    Export self = {g_ptr_array_new_with_free_func(g_free), g_ptr_array_new_with_free_func(g_free),
                   g_ptr_array_new_with_free_func(g_free)};
    const LpAttribute *attribute;
    for (guint i = 0; (attribute = lp_attribute_at(i)) != NULL; i++)
        add_attribute(&self, rules, attribute, workload);
    return self;
}

/* --- remarks --- */

/* Whose words these are, on how many processes, and what has none. Returns: (transfer full). */
static GPtrArray *
remarks_of(const Export *self, const LpWorkload *workload, LpExport format)
{
    GPtrArray *remarks = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *ranks = lp_export_value(workload, "ranks");
    g_autofree char *dp = lp_export_value(workload, "dp");
    g_ptr_array_add(remarks,
                    g_strdup_printf("%s, as %s has it", workload->name, formats[format].title));
    g_ptr_array_add(remarks, g_strdup_printf("on %s processes, one an accelerator, of which dp is "
                                             "%s; as run by framework %s",
                                             ranks, dp, workload->framework));
    if (self->shape->len > 0) {
        GString *line = g_string_new("no ");
        g_string_append_printf(line, "%s, but the model's own code:", formats[format].word);
        for (guint i = 0; i < self->shape->len; i++)
            g_string_append_printf(line, " %s", (const char *)self->shape->pdata[i]);
        g_ptr_array_add(remarks, g_string_free(line, FALSE));
    }
    for (guint i = 0; i < self->plan->len; i++)
        g_ptr_array_add(remarks, g_strdup_printf("no %s: %s", formats[format].word,
                                                 (const char *)self->plan->pdata[i]));
    return remarks;
}

static void
append_comments(GString *out, const GPtrArray *remarks, guint from, guint to)
{
    for (guint i = from; i < to; i++)
        g_string_append_printf(out, "# %s\n", (const char *)remarks->pdata[i]);
}

/* --- formats --- */

#define N_HEADING 2 /* remarks that come first */

static void
append_flags(GString *out, const Export *self)
{
    for (guint i = 0; i < self->words->len; i++)
        g_string_append_printf(out, "%s\n", (const char *)self->words->pdata[i]);
}

/* Calls @take with the table, key and value of each "table.key = value" in @self. */
static void
each_key(const Export *self,
         void (*take)(const char *table, const char *key, const char *value, gpointer data),
         gpointer data)
{
    for (guint i = 0; i < self->words->len; i++) {
        g_auto(GStrv) lines = g_strsplit(self->words->pdata[i], "; ", -1);
        for (guint k = 0; lines[k] != NULL; k++) {
            char *equals = strstr(lines[k], " = ");
            *equals = '\0';
            char *dot = strrchr(lines[k], '.');
            if (dot != NULL)
                *dot = '\0';
            take(dot != NULL ? lines[k] : "", dot != NULL ? dot + 1 : lines[k], equals + 3, data);
        }
    }
}

/* Tables of TOML, in the order of their first keys. */
typedef struct {
    GPtrArray *names; /* owned texts */
    GPtrArray *texts; /* owned GString, by name */
} Tables;

static void
free_string(gpointer data)
{
    g_string_free(data, TRUE);
}

static void
add_to_table(const char *table, const char *key, const char *value, gpointer data)
{
    Tables *tables = data;
    guint at = 0;
    while (at < tables->names->len && strcmp(tables->names->pdata[at], table) != 0)
        at++;
    if (at == tables->names->len) {
        g_ptr_array_add(tables->names, g_strdup(table));
        g_ptr_array_add(tables->texts, g_string_new(NULL));
    }
    g_string_append_printf(tables->texts->pdata[at], "%s = %s\n", key, value);
}

static void
append_toml(GString *out, const Export *self)
{
    Tables tables = {g_ptr_array_new_with_free_func(g_free),
                     g_ptr_array_new_with_free_func(free_string)};
    each_key(self, add_to_table, &tables);
    for (guint i = 0; i < tables.names->len; i++)
        g_string_append_printf(out, "\n[%s]\n%s", (const char *)tables.names->pdata[i],
                               ((const GString *)tables.texts->pdata[i])->str);
    if (tables.names->len > 0)
        g_string_append_c(out, '\n');
    g_ptr_array_unref(tables.names);
    g_ptr_array_unref(tables.texts);
}

static void
add_to_object(const char *table, const char *key, const char *value, gpointer data)
{
    json_t *object = data;
    if (*table != '\0') {
        json_t *inner = json_object_get(object, table);
        object = inner != NULL ? inner : lp_json_set_object(object, table);
    }
    json_object_set_new(object, key, json_loads(value, JSON_DECODE_ANY, NULL));
}

/* JSON has no comments: remarks are a member that DeepSpeed does not read. */
static char *
to_json(const Export *self, const GPtrArray *remarks)
{
    g_autoptr(json_t) root = json_object();
    each_key(self, add_to_object, root);
    json_t *comment = lp_json_set_array(root, "comment");
    for (guint i = 0; i < remarks->len; i++)
        lp_json_append_text(comment, remarks->pdata[i]);
    return lp_json_print(root);
}

char *
lp_plan_export(const LpWorkload *workload, LpExport format)
{
    g_auto(Export) self = make_export(workload, formats[format].rules);
    g_autoptr(GPtrArray) remarks = remarks_of(&self, workload, format);
    if (format == LP_EXPORT_DEEPSPEED)
        return to_json(&self, remarks);
    GString *out = g_string_new(NULL);
    append_comments(out, remarks, 0, N_HEADING);
    if (format == LP_EXPORT_MEGATRON)
        append_flags(out, &self);
    else
        append_toml(out, &self);
    append_comments(out, remarks, N_HEADING, remarks->len);
    return g_string_free(out, FALSE);
}
