#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lightpath sweep: which points a study has, and what the store keeps and hands on of them.

Environment: LIGHTPATH (the built program)."""
import contextlib
import csv
import io
import itertools
import json
import os
import sqlite3
import sys
import tempfile
import time
import unittest

from command import SOURCE, Case

sys.path.insert(0, str(SOURCE / "tests/support"))
import browser  # noqa: E402

WORKLOAD = '<workload name="gpt3-125m" framework="none" dp="{8 div ($tp * $pp)}"/>'
MACHINE = '<machine system="dgx-a100" accelerators="8"/>'
OPTIONS = '<options ignore-memory="yes"/>'


def many(n):
    """A study of so many tens of points."""
    return "".join([WORKLOAD, MACHINE, OPTIONS, '<axis name="tp" values="1..4*2"/><axis name="pp" values="1|2"/>',
                    f'<axis name="micro-batch" values="1|2"/><axis name="global-batch" values="16..{16 * n}+16"/>',
                    '<constraint that="not($tp = 4 and $micro-batch = 2)"/>'])


SMALL = "".join([WORKLOAD, MACHINE, OPTIONS, '<axis name="tp" values="1|2"/><axis name="pp" values="1|2|4"/>',
                 '<record key="simulated.iteration_time_s" as="time_s"/>'])


class Sweep(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def study(self, content, name="study.xml", attributes=""):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<study name="test" {attributes}>\n{content}</study>\n')
        return path

    def rows(self, *words):
        """What a sweep exports, as dictionaries."""
        return list(csv.DictReader(io.StringIO(self.taken("sweep", *words, "--export=csv"))))

    def ask(self, store, sql):
        with contextlib.closing(sqlite3.connect(self.path(store))) as database, database:
            return database.execute(sql).fetchall()


class Points(Sweep):
    """Which points a study has, and what is recorded of them."""

    def test_simulate(self):
        """A point is what the command says of the same inputs, to the last digit."""
        for row in self.rows(self.study(SMALL)):
            dp = 8 // (int(row["tp"]) * int(row["pp"]))
            told = json.loads(self.taken(
                "simulate", "gpt3-125m", "--system=dgx-a100", "--accelerators=8", "--framework=none", "--set",
                f"dp={dp}", "--set", f"tp={row['tp']}", "--set", f"pp={row['pp']}", "--ignore-memory", "--format=json"))
            self.assertEqual(float(row["time_s"]), told["simulated"]["iteration_time_s"])
            self.assertEqual((row["state"], row["message"]), ("done", ""))

    def labels(self, content):
        """The points of a study by their axes; estimates are quick."""
        base = '<workload name="gpt3-125m" framework="none" dp="1"/><machine system="dgx-a100" accelerators="8"/>'
        told = json.loads(self.taken("sweep", self.study(base + OPTIONS + content, f"{abs(hash(content))}.xml",
                                                         'command="estimate"'), "--export=json"))
        return [tuple(point["set"].values()) for point in told["points"]]

    def test_axes(self):
        """Lists, ranges, steps and powers; crossed, or zipped; constraints."""
        def axis(name, values):
            return f'<axis name="{name}" values="{values}"/>'
        for values, wanted in (("1|2", "1 2"), ("1..4", "1 2 3 4"), ("2..9+3", "2 5 8"), ("1..9*2", "1 2 4 8"),
                               ("1|3..4|8..16*2", "1 3 4 8 16"), (" 1 | 2 ", "1 2")):
            self.assertEqual(self.labels(axis("micro-batch", values)), [(one,) for one in wanted.split()], values)
        self.assertEqual(self.labels(axis("scale-out-bandwidth", "25GBps..100GBps*2")),
                         [("25GBps",), ("50GBps",), ("100GBps",)])
        self.assertEqual(self.labels(axis("skew", "0..0.3+0.1")), [("0",), ("0.1",), ("0.2",), ("0.3",)])
        self.assertEqual(self.labels(axis("tp", "1|2") + axis("pp", "1|2")),
                         list(itertools.product("12", "12")))
        zipped = "<zip>" + axis("tp", "1|2|4") + axis("pp", "4|2|1") + "</zip>"
        self.assertEqual(self.labels(zipped), [("1", "4"), ("2", "2"), ("4", "1")])
        self.assertEqual(self.labels(zipped + axis("zero", "0|1")),
                         [(*pair, zero) for pair in (("1", "4"), ("2", "2"), ("4", "1")) for zero in "01"])
        self.assertEqual(self.labels(axis("tp", "1..8*2") + axis("pp", "1..8*2") +
                                     '<constraint that="$tp * $pp = 8"/><constraint that="$tp &lt; $pp"/>'),
                         [("1", "8"), ("2", "4")])
        self.assertEqual(self.labels(axis("scale-out-bandwidth", "10GBps|400Gbps") +
                                     '<constraint that="$scale-out-bandwidth &lt; 2e10"/>'), [("10GBps",)])

    def test_cases(self):
        """A case names other machines, and what it says goes over what the study says."""
        rows = self.rows(self.study(
            '<workload name="gpt3-125m" framework="none" micro-batch="1" dp="8"/><machine accelerators="8"/>' + OPTIONS +
            '<choice name="network"><case name="a"><machine system="dgx-a100"/></case>'
            '<case name="h, large"><machine system="dgx-h100" accelerators="16"/><workload micro-batch="2" dp="16"/></case>'
            '</choice><record key="accelerators"/><record key="plan.micro-batch" as="m"/>'))
        self.assertEqual([(row["network"], row["accelerators"], row["m"]) for row in rows],
                         [("a", "8", "1"), ("h, large", "16", "2")])
        told = self.ask("study.sqlite", "SELECT inputs FROM point ORDER BY point_id")
        self.assertIn("--system=dgx-h100", json.loads(told[1][0]))
        self.assertNotIn("--system=dgx-a100", json.loads(told[1][0]))

    def test_conditions(self):
        """Cases that are there for some points only, and variables that are nobody's."""
        rows = self.rows(self.study(
            '<workload name="gpt3-125m" framework="none" dp="{$n}"/>' + OPTIONS + '<axis name="n" of="variable" values="8|16"/>'
            '<choice name="network"><case name="a" only="$n = 8"><machine system="dgx-a100" accelerators="{$n}"/></case>'
            '<case name="b" only="$n = 8"><machine system="dgx-h100" accelerators="8"/></case>'
            '<case name="b" only="$n != 8"><machine system="dgx-h100" accelerators="{$n}"/></case></choice>'
            '<record key="accelerators"/>', attributes='command="estimate"'))
        self.assertEqual([(row["n"], row["network"], row["accelerators"]) for row in rows],
                         [("8", "a", "8"), ("8", "b", "8"), ("16", "b", "16")])

    def test_optional(self):
        """What no result has is empty where it need not be there."""
        rows = self.rows(self.study(SMALL.replace("<record", '<record key="circuits.plan" as="plan" optional="yes"/><record')))
        self.assertEqual({row["plan"] for row in rows}, {""})

    def test_machine_file(self):
        """A generated machine of the shipped ones takes other options."""
        rows = self.rows(self.study(
            '<workload name="llama-3-8b" dp="64"/><machine name="dgx-h100-64"/>' + OPTIONS +
            '<axis name="scale-out-bandwidth" values="5GBps|50GBps"/><record key="simulated.iteration_time_s" as="s"/>'))
        plain = json.loads(self.taken("simulate", "llama-3-8b", "dgx-h100-64", "--set=dp=64", "--ignore-memory",
                                      "--format=json"))["simulated"]["iteration_time_s"]
        self.assertGreater(float(rows[0]["s"]), 1.1 * float(rows[1]["s"]))
        self.assertEqual(float(rows[1]["s"]), plain)

    def test_seeds(self):
        """Repeats differ in their seeds, and are each what --seed makes of it."""
        rows = self.rows(self.study(
            '<workload name="mixtral-8x7b" skew="0.5" tp="1" pp="1" dp="8" ep="8" global-batch="8" layers="2" virtual-stages="1" schedule="1f1b"/>' +
            MACHINE + OPTIONS + '<repeat runs="3" seed="5"/><record key="simulated.iteration_time_s" as="s"/>'))
        self.assertEqual([row["seed"] for row in rows], ["5", "6", "7"])
        self.assertEqual(len({row["s"] for row in rows}), 3)
        again = json.loads(self.taken(
            "simulate", "mixtral-8x7b", "--system=dgx-a100", "--accelerators=8", "--ignore-memory", "--seed=6",
            *[f"--set={one}" for one in "skew=0.5 tp=1 pp=1 dp=8 ep=8 global-batch=8 layers=2 virtual-stages=1 schedule=1f1b".split()],
            "--format=json"))
        self.assertEqual(float(rows[1]["s"]), again["simulated"]["iteration_time_s"])

    def test_commands(self):
        """Other commands than simulate, and options that are given several times."""
        content = ('<workload name="gpt3-125m" framework="none" tp="1" pp="1" dp="8"/>' + MACHINE +
                   '<options iteration-time="1s" runs="20" days="1"><option name="part" value="link:mtbf=never"/>'
                   '<option name="part" value="software:mtbf=never"/></options><axis name="spares" of="command" values="0|1"/>')
        rows = self.rows(self.study(content, attributes='command="goodput"'))
        self.assertEqual(len(rows), 2)
        self.assertTrue(all(0.0 < float(row["goodput"]) <= 1.0 for row in rows))
        rows = self.rows(self.study(SMALL.replace("simulated.iteration_time_s", "total_s"), "contention.xml",
                                    'command="contention"'))
        self.assertEqual(len([row for row in rows if float(row["time_s"]) >= 0.0]), 6)

    def test_refused_points(self):
        """A point that its command refuses has the reason, and is not run again."""
        study = self.study(SMALL.replace('"1|2"', '"1|3"'))
        rows = self.rows(study)
        self.assertEqual({row["tp"]: row["state"] for row in rows}, {"1": "done", "3": "refused"})
        self.assertTrue(all((row["message"] != "") == (row["tp"] == "3") for row in rows))
        self.assertEqual(self.rows(study), rows)

    def test_keep(self):
        """Only what is recorded can be kept."""
        study, less = self.study(SMALL), self.study(SMALL, "less.xml", 'keep="recorded"')
        self.assertEqual(self.rows(study), self.rows(less))
        wanted = {"simulated": {"iteration_time_s": float(self.rows(study)[0]["time_s"])}}
        self.assertEqual(json.loads(self.ask("less.sqlite", "SELECT json FROM result ORDER BY point_id")[0][0]), wanted)

    def test_difference(self):
        """Runs that only explain a simulation are made where what is recorded asks for them; times are the same."""
        own, run = SMALL.replace('values="1|2|4"', 'values="1"').replace('values="1|2"', 'values="1"'), []
        for name, more in ("time", ""), ("parts", '<record key="difference.host_s" as="host_s"/>'):
            rows = self.rows(self.study(own + more, name + ".xml", 'keep="recorded"'))
            words = json.loads(self.ask(name + ".sqlite", "SELECT inputs FROM point")[0][0])
            self.assertEqual("--no-difference" in words, more == "")
            run.append((rows[0]["time_s"], words))
        self.assertEqual(run[0][0], run[1][0])
        told = json.loads(self.taken(*run[0][1], "--format=json"))
        whole = json.loads(self.taken(*run[1][1], "--format=json"))
        self.assertEqual(set(whole) - set(told), {"difference"})
        self.assertEqual(told["simulated"], {key: whole["simulated"][key] for key in told["simulated"]})
        self.assertEqual(told["memory"], whole["memory"])
        self.assertNotIn("simulated less closed form", self.taken(*run[0][1]))
        self.refused(2, "--no-difference: got it with a file to write", *run[0][1], "--report=" + self.path("page.html"))


