#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists of kernels of one's own, kernels=FILE.xml: they change what they say and nothing else, and what is wrong with
one is a line with file and line."""
import json
import pathlib
import sys
import tempfile
import unittest

from command import run

WORDS = ["llama-3-8b", "dgx-h100-64", "--set=dp=64"]


class Kernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lightpath-")
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "own.xml"

    def write(self, content):
        self.file.write_text(f'<kernels name="own" like="standard">\n{content}</kernels>\n')
        return f"--set=kernels={self.file}"

    def kernels(self, *words):
        done = run("workload", "kernels", *WORDS, *words, "--format=json")
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)["kernels"]

    def test_nothing_changed(self):
        """A file that says nothing is the standard lists with the framework's variants."""
        self.assertEqual(self.kernels(self.write("")), self.kernels("--set=kernels=fused"))

    def test_changed(self):
        """A norm of twice the bytes: it alone has them, and the line of the file."""
        own = self.kernels(self.write('<group name="norm">\n<sweep name="norm" bytes="4 * hidden-elements * element-bytes"/>\n</group>\n'))
        for one, other in zip(own, self.kernels("--set=kernels=fused"), strict=True):
            if one["kernel"] == "norm":
                self.assertEqual((one["bytes"], one["source"]), (2 * other["bytes"], "own.xml:3"))
            else:  # whose share is that of a longer sum
                self.assertEqual({**one, "time_share": None}, {**other, "time_share": None})

    def test_times(self):
        """The runs take it: a kernel of 1 s for each of 32 layers and 2 micro-batches is 64 s more of computing."""
        own = self.write('<group name="norm"><inherited/><stream name="slow" when="not expert-layer and pass = forward"'
                         ' bytes="3.35e12 * 0.9 * tokens / 16384"/></group>\n')
        seconds = []
        for setting in ("--set=kernels=fused", own):
            done = run("simulate", *WORDS, setting, "--format=json")
            seconds.append(json.loads(done.stdout)["simulated"]["terms_s"]["compute"])
        slow = [row for row in self.kernels(own) if row["kernel"] == "slow"]
        more = 2 * sum(row["runs"] * row["time_s"] for row in slow)
        self.assertGreater(more, 60)
        # What is hidden behind computing, and slows it, has other kernels beside it then.
        self.assertAlmostEqual((seconds[1] - seconds[0]) / more, 1.0, delta=1e-2)

    def test_host(self):
        """A call of the host takes the device nothing; where the host is behind, the run waits for it."""
        own = self.write('<group name="norm"><inherited/><host name="dispatch" when="pass = forward" seconds="0.5"/></group>\n')
        row = next(row for row in self.kernels(own) if row["kernel"] == "dispatch")
        self.assertEqual((row["time_s"], row["flop"], row["bytes"]), (0, 0, 0))
        runs = 2 * sum(row["runs"] for row in self.kernels(own) if row["kernel"] == "dispatch")
        seconds = [json.loads(run("simulate", *WORDS, setting, "--format=json").stdout)["simulated"]["iteration_time_s"]
                   for setting in ("--set=kernels=fused", own)]
        # The device works meanwhile, for less than 10 s.
        self.assertGreater(seconds[1] - seconds[0], 0.5 * runs - 10)
        self.assertLess(seconds[1] - seconds[0], 0.5 * runs)

    def test_measured(self):
        """A kernel by name: what was measured, by its size; refused where it was not."""
        own = self.write('<group name="norm"><inherited/><measured name="scan" when="pass = forward" size="tokens"/></group>\n')
        table = self.file.parent / "table.xml"
        table.write_text('<kernels><table accelerator="h100-sxm" source="x"><named name="scan" size="16384" time="2ms"/>'
                         '</table></kernels>')
        rows = [row for row in self.kernels(own, f"--kernels-table={table}") if row["kernel"] == "scan"]
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual((row["timed_by"], round(row["time_s"] - 14e-6, 9)), ("measured", 0.002))
            self.assertEqual((row["kind"], row["bound_by"]), ("measured", "unknown"))
        done = run("estimate", *WORDS, own)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"lightpath: {self.file}:2: scan: got no such kernel of h100-sxm, wanted one measured "
                                      "(--kernels-table)\n")

    def test_bound_by(self):
        """What takes longest, on 1 PFLOP/s and 3 TB/s: 1 GB, or a byte and a launch of some us; 1 TFLOP and 24 MB, or 0.1 GFLOP
        and 1 GB. The host's call takes no time of the device."""
        own = self.write('<group name="norm"><stream name="copy" bytes="1e9"/><stream name="flag" bytes="1"/>'
                         '<product name="large" m="8192" k="8192" n="8192" count="1" bytes="24e6"/>'
                         '<product name="flat" m="8192" k="1" n="8192" count="1" bytes="1e9"/>'
                         '<host name="call" seconds="1"/></group>\n')
        found = {(row["kernel"], row["bound_by"]) for row in self.kernels(own) if row["source"].startswith("own.xml")}
        self.assertEqual(found, {("copy", "bytes"), ("flag", "launch"), ("large", "arithmetic"), ("flat", "bytes"), ("call", "host")})

    def test_errors(self):
        for content, message in (
                ('<group name="norm">\n<stream bytes="token"/>\n</group>', ':3: <stream> bytes: got "token", wanted a known size'),
                ('<group name="norm"><stream bytes="1 / (tp - 1)"/></group>', ":2: got a division by 0, wanted none"),
                ('<group name="norm"><stream name="s" bytes="-1"/></group>', ":2: s: got bytes -1, wanted 0 or more"),
                ('<group name="norm"><host name="s" seconds="-1"/></group>', ":2: s: got seconds -1, wanted 0 or more"),
                ('<group name="norm"><measured name="s" size="0"/></group>', ":2: s: got size 0, wanted more than 0"),
                ('<group name="norm"><use group="norm"/></group>', ":2: got a group that uses itself, wanted none")):
            done = run("simulate", *WORDS, self.write(content + "\n"))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"lightpath: {self.file}{message}\n"))
        done = run("estimate", *WORDS, "--set=kernels=/nowhere/own.xml")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.assertIn("/nowhere/own.xml: No such file", done.stderr)
        self.file.write_text(f'<kernels name="own" like="{self.file}"/>\n')
        done = run("estimate", *WORDS, f"--set=kernels={self.file}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("own.xml:1: got like=", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
