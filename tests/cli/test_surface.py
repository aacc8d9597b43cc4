#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public surface: the headers that lightpath.h includes. They include none but themselves, GLib
and C, each prototype says what it does, and the shared library exports what they declare, no more
and no less.

Environment: BUILD (the build folder), CC."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOREIGN = re.compile(r"glib(-object)?\.h|gio/gio\.h|(std\w+|inttypes|float|limits)\.h")
# What names alone say: who frees, and which domain an error has.
OBVIOUS = re.compile(r"\w+_(free|quark)\b")
# A prototype begins a line, and its comment, if it has one, ends the line above.
PROTOTYPE = re.compile(r"^(/\*\*(?!<)(?:(?!\*/).)*\*/\n)?(?!typedef\b|#)[a-zA-Z][\w *]*?\*?\n?"
                       r"\b(lp_\w+)(\([^;]*);", re.DOTALL | re.MULTILINE)
UNCOMMENTED = re.compile(r"(?<!\*/\n)^typedef (?:struct|enum) \{.*?^\} (\w+);",
                         re.DOTALL | re.MULTILINE)


def public_headers():
    text = (SOURCE / "lightpath.h").read_text()
    return re.findall(r'^#include "(.*)"$', text, re.MULTILINE)


class Surface(unittest.TestCase):
    def test_includes(self):
        """A public header drags in no private one and no other library's."""
        public = public_headers()
        self.assertEqual(len(public), len(set(public)))
        for header in public:
            for target in re.findall(r"^#include [<\"](.*)[>\"]", (SOURCE / header).read_text(),
                                     re.MULTILINE):
                allowed = target in public or FOREIGN.fullmatch(target)
                self.assertTrue(allowed, f"{header}: {target}")

    def test_comments(self):
        """Every prototype has a comment of its own, which names its errors; so has every type. None
        can be read only after the one before it."""
        failures, n = [], 0
        for header in public_headers():
            text = (SOURCE / header).read_text()
            found = PROTOTYPE.findall(text)
            code = re.sub(r"/\*.*?\*/|^#.*?[^\\]$", "", text, flags=re.DOTALL | re.MULTILINE)
            self.assertEqual({name for _, name, _ in found}, set(re.findall(r"\b(lp_\w+)\(", code)))
            n += len(found)
            for comment, name, parameters in found:
                if OBVIOUS.fullmatch(name):
                    continue
                if not comment:
                    failures.append(f"{header}: {name}() has no comment")
                elif "GError **" in parameters and not re.search(r"[Ee]rror|_ERROR_", comment):
                    failures.append(f"{header}: {name}() does not name its errors")
            failures += [f"{header}: {name} has no comment" for name in UNCOMMENTED.findall(text)]
            failures += [f"{header}: {comment}" for comment
                         in re.findall(r"/\*\*?<?\s*(The same\b.*)", text, re.IGNORECASE)]
        self.assertGreater(n, 100)
        self.assertEqual(failures, [], "\n" + "\n".join(failures))

    def test_exports(self):
        """The library exports what a program sees that includes lightpath.h. The compiler's
        preprocessor finds it, and not what wrote the linker's script."""
        flags = subprocess.run(["pkg-config", "--cflags", "glib-2.0"], capture_output=True,
                               text=True, check=True).stdout.split()
        seen = subprocess.run([os.environ["CC"], "-E", "-P", f"-I{SOURCE}", *flags,
                               SOURCE / "lightpath.h"], capture_output=True, text=True, check=True)
        library = pathlib.Path(os.environ["BUILD"]) / "liblightpath.so"
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                                 text=True, check=True).stdout
        exported = {line.split()[-1] for line in symbols.splitlines()}
        declared = set(re.findall(r"\blp_\w+", seen.stdout))
        self.assertGreater(len(declared), 100)
        self.assertEqual(exported, declared)


if __name__ == "__main__":
    sys.exit(unittest.main())