class Refused(Sweep):
    """One line for each fault, with file and line."""

    def test_studies(self):
        base = WORKLOAD.replace(' dp="{8 div ($tp * $pp)}"', "") + MACHINE + "\n"
        for status, part, content in [
                (1, 'study.xml:3: <axis> name: unknown attribute "tpp", the nearest known one is "tp"',
                 base + '<axis name="tpp" values="1"/>'),
                (1, 'study.xml:3: <axis> tp: "0" is out of range', base + '<axis name="tp" values="1|0"/>'),
                (1, "study.xml:3: <axis> values: got an empty value", base + '<axis name="tp" values=""/>'),
                (1, "study.xml:3: <axis> values: got more values, wanted at most 1000000",
                 base + '<axis name="tp" values="1..1e30+1e-30"/>'),
                (1, "study.xml:3: <axis> values: got 2 twice", base + '<axis name="tp" values="2|1..4"/>'),
                (1, "study.xml:3: <axis> values: got 4..1, wanted the larger", base + '<axis name="tp" values="4..1"/>'),
                (1, "study.xml:3: <axis> values: got 1us..4ms*2, wanted one unit",
                 base + '<axis name="reconfiguration-time" values="1us..4ms*2"/>'),
                (1, "study.xml:3: <axis> got a second tp", base + '<axis name="tp" values="1"/><axis name="tp" values="1"/>'),
                (1, 'study.xml:3: <zip> got 1 values of pp, wanted 2 as tp has',
                 base + '<zip><axis name="tp" values="1|2"/><axis name="pp" values="1"/></zip>'),
                (1, 'study.xml:3: <constraint> that: got "$tp * = 8", wanted an expression',
                 base + '<constraint that="$tp * = 8"/>'),
                (1, "study.xml:3: <constraint> that: got $qq, wanted the name of an axis",
                 base + '<constraint that="$qq = 8"/>'),
                (1, 'study.xml:3: <constraint> that: got "$tp", wanted a comparison',
                 base + '<constraint that="$tp"/><axis name="tp" values="1"/>'),
                (1, "study.xml:3: <constraint> that: got no point of 4 for which it holds, wanted at least one",
                 base + '<constraint that="$tp > 8"/><axis name="tp" values="1..4"/>'),
                (1, 'study.xml:3: <case> name: got "a" twice, wanted each once, or only=',
                 base + '<choice name="c"><case name="a"/><case name="a"/></choice>'),
                (1, 'study.xml:3: <case> only: got "$c +", wanted an expression',
                 base + '<choice name="c"><case name="a" only="$c +"/></choice>'),
                (1, "study.xml: got no point of 1 for which all constraints hold",
                 base + '<choice name="c"><case name="a" only="$c = 2"/></choice>'),
                (1, "study.xml:3: <axis> name: got library, which workloads and machines have, wanted of=",
                 base + '<axis name="library" values="auto"/>'),
                (1, "study.xml:3: <options> format: got the option \"format\"", base + '<options format="json"/>'),
                (1, "study.xml:2: <workload> hidden: ", WORKLOAD.replace("dp=", 'hidden="x" dp=') + MACHINE),
                (1, "study.xml:2: <machine> got name and system", WORKLOAD + '<machine name="x" system="dgx-a100"/>'),
                (1, 'study.xml:1: <study> got no <machine name="..."> or <machine system="...">', WORKLOAD),
                (1, 'study.xml: <workload> name: "nowhere" is neither', '<workload name="nowhere"/>' + MACHINE),
                (1, "study.xml:3: <repeat> runs: ", base + '<repeat runs="0"/>'),
                (1, "study.xml:3: ", base + '<axes name="tp"/>'),
                (1, "study.xml: got 1000000000 points (tp 1000 x pp 1000 x micro-batch 1000), wanted at most 10000000: fewer "
                    "axes, or fewer values such as of tp, which has 1000",
                 base + "".join(f'<axis name="{name}" values="1..1000"/>' for name in ("tp", "pp", "micro-batch"))),
                (1, "points of which none can run, wanted at least one (", WORKLOAD +
                 '<machine system="dgx-a100" accelerators="12"/><axis name="tp" values="1|2"/><axis name="pp" values="1"/>'),
                (1, "study.xml:3: ", base + '<record key="x" optional="perhaps"/>'),
                (1, "study.xml:3: <record> key: got \"simulated.time\", which no result has",
                 base + OPTIONS + '<workload tp="1" pp="1" dp="8"/><record key="simulated.time"/>')]:
            with self.subTest(part):
                start = time.monotonic()
                self.refused(status, part, "sweep", self.study(content))
                self.assertLess(time.monotonic() - start, 20.0)

    def test_command_line(self):
        study = self.study(SMALL)
        for text in ("3/3", "1", "x/2", "-1/2", "0/0"):
            self.refused(2, "--part: got", "sweep", study, f"--part={text}")
        self.refused(2, "--jobs", "sweep", study, "--jobs=0")
        self.refused(2, "--export", "sweep", study, "--export=xml")
        self.refused(1, "nowhere.xml", "sweep", self.path("nowhere.xml"))

    def test_completion(self):
        for words, wanted in (([""], {"merge", "export", "plot"}), (["pl"], {"plot"}), (["plot", "--s"], {"--series=", "--study="}),
                              (["--st"], {"--store="}), (["study.xml", "--sl"], {"--slurm="})):
            told = self.taken("--complete", "sweep", *words)
            self.assertEqual({line.split("\t")[0] for line in told.splitlines() if not line.startswith("--h")}, wanted, words)

    def test_stores(self):
        """What is no store stays as it is."""
        study, other = self.study(SMALL), self.path("other")
        with open(other, "w", encoding="utf-8") as file:
            file.write("not a database\n" * 100)
        self.refused(1, "other: got \"file is not a database\"", "sweep", study, f"--store={other}")
        database = sqlite3.connect(self.path("foreign"))
        database.execute("CREATE TABLE x (y)")
        database.commit()
        database.close()
        self.refused(1, "got a database of something else", "sweep", study, f"--store={self.path('foreign')}")
        self.taken("sweep", study)
        self.ask("study.sqlite", "PRAGMA user_version = 7")
        self.refused(1, "got version 7 of its tables", "sweep", study)
        self.refused(1, "study.xml", "sweep", "export", study)
        self.refused(1, "nowhere: got no file", "sweep", "merge", self.path("new"), self.path("nowhere"))


