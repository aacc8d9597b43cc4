/* SPDX-License-Identifier: Apache-2.0 */
/* "lightpath import" as people use it: the workload it writes runs, and every fault is one line. */
#include "tests/support/spawn.h"
#include "tests/testlib.h"

#include <glib/gstdio.h>

#include <string.h>

#define SMALL                                                                                      \
    "{\"model_type\": \"llama\", \"_name_or_path\": \"org/small\", \"hidden_size\": 512,\n"        \
    " \"intermediate_size\": 1408, \"num_hidden_layers\": 4, \"num_attention_heads\": 8,\n"        \
    " \"num_key_value_heads\": 2, \"max_position_embeddings\": 1024, \"vocab_size\": 32000,\n"     \
    " \"hidden_act\": \"silu\", \"torch_dtype\": \"bfloat16\", \"rope_theta\": 10000.0}\n"

/* A folder with files, where commands run. */
typedef struct {
    char *folder; /* owned */
    char *json;   /* owned: "small.json" */
    char *xml;    /* owned: "small.xml", not there yet */
} Place;

static Place
make_place(const char *json)
{
    Place self = {.folder = g_dir_make_tmp("lightpath-test-XXXXXX", NULL)};
    self.json = g_build_filename(self.folder, "small.json", NULL);
    self.xml = g_build_filename(self.folder, "small.xml", NULL);
    lp_test_true("write", g_file_set_contents(self.json, json, -1, NULL));
    return self;
}

/* Nothing but the two files is left. */
static void
clear_place(Place *self)
{
    (void)g_unlink(self->json);
    (void)g_unlink(self->xml);
    lp_test_true("nothing else is left", g_rmdir(self->folder) == 0);
    g_free(self->folder);
    g_free(self->json);
    g_free(self->xml);
}

/* Standard output and -o hold the same bytes, and they run. */
static void
test_workload(void)
{
    Place place = make_place(SMALL);
    LpSpawned printed = lp_spawn("import huggingface", place.json);
    lp_test_true("status", printed.status == 0);
    lp_test_text("complaint", printed.complaint, "");
    g_autofree char *options = g_strdup_printf("%s -o %s", place.json, place.xml);
    LpSpawned written = lp_spawn("import huggingface", options);
    lp_test_true("status", written.status == 0);
    lp_test_text("complaint", written.complaint, "");
    g_autofree char *xml = NULL;
    lp_test_true("file", g_file_get_contents(place.xml, &xml, NULL, NULL));
    lp_test_text("the same", xml, printed.output);
    static const char *const parts[] = {"workload    small, ", "hidden           512",
                                        "hidden_size", "nothing is left out"};
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        lp_test_true(parts[i], strstr(written.output, parts[i]) != NULL);
    g_autofree char *line = g_strdup_printf("estimate %s dgx-a100-8 --format=json", place.xml);
    g_autoptr(json_t) result = lp_spawn_json(line, "--set=dp=8 --set=global-batch=8");
    lp_test_true("time", lp_test_json_number(result, "closed_form.iteration_time_s") > 0.0);
    lp_spawned_clear(&printed);
    lp_spawned_clear(&written);
    clear_place(&place);
}

/* Two matrices of the vocabulary; in a layer queries and output (2 h^2), keys and values (h^2 / 2),
 * three matrices, two norms; the last norm. */
static void
test_json(void)
{
    Place place = make_place(SMALL);
    g_autofree char *options = g_strdup_printf("%s --format=json -o %s", place.json, place.xml);
    g_autoptr(json_t) result = lp_spawn_json("import huggingface", options);
    const double h = 512, layer = 2.5 * h * h + 3 * h * 1408 + 2 * h;
    lp_test_close("parameters", lp_test_json_number(result, "parameters"),
                  2 * 32000 * h + 4 * layer + h, 1e-12);
    if (result != NULL) {
        json_t *object = result;
        lp_test_text("workload", json_string_value(json_object_get(object, "workload")), "small");
        lp_test_text("file", json_string_value(json_object_get(object, "file")), place.xml);
        json_t *row = json_array_get(json_object_get(object, "mapped"), 0);
        lp_test_text("attribute", json_string_value(json_object_get(row, "attribute")), "layers");
        lp_test_text("value", json_string_value(json_object_get(row, "value")), "4");
        lp_test_text("key", json_string_value(json_object_get(row, "key")), "num_hidden_layers");
        lp_test_true("nothing is left out",
                     json_array_size(json_object_get(object, "unmapped")) == 0);
    }
    clear_place(&place);
}

/* What is left out is in all three places. */
static void
test_left_out(void)
{
    g_autofree char *json = g_strconcat("{\"altup_num_inputs\": 4,", &SMALL[1], NULL);
    Place place = make_place(json);
    g_autofree char *options = g_strdup_printf("%s -o %s", place.json, place.xml);
    LpSpawned text = lp_spawn("import huggingface", options);
    lp_test_true("text",
                 strstr(text.output, "altup_num_inputs (4): a key that is not known") != NULL);
    g_autofree char *xml = NULL;
    lp_test_true("file", g_file_get_contents(place.xml, &xml, NULL, NULL));
    lp_test_true("XML", strstr(xml, "altup_num_inputs (4): a key that is not known") != NULL);
    g_autoptr(json_t) result = lp_spawn_json("import huggingface --format=json", options);
    if (result != NULL) {
        json_t *rest = json_object_get(result, "unmapped");
        lp_test_true("one", json_array_size(rest) == 1);
        json_t *row = json_array_get(rest, 0);
        lp_test_text("key", json_string_value(json_object_get(row, "key")), "altup_num_inputs");
        lp_test_text("value", json_string_value(json_object_get(row, "value")), "4");
        lp_test_text("reason", json_string_value(json_object_get(row, "reason")),
                     "a key that is not known");
    }
    lp_spawned_clear(&text);
    clear_place(&place);
}

