/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the closed form that are sums of known transfers: exchanges of experts, messages that
 * hide, copies at stage boundaries. */
#include "model/closed_form/closed_form_collective.h"
#include "model/closed_form/closed_form_terms.h"
#include "model/closed_form/closed_form_waiting.h"
#include "model/closed_form/lower_bound.h"
#include "tests/model/closed_form_job.h"
#include "tests/testlib.h"

#define IDENTITY 1e-12 /* the same sum in another order */

/* b 2, s 2048, h 1024, 2 bytes. */
static const double volume_bytes = 2.0 * 2048.0 * 1024.0 * 2.0;

/* An all-to-all of n ranks in a domain leaves (n-1)/n of what each rank sends to cross its link.
 * Each token goes to top-k experts and back, forward and backward, once more where the layer is
 * recomputed whole; with sequence parallelism each rank has its share of the tokens. */
static void
test_ep(void)
{
    static const struct {
        const char *label;
        guint32 tp, ep, pp, top_k;
        gboolean sequence_parallel;
        LpRecompute recompute;
        double passes;
    } rows[] = {
        {"four ranks", 1, 4, 1, 2, FALSE, LP_RECOMPUTE_NONE, 2.0},
        {"eight ranks", 1, 8, 1, 2, FALSE, LP_RECOMPUTE_NONE, 2.0},
        {"one expert a token", 1, 8, 1, 1, FALSE, LP_RECOMPUTE_NONE, 2.0},
        {"recomputed", 1, 8, 1, 2, FALSE, LP_RECOMPUTE_FULL, 3.0},
        {"two stages", 1, 4, 2, 2, FALSE, LP_RECOMPUTE_NONE, 2.0},
        {"shares of a sequence", 2, 4, 1, 2, TRUE, LP_RECOMPUTE_NONE, 2.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const guint32 dp = rows[i].ep, n_micro_batches = 3, n_layers = 4;
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(n_layers, 1024, 16),
                         lp_test_plan(rows[i].tp, rows[i].pp, dp, 2, 2 * dp * n_micro_batches),
                         lp_test_fabric(300e9, 25e9));
        job.shape.experts.n = 8;
        job.shape.experts.top_k = rows[i].top_k;
        job.shape.experts.ffn = 4096;
        job.plan.degree[LP_AXIS_EP] = rows[i].ep;
        job.plan.experts.tp = 1;
        job.plan.sequence_parallel = rows[i].sequence_parallel;
        job.plan.recompute = rows[i].recompute;
        double own = volume_bytes / (rows[i].sequence_parallel ? rows[i].tp : 1.0);
        double sent = rows[i].top_k * own * (rows[i].ep - 1.0) / rows[i].ep;
        double n = 2.0 * rows[i].passes * n_micro_batches * n_layers / rows[i].pp;
        lp_test_close(rows[i].label, lp_closed_form_ep_s(&job.input), n * sent / 300e9, IDENTITY);
    }
}

/* Four layers with an expert on each of @n ranks, a token's only one, and one micro-batch of two
 * sequences. */
static void
init_experts(LpTestJob *job, guint32 n)
{
    lp_test_job_init(job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, n, 2, 2 * n),
                     lp_test_fabric(300e9, 25e9));
    job->shape.experts = (LpTransformerExperts){.n = n, .top_k = 1, .ffn = 4096};
    job->plan.degree[LP_AXIS_EP] = n;
    job->plan.experts.tp = 1;
}

/* All ports of a torus of 4 x 4: the farthest are four links away, the mean way, also to oneself,
 * has two, so the 16 x 16 blocks load each of the 64 links with 8. */
static void
test_ep_torus(void)
{
    LpTestJob job;
    init_experts(&job, 16);
    job.fabric.domain_size = 1;
    job.fabric.torus = (LpTorus){.n_dimensions = 2, .size = {4, 4}, .spreads_paths = TRUE};
    job.fabric.link_latency_s = 1e-4;
    double exchange_s = 4.0 * 1e-4 + 8.0 * volume_bytes / 16.0 / 25e9;
    lp_test_close("torus", lp_closed_form_ep_s(&job.input), 2.0 * 2.0 * 4.0 * exchange_s, IDENTITY);
}

