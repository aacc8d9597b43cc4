#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath characterize: calls and bytes are those of the published formulas, exactly; what it
prints of time adds up to what simulate says.

The formulas are written here from the papers, not from the program:
- Anthony et al., HOTI 2024 (arXiv 2408.10197): volumes of data parallelism, ZeRO 1 to 3, tensor and
  pipeline parallelism and experts, for GPT-NeoX of 19M to 13B;
- Korthikanti et al. (arXiv 2205.05198), 4.2.2: sequence parallelism;
- Narayanan et al., SC 2021, 2.2 and 4.1: virtual stages, scattered messages.

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import sys
import unittest
import xml.etree.ElementTree

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# One bucket for all: the files of GPT-NeoX have several, and DeepSpeed's sums.
BARE = ("framework=none", "library=single-ring", "zero-variant=standard", "overlap-dp=no",
        "overlap-param=no", "bucket=100TB")
X = 2  # bytes of an fp16 or bf16 element
# Models of the HOTI paper: layers, width, and volumes worked out by hand from its formulas: of data
# parallelism (GB), of a layer's gather (MB) and of a message (MB).
NEOX = {"gpt-neox-19m": (6, 512, 0.076, 6.3, 2.1), "gpt-neox-125m": (12, 768, 0.65, 14.2, 3.1),
        "gpt-neox-1.3b": (24, 2048, 5.66, 101, 8.4), "gpt-neox-13b": (40, 5120, 52.4, 629, 21)}
SEQ, VOCAB = 2048, 50304


def characterize(workload, *settings, platform=(), options=()):
    line = ["characterize", workload, *platform, "--format=json", *options]
    done = run(*line, *(f"--set={setting}" for setting in settings))
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{line} {settings}: {done.stderr}")
    return json.loads(done.stdout)


def bare(workload, settings):
    """@settings beat BARE."""
    all_of = dict(setting.split("=", 1) for setting in (*BARE, *settings.split()))
    return characterize(workload, *("=".join(pair) for pair in all_of.items()))


def layer_parameters(h):
    return 12 * h * h + 13 * h


def rows(result, parallelism):
    """{operation: row} of the rows that are no vocabulary's."""
    found = {}
    for row in result["operations"]:
        if row["parallelism"] == parallelism:
            assert row["operation"] not in found, row
            found[row["operation"]] = row
    return found


def same_number(bytes_, n, whole):
    """Whether @bytes_ is @whole / @n, as exactly as a double can say."""
    return bytes_ == whole / n


