/* SPDX-License-Identifier: Apache-2.0 */
/* How much an exchange of tokens among experts moves, as DeepEP counts it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** A measured dispatch of tokens to experts, or the combination of their results. */
typedef struct {
    double n_tokens;        /**< of a rank */
    double hidden;          /**< width of a token, elements */
    double top_k;           /**< experts that a token goes to */
    gboolean is_combine;    /**< in bf16; a dispatch is in fp8 with scales */
    gboolean is_bf16;       /**< a combine, or a dispatch of which the row says so */
    gboolean is_per_expert; /**< low-latency kernels: a copy for each expert that a token goes to;
                                 else one for each domain, passed on inside it */
} LpExpertExchange;

/** Reads "4096 tok x 7168, top-8" and a variant such as "dispatch fp8 (DeepEP V1 normal)".
 * Returns: FALSE if @size does not count tokens. */
gboolean lp_expert_exchange_parse(const char *size, const char *variant,
                                  LpExpertExchange *out_exchange);

/** Bytes of a token on the wire: in bf16 2 an element; in fp8 1 an element and a scale of 4 bytes
 * for each 128 elements, and with low-latency kernels a header of 16 bytes. */
double lp_expert_exchange_token_bytes(const LpExpertExchange *self);
/** Copies of a token to ranks, its own among them, of @n_ranks in @n_domains: top-k with a copy for
 * each expert; else the expected number of distinct ranks, the experts being drawn uniformly and
 * independently from at most four domains (DeepSeek-V3, arXiv 2412.19437, section 2.1.2). */
double lp_expert_exchange_rank_copies(const LpExpertExchange *self, guint32 n_ranks,
                                      guint32 n_domains);
/** Copies of a token to domains, its own among them: the expected number of distinct domains, drawn
 * as above. */
double lp_expert_exchange_domain_copies(const LpExpertExchange *self, guint32 n_domains);

G_END_DECLS
