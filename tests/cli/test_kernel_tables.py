#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measured kernels of the user's machine: calibrate --kernels, --kernels-table and --products.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import tempfile
import unittest

from command import Case

HEADER = "kernel,m,k,n,count,precision,share,bytes,seconds,tflops,GBps,of_peak,name,size,whose\n"
JOB = ["llama-3-8b", "dgx-h100-64", "--set", "dp=64"]


class Tables(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.csv, self.xml = self.folder / "kernels.csv", self.folder / "table.xml"

    def kernels(self, *words):
        return json.loads(self.taken("workload", "kernels", *JOB, *words, "--format=json"))["kernels"]

    def calibrate(self, rows, *words):
        self.csv.write_text(HEADER + rows)
        return self.taken("calibrate", f"--kernels={self.csv}", "--accelerator=h100-sxm", "-o", self.xml, *words)

    def test_table(self):
        """Measured kernels take what was measured, products near them follow, and all others stay."""
        before = self.kernels()
        launch_s = 14e-6
        up = next(k for k in before if k["kernel"] == "up" and k["pass"] == "forward")
        flash = next(k for k in before if k["kernel"] == "flash" and k["pass"] == "forward")
        norm = next(k for k in before if k["kernel"] == "norm" and k["block"] == "ffn")
        rows = (f"product,{up['m']},{up['k']},{up['n']},,bf16,,,0.004,,,,,,\n"
                f"attention,{flash['m']},{flash['k']},{flash['n']},{flash['products']},bf16,{flash['share']},{flash['bytes']},0.005,,,,,,torch\n"
                f"sweep,,,,,,,{norm['bytes']},0.0002,,,,,,\n")
        told = json.loads(self.calibrate(rows, "--format=json"))["kernels"]
        self.assertEqual([(k["kernel"], k["rows"], k["sizes"]) for k in told],
                         [("product", 1, 1), ("attention", 1, 1), ("sweep", 1, 1)])
        for row, kernel, time_s in ((told[0], up, 0.004), (told[1], flash, 0.005), (told[2], norm, 0.0002)):
            self.assertAlmostEqual(row["measured_over_model"] * (kernel["time_s"] - launch_s) / time_s, 1, 6)
            self.assertAlmostEqual(row["model"]["worst"], abs((kernel["time_s"] - launch_s) / time_s - 1), 6)
        after = self.kernels(f"--kernels-table={self.xml}")
        wanted_s = {"up": 0.004, "flash": 0.005, "norm": 0.0002}
        ways = set()
        for old, new in zip(before, after):
            times = dict.fromkeys(("time_s", "timed_by", "all_s", "time_share", "bound_by"))
            self.assertEqual({**old, **times}, {**new, **times})
            ways.add(new["timed_by"])
            if new["timed_by"] == "model":
                self.assertEqual(old["time_s"], new["time_s"])
            same = [k for k in (up, flash, norm) if all(k.get(n) == new.get(n) for n in ("m", "k", "n", "bytes"))]
            if new["timed_by"] == "measured" and same:
                self.assertAlmostEqual((new["time_s"] - launch_s) / wanted_s[same[0]["kernel"]], 1, 6)
        self.assertEqual(ways, {"model", "interpolated", "measured"})
        run_s = [json.loads(self.taken("simulate", *JOB, "--no-difference", "--format=json", *more))["simulated"]["terms_s"]["compute"]
                 for more in ([], [f"--kernels-table={self.xml}"])]
        self.assertNotEqual(*run_s)
        self.assertIn("h100-sxm (modified)", self.taken("estimate", *JOB, f"--kernels-table={self.xml}"))
        # An accelerator without a table is as it was.
        other = ["estimate", "llama-3-8b", "dgx-a100-1024", "--set", "dp=64", "--format=json"]
        self.assertEqual(self.taken(*other), self.taken(*other, f"--kernels-table={self.xml}"))

    def test_rates(self):
        """The same kernel as a time, a rate, a share of the peak: one table."""
        flop = 2 * 4096 ** 3
        tables = set()
        for text in (f",{flop / 400e12:.17g},,,,,", "400,,,", "of_peak"):
            fields = {"kernel": "product", "m": "4096", "k": "4096", "n": "4096", "precision": "bf16"}
            fields |= {"of_peak": f"{400e12 / 989.4e12:.17g}"} if text == "of_peak" else (
                {"tflops": "400"} if text == "400,,," else {"seconds": f"{flop / 400e12:.17g}"})
            self.calibrate(",".join(fields.get(c, "") for c in HEADER.strip().split(",")) + "\n")
            tables.add(self.xml.read_text())
        self.assertEqual(len(tables), 1)

    def test_alone(self):
        """What ran alone is compared with the rate alone, and takes in training as much longer as that is higher."""
        row = "product,16384,4096,14336,,bf16,,,0.003,,,,,,\n"
        ups = []
        for words in ([], ["--alone"]):
            self.calibrate(row, *words)
            ups.append(next(k for k in self.kernels(f"--kernels-table={self.xml}") if k["kernel"] == "up"))
        self.assertAlmostEqual(ups[0]["time_s"], 0.003 + 14e-6, 9)
        # h100-sxm: 0.65 in training, 0.82 alone; no memory limits this product.
        self.assertAlmostEqual(ups[1]["time_s"], 0.003 * 0.82 / 0.65 + 14e-6, 9)

    def test_products(self):
        """--products is what the accelerator's own attribute is, on a machine that has a name, too."""
        machine = ["--system=dgx-h100", "--accelerators=64", "--set", "dp=64", "--no-difference", "--format=json"]
        as_option = json.loads(self.taken("simulate", "llama-3-8b", *machine, "--gemm-efficiency=0.48"))
        as_share = json.loads(self.taken("--products=0.48", "simulate", "llama-3-8b", *machine))
        self.assertEqual(as_option["simulated"], as_share["simulated"])
        named = json.loads(self.taken("simulate", *JOB, "--no-difference", "--format=json", "--products=0.48"))
        self.assertEqual(named["simulated"]["terms_s"]["compute"], as_share["simulated"]["terms_s"]["compute"])
        self.assertIn("h100-sxm (modified)", self.taken("estimate", *JOB, "--products=0.48"))
        self.refused(2, "--products: ", "estimate", *JOB, "--products=1.5")
        self.refused(2, "--products: given twice", "estimate", *JOB, "--products=0.5", "--products=0.6")
        self.refused(2, "beside --products", "estimate", "llama-3-8b", "--system=dgx-h100", "--accelerators=64",
                     "--gemm-efficiency=0.5", "--products=0.5")

    def test_faults(self):
        """Each fault is a line that names the file and its line."""
        line = ["calibrate", f"--kernels={self.csv}", "--accelerator=h100-sxm"]
        self.refused(1, "kernels.csv: No such file", *line)
        for rows, part in (("", "kernels.csv: got no rows, wanted kernels"),
                           ("gemm,1,1,1,,bf16,,,1,,,,,,\n", "kernels.csv:2: column kernel: got \"gemm\""),
                           ("product,1,1,0,,bf16,,,1,,,,,,\n", "kernels.csv:2: column n: "),
                           ("product,1,1,1,,b16,,,1,,,,,,\n", "kernels.csv:2: column precision: "),
                           ("product,1,1,1,4,bf16,,,1,,,,,,\n", "kernels.csv:2: column count: "),
                           ("product,1,1,1,,bf16,,,1,2,,,,,\n", "wanted one of seconds, tflops"),
                           ("stream,,,,,,,1e6,,3,,,,,\n", "kernels.csv:2: column tflops: "),
                           ("named,,,,,,,,1,,,,,4,\n", "kernels.csv:2: column name: ")):
            self.csv.write_text(HEADER + rows)
            self.refused(1, part, *line)
        self.refused(2, "got no --accelerator", *line[:2])
        self.refused(1, "the nearest is h100-sxm", *line[:2], "--accelerator=h100-sx")
        self.refused(2, "beside --kernels", *line, "--cases=x.csv")
        table = '<kernels>\n<table accelerator="h100-sx" source="x">\n<product m="1" k="1" n="1" precision="bf16" time="1"/>\n</table>\n</kernels>\n'
        for text, part in ((table, "table.xml:2: <table> accelerator: "),
                           (table.replace("h100-sx", "h100-sxm"), "table.xml:3: <product> time: "),
                           (table.replace("h100-sx", "h100-sxm").replace('time="1"', 'time="1us" count="3"'), "table.xml:3: <product> count: "),
                           ("<machines/>", "got no <kernels>")):
            self.xml.write_text(text)
            self.refused(1, part, "estimate", *JOB, f"--kernels-table={self.xml}")
        self.refused(1, "nowhere.xml: No such file", "estimate", *JOB, "--kernels-table=nowhere.xml")


if __name__ == "__main__":
    unittest.main()
