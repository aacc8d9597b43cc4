/* SPDX-License-Identifier: Apache-2.0 */
/* The systems that can be generated: all of them load, and each value says where it comes from. */
#include "platforms/generation/system.h"

#include "base/error.h"
#include "platforms/generation/machine_options.h"
#include "tests/testlib.h"

static void
test_names(void)
{
    g_auto(GStrv) names = lp_system_names(NULL);
    g_autofree char *joined = g_strjoinv(" ", names);
    lp_test_text("systems", joined,
                 "a3-highgpu a3-megagpu dgx-1 dgx-2 dgx-a100 dgx-b200 dgx-b300 dgx-h100 frontier "
                 "gb200-nvl72 "
                 "gb300-nvl72 generic "
                 "hgx-a100-4nic hgx-h800 jean-zay-v100 lassen leonardo marenostrum-5 "
                 "mi300x-platform mi355x-platform ocs "
                 "ocs-torus optical-substrate p5 "
                 "p5-hf pcie-3 pcie-4 pcie-5 polaris rail-only "
                 "summit tpu-v4 tpu-v4-slices tpu-v5e-slices tpu-v5p-slices tpu-v6e-slices "
                 "tpu-v7x-slices trn1");
}

static void
check_system(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(LpMachineSpecification) system = lp_system_load(name, &error);
    lp_test_text(name, error != NULL ? error->message : "", "");
    if (system == NULL)
        return;
    lp_test_text(name, system->system, name);
    lp_test_true(name, system->n_accelerators == 0 && system->domain.size >= 1 &&
                           system->domain.bytes_per_s > 0 && system->scale_out.bytes_per_s > 0 &&
                           system->description[0] != '\0');
    lp_test_text(name, system->accelerator.name,
                 system->origin[LP_MACHINE_OPTION_ACCELERATOR].text);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++) {
        const LpOptionOrigin *origin = &system->origin[i];
        gboolean is_needed = (lp_machine_options[i].flags & LP_OPTION_NEEDED) != 0;
        lp_test_true(lp_machine_options[i].name,
                     (origin->text != NULL) == (origin->source != NULL) &&
                         (origin->text != NULL || !is_needed) && !origin->is_given);
    }
}

static void
test_systems(void)
{
    g_auto(GStrv) names = lp_system_names(NULL);
    for (char **name = names; *name != NULL; name++)
        check_system(*name);
}

/* Values that a system says, and neutral ones of what it does not. */
static void
test_values(void)
{
    g_autoptr(LpMachineSpecification) summit = lp_system_load("summit", NULL);
    lp_test_true("summit", summit->domain.size == 6 &&
                               summit->scale_out.topology == LP_TOPOLOGY_FAT_TREE &&
                               summit->tree.levels == LP_TREE_LEVELS_AUTO &&
                               summit->tree.oversubscription.below == 1 &&
                               summit->published.n_accelerators == 27648);
    lp_test_close("summit", summit->scale_out.port_bytes_per_s, 12.5e9, 0);
    g_autoptr(LpMachineSpecification) generic = lp_system_load("generic", NULL);
    lp_test_true("generic",
                 generic->scale_out.has_joined_rails && generic->planes.n == 1 &&
                     generic->tree.levels == LP_TREE_LEVELS_2 && generic->tree.switch_ports == 0 &&
                     generic->torus.n_dimensions == 3 && generic->scale_out.port_bytes_per_s == 0 &&
                     generic->pcie.n_ports == 0 && generic->paths.seed == 1);
}

static void
test_unknown(void)
{
    g_autoptr(GError) error = NULL;
    lp_test_true("unknown", lp_system_load("dgx-a10", &error) == NULL);
    lp_test_error("unknown", &error, LP_INPUT_ERROR, LP_INPUT_ERROR_NAME,
                  "the nearest is dgx-a100");
}

/* TPU5p's documentation: 1,200 GB/s both ways together, 50 Gb/s between slices; its like has the
 * others. GPUs are built into many machines. */
static void
test_default_system(void)
{
    g_autoptr(LpMachineSpecification) slices = lp_system_default("tpu-v5p");
    lp_test_true("slices", slices != NULL && slices->domain.size == 6144);
    if (slices != NULL) {
        lp_test_text("name", slices->system, "tpu-v5p-slices");
        lp_test_close("links", slices->domain.bytes_per_s, 600e9, 0);
        lp_test_close("between", slices->scale_out.bytes_per_s, 6.25e9, 0);
    }
    g_autoptr(LpMachineSpecification) none = lp_system_default("h100-sxm");
    lp_test_true("none", none == NULL);
}

/* A cluster is what it is like, but for what it says itself. */
static void
test_like(void)
{
    g_autoptr(LpMachineSpecification) own = lp_system_load("p5-hf", NULL);
    g_autoptr(LpMachineSpecification) model = lp_system_load("p5", NULL);
    lp_test_true("both", own != NULL && model != NULL);
    if (own == NULL || model == NULL)
        return;
    lp_test_text("like", own->like, "p5");
    lp_test_text("library", own->library, "nccl-efa-hf");
    lp_test_text("of the other", model->library, NULL);
    for (guint i = 0; i < LP_N_MACHINE_OPTIONS; i++)
        if (i != LP_MACHINE_OPTION_LIBRARY)
            lp_test_text(lp_machine_options[i].name, own->origin[i].text, model->origin[i].text);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"names", test_names},
                                       {"systems", test_systems},
                                       {"values", test_values},
                                       {"unknown", test_unknown},
                                       {"default system", test_default_system},
                                       {"like", test_like},
                                       {NULL, NULL}};
    return lp_test_run("system", cases);
}
