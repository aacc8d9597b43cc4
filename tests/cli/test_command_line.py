#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as people type it: which arguments are taken, what is said of the others, and
what stays behind when a run is cut short.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command import PROGRAM, SOURCE, Case, run


class Inputs(Case):
    """Files and names that stand for them."""
    WORKLOAD = SOURCE / "workloads/llama-3-8b.xml"
    SCENARIO = SOURCE / "workloads/scenarios/two-jobs.xml"
    PLATFORM = SOURCE / "platforms/dgx-h100-64.xml"
    REST = ["dgx-h100-64", "--set", "dp=64"]

    def test_kinds(self):
        """What is no workload is called what it is, shipped or not."""
        for name in ("two-jobs", str(self.SCENARIO)):
            self.refused(1, "is a scenario, wanted a workload (", "compare", name, "polaris-64", "polaris-64")
            self.refused(1, "is a scenario, wanted a workload (", "estimate", name, "polaris-64")
        for name in ("polaris-64", str(self.PLATFORM)):
            self.refused(1, "is a platform, wanted a workload or a scenario", "simulate", name, "polaris-64")
        for name in ("llama-3-8b", str(self.WORKLOAD)):
            self.refused(1, "is a workload, wanted a platform", "simulate", "llama-3-8b", name)
            self.refused(1, "is a workload, wanted a platform", "collective", "all-reduce", name)
            self.refused(1, "is a workload, wanted a platform", "platform", "describe", name)

    def test_likeness(self):
        """A name is suggested where it is like the one given, and no other."""
        self.refused(1, "the nearest is llama-3-8b", "simulate", "lama-3-8b", "dgx-h100-64")
        self.refused(1, "the nearest is two-jobs", "simulate", "two-job", "dgx-h100-64")
        self.refused(1, "that is shipped (lightpath workload list)", "simulate", "zebra", "dgx-h100-64")
        self.refused(1, "that is shipped (lightpath platform list)", "simulate", "llama-3-8b", "zebra")

    def test_streams(self):
        """Standard input and pipes are files like others."""
        wanted = self.taken("estimate", "llama-3-8b", *self.REST)
        text = self.WORKLOAD.read_text()
        self.assertEqual(self.taken("estimate", "-", *self.REST, input=text), wanted)
        with self.WORKLOAD.open() as file:
            self.assertEqual(self.taken("estimate", "-", *self.REST, stdin=file), wanted)
        line = f"'{PROGRAM}' estimate <(cat '{self.WORKLOAD}') {' '.join(self.REST)}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), (wanted, ""))
        self.assertIn("scenario    two-jobs", self.taken("simulate", "-", "polaris-64",
                                                         input=self.SCENARIO.read_text()))
        self.refused(1, "/dev/stdin:", "simulate", "-", "polaris-64", input=text.replace("layers", "layer"))