/* Three groups of two routers with two ports each, every two groups joined by one link: four ports
 * of a group send a block to four of another over it, and no more than eleven leave a port. */
static void
test_ep_dragonfly(void)
{
    LpTestJob job;
    init_experts(&job, 12);
    job.fabric.domain_size = 1;
    job.fabric.dragonfly = (LpDragonfly){.n_groups = 3,
                                         .group_links = 1,
                                         .n_rows = 1,
                                         .row_links = 1,
                                         .n_routers = 2,
                                         .router_links = 8,
                                         .n_ports = 2};
    double exchange_s = 16.0 * volume_bytes / 12.0 / 25e9;
    lp_test_close("dragonfly", lp_closed_form_ep_s(&job.input), 2.0 * 2.0 * 4.0 * exchange_s,
                  IDENTITY);
}

/* ZeRO 3 tensor by tensor gathers each layer's experts as one, and besides them embedding, head,
 * the rest of a layer, and the two matrices of its attention: of four layers, half for each stage.
 */
static void
test_tensor_gathers(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 2, 8, 2, 32),
                     lp_test_fabric(300e9, 25e9));
    job.shape.experts = (LpTransformerExperts){.n = 8, .top_k = 1, .ffn = 4096};
    job.plan.experts.tp = 1;
    job.plan.zero.stage = 3;
    LpClosedFormPieces pieces = lp_closed_form_tensor_gathers(&job.input, FALSE);
    lp_test_close("experts", pieces.n_experts, 4.0 / 2.0, IDENTITY);
    lp_test_close("dense", pieces.n_dense, (1.0 + 1.0 + 4.0 * 3.0) / 2.0, IDENTITY);
}

/* Two nodes of eight relay tokens of one expert each: half of them go to the other node, seven
 * eighths of all from one rank of a node to another. The shorter of both hides behind the longer;
 * where nothing is relayed nothing hides. */
static void
test_ep_hidden(void)
{
    for (guint32 nodes = 1; nodes <= 2; nodes++) {
        LpTestJob job;
        init_experts(&job, 16);
        job.plan.experts.relay = nodes;
        double between_s = volume_bytes / 2.0 / 25e9, within_s = volume_bytes * 7.0 / 8.0 / 300e9;
        double share = nodes == 1 ? 0.0 : within_s / (between_s + within_s);
        lp_test_close("hidden", 1.0 + lp_closed_form_ep_hidden_s(&job.input, 3.0),
                      1.0 + 3.0 * share, IDENTITY);
    }
}

/* Of m micro-batches each chunk of each stage sends m messages forward and m back. Behind the
 * products of a neighbouring micro-batch hide all but one each, or as much as products last. */
static void
test_messages_hidden(void)
{
    static const guint32 virtual_stages[] = {1, 3};
    for (guint i = 0; i < G_N_ELEMENTS(virtual_stages); i++)
        for (guint slow = 0; slow < 2; slow++) {
            double v = virtual_stages[i], m = 24.0;
            LpTestJob job;
            lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, 4, 1, 2, 48),
                             lp_test_fabric(300e9, slow ? 1e6 : 1e15));
            job.plan.pipeline.virtual_stages = virtual_stages[i];
            lp_test_close("nothing is asked to hide", lp_closed_form_pp_hidden_s(&job.input, 0.0),
                          0.0, 0.0);
            job.plan.overlap.pp = TRUE;
            double message_s = lp_closed_form_pp_message_s(&job.input);
            double compute_s = lp_closed_form_compute_s(&job.input);
            double behind_s = slow ? compute_s * (m - 1.0) / m : 2.0 * (m - 1.0) * v * message_s;
            lp_test_close(slow ? "slow links" : "fast links",
                          lp_closed_form_pp_hidden_s(&job.input, 0.0), behind_s, IDENTITY);
        }
}

/* With scatter-gather receivers copy what they gather: at each of the pp v - 1 boundaries once
 * forward and twice backward; the ranks of one stage copy nothing. */
