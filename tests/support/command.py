# SPDX-License-Identifier: Apache-2.0
"""Runs the program under test as people run it."""

import json
import os
import pathlib
import subprocess
import unittest

PROGRAM = os.environ["LIGHTPATH"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def run(*words, **keywords):
    """The process that ran `lightpath WORDS` to its end; its streams are text."""
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, **keywords)


def taken(*words, **keywords):
    """Standard output of a command that does what it is asked for, in silence."""
    done = run(*words, **keywords)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(f"lightpath {' '.join(map(str, words))}: status {done.returncode}: {done.stderr}")
    return done.stdout


def result(*words, **keywords):
    """What such a command says in JSON."""
    return json.loads(taken(*words, "--format=json", **keywords))


def refused(wanted, *words, status=1, **keywords):
    """The one line of a command that ends with @status and prints nothing else; it has @wanted in it."""
    done = run(*words, **keywords)
    if (done.returncode, done.stdout, done.stderr.count("\n")) != (status, "", 1) or wanted not in done.stderr:
        raise AssertionError(f"lightpath {' '.join(map(str, words))}: got status {done.returncode}, {done.stdout!r}, "
                             f"{done.stderr!r}, wanted {status} and {wanted!r}")
    return done.stderr


def generate(path, options):
    """@path, where `lightpath platform generate OPTIONS` has written a machine; @options are one text."""
    taken("platform", "generate", *options.split(), "-o", path)
    return path


class Case(unittest.TestCase):
    """The same with a complaint of the test's own."""

    def taken(self, *words, **keywords):
        """Standard output of a command that does what it is asked for, in silence."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def refused(self, status, part, *words, **keywords):
        """The command ends with @status and complains in one line, which holds @part."""
        done = run(*words, **keywords)
        self.assertEqual((done.returncode, done.stdout), (status, ""), (words, done.stderr))
        self.assertTrue(done.stderr.startswith("lightpath: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)
