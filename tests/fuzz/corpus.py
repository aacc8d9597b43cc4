# SPDX-License-Identifier: Apache-2.0
"""Files to begin with, for each reader of tests/fuzz/readers.c: shipped ones, and some that are made.

usage: corpus.py LIGHTPATH FOLDER, which gets a folder for each reader"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

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
    "kernels": ["model/kernels/complex-rotary.xml", "model/kernels/mask-dispatch.xml"],
    "machine": ["platforms/dgx-a100-8.xml", "platforms/generic-16.xml", "platforms/polaris-64.xml"],
    "study": ["docs/studies/rings.xml", "docs/studies/rotors.xml"],
    "routing": ["tests/sim/routing-loads.csv"],
    "table": ["validation/grouped.csv"],
}
# Large catalogues, of which the first entries do.
CUT = {"accelerators": ("platforms/accelerators.xml", "</accelerator>", "</accelerators>"),
       "framework": ("workloads/frameworks.xml", "  </framework>", "</frameworks>"),
       "technologies": ("platforms/technologies.xml", "</transceiver>", "</technologies>"),
       "libraries": ("platforms/libraries.xml", "</library>", "</libraries>"),
       "reliability": ("platforms/reliability.xml", None, None)}
# Documents with a file of the kind in them, and its element.
SHOWN = {"mixers": ("docs/ways/layers.md", "kernels"), "framework": ("docs/ways/framework.md", "frameworks"),
         "steps": ("docs/collectives.md", "algorithms")}
# Tables, of which the header and the first rows do.
ROWS = {"rows": ["validation/training.csv", "validation/gemm.csv", "validation/collectives.csv", "validation/users.csv"]}
STUDY = """<study name="one" command="collective"><workload name="all-reduce"/><machine name="dgx-a100-8"/>
<options bytes="1MiB"/></study>"""
TEXTS = {
    "setting": ["tp=8", "schedule=interleaved", "overlap-dp=yes", "slowdown=1.2", "stage-layers=1,2,3",
                "library=a; all-to-all@ep: <=744KiB=b, >744KiB=c", "rank-order=tp-cp-ep-dp-pp",
                "selective=norms,ffn", "layer-pattern=5*window+1*full", "memory-reserve=4GB"],
    "quantity": ["25GBps", "200 Gb/s", "1us", "5min", "1.5e-3 s", "312Tf", "3kUSD", "4pJ/bit"],
    "values": ["1|2|4", "1..8", "0..0.3+0.1", "25GBps..800GBps*2"],
    "calibration": ["""<?xml version="1.0"?>\n<calibration>\n  <constant owner="a100-80" name="gemm-efficiency" """
                    """value="0.8" fitted-on="a: 3"/>\n</calibration>\n"""],
    "msccl": [test_step_lists.msccl_ring(2), test_step_lists.msccl_pairs(3)],
    "groups": ['{"1": [0, 1], "2": [2, 3]}', '{"pp": []}'],
    "kineto": [test_kineto.two_kernels().text(),
               test_kineto.two_kernels().call(6).collective(1505, 100).text()],
}


def make(program, folder):
    """Fills @folder, which is there: a folder for each reader."""
    for name, patterns in SHIPPED.items():
        (folder / name).mkdir()
        for pattern in patterns:
            for path in sorted(SOURCE.glob(pattern)):
                (folder / name / path.name).write_bytes(path.read_bytes())
    for name, (path, end, last) in CUT.items():
        (folder / name).mkdir()
        text = (SOURCE / path).read_text()
        if end is not None and end in text:
            text = text[:text.index(end) + len(end)] + "\n" + last + "\n"
        (folder / name / pathlib.Path(path).name).write_text(text)
    for name, texts in TEXTS.items():
        (folder / name).mkdir()
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
            (folder / name / pathlib.Path(path).name).write_text("".join(lines[:4]))
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
