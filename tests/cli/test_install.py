#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a fresh prefix, and uses what lies there as a stranger would: the program, the
library through pkg-config, the headers, the XML and the man page.

Environment: CMAKE, BUILD (the build folder), CC, CFLAGS, LIGHTPATH (the built program), VERSION."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import test_locale

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JOB = ["gpt3-175b", "dgx-a100-1024"]


def run(*line, **keywords):
    """Standard output of a command that must succeed in silence."""
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, **keywords)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{line}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lightpath-install-")
        root = pathlib.Path(cls.folder.name)
        # Installed in one place and moved to another: nothing may remember the first.
        run(os.environ["CMAKE"], "--install", os.environ["BUILD"], "--prefix", root / "first")
        cls.prefix = root / "second"
        (root / "first").rename(cls.prefix)
        libraries = sorted(cls.prefix.rglob("liblightpath.so"))
        assert len(libraries) == 1, libraries
        cls.libdir = libraries[0].parent
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=str(cls.libdir / "pkgconfig"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def flags(self, *options):
        return run("pkg-config", *options, "lightpath", env=self.environment).split()

    def compiler(self):
        return [os.environ["CC"], "-std=gnu17", "-Wall", "-Wextra", "-Werror",
                *os.environ["CFLAGS"].split()]

    def test_program(self):
        program = self.prefix / "bin/lightpath"
        self.assertRegex(run(program, "--version"),
                         rf"^lightpath {os.environ['VERSION']} \((no )?commit.*, SimGrid [0-9.]+\)\n$")
        line = ["simulate", *JOB, "--format=json"]
        self.assertEqual(run(program, *line, cwd="/"), run(os.environ["LIGHTPATH"], *line, cwd="/"))

    def test_libraries(self):
        self.assertEqual(run("pkg-config", "--modversion", "lightpath", env=self.environment),
                         os.environ["VERSION"] + "\n")
        program = self.prefix / "use_library"
        run(*self.compiler(), "-o", program, SOURCE / "tests/cli/use_library.c",
            *self.flags("--cflags", "--libs"))
        got = float(run(program, *JOB, env=self.environment))
        report = json.loads(run(os.environ["LIGHTPATH"], "simulate", *JOB, "--format=json"))
        self.assertEqual(got, report["simulated"]["iteration_time_s"])

    def test_sweep(self):
        """A hundred plans in one program of a user, each as the command simulates it."""
        program = self.prefix / "use_library_sweep"
        run(*self.compiler(), "-o", program, SOURCE / "tests/cli/use_library.c",
            *self.flags("--cflags", "--libs"))
        job = ["gpt3-125m", "dgx-a100-8"]
        settings = [f"seq={64 * (i + 1)}" for i in range(100)]
        times = [float(line) for line in
                 run(program, *job, *settings, env=self.environment).split()]
        self.assertEqual(len(times), 100)
        self.assertEqual(times, sorted(times))
        for i in (0, 99):
            report = json.loads(run(os.environ["LIGHTPATH"], "simulate", *job, "--set", settings[i],
                                    "--format=json"))
            self.assertEqual(times[i], report["simulated"]["iteration_time_s"])

    def test_hardening(self):
        """Program and library have a stack protector, checked copies, and constant tables of addresses."""
        if os.environ["CFLAGS"]:
            self.skipTest("sanitizers have their own ways")
        for path in (self.prefix / "bin/lightpath", self.libdir / "liblightpath.so"):
            headers = run("readelf", "--wide", "--program-headers", "--dynamic", path)
            self.assertIn("GNU_RELRO", headers)
            self.assertRegex(headers, r"\(FLAGS(_1)?\).*NOW")
            symbols = run("nm", "--dynamic", path)
            self.assertIn("__stack_chk_fail", symbols)
            self.assertRegex(symbols, r"U __\w+_chk")

    def test_overlays(self):
        """What GLib would lay over shipped files is not looked at, by the program or the library."""
        accelerators = (SOURCE / "platforms/accelerators.xml").read_text()
        slow = self.prefix / "slow.xml"
        slow.write_text(accelerators.replace("312Tf", "3.12Tf"))
        self.assertNotEqual(slow.read_text(), accelerators)
        overlay = f"/lightpath/platforms/catalogue/accelerators.xml={slow}"
        program = self.prefix / "use_library_overlays"
        run(*self.compiler(), "-o", program, SOURCE / "tests/cli/use_library.c",
            *self.flags("--cflags", "--libs"))
        small = ["gpt3-125m", "dgx-a100-8"]
        for words in ([program, *small], [self.prefix / "bin/lightpath", "estimate", *small]):
            self.assertEqual(run(*words, env=dict(self.environment, G_RESOURCE_OVERLAYS=overlay)),
                             run(*words, env=self.environment))

    def test_library_locale(self):
        """A host program's language changes how it prints numbers, not which."""
        program = self.prefix / "use_library_locale"
        run(*self.compiler(), "-o", program, SOURCE / "tests/cli/use_library.c",
            *self.flags("--cflags", "--libs"))
        locales = self.prefix / "locales"
        locales.mkdir()
        test_locale.make(locales)
        job = [program, "gpt3-125m", "dgx-a100-8", "seq=512"]
        wanted = run(*job, env=dict(self.environment, LC_ALL="C"))
        for name in test_locale.NAMES:
            got = run(*job, env=dict(self.environment, LC_ALL=f"{name}.UTF-8", LOCPATH=str(locales)))
            self.assertEqual("," in got, name == "de_DE" or name == "tr_TR", got)
            self.assertEqual(got.replace(",", "."), wanted, name)

    def test_library_error(self):
        """An error crosses the library as one line, too."""
        program = self.prefix / "use_library_error"
        run(*self.compiler(), "-o", program, SOURCE / "tests/cli/use_library.c",
            *self.flags("--cflags", "--libs"))
        done = subprocess.run([program, "gpt3-175b", "dgx-a100-8"], env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("accelerators", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_headers(self):
        """The public headers are there, no others, and they compile with what pkg-config says."""
        folder = self.prefix / "include/lightpath"
        headers = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.h"))
        wanted = ["lightpath.h", *re.findall(
            r'^#include "(.*)"$', (SOURCE / "lightpath.h").read_text(), re.MULTILINE)]
        self.assertEqual(headers, sorted(wanted))
        text = "".join(f"#include <lightpath/{name}>\n" for name in headers)
        run(*self.compiler(), "-fsyntax-only", "-x", "c", "-", *self.flags("--cflags"), input=text)

    def test_files(self):
        """XML, schemas, manual and documents, all of them."""
        share = self.prefix / "share"
        for folder, tables in (("workloads", set()), ("platforms", set()),
                               ("validation", {"training.csv"})):
            wanted = tables | {path.name for path in (SOURCE / folder).glob("*.xml")
                               if not path.name.endswith(".gresource.xml")}
            got = {path.name for path in (share / "lightpath" / folder).iterdir() if path.is_file()}
            self.assertEqual(got, wanted)
        wanted = {path.name for path in (SOURCE / "workloads/scenarios").glob("*.xml")}
        got = {path.name for path in (share / "lightpath/workloads/scenarios").iterdir()}
        self.assertEqual(got, wanted)
        wanted = {path.name for folder in ("workloads", "platforms", "study", "validation")
                  for path in (SOURCE / folder).glob("*.xsd")} | {"output.schema.json"}
        self.assertEqual({path.name for path in (share / "lightpath/schemas").iterdir()}, wanted)
        for name in ("man/man1/lightpath.1", "doc/lightpath/README.md", "doc/lightpath/LICENSE"):
            self.assertTrue((share / name).stat().st_size > 0, name)
        for name in ("bash-completion/completions/lightpath", "zsh/site-functions/_lightpath",
                     "fish/vendor_completions.d/lightpath.fish"):
            self.assertIn("--complete", (share / name).read_text(), name)
        run(self.prefix / "bin/lightpath", "platform", "check",
            share / "lightpath/platforms/dgx-a100-8.xml")


    def test_documents(self):
        """All documents are there, and every link in them leads somewhere."""
        folder = self.prefix / "share/doc/lightpath"
        got = {str(path.relative_to(folder)) for path in folder.rglob("*.md")}
        self.assertEqual(got, {str(path.relative_to(SOURCE)) for pattern in ("*.md", "*/*.md", "docs/*/*.md")
                               for path in SOURCE.glob(pattern)
                               if path.relative_to(SOURCE).parts[0] != "build"})
        n_links, broken = 0, []
        for path in folder.rglob("*.md"):
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text()):
                if "://" not in target:
                    n_links += 1
                    if not (path.parent / target).exists():
                        broken.append(f"{path.relative_to(folder)}: {target}")
        self.assertGreater(n_links, 50)
        self.assertEqual(broken, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
