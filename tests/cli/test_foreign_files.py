#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of other programs' files and words, and the list of frameworks.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import sys
import tempfile
import unittest

import command

GENERATE = "lightpath platform generate --system=NAME --accelerators=N writes one"
SIMGRID = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">'
# What a file is; what is in it.
PLATFORMS = [
    ("NCCL's topology of a node", '<system version="1"><cpu numaid="0"><pci busid="0"><gpu dev="0"/></pci></cpu></system>'),
    ("NCCL's topology of a node", '<system version="1"><gpu dev="0" sm="90"/></system>'),
    ("NCCL's graphs", '<graphs version="1"><graph id="0" pattern="4"/></graphs>'),
    ("hwloc's topology", '<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
     '<topology version="2.0"><object type="Machine"/></topology>'),
    ("ASTRA-sim's network", "topology: [ Ring, Switch ]\nnpus_count: [ 8, 4 ]\nbandwidth: [ 50.0, 50.0 ]\n"),
    ("ASTRA-sim's network", "# Two rings.\ntopology: [ Ring ]\nlatency: [ 5 ]\nbandwidth: [ 50.0 ]\n"),
    ("ASTRA-sim's configuration", '{"scheduling-policy": "LIFO", "endpoint-delay": 10}'),
    ("a platform of SimGrid's", SIMGRID + '<zone id="a" routing="Full"><host id="h" speed="1Gf"/></zone></platform>'),
    ("a platform of SimGrid's", SIMGRID + '<config><prop id="x" value="1"/></config><zone id="a" routing="Floyd"/></platform>'),
    ("a platform of SimGrid's", SIMGRID + '<zone id="w" routing="None"><cluster id="c" prefix="c-" suffix="" radical="0-7"'
     ' speed="1Gf" bw="1GBps" lat="1us"/></zone></platform>'),
    ("a deployment of SimGrid's", SIMGRID + '<actor host="h" function="f"/></platform>'),
    ("a model's configuration", '{"model_type": "llama", "hidden_size": 4096}'),
    ("JSON", '{"a": 1}'), ("no XML document", "nodes 3\n"), ("<mujoco>", "<mujoco/>"),
]
WORKLOADS = [
    ("a model's configuration", '{"architectures": ["LlamaForCausalLM"]}', "lightpath import huggingface PATH makes one of it"),
    ("DeepSpeed's configuration", '{"train_batch_size": 8, "zero_optimization": {"stage": 3}}', "--set takes its values"),
    ("torchtitan's configuration", '[model]\nname = "llama3"\n[training]\nseq_len = 8192\n', "--set takes its values"),
    ("<mujoco>", "<!-- a --><mujoco/>", "lightpath workload list"),
]
TREE = ('<zone id="lab" routing="None"><prop id="system" value="lab"/>'
        '<cluster id="up" prefix="up-" suffix="" radical="0-7" speed="1f" bw="300GBps" lat="235ns" '
        'sharing_policy="SPLITDUPLEX"><prop id="role" value="scale-up"/><prop id="accelerator" value="a100-80"/>'
        '<prop id="domain-size" value="1"/><prop id="technology" value="electrical"/></cluster>'
        '<cluster id="out" prefix="out-" suffix="" radical="0-7" speed="1f" bw="25GBps" lat="1us" '
        'sharing_policy="SPLITDUPLEX" topology="TOPOLOGY" topo_parameters="PARAMETERS"><prop id="role" '
        'value="scale-out"/><prop id="port-order" value="node"/><prop id="cards-per-domain" value="1"/>'
        '<prop id="technology" value="electrical"/></cluster></zone></platform>')


class Case(command.Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def refused(self, status, parts, *words, **keywords):
        told = command.refused("", *words, status=status, **keywords)
        for part in parts:
            self.assertIn(part, told)

    def write(self, text, name="file.xml"):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)


