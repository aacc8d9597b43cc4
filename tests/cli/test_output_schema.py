#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/output.schema.json says every key of every output, and nothing else.

Only the part of JSON Schema is checked that this file uses; a word of it that is not known here is
an error. Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import re
import sys
import tempfile
import unittest

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((SOURCE / "docs/output.schema.json").read_text())
WORDS = {"$ref", "description", "type", "properties", "required", "additionalProperties", "items",
         "minimum"}

# Files that the commands below need.
MACHINES = {
    "optics.xml": "--system=optical-substrate --accelerators=16 --technology=pluggable-400g-opus "
                  "--switch-technology=piezo-polatis-192",
    "circuits.xml": "--system=optical-substrate --accelerators=16 --policy=demand "
                    "--reconfiguration-time=10us",
    "pod.xml": "--system=tpu-v4 --accelerators=4096",
    "frontier.xml": "--system=frontier --accelerators=1024"}
STUDY = """<study name="test" command="estimate"><workload name="gpt3-125m" framework="none"/><machine system="dgx-a100" accelerators="8"/>
<options ignore-memory="yes"/><axis name="tp" values="1|3"/><workload dp="1"/><record key="workload"/>
<record key="closed_form.iteration_time_s" as="time_s"/><record key="closed_form.terms_s"/></study>"""
CONFIG = {"model_type": "mistral", "hidden_act": "silu", "hidden_size": 4096,
          "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
          "num_key_value_heads": 8, "max_position_embeddings": 8192, "vocab_size": 32000,
          "tie_word_embeddings": False, "torch_dtype": "bfloat16", "sliding_window_pattern": 7}
# A program by hand beside a Transformer.
SCENARIO = """<scenario name="beside">
  <job name="dlrm" workload="dlrm"/>
  <job name="gpt" workload="gpt3-125m" dp="16" global-batch="128" first="32"/>
</scenario>
"""
TABLES = ("training", "gemm", "collectives")

