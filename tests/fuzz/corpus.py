# SPDX-License-Identifier: Apache-2.0
"""Files to begin with, for each reader of tests/fuzz/readers.c: shipped ones, and some that are made.

usage: corpus.py LIGHTPATH FOLDER, which gets a folder for each reader"""
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/cli"))
import model_configs  # noqa: E402
import test_kineto  # noqa: E402

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
CUT = {"technologies": ("platforms/technologies.xml", "</transceiver>", "</technologies>"),
       "libraries": ("platforms/libraries.xml", "</library>", "</libraries>"),
       "reliability": ("platforms/reliability.xml", None, None)}
TEXTS = {
    "setting": ["tp=8", "schedule=interleaved", "overlap-dp=yes", "slowdown=1.2", "stage-layers=1,2,3",
                "library=a; all-to-all@ep: <=744KiB=b, >744KiB=c", "rank-order=tp-cp-ep-dp-pp",
                "selective=norms,ffn", "layers=5*window+1*full", "memory-reserve=4GB"],
    "quantity": ["25GBps", "200 Gb/s", "1us", "5min", "1.5e-3 s", "312Tf", "3kUSD", "4pJ/bit"],
    "values": ["1|2|4", "1..8", "0..0.3+0.1", "25GBps..800GBps*2"],
    "calibration": ["""<?xml version="1.0"?>\n<calibration>\n  <constant owner="a100-80" name="gemm-efficiency" """
                    """value="0.8" fitted-on="a: 3"/>\n</calibration>\n"""],
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
    (folder / "huggingface").mkdir()
    for name in ("llama-3.1-8b", "qwen3-235b", "mixtral-8x22b"):
        (folder / "huggingface" / f"{name}.json").write_text(json.dumps(model_configs.MODELS[name][1]))
    for form in ("chakra", "ti"):
        made = folder / f"{form}-made"
        subprocess.run([program, "export", form, "gpt3-125m", "dgx-a100-8", "--set=layers=2", "--set=dp=2",
                        "--set=global-batch=4", "--set=micro-batch=2", f"--output={made}"],
                       check=True, capture_output=True)
        (folder / form).mkdir()
        path = min((path for path in made.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
        (folder / form / path.name).write_bytes(path.read_bytes())
        for path in sorted(made.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        made.rmdir()


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    make(sys.argv[1], target)
