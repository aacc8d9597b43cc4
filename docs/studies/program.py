# SPDX-License-Identifier: Apache-2.0
"""Calls of the program for studies: what it prints on standard error, or an exit status, ends the
study."""
import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("LIGHTPATH", "lightpath")


def lightpath(*arguments):
    """What the program prints."""
    line = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"{' '.join(line)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


# The studies compare networks: no software hides what they do, and rings have no protocol.
BARE = ["framework=none", "library=single-ring"]


def sets(plan):
    return [f"--set={setting}" for setting in [*BARE, *plan.split()]]


def on_machines(machines, command, workload, *options):
    """The JSON of @command for @workload on machines, each given as options of platform
    generate."""
    with tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/machine-{i}.xml" for i in range(len(machines))]
        for file, machine in zip(files, machines):
            lightpath("platform", "generate", *machine, "-o", file)
        return json.loads(lightpath(command, workload, *files, "--format=json", *options))


def figures(value):
    """@value as rows have it: numbers to nine figures, since the last ones follow from the order in
    which they were summed."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)