class Options(Case):
    """Options that are not known, given twice, or ask for help."""
    JOB = ["simulate", "llama-3-8b", "dgx-h100-64", "--set", "dp=64"]

    def test_unknown(self):
        for words, part in ((["--sett", "pp=2"], "unknown option --sett, wanted one such as --set"),
                            (["--library=auto"], "--library=auto, wanted --set library=auto"),
                            (["--tp", "2"], "wanted --set tp=VALUE"),
                            (["--overlapdp=yes"], "wanted --set overlap-dp=yes"),
                            (["--formt=json"], "wanted one such as --format"),
                            (["--qqqq"], "wanted one of \"lightpath simulate --help\"")):
            self.refused(2, part, *self.JOB, *words)
        self.refused(2, "wanted one of \"lightpath platform list --help\"", "platform", "list", "-z")

    def test_twice(self):
        self.refused(2, "--format: given twice", *self.JOB, "--format=json", "--format", "text")
        self.refused(2, "--verbose: given twice", *self.JOB, "--verbose", "--verbose")
        self.refused(2, "--output: given twice", "platform", "generate", "--system=generic",
                     "--accelerators=8", "-o", "/dev/null", "--output=/dev/null")
        self.assertIn("pp=1 dp=32", self.taken(*self.JOB, "--set", "dp=32"))

    def test_commands(self):
        for words, like in ((["simulat"], "simulate"), (["--verison"], "--version"),
                            (["plaftorm"], "platform")):
            self.refused(2, f'such as "{like}"', *words)
        self.refused(2, "wanted one of those listed (lightpath --help)", "zebra")
        self.refused(2, 'platform: got the unknown command "gen", wanted one such as "generate"', "platform", "gen")
        self.refused(2, "workload: got no command", "workload")

    def test_help(self):
        """Help is a result like others: it can fail to be written."""
        for words in (["--help"], ["simulate", "--help"], ["platform", "--help"],
                      ["platform", "generate", "-h"], ["bench", "--help"], ["help"],
                      ["simulate", "--set", "help"]):
            self.assertTrue(self.taken(*words))
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            self.assertEqual((done.returncode, done.stderr),
                             (1, "lightpath: standard output: No space left on device\n"), words)
        self.assertEqual(self.taken("help", "simulate"), self.taken("simulate", "--help"))
        self.assertEqual(self.taken("help", "platform", "generate"),
                         self.taken("platform", "generate", "--help"))
        self.assertEqual(self.taken("help", "workload-format"),
                         (SOURCE / "docs/workload-format.md").read_text())
        for path in (SOURCE / "docs").glob("*.md"):
            self.assertIn(f"  {path.stem} ", self.taken("help"))
        self.refused(2, "such as validation", "help", "valdation")
        self.refused(2, 'got "extra" behind "simulate"', "help", "simulate", "extra")
        self.refused(2, 'got "extra" behind "list"', "help", "platform", "list", "extra")
        self.refused(2, "help: got 2 arguments, wanted 0 to 1", "help", "validation", "extra")

    def test_empty_paths(self):
        for option in ("--report=", "--trace=", "--paje=", "--csv="):
            self.refused(1, 'lightpath: "": No such file or directory', *self.JOB, option)
        self.refused(1, 'lightpath: "": Invalid argument, wanted a folder', "validate", "--write-inputs=")

    def test_standard_output(self):
        self.refused(2, "--trace: got -, wanted a file", *self.JOB, "--trace=-")

    def test_version(self):
        self.assertRegex(self.taken("--version"),
                         r"^lightpath [0-9.]+(-rc[0-9]+)? \((no commit|commit [0-9a-f]+(-dirty)?), "
                         r"SimGrid [0-9.]+\)\n$")

    def test_bounds(self):
        self.refused(1, "wanted 0B to 1PB", *self.JOB, "--set", "bucket=1e99GB")
        self.refused(1, "wanted a whole number from 1 to 100000", *self.JOB, "--set",
                     "layers=16777216")


