#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The studies of docs/studies.md: some cases run anew give the rows of the CSV files to the last digit; pictures, and the tables
that pages show, are those of the rows; and what the pages say of them holds.

Environment: LIGHTPATH (the built program)."""
import itertools
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import command

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "docs/studies"))

import astrasim  # noqa: E402
import characterize  # noqa: E402
import days  # noqa: E402
import direct  # noqa: E402
import faults  # noqa: E402
import joules  # noqa: E402
import libraries  # noqa: E402
import machines  # noqa: E402
import mapping  # noqa: E402
import mixnet  # noqa: E402
import pods  # noqa: E402
import railonly  # noqa: E402
import rings  # noqa: E402
import rotors  # noqa: E402
import run  # noqa: E402
import substrates  # noqa: E402
import switching  # noqa: E402

STUDIES = {"machines": machines, "switching": switching, "characterize": characterize,
           "days": days, "substrates": substrates, "mapping": mapping, "joules": joules,
           "direct": direct, "mixnet": mixnet, "railonly": railonly, "rotors": rotors, "faults": faults, "pods": pods,
           "rings": rings, "libraries": libraries, "astrasim": astrasim}


class Studies(unittest.TestCase):
    maxDiff = None

    def test_small(self):
        """The command that makes all figures, on a few cases of each study: rows to the last digit, pictures, tables."""
        done = subprocess.run([sys.executable, SOURCE / "docs/studies/run.py", "all", "--small"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, f"{len(run.STUDIES)} studies are as their files say\n", ""))
        self.assertEqual(set(run.STUDIES), {*STUDIES, "opus"})
        for name in run.STUDIES:
            study = run.load(name)
            self.assertIn(f"(studies/{name}.md)", (SOURCE / "docs/studies.md").read_text())
            self.assertLess(0, len(study.FEW))
            if not run.sweep_file(name).exists():
                self.assertLessEqual(set(study.FEW), set(study.cases()))

    def test_stale(self):
        """A digit of a row is missed, and what follows from it."""
        stored = run.read_rows("joules")
        changed = [dict(row, iteration_time_s=row["iteration_time_s"][:-1] + str(9 - int(row["iteration_time_s"][-1])))
                   for row in stored]
        with unittest.mock.patch.object(run, "read_rows", lambda name: changed):
            found = run.differences("joules", 2)
        self.assertEqual(sum("not in its rows" in line for line in found), len(joules.MACHINES))

    def test_all_rows(self):
        """Each case has its rows, in order."""
        expected = [(workload, basis, machine) for workload, basis in machines.cases()
                    for machine in machines.MACHINES]
        self.assertEqual([(row["workload"], row["basis"], row["machine"])
                          for row in run.read_rows("machines")], expected)
        self.assertEqual([(row["model"], row["policy"], row["ports"], row["dead_time"])
                          for row in run.read_rows("switching")],
                         [tuple(map(str, row)) for model in switching.MODELS for row in switching.rows_of(model)])
        self.assertEqual([(row["figure"], row["network"], row["value"], row["spares"])
                          for row in run.read_rows("days")],
                         [tuple(map(str, case)) for case in days.cases()])
        self.assertEqual([(row["model"], row["option"], row["gpus"], row["machine"])
                          for row in run.read_rows("characterize")],
                         [(model, option, str(n), machine) for model, options, counts in (
                             *((model, characterize.ZERO, characterize.GPUS) for model in characterize.MODELS),
                             *((model, characterize.COMBINATIONS, characterize.DIVIDED_GPUS) for model in characterize.DIVIDED))
                          for option in options for n in counts for machine in characterize.MACHINES])
        of_mixnet = run.read_rows("mixnet")
        self.assertEqual({network: sum(row["network"] == network for row in of_mixnet) for network in mixnet.NETWORKS},
                         dict(zip(mixnet.NETWORKS, (9, 15, 3, 8, 2))))
        for name, columns, expected in (
                ("substrates", ("algorithm", "size", "factor", "network"),
                 (row for row in itertools.product(substrates.ALGORITHMS, substrates.SIZES, substrates.FACTORS,
                                                   ("substrate", "electrical"))
                  if row[1] == 8 or row[3] == "electrical")),
                ("mapping", ("case", "node", "cards", "batch", "mapping"),
                 [*(("mapping", 8, 8, *row) for row in itertools.product(mapping.BATCHES, mapping.MAPPINGS)),
                  *(("nodes", *node, 1024, f"PP {stages}") for node in mapping.NODES for stages in mapping.STAGES)]),
                ("railonly", ("out_gbps", "domain_gbps", "network"),
                 ((*rates, network) for rates in railonly.RATES for network in railonly.NETWORKS)),
                ("direct", ("workload", "ports", "network"),
                 itertools.product(direct.WORKLOADS, direct.PORTS, direct.NETWORKS)),
                ("rotors", ("model", "network", "dead_time"),
                 ((model, *row) for model in rotors.MODELS
                  for row in [("electrical", ""), *itertools.product(rotors.NETWORKS, rotors.DEAD_TIMES)])),
                ("rings", ("network", "group", "down"), itertools.product(rings.NETWORKS, rings.GROUPS, rings.DOWN)),
                ("pods", ("plan", "kernels", "factor", "network"),
                 ((*way, network) for way in pods.WAYS for network in pods.NETWORKS))):
            self.assertEqual([tuple(row[column] for column in columns) for row in run.read_rows(name)],
                             [tuple(map(str, one)) for one in expected])
        self.assertEqual([(row["workload"], row["machine"]) for row in run.read_rows("joules")],
                         [(workload, machine) for workload in joules.WORKLOADS
                          for machine in joules.MACHINES])

    def test_substrates(self):
        """AMPeD's form has its finding, up to four times; simulation and the consistent form agree
        where both sum gradients in one ring; no larger substrate and no more bandwidth is slower."""
        of = substrates.Results(run.read_rows("substrates"))
        self.assertAlmostEqual(of.gain("amped", 3072, 4), 4.0, delta=0.3)
        for size in substrates.SIZES:
            for factor in substrates.FACTORS:
                simulated, form = (of.value(name, size, factor, algorithm="ring")
                                   for name in ("simulated", "consistent"))
                self.assertAlmostEqual(simulated / form, 1.0, delta=1e-3)
        for form, algorithm in substrates.READINGS.values():
            for factor in substrates.FACTORS:
                gains = [of.gain(form, size, factor, algorithm=algorithm)
                         for size in substrates.SIZES]
                self.assertEqual(gains, sorted(gains))
            for size in substrates.SIZES:
                gains = [of.gain(form, size, factor, algorithm=algorithm)
                         for factor in substrates.FACTORS]
                self.assertEqual(gains, sorted(gains))

    def test_astrasim(self):
        """ASTRA-sim's times follow from its rules where they are not ours: a switch that stores and forwards, buffers that trees do
        not cut, collectives one at a time; and a port here where each pair has a link there."""
        rows = {row["case"]: (float(row["theirs_s"]), float(row["ours_s"])) for row in run.read_rows("astrasim")}
        self.assertEqual(list(rows), astrasim.cases())
        self.assertEqual(len(rows), 20)
        hop_s, whole_s = astrasim.HOP_NS * 1e-9, 40e6 / astrasim.RATE
        theirs = {"all-reduce, ring over a switch": 2e-3 + 14 * 2 * (whole_s / 8 + hop_s),
                  "all-reduce, double tree": 2e-3 + 6 * (whole_s + hop_s),
                  "two collectives at a time": 1e-3 + 14 * (whole_s / 8 + hop_s) + 3 * (whole_s / 4 + hop_s),
                  "all-to-all over a switch": rows["all-to-all over a switch"][1] + whole_s / 8}
        for case, wanted in theirs.items():
            self.assertAlmostEqual(rows[case][0] / wanted, 1, delta=2e-5, msg=case)
        # A message of the pipeline is an activation of 2,048 tokens of 768 numbers; three of eight micro-batches meet none.
        message_s = 2048 * 768 * 2 / astrasim.RATE
        self.assertAlmostEqual(rows["pp 4, 1F1B"][1] - rows["pp 4, 1F1B"][0], 5 * message_s, delta=5 * 2 * hop_s)
        # Two layers, four all-to-alls each, of 1,024 tokens of 4,096 numbers for two experts: over one link, or each pair's.
        exchange_s = 1024 * 4096 * 2 * 2 / 4 / astrasim.RATE
        self.assertAlmostEqual(rows["ep 4, dp 4"][1] - rows["ep 4, dp 4"][0], 8 * 2 * exchange_s, delta=8 * hop_s)
        others = rows.keys() - theirs.keys() - {"pp 4, 1F1B", "ep 4, dp 4", "all-to-all on a ring", "tp 2, pp 2, dp 4"}
        for case in others:
            self.assertAlmostEqual(rows[case][1] / rows[case][0], 1, delta=12e-6, msg=case)
        self.assertEqual(len(others), 12)

    def test_mapping(self):
        """AMPeD's findings: of what fits into memory, tensor parallelism inside nodes is best; across
        nodes it loses; with a card for eight accelerators pipelines overtake data parallelism."""
        rows = run.read_rows("mapping")
        for batch in mapping.BATCHES:
            fits = {name: float(row["simulated_s"] or row["consistent_s"])
                    for name, row in mapping.by_mapping(rows, batch).items()
                    if float(row["memory_gb"]) < 86.0}
            self.assertEqual(min(fits, key=fits.get).split(" / ")[0], "TP")
            self.assertGreater(fits["TP / TP 2, DP 8, PP 8"], 2.0 * fits["TP / DP 8, PP 16"])
        nodes = mapping.by_node(rows)
        for cards, ratio in ((8, 1.1), (1, 2.1)):
            data, pipeline = (float(nodes[8, cards, f"PP {stages}"]["simulated_s"])
                              for stages in (1, 16))
            self.assertGreater(data, pipeline)
            self.assertLess(data / pipeline, ratio)

    def test_libraries(self):
        """Mixed libraries gain little over the best one and much over the worst; hosts that wait cost more than events, and both
        are small; what is saved is saved on exchanges or on tensor parallelism; the published gain needs a slower NCCL."""
        rows = run.read_rows("libraries")
        for model in libraries.MODELS:
            for messages in libraries.MESSAGES:
                of = libraries.alone(rows, model, messages)
                self.assertEqual(min(of, key=of.get), libraries.NCCL)
                self.assertGreater(libraries.gain(rows, model, messages, max(of, key=of.get)), 0.5 if model == libraries.DENSE else 0.8)
                none, event, host = (libraries.time_s(rows, model, messages, libraries.MIXED, switch) for switch in ("none", "event", "host"))
                self.assertLessEqual(none, event)
                self.assertLessEqual(event, host)
                self.assertLess(host - none, 3e-4)
            gain = libraries.gain(rows, model, libraries.USUAL, libraries.NCCL)
            self.assertTrue(0.03 < gain / libraries.PUBLISHED[model] < 0.34, gain)
            saved = libraries.by_term(rows, model, libraries.USUAL)
            self.assertEqual(max(saved, key=saved.get), "tp" if model == libraries.DENSE else "ep")
        self.assertAlmostEqual(libraries.all_to_all_factor(rows), 3.0, delta=0.05)
        # The mix is the tuner's.
        for model, words in ((libraries.MOE, ("--system=lassen", "--accelerators=256", "--set=framework=none",
                                              f"--workload={SOURCE}/docs/studies/libraries-moe.xml",
                                              "--libraries=nccl-volta-switch,lassen-spectrum,lassen-mvapich2,mvapich2-gdr")),
                             (libraries.DLRM, ("--system=dgx-a100", "--accelerators=32", "--accelerator=a100-40", "--workload=dlrm",
                                               "--libraries=nccl-ampere,mvapich2-gdr,azure-mscclpp"))):
            done = command.run("tune", "communication", *words, check=True)
            weighed, = (line for line in done.stdout.splitlines() if line.startswith("  weighed"))
            self.assertAlmostEqual(float(weighed.split()[1]) / libraries.time_s(rows, model, libraries.USUAL, libraries.MIXED), 1, delta=1e-6)

    def test_joules(self):
        """The network is as fast whatever it is made of, and links by the byte are in the ratio of
        their energies per bit: 20, 21, 13, 12 pJ/bit."""
        for workload in joules.WORKLOADS:
            of = [row for row in run.read_rows("joules") if row["workload"] == workload]
            times = [float(row["iteration_time_s"]) for row in of]
            self.assertLess(max(times) / min(times), 1.0001)
            for row, energy in zip(of, (20, 21, 13, 12)):
                self.assertAlmostEqual(float(row["links_energy_j"]) / energy,
                                       float(of[0]["links_energy_j"]) / 20, delta=1e-6)

    def test_mixnet(self):
        """MixNet's findings: the fat tree depends on bandwidth as theirs does (one number fitted), MixNet is
        about as fast, flat in the dead time to 25 ms and worse from a second on, and 1.3 to 1.8 times as
        fast as one static topology in the mean over bandwidths: up to a sixth more than theirs, as a torus
        sends what goes half-way round one way only and TopoOpt's circuits are not published."""
        rows = run.read_rows("mixnet")
        for model in mixnet.MODELS:
            for gbps in mixnet.RATES:
                theirs, ours = mixnet.slowed(rows, model, gbps)
                self.assertAlmostEqual(ours / theirs, 1, delta=0.05)
                self.assertLess(mixnet.over_electrical(rows, model, gbps, mixnet.MIXNET, "25ms"), 1.08)
            theirs, ours = mixnet.mean_gain(rows, model)
            self.assertAlmostEqual(ours / theirs, 1, delta=1 / 6)
            self.assertTrue(1.3 < ours < 1.8)
        slowed = [mixnet.over_electrical(rows, mixnet.LARGE, 400, mixnet.MIXNET, time)
                  for time in mixnet.DEAD_TIMES]
        self.assertEqual(slowed[:5], sorted(slowed[:5]))
        self.assertLess(slowed[2] / slowed[0], 1.01)
        self.assertGreater(slowed[4] / slowed[0], 1.15)
        self.assertLess(mixnet.over_electrical(rows, mixnet.LARGE, 400, mixnet.WEIGHED, "1s"),
                        1.01 * slowed[0])

    def test_railonly(self):
        """What forwarding adds is the closed form's, and Rail-only's 8.2 to 11.2 % within a point."""
        rows = run.read_rows("railonly")
        for (out, domain), theirs in zip(railonly.RATES, (0.082, 0.112)):
            more = railonly.more(rows, out)
            self.assertAlmostEqual(more / railonly.closed_form(out, domain), 1.0, delta=0.03)
            self.assertAlmostEqual(more, theirs, delta=0.01)

    def test_pods(self):
        """Lightmatter's 1.00, 0.60, 0.37 at one speed of a package, within 0.03; where no experts leave
        their pod, a larger one is worth little."""
        rows = run.read_rows("pods")
        for network, theirs in pods.PUBLISHED.items():
            ours = pods.relative(rows, "512 experts over all", "roofline", 4, network)
            self.assertAlmostEqual(ours, theirs, delta=0.03)
        self.assertGreater(pods.relative(rows, "384 experts in 128", "roofline", 4, "light, 512"), 0.9)
        for row in rows:
            self.assertAlmostEqual(float(row["time_s"]) / float(row["closed_form_s"]), 1, delta=0.02)

    def test_rings(self):
        """InfiniteHBD's finding: less than a tenth of the waste of racks of 72 and of cubes of 64, at
        the mean of its trace; a switch for all is a bound; farther reach is never worse."""
        rows = run.read_rows("rings")
        for group in rings.GROUPS:
            ours = rings.waste(rows, "rings of 3 hops", group, rings.MEAN)
            for other in ("racks of 72", "cubes of 64", "cubes, divided"):
                self.assertLess(10 * ours, rings.waste(rows, other, group, rings.MEAN))
            self.assertAlmostEqual(rings.waste(rows, "racks of 72", group, "0"), 8 / 72, delta=1e-6)
            for down in rings.DOWN:
                wasted = [rings.waste(rows, network, group, down) for network in
                          ("a switch for all", "rings of 3 hops", "rings of 2 hops", "rings of 1 hop")]
                self.assertEqual(wasted, sorted(wasted))

    def test_direct(self):
        """Opus's prices; an ideal switch with the circuits' links is never slower than they are; more
        links are no slower; experts gain, and dense models are within 2 % of the tree."""
        rows = run.read_rows("direct")
        self.assertAlmostEqual(direct.TREE_LINK_USD, 4 * 879 + 3 * 582.796875)
        for workload in direct.WORKLOADS:
            last_s = float("inf")
            for ports in direct.PORTS:
                circuits, tree, ideal = direct.times(rows, workload, ports)
                self.assertLess(ideal, 1.0005 * circuits)
                self.assertLess(circuits, last_s * (1 + 1e-9))
                last_s = circuits
                if workload == "mixtral-8x7b":
                    self.assertLess(circuits, tree)
                else:
                    self.assertAlmostEqual(circuits / tree, 1.0, delta=0.02)

    def test_characterize(self):
        """What the document says of the third study: parts of a step sum to it, ZeRO 2 takes
        up to 1 % longer than ZeRO 1, the machines order options differently."""
        rows = run.read_rows("characterize")
        results = characterize.Results(rows)
        for row in rows:
            if row["iteration_time_s"]:
                parts = sum(float(row[part]) for part in characterize.TERMS)
                self.assertAlmostEqual(parts / float(row["iteration_time_s"]), 1.0, delta=1e-9)
        for model in characterize.MODELS:
            for n in characterize.GPUS:
                for machine in characterize.MACHINES:
                    one, two = (results.value("iteration_time_s", model, f"ZeRO {stage}", n, machine)
                                for stage in (1, 2))
                    self.assertTrue(one is None or one < two < 1.01 * one, (model, n, machine))
                speeds = [results.speed(model, "ZeRO 2", n, machine)
                          for machine in characterize.MACHINES]
                self.assertLess(speeds[0], speeds[1])
        options = list(characterize.COMBINATIONS)
        for n in characterize.DIVIDED_GPUS:
            self.assertEqual(results.order("gpt3-6.7b", options, n, "polaris")[-1], ["TP + DP"])
        self.assertEqual(results.order("gpt3-6.7b", options, 512, "dgx-a100"),
                         [["TP + DP"], ["TP + PP + DP"], ["PP + DP"]])
        for machine in characterize.MACHINES:
            self.assertEqual(results.order("gpt3-1.3b", characterize.ZERO, 8, machine)[0], ["ZeRO 3"])
        self.assertEqual(results.order("gpt3-125m", characterize.ZERO, 512, "dgx-a100")[-1],
                         ["ZeRO 3"])

    def test_equal_price(self):
        """Networks of equal price differ by less than a tenth; those of circuits, with two ports of
        a switch for each link, cost what Opus's constants make of them: 879 + 2 x 520 USD."""
        rows = {(row["basis"], row["machine"]): row for row in run.read_rows("machines")}
        prices = [float(rows["equal price", name]["price_usd"]) for name in machines.MACHINES]
        self.assertLess(max(prices) / min(prices), 1.1)
        self.assertEqual(float(rows["equal bandwidth", "ocs"]["price_usd"]), 128 * (879 + 2 * 520))
        self.assertAlmostEqual(float(rows["equal bandwidth", "ocs"]["power_w"]),
                               128 * (10 + 2 * 75 / 192))

    def test_dead_times(self):
        """A longer dead time is never a gain, and a policy that asks earlier loses no more: to a
        hundredth and to five, since other orders of the same messages take a little more or less."""
        for model in switching.MODELS:
            of = switching.Results(run.read_rows("switching"), model)
            for policy in switching.POLICIES:
                lost = [fraction for _, fraction in of.lost(policy)]
                for before, after in zip(lost, lost[1:]):
                    self.assertGreater(1.0 + after, 0.99 * (1.0 + before), (model, policy))
                for early, late in zip(lost, of.lost("demand")):
                    self.assertLess(1.0 + early, 1.05 * (1.0 + late[1]), (model, policy))

    def test_days(self):
        """Monte Carlo agrees with the closed form in at least 19 of 20 rows, but for what happens
        in none of a hundred months; any hosts are never worse than pods; published figures of TPU
        v4."""
        rows = run.read_rows("days")
        closed = [row for row in rows if float(row["closed_form"] or 0) > 0.01]
        near = [row for row in closed
                if abs(float(row["goodput"]) - float(row["closed_form"]))
                <= float(row["half_width"]) + 1e-4]
        self.assertGreater(len(near), 0.94 * len(closed))
        by = {(row["network"], row["value"], row["spares"]): days.number(row, "goodput")
              for row in rows if row["figure"] == "spares"}
        for (network, repair, spares), value in by.items():
            if network != "any" and ("any", repair, spares) in by:
                self.assertLessEqual(value, by["any", repair, spares] + 1e-12)
        for chips, wanted in ((2048, 0.50), (3072, 0.75)):
            for availability in ("0.99", "0.995"):
                row = next(row for row in days.of(rows, "slices", "any", availability)
                           if row["spares"] == str(chips))
                self.assertAlmostEqual(float(row["goodput"]), wanted, delta=0.01)


if __name__ == "__main__":
    unittest.main()
