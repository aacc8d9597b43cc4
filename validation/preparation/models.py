# SPDX-License-Identifier: Apache-2.0
"""Models and accelerators by the names that tables have for them (models.xml)."""

import pathlib
import xml.etree.ElementTree

from . import words

FILE = pathlib.Path(__file__).resolve().parents[1] / "models.xml"


class Models:
    def __init__(self, program):
        self.program, self.names, self.accelerators = program, [], {}
        for node in xml.etree.ElementTree.parse(FILE).getroot():
            for name in node.get("names").split("|"):
                if node.tag == "model":
                    self.names.append((words.tokens(name), node))
                else:
                    self.accelerators.setdefault(" ".join(words.tokens(name)), node.get("is"))

    def find(self, text):
        """The model that @text names, an element, or None: the name of most words counts, of equals the first."""
        said, best, size = words.tokens(text), None, -1
        for name, node in self.names:
            places = range(len(said) - len(name) + 1)
            if len(name) > size and any(said[i:i + len(name)] == name for i in places):
                best, size = node, len(name)
        return best

    def shape(self, model):
        """Its attributes."""
        shape = {}
        if model.get("workload"):
            shape.update(self.program.ask("shape", model.get("workload"))["shape"])
        for node in model.findall("shape"):
            shape.update((name, node.get(name)) for name in self.program.transformer if node.get(name) is not None)
        return shape

    def accelerator(self, text):
        """The catalogue's name of what @text is another name of, or None."""
        return self.accelerators.get(" ".join(words.tokens(text)))