class Formulas(unittest.TestCase):
    def check(self, row, ranks, calls, size, times):
        """@times: the buffer, over @ranks, is sent so often by one rank: 2(n-1) of all-reduce."""
        self.assertEqual((row["ranks"], row["calls"]), (ranks, calls), row)
        self.assertEqual(row["buffer_bytes"], calls * size, row)
        whole = times * calls * size
        self.assertTrue(same_number(row["bytes"], ranks, whole), row)
        self.assertEqual(sum(bin_["calls"] for bin_ in row["histogram"]), row["calls"])
        self.assertEqual(sum(bin_["buffer_bytes"] for bin_ in row["histogram"]),
                         row["buffer_bytes"])
        for bin_ in row["histogram"]:
            self.assertEqual(bin_["below_bytes"], 2 * bin_["from_bytes"])
            mean = bin_["buffer_bytes"] / bin_["calls"]
            self.assertTrue(bin_["from_bytes"] <= mean < bin_["below_bytes"], bin_)

    def parameters(self, layers, h):
        return layers * layer_parameters(h) + 2 * h + 2 * VOCAB * h  # untied, rotary

    def test_data_parallel(self):
        """2(n-1)/n P x; printed volumes are those of many replicas."""
        for name, (layers, h, published_gb, _, _) in NEOX.items():
            p, n = self.parameters(layers, h), 8
            dp = rows(bare(name, f"dp={n} micro-batch=1 global-batch={n} zero=0"), "dp")
            self.assertEqual(list(dp), ["all-reduce"], name)
            self.check(dp["all-reduce"], n, 1, p * X, 2 * (n - 1))
            counted = p if published_gb > 0.1 else layers * layer_parameters(h)
            digits = len(str(published_gb).split(".")[1])
            self.assertEqual(round(2 * counted * X * 1e-9, digits), published_gb, name)

    def test_zero_1_and_2(self):
        for name, (layers, h, *_) in NEOX.items():
            size, n = self.parameters(layers, h) * X, 16
            for stage in (1, 2):
                settings = f"dp={n} micro-batch=1 global-batch={n} zero={stage} "
                dp = rows(bare(name, settings + "zero-variant=standard"), "dp")
                self.assertEqual(sorted(dp), ["all-gather", "reduce-scatter"], name)
                for row in dp.values():
                    self.check(row, n, 1, size, n - 1)
                dp = rows(bare(name, settings + "zero-variant=deepspeed"), "dp")
                self.check(dp["all-reduce"], n, 1, size, 2 * (n - 1))
                self.check(dp["all-gather"], n, 1, size, n - 1)
                self.assertTrue(same_number(sum(row["bytes"] for row in dp.values()), n,
                                            3 * (n - 1) * size))

    def test_zero_3(self):
        """Gathered forward and backward, reduced once, layer by layer: 3(n-1)/n P x."""
        for name, (layers, h, _, layer_mb, _) in NEOX.items():
            size, n = layer_parameters(h) * X, 8
            settings = f"dp={n} micro-batch=1 global-batch={n} zero=3 "
            for more in ("", "recompute=none ", "overlap-dp=yes overlap-param=yes "):
                dp = rows(bare(name, settings + more + "embedding=no"), "dp")
                self.check(dp["all-gather"], n, 2 * layers, size, n - 1)
                self.check(dp["reduce-scatter"], n, layers, size, n - 1)
            self.assertAlmostEqual(size * 1e-6 / layer_mb, 1.0, delta=0.006, msg=name)
            dp = rows(bare(name, settings), "dp")
            whole = self.parameters(layers, h) * X
            self.assertEqual(dp["all-gather"]["buffer_bytes"], 2 * whole)
            self.assertEqual(dp["reduce-scatter"]["buffer_bytes"], whole)
            # layers, embedding, and the head with the last norm
            self.assertEqual(dp["reduce-scatter"]["calls"], layers + 2)

    def test_tensor_parallel(self):
        """Two all-reduces of b s h x forward and two backward for each layer and micro-batch, and two
        more where all is computed again."""
        for name, (layers, h, _, _, message_mb) in NEOX.items():
            t, m, b = 4, 3, 2
            size = b * SEQ * h * X
            self.assertAlmostEqual(SEQ * h * X * 1e-6 / message_mb, 1.0, delta=0.02, msg=name)
            for recompute, n in (("none", 4), ("full", 6)):
                result = bare(name, f"tp={t} dp=1 micro-batch={b} global-batch={m * b} zero=0 "
                                    f"recompute={recompute}")
                self.check(rows(result, "tp")["all-reduce"], t, n * layers * m, size, 2 * (t - 1))

    def test_sequence_parallel(self):
        """All-gather and reduce-scatter for each all-reduce, and two more gathers a layer in the
        backward pass: a quarter more bytes. Once an all-reduce of the gradients of norms and of
        biases behind sums, 6 h a layer, and of the last norm's."""
        for name, (layers, h, *_) in NEOX.items():
            t, m, size = 4, 2, SEQ * h * X
            plain, sequence = (
                rows(bare(name, f"tp={t} dp=1 micro-batch=1 global-batch={m} zero=0 recompute=none "
                                f"sequence-parallel={yes}"), "tp") for yes in ("no", "yes"))
            self.check(sequence["all-gather"], t, 6 * layers * m, size, t - 1)
            self.check(sequence["reduce-scatter"], t, 4 * layers * m, size, t - 1)
            self.assertEqual(sequence["all-gather"]["bytes"] + sequence["reduce-scatter"]["bytes"],
                             1.25 * plain["all-reduce"]["bytes"])
            self.check(sequence["all-reduce"], t, 1, (6 * layers + 2) * h * X, 2 * (t - 1))

    def test_pipeline(self):
        """2 m v b s h x of a stage between others; over all stages 2 m (p v - 1)."""
        for name, (layers, h, *_) in NEOX.items():
            p, size = (4 if layers % 8 == 0 else 3), SEQ * h * X
            for v, schedule in ((1, "gpipe"), (1, "1f1b"), (2, "interleaved")):
                m = 2 * p
                result = bare(name, f"pp={p} dp=1 micro-batch=1 global-batch={m} zero=0 "
                                    f"schedule={schedule} virtual-stages={v}")
                send = rows(result, "pp")["send"]
                self.check(send, 2, 2 * m * v, size, 2)
                self.assertEqual(send["all_bytes"], 2 * m * (p * v - 1) * size, (name, schedule))

    def test_scattered_messages(self):
        """Each rank sends 1/t of a boundary, which the receivers gather."""
        layers, h, *_ = NEOX["gpt-neox-1.3b"]
        t, p, m, size = 2, 3, 6, SEQ * h * X
        result = bare("gpt-neox-1.3b", f"tp={t} pp={p} dp=1 micro-batch=1 global-batch={m} zero=0 "
                                       "scatter-gather=yes recompute=none")
        self.check(rows(result, "pp")["send"], 2, 2 * m, size // t, 2)
        self.check(rows(result, "tp")["all-gather"], t, 2 * m, size, t - 1)
        self.check(rows(result, "tp")["all-reduce"], t, 4 * layers // p * m, size, 2 * (t - 1))

    def test_experts(self):
        """4 L m (n-1)/n b s h k x: tokens to two experts and back, forward and backward."""
        n, m, p, layers, h, seq, k = 8, 4, 4, 32, 4096, 4096, 2
        result = bare("mixtral-8x7b", f"dp={n} ep={n} pp={p} micro-batch=1 global-batch={n * m} "
                                      "virtual-stages=1 schedule=1f1b")
        self.check(rows(result, "ep")["all-to-all"], n, 4 * layers // p * m, seq * h * k * X, n - 1)

    def test_combined(self):
        """All at once, in every rank order: each is what it is alone, of its share."""
        layers, h, *_ = NEOX["gpt-neox-1.3b"]
        t, p, n, m, b = 4, 3, 2, 6, 2
        size = b * SEQ * h * X
        for order in ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"):
            result = bare("gpt-neox-1.3b",
                          f"tp={t} pp={p} dp={n} micro-batch={b} global-batch={n * m * b} zero=0 "
                          f"rank-order={order} recompute=full embedding=no")
            self.check(rows(result, "tp")["all-reduce"], t, 6 * layers // p * m, size, 2 * (t - 1))
            self.check(rows(result, "pp")["send"], 2, 2 * m, size, 2)
            # Of norms and of biases behind sums each rank has all, 6 h a layer.
            own = (layer_parameters(h) - 6 * h) // t + 6 * h
            self.check(rows(result, "dp")["all-reduce"], n, 1, layers // p * own * X, 2 * (n - 1))


class Shipped(unittest.TestCase):
    """Shipped GPT models with the plans of their papers."""

    def attributes(self, path):
        root = xml.etree.ElementTree.parse(path).getroot()
        found = {}
        for element in root:
            if element.tag in ("transformer", "plan", "options"):
                found.update(element.attrib)
        return found

    def test_gpt(self):
        n_checked = 0
        for path in sorted((SOURCE / "workloads").glob("*.xml")):
            if not path.stem.startswith(("gpt3-", "megatron-", "korthikanti-", "opt-", "mt-nlg-")):
                continue
            a = self.attributes(path)
            layers, h, p, t, dp, b, v = (int(a[key]) for key in (
                "layers", "hidden", "pp", "tp", "dp", "micro-batch", "virtual-stages"))
            m = int(a["global-batch"]) // (b * dp)
            result = bare(path.stem, "overlap-tp=no")
            size = b * int(a["seq"]) * h * X
            with self.subTest(path.stem):
                tp, pp = rows(result, "tp"), rows(result, "pp")
                scattered = a.get("scatter-gather") == "yes" and p > 1
                if t > 1 and a["sequence-parallel"] == "no":
                    again = 6 if a["recompute"] == "full" else 4
                    self.assertEqual(tp["all-reduce"]["calls"], again * layers // p * m)
                    self.assertEqual(tp["all-reduce"]["buffer_bytes"], again * layers // p * m * size)
                    if scattered and p > 2:
                        self.assertEqual(tp["all-gather"]["calls"], 2 * m * v)
                elif t > 1:
                    self.assertEqual(tp["all-gather"]["calls"], 6 * layers // p * m)
                    self.assertEqual(tp["reduce-scatter"]["calls"], 4 * layers // p * m)
                if p > 1:
                    parts = t if scattered or a["sequence-parallel"] == "yes" else 1
                    self.assertEqual(pp["send"]["largest_bytes"], size // parts)
                    self.assertEqual(pp["send"]["calls"], (2 * v if p > 2 else 2 * v - 1) * m)
                    self.assertEqual(pp["send"]["all_bytes"],
                                     2 * m * (p * v - 1) * size // parts * t * dp)
                self.assertEqual(set(tp), set() if t == 1 else set(tp))
            n_checked += 1
        self.assertGreater(n_checked, 20)

    def test_every_workload(self):
        """Each shipped workload is told apart without a machine."""
        names = [path.stem for path in sorted((SOURCE / "workloads").glob("*.xml"))
                 if path.stem not in ("frameworks", "workloads.gresource")]
        self.assertGreater(len(names), 40)
        for name in names:
            with self.subTest(name):
                result = characterize(name)
                self.assertTrue(result["operations"])
                totals = {row["parallelism"]: 0 for row in result["operations"]}
                for row in result["operations"]:
                    totals[row["parallelism"]] += row["all_bytes"]
                self.assertEqual({row["parallelism"]: row["all_bytes"]
                                  for row in result["parallelisms"]}, totals)


class Machine(unittest.TestCase):
    JOBS = (("gpt3-175b", "dgx-a100-1024", ("global-batch=128",)),
            ("mixtral-8x7b", "dgx-h100-64", ()),
            ("gpt-neox-13b", "polaris-64", ("framework=fsdp", "zero=3", "zero-variant=standard")),
            ("llama-3-8b", "dgx-h100-64", ("dp=16", "tp=4", "global-batch=64")))

    def simulate(self, workload, platform, settings):
        done = run("simulate", workload, platform, "--format=json", "--ignore-memory",
                   *(f"--set={setting}" for setting in settings))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_against_simulate(self):
        """The engine moves the bytes that are counted, and takes the same time. Communication that
        nothing hides is in flight as long as the path waits for it, or longer elsewhere."""
        for workload, platform, settings in self.JOBS:
            with self.subTest(workload):
                simulated = self.simulate(workload, platform, (*settings, "library=single-ring"))
                result = characterize(workload, *settings, "library=single-ring",
                                      platform=[platform], options=["--ignore-memory"])
                for key in ("iteration_time_s", "terms_s", "mfu", "tokens_per_s"):
                    self.assertEqual(result["simulated"][key], simulated["simulated"][key])
                plain = characterize(workload, *settings, "library=single-ring")
                self.assertEqual([row["calls"] for row in plain["operations"]
                                  if row["parallelism"] != "ep"],
                                 [row["calls"] for row in result["operations"]
                                  if row["parallelism"] != "ep"])
                counted = {row["parallelism"]: row["all_bytes"] for row in result["parallelisms"]}
                self.assertEqual(counted, {key: value for key, value
                                           in simulated["traffic_bytes"].items() if value > 0})

    def test_bandwidth(self):
        """Bus bandwidth is what a rank sends over the time in flight; a lone ring of eight over
        NVSwitch has that of one alone: bytes over time that `collective` says."""
        settings = ("tp=8", "pp=1", "dp=1", "micro-batch=1", "global-batch=2", "zero=0",
                    "recompute=none", *BARE)
        result = characterize("gpt-neox-1.3b", *settings, platform=["dgx-a100-8"])
        row = rows(result, "tp")["all-reduce"]
        alone = json.loads(run("collective", "all-reduce", "dgx-a100-8", "--ranks=8",
                               f"--bytes={row['largest_bytes']}B", "--library=single-ring",
                               "--format=json").stdout)["runs"][0]
        self.assertAlmostEqual(row["seconds"] / (row["calls"] * alone["time_s"]), 1.0, delta=1e-9)
        self.assertAlmostEqual(row["bus_bytes_per_s"] / (row["bytes"] / row["seconds"]), 1.0,
                               delta=1e-12)
        self.assertAlmostEqual(row["bus_bytes_per_s"] / row["algorithmic_bytes_per_s"],
                               2 * 7 / 8, delta=1e-12)
        terms = result["simulated"]["terms_s"]
        in_flight = sum(row["seconds"] for row in result["operations"])
        self.assertAlmostEqual(in_flight / terms["tp"], 1.0, delta=1e-9)

    def test_collapse(self):
        """What is left out of the engine took the same time as what is not."""
        settings = ("tp=4", "pp=3", "dp=4", "micro-batch=1", "global-batch=24", "zero=0", *BARE)
        on, off = (characterize("gpt-neox-1.3b", *settings, platform=["polaris-64"],
                                options=[f"--collapse={collapse}"]) for collapse in ("on", "off"))
        for one, other in zip(on["operations"], off["operations"]):
            self.assertAlmostEqual(one["seconds"] / other["seconds"], 1.0, delta=1e-6, msg=one)


class Sweeps(unittest.TestCase):
    def sweep(self, *arguments, settings=BARE):
        return characterize("gpt-neox-1.3b", *settings, *arguments[1:],
                            options=[f"--sweep={arguments[0]}"])["sweep"]

    def test_bytes(self):
        """Tensor parallelism grows with the tokens, data parallelism with the parameters."""
        plan = ("tp=2", "dp=4", "zero=0", "micro-batch=1", "global-batch=8")
        points = self.sweep("seq", *plan)["points"]
        self.assertEqual([point["value"] for point in points],
                         ["512", "1024", "2048", "4096", "8192"])
        for one, two in zip(points, points[1:]):
            self.assertEqual(two["traffic_bytes"]["tp"], 2 * one["traffic_bytes"]["tp"])
            self.assertEqual(two["traffic_bytes"]["dp"], one["traffic_bytes"]["dp"])
            self.assertEqual(two["tokens"], 2 * one["tokens"])
        points = self.sweep("layers=6,12,24", *plan, "embedding=no")["points"]
        for one, two in zip(points, points[1:]):
            for parallelism in ("tp", "dp"):
                self.assertEqual(two["traffic_bytes"][parallelism],
                                 2 * one["traffic_bytes"][parallelism])

    def test_hidden(self):
        """Heads keep their width, and the feed-forward network its proportion."""
        points = self.sweep("hidden=1024,2048,4096", "tp=1", "dp=2", "embedding=no")["points"]
        self.assertEqual([point["parameters"] for point in points],
                         [24 * layer_parameters(h) for h in (1024, 2048, 4096)])

    def test_throughput(self):
        """On a machine each point is what simulate says of it; what cannot run says why."""
        result = characterize("gpt-neox-1.3b", *BARE, "dp=16", "global-batch=64",
                              platform=["polaris-64"], options=["--sweep=micro-batch=1,2,3,4"])
        points = result["sweep"]["points"]
        self.assertIn("global-batch", points[2]["reason"])
        for value, point in ((1, points[0]), (4, points[3])):
            done = run("simulate", "gpt-neox-1.3b", "polaris-64", "--format=json",
                       *(f"--set={setting}" for setting in (*BARE, "dp=16", "global-batch=64",
                                                            f"micro-batch={value}")))
            simulated = json.loads(done.stdout)["simulated"]
            for key in ("iteration_time_s", "tokens_per_s", "mfu", "terms_s"):
                self.assertEqual(point[key], simulated[key])


class Errors(unittest.TestCase):
    def test_one_line(self):
        for arguments, status, part in (
                (["gpt-neox-19m", "--sweep=sec"], 2, "the nearest is seq"),
                (["gpt-neox-19m", "--sweep=seq="], 2, "--sweep"),
                (["gpt-neox-19m", "--sweep=seq=0"], 1, "--sweep=seq=0"),
                (["gpt-neox-19m", "--sweep=seq=nan,-1"], 1, "nan"),
                (["gpt-neox-19m", "--sweep=seq=" + "1," * 70], 2, "at most 64"),
                (["gpt-neox-19m", "--sweep="], 2, "--sweep"),
                (["gpt-neox-19m", "--plan=fit"], 2, "a platform"),
                (["gpt-neox-19m", "--jobs=0"], 2, "--jobs"),
                (["two-jobs"], 1, "is a scenario"),
                (["no-such-model"], 1, "workload list"),
                (["gpt-neox-19m", "no-such-machine"], 1, "platform list"),
                (["gpt-neox-19m", "polaris-64", "--set=dp=128", "--set=micro-batch=2"], 1, "128 ranks"),
                ([], 2, "characterize")):
            done = run("characterize", *arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""), arguments)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith("lightpath: "))
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
