#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No command writes over what it reads, whatever named the file: the command line, an option of every
command, a setting, or another file.

Environment: LIGHTPATH (the built program)."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from command import SOURCE, Case, run

JOB = ["w.xml", "p.xml"]
RUN = ["simulate", *JOB, "--set=library=l.xml", "--set=routing-table=r.csv", "--framework=f.xml"]
OWN = ["--catalogue=a.xml", "--libraries=b.xml", "--kernels-table=k.xml"]
# A command, what it reads, and its options that write a file.
COMMANDS = [
    ([*RUN, *OWN], "w.xml p.xml l.xml r.csv f.xml a.xml b.xml k.xml", "--report --trace --paje"),
    (["simulate", "s.xml", "polaris-64"], "s.xml w.xml", "--report --trace --paje"),
    (["compare", *JOB, "dgx-a100-8", *OWN], "w.xml p.xml a.xml b.xml k.xml", "--report"),
    (["contention", *JOB, *OWN], "w.xml p.xml a.xml b.xml k.xml", "--report"),
    (["search", *JOB, "--vary=tp", *OWN], "w.xml p.xml a.xml b.xml k.xml", "--report --csv --output"),
    (["workload", "kernels", *JOB, *OWN], "w.xml p.xml a.xml b.xml k.xml", "--report"),
    (["platform", "generate", "--system=dgx-a100", "--accelerators=8", *OWN], "a.xml b.xml k.xml", "--output"),
    (["tune", "communication", "p.xml", "--workload=w.xml", "--catalogue=a.xml", "--kernels-table=k.xml"],
     "w.xml p.xml a.xml k.xml", "--output"),
    (["calibrate", "--kernels=m.csv", "--accelerator=a100-80", *OWN], "m.csv a.xml b.xml k.xml", "--output"),
    (["import", "huggingface", "h.json", *OWN], "h.json a.xml b.xml k.xml", "--output"),
    (["import", "msccl", "o.xml", *OWN], "o.xml a.xml b.xml k.xml", "--output"),
    (["study", "plot", "store.sqlite"], "store.sqlite", "--output"),
]


def entry(path, pattern, name):
    """The first entry of a catalogue that @pattern finds, under another name."""
    text = (SOURCE / path).read_text(encoding="utf-8")
    found = re.search(pattern, text, re.DOTALL)
    return found[0].replace(found[1], name) + "\n"


class Inputs(Case):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        shutil.copy(SOURCE / "workloads/gpt3-125m.xml", "w.xml")
        shutil.copy(SOURCE / "platforms/dgx-a100-8.xml", "p.xml")
        own = {
            "a.xml": "<accelerators>\n%s</accelerators>\n" % entry(
                "platforms/accelerators.xml", r'  <accelerator name="(a100-80)".*?</accelerator>', "my-chip"),
            "b.xml": "<libraries>\n%s</libraries>\n" % entry(
                "platforms/libraries.xml", r'  <library name="(nccl-ampere)".*?</library>', "my-library"),
            "k.xml": '<kernels>\n<table accelerator="any" source="here" products="0.9"/>\n</kernels>\n',
            "f.xml": '<framework name="mine" from="megatron-core"/>\n',
            "r.csv": "layer,expert,load\n0,0,1\n",
            "m.csv": "kernel,m,k,n,precision,seconds\n",
            "h.json": '{"model_type": "llama"}\n',
            "l.xml": (SOURCE / "platforms/libraries.xml").read_text(encoding="utf-8"),
            "s.xml": '<scenario name="s"><source>made</source><job name="a" workload="w.xml" dp="8"/></scenario>\n',
            "o.xml": '<algo name="o" ngpus="1" coll="allreduce"/>\n',
            "store.sqlite": "",
        }
        for name, text in own.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def read(self):
        return {path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if path.is_file()}

    def test_files(self):
        """By its own name, by another, and by a link."""
        for words, inputs, options in COMMANDS:
            first = inputs.split()[0]
            for name in inputs.split():
                os.link(name, "hard")
                os.symlink(name, "soft")
                before = self.read()
                for option in options.split():
                    for path in (name, "hard", f"../{self.folder.name}/soft") if name == first else ("hard",):
                        with self.subTest(command=words[:2], option=option, path=path, input=name):
                            done = run(*words, f"{option}={path}")
                            self.assertIn(done.returncode, (1, 2))
                            self.assertRegex(done.stderr, r"\Alightpath: [^\n]+ (which|that) is read, wanted another [^\n]+\n\Z")
                            self.assertEqual(self.read(), before)
                os.unlink("hard")
                os.unlink("soft")


if __name__ == "__main__":
    unittest.main()