class Files(Case):
    """Workload files that are odd, but text."""
    TEXT = (SOURCE / "workloads/llama-3-8b.xml").read_text()

    def check(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "w.xml"
            path.write_bytes(content)
            return run("workload", "check", "w.xml", cwd=folder)

    def test_encodings(self):
        good = "w.xml: ok, 8.03 billion parameters on 128 accelerators (dp 128), framework torchtitan\n"
        for content in (self.TEXT.encode("utf-16"), b"\xfe\xff" + self.TEXT.encode("utf-16-be"),
                        self.TEXT.encode("utf-8-sig"),
                        self.TEXT.replace("UTF-8", "UTF-16").encode("utf-16")):
            done = self.check(content)
            self.assertEqual((done.stdout, done.stderr), (good, ""))
        for put, told in (("layrs=", 'nearest known one is "layers"'),
                          ("colour=", "'colour' is not allowed, \"lightpath workload attributes\" lists all"),
                          ('tp="2" layers=', "'tp' is not allowed here, wanted it in <plan>"),
                          ('fused-loss="no" layers=', "'fused-loss' is not allowed here, wanted it in <options>")):
            self.assertIn(told, self.check(self.TEXT.replace("layers=", put, 1).encode()).stderr)

    def test_wrong_encodings(self):
        """One line, whatever libxml2 would print by itself."""
        wrong = self.TEXT.encode().replace(b"<source>", b"<source>\xe9\xff ", 1)
        for content in (wrong, wrong.replace(b"UTF-8", b"EUC-JP"), wrong.replace(b"UTF-8", b"ASCII"),
                        self.TEXT.encode("utf-16") + b"\0\xd8", b"\xff\xfe<", b"\0<\0?"):
            done = self.check(content)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^lightpath: w\.xml:\d+: [^\n]+\n$")

    def test_names(self):
        """A name is a line of a report."""
        for bad in ("llama&#10;3", "llama&#9;3", "llama&#x2028;3"):
            done = self.check(self.TEXT.replace('name="llama-3-8b"', f'name="{bad}"').encode())
            self.assertEqual(done.returncode, 1)
            self.assertIn("attribute 'name'", done.stderr)
        done = self.check(self.TEXT.replace('name="llama-3-8b"', 'name="Llama 3 \u00e9"').encode())
        self.assertEqual(done.returncode, 0, done.stderr)


class Ended(Case):
    """Runs that are cut short leave nothing behind."""

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for delay_s in (0.02, 0.05, 0.1, 0.2):
                with tempfile.TemporaryDirectory() as folder:
                    process = subprocess.Popen(
                        [PROGRAM, "simulate", "gpt3-175b", "dgx-a100-1024"], cwd=folder,
                        env=dict(os.environ, TMPDIR=folder), stdout=subprocess.DEVNULL)
                    time.sleep(delay_s)
                    process.send_signal(number)
                    process.wait(60)
                    self.assertEqual(os.listdir(folder), [])

    def test_failed_rows(self):
        """A table of which nothing can be predicted is a failure, after it was shown."""
        rows = (SOURCE / "validation/gemm.csv").read_text().splitlines()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv"
            path.write_text(f"{rows[0]}\n{rows[1].replace('accelerator=', 'accelerator=zebra')}\n")
            done = run("validate", f"--cases={path}")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("all of 1 rows failed", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("failed", done.stdout)


class Workloads(Case):
    def listed(self):
        return json.loads(self.taken("workload", "list", "--format=json"))["workloads"]

    def test_list(self):
        """All shipped workloads, each with a machine that it runs on."""
        names = sorted(path.stem for path in (SOURCE / "workloads").glob("*.xml")
                       if path.name != "frameworks.xml"
                       and not path.name.endswith(".gresource.xml"))
        programs = sorted(path.stem for path in (SOURCE / "workloads/programs").glob("*.xml"))
        rows = self.listed()
        self.assertEqual([row["name"] for row in rows], names + programs)
        text = self.taken("workload", "list")
        with tempfile.TemporaryDirectory() as folder:
            for row in rows:
                self.assertIn(f"\n{row['name']} ", text)
                machine = row.get("platform")
                if machine is None:
                    machine = f"{folder}/machine.xml"
                    self.taken("platform", "generate", *row["generate"].split(), "-o", machine)
                self.assertIn("iteration time", self.taken("simulate" if row["name"] in programs else "estimate", row["name"], machine))

    def test_describe(self):
        text = self.taken("workload", "describe", "llama-3-8b", "dgx-h100-64", "--set", "pp=2")
        for part in ("source      Shape, vocabulary: Llama team", "fits h100-sxm: "):
            self.assertIn(part, text)
        self.assertRegex(text, r"\spp=2\s")
        report = json.loads(self.taken("workload", "describe", "llama-3-8b", "--format=json"))
        self.assertEqual((report["accelerators"], len(report["sources"])), (128, 4))
        self.assertEqual(report["plan"]["zero"], 3)

    def test_attributes(self):
        """All that a plan has, in its order; traits where they are asked for."""
        plan = json.loads(self.taken("workload", "describe", "llama-3-8b", "--format=json"))["plan"]
        rows = json.loads(self.taken("workload", "attributes", "--format=json"))["attributes"]
        self.assertEqual([row["name"] for row in rows], list(plan)[:len(rows)])
        self.assertIn("host-sync: ", self.taken("workload", "attributes", "with"))
        self.assertTrue(all(row["meaning"] and row["values"] and row["default"] for row in rows))
        self.assertEqual(self.taken("workload", "attributes"), self.taken("simulate", "--set", "help"))
        self.assertTrue(self.taken("workload", "attributes", "zero").startswith("zero: count; 0 to 3; default: 0\n"))
        self.refused(1, 'nearest known one is "zero"', "workload", "attributes", "zreo")

    def test_import(self):
        """An import proposes a plan for a machine, and it runs there."""
        config = {"model_type": "mistral", "hidden_act": "silu", "hidden_size": 4096,
                  "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
                  "num_key_value_heads": 8, "max_position_embeddings": 8192, "vocab_size": 32000,
                  "tie_word_embeddings": False, "torch_dtype": "bfloat16"}
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.xml"
            self.taken("import", "huggingface", "-", "-o", path, "--platform=dgx-h100-64",
                       input=json.dumps(config))
            report = json.loads(self.taken("simulate", path, "dgx-h100-64", "--format=json"))
            plan = report["plan"]
            self.assertEqual(plan["tp"] * plan["pp"] * plan["dp"], 64)
        config["num_hidden_layers"] = 4000
        self.refused(1, "--platform: got generic-16.xml, wanted a machine", "import", "huggingface",
                     "-", "--platform=generic-16", input=json.dumps(config))


class OwnData(Case):
    """Accelerators and libraries of a user's, without touching the tree."""

    def files(self, folder):
        """A chip like the H100 but twice as fast, and a library like that of Ampere."""
        shipped = (SOURCE / "platforms/accelerators.xml").read_text()
        entry = re.search(r'  <accelerator name="h100-sxm".*?</accelerator>\n', shipped, re.DOTALL)[0]
        own = entry.replace('"h100-sxm"', '"my-chip"').replace('"989.4Tf"', '"1978.8Tf"')
        self.assertNotEqual(own.count("1978.8Tf"), 0)
        accelerators = pathlib.Path(folder) / "own.xml"
        accelerators.write_text(f'<?xml version="1.0"?>\n<accelerators>\n{own}</accelerators>\n')
        shipped = (SOURCE / "platforms/libraries.xml").read_text()
        entry = re.search(r'  <library name="nccl-ampere".*?</library>\n', shipped, re.DOTALL)[0]
        libraries = pathlib.Path(folder) / "libraries.xml"
        libraries.write_text(f'<libraries>\n{entry.replace("nccl-ampere", "my-library")}</libraries>\n')
        return accelerators, libraries

    def test_accelerator(self):
        with tempfile.TemporaryDirectory() as folder:
            own, _ = self.files(folder)
            line = ["platform", "generate", "--system=dgx-h100", "--accelerators=64", "--accelerator=my-chip"]
            self.refused(2, '"my-chip" is not one of', *line)
            machine = f"{folder}/machine.xml"
            self.taken(f"--catalogue={own}", *line, "-o", machine)
            self.refused(1, "my-chip", "platform", "check", machine)
            self.assertIn("my-chip", self.taken("platform", "list", "--catalogue", own))
            job = ["llama-3-8b", "--plan=fit", "--format=json"]
            fast = json.loads(self.taken("simulate", *job, machine, f"--catalogue={own}"))
            slow = json.loads(self.taken("simulate", *job, "dgx-h100-64"))
            self.assertLess(fast["simulated"]["terms_s"]["compute"],
                            slow["simulated"]["terms_s"]["compute"])
            both = json.loads(self.taken("compare", "llama-3-8b", machine, "dgx-h100-64", "--set",
                                         "dp=64", "--format=json", f"--catalogue={own}"))
            self.assertGreater(1, both["speedup"][1])

    def test_like(self):
        """A copy that says what it is like is met as that is: same libraries, software defaults and measured errors."""
        with tempfile.TemporaryDirectory() as folder:
            own, _ = self.files(folder)
            text, machine = own.read_text().replace("1978.8Tf", "989.4Tf"), f"{folder}/machine.xml"
            like = text.replace('name="my-chip"', 'name="my-chip" like="h100-sxm"')
            job = ["simulate", "llama-3-8b", "--plan=fit", "--format=json"]
            shipped = json.loads(self.taken(*job, "dgx-h100-64"))["simulated"]["iteration_time_s"]
            make = ["platform", "generate", "--system=dgx-h100", "--accelerators=64", "--accelerator=my-chip", "-o", machine]
            for words in (like, text):
                own.write_text(words)
                self.taken(f"--catalogue={own}", *make)
                report = json.loads(self.taken(*job, machine, f"--catalogue={own}"))
                self.assertEqual(report["simulated"]["iteration_time_s"] == shipped, words == like)
                told = [one for one in report["warnings"] if one.startswith("library: none is known for my-chip")]
                self.assertEqual(len(told), int(words == text))
            own.write_text(like.replace('like="h100-sxm"', 'like="h100-pxm"'))
            self.refused(1, "h100-pxm", f"--catalogue={own}", "platform", "list")

    def test_library(self):
        with tempfile.TemporaryDirectory() as folder:
            _, own = self.files(folder)
            line = ["collective", "all-reduce", "dgx-a100-8", "--bytes=1MiB"]
            self.assertEqual(
                self.taken(*line, "--library=my-library", f"--libraries={own}").splitlines()[2],
                self.taken(*line, "--library=nccl-ampere").splitlines()[2])

    def test_faults(self):
        """Faults are told of the user's file, and of its lines."""
        with tempfile.TemporaryDirectory() as folder:
            own, _ = self.files(folder)
            text = own.read_text()
            self.refused(1, "/nowhere.xml: No such file", "--catalogue=/nowhere.xml", "platform", "list")
            self.refused(2, "--catalogue: given twice", "--catalogue=a", "--catalogue=b", "platform", "list")
            self.refused(1, 'accelerator: got the name "v100-32", which is shipped',
                         f"--catalogue={SOURCE / 'platforms/accelerators.xml'}", "platform", "list")
            own.write_text(text.replace("1978.8Tf", "fast"))
            # libxml2 names the line on which an element's tag ends.
            n = text[:text.index("/>", text.index("1978.8Tf"))].count("\n") + 1
            self.refused(1, f"{own}:{n}: ", f"--catalogue={own}", "platform", "list")
            for words in (["platform", "list"], ["estimate", "gpt3-125m", "dgx-a100-8"]):
                self.refused(1, f"lightpath: {own}:{n}: ", f"--catalogue={own}", *words)
            own.write_text("<machines/>")
            self.refused(1, f"{own}: got no <accelerators>", f"--catalogue={own}", "platform", "list")


class Estimates(Case):
    """A closed form says what it does not see."""

    def left_out(self, *words, model="consistent"):
        key = {"consistent": "closed_form", "amped": "amped"}[model]
        report = json.loads(self.taken("estimate", *words, f"--model={model}", "--format=json"))
        text = self.taken("estimate", *words, f"--model={model}")
        self.assertEqual(text.count("left out    "), len(report[key]["left_out"]))
        return " / ".join(report[key]["left_out"])

    def test_left_out(self):
        job = ["gpt3-175b", "dgx-a100-1024"]
        self.assertEqual(self.left_out(*job), "")
        hidden = [*job, "--set", "overlap-dp=yes"]
        self.assertIn("that overlap-dp would hide", self.left_out(*hidden, model="amped"))
        self.assertIn("slowdown: ", self.left_out(*job, "--set", "slowdown=1.2"))
        with tempfile.TemporaryDirectory() as folder:
            narrow = f"{folder}/narrow.xml"
            self.taken("platform", "generate", "--system=dgx-a100", "--accelerators=1024",
                       "--oversubscription=4", "-o", narrow)
            self.assertEqual(self.left_out("gpt3-175b", narrow, *hidden[2:]), "")
            self.assertIn("oversubscription: ", self.left_out("gpt3-175b", narrow, model="amped"))


class Platforms(Case):
    def test_list(self):
        listed = json.loads(self.taken("platform", "list", "--format=json"))
        numbers = listed["numbers"]
        for kind in ("systems", "accelerators", "machines"):
            self.assertEqual([row["name"] for row in numbers[kind]], listed[kind])
        h100 = next(row for row in numbers["accelerators"] if row["name"] == "h100-sxm")
        self.assertEqual(h100["peak_bf16_flop_per_s"], 989.4e12)
        self.assertIn("\ndgx-a100-1024           dgx-a100                   1024  a100-80\n",
                      self.taken("platform", "list"))

    def test_check(self):
        self.assertEqual(json.loads(self.taken("platform", "check", "polaris-64", "--format=json")),
                         {"format_version": 2, "platform": "polaris-64", "accelerator": "a100-40",
                          "accelerators": 64, "domains": 16, "domain_size": 4})


class Completion(Case):
    """What shells offer: from the program, and through bash."""

    def candidates(self, *words):
        return [line.split("\t")[0] for line in self.taken("--complete", *words).splitlines()]

    def bash(self, line):
        script = (f"source '{SOURCE}/cli/completions/lightpath.bash'; compopt() {{ :; }}\n"
                  f"COMP_LINE='{line}' COMP_POINT={len(line)}\n_lightpath\n"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        environment = dict(os.environ,
                           PATH=f"{pathlib.Path(PROGRAM).resolve().parent}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                              env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_words(self):
        for words, wanted in (
                (["sim"], ["simulate"]),
                (["platform", "ge"], ["generate"]),
                (["workload", ""], ["list", "describe", "attributes", "frameworks", "kernels", "check", "program"]),
                (["simulate", "two"], ["two-jobs"]),
                (["estimate", "two"], []),
                (["simulate", "llama-3-8b", "--format", "json", "pol"], ["polaris-64"]),
                (["compare", "llama-3-8b", "polaris-64", "gen"], ["generic-16"]),
                (["simulate", "--fo"], ["--format="]),
                (["simulate", "--verb"], ["--verbose"]),
                (["simulate", "--fidelity="], ["--fidelity=flow", "--fidelity=message"]),
                (["simulate", "--fidelity", "m"], ["message"]),
                (["simulate", "--set", "sched"], ["schedule="]),
                (["simulate", "--set=schedule=g"], ["--set=schedule=gpipe"]),
                (["platform", "generate", "--system=dgx"],
                 [f"--system=dgx-{name}" for name in ("1", "2", "a100", "b200", "b300", "h100")]),
                (["collective", "all-r"], ["all-reduce"]),
                (["import", "hug"], ["huggingface"]),
                (["zebra", "x"], [])):
            self.assertEqual(self.candidates(*words), wanted, words)

    def test_bash(self):
        self.assertEqual(self.bash("lightpath est"), ["estimate"])
        self.assertEqual(self.bash("lightpath estimate gpt3-17"), ["gpt3-175b"])
        self.assertEqual(self.bash("lightpath simulate gpt3-175b --fidelity=m"), ["message"])
        self.assertEqual(self.bash("lightpath simulate gpt3-175b --set schedule=z"), ["zero-bubble"])
        self.assertEqual(self.bash("lightpath simulate gpt3-175b "),
                         [path.stem for path in sorted((SOURCE / "platforms").glob("*-*.xml"))])


if __name__ == "__main__":
    sys.exit(unittest.main())
