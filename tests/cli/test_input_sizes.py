#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs are read once, so that pipes with names are files like others, and those that are as large as
their format lets them be take no longer than others.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import SOURCE, Case, run

HEADER = ("id,kind,model,layers,hidden,ffn,ffn_kind,heads,kv_heads,vocab,tied,seq,attention,system,accelerator,"
          "accelerators,accelerators_per_domain,tp,pp,dp,micro_batch,global_batch,recompute,precision,iteration_s")
ROW = "a,training,x,2,256,1024,gelu,4,,512,yes,64,unfused,dgx-a100,a100-80,8,8,1,1,8,4,512,full,fp16,1"
# Each is far more than what takes longest, on a machine that does ten other things.
PATIENCE_S = 60


class Sizes(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "input"

    def rows(self, changes):
        """What validate says of ROW with each of @changes, columns and their values, by id."""
        names, lines = HEADER.split(","), [HEADER]
        for number, change in enumerate(changes):
            row = dict(zip(names, ROW.split(",")), id=str(number), **change)
            lines.append(",".join(str(row[name]) for name in names))
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = run("validate", f"--cases={self.path}", "--model=consistent", "--format=json", timeout=PATIENCE_S)
        return json.loads(done.stdout)["rows"]

    def test_named_pipe(self):
        """Also where it is read more than once."""
        machine, settings = "dgx-h100-64", ["--set", "dp=64"]
        for words, rest in ((["workload", "describe"], []), (["compare"], [machine, machine, *settings]),
                            *(([name], [machine, *settings])
                              for name in ("estimate", "simulate", "characterize", "contention"))):
            os.mkfifo(self.path)
            with subprocess.Popen(["cp", str(SOURCE / "workloads/llama-3-8b.xml"), self.path]):
                got = self.taken(*words, str(self.path), *rest, timeout=PATIENCE_S)
            self.path.unlink()
            self.assertEqual(got, self.taken(*words, "llama-3-8b", *rest))

    def test_attributes(self):
        many = " ".join(f'a{i}="1"' for i in range(200000))
        self.path.write_text(f"<workload name='x'>\n<plan {many}/></workload>", encoding="utf-8")
        self.refused(1, "input:2: an element of more than 1000 attributes", "estimate", f"{self.path}", "dgx-a100-8",
                     timeout=PATIENCE_S)
        # Neither comments nor values have attributes, and an apostrophe in a comment opens no value.
        text = (SOURCE / "workloads/gpt3-125m.xml").read_text(encoding="utf-8")
        signs = "x=y " * 2000
        self.path.write_text(text.replace("<source>", f"<!-- don't {signs}> -->\n<source>{signs}", 1), encoding="utf-8")
        self.assertEqual(self.taken("estimate", f"{self.path}", "dgx-a100-8"),
                         self.taken("estimate", "gpt3-125m", "dgx-a100-8"))

    def test_parts(self):
        """What would take gigabytes once it is read is refused before."""
        def refused(part, text, *words):
            self.path.write_text(text, encoding="utf-8")
            self.refused(1, part, *words, timeout=PATIENCE_S)

        refused("input:2: more than 3500000 tags and attributes, wanted fewer", "<workload>\n" + "<b/>" * 3500001,
                "estimate", self.path, "dgx-a100-8")
        refused("input:1: more than 3500000 tags and attributes", "<workload>" + ("<b" + " a=''" * 900 + "/>") * 4000,
                "estimate", self.path, "dgx-a100-8")
        trace = self.path.with_name("trace.0.et")
        trace.write_bytes(b"")
        for text in ("[" + "1," * 8400000, '{"a":[' + "{}," * 3500000):
            refused("got JSON of millions of values, wanted fewer", text, "import", "chakra", trace,
                    f"--groups={self.path}")
        refused("input:1: got more than 1000 columns", "id,kind" + "," * 30000000, "validate", f"--cases={self.path}")

    def test_counts(self):
        columns = [name for name, value in zip(HEADER.split(","), ROW.split(",")) if value.isdigit()]
        values = (65537, 2**31 - 1, 2**32 - 2, 2**32 - 1, 2**64 - 1)
        rows = self.rows([{name: value} for name in columns for value in values])
        self.assertEqual(len(rows), len(columns) * len(values))
        for row in rows:
            self.assertNotIn("took too long", row["reason"])
            self.assertNotIn("used up", row["reason"])

    def test_micro_batches(self):
        """The micro-batch that pads a replica's sequences least, from half of what is stated, the largest of several."""
        cases = [(own, most) for own in (1, 2, 7, 12, 13, 59, 60, 64) for most in (1, 2, 3, 5, 8, 13, 30, 61, 64, 200)
                 if own % most != 0]
        rows = self.rows([{"dp": 1, "accelerators": 1, "global_batch": own, "micro_batch": most} for own, most in cases])
        for (own, most), row in zip(cases, rows):
            sizes = range(most, (most - 1) // 2, -1)
            wanted = min(min(sizes, key=lambda size: (-(-own // size) * size, -size)), own)
            said = [text for text in row["inferred"] if text.startswith("micro-batch ")]
            self.assertEqual(said[:1], [f"micro-batch {wanted}: a replica's {own} sequences are no multiple of {most}"],
                             (row["status"], row["reason"], row["inferred"]))


if __name__ == "__main__":
    unittest.main()
