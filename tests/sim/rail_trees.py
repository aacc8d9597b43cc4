# SPDX-License-Identifier: Apache-2.0
"""Machines that are drawn: trees whose leaves serve rails, those of all domains under one leaf or of some, joined by a
spine that may be narrow, by paths that a hash picks, or not at all; and the same in the order of nodes. What one
collective sends changes rails there."""
import os

from command import generate

# What is in brackets is drawn. Each is a machine of 32 accelerators or of 64.
RAIL_TREES = [
    "--system=dgx-h100 --oversubscription={1,2,4}",
    "--system=generic --domain-size=4 --port-order=rail --leaf-ports={4,8} --oversubscription={1,2,4}"
    " {,--path-choice=hash --paths=2,--path-choice=hash --paths=4}",
    "--system=generic --domain-size=8 --port-order=rail --leaf-ports=4 --oversubscription={1,2,4}"
    " {,--path-choice=hash --paths=2,--path-choice=hash --paths=4}",
    "--system=generic --domain-size={4,8} --port-order=node --leaf-ports={8,16} --oversubscription={2,4}"
    " {,--path-choice=hash --paths=2,--path-choice=hash --paths=4}",
    "--system=generic --domain-size={4,8} --port-order=rail --leaf-ports=4 --joined-rails=no",
    "--system=generic --domain-size=4 --port-order=rail --leaf-ports=4 --oversubscription=2 --joined-rails=no",
    "--system=generic --domain-size=8 --nics-per-domain=4 --port-order=rail --leaf-ports=4 {,--oversubscription=4,"
    "--joined-rails=no}",
    "--system={hgx-h800,mi300x-platform} --oversubscription={1,4} --leaf-ports=4",
    "--system=rail-only",
]


def draw_options(r, texts):
    """One of @texts, and of what is in brackets."""
    text = r.choice(texts)
    while "{" in text:
        head, rest = text.split("{", 1)
        choices, tail = rest.split("}", 1)
        text = head + r.choice(choices.split(",")) + tail
    return text


class Machines:
    """Files of machines in a folder, each written once."""

    def __init__(self, folder):
        self.folder, self.paths = folder, {}

    def path(self, options):
        if options not in self.paths:
            path = self.paths[options] = os.path.join(self.folder, f"{len(self.paths)}.xml")
            generate(path, options)
        return self.paths[options]

    def draw(self, r, texts, share):
        """One of @texts; with a probability of @share a tree of rails of 64."""
        drawn = r.random() < share
        return self.path(draw_options(r, RAIL_TREES) + " --accelerators=64" if drawn else r.choice(texts))