class Stores(Sweep):
    """What is there is not run again; stores are joined."""

    def test_again(self):
        """Neither the same study nor one that shares points runs them again."""
        study = self.study(SMALL)
        first = self.taken("sweep", study, "--export=json")
        marked = "SELECT count(*) FROM result WHERE message = 'kept'"
        self.ask("study.sqlite", "UPDATE result SET message = 'kept'")
        self.ask("study.sqlite", "UPDATE result SET message = NULL WHERE point_id = 1")
        self.study(SMALL.replace('"1|2|4"', '"1|2|4|8"').replace("SPDX", ""))
        rows = self.rows(self.path("study.xml"))
        self.assertEqual(len(rows), 8)
        self.assertEqual(self.ask("study.sqlite", marked), [(5,)])
        self.assertEqual(self.ask("study.sqlite", "SELECT count(*) FROM study"), [(2,)])
        self.assertEqual(len(json.loads(first)["points"]), 6)

    def test_inputs(self):
        """A point runs again when a file that it reads has changed."""
        own = self.path("own.xml")
        text = (SOURCE / "workloads/gpt3-125m.xml").read_text()
        for layers in ("12", "6"):
            with open(own, "w", encoding="utf-8") as file:
                file.write(text.replace('layers="12"', f'layers="{layers}"'))
            rows = self.rows(self.study(SMALL.replace("gpt3-125m", "own.xml")))
            self.assertEqual(len(rows), 6)
        self.assertEqual(self.ask("study.sqlite", "SELECT count(*) FROM point"), [(12,)])

    def test_merge(self):
        """Parts give the bytes of the whole, in whatever order and however often they are joined."""
        study = self.study(many(10), attributes='command="estimate"')
        wanted = self.taken("sweep", study, "--export=csv")
        parts = [self.path(f"part{k}") for k in range(3)]
        for k, part in enumerate(parts):
            self.taken("sweep", study, f"--store={part}", f"--part={k}/3")
        self.assertEqual([self.ask(part, "SELECT count(*) FROM result")[0][0] for part in parts], [33, 33, 34])
        for order in ([2, 0, 1], [0, 0, 1, 2, 1]):
            store = self.path("joined%d" % len(order))
            for k in order:
                self.taken("sweep", "merge", store, parts[k])
            self.assertEqual(self.taken("sweep", "export", store), wanted)
        before = os.path.getsize(store)
        self.taken("sweep", "merge", store, *parts)
        self.assertEqual(self.taken("sweep", "export", store), wanted)
        self.assertEqual(os.path.getsize(store), before)
        self.taken("sweep", "merge", store, os.path.relpath(store))
        self.assertEqual(self.taken("sweep", study, f"--store={store}", "--export=csv"), wanted)
        # A part is only read: another process may be about to write to it.
        with sqlite3.connect(parts[0]) as writer:
            writer.execute("BEGIN IMMEDIATE")
            self.taken("sweep", "merge", self.path("first"), parts[0], timeout=60)
            writer.rollback()
        # A store with a part goes on with the rest.
        self.assertEqual(self.taken("sweep", study, f"--store={parts[1]}", "--export=csv"), wanted)