static void
test_command_line(void)
{
    static const struct {
        const char *line; /* JSON and XML are the place's */
        int status;
        const char *part;
    } rows[] = {
        {"import", 2, "import: got 0 arguments, wanted 2"},
        {"import huggingface", 2, "import: got 1 argument, wanted 2"},
        {"import huggingface JSON JSON", 2, "got 3 arguments"},
        {"import hugging JSON", 2, "import: \"hugging\" is not one of huggingface"},
        {"import huggingface JSON --nonsense", 2, "nonsense"},
        {"import huggingface JSON --format=xml -o XML", 2, "--format: "},
        {"import huggingface JSON --format=json", 2, "--format: got json without -o"},
        {"import huggingface JSON --format=json -o -", 2, "--format: got json without -o"},
        {"import huggingface JSON -o", 2, "-o"},
        {"import huggingface JSON.not", 1, "JSON.not: "},
        {"import huggingface JSON -o /nowhere/x.xml", 1, "/nowhere/x.xml: "},
        {"imprt huggingface JSON", 2, "\"import\""},
    };
    Place place = make_place(SMALL);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) line = g_string_new(rows[i].line), part = g_string_new(rows[i].part);
        g_string_replace(line, "JSON", place.json, 0);
        g_string_replace(line, "XML", place.xml, 0);
        g_string_replace(part, "JSON", place.json, 0);
        lp_spawn_refused(NULL, line->str, rows[i].status, part->str);
    }
    lp_test_true("no file", !g_file_test(place.xml, G_FILE_TEST_EXISTS));
    g_autofree char *options = g_strdup_printf("%s -o /dev/full", place.json);
    LpSpawned full = lp_spawn("import huggingface", options);
    lp_test_true("status of a full disk", full.status == 1);
    lp_test_text("its complaint", full.complaint,
                 "lightpath: /dev/full: No space left on device\n");
    lp_test_true("what was read is told", strstr(full.output, "hidden_size") != NULL);
    lp_spawned_clear(&full);
    clear_place(&place);
}

/* A wrong file: one line that says where, no workload, and an old one stays as it is. */
static void
test_files(void)
{
    static const struct {
        const char *from, *to, *part;
    } rows[] = {
        {"{\"model_type\"", "", ":1: got no JSON ("},
        {"4,", "NaN,", ":2: got no JSON (invalid token near 'NaN')"},
        {"4,", "4", ":"},
        {"4,", "4,\n\"model_type\": \"llama\",", ":3: got no JSON (duplicate object key near"},
        {"\"llama\"", "\"gemma7\"", ": model_type: \"gemma7\" is not one of "},
        {"\"llama\"", "null", ": model_type: got null"},
        {"512", "-512", ": hidden_size: got -512"},
        {"512", "0", ": hidden_size: got 0"},
        {"512", "\"512\"", ": hidden_size: got \"512\""},
        {"512", "99999999", ": hidden_size: got 99999999"},
        {"\"hidden_size\"", "\"hidden_sizes\"", ": hidden_size: got none"},
        {"512", "513", ": heads: got 8, wanted a divisor of hidden (513)"},
        {"_heads\": 2", "_heads\": 3", ": kv-heads: got 3, wanted a divisor of heads (8)"},
    };
    Place place = make_place(SMALL);
    lp_test_true("old", g_file_set_contents(place.xml, "old", -1, NULL));
    g_autofree char *line = g_strdup_printf("import huggingface %s -o %s", place.json, place.xml);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(GStrv) parts = g_strsplit(SMALL, rows[i].from, 2);
        g_autofree char *json = g_strjoinv(rows[i].to, parts);
        lp_test_true("write", g_file_set_contents(place.json, json, -1, NULL));
        g_autofree char *part = g_strconcat("lightpath: ", place.json, rows[i].part, NULL);
        lp_spawn_refused(rows[i].part, line, 1, part);
    }
    g_autofree char *text = NULL;
    lp_test_true("read", g_file_get_contents(place.xml, &text, NULL, NULL));
    lp_test_text("as it was", text, "old");
    clear_place(&place);
}

/* Some editors put a byte-order mark first. */
static void
test_mark(void)
{
    Place place = make_place("\xef\xbb\xbf" SMALL);
    g_autofree char *line = g_strdup_printf("import huggingface %s -o %s", place.json, place.xml);
    LpSpawned run = lp_spawn(line, NULL);
    lp_test_text("complaint", run.complaint, "");
    lp_test_true("status", run.status == 0);
    lp_spawned_clear(&run);
    clear_place(&place);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"workload", test_workload},
                                       {"JSON", test_json},
                                       {"left out", test_left_out},
                                       {"command line", test_command_line},
                                       {"files", test_files},
                                       {"mark", test_mark},
                                       {NULL, NULL}};
    return lp_test_run("import", cases);
}