# Outputs by the name of their schema: each command brings other keys.
OUTPUTS = {
    "simulate": ["simulate gpt3-175b dgx-a100-1024 --set global-batch=128 --cost",
                 "simulate mixtral-8x7b dgx-h100-64 --runs=2",
                 "simulate llama-3-8b circuits.xml --plan=fit --set precision=bf16 "
                 "--set library=single-ring",
                 "simulate llama-3-8b optics.xml --set dp=16",
                 "simulate dlrm dgx-h100-64 --cost"],
    "scenario": ["simulate two-jobs polaris-64 --cost",
                 "simulate busy-fabric dgx-h100-64 --set global-batch=64",
                 "simulate beside.xml dgx-h100-64",
                 "simulate slow-rank dgx-h100-64 --set global-batch=64 --runs=2",
                 "simulate degraded-port dgx-h100-64 --set global-batch=64"],
    "forecast": ["simulate llama-3-8b dgx-h100-64 --dry-run --set tp=2 --set dp=32",
                 "simulate two-jobs polaris-64 --dry-run", "simulate busy-fabric dgx-h100-64 --dry-run",
                 "simulate mixtral-8x7b --system=frontier --accelerators=512 --plan=fit --dry-run"],
    "estimate": ["estimate gpt3-175b dgx-a100-1024",
                 "estimate gpt3-175b dgx-a100-1024 --model=amped --kernels"],
    "goodput": ["goodput llama-3-8b dgx-h100-64 --set dp=56 --set global-batch=112 --runs=10",
                "goodput llama-3-8b dgx-h100-64 --set dp=32 --set global-batch=64 --runs=10 "
                "--iteration-time=1s --packing=pods --pod=32 --group=16 --slices=max "
                "--part=ocs:mtbf=1000h,repair=1h,effect=slow,slowdown=2,count=4 "
                "--part=host:mtbf=never --reliability=rsc-1 --checkpoint-time=1s",
                "goodput llama-3-8b dgx-h100-64 --set dp=32 --set global-batch=64 --runs=10 "
                "--iteration-time=1s --packing=contiguous --grid=2x2x2 --shape=2x2",
                "goodput llama-3-8b dgx-h100-64 --set dp=32 --set global-batch=64 --runs=10 "
                "--iteration-time=1s --packing=rings --hops=2 --group=16"],
    "contention": ["contention two-jobs polaris-64 --cost",
                   "contention dlrm dgx-h100-64",
                   "contention gpt3-175b dgx-a100-1024 --set global-batch=64 --runs=2 --band "
                   "--what-if=overlap-dp=yes"],
    "compare": ["compare llama-3-8b dgx-h100-64 optics.xml --set dp=16 --contention"],
    "characterize": ["characterize mixtral-8x7b", "characterize dlrm dgx-h100-64",
                     "characterize mixtral-8x7b dgx-h100-64 --sweep=micro-batch=1,64"],
    "collective": ["collective all-reduce dgx-a100-8 --bytes=1MiB,2MiB",
                   "collective barrier dgx-a100-8"],
    "tune": ["tune communication dgx-a100-8 --bytes=1MiB,1GiB",
             "tune communication dgx-h100-64 --workload=dlrm --libraries=nccl-hopper,single-ring"],
    "flows": ["collective all-to-all dgx-h100-64 --bytes=1MiB --flows"],
    "platform-describe": [f"platform describe {name}" for name in (
        "dgx-a100-8", "dgx-a100-1024", "optics.xml", "circuits.xml", "pod.xml", "frontier.xml")],
    "platform-check": ["platform check polaris-64"],
    "platform-list": ["platform list"],
    "technologies": ["platform list --technologies"],
    "platform-price": ["platform price --accelerators=2048 --domain-size=8 "
                       "--technology=pluggable-400g-opus --switch-technology=electrical-64x400g-opus "
                       "--circuit-switch-technology=piezo-polatis-192"],
    "workload-list": ["workload list"],
    "workload-measured": ["workload list --measured"],
    "workload-describe": ["workload describe gpt3-175b",
                          "workload describe gpt3-175b dgx-a100-1024",
                          "workload check gpt3-175b", "workload describe dlrm"],
    "workload-attributes": ["workload attributes"],
    "workload-kernels": ["workload kernels mixtral-8x7b dgx-h100-64"],
    "sweep": ["sweep export study.sqlite"],
    "import": ["import huggingface config.json -o model.xml"],
    "validate": [f"validate --cases={table}.csv" for table in TABLES],
    "search": ["search llama-3-8b optics.xml --vary=tp=1|2,zero=0|3 --objective=energy --accelerator-price=1kUSD",
               "search llama-3-8b dgx-h100-64 --vary=tp,pp,ep --budget=0"],
    "bench": ["bench ring-1024-flow"],
}
# What pages hold has keys of its own.
PAGES = {"simulate": "simulate gpt3-175b dgx-a100-1024 --set global-batch=128",
         "scenario": "simulate two-jobs polaris-64",
         "workload-kernels": "workload kernels deepseek-v3 dgx-h100-64",
         "search": "search llama-3-8b dgx-h100-64 --vary=tp=1|2|4,zero=1|3 --top=1"}
# They take minutes: test_keys holds what they print.
NOT_RUN = {"calibrate": "report/calibration_report.c", "accuracy": "cli/bench_accuracy.c"}


def is_type(value, name):
    return {"object": isinstance(value, dict), "array": isinstance(value, list),
            "string": isinstance(value, str), "null": value is None,
            "boolean": isinstance(value, bool),
            "integer": isinstance(value, int) and not isinstance(value, bool),
            "number": isinstance(value, (int, float)) and not isinstance(value, bool)}[name]


