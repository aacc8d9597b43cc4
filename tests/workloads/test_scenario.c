/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused of a scenario, in the file or once machine and jobs are known: one line that
 * names it. */
#include "tests/support/scenario_run.h"
#include "tests/support/temporary.h"
#include "tests/testlib.h"

#define JOB "<job name='a' " LP_JOB_OF_TWO " accelerators='0,2'/>"

static void
test_faults(void)
{
    static const struct {
        const char *content, *part;
    } rows[] = {
        {"", "scenario"},
        {"<traffic name='t' pattern='pairs' message='1B'/>", "got no job, wanted one"},
        {"<job workload='gpt3-125m'/>", "name"},
        {"<job name='a b' workload='gpt3-125m'/>", "name"},
        {"<job name='a'/>", "workload"},
        {"<job name='a' workload='nonsense'/>", "<job> workload: "},
        {"<job name='a' workload='gpt3-125m' nonsense='1'/>", "<job> nonsense: "},
        {"<job name='a' workload='gpt3-125m' dp='x'/>", "<job> dp: "},
        {"<job name='a' workload='gpt3-125m' dp='3'/>", "<job> workload: "},
        {"<job name='a' " LP_JOB_OF_TWO " start='1'/>", "<job> start: "},
        {"<job name='a' " LP_JOB_OF_TWO " iterations='0'/>", "<job> iterations: "},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='0-2'/>",
         "got 3 accelerators, wanted one for each"},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='2-1'/>", "<job> accelerators: "},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='1,1'/>", "each number once"},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators=''/>", "<job> accelerators: "},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='0,4'/>", "got accelerator 4 for rank 1"},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='0-99999999999'/>", "<job> accelerators: "},
        {"<job name='a' " LP_JOB_OF_TWO " first='3'/>", "got accelerator 4 for rank 1"},
        {"<job name='a' " LP_JOB_OF_TWO " accelerators='0,2' precision='nvfp4'/>",
         "precision: got nvfp4, wanted one that"},
        {"<job name='a' " LP_JOB_OF_TWO " first='1' accelerators='0,1'/>", "<job> first: "},
        {"<job name='a' " LP_JOB_OF_TWO " first='1' placement='scattered'/>",
         "wanted placement=packed"},
        {"<job name='a' workload='gpt3-125m' dp='8'/>", "wanted at most the 4 accelerators"},
        {"<job name='a' " LP_JOB_OF_TWO " placement='/nonexistent'/>", "/nonexistent"},
        {JOB JOB, "got a second job \"a\""},
        {JOB "<job name='b' " LP_JOB_OF_TWO " first='1'/>",
         "got accelerator 2, which job \"a\" has"},
        {JOB "<traffic name='t' pattern='star' message='1B'/>", "<traffic> pattern: "},
        {JOB "<traffic name='t' pattern='pairs' message='0B'/>", "<traffic> message: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' rate='0.9Bps'/>", "<traffic> rate: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' rate='1GBps' load='1'/>",
         "<traffic> load: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' load='0'/>", "<traffic> load: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' gaps='fixed'/>", "<traffic> gaps: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B' accelerators='1'/>",
         "wanted two or more"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' accelerators='1,9'/>",
         "accelerators: got 9"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' class='scale-up'/>",
         "different domains"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' class='scale-out'/>", "card"},
        {JOB "<traffic name='t' pattern='pairs' message='1B' start='2s' end='1s'/>",
         "<traffic> end: "},
        {JOB "<traffic name='t' pattern='pairs' message='1B'/>"
             "<traffic name='t' pattern='pairs' message='1B'/>",
         "got a second traffic \"t\""},
        {JOB "<traffic name='t' pattern='pairs' accelerators='1,3' message='100kB' load='16'/>",
         "wanted a load that the network can carry"},
        {JOB "<straggler factor='2'/>", "<straggler> job: "},
        {JOB "<straggler job='b' factor='2'/>", "wanted the name of a job"},
        {JOB "<straggler job='a' ranks='2' factor='2'/>", "got rank 2"},
        {JOB "<straggler job='a' accelerators='2' factor='2'/>", "<straggler> accelerators: "},
        {JOB "<straggler accelerators='4' factor='2'/>", "<straggler> accelerators: got 4"},
        {JOB "<straggler job='a' factor='0.99'/>", "<straggler> factor: "},
        {JOB "<straggler job='a' jitter='0.5'/>", "<straggler> jitter: "},
        {JOB "<straggler job='a' jitter='0.5' distribution='gamma'/>",
         "<straggler> distribution: "},
        {JOB "<straggler job='a' factor='2'/><straggler accelerators='2' factor='2'/>",
         "rank 1 of job \"a\" a second time"},
        {JOB "<failure at='1s' dead='yes'/>", "<failure> link: "},
        {JOB "<failure at='1s' link='x' dead='yes'/>", "wanted a link such as"},
        {JOB "<failure at='1s' port='0' dead='yes'/>", "<failure> port: "},
        {JOB "<failure at='1s' port='scale-out:4' dead='yes'/>", "accelerator 4"},
        {JOB "<failure at='1s' port='scale-out:0'/>", "<failure> bandwidth-factor: "},
        {JOB "<failure at='1s' port='scale-out:0' bandwidth-factor='0'/>",
         "<failure> bandwidth-factor: "},
        {JOB "<failure at='1s' port='scale-out:0' link='x' dead='yes'/>", "<failure> link: "},
        {JOB "<failure at='-1s' port='scale-out:0' dead='yes'/>", "<failure> at: "},
        {JOB "<failure at='1s' port='scale-out:0' dead='maybe'/>", "<failure> dead: "},
        {JOB "<nonsense/>", "nonsense"},
    };
    char *platform = lp_spawn_platform(LP_SHARED_CARDS);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *path = lp_scenario_file(rows[i].content);
        g_autofree char *line = g_strconcat("simulate ", path, " ", platform, NULL);
        lp_spawn_refused(rows[i].content, line, 1, rows[i].part);
        lp_temporary_remove(path);
    }
    lp_temporary_remove(platform);
}

int
main(void)
{
    static const LpTestCase cases[] = {{"refusals", test_faults}, {NULL, NULL}};
    return lp_test_run("scenario", cases);
}
