# SPDX-License-Identifier: Apache-2.0
"""A law of every run: no link carries more than its rate times the time in which flows crossed it. Runs rank by rank
(--collapse=off) say in links.csv what links needed longer for their bytes."""
import csv
import os

# Of a run, by which a link may have carried more than it can: messages are cut at whole bytes, one by one or where one
# flow stands for several. A byte at 25 GB/s is 0.04 ns, and a tree cuts a buffer in thousands of pieces; what was never a
# flow would be a thousandth of a run.
WITHIN = 1e-5


def holds(plan):
    """Whether it holds for a run of @plan: not where experts' loads differ, since within domains one flow stands for
    unequal pairs."""
    return float(plan.get("skew", 0)) <= 0 and "routing-table" not in plan


def fault(folder, time_s):
    """What the tables of a run in @folder, which took @time_s, say of links that carried more than they can, or None."""
    with open(os.path.join(folder, "links.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["excess_s"] and float(row["excess_s"]) > WITHIN * time_s:
                return (f"a link of tier {row['tier']} carried what it needs {row['excess_s']} s more for than flows "
                        "crossed it")
    return None
