#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, and disks that are full, with every command: a result that could not be
written is an error of one line, and no other file or pipe takes the place of a stream. What is read is not written over.

Environment: LIGHTPATH (the built program)."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from command import PROGRAM

JOB = "llama-3-8b dgx-h100-64 --set=dp=64"
COMMANDS = [
    f"simulate {JOB}", f"estimate {JOB}", "compare llama-3-8b dgx-h100-64 dgx-h100-64 --set=dp=64", f"contention {JOB}",
    f"characterize {JOB}", f"goodput {JOB} --runs=10", "collective all-reduce dgx-a100-8 --bytes=1MB",
    "platform generate --system=generic --accelerators=8", "platform describe dgx-a100-8", "platform list",
    "workload describe llama-3-8b", "workload list", "help guide", "--version",
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

    def test_written_over(self):
        """Neither an input, under its own name or another, nor one file twice."""
        shipped = pathlib.Path(__file__).resolve().parents[2] / "workloads/gpt3-125m.xml"
        with tempfile.TemporaryDirectory() as folder:
            read, link, new, own = (pathlib.Path(folder) / name for name in ("w.xml", "link.xml", "new", "own.xml"))
            shutil.copy(shipped, read)
            own.write_text("kept")
            link.symlink_to(read)
            job = f"simulate {read} dgx-a100-8"
            for line, option in ((f"{job} --report={read}", "--report"), (f"{job} --trace={link}", "--trace"),
                                 (f"import huggingface {read} -o {read}", "-o"),
                                 (f"{job} --set kernels={own} --report={own}", "--report"),
                                 (f"workload kernels {read} dgx-a100-8 --set=kernels={own} --report={own}", "--report"),
                                 (f"compare {read} dgx-a100-8 dgx-h100-64 --framework={own} --report={own}", "--report"),
                                 (f"contention {read} dgx-a100-8 --framework={own} --report={own}", "--report"),
                                 (f"search {read} dgx-a100-8 --vary=tp --set=kernels={own} -o {own}", "--output"),
                                 (f"workload program {read} dgx-a100-8 --set=kernels={own} -o {own}", "--output"),
                                 (f"{job} --trace={new} --paje={new}", "--paje")):
                status, output, complaint = run(line)
                self.assertEqual((status, output, complaint.count("\n")), (2, "", 1), line)
                self.assertRegex(complaint, f"^lightpath: {option}: got .*, wanted another file")
            self.assertEqual((read.read_text(), own.read_text(), new.exists()), (shipped.read_text(), "kept", False))


if __name__ == "__main__":
    unittest.main()
