# SPDX-License-Identifier: Apache-2.0
"""The running program, which knows catalogues, frameworks and the memory of plans."""

import json
import os
import shutil
import subprocess


class Program:
    """One "lightpath validate --answer", asked by lines; what is asked twice is remembered."""

    def __init__(self):
        path = os.environ.get("LIGHTPATH") or shutil.which("lightpath")
        if path is None:
            raise SystemExit("lightpath: prepare.py: got no lightpath on PATH, wanted it there or in LIGHTPATH")
        self.process = subprocess.Popen([path, "validate", "--answer"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="replace")
        self.known = {}
        names = self.ask("names")
        self.systems, self.frameworks = names["systems"], names["frameworks"]
        self.accelerators, self.transformer = names["accelerators"], names["transformer"]

    def ask(self, *fields):
        """The answer to a question, an object; {"error": ...} where there is none."""
        line = "\t".join(" ".join(field.split("\n")).replace("\t", " ") for field in fields)
        if line not in self.known:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if not answer:
                raise SystemExit("lightpath: prepare.py: got no answer of lightpath, wanted one")
            self.known[line] = json.loads(answer)
        return self.known[line]

    def default(self, settings, name):
        """What the framework of @settings decides of attribute @name, by what is said so far; or None."""
        framework = self.ask("framework", settings.get("framework", ""))
        for setting in framework.get("settings", []):
            if setting["name"] == name and all(holds(settings, one) for one in setting["conditions"]):
                return setting["value"]
        return None

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def number(text):
    """The number that @text begins with, or 0."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def holds(settings, condition):
    said = settings.get(condition["name"])
    if condition["comparison"] == ">":
        return said is not None and number(said) > number(condition["value"])
    return (said == condition["value"]) == (condition["comparison"] == "=")
