/* SPDX-License-Identifier: Apache-2.0 */
/* How much an exchange of tokens among experts moves, as DeepEP counts it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A measured dispatch of tokens to experts, or a combine of their results. */
typedef struct {
    double n_tokens; /**< of a rank */
    double hidden, top_k;
    gboolean is_combine;    /**< in bf16; a dispatch is in fp8 with scales */
    gboolean is_bf16;       /**< the row says so of a dispatch too */
    gboolean is_per_expert; /**< low-latency kernels: a copy for each expert that a token goes to;
                                 else one for each domain, passed on inside it */
} LpExpertExchange;

/** Reads "4096 tok x 7168, top-8" and a variant such as "dispatch fp8 (DeepEP V1 normal)".
 * Returns: FALSE if @size does not count tokens. */
gboolean lp_expert_exchange_parse(const char *size, const char *variant,
                                  LpExpertExchange *out_exchange);

/** Bytes of a token on the wire: 2 an element in bf16, else 1 and a scale of 4 for each 128. */
double lp_expert_exchange_token_bytes(const LpExpertExchange *self);
/** Copies of a token among @n_ranks in @n_domains, its own rank's counted in: to experts
 * (top-k); otherwise expected, experts being drawn alike from @n_domains domains, four at most
 * (DeepSeek-V3, arXiv 2412.19437, section 2.1.2). */
double lp_expert_exchange_rank_copies(const LpExpertExchange *self, guint32 n_ranks,
                                      guint32 n_domains);
/** The same of copies to domains. */
double lp_expert_exchange_domain_copies(const LpExpertExchange *self, guint32 n_domains);

G_END_DECLS
