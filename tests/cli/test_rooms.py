#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sources depend on each other as the picture of rooms says, docs/rooms.svg.

A room is a folder of sources: base, sim/engine, cli. Every include of ours stays in its room or goes
along arrows of the picture, one or several in a row; every arrow is an include, none could be left
out, and all point down. Modules (a header and its sources) include each other in no circle. And
SimGrid, libxml2, libsmartcols and SQLite are included behind their doors only."""
import collections
import pathlib
import re
import sys
import unittest
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PICTURE = SOURCE / "docs/rooms.svg"
FOLDERS = ("base", "model", "platforms", "workloads", "sim", "search", "study", "validation", "report", "cli")

SIMGRID = re.compile(r"sim/(engine/\w+|actors/(channel|communicator_\w+|flow_engine|flow_sender|round_executor|actor_\w+)"
                     r"|run/(run|bench_ring))\.c$")
DOORS = {"simgrid": SIMGRID, "xbt": SIMGRID, "libxml": re.compile(r"base/xml(_expression|_writer)?\.[ch]$"),
         "libsmartcols": re.compile(r"base/text_table\.c$")}
SQLITE = "study/database.c"


def includes():
    """(source, included) of every include of ours, as paths from the project's folder. Headers that
    the build makes (resources, the version) have no folder and are left out."""
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*.[ch]")):
            for target in re.findall(r'^#include "(.*/.*)"', path.read_text(), re.MULTILINE):
                yield str(path.relative_to(SOURCE)), target


def room(path):
    return str(pathlib.PurePosixPath(path).parent)


def module(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def below(graph, start):
    """All that can be reached from @start."""
    found, left = set(), list(graph[start])
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += graph[one]
    return found


def picture():
    """The picture's rooms with their heights on the page, and its arrows."""
    name = "{http://www.w3.org/2000/svg}"
    heights, arrows = {}, set()
    for group in xml.etree.ElementTree.parse(PICTURE).iter(name + "g"):
        title = group.findtext(name + "title")
        if group.get("class") == "node":
            heights[title] = float(group.find(name + "text").get("y"))
        elif group.get("class") == "edge":
            arrows.add(tuple(title.split("->")))
    return heights, arrows


class Rooms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.heights, cls.arrows = picture()
        cls.graph = collections.defaultdict(set)
        for tail, head in cls.arrows:
            cls.graph[tail].add(head)
        cls.includes = list(includes())

    def test_all_rooms(self):
        """The picture has the rooms that there are, and arrows between them."""
        rooms = {room(name) for pair in self.includes for name in pair}
        self.assertEqual(set(self.heights), rooms)
        self.assertGreater(len(self.arrows), len(FOLDERS))
        self.assertLessEqual({end for arrow in self.arrows for end in arrow}, rooms)

    def test_includes(self):
        """Every include stays in its room or goes along arrows."""
        wrong = [f"{source}: {target}" for source, target in self.includes
                 if room(source) != room(target)
                 and room(target) not in below(self.graph, room(source))]
        self.assertEqual(wrong, [], "against the arrows of docs/rooms.svg")

    def test_arrows(self):
        """Every arrow is an include, and none follows from others."""
        used = {(room(source), room(target)) for source, target in self.includes}
        self.assertEqual(sorted(self.arrows - used), [], "arrows that no include goes along")
        spare = [(tail, head) for tail, head in self.arrows
                 if any(head in below(self.graph, one) for one in self.graph[tail] - {head})]
        self.assertEqual(spare, [], "arrows that follow from others")

    def test_direction(self):
        """No circle of rooms, and no arrow up the page."""
        for one in self.heights:
            self.assertNotIn(one, below(self.graph, one), "a circle of rooms")
        up = [arrow for arrow in self.arrows if self.heights[arrow[0]] >= self.heights[arrow[1]]]
        self.assertEqual(up, [], "arrows that do not point down")

    def test_modules(self):
        """No circle of modules."""
        graph = collections.defaultdict(set)
        for source, target in self.includes:
            if module(source) != module(target):
                graph[module(source)].add(module(target))
        self.assertEqual([one for one in list(graph) if one in below(graph, one)], [])

    def test_doors(self):
        """Headers of other libraries are included by few files."""
        n, wrong = 0, []
        for folder in FOLDERS:
            for path in sorted((SOURCE / folder).rglob("*.[ch]")):
                name = str(path.relative_to(SOURCE))
                for first in re.findall(r"^#include <(\w+)/", path.read_text(), re.MULTILINE):
                    n += first in DOORS
                    if first in DOORS and not DOORS[first].match(name):
                        wrong.append(f"{name}: {first}")
                if "#include <sqlite3.h>" in path.read_text() and name != SQLITE:
                    wrong.append(f"{name}: SQLite")
        self.assertGreater(n, 0)
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