static void
test_boundary_copies(void)
{
    static const struct {
        guint32 pp, virtual_stages;
    } rows[] = {{2, 1}, {4, 1}, {4, 3}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(24, 1024, 16), lp_test_plan(8, rows[i].pp, 1, 2, 48),
                         lp_test_fabric(300e9, 25e9));
        job.plan.pipeline.virtual_stages = rows[i].virtual_stages;
        for (guint pass = 0; pass < 2; pass++) {
            LpPass which = pass == 0 ? LP_PASS_FORWARD : LP_PASS_BACKWARD_INPUT;
            job.plan.pipeline.scatter_gather = FALSE;
            double without_s = lp_closed_form_pass_work(&job.input, which).device_s;
            job.plan.pipeline.scatter_gather = LP_SCATTER_GATHER_OUTPUTS;
            double with_s = lp_closed_form_pass_work(&job.input, which).device_s;
            double each_s =
                lp_boundary_copies_work(&job.shape, &job.plan, &job.accelerator).device_s;
            double n = rows[i].pp * rows[i].virtual_stages - 1.0;
            lp_test_true("copies take time", each_s > 0.0);
            /* The difference of large sums has fewer digits. */
            lp_test_close("copies", with_s - without_s, (pass + 1.0) * n * each_s, 1e-9);
        }
    }
}

/* MLA whose latents are gathered and summed in place of its input: a layer's attention gathers q +
 * kv + positions forward and q + kv for the gradients of weights, and scatters the gradients of all
 * three, where it would gather h twice and scatter h; (t-1)/t of it crosses a rank's link. */
static void
test_latents(void)
{
    const double t = 4.0, h = 1024.0, query = 512.0, kv = 256.0, positions = 64.0;
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(4, 1, 1, 2, 6),
                     lp_test_fabric(300e9, 25e9));
    job.shape.latent = (LpTransformerLatent){
        .kv_rank = 256, .query_rank = 512, .rope_width = 64, .value_width = 64};
    job.plan.sequence_parallel = TRUE;
    double whole_s = lp_closed_form_tp_s(&job.input);
    job.plan.traits[LP_TRAIT_INPUT_COLLECTIVES] = LP_INPUT_COLLECTIVES_LATENT;
    double width = 3.0 * (query + kv) + 2.0 * positions - 3.0 * h;
    double n_layers = 4.0, n_micro_batches = 3.0;
    lp_test_close("latents", lp_closed_form_tp_s(&job.input) - whole_s,
                  n_layers * n_micro_batches * (t - 1.0) / t * (volume_bytes / h) * width / 300e9,
                  1e-9);
}

/* Broadcasts among four domains of one, in pieces of a tenth: all bytes once, and two pieces more
 * to fill the chain, with three latencies each; in one piece all bytes go three times. */
static void
test_broadcasts(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, 4, 2, 8),
                     lp_test_fabric(300e9, 25e9));
    job.fabric.domain_size = 1;
    job.fabric.tiers[0].latency_s = 1e-5;
    LpLibrary library = {.name = "pieces", .n_protocols = 1};
    job.input.library = &library;
    static const double sizes[] = {1e8, 3e8};
    g_autoptr(GArray) bytes = g_array_new(FALSE, FALSE, sizeof(double));
    g_array_append_vals(bytes, sizes, G_N_ELEMENTS(sizes));
    for (guint pieces = 0; pieces < 2; pieces++) {
        library.protocols[0].chunk_bytes = pieces == 0 ? 0 : 10000000;
        double filling = pieces == 0 ? 2.0 * 4e8 : 2.0 * 2e7;
        lp_test_close(pieces == 0 ? "whole" : "in pieces",
                      lp_closed_form_broadcasts_s(&job.input, LP_GROUP_DP, bytes),
                      2.0 * 3.0 * 1e-5 + (4e8 + filling) / 25e9, IDENTITY);
    }
}

