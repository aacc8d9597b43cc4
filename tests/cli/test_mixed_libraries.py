#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several libraries in one job: each collective takes what its library takes alone, by operation, size and group.

Environment: LIGHTPATH (the built program)."""
import json
import os
import random
import tempfile
import unittest
from xml.sax.saxutils import quoteattr

from command import run

ALPS = ("--system=generic", "--accelerators=8", "--domain-size=4", "--accelerator=gh200-96")
# Where CXI's and LINKx's tables cross: 93 KiB a peer.
MIXED = "alps-nccl; all-to-all: <=744KiB=alps-ompi-cxi, >744KiB=alps-ompi-linkx"
SINGLE = ("alps-nccl", "alps-ompi-cxi", "alps-ompi-linkx", "alps-mpich")


def answer(*words):
    done = run(*words, "--format=json")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class MixedTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "p.xml")
        self.alone = {}
        self.addCleanup(self.directory.cleanup)

    def program_s(self, library, calls, *more):
        """An iteration of @calls, (operation, bytes, class) one after the other."""
        ops = "".join(f'<{operation} group="{group}" bytes="{size}B"/>' for operation, size, group in calls)
        groups = "".join(f'<groups name="{name}" size="8" class="{name}"/>' for name in ("dp", "ep"))
        with open(self.path, "w", encoding="utf-8") as stream:
            stream.write(f'<program name="p" ranks="8" library={quoteattr(library)} library-switch="none">{groups}'
                         f'<ranks list="0-7">{ops}</ranks></program>')
        return answer("simulate", self.path, *ALPS, *more)["simulated"]["iteration_time_s"]

    def alone_s(self, library, operation, size):
        key = library, operation, size
        if key not in self.alone:
            run, = answer("collective", operation, *ALPS, f"--library={library}", f"--bytes={size}B")["runs"]
            self.alone[key] = run["time_s"]
        return self.alone[key]

    def check_sum(self, library, calls, wanted_s):
        for more in ((), ("--collapse=off",), ("--fidelity=message",), ("--fidelity=message", "--collapse=off")):
            self.assertAlmostEqual(self.program_s(library, calls, *more) / wanted_s, 1, delta=1e-6, msg=str(more))

    def test_sum(self):
        calls = (("all-to-all", 65536, "ep"), ("all-to-all", 8 << 20, "ep"), ("all-reduce", 16 << 20, "dp"),
                 ("all-to-all", 744 << 10, "ep"), ("all-to-all", (744 << 10) + 8, "ep"))
        by = ("alps-ompi-cxi", "alps-ompi-linkx", "alps-nccl", "alps-ompi-cxi", "alps-ompi-linkx")
        wanted_s = sum(self.alone_s(library, *call[:2]) for library, call in zip(by, calls, strict=True))
        self.check_sum(MIXED, calls, wanted_s)

    def test_group(self):
        calls = (("all-to-all", 1 << 20, "ep"), ("all-to-all", 1 << 20, "dp"))
        both_s = self.alone_s("alps-mpich", "all-to-all", 1 << 20), self.alone_s("alps-ompi-cxi", "all-to-all", 1 << 20)
        self.check_sum("alps-nccl; all-to-all: alps-mpich; all-to-all@ep: alps-ompi-cxi", calls, sum(both_s))
        self.check_sum("all-to-all@dp: alps-mpich; all-to-all@ep: alps-mpich", calls, 2 * both_s[0])

    def test_best(self):
        """With free switches and calls in a row, the best library for each call is no slower than any alone."""
        generator = random.Random(41)
        for _ in range(12):
            calls = []
            for _ in range(generator.randint(1, 6)):
                operation = generator.choice(("all-to-all", "all-reduce"))
                calls.append((operation, 8 * int(2 ** generator.uniform(7, 20)), "ep"))
            parts, best_s = [], 0.0
            for operation in sorted({call[0] for call in calls}):
                sizes = sorted({size for name, size, _ in calls if name == operation})
                best = [min(SINGLE, key=lambda name: self.alone_s(name, operation, size)) for size in sizes]
                ranges = [f"<={size}B={name}" for size, name in zip(sizes, best, strict=True)]
                parts.append(f"{operation}: {' '.join(ranges)} >{sizes[-1]}B={best[-1]}")
                best_s += sum(self.alone_s(best[sizes.index(size)], operation, size)
                              for name, size, _ in calls if name == operation)
            mixed_s = self.program_s("alps-nccl; " + "; ".join(parts), calls)
            self.assertAlmostEqual(mixed_s / best_s, 1, delta=1e-6)
            self.assertLessEqual(mixed_s, min(self.program_s(name, calls) for name in SINGLE) * (1 + 1e-9))

    def test_transformer(self):
        """A mix of one library is that library; one by group changes what its groups do, and nothing else."""
        words = ("simulate", "glam-64e", "--system=dgx-a100", "--accelerators=64", "--set", "tp=4", "--set", "dp=16",
                 "--set", "pp=1", "--set", "ep=16", "--set", "expert-tp=1", "--set", "layers=4", "--set", "global-batch=16", "--set",
                 "micro-batch=1", "--ignore-memory")
        def terms(library, *more):
            return answer(*words, "--set", f"library={library}", *more)["simulated"]
        ampere, plain = terms("nccl-ampere"), terms("single-ring")
        same = terms("nccl-ampere; all-reduce: nccl-ampere; all-to-all@ep: <=1MiB=nccl-ampere >1MiB=nccl-ampere")
        self.assertEqual(same["iteration_time_s"], ampere["iteration_time_s"])
        mixed = "nccl-ampere; all-to-all@ep: single-ring; all-gather@tp: single-ring"
        some = terms(mixed)
        self.assertNotEqual(some["iteration_time_s"], ampere["iteration_time_s"])
        self.assertNotEqual(some["iteration_time_s"], plain["iteration_time_s"])
        for fidelity in ("flow", "message"):
            by_classes, each = (terms(mixed, f"--fidelity={fidelity}", f"--collapse={collapse}")["iteration_time_s"]
                                for collapse in ("on", "off"))
            self.assertAlmostEqual(by_classes / each, 1, delta=1e-6)

    def test_closed_form(self):
        """Alone on free links, each collective by its own library in both: by operation, class and size."""
        path = os.path.join(self.directory.name, "w.xml")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write('<workload name="w"><transformer layers="2" hidden="1024" ffn="4096" heads="16" seq="512" '
                         'vocab="32000" experts="8" top-k="2"/><plan dp="8" ep="8" framework="none" zero="0" '
                         'micro-batch="1" global-batch="8"/><options overlap-dp="no"/></workload>')
        seen = set()
        for library in ("single-ring", *SINGLE, MIXED, "single-ring; all-to-all@ep: alps-mpich; all-to-all: alps-nccl",
                        "alps-ompi-cxi; all-reduce: <=64MiB=single-ring >64MiB=alps-nccl",
                        "alps-mpich; all-reduce@dp: alps-nccl; all-to-all@dp: alps-ompi-cxi"):
            for more in (("zero=0",), ("zero=1",), ("zero=0", "seq=64"), ("zero=0", "hidden=256", "vocab=1000")):
                words = (path, *ALPS, "--ignore-memory", "--set", f"library={library}",
                         *(word for setting in more for word in ("--set", setting)))
                found, estimated = answer("simulate", *words), answer("estimate", *words)
                for key in ("dp", "ep"):
                    both_s = [found[form]["terms_s"][key] for form in ("simulated", "closed_form")]
                    self.assertAlmostEqual(both_s[0] / both_s[1], 1, delta=1e-9, msg=f"{library} {more} {key}")
                    seen.add((key, f"{both_s[0]:.9g}"))
                self.assertEqual(found["closed_form"]["terms_s"], estimated["closed_form"]["terms_s"])
                said = [text for text in estimated["warnings"] if text.startswith("libraries: closed forms take each")]
                self.assertEqual(len(said), ";" in library, estimated["warnings"])
        self.assertGreater(len(seen), 16)

    def test_traces(self):
        """A trace and the program that is made of it have the same libraries."""
        calls = (("all-to-all", 65536, "ep"), ("all-to-all", 8 << 20, "ep"), ("all-reduce", 16 << 20, "dp"))
        wanted_s = self.program_s(MIXED, calls)
        traces, again = (os.path.join(self.directory.name, name) for name in ("traces", "again.xml"))
        self.assertEqual(run("export", "chakra", self.path, *ALPS, "-o", traces).returncode, 0)
        files = sorted(os.path.join(traces, name) for name in os.listdir(traces) if name.endswith(".et"))
        self.assertEqual(run("import", "chakra", *files, "-o", again).returncode, 0)
        got_s = answer("simulate", again, *ALPS)["simulated"]["iteration_time_s"]
        self.assertAlmostEqual(got_s / wanted_s, 1, delta=1e-9)

    def test_refused(self):
        self.program_s("alps-nccl", (("all-reduce", 1024, "dp"),))
        for text, part in (("alps-nccl; all-to-all: nobody", 'library: "nobody" is not one of'),
                           ("alps-nccl; all-to-al: alps-mpich", "the nearest is all-to-all"),
                           ("alps-nccl; all-to-all: <=1KiB=alps-mpich", "sizes above the last"),
                           ("alps-nccl; all-to-all: <=2KiB=alps-mpich >1KiB=alps-mpich", "overlaps"),
                           ("a" * 3000, "more than 2047 bytes")):
            for words in (("simulate", self.path, *ALPS), ("workload", "describe", "gpt3-1.3b")):
                done = run(*words, "--set", "library=" + text)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r"\Alightpath: [^\n]+\n\Z")
                self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
