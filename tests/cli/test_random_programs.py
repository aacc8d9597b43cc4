#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs by hand on links that take no time, against a scheduler of a few lines: an operation begins
when all have ended that docs/program-format.md says it waits for, and takes its whole seconds. Programs in which
something never ends are refused.

    test_random_programs.py [--all]     more are drawn

Environment: LIGHTPATH (the built program)."""
import json
import pathlib
import random
import sys
import tempfile
import unittest

from command import run

N_DRAWN = 1500 if "--all" in sys.argv else 60
# Messages and collectives of a few bytes at 10^15 bytes/s.
ROUNDING_S = 1e-6
COMPUTE = "compute"


class Drawn:
    """Ranks in sections, each with a list of operations that is repeated."""

    def __init__(self, generator):
        self.draw = generator
        self.n_ranks, self.times = generator.choice([1, 2, 3, 4, 6, 8]), generator.choice([1, 1, 2, 3])
        self.queues = [COMPUTE, "qa", "qb", "qc"][:generator.choice([1, 2, 3, 4])]
        ranks = list(range(self.n_ranks))
        generator.shuffle(ranks)
        n_sections = 1 if generator.random() < 0.5 else generator.randint(1, self.n_ranks)
        self.sections = [sorted(ranks[i::n_sections]) for i in range(n_sections)]
        self.section = {rank: i for i, of in enumerate(self.sections) for rank in of}
        self.ops = [[] for _ in self.sections]
        self.groups = [self.draw_groups() for _ in range(generator.choice([0, 1, 2]) if self.n_ranks > 1 else 0)]
        self.queue_of = [generator.choice(self.queues) for _ in self.groups]
        for tag in range(generator.randint(1, 14)):
            self.draw_operation(tag)
        for ops in self.ops:
            self.draw_after(ops)

    def draw_groups(self):
        """All ranks in one group, or in several of two and more."""
        ranks = list(range(self.n_ranks))
        self.draw.shuffle(ranks)
        n = self.draw.choice([1, 2, 3])
        parts = [sorted(ranks[i::n]) for i in range(n)]
        return parts if min(map(len, parts)) > 1 else [sorted(ranks)]

    def draw_operation(self, tag):
        kind, draw = self.draw.random(), self.draw
        if kind < 0.45:
            draw.choice(self.ops).append({"kind": "compute", "seconds": draw.randint(1, 9),
                                          "queue": draw.choice(self.queues)})
        elif kind < 0.7 and self.groups:
            i = draw.randrange(len(self.groups))
            for ops in self.ops:
                ops.append({"kind": "all-reduce", "group": i, "queue": self.queue_of[i]})
        elif kind < 0.9 and self.n_ranks > 1:
            sender, receiver = draw.sample(range(self.n_ranks), 2)
            ends = [self.section[sender], self.section[receiver]]
            if any(len(self.sections[end]) > 1 for end in ends):
                return
            self.ops[ends[0]].append({"kind": "send", "peer": receiver, "tag": tag, "queue": draw.choice(self.queues)})
            self.ops[ends[1]].append({"kind": "receive", "peer": sender, "tag": tag, "queue": COMPUTE})
        elif len(self.queues) > 1:
            waited = draw.choice(self.queues[1:])
            draw.choice(self.ops).append({"kind": "wait", "for": waited, "left": draw.choice([0, 0, 1, 2]),
                                          "queue": draw.choice([name for name in self.queues if name != waited])})

    def draw_after(self, ops):
        """Mostly of what stands before; now and then a circle."""
        named = [place for place, op in enumerate(ops) if op["kind"] != "wait"]
        for place in named:
            if self.draw.random() < 0.4:
                ops[place]["after"] = [other for other in named if other != place and self.draw.random() < 0.3 and
                                       (other < place or self.draw.random() < 0.03)]

    def element(self, op, place):
        text = f'<{op["kind"]}' + (f' queue="{op["queue"]}"' if op["queue"] != COMPUTE else "")
        if op["kind"] == "wait":
            return text + f' for="{op["for"]}" left="{op["left"]}"/>'
        text += f' id="i{place}"'
        if "after" in op:
            text += f' after="{" ".join(f"i{other}" for other in op["after"])}"'
        return text + {"compute": ' time="{seconds}s"/>', "all-reduce": ' group="g{group}" bytes="64B"/>',
                       "send": ' to="{peer}" tag="{tag}" bytes="64B"/>',
                       "receive": ' from="{peer}" tag="{tag}" bytes="64B"/>'}[op["kind"]].format(**op)

    def text(self):
        groups = "".join(f'<groups name="g{i}">' + "".join(f'<group ranks="{",".join(map(str, part))}"/>'
                                                           for part in parts) + "</groups>\n"
                         for i, parts in enumerate(self.groups))
        sections = "".join(
            f'<ranks list="{",".join(map(str, ranks))}"><repeat times="{self.times}">' +
            "".join(self.element(op, place) for place, op in enumerate(ops)) + "</repeat></ranks>\n"
            for ranks, ops in zip(self.sections, self.ops))
        return f'<program name="drawn" ranks="{self.n_ranks}" library="single-ring">\n{groups}{sections}</program>\n'

    def awaited(self, rank, time, place):
        """What an operation waits for, as (rank, repetition, place)."""
        ops = self.ops[self.section[rank]]
        op = ops[place]

        def last(queue, n_times, end):
            """The last of @queue before @end of this repetition, or of those before."""
            for repetition in range(time, time - n_times - 1, -1):
                places = [i for i, other in enumerate(ops) if other["queue"] == queue and
                          (repetition < time or i < end)]
                if places and repetition >= 0:
                    return [(rank, repetition, places[-1])]
            return []
        found = last(op["queue"], time, place)
        if "after" not in op:
            found += last(COMPUTE, 0, place)
        if time > 0:
            found += last(COMPUTE, time, 0)
        found += [(rank, time, other) for other in op.get("after", [])]
        if op["kind"] == "wait":
            before = [(rank, repetition, i) for repetition in range(time + 1) for i, other in enumerate(ops)
                      if other["queue"] == op["for"] and other["kind"] != "wait" and (repetition < time or i < place)]
            found += before[:len(before) - op["left"]][-1:]
        return found

    def schedule(self):
        """Seconds of the whole; None: it never ends."""
        todo = [(rank, time, place) for rank in range(self.n_ranks) for time in range(self.times)
                for place in range(len(self.ops[self.section[rank]]))]
        calls, sent, end_s, came_s = {}, {}, {}, {}
        for rank, time, place in todo:
            op = self.ops[self.section[rank]][place]
            if op["kind"] == "all-reduce":
                part = next(tuple(part) for part in self.groups[op["group"]] if rank in part)
                nth = sum(key[0] == rank for keys in [calls.get((op["group"], part), [])] for key in keys)
                calls.setdefault((op["group"], part), []).append((rank, nth, (rank, time, place)))
            elif op["kind"] == "send":
                sent[rank, op["peer"], op["tag"], time] = (rank, time, place)
        together = {key: [other for _, n, other in keys if n == nth]
                    for keys in calls.values() for _, nth, key in keys}
        moved = True
        while moved:
            moved = False
            for key in [key for key in todo if key not in end_s]:
                rank, time, place = key
                op, awaited = self.ops[self.section[rank]][place], self.awaited(*key)
                if op["kind"] == "receive":
                    awaited = awaited + [sent[op["peer"], rank, op["tag"], time]]
                if key in end_s or not all(other in end_s for other in awaited):
                    continue
                start_s = max((end_s[other] for other in awaited), default=0)
                if op["kind"] == "all-reduce":
                    came_s[key] = start_s
                    if all(other in came_s for other in together[key]):
                        end_s.update(dict.fromkeys(together[key], max(came_s[other] for other in together[key])))
                        moved = True
                    continue
                end_s[key] = start_s + op.get("seconds", 0)
                moved = True
        return max(end_s.values(), default=0) if len(end_s) == len(todo) else None


class RandomPrograms(unittest.TestCase):
    def test_drawn(self):
        generator = random.Random(41)
        n_ended = n_refused = 0
        with tempfile.TemporaryDirectory() as folder:
            machine, path = pathlib.Path(folder, "m.xml"), pathlib.Path(folder, "p.xml")
            made = run("platform", "generate", "--system=generic", "--accelerators=16", "--domain-size=16",
                             "--domain-bandwidth=1000000GBps", "--domain-latency=0s", "-o", machine)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            while n_ended < N_DRAWN:
                drawn = Drawn(generator)
                wanted_s = drawn.schedule()
                if wanted_s == 0:
                    continue
                path.write_text(drawn.text())
                for collapse, fidelity in (("on", "flow"), ("off", "message")):
                    with self.subTest(program=drawn.text(), collapse=collapse):
                        done = run("simulate", path, machine, "--format=json", f"--collapse={collapse}",
                                         f"--fidelity={fidelity}")
                        if wanted_s is None:
                            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
                            self.assertRegex(done.stderr, "cycle of dependencies|waits for ever|does not send")
                            continue
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertAlmostEqual(json.loads(done.stdout)["simulated"]["iteration_time_s"], wanted_s,
                                               delta=ROUNDING_S)
                n_refused, n_ended = n_refused + (wanted_s is None), n_ended + (wanted_s is not None)
        self.assertGreater(n_refused, N_DRAWN / 60)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