class Files(Case):
    def test_platforms(self):
        for what, text in PLATFORMS:
            path = self.write(text)
            parts = [f"{path}: got {what}", "wanted a <platform> whose zone has clusters of the roles scale-up", GENERATE]
            self.refused(1, parts, "platform", "check", path)
            self.refused(1, parts[1:], "simulate", "gpt3-1.3b", path)
            self.refused(1, [f"/dev/stdin: got {what}"], "platform", "check", "-", input=text)

    def test_workloads(self):
        for what, text, command in WORKLOADS:
            path = self.write(text)
            parts = [f"{path}: got {what}", "wanted a <workload>", command.replace("PATH", path)]
            self.refused(1, parts, "simulate", path, "dgx-a100-8")
            self.refused(1, parts, "workload", "check", path)

    def test_bytes(self):
        """What is no text is no XML document, unless it is XML in another encoding."""
        path = pathlib.Path(self.write(""))
        for data in (b"\x89PNG\r\n\x1a\n\0\0", b"\x1f\x8b\x08\0", b"caf\xe9"):
            path.write_bytes(data)
            for words in (("platform", "check", path), ("workload", "check", path)):
                self.refused(1, [f"{path}: got no XML document"], *words)
        for encoding in "latin-1", "utf-16":
            path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?><workload name="\xe9"/>'.encode(encoding))
            self.refused(1, [f"{path}:1: Element 'workload'"], "workload", "check", path)

    def test_own(self):
        """A faulty file of ours is told where it is at fault."""
        path = self.write(SIMGRID + "\n" + TREE.replace('routing="None"', 'routing="Full"'))
        self.refused(1, [f"{path}:4: Element 'zone', attribute 'routing'"], "platform", "check", path)
        path = self.write('<workload name="x">\n<oops/></workload>')
        self.refused(1, [f"{path}:"], "workload", "check", path)

    def test_topologies(self):
        """A topology is told in its own words."""
        for topology, parameters, part in (
                ("FAT_TREE", "2;4,2;1,2;1,2", 'parallel links (the last list of a FAT_TREE): "1,2", wanted 1'),
                ("FAT_TREE", "2;4,2;2,2;1,1", 'links up: "2,2", wanted 1 for the first level'),
                ("FAT_TREE", "2;4,2,1;1,2;1,1", 'links down: "4,2,1", wanted a number for each of 2 levels'),
                ("FAT_TREE", "4;2,2,2,1;1,1,1,1;1,1,1,1", 'levels of a fat tree: "4" is out of range'),
                ("FAT_TREE", "2;4,2;1,2", "wanted LEVELS;DOWN,...;1,UP,...;1,... of a fat tree"),
                ("FAT_TREE", "4,2;1,1;2,1;1", "levels of a fat tree: "), ("FAT_TREE", "2;4,x;1,2;1,1", '"x" is not'),
                ("TORUS", "2;4,2;1,2;1,1", "topo_parameters: "), ("TORUS", "4,1", '"1" is out of range'),
                ("DRAGONFLY", "4,2", "wanted the form GROUPS,LINKS;ROWS,LINKS;ROUTERS,LINKS;PORTS"),
                ("DRAGONFLY", "2;4,2;1,2;1,2", "wanted the form GROUPS,LINKS;ROWS,LINKS")):
            path = self.write(SIMGRID + TREE.replace("TOPOLOGY", topology).replace("PARAMETERS", parameters))
            self.refused(1, [f"{path}:3: <cluster> topo_parameters: ", part], "platform", "check", path)
        path = self.write(SIMGRID + TREE.replace("TOPOLOGY", "FAT_TREE").replace("PARAMETERS", "2;4,2;1,2;1,1"))
        self.assertIn(": ok, 8 x a100-80", self.taken("platform", "check", path))


class Words(Case):
    def test_settings(self):
        for word, attribute in (("batch", "global-batch"), ("mbs", "micro-batch"), ("tensor-parallel", "tp"),
                                ("hidden_size", "hidden"), ("num-layers", "layers"), ("sequence_length", "seq")):
            self.refused(1, [f'unknown attribute "{word}", the nearest known one is "{attribute}"'], "estimate",
                         "gpt3-1.3b", "dgx-a100-8", "--set", f"{word}=2")
            self.refused(2, [f"--{word}=2, wanted --set {attribute}=2"], "estimate", "gpt3-1.3b", "dgx-a100-8",
                         f"--{word}=2")


class Frameworks(Case):
    def test_list(self):
        """What is listed is what --framework takes, is completed, and sets what plans say it does."""
        listed = json.loads(self.taken("workload", "frameworks", "--format=json"))["frameworks"]
        names = [each["name"] for each in listed]
        self.assertIn("torchtitan", names)
        self.assertEqual([line.split()[0] for line in self.taken("workload", "frameworks").splitlines()[1:]], names)
        for words in (["estimate", "gpt3-1.3b", "--framework="], ["workload", "frameworks", ""],
                      ["simulate", "gpt3-1.3b", "--set", "framework="]):
            completed = self.taken("--complete", *words).split()
            self.assertEqual([word.split("=")[-1] for word in completed], names, words)
        self.refused(1, ['workload frameworks: "torchtitn" is not one of', "the nearest is torchtitan"],
                     "workload", "frameworks", "torchtitn")

    def test_one(self):
        """Settings are told with their sources, and which version states them."""
        for name in [each["name"] for each in
                     json.loads(self.taken("workload", "frameworks", "--format=json"))["frameworks"]]:
            one = json.loads(self.taken("workload", "frameworks", name, "--format=json"))
            text = " ".join(self.taken("workload", "frameworks", name).split())
            self.assertEqual(one["framework"], name)
            for setting in one["settings"]:
                self.assertGreater(len(setting["source"]), 10)
                self.assertTrue(setting["of"] == name or "base" in one)
                self.assertIn(f"{setting['name']}={setting['value']}", text)
                self.assertIn(setting["source"], text)


if __name__ == "__main__":
    sys.exit(unittest.main())
