#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath search: bounds rule out no plan of the answer, and what it writes runs as it says.

Environment: LIGHTPATH (the built program)."""
import csv
import csv
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest
import xml.etree.ElementTree

from command import Case, PROGRAM

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
MODEL = ["layers=8", "hidden=1024", "heads=8", "kv-heads=8", "seq=1024", "vocab=8192", "global-batch=32"]
KINDS = {
    "dense": [],
    "experts": ["experts=8", "top-k=2", "expert-ffn=1024"],
    "long": ["seq=8192", "global-batch=8"],
    "wide": ["hidden=4096", "vocab=32768"],
}
SMALL = "--domain-size=4"
MACHINES = {
    "tree": ["--system=dgx-a100", SMALL],
    "narrow": ["--system=dgx-h100", SMALL, "--oversubscription=4"],
    "slow": ["--system=generic", SMALL, "--scale-out-bandwidth=2GBps"],
    "circuits": ["--system=ocs", SMALL, "--policy=demand", "--reconfiguration-time=1ms"],
    "substrate": ["--system=optical-substrate", SMALL],
}
TORUS = ["--system=tpu-v4-slices", "--accelerators=64"]
AXES = {
    "dense": "tp,pp,micro-batch=1|2|4,zero=0|1|3,sequence-parallel",
    "experts": "tp=1|2,pp=1|2,ep=1|4|8,micro-batch=1|2,zero=0|1,sequence-parallel",
    "long": "tp=1|2|4,cp,pp=1|2,recompute,zero=1|3",
    "wide": "tp,pp,schedule=1f1b|zero-bubble|gpipe,virtual-stages=1|2,micro-batch=1|2",
}


def shown(answer):
    """What must not depend on which plans were simulated: of the plans shown, but for their rank."""
    return [{key: value for key, value in plan.items() if key not in ("rank", "closed_form_s")}
            for plan in answer["plans"]]


class Search(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def machine(self, *options):
        path = os.path.join(self.folder.name, "machine%d.xml" % len(os.listdir(self.folder.name)))
        self.taken("platform", "generate", *options, "-o", path)
        return path

    def search(self, machine, settings, *options):
        return json.loads(self.taken("search", "gpt3-1.3b", machine, "--framework=none", "--format=json",
                                     *["--set=" + setting for setting in settings], *options))

    def problems(self):
        """A machine, settings and axes of each of 40 problems: each kind of model on each kind of machine, with
        settings drawn besides."""
        draw = random.Random(40)
        for number in range(40):
            kind = list(KINDS)[number % 4]
            machine = list(MACHINES)[number // 4 % 5]
            more = draw.sample(["overlap-dp=yes", "recompute=full", "attention=flash", "precision=bf16",
                                "placement=scattered"], 2)
            if machine == "circuits":
                more = [setting for setting in more if setting != "placement=scattered"]
            settings = MODEL + KINDS[kind] + [setting for setting in more
                                              if setting.split("=")[0] not in AXES[kind]]
            yield f"{number}: {kind} on {machine}", MACHINES[machine] + ["--accelerators=16"], settings, AXES[kind]
        yield "torus", TORUS, MODEL + ["precision=bf16", "global-batch=128"], "tp=1|2|4,pp=1|2,micro-batch=1|2,zero=0|3"

    def test_exhaustive(self):
        """Bounds leave the plans that are shown as a search of all plans has them, to the last digit."""
        n_bounded = 0
        every = 1 if "--all" in sys.argv else 7
        for label, options, settings, axes in itertools.islice(self.problems(), 0, None, every):
            with self.subTest(label):
                machine = self.machine(*options)
                run = [machine, settings, "--vary=" + axes, "--top=3"]
                bounded, whole = self.search(*run), self.search(*run, "--exhaustive")
                self.assertEqual(whole["bounded"], 0)
                self.assertGreater(len(whole["plans"]), 0)
                self.assertEqual(shown(bounded), shown(whole))
                self.assertEqual(bounded["considered"], whole["considered"])
                n_bounded += bounded["bounded"]
                for plan in whole["plans"]:
                    self.assertLessEqual(plan["bound_s"], plan["iteration_time_s"] * (1 + 1e-9))
        self.assertGreater(n_bounded, 100 // every)

    def test_counts(self):
        """Each combination is in one count."""
        machine = self.machine("--system=dgx-a100", "--accelerators=16")
        answer = self.search(machine, MODEL, "--vary=tp,pp,micro-batch,zero")
        rest = sum(refused["plans"] for refused in answer["refused"])
        self.assertEqual(answer["considered"], rest + answer["refused_memory"] + answer["bounded"] + answer["stopped"] +
                         answer["alike"] + answer["simulated"])
        values = {"tp": 4, "pp": 4, "micro-batch": 6, "zero": 4}
        product = 1
        for n in values.values():
            product *= n
        self.assertEqual(answer["considered"], product)

    def test_jobs(self):
        """How many processes run changes nothing."""
        machine = self.machine("--system=dgx-a100", "--accelerators=16")
        run = [machine, MODEL, "--vary=tp,pp,micro-batch,zero"]
        self.assertEqual(self.search(*run, "--jobs=1"), self.search(*run, "--jobs=3"))
        # More combinations are gone through side by side, too.
        run = [machine, MODEL + ["layers=24"], "--vary=tp,pp,cp,micro-batch,virtual-stages,zero,recompute,sequence-parallel",
               "--budget=0"]
        answer = self.search(*run, "--jobs=1")
        self.assertGreater(answer["considered"], 10000)
        self.assertEqual(answer, self.search(*run, "--jobs=3"))

    def test_best(self):
        """-o writes the first plan, which simulate runs in the same time, to the last digit."""
        machine = self.machine("--system=dgx-h100", "--accelerators=16", "--oversubscription=2")
        best = os.path.join(self.folder.name, "best.xml")
        answer = self.search(machine, MODEL, "--vary=tp,pp,micro-batch,zero", "-o", best)
        run = json.loads(self.taken("simulate", best, machine, "--format=json"))
        first = answer["plans"][0]
        self.assertEqual(run["simulated"]["iteration_time_s"], first["iteration_time_s"])
        self.assertEqual(run["simulated"]["terms_s"], first["terms_s"])
        for name, value in first["set"].items():
            self.assertEqual(str(run["plan"][name]), value)
        xml.etree.ElementTree.parse(best)

    def test_csv(self):
        """A row for each plan that was simulated, with what JSON says of those that are shown."""
        machines = [self.machine("--system=dgx-a100", "--accelerators=8"),
                    self.machine("--system=dgx-a100", "--accelerators=16")]
        table = os.path.join(self.folder.name, "plans.csv")
        answer = json.loads(self.taken(
            "search", "gpt3-1.3b", *machines, "--framework=none", "--format=json", "--exhaustive", "--csv", table,
            "--top=1000", "--vary=tp=1|2,pp=1|2,stage-layers=even|balanced", *["--set=" + setting for setting in MODEL]))
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), answer["simulated"])
        self.assertEqual(len(rows), len(answer["plans"]))
        for row, plan in zip(rows, answer["plans"]):
            self.assertEqual(int(row["rank"]), plan["rank"])
            self.assertEqual((row["platform"], int(row["accelerators"])), (plan["platform"], plan["accelerators"]))
            for name, value in plan["set"].items():
                self.assertEqual(row[name], value)
            for name in "iteration_time_s", "memory_bytes", "closed_form_s", "bound_s":
                self.assertEqual(float(row[name]), plan[name])
            self.assertEqual(row["on_front"], "yes" if plan["on_front"] else "no")
            for term, seconds in plan["terms_s"].items():
                self.assertEqual(float(row[term + "_s"]), seconds)
        self.refused(2, "--csv: got -, wanted a file", "search", "gpt3-1.3b", machines[0], "--csv=-")
        self.refused(2, "--csv", "search", "gpt3-1.3b", machines[0], "--csv=" + table, "-o", table)
        for option in "--csv", "--report", "--output":
            self.refused(1, "nowhere/plans: No such file or directory", "search", "gpt3-1.3b", machines[0],
                         option + "=nowhere/plans")
        self.taken("search", "gpt3-1.3b", machines[0], "--vary=tp", "--budget=0", "--csv", table)
        with open(table, encoding="utf-8") as file:
            self.assertEqual(file.read(), "rank\n")

    def test_export(self):
        """It is the first plan, as describe exports it, in the words of each software."""
        machine = self.machine("--system=dgx-a100", "--accelerators=16")
        best = os.path.join(self.folder.name, "best.xml")
        options = ["--framework=megatron-core", "--vary=tp=1|2|4,pp=1|2|4,zero=1", "-o", best,
                   *["--set=" + setting for setting in MODEL]]
        answer = json.loads(self.taken("search", "gpt3-1.3b", machine, *options, "--format=json"))
        first = answer["plans"][0]["set"]
        for name in "megatron", "torchtitan", "deepspeed":
            export = self.taken("search", "gpt3-1.3b", machine, *options, "--export=" + name)
            self.assertEqual(export, self.taken("workload", "describe", best, machine, "--export=" + name))
            if name == "megatron":
                flags = [line for line in export.splitlines() if not line.startswith("#")]
                self.assertIn("--tensor-model-parallel-size " + first["tp"], flags)
                self.assertIn("--pipeline-model-parallel-size " + first["pp"], flags)
                self.assertIn(f"of which dp is {first['dp']};", export)
            elif name == "torchtitan":
                keys = tomllib.loads(export)["parallelism"]
                self.assertEqual(keys["tensor_parallel_degree"], int(first["tp"]))
                self.assertIn("# no key: zero=1\n", export)
            else:
                self.assertEqual(json.loads(export)["zero_optimization"]["stage"], 1)

    def test_several_machines(self):
        """The faster machine has the first plan; the front has the smaller one."""
        small = self.machine("--system=dgx-a100", "--accelerators=8")
        large = self.machine("--system=dgx-a100", "--accelerators=16")
        answer = json.loads(self.taken("search", "gpt3-1.3b", small, large, "--framework=none", "--format=json",
                                       "--vary=tp=1|2,zero=0|1", *["--set=" + setting for setting in MODEL]))
        self.assertEqual(answer["plans"][0]["accelerators"], 16)
        rows = answer["plans"]
        for plan in rows:
            others = [other for other in rows if other is not plan and
                      other["iteration_time_s"] <= plan["iteration_time_s"] and
                      other["memory_bytes"] <= plan["memory_bytes"] and
                      other["accelerators"] <= plan["accelerators"]]
            self.assertFalse(plan["on_front"] and any(other["iteration_time_s"] < plan["iteration_time_s"]
                                                      for other in others))

    def test_machines(self):
        """Options of the machine are axes, too: their plans are those of the machines by themselves."""
        options = ["--system=dgx-a100", "--domain-size=4"]
        plans = []
        for n, ratio in [(16, 1), (16, 2), (32, 1), (32, 2)]:
            machine = self.machine(*options, f"--accelerators={n}", f"--oversubscription={ratio}")
            plans += self.search(machine, MODEL, "--vary=tp=1|2,pp=1|2", "--exhaustive", "--top=99")["plans"]
        whole = json.loads(self.taken(
            "search", "gpt3-1.3b", *options, "--accelerators=16", "--framework=none", "--format=json", "--exhaustive",
            "--top=99", *["--set=" + setting for setting in MODEL], "--vary=tp=1|2,accelerators=16|32",
            "--vary=pp=1|2,oversubscription=1..2"))
        self.assertEqual(sorted(plan["iteration_time_s"] for plan in plans),
                         [plan["iteration_time_s"] for plan in whole["plans"]])
        self.assertEqual(len({plan["platform"] for plan in whole["plans"]}), 4)
        self.assertEqual(whole["refused_machines"], [])
        half = json.loads(self.taken("search", "gpt3-1.3b", *options, "--accelerators=16", "--format=json", "--top=1",
                                     "--vary=tp=1,oversubscription=1|7"))
        self.assertEqual(len(half["refused_machines"]), 1)

    def test_objectives(self):
        """Bounds hold for each objective; the figures are those of simulate and of platform describe."""
        technologies = ["--technology=pluggable-400g-opus", "--switch-technology=electrical-64x400g-opus"]
        machine = self.machine("--system=dgx-h100", "--domain-size=4", "--accelerators=16", *technologies)
        price = json.loads(self.taken("platform", "describe", machine, "--format=json"))["network"]["price_usd"]
        keys = {"time": "iteration_time_s", "cost": "usd_s_per_token", "energy": "energy_j_per_token",
                "memory": "memory_bytes"}
        for objective, key in keys.items():
            run = [machine, MODEL, "--vary=tp,pp=1|2|4,zero=0|1|3,micro-batch=1|2", "--top=3", "--objective=" + objective,
                   "--accelerator-price=1kUSD"]
            bounded, whole = self.search(*run), self.search(*run, "--exhaustive")
            self.assertEqual(shown(bounded), shown(whole))
            values = [plan[key] for plan in whole["plans"][:3]]
            self.assertEqual(values, sorted(values))
            first = whole["plans"][0]
            self.assertAlmostEqual(first["price_usd"], price + 16 * 1000, places=3)
            self.assertAlmostEqual(first["usd_s_per_token"] * 32 * 1024,
                                   first["price_usd"] * first["iteration_time_s"], places=6)
            alone = json.loads(self.taken("simulate", "gpt3-1.3b", machine, "--framework=none", "--format=json",
                                          *["--set=" + setting for setting in MODEL],
                                          *[f"--set={name}={value}" for name, value in first["set"].items()]))
            self.assertEqual(alone["energy_j_per_token"], first["energy_j_per_token"])

    def test_expected_error(self):
        """Plans that differ by less than the median error of measured steps of their kind are tied."""
        with open(os.path.join(ROOT, "validation/expected-errors.csv"), newline="", encoding="utf-8") as file:
            rows = {(row["software"], row["accelerator"], row["kind"]): row for row in csv.DictReader(file)}
        own = rows["megatron-core-2024", "h100-sxm", "dense"]
        self.assertGreaterEqual(int(own["steps"]), 10)
        run = ["search", "gpt3-1.3b", "--system=dgx-h100", "--accelerators=16", "--format=json", "--top=6"]
        plans = json.loads(self.taken(*run, "--framework=megatron-core-2024", "--vary=tp=1|2,micro-batch"))["plans"]
        for plan in plans:
            error = plan["expected_error"]
            self.assertEqual((error["median"], error["p90"], error["steps"], error["kind"]),
                             (float(own["median"]), float(own["p90"]), int(own["steps"]), "dense"))
            slower = plan["iteration_time_s"] / plans[0]["iteration_time_s"] - 1
            self.assertEqual(plan["tied_with_first"], abs(slower) <= float(own["median"]))
        self.assertEqual({plan["tied_with_first"] for plan in plans}, {True, False})
        # The text names the same plans, also where they are of two kinds.
        words = [*run[:4], "--top=8", "--framework=megatron-core", "--vary=tp=1|2,micro-batch=4|8,zero=1|3"]
        told = json.loads(self.taken(*words, "--format=json"))["plans"][:8]
        self.assertEqual(len({plan["expected_error"]["kind"] for plan in told}), 2)
        for plan in told:
            software, card = "megatron-core", "h100-sxm"
            lines = ((software, card, plan["expected_error"]["kind"]), (software, card, ""), (software, "", ""),
                     ("", card, ""), ("", "", ""))
            used = next(line for line in lines if int(rows.get(line, {}).get("blind_steps") or 0) > 0)
            self.assertEqual(plan["expected_error"]["blind"]["of"],
                             (used[0] or "all software") + (f" on {used[1]}" if used[1] else ""))
        tied = [str(plan["rank"]) for plan in told[1:] if plan["tied_with_first"]]
        text = self.taken(*words)
        self.assertIn("which of them is the fastest: " + ", ".join(tied) + "\n", text)
        # Of which blind steps, the table says.
        blind = told[0]["expected_error"]["blind"]
        self.assertIn(blind["of"], {" on ".join(filter(None, (key[0] or "all software", key[1]))) for key in rows})
        self.assertIn(f"{blind['steps']} of {blind['of']})", text)
        self.assertFalse([key for key in rows if key[:2] == ("megatron-lm-2021", "h100-sxm")])
        for plan in json.loads(self.taken(*run, "--framework=megatron-lm-2021", "--vary=tp=1"))["plans"]:
            self.assertNotIn("expected_error", plan)

    def test_lists(self):
        """A comma that no name follows belongs to the values."""
        machine = self.machine("--system=dgx-a100", "--accelerators=16")
        answer = self.search(machine, MODEL, "--vary=stage-layers=3,5|4,4|5,3,tp=1|2", "--set=pp=2", "--top=9")
        self.assertEqual({plan["set"]["stage-layers"] for plan in answer["plans"]}, {"3,5", "4,4", "5,3"})

    def test_budget(self):
        """A budget that is spent at once leaves plans, and says how fast they could be."""
        machine = self.machine("--system=dgx-a100", "--accelerators=16")
        answer = self.search(machine, MODEL, "--vary=tp,pp", "--budget=0")
        self.assertEqual(answer["plans"], [])
        self.assertGreater(answer["not_looked_at"], 0)
        whole = self.search(machine, MODEL, "--vary=tp,pp")
        self.assertLessEqual(answer["not_looked_at_at_least_s"], whole["plans"][0]["iteration_time_s"])

    def test_interrupted(self):
        """Ctrl-C on a terminal, which all processes get, or to the program alone, and a batch system's end: the
        answer so far, and what was left; then the signal takes effect."""
        machine = self.machine("--system=dgx-a100", "--accelerators=64")
        settings = ["--set=" + setting for setting in MODEL + ["layers=16", "global-batch=256"]]
        best = os.path.join(self.folder.name, "best.xml")
        for number, group in (signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, False):
            child = subprocess.Popen(
                [PROGRAM, "search", "gpt3-1.3b", machine, "--framework=none", "--format=json", "--exhaustive",
                 "--jobs=1", "--vary=tp,pp,micro-batch,zero,sequence-parallel,recompute", "-o", best, *settings],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            running = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
            while not running.read_text(encoding="utf-8"):
                time.sleep(0.01)
            time.sleep(1.0)
            (os.killpg if group else os.kill)(child.pid, number)
            output, complaint = child.communicate(timeout=120)
            self.assertEqual((child.returncode, complaint), (-number, ""))
            answer = json.loads(output)
            self.assertTrue(answer["interrupted"])
            self.assertGreater(answer["simulated"], 0)
            self.assertGreater(answer["not_looked_at"], 0)
            self.assertGreater(answer["not_looked_at_at_least_s"], 0)
            self.assertEqual(answer["considered"], answer["simulated"] + answer["not_looked_at"] + answer["alike"] +
                             answer["refused_memory"] + sum(row["plans"] for row in answer["refused"]))
            self.assertEqual(answer["failed"], 0)
            run = json.loads(self.taken("simulate", best, machine, "--format=json"))
            self.assertEqual(run["simulated"]["iteration_time_s"], answer["plans"][0]["iteration_time_s"])

    def test_refused(self):
        for message, *options in [
                ('--vary: unknown attribute "tpp", the nearest known one is "tp"', "--vary=tpp=1"),
                ('--vary: tp: "0" is out of range', "--vary=tp=0|1"),
                ("--vary: tp: got 2 twice, wanted each value once", "--vary=tp=2|1..4"),
                ("--vary: tp: got tp twice, wanted each axis once", "--vary=tp,tp"),
                ("--vary: tp: got 4..1, wanted the larger number last", "--vary=tp=4..1"),
                ('--objective: got "speed", wanted time, cost, energy or memory', "--objective=speed"),
                ("--objective: got cost, wanted machines whose technologies have it", "--objective=cost"),
                ("--vary: oversubscription: got no values, wanted some", "--vary=tp,oversubscription"),
                ("--vary: --domain-size=5: ", "--vary=domain-size=5"),
                ("--vary: hidden: got no values, wanted hidden=VALUE|VALUE...", "--vary=hidden"),
                ("--vary: micro-batch: got 1..100000, wanted at most 4096 values", "--vary=micro-batch=1..100000")]:
            self.refused(2, message, "search", "gpt3-1.3b", "dgx-a100-8", *options)
        many = ",".join(name + "=1" for name in (
            "tp pp cp ep dp micro-batch virtual-stages layers hidden ffn heads kv-heads seq vocab global-batch prefetch seed "
            "experts top-k expert-ffn shared-experts expert-every window-every expert-tp ep-relay").split())
        self.refused(2, "got one axis more, wanted at most 24", "search", "gpt3-1.3b", "dgx-a100-8", "--vary=" + many)
        own = os.path.join(self.folder.name, "own.xml")
        with open(own, "w", encoding="utf-8") as file:
            file.write("<workload/>")
        self.refused(2, "--output", "search", own, "dgx-a100-8", "-o", own)
        self.refused(2, '--top: "0" is out of range', "search", "gpt3-1.3b", "dgx-a100-8", "--top=0")
        self.refused(2, '--within: "-1" is out of range', "search", "gpt3-1.3b", "dgx-a100-8", "--within=-1")
        self.refused(2, "--vary: got 3.2e+08 combinations, wanted at most 1e+08: fewer axes", "search", "gpt3-1.3b",
                     "dgx-a100-8", "--vary=seed=1..4000,prefetch=1..4000,tp=1..20")
        self.refused(1, "none is legal and fits, wanted at least one (what lacks the least memory lacks", "search",
                     "gpt3-175b", "dgx-a100-8", "--vary=tp")
        self.refused(2, '--export: "nemo"', "search", "gpt3-1.3b", "dgx-a100-8", "--export=nemo")
        self.refused(2, "--export: got --format beside it, wanted one of them", "search", "gpt3-1.3b", "dgx-a100-8",
                     "--export=megatron", "--format=json")
        self.refused(1, "got no plan that was simulated, wanted one to export", "search", "gpt3-1.3b", "dgx-a100-8",
                     "--vary=tp", "--budget=0", "--export=megatron")
        self.refused(1, '"nowhere" is neither', "search", "gpt3-1.3b", "nowhere")


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[word for word in sys.argv if word != "--all"]))
