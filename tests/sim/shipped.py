# SPDX-License-Identifier: Apache-2.0
"""What is shipped: each workload with its accelerators and the options of a machine of that size."""
import re

import command


def shipped():
    """(name, accelerators, system and its options) of each workload that has a plan, as the program lists them."""
    rows = []
    for row in command.result("workload", "list")["workloads"]:
        if "plan" in row:
            machine = row.get("generate") or "--system=" + re.sub(r"-\d+$", "", row["platform"])
            words = [word for word in machine.split() if not word.startswith("--accelerators=")]
            rows.append((row["name"], row["accelerators"], " ".join(words).removeprefix("--system=")))
    return rows
