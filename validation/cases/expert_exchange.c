/* SPDX-License-Identifier: Apache-2.0 */
/* DeepEP's exchanges as numbers: its tests count the copies that leave a rank, its own among them
 * (github.com/deepseek-ai/DeepEP, tests/legacy). */
#include "validation/cases/expert_exchange.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX 1e9
/* DeepSeek-V3's routing sends a token to at most so many domains. */
#define DOMAINS_MAX 4.0
/* Values that share a scale in fp8, its bytes, and a header of the low-latency kernels. */
#define SCALE_VALUES 128.0
#define SCALE_BYTES 4.0
#define HEADER_BYTES 16.0

static gboolean
number_of(const GMatchInfo *match, const char *name, double *out_number)
{
    g_autofree char *text = g_match_info_fetch_named(match, name);
    return lp_number_parse(text, 1.0, COUNT_MAX, out_number, NULL);
}

gboolean
lp_expert_exchange_parse(const char *size, const char *variant, LpExpertExchange *out_exchange)
{
    g_autoptr(GRegex) pattern = g_regex_new(
        "^ *(?<tokens>[0-9]+) *tok(?:ens)? *x *(?<hidden>[0-9]+) *, *top-?(?<top>[0-9]+) *$",
        G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    if (!g_regex_match(pattern, size, 0, &match))
        return FALSE;
    g_autofree char *words = g_ascii_strdown(variant, -1);
    *out_exchange = (LpExpertExchange){
        .is_combine = strstr(words, "combine") != NULL,
        .is_bf16 = strstr(words, "combine") != NULL || strstr(words, "bf16") != NULL,
        .is_per_expert = strstr(words, "low-latency") != NULL,
    };
    return number_of(match, "tokens", &out_exchange->n_tokens) &&
           number_of(match, "hidden", &out_exchange->hidden) &&
           number_of(match, "top", &out_exchange->top_k);
}

double
lp_expert_exchange_token_bytes(const LpExpertExchange *self)
{
    if (self->is_bf16)
        return 2.0 * self->hidden;
    return self->hidden * (1.0 + SCALE_BYTES / SCALE_VALUES) +
           (self->is_per_expert ? HEADER_BYTES : 0.0);
}

/* The expected number of @n places that at least one of @k uniform draws hits. */
static double
places_hit(double n, double k)
{
    return n * (1.0 - pow(1.0 - 1.0 / n, k));
}

double
lp_expert_exchange_rank_copies(const LpExpertExchange *self, guint32 n_ranks, guint32 n_domains)
{
    if (self->is_per_expert)
        return self->top_k;
    double reached = fmin(n_domains, DOMAINS_MAX) / n_domains;
    return places_hit(fmax(n_ranks * reached, 1.0), self->top_k);
}

double
lp_expert_exchange_domain_copies(const LpExpertExchange *self, guint32 n_domains)
{
    return places_hit(fmin(n_domains, DOMAINS_MAX), self->top_k);
}