/* What a library was measured to take, it takes. */
static void
test_measured(void)
{
    LpTestJob job;
    lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, 4, 2, 8),
                     lp_test_fabric(300e9, 25e9));
    LpLibrary library = {.name = "measured", .n_protocols = 1, .n_measured = 2};
    library.measured[0] = (LpMeasuredTime){LP_COLLECTIVE_ALL_REDUCE, 4, 1, 1 << 20, 7e-3};
    library.measured[1] = (LpMeasuredTime){LP_COLLECTIVE_BROADCAST, 4, 1, 1 << 20, 3e-3};
    job.input.library = &library;
    lp_test_close("a ring's",
                  lp_closed_form_ring_s(&job.input, LP_GROUP_DP, LP_COLLECTIVE_ALL_REDUCE, 1 << 20),
                  7e-3, IDENTITY);
    static const double sizes[] = {1 << 20, 1 << 20};
    g_autoptr(GArray) bytes = g_array_new(FALSE, FALSE, sizeof(double));
    g_array_append_vals(bytes, sizes, G_N_ELEMENTS(sizes));
    lp_test_close("a chain's", lp_closed_form_broadcasts_s(&job.input, LP_GROUP_DP, bytes), 6e-3,
                  IDENTITY);
}

/* Sums of gradients and messages take turns at two lanes: as closed_form_waiting.h says. A stage of
 * four layers sums 12 h^2 parameters of each, of 2 bytes, twice, and a few of norms and biases; a
 * pair's messages are two of b s h for each micro-batch and chunk, of b 4 and s 2 h: as many bytes
 * for six. */
static void
test_turns(void)
{
    static const struct {
        const char *label;
        guint32 m, virtual_stages, zero, prefetch;
        double n;
    } rows[] = {
        {"sums at the end, larger", 6, 1, 0, 0, 1.0 + 3.0},
        {"smaller than many messages", 7, 1, 0, 0, 1.0},
        {"larger than those of one chunk", 4, 1, 0, 0, 1.0 + 3.0},
        {"smaller than those of four chunks", 4, 4, 0, 0, 1.0},
        {"gathers", 8, 1, 3, 0, 4.0 * 3.0 + 2.0 * 7.0},
        {"gathers ahead", 8, 1, 3, 4, 3.0 * 4.0 - 2.0 + 2.0 * 7.0},
        {"too few ahead", 8, 1, 3, 3, 4.0 * 3.0 + 2.0 * 7.0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(16, 1024, 16), lp_test_plan(1, 4, 2, 4, 8 * rows[i].m),
                         lp_test_fabric(300e9, 25e9));
        job.shape.embedding = FALSE;
        job.fabric.domain_size = 1;
        job.fabric.circuits.are_present = job.fabric.circuits.are_switched = TRUE;
        job.fabric.circuits.n_lanes = 2;
        job.plan.pipeline.virtual_stages = rows[i].virtual_stages;
        job.plan.zero.stage = rows[i].zero;
        job.plan.zero.prefetch = rows[i].prefetch;
        job.plan.overlap.param = rows[i].prefetch > 0;
        lp_test_close(rows[i].label, lp_closed_form_n_reconfigurations(&job.input), rows[i].n, 0.0);
        job.fabric.circuits.n_lanes = 4;
        lp_test_close("lanes for all", lp_closed_form_n_reconfigurations(&job.input), 0.0, 0.0);
    }
}

/* One rank does nothing but compute: all micro-batches and the optimizer, however many chunks its
 * layers are. */
static void
test_bound(void)
{
    for (guint32 m = 1; m <= 3; m++) {
        LpTestJob job;
        lp_test_job_init(&job, lp_test_gpt(4, 1024, 16), lp_test_plan(1, 1, 1, 2, 2 * m),
                         lp_test_fabric(300e9, 25e9));
        LpLowerBoundInput input = {.of = job.input};
        lp_test_close("compute", lp_lower_bound_s(&input),
                      lp_closed_form_compute_s(&job.input) + lp_closed_form_optimizer_s(&job.input),
                      1e-9);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"ep", test_ep},
                                       {"ep on a torus", test_ep_torus},
                                       {"ep on a dragonfly", test_ep_dragonfly},
                                       {"ep hidden", test_ep_hidden},
                                       {"tensors' gathers", test_tensor_gathers},
                                       {"messages hidden", test_messages_hidden},
                                       {"boundary copies", test_boundary_copies},
                                       {"latents", test_latents},
                                       {"broadcasts", test_broadcasts},
                                       {"measured", test_measured},
                                       {"turns", test_turns},
                                       {"bound", test_bound},
                                       {NULL, NULL}};
    return lp_test_run("parts of the closed form", cases);
}
