#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Own collective algorithms as lists of steps: those that are built in, written down, take the same time; what does not do what the
operation promises is refused, by step and member.

Environment: LIGHTPATH (the built program)."""
import json
import os
import random
import sys
import tempfile
import unittest

from command import run

ALL = "--all" in sys.argv
N_DRAWN = 400 if ALL else 60
MACHINES = {"domain": ("--system=generic", "--accelerators=8", "--domain-size=8"),
            "cards": ("--system=generic", "--accelerators=8", "--domain-size=1", "--scale-out-latency=3us"),
            "both": ("--system=dgx-a100", "--accelerators=8", "--domain-size=4")}


def reduce_scatter(n):
    """A ring's: at step k member i passes on the sum of chunk i - k."""
    return [[(i, (i + 1) % n, [(i - k - 1) % n], "yes") for i in range(n)] for k in range(n - 1)]


def all_gather(n):
    return [[(i, (i + 1) % n, [(i - k) % n], "no") for i in range(n)] for k in range(n - 1)]


def halves(n, member=lambda place: place):
    """Recursive halving of a power of two, and doubling back; @member: who stands at a place."""
    down, up, width = [], [], n // 2
    while width:
        def half(place, width=width):
            return [c for c in range(n) if c // width == place // width]
        down.append([(member(p), member(p ^ width), half(p ^ width), "yes") for p in range(n)])
        up.insert(0, [(member(p), member(p ^ width), half(p), "no") for p in range(n)])
        width //= 2
    return down, up


def reversed_bits(place):
    """Of eight: neighbours swap the most, as in built-in all-reduces."""
    return (place & 1) << 2 | place & 2 | place >> 2


def pairs(n):
    return [[(i, i ^ d, [i * n + (i ^ d)], "no") for i in range(n)] for d in range(1, n)]


def tree(n, sums):
    """A binomial tree to the first member, or from it."""
    steps, width = [], 1
    while width < n:
        steps.append([(i + width, i, [0], "yes") for i in range(0, n, 2 * width)])
        width *= 2
    return steps if sums else [[(to, source, chunks, "no") for source, to, chunks, _ in step] for step in reversed(steps)]


def text(operation, n, steps, chunks=None, name="own"):
    sends = "".join("<step>" + "".join(f'<send from="{a}" to="{b}" chunks="{",".join(map(str, c))}" sum="{s}"/>' for a, b, c, s in step)
                    + "</step>" for step in steps)
    size = "" if operation == "all-to-all" else f' chunks="{chunks or n}"'
    return f'<algorithm name="{name}" operation="{operation}" ranks="{n}"{size}>{sends}</algorithm>'


def document(*algorithms):
    return "<algorithms><source>a test</source>" + "".join(algorithms) + "</algorithms>"


def spoil(generator, n, steps, n_chunks):
    """Changes one send, or the order of two steps."""
    step = generator.choice(steps)
    place, other = generator.randrange(len(step)) if step else 0, generator.randrange(len(steps))
    kind = generator.choice(("drop", "twice", "chunk", "to", "sum", "order"))
    if kind == "order":
        at = steps.index(step)
        steps[at], steps[other] = steps[other], steps[at]
    elif step:
        source, to, chunks, sums = step[place]
        changed = {"drop": [], "twice": [step[place]] * 2, "chunk": [(source, to, [generator.randrange(n_chunks)], sums)],
                   "to": [(source, (source + generator.randint(1, n - 1)) % n, chunks, sums)],
                   "sum": [(source, to, chunks, "no" if sums == "yes" else "yes")]}
        step[place:place + 1] = changed[kind]


SUMS = ("all-reduce", "reduce-scatter", "reduce")


def begin(operation, n, n_chunks):
    """What each member has of each chunk: summands, or whose data it is; nothing: None."""
    owner = {"all-gather": lambda c: c * n // n_chunks, "broadcast": lambda c: 0, "all-to-all": lambda c: c // n}.get(operation)
    return [[{m} if owner is None or owner(c) == m else None for c in range(n_chunks)] for m in range(n)]


def promised(operation, n, n_chunks, member, chunk):
    """What @member has to have of @chunk at the end; None: anything."""
    if operation in ("all-gather", "broadcast"):
        return {chunk * n // n_chunks} if operation == "all-gather" else {0}
    if operation == "all-to-all":
        return {chunk // n} if chunk % n == member else None
    is_for = operation == "all-reduce" or member == (chunk * n // n_chunks if operation == "reduce-scatter" else 0)
    return set(range(n)) if is_for else None


def does(operation, n, n_chunks, steps):
    """Whether every member ends with what the operation promises."""
    held = begin(operation, n, n_chunks)
    for step in steps:
        before, written = [[None if one is None else set(one) for one in chunks] for chunks in held], {}
        for source, to, chunks, sums in step:
            if source == to:
                return False
            for chunk in chunks:
                carried, known = before[source][chunk], written.get((to, chunk))
                if carried is None or known is not None and "no" in (known, sums) or sums == "yes" and operation not in SUMS:
                    return False
                if sums == "yes" and (held[to][chunk] or set()) & carried:
                    return False
                held[to][chunk] = carried | (held[to][chunk] or set()) if sums == "yes" else set(carried)
                written[to, chunk] = sums
    return all(promised(operation, n, n_chunks, m, c) in (None, held[m][c]) for m in range(n) for c in range(n_chunks))


def draw_sums(generator, n, roots):
    """Chunks are summed up on the way to their roots, each summand once."""
    alive = [set(range(n)) for _ in roots]
    steps = []
    while any(len(members) > 1 for members in alive):
        step = []
        for chunk, members in enumerate(alive):
            if len(members) == 1 or generator.random() < 0.2:
                continue
            senders = [m for m in members if m != roots[chunk] and generator.random() < 0.5] or [next(m for m in members if m != roots[chunk])]
            receivers = sorted(members - set(senders))
            step += [(sender, generator.choice(receivers), [chunk], "yes") for sender in sorted(senders)]
            members -= set(senders)
        steps.append(step)
    return steps


def draw_spread(generator, n, holders, wanted):
    """Chunks go from whoever has them to whoever has not, until those of @wanted have them."""
    steps = []
    while any(not wanted[chunk] <= members for chunk, members in enumerate(holders)):
        step = []
        for chunk, members in enumerate(holders):
            lacking = sorted((wanted[chunk] if generator.random() < 0.7 else set(range(n))) - members)
            coming = [m for m in lacking if generator.random() < 0.6] if not wanted[chunk] <= members else []
            step += [(generator.choice(sorted(members)), m, [chunk], "no") for m in coming]
            holders[chunk] = members | set(coming)
        steps.append(step)
    return steps


def draw_list(generator, operation, n):
    """A list of steps that does the operation. Returns: chunks, steps."""
    n_chunks = {"all-to-all": n * n, "broadcast": generator.randint(1, 4), "reduce": generator.randint(1, 4)}.get(
        operation, n * generator.randint(1, 2))
    every = [set(range(n))] * n_chunks
    if operation in SUMS:
        roots = [{"reduce": 0, "reduce-scatter": c * n // n_chunks}.get(operation, generator.randrange(n)) for c in range(n_chunks)]
        steps = draw_sums(generator, n, roots)
        return n_chunks, steps + (draw_spread(generator, n, [{root} for root in roots], every) if operation == "all-reduce" else [])
    holders = [next(m for m in range(n) if begin(operation, n, n_chunks)[m][c]) for c in range(n_chunks)]
    wanted = [{c % n} for c in range(n_chunks)] if operation == "all-to-all" else every
    return n_chunks, draw_spread(generator, n, [{holder} for holder in holders], wanted)


def msccl(n, blocks_of, scratch=0, operation="allreduce"):
    """@blocks_of(rank): (partner to, partner from, steps), these (type, source, target, tb, step that is waited for)."""
    gpus = ""
    for rank in range(n):
        blocks = ""
        for i, (to, source, steps) in enumerate(blocks_of(rank)):
            blocks += f'<tb id="{i}" send="{to}" recv="{source}" chan="0">' + "".join(
                f'<step s="{k}" type="{kind}" srcbuf="{a[0]}" srcoff="{a[1:]}" dstbuf="{b[0]}" dstoff="{b[1:]}" cnt="1" depid="{tb}" deps="{dep}" '
                'hasdep="0"/>' for k, (kind, a, b, tb, dep) in enumerate(steps)) + "</tb>"
        gpus += f'<gpu id="{rank}" i_chunks="{n}" o_chunks="{n}" s_chunks="{scratch}">{blocks}</gpu>\n'
    return f'<algo name="an algorithm" nchunksperloop="{n}" nchannels="1" proto="Simple" ngpus="{n}" coll="{operation}" inplace="1">\n{gpus}</algo>'


def msccl_ring(n):
    def blocks(rank):
        steps = [("s", rank - 1), *((("rrs" if k < n - 1 else "rrcs"), rank - 1 - k) for k in range(1, n)),
                 *(("rcs", rank - k) for k in range(1, n - 1)), ("r", rank + 1)]
        return [((rank + 1) % n, (rank - 1) % n, [(kind, f"i{c % n}", f"i{c % n}", -1, -1) for kind, c in steps])]
    return msccl(n, blocks)


def msccl_pairs(n):
    """Parts go to scratch, one thread block sums them up, and all send their sum on."""
    def blocks(rank):
        peers = [peer for peer in range(n) if peer != rank]
        sums = [("nop", "i0", "i0", tb, 1) for tb in range(1, n - 1)] + [("re", f"s{peer}", f"i{rank}", -1, -1) for peer in peers]
        for tb, peer in enumerate(peers):
            steps = [("s", f"i{peer}", f"s{rank}", -1, -1), ("r", f"i{rank}", f"s{peer}", -1, -1), *(sums if tb == 0 else [])]
            steps += [("s", f"i{rank}", f"i{rank}", *((-1, -1) if tb == 0 else (0, 1 + len(sums)))), ("r", f"i{peer}", f"i{peer}", -1, -1)]
            yield peer, peer, steps
    return msccl(n, blocks, n)


class StepListsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.directory.name, "own.xml")
        self.addCleanup(self.directory.cleanup)

    def write(self, content, path=None):
        with open(path or self.path, "w", encoding="utf-8") as stream:
            stream.write(content)
        return path or self.path

    def run_program(self, *words):
        return run(*words)

    def runs(self, operation, machine, algorithm, *more):
        done = self.run_program("collective", operation, *MACHINES[machine], f"--algorithm={algorithm}", "--library=single-ring",
                                "--bytes=8B,1000B,64KiB,8MiB", "--format=json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["runs"]

    def check_equal(self, operation, steps, built_in, chunks=None, machines=tuple(MACHINES)):
        self.write(document(text(operation, 8, steps, chunks)))
        for machine in machines:
            for more in ((), ("--fidelity=message",), ("--collapse=off",), ("--fidelity=message", "--collapse=off")):
                own, known = self.runs(operation, machine, self.path, *more), self.runs(operation, machine, built_in, *more)
                for one, other in zip(own, known, strict=True):
                    place = f"{operation} {machine} {more} {one['bytes']}"
                    self.assertAlmostEqual(one["time_s"] / other["time_s"], 1, delta=1e-9, msg=place)
                    self.assertAlmostEqual(one["alone_s"] / other["alone_s"], 1, delta=1e-9, msg=place)
                    self.assertEqual(one["algorithm"], "own")

    def test_ring(self):
        """Where all connections are alike: in built-in rings senders wait for latencies, too."""
        for operation, steps in (("all-reduce", reduce_scatter(8) + all_gather(8)), ("reduce-scatter", reduce_scatter(8)),
                                 ("all-gather", all_gather(8))):
            self.check_equal(operation, steps, "ring", machines=("domain", "cards"))

    def test_halving(self):
        self.check_equal("all-reduce", sum(halves(8, reversed_bits), []), "halving-doubling")
        down, up = halves(8)
        self.check_equal("reduce-scatter", down, "halving-doubling")
        self.check_equal("all-gather", up, "halving-doubling")

    def test_pairs(self):
        self.check_equal("all-to-all", pairs(8), "pairwise")

    def test_one_chunk(self):
        """Recursive doubling swaps everything: a sum of what each had before the step."""
        steps = [[(i, i ^ width, [0], "yes") for i in range(8)] for width in (1, 2, 4)]
        self.check_equal("all-reduce", steps, "doubling", 1)

    def test_trees(self):
        """A binomial tree's steps follow each other."""
        self.write(document(text("broadcast", 8, tree(8, False), 1), text("reduce", 8, tree(8, True), 1)))
        for operation in ("broadcast", "reduce"):
            run = self.runs(operation, "cards", self.path)[-1]
            self.assertAlmostEqual(run["time_s"], 3 * (run["bytes"] / 25e9 + 2 * 3e-6), delta=1e-4 * run["time_s"])

    def test_workload(self):
        """By groups of a program, and by an attribute of a plan; operations without a list, and other numbers of ranks."""
        self.write(document(text("all-reduce", 8, reduce_scatter(8) + all_gather(8))))
        program = os.path.join(self.directory.name, "p.xml")

        def program_s(algorithm):
            self.write(f'<program name="p" ranks="8" library="single-ring"><groups name="all" size="8" algorithm="{algorithm}"/>'
                       '<ranks list="0-7"><all-reduce group="all" bytes="8MB"/><all-gather group="all" bytes="8MB"/></ranks></program>', program)
            done = self.run_program("simulate", program, *MACHINES["cards"], "--format=json")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["simulated"]["iteration_time_s"]
        self.assertAlmostEqual(program_s(self.path) / program_s("ring"), 1, delta=1e-9)
        words = ("simulate", "gpt3-125m", *MACHINES["cards"], "--set", "dp=8", "--set", "tp=1", "--set", "pp=1", "--set", "global-batch=8",
                 "--set", "micro-batch=1", "--set", "library=single-ring", "--ignore-memory", "--format=json")
        own, ring = (self.run_program(*words, "--set", f"algorithm-dp={algorithm}") for algorithm in (self.path, "ring"))
        self.assertEqual((own.returncode, ring.returncode), (0, 0), own.stderr + ring.stderr)
        own, ring = json.loads(own.stdout), json.loads(ring.stdout)
        self.assertAlmostEqual(own["simulated"]["iteration_time_s"] / ring["simulated"]["iteration_time_s"], 1, delta=1e-9)
        self.assertEqual(own["plan"]["algorithm-dp"], self.path)
        done = self.run_program(*words, "--set", f"algorithm-dp={self.path}", "--set", "dp=4", "--set", "global-batch=8")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Alightpath: .*algorithm-dp: got .*own.xml, which has no all-reduce of 4 ranks, wanted [^\n]+\n\Z")

    def check_refused(self, content, part):
        self.write(content)
        done = self.run_program("collective", "all-reduce", *MACHINES["cards"], f"--algorithm={self.path}", "--bytes=1MiB")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Alightpath: [^\n]+\n\Z")
        self.assertIn(part, done.stderr)

    def test_broken(self):
        ring = reduce_scatter(8) + all_gather(8)
        self.check_refused(document(text("all-reduce", 8, ring[:-1])),
                           "algorithm own: after step 12, the last: member 0: got 7 summands of chunk 1, wanted all 8")
        self.check_refused(document(text("all-reduce", 8, ring[1:])),
                           "algorithm own: after step 12, the last: member 0: got 7 summands of chunk 0, wanted all 8")
        twice = [*ring[:1], ring[0], *ring[1:]]
        self.check_refused(document(text("all-reduce", 8, twice)),
                           "algorithm own: step 1: member 1: got chunk 7 with a summand that it has already, wanted each once")
        self.check_refused(document(text("all-gather", 8, all_gather(8)[1:])),
                           "algorithm own: step 0: member 0: got chunk 7 to send, wanted one that has come before")
        self.check_refused(document(text("all-gather", 4, [[(0, 1, [0], "yes")]])), "step 0: member 1: got chunk 0 to sum")
        self.check_refused(document(text("broadcast", 3, [[(0, 1, [0], "no")], [(0, 2, [0], "no"), (1, 2, [0], "no")]], 1)),
                           "step 1: member 2: got chunk 0 twice")
        self.check_refused(document(text("all-reduce", 8, [[(0, 0, [0], "yes")]])), "step 0: member 0: got a message to itself")
        self.check_refused(document(text("all-reduce", 8, [[(0, 8, [0], "yes")]])), '<send> to: "8" is out of range')
        self.check_refused(document(text("all-reduce", 8, [[(0, 1, [8], "yes")]])), "<send> chunks: ")
        self.check_refused(document(text("barrier", 8, [])), "<algorithm> operation: got barrier")
        self.check_refused(document(text("all-gather", 8, [], 12)), "got 12 chunks, wanted as many for each of 8 ranks")
        self.check_refused(document(*[text("all-reduce", 8, ring)] * 2), "got a second all-reduce of 8 ranks")
        self.check_refused(document(text("all-reduce", 4, reduce_scatter(4) + all_gather(4))), "which has no all-reduce of 8 ranks")
        self.check_refused("<algorithms/>", "own.xml:1")
        os.remove(self.path)
        done = self.run_program("collective", "all-reduce", *MACHINES["cards"], f"--algorithm={self.path}", "--bytes=1MiB")
        self.assertRegex(done.stderr, r"\Alightpath: [^\n]+own.xml[^\n]+\n\Z")

    def test_drawn(self):
        """Lists of every operation with up to two faults: what is refused is what an execution in sets of members refuses."""
        generator, seen = random.Random(44), set()
        for _ in range(N_DRAWN):
            operation = generator.choice(("all-gather", "broadcast", "all-to-all", *SUMS))
            n = generator.choice((2, 3, 4, 5, 8))
            n_chunks, steps = draw_list(generator, operation, n)
            self.assertTrue(does(operation, n, n_chunks, steps))
            for _ in range(generator.choice((0, 0, 1, 2))):
                spoil(generator, n, steps, n_chunks)
            self.write(document(text(operation, n, steps, n_chunks)))
            done = self.run_program("collective", operation, "--system=generic", f"--accelerators={n}", "--domain-size=1",
                                    f"--algorithm={self.path}", "--bytes=1MiB")
            good = does(operation, n, n_chunks, steps)
            self.assertEqual(done.returncode == 0, good, f"{operation} {n_chunks} {steps} {done.stderr}")
            self.assertRegex(done.stderr, r"\A\Z" if good else r"\Alightpath: [^\n]+\n\Z")
            seen.add((operation, good))
        self.assertGreaterEqual(len(seen), 11)

    def test_msccl(self):
        """A ring whose steps receive, sum and send at once, and parts that are summed in scratch."""
        source = os.path.join(self.directory.name, "msccl.xml")
        for content, built_in in ((msccl_ring(8), "ring"), (msccl_pairs(8), "direct")):
            self.write(content, source)
            done = self.run_program("import", "msccl", source, "-o", self.path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for own, known in zip(self.runs("all-reduce", "domain", self.path), self.runs("all-reduce", "domain", built_in), strict=True):
                self.assertAlmostEqual(own["time_s"] / known["time_s"], 1, delta=1e-9)
                self.assertEqual(own["algorithm"], "an_algorithm")
        content = msccl_pairs(4)
        for old, new, part in (('send="1"', 'send="-1"', "sends to nobody"), ('coll="allreduce"', 'coll="custom"', "coll: \"custom\" is not one of"),
                               ('<gpu id="1"', '<gpu id="0"', "a second time"), ('srcoff="1"', 'srcoff="9"', "what has not come"),
                               ('type="r"', 'type="q"', "type: "), ('type="s"', 'type="nop"', "waits for ever"),
                               ('dstoff="1"', 'dstoff="7"', "beyond its buffer"), ('ngpus="4"', 'ngpus="1"', "ngpus")):
            self.write(content.replace(old, new, 1), source)
            done = self.run_program("import", "msccl", source)
            self.assertEqual((done.returncode, done.stdout), (1, ""), old)
            self.assertRegex(done.stderr, r"\Alightpath: [^\n]+msccl.xml:[0-9]+: [^\n]+\n\Z")
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
