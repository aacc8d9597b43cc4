#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flags and keys of exported plans are those of the software (export-names.csv).

The list was read in each software's own parser: Megatron-LM d98e8a64, whose add_megatron_arguments() made it with torch
and others replaced by stubs; torchtitan v0.2.2, the fields of JobConfig; DeepSpeed edaa7221, the file that reads the key.

Environment: LIGHTPATH (the built program)."""
import csv
import json
import pathlib
import re
import shlex
import tomllib
import unittest

from command import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {"int": int, "bool": bool, "str": str, "list": list}
PLANS = (("megatron", []), ("megatron", ["recompute=full", "precision=fp8"]),
         ("megatron", ["tp=2", "pp=2", "dp=2", "virtual-stages=2", "overlap-pp=no", "zero=3"]),
         ("torchtitan", []), ("torchtitan", ["recompute=full", "precision=fp8"]),
         ("torchtitan", ["tp=2", "pp=2", "dp=2", "virtual-stages=2", "zero=3", "precision=mxfp8"]),
         ("deepspeed", []), ("deepspeed", ["cp=2", "cp-kind=ulysses", "dp=4", "zero=3"]),
         ("deepspeed", ["pp=2", "tp=2", "precision=fp16"]))
FRAMEWORKS = {"megatron": "megatron-core", "torchtitan": "torchtitan", "deepspeed": "deepspeed"}


def flattened(values, path=""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flattened(value, path + key + ".")
        elif key != "comment":
            yield path + key, value


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with (ROOT / "tests/cli/export-names.csv").open(newline="", encoding="utf-8") as file:
            cls.known = {(row["software"], row["name"]): row["values"] for row in csv.DictReader(file)}

    def rules(self, software):
        """Texts of all rules: the third of each row."""
        source = (ROOT / f"report/export_{software}.c").read_text(encoding="utf-8")
        rows = re.findall(r'\{"[\w-]+",\s*(?:NULL|"[^"]*"),\s*((?:"[^"]*"\s*)+)\}', source.replace('\\"', "'"))
        self.assertGreater(len(rows), 50)
        return ["".join(re.findall(r'"([^"]*)"', row)) for row in rows]

    def check_flags(self, words, label):
        """@words: of a command line."""
        for i, word in enumerate(words):
            if not word.startswith("--"):
                continue
            values = self.known.get(("megatron", word))
            self.assertIsNotNone(values, f"{label}: {word}")
            given = []
            for other in words[i + 1:]:
                if other.startswith("--"):
                    break
                given.append(other)
            wanted = {"none": len(given) == 0, "several": len(given) > 0}.get(values, len(given) == 1)
            self.assertTrue(wanted, f"{label}: {word} {given}: {values}")
            if "|" in values and "{" not in given[0]:
                self.assertIn(given[0], values.split("|"), label)

    def check_key(self, software, key, value, label):
        values = self.known.get((software, key))
        self.assertIsNotNone(values, f"{label}: {key}")
        if values in KINDS:
            self.assertIs(type(value), KINDS[values], f"{label}: {key}")
        else:
            self.assertIn(value, values.split("|"), f"{label}: {key}")

    def test_rules(self):
        for rule in self.rules("megatron"):
            self.check_flags(rule.split(), rule)
        for software in "torchtitan", "deepspeed":
            for rule in self.rules(software):
                for part in filter(None, rule.split("; ")):
                    self.assertIn((software, part.split(" = ")[0]), self.known)

    def test_none_too_many(self):
        """The list has no name that no rule has."""
        for software, name in self.known:
            self.assertTrue(any(name in rule for rule in self.rules(software)), name)

    def test_exports(self):
        """Of shipped workloads."""
        for workload in "gpt3-13b", "llama-3-8b", "mixtral-8x7b", "deepseek-v3":
            for software, settings in PLANS:
                done = run("workload", "describe", workload, "--export=" + software,
                           "--framework=" + FRAMEWORKS[software], *["--set=" + setting for setting in settings])
                if done.returncode != 0:
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    continue
                label = f"{workload} {software} {settings}"
                if software == "megatron":
                    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
                    self.check_flags(shlex.split("\n".join(lines)), label)
                    continue
                values = tomllib.loads(done.stdout) if software == "torchtitan" else json.loads(done.stdout)
                for key, value in flattened(values):
                    self.check_key(software, key, value, label)


if __name__ == "__main__":
    unittest.main()
