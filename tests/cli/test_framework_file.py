#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frameworks of files of one's own: what they take from shipped ones, and faults, each one line with file and line.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import tempfile
import unittest

from command import refused, run

JOB = ("llama-3-8b", "dgx-h100-64", "--set", "dp=64")
LAYER = '<kernels name="own" like="{}">\n<group name="norm"><sweep name="own-norm" bytes="{}"/></group>\n</kernels>'


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lightpath-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *words):
        return run(*words, cwd=self.folder)

    def frameworks(self, settings, like="torchtitan"):
        path = self.folder / "data" / "f.xml"
        path.parent.mkdir(exist_ok=True)
        lines = "\n".join(f'<setting name="{name}" value="{value}"{when}>s</setting>' for name, value, when in settings)
        path.write_text(f'<frameworks>\n<framework name="own" like="{like}" description="d">\n{lines}\n</framework>\n</frameworks>')
        return "data/f.xml"

    def estimate(self, *words):
        done = self.run_program("estimate", *JOB, *words, "--format=json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_takes(self):
        """A file that says nothing is what it starts from; what it says is what --set says."""
        shipped = self.estimate("--framework=torchtitan")
        same = self.estimate("--framework=" + self.frameworks([]))
        self.assertEqual(same["closed_form"], shipped["closed_form"])
        path = self.frameworks([("fused-loss", "yes", ""), ("complex-rotary", "no", ' when="tp=1"'), ("repeat-heads", "no", ' when="tp>1"')])
        own, set_ = self.estimate("--framework=" + path), self.estimate("--framework=torchtitan", "--set", "with=fused-loss,complex-rotary=no")
        self.assertEqual(own["closed_form"], set_["closed_form"])
        self.assertNotEqual(own["closed_form"], shipped["closed_form"])
        self.assertEqual(self.estimate(f"--framework={path}#own")["closed_form"], own["closed_form"])
        self.assertEqual(own["plan"]["repeat-heads"], "yes")

    def test_kernels(self):
        """Its lists lie beside it, wherever the program runs."""
        path = self.frameworks([("kernels", "own.xml", "")])
        (self.folder / "data" / "own.xml").write_text(LAYER.format("standard", "2 * hidden-elements * element-bytes"))
        done = self.run_program("workload", "kernels", *JOB, "--framework=" + path)
        self.assertRegex(done.stdout, r"own-norm .* own\.xml:2")

    def test_faults(self):
        cases = [
            ([("fused-los", "yes", "")], 'data/f.xml:3: <setting> fused-los: unknown attribute "fused-los", the nearest known one is "fused-loss"'),
            ([("fused-loss", "7", "")], 'data/f.xml:3: <setting> fused-loss: "7" is not one of no, yes, native, compiled, liger, chunked, cut'),
            ([("fused-loss", "yes", ' when="foo=3"')], 'data/f.xml:3: <setting> fused-loss: unknown attribute "foo"'),
            ([("kernels", "none.xml", "")], "data/none.xml: No such file"),
        ]
        for settings, wanted in cases:
            self.refused(self.frameworks(settings), wanted)
        self.refused(self.frameworks([], like="own"), 'data/f.xml:2: framework own: like: got "own", wanted a framework that stands above it')
        self.refused(self.frameworks([], like="zzz"), 'data/f.xml:2: framework own: like: "zzz" is not one of')
        self.refused("none.xml", "none.xml: No such file")
        self.refused("data/f.xml#other", 'data/f.xml: framework: "other" is not one of')

    def test_faults_of_lists(self):
        path = self.frameworks([("kernels", "own.xml", "")])
        for like, bytes_, wanted in (("standard", "1 / (tp - tp)", "data/own.xml:2: got a division by 0"),
                                     ("standard", "-5", "data/own.xml:2: own-norm: got bytes -5, wanted 0 or more"),
                                     ("standard", "foo", 'data/own.xml:2: <sweep> bytes: got "foo", wanted a known size'),
                                     ("own.xml", "4", 'data/own.xml:1: got like="own.xml"')):
            (self.folder / "data" / "own.xml").write_text(LAYER.format(like, bytes_))
            self.refused(path, wanted)

    def refused(self, framework, wanted):
        refused(wanted, "estimate", *JOB, "--framework=" + framework, cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
