#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What holds for every source file of the tree: its length, the names of headers, what comments
begin with, and words that the field has better ones for.

Files are those that git knows or would add; in a tree without git, all but build folders."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ENDINGS = (".c", ".h", ".py", ".md", ".txt", ".cmake", ".sh")
LINES_MAX = 500

# Old names of what docs/architecture.md calls communication map, isolated time, round plan, rank
# equivalence, contention analysis, job, straggler, max-min sharing, collective run, program,
# lowering and gradient synchronisation. In identifiers, comments and documents, in any case.
WORDS = ("lp_class", "lp_edge", "lp_expansion", "lp_fluid", "lp_iteration", "lp_lonely", "lp_pace",
         "lp_proof", "lp_reduction", "lp_script", "lp_tenant", "lp_trial", "lp_world", "LpClasses",
         "LpEdge", "LpFluid", "LpIteration", "LpLonely", "LpPace", "LpProof", "LpReduction",
         "LpScript", "LpTenant", "LpTrial", "LpWorld")
# Private words for max-min solver, flow engine, round and class executor, job set, actor placement,
# packet network, limits of the closed form, census, framework defaults, overlapped passes ...
WORDS += ("appoint_leaders", "courier", "framework_habits", "goes_beside", "known_waits", "LP_AGAIN",
          "lp_tally", "lp_workload_suit", "LpBeside", "LpCast", "LpDelegate", "LpEncounter",
          "LpFabricBeside", "LpFilling", "LpFlowWays", "LpForeignFlow", "LpHomes", "LpKnownWaits",
          "LpLine", "LpMeter", "LpRecipe", "LpScene", "LpSurroundings", "LpTally", "LpTwins",
          "LpWayCheck", "parcel", "traffic_tally", "weave", "woven")

def git_files():
    """Tracked files and new ones that are not ignored; None where there is no checkout."""
    if not (SOURCE / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                               "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.split("\0")[:-1] if done.returncode == 0 else None


def walked_files():
    """All files but those of build folders, which CMake marks, and of hidden ones."""
    found = []
    for folder, below, names in os.walk(SOURCE):
        below[:] = [name for name in below if not name.startswith(".") and name != "build"
                    and not (pathlib.Path(folder) / name / "CMakeCache.txt").exists()]
        found += [str((pathlib.Path(folder) / name).relative_to(SOURCE)) for name in names]
    return found


def sources():
    """Name and text of every source file, in order."""
    names = git_files()
    names = walked_files() if names is None else names
    return {name: (SOURCE / name).read_text() for name in sorted(set(names))
            if (SOURCE / name).is_file() and (name.endswith(ENDINGS) or name.startswith("scripts/"))}


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = sources()

    def hold(self, wrong, rule):
        """No file of @wrong at all."""
        self.assertEqual(sorted(set(wrong)), [], rule)

    def test_files(self):
        """The other tests look at something: at files of each kind and of each folder."""
        for ending in ENDINGS:
            self.assertTrue(any(name.endswith(ending) for name in self.texts) or ending == ".sh")
        folders = {name.split("/")[0] for name in self.texts if name.endswith(".c")}
        self.assertLessEqual({"base", "model", "platforms", "workloads", "sim", "validation",
                              "report", "cli", "tests"}, folders)

    def test_lengths(self):
        self.hold([name for name, text in self.texts.items() if text.count("\n") > LINES_MAX],
                  f"more than {LINES_MAX} lines")

    def test_header_names(self):
        """A header's name says which one it is, whatever its folder."""
        names = collections.Counter(pathlib.PurePath(name).name for name in self.texts
                                    if name.endswith(".h"))
        self.hold([name for name, n in names.items() if n > 1],
                  "two headers of a name")

    def test_comments(self):
        """A comment is understood without the one above it."""
        pattern = re.compile(r"(/\*+|\"\"\"|^\s*(#|//))\s*The same of\b", re.MULTILINE)
        self.hold([name for name, text in self.texts.items() if pattern.search(text)],
                  "a comment that begins with \"The same of\"")

    def test_words(self):
        here = str(pathlib.Path(__file__).resolve().relative_to(SOURCE))
        pattern = re.compile("(?<![a-z])(" + "|".join(map(re.escape, WORDS)) + ")", re.IGNORECASE)
        found = [f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[1]}"
                 for name, text in self.texts.items() if name != here
                 for match in pattern.finditer(text)]
        self.assertEqual(found, [], "words of the old vocabulary")


if __name__ == "__main__":
    sys.exit(unittest.main())
