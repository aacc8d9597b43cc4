/* SPDX-License-Identifier: Apache-2.0 */
/* Works out what software asks for from attributes. */
#include "report/export_value.h"

#include "base/units.h"
#include "workloads/description/attribute.h"
#include "workloads/description/layer_pattern.h"

#include <string.h>

static char *
attribute_value(const LpWorkload *workload, const char *name)
{
    const LpAttribute *attribute = lp_attribute_find(name, NULL);
    return attribute != NULL ? lp_attribute_get(attribute, workload) : NULL;
}

/* The attribute @name as a number; 0 where it is none. */
static guint64
number(const LpWorkload *workload, const char *name)
{
    g_autofree char *text = attribute_value(workload, name);
    guint64 value = 0;
    return text != NULL && lp_count_parse(text, 0, G_MAXINT64, &value, NULL) ? value : 0;
}

static char *
count(guint64 value)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

static char *
quotient(guint64 all, guint64 of)
{
    return of > 0 && all > 0 && all % of == 0 ? count(all / of) : NULL;
}

static char *
ranks(const LpWorkload *self)
{
    return count(number(self, "tp") * number(self, "pp") * number(self, "dp") * number(self, "cp"));
}

static char *
accumulation(const LpWorkload *self)
{
    return quotient(number(self, "global-batch"), number(self, "dp") * number(self, "micro-batch"));
}

static char *
heads_per_kv(const LpWorkload *self)
{
    return quotient(number(self, "heads"), number(self, "kv-heads"));
}

static char *
replica_batch(const LpWorkload *self)
{
    return quotient(number(self, "global-batch"), number(self, "dp"));
}

/* Replicas that share states, 0 for no whole number of them. */
static guint64
n_shards(const LpWorkload *self)
{
    guint64 cp = number(self, "cp"), dp = number(self, "dp");
    g_autofree char *degree = attribute_value(self, "shard-degree");
    guint64 ranks_of_set = number(self, "shard-degree");
    if (number(self, "zero") == 0)
        return 1;
    if (strcmp(degree, "0") == 0)
        return dp;
    return ranks_of_set % cp == 0 && dp % (ranks_of_set / cp) == 0 ? ranks_of_set / cp : 0;
}

static char *
shards(const LpWorkload *self)
{
    guint64 n = n_shards(self);
    return n > 0 ? count(n) : NULL;
}

static char *
copies(const LpWorkload *self)
{
    return quotient(number(self, "dp"), n_shards(self));
}

static char *
instances(const LpWorkload *self)
{
    return quotient(number(self, "dp") * number(self, "cp"), number(self, "shard-degree"));
}

static char *
slice_layers(const LpWorkload *self)
{
    return quotient(number(self, "layers"), lp_plan_n_slices(&self->plan));
}

static char *
slice_units(const LpWorkload *self)
{
    return quotient(number(self, "layers") + 2, lp_plan_n_slices(&self->plan));
}

/* "Et*10|t*12|t*12L". */
static char *
layout(const LpWorkload *self)
{
    guint64 n = lp_plan_n_slices(&self->plan);
    if (n < 2 || number(self, "mtp-layers") > 0 ||
        self->plan.pipeline.schedule == LP_SCHEDULE_DUALPIPE)
        return NULL;
    GString *text = g_string_new("E");
    for (guint32 i = 0; i < n; i++) {
        guint32 layers = lp_plan_slice_layers(&self->plan, &self->transformer, i);
        if (layers > 0)
            g_string_append_printf(text, "t*%u", layers);
        g_string_append_c(text, i + 1 < n ? '|' : 'L');
    }
    return g_string_free(text, FALSE);
}

static char *
expert_layers(const LpWorkload *self)
{
    guint64 layers = number(self, "layers"), dense = number(self, "dense-layers");
    if (number(self, "expert-every") != 1 || dense > layers)
        return NULL;
    return g_strdup_printf("([0]*%" G_GUINT64_FORMAT "+[1]*%" G_GUINT64_FORMAT ")", dense,
                           layers - dense);
}

/* "M-M*-", for each layer; "none" where layers have no letters. */
static char *
letters(const LpWorkload *self)
{
    const LpLayerPattern *pattern = &self->transformer.pattern;
    char *text = pattern->single_blocks
                     ? lp_layer_pattern_letters(pattern, self->transformer.n_layers)
                     : NULL;
    return text != NULL ? text : g_strdup("none");
}

static guint64
width_of_expert(const LpWorkload *self)
{
    guint64 own = number(self, "expert-ffn");
    return own > 0 ? own : number(self, "ffn");
}

static char *
expert_width(const LpWorkload *self)
{
    return count(width_of_expert(self));
}

static char *
shared_width(const LpWorkload *self)
{
    return count(number(self, "shared-experts") * width_of_expert(self));
}

static char *
bucket_size(const LpWorkload *self)
{
    g_autofree char *bucket = attribute_value(self, "bucket");
    char *end = strstr(bucket, "-parameters");
    return end != NULL ? g_strndup(bucket, (gsize)(end - bucket)) : NULL;
}

static char *
every(const LpWorkload *self)
{
    g_autofree char *layers = attribute_value(self, "recompute-layers");
    return g_str_has_prefix(layers, "1/") ? g_strdup(layers + 2) : NULL;
}

char *
lp_export_value(const LpWorkload *workload, const char *name)
{
    static const struct {
        const char *name;
        char *(*value)(const LpWorkload *);
    } values[] = {
        {"ranks", ranks},
        {"accumulation", accumulation},
        {"replica-batch", replica_batch},
        {"heads-per-kv", heads_per_kv},
        {"shards", shards},
        {"copies", copies},
        {"instances", instances},
        {"slice-layers", slice_layers},
        {"slice-units", slice_units},
        {"layout", layout},
        {"letters", letters},
        {"expert-layers", expert_layers},
        {"expert-width", expert_width},
        {"shared-width", shared_width},
        {"bucket-size", bucket_size},
        {"every", every},
    };
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value(workload);
    return attribute_value(workload, name);
}