class Plot(Sweep):
    """The page of a store."""

    # What is drawn of a plot: lines, and points.
    DRAWN = """(() => {const marks = name => document.querySelectorAll("#plot-study .mark-" + name + " path").length;
               return [marks("line"), marks("symbol.role-mark"), document.querySelectorAll("tbody tr").length];})()"""

    def drawn(self, *words):
        page = self.path("page.html")
        self.taken("sweep", "plot", self.path("study.sqlite"), "-o", page, *words)
        with browser.Browser() as window:
            tab = window.open(page, 1000)
            self.assertEqual(tab.complaints(), [])
            return tab.evaluate(self.DRAWN)

    def test_page(self):
        if browser.find() is None:
            self.skipTest("there is no chromium")
        study = self.study(SMALL)
        self.taken("sweep", study)
        self.assertEqual(self.drawn("--x=tp", "--y=time_s", "--series=pp"), [3, 6, 6])
        self.assertEqual(self.drawn("--x=pp", "--series=", "--log=xy"), [1, 6, 6])
        self.assertEqual(self.taken("study", "plot", self.path("study.sqlite"), "-o", "-")[:15], "<!DOCTYPE html>")
        self.study(SMALL.replace('<axis name="tp" values="1|2"/>', '<choice name="kind"><case name="a"><workload tp="1"/></case>'
                                 '<case name="b"><workload tp="2"/></case></choice>'))
        self.taken("sweep", study)
        self.assertEqual(self.drawn("--x=kind"), [0, 6, 6])

    def test_refused(self):
        self.taken("sweep", self.study(SMALL))
        store = self.path("study.sqlite")
        self.refused(1, '--x: got "ttp", wanted a column of the study: tp, pp, time_s', "sweep", "plot", store, "--x=ttp")
        self.refused(2, "--log", "sweep", "plot", store, "--log=z")
        self.refused(1, f'{store}: got the study "other", wanted "test"', "sweep", "plot", store, "--study=other")
        self.refused(2, "--output", "sweep", "plot", store, "-o", store)
        self.refused(1, "nowhere", "sweep", "plot", self.path("nowhere"))


if __name__ == "__main__":
    sys.exit(unittest.main())