def resolved(schema):
    while "$ref" in schema:
        at = SCHEMA
        for part in schema["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        schema = at
    return schema


class Checker:
    """Checks values against schemas, and notes which properties occurred."""

    def __init__(self):
        self.faults, self.seen = [], set()

    def check(self, value, schema, where):
        schema = resolved(schema)
        if not WORDS >= set(schema):
            self.faults.append(f"{where}: words {set(schema) - WORDS}")
        kinds = schema.get("type", [])
        if not any(is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
            self.faults.append(f"{where}: {value!r:.60} is no {kinds}")
        elif isinstance(value, dict):
            self.check_members(value, schema, where)
        elif isinstance(value, list):
            for item in value:
                self.check(item, schema["items"], f"{where}[]")
        elif "minimum" in schema and value < schema["minimum"]:
            self.faults.append(f"{where}: {value} is too small")

    def check_members(self, value, schema, where):
        known, other = schema.get("properties", {}), schema["additionalProperties"]
        self.faults += [f"{where}: no {key}" for key in schema.get("required", [])
                        if key not in value]
        for key, member in value.items():
            if key in known:
                self.seen.add((id(schema), key))
                self.check(member, known[key], f"{where}.{key}")
            elif other is False:
                self.faults.append(f"{where}: {key} is not in the schema")
            else:
                self.check(member, other, f"{where}.{key}")


class Schema(unittest.TestCase):
    maxDiff = None

    def run_all(self, folder):
        for name, options in MACHINES.items():
            self.run_one(folder, f"platform generate {options} -o {name}")
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "beside.xml").write_text(SCENARIO)
        (folder / "study.xml").write_text(STUDY)
        self.run_one(folder, "sweep study.xml")
        for table in TABLES:
            rows = (SOURCE / f"validation/{table}.csv").read_text().splitlines()
            (folder / f"{table}.csv").write_text("\n".join(rows[:4]) + "\n")
        outputs = {name: [json.loads(self.run_one(folder, f"{line} --format=json")) for line in lines]
                   for name, lines in OUTPUTS.items()}
        for name, line in PAGES.items():
            self.run_one(folder, f"{line} --report=page.html")
            text = (folder / "page.html").read_text()
            data = re.search(r'<script type="application/json" id="document">\n(.*?)</script>', text,
                             re.DOTALL)
            outputs[name].append(json.loads(data[1]))
        return outputs

    def run_one(self, folder, line):
        done = run(*line.split(), cwd=folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return done.stdout

    def test_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            outputs = self.run_all(pathlib.Path(folder))
        self.assertEqual(set(outputs) | set(NOT_RUN), set(SCHEMA["commands"]))
        checker = Checker()
        for name, values in outputs.items():
            for value in values:
                checker.check(value, SCHEMA["commands"][name], name)
                self.assertEqual(value["format_version"], 2)
        self.assertEqual(sorted(set(checker.faults)), [])

    def test_descriptions(self):
        """Every property says what it is."""
        def properties(node):
            if isinstance(node, dict):
                yield from node.get("properties", {}).items()
                for part in node.values():
                    yield from properties(part)
        found = list(properties(SCHEMA))
        self.assertGreater(len(found), 200)
        self.assertEqual([key for key, part in found if not part.get("description")], [])

    def test_same_model(self):
        """A model's figures stand under the same key wherever they are printed."""
        folder = "/"
        job = "gpt3-175b dgx-a100-1024 --set global-batch=128"
        simulated = json.loads(self.run_one(folder, f"simulate {job} --format=json"))
        for model, key in (("consistent", "closed_form"), ("amped", "amped")):
            estimated = json.loads(self.run_one(folder, f"estimate {job} --model={model} --format=json"))
            # Beside a simulation the consistent form's gaps are measured.
            names = set(simulated[key]) - ({"left_out"} if key == "closed_form" else set())
            self.assertEqual({name: estimated[key][name] for name in names}, {name: simulated[key][name] for name in names})

    def test_keys(self):
        """The keys that the sources of outputs that are not run here set are those of the schema."""
        for name, source in NOT_RUN.items():
            code = (SOURCE / source).read_text()
            keys = set(re.findall(r'lp_json_set_\w+\(\w+, "(\w+)"', code))
            keys |= set(re.findall(r'add_score\(\w+, "(\w+)"', code))
            self.assertGreater(len(keys), 5)
            checked, wanted = [SCHEMA["commands"][name]], set()
            for schema in checked:
                for key, part in schema.get("properties", {}).items():
                    wanted.add(key)
                    below = resolved(part.get("items", part))
                    if below not in checked:
                        checked.append(below)
            self.assertEqual(keys - wanted, set(), name)


if __name__ == "__main__":
    sys.exit(unittest.main())
