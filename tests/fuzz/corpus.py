# SPDX-License-Identifier: Apache-2.0
"""Files to begin with, for each reader of tests/fuzz/readers.c: shipped ones, and some that are made.

usage: corpus.py LIGHTPATH FOLDER [DICTIONARIES]; FOLDER gets a folder for each reader, DICTIONARIES a file with the
words that it knows: those of its schemas, or the strings in its sources"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/cli"), str(SOURCE / "tests/support")]
os.environ.setdefault("LIGHTPATH", sys.argv[1] if len(sys.argv) > 1 else "")
import model_configs  # noqa: E402
import test_kernel_tables  # noqa: E402
import test_kineto  # noqa: E402
import test_step_lists  # noqa: E402

SHIPPED = {
    "workload": ["workloads/gpt3-125m.xml", "workloads/deepseek-v3.xml", "workloads/t5-11b.xml",
                 "workloads/vit-22b.xml", "workloads/programs/dlrm.xml"],
    "scenario": ["workloads/scenarios/*.xml"],
    "machine": ["platforms/dgx-a100-8.xml", "platforms/generic-16.xml", "platforms/polaris-64.xml"],
    "study": ["docs/studies/rings.xml", "docs/studies/rotors.xml"],
    "routing": ["tests/sim/routing-loads.csv"],
}
# Catalogues, of which the first entries of each form do: readers take a tenth of the time.
CATALOGUES = {"accelerators": "platforms/accelerators.xml", "framework": "workloads/frameworks.xml",
              "technologies": "platforms/technologies.xml", "libraries": "platforms/libraries.xml",
              "reliability": "platforms/reliability.xml"}
# Documents with a file of the kind in them, and its element.
SHOWN = {"framework": ("docs/ways/framework.md", "frameworks"),
         "steps": ("docs/collectives.md", "algorithms")}
# Tables, of which the header and the first row do.
ROWS = {"table": ["validation/grouped.csv"], "rows": ["validation/training.csv", "validation/gemm.csv", "validation/collectives.csv", "validation/users.csv"]}
STUDY = """<study name="one" command="collective"><workload name="all-reduce"/><machine name="dgx-a100-8"/>
<options bytes="1MiB"/></study>"""
# One of each element, over the small lists of readers.c: the standard ones take milliseconds to read.
KERNELS = """<kernels name="own" like="base.xml">
<size name="wider" default="4096" meaning="w"/><size name="kept-bytes" value="wider * 2"/><variable name="rows"/>
<group name="matrix" sizes="rows"><product name="matrix" m="rows" k="hidden" n="ffn / tp" count="1" bytes="rows"/></group>
<group name="norm"><stream name="ahead" bytes="tokens"/><inherited when="not rms-norms and tp &gt; 0"/></group>
<mixer name="average" parameters="hidden" whole="1" kept="hidden" exchange="all-to-all" sent="hidden" returned="hidden">
<divisor is="tp * cp" of="wider"/>
<pass name="forward"><part name="core"><stream name="mean" bytes="tokens"/></part></pass></mixer>
<mixer name="full" like="average"/>
<block name="ffn" when="network-layer"><pass name="forward">
<part name="before"><use group="norm"/></part><inherited/>
<with name="up" wide="1" when="tp &gt; 0"><use group="matrix" rows="min(tokens, 4)"/><host seconds="1e-6" waits="1"/></with>
</pass></block>
<block name="head"><pass name="forward"><measured name="head" size="precision = bf16 ? 2 : 1"/></pass></block>
</kernels>"""
TEXTS = {
    "setting": ["tp=8", "schedule=interleaved", "overlap-dp=yes", "slowdown=1.2", "stage-layers=1,2,3",
                "library=a; all-to-all@ep: <=744KiB=b, >744KiB=c", "rank-order=tp-cp-ep-dp-pp",
                "selective=norms,ffn", "layer-pattern=5*window+1*full", "memory-reserve=4GB"],
    "quantity": ["25GBps", "200 Gb/s", "1us", "5min", "1.5e-3 s", "312Tf", "3kUSD", "4pJ/bit"],
    "values": ["1|2|4", "1..8", "0..0.3+0.1", "25GBps..800GBps*2"],
    "calibration": ["""<?xml version="1.0"?>\n<calibration>\n  <constant owner="a100-80" name="gemm-efficiency" """
                    """value="0.8" fitted-on="a: 3"/>\n</calibration>\n"""],
    "kernels": [KERNELS],
    "mixers": [KERNELS],
    "msccl": [test_step_lists.msccl_ring(2), test_step_lists.msccl_pairs(3)],
    "groups": ['{"1": [0, 1], "2": [2, 3]}', '{"pp": []}'],
    "kineto": [test_kineto.two_kernels().text(),
               test_kineto.two_kernels().call(6).collective(1505, 100).text()],
}


# What readers know, as schemas and sources.
WORDS = {
    "workload": ["workloads/workload.xsd", "workloads/program.xsd", "workloads/description/attributes.xsd"],
    "scenario": ["workloads/scenario.xsd"],
    "kernels": ["model/kernels/kernels.xsd", "model/kernels/expression.c", "model/times/kernel_sizes.c"],
    "mixers": ["model/kernels/kernels.xsd", "model/kernels/expression.c", "model/times/kernel_sizes.c"],
    "framework": ["workloads/frameworks.xsd", "workloads/description/attribute*.c"],
    "tuning": ["workloads/tuning.xsd", "model/plan/collective*.c"],
    "steps": ["workloads/steps.xsd", "model/plan/collective*.c"],
    "msccl": ["workloads/msccl.xsd", "workloads/given/msccl.c"],
    "machine": ["platforms/platform.xsd", "platforms/machine/*.c"],
    "accelerators": ["platforms/accelerators.xsd"],
    "kernel-tables": ["platforms/kernels.xsd"],
    "measured": ["platforms/catalogue/measured_csv.c"],
    "technologies": ["platforms/technologies.xsd", "platforms/catalogue/technologies.c"],
    "libraries": ["platforms/libraries.xsd"],
    "reliability": ["platforms/reliability.xsd"],
    "study": ["study/study.xsd", "study/study_space.c", "study/study_setting.c"],
    "store": ["study/study_schema.c"],
    "values": ["base/units.c"],
    "calibration": ["validation/calibration.xsd", "validation/calibration/calibration_file.c"],
    "rows": ["validation/cases/*.c"],
    "huggingface": ["workloads/import/*.c"],
    "chakra": ["workloads/traces/chakra*.c"],
    "chakra-index": ["workloads/traces/chakra_index.c"],
    "groups": ["workloads/traces/trace_groups.c"],
    "kineto": ["workloads/traces/kineto*.c"],
    "ti": ["workloads/traces/ti_reader.c"],
    "setting": ["workloads/description/attribute*.c", "workloads/description/attributes.xsd"],
    "quantity": ["base/units.c"],
}


def schema_words(text):
    """Elements, attributes and words of values, as they stand in a document."""
    root = ElementTree.fromstring(text)
    schema = "{http://www.w3.org/2001/XMLSchema}"
    for node in root.iter():
        if node.tag == schema + "element" and "name" in node.attrib:
            yield "<" + node.get("name")
            yield "</" + node.get("name") + ">"
        elif node.tag == schema + "attribute" and "name" in node.attrib:
            yield " " + node.get("name") + '="'
        elif node.tag == schema + "enumeration":
            yield node.get("value")


def words(patterns):
    found = set()
    for pattern in patterns:
        for path in SOURCE.glob(pattern):
            text = path.read_text(encoding="utf-8")
            found |= set(schema_words(text) if path.suffix == ".xsd"
                         else re.findall(r'(?<!include )"([A-Za-z0-9_.:/ <>=-]{2,40})"', text))
    return sorted(found)


def write_dictionaries(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for reader, patterns in WORDS.items():
        lines = ['"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for word in words(patterns)]
        assert lines, patterns
        (folder / reader).write_text("".join(lines), encoding="utf-8")


def shapes(node, above=""):
    """The forms of elements in @node: where they stand, and with which attributes."""
    here = above + "/" + node.tag
    found = {(here, *sorted(node.attrib))}
    for child in node:
        found |= shapes(child, here)
    return found


def thinned(text):
    """The document without entries whose forms stand above them already, or that would make it large, and without most
    of what only people read."""
    root = ElementTree.fromstring(text)
    seen, length = set(), 0
    for entry in list(root):
        for node in entry.iter():
            node.text, node.tail = (node.text or "").strip()[:4], None
            for name in {"source", "description"} & set(node.attrib):
                node.set(name, node.get(name)[:4])
        new = shapes(entry)
        size = len(ElementTree.tostring(entry))
        if new <= seen or length + size > 4096:
            root.remove(entry)
            continue
        seen |= new
        length += size
    return ElementTree.tostring(root, encoding="unicode")


def make(program, folder):
    """Fills @folder, which is there: a folder for each reader."""
    for name, patterns in SHIPPED.items():
        (folder / name).mkdir()
        for pattern in patterns:
            for path in sorted(SOURCE.glob(pattern)):
                (folder / name / path.name).write_bytes(path.read_bytes())
    for name, path in CATALOGUES.items():
        (folder / name).mkdir()
        (folder / name / pathlib.Path(path).name).write_text(thinned((SOURCE / path).read_text()))
    for name, texts in TEXTS.items():
        (folder / name).mkdir(exist_ok=True)
        for i, text in enumerate(texts):
            (folder / name / str(i)).write_text(text)
    for name, (path, element) in SHOWN.items():
        (folder / name).mkdir(exist_ok=True)
        text = (SOURCE / path).read_text()
        (folder / name / "shown").write_text(re.search(rf"<{element}\b.*?</{element}>", text, re.DOTALL)[0])
    for name, paths in ROWS.items():
        (folder / name).mkdir()
        for path in paths:
            lines = (SOURCE / path).read_text().splitlines(keepends=True)
            (folder / name / pathlib.Path(path).name).write_text("".join(lines[:2]))
    packed = gzip.compress(TEXTS["kineto"][0].encode(), mtime=0)
    (folder / "kineto/packed").write_bytes(packed)
    (folder / "huggingface").mkdir()
    for name in ("llama-3.1-8b", "qwen3-235b", "mixtral-8x22b"):
        (folder / "huggingface" / f"{name}.json").write_text(json.dumps(model_configs.MODELS[name][1]))
    write(program, folder)


def write(program, folder):
    """What @program writes itself."""
    def run(*words):
        subprocess.run([program, *map(str, words)], check=True, capture_output=True, cwd=folder)

    for name in ("chakra", "ti", "chakra-index", "tuning", "kernel-tables", "measured", "store"):
        (folder / name).mkdir()
    small = ["gpt3-125m", "dgx-a100-8", "--set=layers=2", "--set=dp=2", "--set=global-batch=4", "--set=micro-batch=2"]
    for form, take in (("chakra", "*.et"), ("ti", "*.0.ti")):
        run("export", form, *small, "--output=made")
        path = min((folder / "made").rglob(take), key=lambda path: path.stat().st_size)
        path.rename(folder / form / path.name)
        shutil.rmtree(folder / "made")
    run("export", "chakra", "--collapse", *small, "--output=made")
    (folder / "made/classes.json").rename(folder / "chakra-index/classes.json")
    shutil.rmtree(folder / "made")
    run("tune", "communication", "dgx-a100-8", "--bytes=1MiB", "--output=tuning/tuning.xml")
    (folder / "measured/rows.csv").write_text(test_kernel_tables.HEADER + "product,512,512,512,,bf16,,,0.004,,,,,,\n"
                                         "sweep,,,,,,,4096,0.0002,,,,,,\n")
    run("calibrate", "--kernels=measured/rows.csv", "--accelerator=h100-sxm", "--output=kernel-tables/table.xml")
    (folder / "study.xml").write_text(STUDY)
    run("sweep", "study.xml", "--store=store/one.sqlite")
    (folder / "study.xml").unlink()


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    make(os.path.abspath(sys.argv[1]), target.resolve())
    if len(sys.argv) > 3:
        write_dictionaries(pathlib.Path(sys.argv[3]))
