#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents tell the truth: their commands run, the outputs they show are what the program
prints, the options, files and functions they name exist, their links lead somewhere.

Environment: LIGHTPATH (the built program). "test_readme.py --update" writes the shown outputs anew.

How documents are read:
- A block "```sh" is run by the shell, in a scratch folder that has the project's folders; blocks of
  one document share the folder. What would install or build is looked at, not run.
- A block "```text output" shows what the block before it prints: whole, or with a line "..." in
  place of lines left out.
- A block "```xml" or "```json" is saved, for the commands after it, under the file name in backticks on the last
  line before it."""
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from command import PROGRAM, run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(PROGRAM).resolve()
RUN = ("README.md", "docs/guide.md", "docs/tutorials/contention.md", "docs/tutorials/optics.md", "docs/tutorials/formula.md",
       "docs/contention.md", "docs/collectives.md", "docs/circuits.md", "docs/library.md", "docs/validation.md",
       "docs/platform-format.md", "docs/workload-format.md", "docs/sweep.md", "docs/scenario-format.md",
       "docs/program-format.md", "docs/import.md", "docs/goodput.md", "docs/ways/own-kernels.md", "docs/ways/framework.md")
# A table's cell is at most a line, but in what is made of data, and in documents on measurements.
CELL_MAX = 120
LONG_CELLS = {"docs/workload-format.md", "docs/platform-format.md"}
# Words that documents may have together, or each where a name has a star.
GUIDE = ("guide", "contention", "collectives", "circuits", "scenario-format", "goodput", "program-format", "sweep",
         "calibration", "import")
WORDS_MAX = (
    (("README.md",), 690),
    (tuple(f"docs/{name}.md" for name in GUIDE), 8500),
    (("docs/workload-format.md",), 3230),
    (("docs/platform-format.md",), 2420),
    (("docs/architecture.md",), 2600),
    (("docs/validation.md",), 3500),
    (("model/README.md",), 3200),
    (("docs/tutorials/*.md",), 580),
    (("docs/studies/*.md",), 200),
    (("docs/ways/*.md",), 450))
UPDATE = "--update" in sys.argv

ENVIRONMENT = dict(os.environ, LC_ALL="C.UTF-8",
                   PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
BLOCK = re.compile(r"^```(sh|text output|xml|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Every document of the project."""
    found = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("*/*.md"), *SOURCE.glob("docs/*/*.md"),
                    SOURCE / "docs/lightpath.1"])
    assert len(found) > len(RUN), found
    return found


def headings(path):
    """The names by which links call the headings of a document."""
    found = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", one.lower())).replace(" ", "-") for one in found}


def lightpath(*arguments):
    done = run(*arguments, env=ENVIRONMENT)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"lightpath {arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout


def commands():
    """All command lines that have a --help: [], ["simulate"], ["platform", "list"], ..."""
    found = [[]]
    for line in found:
        helped = lightpath(*line, "--help")
        names = re.search(r"^Commands.*:\n((?:  \w.*\n)+)", helped, re.MULTILINE)
        found += [[*line, row.split()[0]] for row in names[1].splitlines()] if names else []
    return found


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


def stable(text):
    """Without what depends on how the program was built: sanitizers need other stacks, and a zero
    may come out on either side."""
    return re.sub(r" contexts/\S+", "", text).replace("-0.000000", "+0.000000")


def label(line):
    """What a line begins with, up to a number or a gap: what stays when results change."""
    return re.split(r"\d|  +", line.strip())[0]


def cut_short(shown, printed):
    """@printed with lines left out where @shown has a line "...". The lines behind one begin where
    @printed has a line of the same label, and go on to the next "..." or to the end. None if
    @printed has no such line."""
    first, *runs = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    if not runs:
        return printed
    rows, at = printed.splitlines(keepends=True), first.count("\n")
    kept = rows[:at]
    for i, run in enumerate(runs):
        kept.append("...\n")
        if run:
            wanted = label(run.splitlines()[0])
            at = next((i for i in range(at, len(rows)) if label(rows[i]) == wanted), None)
            if at is None:
                return None
            n_lines = run.count("\n") if i + 1 < len(runs) else len(rows)
            kept += rows[at:at + n_lines]
            at += n_lines
    return "".join(kept)


