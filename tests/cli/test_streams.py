#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, and disks that are full, with every command: a result that could not be
written is an error of one line, and no other file or pipe takes the place of a stream.

Environment: LIGHTPATH (the built program)."""
import os
import subprocess
import unittest

PROGRAM = os.environ["LIGHTPATH"]
JOB = "llama-3-8b dgx-h100-64 --set=dp=64"
COMMANDS = [
    f"simulate {JOB}", f"estimate {JOB}", "compare llama-3-8b dgx-h100-64 dgx-h100-64 --set=dp=64", f"contention {JOB}",
    f"characterize {JOB}", f"goodput {JOB} --runs=10", "collective all-reduce dgx-a100-8 --bytes=1MB",
    "platform generate --system=generic --accelerators=8", "platform describe dgx-a100-8", "platform list",
    "workload describe llama-3-8b", "workload list", "help commands", "--version",
]


def run(line):
    """@line, of the shell, behind the program's name: status, output, complaints."""
    done = subprocess.run(["bash", "-c", f"'{PROGRAM}' {line}"], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Streams(unittest.TestCase):
    def test_unwritten(self):
        for command in COMMANDS:
            for stream, why in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
                self.assertEqual(run(f"{command} {stream}"), (1, "", f"lightpath: standard output: {why}\n"), command)
            self.assertEqual(run(f"{command} >&- 2>&-")[0], 1, command)

    def test_closed(self):
        for command in COMMANDS:
            wanted = run(command)
            self.assertEqual((wanted[0], wanted[2]), (0, ""), command)
            for streams in ("2>&-", "<&- 2>&-"):
                self.assertEqual(run(f"{command} {streams}"), wanted, (command, streams))


if __name__ == "__main__":
    unittest.main()
