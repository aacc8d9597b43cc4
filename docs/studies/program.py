# SPDX-License-Identifier: Apache-2.0
"""Calls of the program for studies: what it prints on standard error, or an exit status, ends the
study."""
import os
import pathlib
import subprocess

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


def figures(value):
    """@value as rows have it: numbers to nine figures, since the last ones follow from the order in
    which they were summed."""
    return f"{value:.9g}" if isinstance(value, float) else str(value)