class Documents(unittest.TestCase):
    maxDiff = None

    def look_at(self, line):
        """A line that builds or installs: TRUE if it is one; fails if it cannot be right."""
        words = line.split()
        if words[0].startswith("scripts/"):
            path = SOURCE / words[0]
            self.assertTrue(os.access(path, os.X_OK), f"{line}: is no program")
            subprocess.run(["sh", "-n", path], check=True)
            return True
        if words[0] in ("sudo", "apt-get"):
            return True
        if words[0] not in ("cmake", "ctest"):
            return False
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())
        names = {preset["name"] for kind in ("configurePresets", "buildPresets", "testPresets")
                 for preset in presets[kind]}
        for name in re.findall(r"--preset[ =](\S+)", line):
            self.assertIn(name, names, line)
        return True

    def run_block(self, folder, text, where):
        looked_at = [self.look_at(line) for line in text.splitlines() if line.strip()]
        if any(looked_at):
            self.assertTrue(all(looked_at), f"{where}: builds and runs in one block:\n{text}")
            return ""
        done = subprocess.run(["sh", "-euc", text], cwd=folder, env=ENVIRONMENT,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{where}:\n{text}")
        return done.stdout

    def scratch(self, folder):
        for name in ("workloads", "platforms", "docs"):
            shutil.copytree(SOURCE / name, folder / name)
        return folder

    def run_document(self, name, folder):
        """Returns the text of the document with the outputs as they are now."""
        text = (SOURCE / name).read_text()
        printed, n_run, parts, end = None, 0, [], 0
        for block in BLOCK.finditer(text):
            kind, body = block[1], block[2]
            where = f"{name}:{text.count(chr(10), 0, block.start()) + 1}"
            if kind in ("xml", "json"):
                before = text[:block.start()].rstrip().splitlines()[-1]
                saved = re.findall(r"`([^`]*\.(?:xml|json))`", before)
                self.assertEqual(len(saved), 1, f"{where}: no file name in the line before")
                (folder / saved[0]).parent.mkdir(exist_ok=True)
                (folder / saved[0]).write_text(body)
            elif kind == "sh":
                printed = self.run_block(folder, body, where)
                n_run += 1
            else:
                self.assertIsNotNone(printed, f"{where}: no command before this output")
                wanted = cut_short(body, printed)
                self.assertIsNotNone(wanted, f"{where}: what it shows is not printed:\n{printed}")
                parts += [text[end:block.start(2)], wanted if UPDATE else body]
                end = block.end(2)
                if not UPDATE:
                    self.assertEqual(stable(body), stable(wanted), where)
        self.assertGreater(n_run, 0, f"{name} has no command")
        return "".join(parts) + text[end:]

    def test_commands(self):
        for name in RUN:
            with self.subTest(name), tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
                text = self.run_document(name, self.scratch(pathlib.Path(folder)))
                if UPDATE:
                    (SOURCE / name).write_text(text)

    def test_exact(self):
        """Where docs/validation.md says that the closed form is exact, it is."""
        text = (SOURCE / "docs/validation.md").read_text().split("## Where the simulation must equal the formula")[1]
        lines = [shlex.split(line) for line in text.splitlines() if line.startswith("lightpath simulate")]
        self.assertEqual(len(lines), 3)
        for line in lines:
            difference = json.loads(lightpath(*line[1:], "--format=json"))["difference"]
            self.assertLess(abs(difference["iteration_fraction"]), 1e-9, line)

    def test_no_machine_paths(self):
        """Neither a developer's home nor the place of a checkout."""
        pattern = re.compile(r"(?<![\w.<])/(work|home|root|tmp|builds?|mnt)\b|\.\./")
        for path in documents():
            # Links may climb inside the project; test_links follows them.
            text = re.sub(r"\]\([^)]*\)", "]()", path.read_text())
            self.assertEqual([line for line in text.splitlines() if pattern.search(line)], [], path)

    def test_links(self):
        """Relative links lead to files that are there, and to headings that these have."""
        n_links, wrong = 0, []
        for path in documents():
            for target, heading in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", path.read_text()):
                if "://" not in target:
                    n_links += 1
                    file = path.parent / target if target else path
                    if not file.exists() or heading and heading not in headings(file):
                        wrong.append(f"{path.relative_to(SOURCE)}: {target}#{heading}")
        self.assertGreater(n_links, 0)
        self.assertEqual(wrong, [])

    def test_cells(self):
        """A table's cell is at most a line."""
        long = [f"{path.relative_to(SOURCE)}: {cell.strip()}" for path in documents()
                if str(path.relative_to(SOURCE)) not in LONG_CELLS
                for line in path.read_text().splitlines() if line.startswith("|")
                for cell in line.split("|") if len(cell.strip()) > CELL_MAX]
        self.assertEqual(long, [])

    def test_words(self):
        """Documents stay as short as WORDS_MAX says."""
        for names, most in WORDS_MAX:
            files = [path for name in names for path in sorted(SOURCE.glob(name))]
            self.assertGreaterEqual(len(files), len(names))
            words = [len(path.read_text().split()) for path in files]
            self.assertLessEqual(max(words) if "*" in names[0] else sum(words), most, names)

    def test_files(self):
        """Every file of ours that a document names in backticks is there: a path from the
        project's folder or from the document's, or a source's name alone."""
        ours = [path.name for folder in SOURCE.iterdir() if folder.name != "build"
                for path in [folder, *folder.rglob("*.[ch]")]]
        n, missing = 0, []
        for path in documents():
            folders = [path.parent, SOURCE]
            for name in re.findall(r"(?<=[`\s])([\w*.-]+(?:/[\w*.-]+)*(?:\.\[ch\]|/|\.\w+))(?=[`\s:,])",
                                   " ".join(re.findall(r"`[^`\n]+`", path.read_text()))):
                first, *below = name.split("/")
                places = [folder for folder in folders if below and (folder / first).is_dir()]
                for one in {name.replace("[ch]", "c"), name.replace("[ch]", "h")}:
                    is_source = not below and one.endswith((".c", ".h"))
                    if (places and not any(any(place.glob(one)) for place in places)
                            or is_source and not fnmatch.filter(ours, one)):
                        missing.append(f"{path.relative_to(SOURCE)}: {one}")
                    n += bool(places) or is_source
        self.assertGreater(n, 100)
        self.assertEqual(missing, [])

    def test_identifiers(self):
        """Every function, type and constant of ours that a document names in backticks is there."""
        code = "".join(path.read_text() for folder in SOURCE.iterdir() if folder.name != "build"
                       for ending in ("*.c", "*.h", "*.cmake") for path in folder.rglob(ending))
        known = {"lp_noun_verb"} | set(re.findall(r"\b(?:lp_|Lp|LP_)\w+", code))
        named = {name for path in documents() for quoted in re.findall(r"`[^`\n]+`", path.read_text())
                 for name in re.findall(r"\b(?:lp_|Lp|LP_)\w+", quoted)}
        self.assertGreater(len(named), 30)
        self.assertEqual(sorted(named - known), [])

    def test_help(self):
        found = commands()
        self.assertGreater(len(found), 8)
        for line in found:
            self.assertIn("Usage:", lightpath(*line, "--help"))

    def test_options(self):
        """Documents name no option that does not exist; the man page names all."""
        known = {"--version"}
        for line in commands():
            known |= options(lightpath(*line, "--help"))
        page = (SOURCE / "docs/lightpath.1").read_text().replace("\\-", "-")
        self.assertEqual(options(page), known)
        others = {"--all", "--small", "--draw", "--build", "--preset", "--prefix", "--install", "--update", "--cflags", "--libs",
                  "--sshloginfile", "--workdir", "--joblog"}
        for path in documents():
            self.assertEqual(options(path.read_text().replace("\\-", "-")) - known - others, set(),
                             path)

    def test_man_page(self):
        """It has a section for every command, and no line that troff would take for a request."""
        page = (SOURCE / "docs/lightpath.1").read_text().replace("\\-", "-")
        for line in commands()[1:]:
            self.assertIn(".SS " + " ".join(line) + "\n", page)
        requests = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".I", ".IR", ".BI", ".RB", ".RI", ".EX",
                    ".EE", ".RS", ".RE", '.\\"'}
        for row in page.splitlines():
            if row.startswith((".", "'")):
                self.assertIn(row.split()[0], requests)


if __name__ == "__main__":
    if UPDATE:
        sys.argv.remove("--update")
    sys.exit(unittest.main())
