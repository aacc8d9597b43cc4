#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of runs in a browser: nothing is complained about, plots are there and react, nothing is
wider than the window, and every number on a page stands in the JSON of its run.

Environment: LIGHTPATH (the built program). With --keep=FOLDER, pages and screenshots stay there."""
import collections
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest

import command

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))
import browser  # noqa: E402

MACHINES = {
    "a100-4to1.xml": "--system=dgx-a100 --accelerators=1024 --oversubscription=4",
    "h800.xml": "--system=dgx-h100 --accelerators=256 --accelerator=h800",
    "optics.xml": "--system=optical-substrate --accelerators=16 --policy=demand "
                  "--reconfiguration-time=10us --technology=pluggable-400g-opus "
                  "--switch-technology=piezo-polatis-192"}

# Pages by name: the command, and plots that must be there.
RUN = ["times", "waterfall", "kernels", "timeline", "heat", "machine", "matrix", "messages", "memory"]
PAGES = {
    "gpt3": ("simulate gpt3-175b a100-4to1.xml --set global-batch=512", RUN),
    "deepseek": ("simulate deepseek-v3 h800.xml --set dp=16 --set ep=16 "
                 "--set schedule=1f1b --set global-batch=256 --ignore-memory", RUN),
    "two-jobs": ("simulate two-jobs polaris-64",
                 ["jobs", "timeline", "heat", "machine", "matrix", "messages", "job-0-times",
                  "job-1-waterfall", "job-1-kernels", "job-1-memory"]),
    "optics": ("simulate llama-3-8b optics.xml --set dp=16 --set precision=bf16 "
               "--set global-batch=64", RUN),
    "compare": ("compare llama-3-8b dgx-h100-64 optics.xml --set dp=16 --set global-batch=64",
                ["machines", "run-0-times", "run-1-memory"]),
    "search": ("search llama-3-8b dgx-h100-64 dgx-a100-8 --vary=tp=1|2,pp=1|2,micro-batch=1|2,recompute,zero=1|3 "
               "--set=global-batch=64 --top=5",
               ["plans", "best", "first-times", "first-waterfall", "timeline", "heat", "machine", "first-memory"]),
    "contention": ("contention two-jobs polaris-64",
                   ["job-0-tiers_s", "job-0-pairs", "job-1-links"]),
    "kernels": ("workload kernels deepseek-v3 h800.xml", ["kernels"])}

# A telephone's window in dark colours, and a desk's in bright ones: a width changes no colour, nor a colour a width.
WINDOWS = ((390, True), (1440, False))

# What a page holds beside what its command prints; of a scenario, each job has kernels.
KERNELS = {"kernels", "kernels_s"}
BESIDE = {"simulate": {"observed"} | KERNELS, "two-jobs": {"observed"}, "search": {"observed", "first", "candidates", "not_simulated"}}

# What text nodes say, each with the JSON pointer that it is said to stand at.
NUMBERS = """(() => {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!/[0-9]/.test(node.data) || element.closest(".plot") !== null)
      continue;
    const data = element.closest("[data-at], [data-key]");
    found.push({text: node.data, at: data?.dataset.at ?? null, key: data?.dataset.key ?? null,
                value: data?.getAttribute("value") ?? null});
  }
  return found;
})()"""

# Which plots have been drawn, in how many colours, and how they are called.
PLOTS = """Array.from(document.querySelectorAll(".plot")).map(plot => {
  const canvas = plot.querySelector("canvas"), svg = plot.querySelector("svg");
  let marks = svg === null ? 0 : svg.querySelectorAll("path").length;
  if (canvas !== null) {
    const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < all.length; i += 4)
      if (all[i + 3] > 0)
        colours.add((all[i] << 16) + (all[i + 1] << 8) + all[i + 2]);
    marks = colours.size;
  }
  return {id: plot.id, marks, label: plot.getAttribute("aria-label"),
          role: plot.getAttribute("role")};
})"""

# Numbers in the rows of plots whose rows do not come from the document by themselves.
ROWS = """JSON.parse(document.getElementById("plots").textContent).plots.flatMap(plot =>
  Object.values(plot.data).filter(rows => typeof rows !== "string").flatMap(rows =>
    rows.flatMap(row => Object.entries(row).filter(([key, value]) =>
      typeof value === "number" && key !== "sign").map(([, value]) => value))))"""

UNITS = {"": 1, "%": 1e-2, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "m": 60,
         "min": 60, "h": 3600, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15,
         "EB": 1e18, "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "PB/s": 1e15,
         "W": 1, "mW": 1e-3, "kW": 1e3, "MW": 1e6, "J": 1, "kJ": 1e3, "MJ": 1e6, "GJ": 1e9,
         "USD": 1, "kUSD": 1e3, "MUSD": 1e6, "TFLOP/s": 1, "FLOP": 1, "kFLOP": 1e3, "MFLOP": 1e6, "GFLOP": 1e9, "TFLOP": 1e12,
         "PFLOP": 1e15}


def run(folder, line, **options):
    return command.run(*line.split(), cwd=folder, **options)


def all_numbers(node):
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from all_numbers(part)
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield float(node)


def at(document, pointer):
    """What stands at a JSON pointer."""
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        document = document[int(token)] if isinstance(document, list) else document[token]
    return document


def shown_value(text):
    """What a number on the page says, in base units."""
    found = re.fullmatch(r"(−?-?)([0-9.e+-]+) ?(\D*)", text)
    return float(found[2]) * UNITS[found[3]] * (-1 if found[1] else 1)


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if browser.find() is None:
            raise RuntimeError("chromium is missing: scripts/install brings it")
        cls.temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        kept = [one.removeprefix("--keep=") for one in sys.argv if one.startswith("--keep=")]
        cls.kept = pathlib.Path(kept[0]).resolve() if kept else None
        cls.folder = cls.kept or pathlib.Path(cls.temporary.name)
        cls.folder.mkdir(parents=True, exist_ok=True)
        for name, options in MACHINES.items():
            run(cls.folder, f"platform generate {options} -o {name}", check=True)
        cls.printed = {}
        for name, (line, _) in PAGES.items():
            done = run(cls.folder, f"{line} --report={name}.html --format=json")
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            cls.printed[name] = json.loads(done.stdout)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.temporary.cleanup()

    def open(self, name, width, dark=False):
        return self.browser.open(self.folder / f"{name}.html", width, dark=dark, touch=width < 500)

    def test_documents(self):
        """A page holds what the command prints, and beside it only what was observed, kernels, and of a search all plans."""
        for name, printed in self.printed.items():
            text = (self.folder / f"{name}.html").read_text()
            self.assertLess(len(text), 10e6, name)
            document = json.loads(re.search(r'id="document">\n(.*?)</script>', text, re.DOTALL)[1])
            self.assertEqual({key: document.pop(key) for key in set(document) - set(printed)}.keys(),
                             BESIDE.get(name, BESIDE.get(PAGES[name][0].split()[0], set())), name)
            for job in document.get("jobs", ()) if name in BESIDE else ():
                self.assertEqual({key for key in KERNELS if job.pop(key)}, KERNELS)
            self.assertEqual(document, printed, name)
            # Nothing is loaded from anywhere.
            self.assertEqual(re.findall(r'<(?:script|link|img)[^>]*(?:src|href)=', text), [], name)

    def test_windows(self):
        for name, (_, plots) in PAGES.items():
            for width, dark in WINDOWS:
                with self.subTest(page=name, width=width, dark=dark):
                    self.check_window(name, width, dark, plots)

    def check_window(self, name, width, dark, plots):
        page = self.open(name, width, dark)
        self.assertLess(page.opened_s, 20.0)
        self.assertEqual(page.complaints(), [])
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth - "
                                       "document.documentElement.clientWidth"), 0)
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        self.assertEqual(paper, "rgb(22, 25, 29)" if dark else "rgb(255, 255, 255)")
        drawn = page.evaluate(PLOTS)
        self.assertEqual(set(f"plot-{one}" for one in plots) - {one["id"] for one in drawn}, set())
        for plot in drawn:
            self.assertGreater(plot["marks"], 3, plot)
            self.assertEqual(plot["role"], "graphics-document", plot)
            self.assertGreater(len(plot["label"] or ""), 10, plot)
        self.assertEqual(page.evaluate("""Array.from(document.querySelectorAll(
            "button, select, [role=region]")).filter(one =>
            !one.getAttribute("aria-label") && !one.textContent).length"""), 0)
        if self.kept is not None:
            look = "dark" if dark else "light"
            page.screenshot(self.kept / f"{name}-{width}-{look}.png")
        page.close()

    def test_validation(self):
        """The page of validate, which has plots and tables of its own, fits as well."""
        rows = (SOURCE / "validation/training.csv").read_text().splitlines()
        (self.folder / "rows.csv").write_text("\n".join(rows[:24]) + "\n")
        page = run(self.folder, "validate --cases=rows.csv --format=html", check=True).stdout
        (self.folder / "validation.html").write_text(page)
        for width, dark in WINDOWS:
            self.check_window("validation", width, dark, ["medians", "times", "cumulative"])
        narrow = self.open("validation", 390)
        self.assertEqual(narrow.evaluate("""Array.from(document.querySelectorAll(".plot")).filter(
            plot => plot.scrollWidth > plot.clientWidth + 1).map(plot => plot.id)"""), [])
        narrow.close()

    def test_zoom(self):
        """Buttons and wheel show a part of the timeline, and all of it again."""
        for width in (390, 1440):
            page = self.open("gpt3", width)
            view = "lightpathViews['plot-timeline']"
            whole = page.evaluate(f"{view}.signal('shown')")
            slices = page.evaluate(f"{view}.data('visible').length")
            self.assertGreater(slices, 1000)
            page.evaluate("document.querySelector('[aria-label=\"Zoom in\"]').click()")
            part = page.evaluate(f"{view}.runAsync().then(view => view.signal('shown'))")
            self.assertAlmostEqual(part[1] - part[0], (whole[1] - whole[0]) / 2)
            self.assertLess(page.evaluate(f"{view}.data('visible').length"), slices)
            page.evaluate("document.querySelector('[aria-label=\"Later\"]').click()")
            later = page.evaluate(f"{view}.runAsync().then(view => view.signal('shown'))")
            self.assertGreater(later[0], part[0])
            page.evaluate("document.querySelector('[aria-label=\"Show all\"]').click()")
            self.assertEqual(page.evaluate(f"{view}.runAsync().then(view => view.signal('shown'))"),
                             whole)
            if width > 500:
                self.check_wheel(page, view, whole)
            page.close()

    def check_wheel(self, page, view, whole):
        page.evaluate("document.getElementById('plot-timeline').scrollIntoView()")
        box = page.evaluate("(box => [box.x, box.y, box.width, box.height])("
                            "document.getElementById('plot-timeline').getBoundingClientRect())")
        page.wheel(box[0] + box[2] / 2, box[1] + box[3] / 3, -400)
        shown = page.evaluate(f"new Promise(done => setTimeout(() => done({view}.signal('shown')), "
                              "300))")
        self.assertLess(shown[1] - shown[0], 0.9 * (whole[1] - whole[0]))

    def test_classes(self):
        """The matrix shows one class of traffic."""
        page = self.open("gpt3", 1440)
        cells = "lightpathViews['plot-matrix'].data('cells')"
        every = page.evaluate(f"{cells}.length")
        page.evaluate("""(select => { select.value = "pp";
            select.dispatchEvent(new Event("change")); })(
            document.querySelector("[aria-label='Class of traffic']"))""")
        page.evaluate("lightpathViews['plot-matrix'].runAsync().then(() => 0)")
        shown = page.evaluate(f"{cells}.map(cell => cell.bytes)")
        self.assertLess(len(shown), every)
        observed = page.evaluate("JSON.parse(document.getElementById('document').textContent)"
                                 ".observed.pairs.filter(one => one.class === 'pp')"
                                 ".map(one => one.bytes)")
        self.assertEqual(sorted(shown), sorted(observed))
        page.close()

    def test_search(self):
        """The first plan's run is what simulate says; the table sorts and filters, and the dots with it."""
        text = (self.folder / "search.html").read_text()
        document = json.loads(re.search(r'id="document">\n(.*?)</script>', text, re.DOTALL)[1])
        plans = document["candidates"]
        self.assertEqual(len(plans), document["simulated"] - document["failed"])
        self.assertEqual([plan["rank"] for plan in plans], list(range(1, len(plans) + 1)))
        self.assertEqual(document["first"]["simulated"]["iteration_time_s"], plans[0]["iteration_time_s"])
        self.assertEqual(document["first"]["simulated"]["terms_s"], plans[0]["terms_s"])
        for plan in plans:
            self.assertAlmostEqual(plan["over_first"],
                                   plan["iteration_time_s"] / plans[0]["iteration_time_s"] - 1, 12)
        page = self.open("search", 1440)
        ranks = """Array.from(document.querySelectorAll("#table-plans tbody tr")).filter(row => !row.hidden)
                   .map(row => Number(row.cells[0].textContent))"""
        self.assertEqual(page.evaluate(ranks), list(range(1, len(plans) + 1)))
        page.evaluate("""Array.from(document.querySelectorAll("#table-plans th button")).find(
            button => button.textContent === "memory").click()""")
        by_memory = sorted(plans, key=lambda plan: plan["memory_bytes"])
        self.assertEqual([plans[rank - 1]["memory_bytes"] for rank in page.evaluate(ranks)],
                         [plan["memory_bytes"] for plan in by_memory])
        for words, holds in [("tp=2", lambda plan: plan["set"]["tp"] == "2"),
                             ("zero>1 pp=1", lambda plan: plan["set"]["zero"] == "3" and plan["set"]["pp"] == "1"),
                             ("rank<=3", lambda plan: plan["rank"] <= 3),
                             ("selective", lambda plan: plan["set"]["recompute"] == "selective"),
                             ("nothing-like-it", lambda plan: False), ("", lambda plan: True)]:
            page.evaluate(f"""(input => {{ input.value = {json.dumps(words)};
                input.dispatchEvent(new Event("input")); }})(document.querySelector("#table-plans input"))""")
            wanted = sorted(plan["rank"] for plan in plans if holds(plan))
            self.assertEqual(sorted(page.evaluate(ranks)), wanted, words)
            shown = page.evaluate("lightpathViews['plot-plans'].signal('shown')")
            self.assertEqual(shown if words == "" else sorted(shown), None if words == "" else wanted)
        page.evaluate("""document.querySelectorAll("#table-plans tbody tr")[2].click()""")
        self.assertEqual(page.evaluate("lightpathViews['plot-plans'].signal('picked')"), by_memory[2]["rank"])
        for key in "accelerators", "memory_bytes":
            page.evaluate(f"""(select => {{ select.value = "{key}"; select.dispatchEvent(new Event("change")); }})(
                document.querySelectorAll("[data-for=plot-plans] select")[1])""")
            front = page.evaluate("lightpathViews['plot-plans'].data('front').map(row => row.rank)")
            wanted = [plan["rank"] for plan in plans if plan["on_front"] and not any(
                other[key] <= plan[key] and other["iteration_time_s"] < plan["iteration_time_s"] for other in plans)]
            self.assertEqual(sorted(front), wanted, key)
        colours = page.evaluate("""Array.from(document.querySelector("[data-for=plot-plans] select").options,
                                              one => one.value)""")
        self.assertEqual(set(colours) - {"machine"},
                         {name for name in plans[0]["set"] if len({plan["set"][name] for plan in plans}) > 1})
        page.close()

    def test_kernels(self):
        """Shares sum to 1; the plot adds up what it has of a place and kind; the page of a run has the same kernels, and
        lists those that take most."""
        document = self.printed["kernels"]
        rows = document["kernels"]
        self.assertAlmostEqual(math.fsum(row["time_share"] for row in rows), 1.0, 12)
        for row in rows:
            self.assertEqual(row["all_s"], row["runs"] * row["time_s"])
            self.assertAlmostEqual(row["all_s"] / document["kernels_s"], row["time_share"], 12)
        bars = collections.defaultdict(float)
        for row in rows:
            bars[f"{row['block']}, {row['pass']}", row["kind"]] += row["all_s"]
        page = self.open("kernels", 1440)
        drawn = page.evaluate("lightpathViews['plot-kernels'].data('rows').map(row => [row.place, row.kind, row.seconds, row.share])")
        self.assertEqual({(place, kind) for place, kind, *_ in drawn}, {key for key, seconds in bars.items() if seconds > 0})
        for place, kind, seconds, share in drawn:
            self.assertAlmostEqual(seconds / bars[place, kind], 1.0, 12)
            self.assertAlmostEqual(share, seconds / document["kernels_s"], 12)
        page.close()
        page = self.open("gpt3", 1440)
        held = page.evaluate("JSON.parse(document.getElementById('document').textContent)")
        shown = page.evaluate("""Array.from(document.querySelectorAll("[aria-label='Kernels that take most'] tbody tr"),
            row => row.querySelector("data").dataset.at.split("/")[2])""")
        wanted = sorted(held["kernels"], key=lambda row: -row["all_s"])[:10]
        self.assertEqual([held["kernels"][int(index)]["all_s"] for index in shown], [row["all_s"] for row in wanted])
        alone = run(self.folder, "workload kernels gpt3-175b a100-4to1.xml --set global-batch=512 --format=json", check=True)
        self.assertEqual(json.loads(alone.stdout)["kernels"], held["kernels"])
        page.close()

    def test_numbers(self):
        """Every number says where in the JSON it stands, and stands there."""
        for name, printed in self.printed.items():
            page = self.open(name, 1440)
            held = page.evaluate("JSON.parse(document.getElementById('document').textContent)")
            found = page.evaluate(NUMBERS)
            self.assertGreater(len(found), 50, name)
            for one in found:
                self.check_number(name, one, held, printed)
            known = set(all_numbers(held))
            rows = page.evaluate(ROWS)
            if name != "kernels":  # whose plot's rows are the document's
                self.assertGreater(len(rows), 5, name)
            self.assertEqual([value for value in rows if float(value) not in known], [], name)
            page.close()

    def check_number(self, name, one, held, printed):
        where = (name, one)
        if one["key"] is not None:
            at(held, one["key"])
            token = one["key"].rsplit("/", 1)[1].replace("~1", "/")
            self.assertEqual(one["text"], token, where)
            return
        if not re.search(r"\d", re.sub(r"\bp(50|95|99)\b", "", one["text"])):
            return  # the name of a percentile
        self.assertIsNotNone(one["at"], where)
        value = at(held, one["at"])
        tokens = one["at"].split("/")[1:]
        if tokens[0] in printed and not (tokens[0] == "jobs" and tokens[2] in KERNELS):
            self.assertEqual(at(printed, one["at"]), value, where)
        if isinstance(value, str):
            self.assertEqual(one["text"], re.sub(r"[\x00-\x1f]", " ", value), where)
            return
        self.assertEqual(float(one["value"]), value, where)
        self.assertTrue(math.isclose(shown_value(one["text"]), value, rel_tol=6e-4, abs_tol=1e-12),
                        where)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=[one for one in sys.argv if not one.startswith("--keep=")]))
