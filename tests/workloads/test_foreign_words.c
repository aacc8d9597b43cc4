/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs' words: each means an attribute that there is, in whichever spelling. */
#include "workloads/description/foreign_words.h"

#include "base/error.h"
#include "tests/testlib.h"
#include "workloads/description/attribute.h"

static void
test_table(void)
{
    const char *word = NULL, *attribute = NULL;
    guint n = 0;
    for (; lp_foreign_word_at(n, &word, &attribute); n++) {
        lp_test_true(word, lp_attribute_find(attribute, NULL) != NULL);
        lp_test_text(word, lp_foreign_word_attribute(word), attribute);
    }
    lp_test_true("many", n > 150);
}

static void
test_spellings(void)
{
    static const struct {
        const char *word, *attribute;
    } rows[] = {
        {"batch", "global-batch"},
        {"mbs", "micro-batch"},
        {"gbs", "global-batch"},
        {"tensor-parallel", "tp"},
        {"tensor_parallel_size", "tp"},
        {"--tensor-model-parallel-size", "tp"},
        {"tensor_parallel_degree", "tp"},
        {"pipeline-parallel", "pp"},
        {"data-parallel", "dp"},
        {"context_parallel_size", "cp"},
        {"Expert-Parallel", "ep"},
        {"sequence_length", "seq"},
        {"seq_len", "seq"},
        {"num_layers", "layers"},
        {"num_hidden_layers", "layers"},
        {"hidden_size", "hidden"},
        {"intermediate_size", "ffn"},
        {"num_key_value_heads", "kv-heads"},
        {"vocab_size", "vocab"},
        {"train_micro_batch_size_per_gpu", "micro-batch"},
        {"zero_optimization.stage", "zero"},
        {"activation_checkpoint.mode", "recompute"},
        {"local_batch_size", "micro-batch"},
        {"overlap_p2p_comm", "overlap-pp"},
        {"--overlap-p2p-communication-warmup-flush", "overlap-pp"},
        {"nonsense", NULL},
        {"", NULL},
        {"-size", NULL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        lp_test_text(rows[i].word, lp_foreign_word_attribute(rows[i].word), rows[i].attribute);
    g_autoptr(GError) error = NULL;
    lp_test_true("unknown", lp_attribute_find("tensor-parallel", &error) == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "unknown attribute \"tensor-parallel\", the nearest known one is \"tp\"");
}

int
main(void)
{
    static const LpTestCase cases[] = {
        {"the table", test_table}, {"spellings", test_spellings}, {NULL, NULL}};
    return lp_test_run("foreign words", cases);
}
