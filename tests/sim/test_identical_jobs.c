/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs are the same if they have as many ranks of each class: by hand. */
#include "sim/quotient/identical_jobs.h"

#include "tests/testlib.h"

static void
test_jobs(void)
{
    static const struct {
        const char *label;
        guint32 n, n_ranks[3], classes[8]; /* classes of all ranks, job after job */
        guint32 identical[3];
        gboolean is_found;
    } rows[] = {
        {"one", 1, {3}, {0, 1, 0}, {0}, TRUE},
        {"two that differ", 2, {2, 2}, {0, 1, 2, 3}, {0, 1}, TRUE},
        {"two alike", 2, {3, 3}, {0, 1, 1, 1, 0, 1}, {0, 0}, TRUE},
        {"one class, once more of it", 2, {2, 3}, {0, 0, 0, 0, 0}, {0, 0}, FALSE},
        {"as many ranks of other classes", 2, {3, 3}, {0, 0, 1, 0, 1, 1}, {0, 0}, FALSE},
        {"only the first rank's is known", 2, {2, 2}, {0, 1, 1, 2}, {0, 0}, FALSE},
        {"only the last rank's is known", 2, {2, 2}, {0, 1, 2, 1}, {0, 1}, FALSE},
        {"the last like the first", 3, {2, 2, 2}, {0, 1, 2, 3, 1, 0}, {0, 1, 0}, TRUE},
        {"the last like the second", 3, {1, 2, 2}, {0, 1, 2, 2, 1}, {0, 1, 1}, TRUE},
        {"all alike", 3, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {0, 0, 0}, TRUE},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        LpFlowList lists[3] = {{.n_owners = 1}};
        const LpFlowList *all[3];
        guint32 classes[8], identical[3], n = 0;
        for (guint32 job = 0; job < rows[i].n; job++) {
            lists[job].first_rank = n;
            lists[job].n_ranks = rows[i].n_ranks[job];
            n += rows[i].n_ranks[job];
            all[job] = &lists[job];
        }
        for (guint32 k = 0; k < n; k++)
            classes[k] = rows[i].classes[k];
        LpStructure structure = {.of_vertex = classes, .first_communicator = n};
        gboolean is_found = lp_identical_jobs_find(&structure, all, rows[i].n, identical);
        lp_test_true(rows[i].label, is_found == rows[i].is_found);
        for (guint32 job = 0; is_found && job < rows[i].n; job++)
            lp_test_true(rows[i].label, identical[job] == rows[i].identical[job]);
    }
}

int
main(void)
{
    static const LpTestCase cases[] = {{"jobs", test_jobs}, {NULL, NULL}};
    return lp_test_run("identical jobs", cases);
}
