#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a fresh prefix, and uses what lies there as a stranger would: the program, the
library through pkg-config, the headers, the XML and the man page.

Environment: CMAKE, BUILD (the build folder), CC, CFLAGS, SANITIZER_LIBRARY (to be loaded before ours), LIGHTPATH (the built
program), VERSION."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import test_locale

import command
from command import PROGRAM

run = functools.partial(command.output_of, silent=True)
SOURCE = command.SOURCE
JOB = ["gpt3-175b", "dgx-a100-1024"]


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
        self.assertEqual(run(program, *line, cwd="/"), run(PROGRAM, *line, cwd="/"))

    def example(self, name):
        """The example of the library of that name, compiled as its comment says."""
        program = self.prefix / name
        if not program.exists():
            run(*self.compiler(), "-pthread", "-o", program, SOURCE / f"api/examples/{name}.c",
                *self.flags("--cflags", "--libs"))
        return program

    def test_libraries(self):
        """A hundred plans in one program of a user, each as the command simulates it."""
        self.assertEqual(run("pkg-config", "--modversion", "lightpath", env=self.environment),
                         os.environ["VERSION"].replace("-", "~") + "\n")
        job = ["gpt3-125m", "dgx-a100-8"]
        lengths = [str(64 * (i + 1)) for i in range(100)]
        times = [float(line.split()[1]) for line in
                 run(self.example("loop"), *job, "seq", *lengths, env=self.environment).splitlines()]
        self.assertEqual(len(times), 100)
        self.assertEqual(times, sorted(times))
        for i in (0, 99):
            report = json.loads(run(PROGRAM, "simulate", *job, "--set",
                                    f"seq={lengths[i]}", "--format=json"))
            self.assertEqual(times[i], report["simulated"]["iteration_time_s"])

    def test_progress(self):
        """A program is told of the progress of its run, which is the same run, and can end it."""
        done = subprocess.run([self.example("progress"), "600"], env=self.environment,
                              capture_output=True, text=True, check=True)
        report = json.loads(run(PROGRAM, "simulate", "llama-3-8b", "--system=dgx-h100",
                                "--accelerators=128", "--collapse=off", "--format=json"))
        time_s, said = done.stdout.split(" s, ")
        self.assertEqual(float(time_s), report["simulated"]["iteration_time_s"])
        self.assertEqual(said, "told of its progress\n")
        done = subprocess.run([self.example("progress"), "0"], env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, "cancelled\n"))

    def test_threads(self):
        """Sixteen threads simulate at once, each what the command simulates."""
        lines = run(self.example("search"), "gpt3-125m", "dgx-a100", env=self.environment).splitlines()
        self.assertEqual(len(lines), 17)
        times = {}
        for line in lines[:-1]:
            tp, pp, said = re.fullmatch(r"tp (\d) pp (\d): (.*)", line).groups()
            done = command.run("simulate", "gpt3-125m", "--system=dgx-a100", "--accelerators=64", f"--set=tp={tp}",
                               f"--set=pp={pp}", f"--set=dp={64 // int(tp) // int(pp)}", "--format=json")
            if done.returncode == 0:
                times[line] = json.loads(done.stdout)["simulated"]["iteration_time_s"]
                self.assertEqual(said, f"{times[line]:.6f} s")
            else:
                self.assertEqual("lightpath: " + said + "\n", done.stderr)
        best = min(times, key=times.get)
        self.assertEqual(lines[-1], "best: " + best.replace(":", ","))

    def test_python(self):
        """The package finds the library that is installed beside the program."""
        environment = dict(os.environ, PATH=f"{self.prefix / 'bin'}:{os.environ['PATH']}",
                           PYTHONPATH=str(self.prefix / "share/lightpath/python"))
        environment.pop("LIGHTPATH_LIBRARY", None)
        if os.environ["SANITIZER_LIBRARY"]:
            # Python itself frees less than it takes.
            environment.update(LD_PRELOAD=os.environ["SANITIZER_LIBRARY"], ASAN_OPTIONS="detect_leaks=0")
        said = run(sys.executable, "-c", "import lightpath\n"
                   "print(lightpath.simulate('gpt3-125m', 'dgx-a100-8').to_json())", env=environment)
        self.assertEqual(json.loads(said), json.loads(run(PROGRAM, "simulate", "gpt3-125m", "dgx-a100-8",
                                                          "--format=json")))

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
        small = ["gpt3-125m", "dgx-a100-8"]
        for words in ([self.example("loop"), *small, "tp", "1"], [self.prefix / "bin/lightpath", "estimate", *small]):
            self.assertEqual(run(*words, env=dict(self.environment, G_RESOURCE_OVERLAYS=overlay)),
                             run(*words, env=self.environment))

    def test_library_locale(self):
        """The language of a program changes no number."""
        locales = self.prefix / "locales"
        locales.mkdir()
        test_locale.make(locales)
        job = [self.example("loop"), "gpt3-125m", "dgx-a100-8", "seq", "512"]
        wanted = run(*job, env=dict(self.environment, LC_ALL="C"))
        for name in test_locale.NAMES:
            self.assertEqual(run(*job, env=dict(self.environment, LC_ALL=f"{name}.UTF-8",
                                                LOCPATH=str(locales))), wanted, name)

    def test_library_error(self):
        """An error crosses the library as one line, too; so does a program that is not there."""
        for words, environment, wanted in (
                (["gpt3-175b", "dgx-a100-8", "seq", "512"], {}, "accelerators"),
                (["gpt3-175b", "dgx-a100-8", "sequence", "512"], {}, "sequence=512: "),
                (["--help", "dgx-a100-8", "seq", "512"], {}, "wanted a shipped one or a path"),
                (["gpt3-175b", "dgx-a100-9", "seq", "512"], {}, "dgx-a100-9"),
                (["gpt3-175b", "dgx-a100-8", "seq", "512"], {"LIGHTPATH_PROGRAM": "/nowhere"},
                 "/nowhere: "),
                (["gpt3-175b", "dgx-a100-8", "seq", "512"], {"LIGHTPATH_PROGRAM": "/bin/true"},
                 "it has ended")):
            done = subprocess.run([self.example("loop"), *words], capture_output=True, text=True,
                                  env=dict(self.environment, **environment))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(wanted, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_headers(self):
        """The public header is there, alone, and compiles as C and with what pkg-config says."""
        folder = self.prefix / "include/lightpath"
        self.assertEqual([str(path.relative_to(folder)) for path in folder.rglob("*.h")],
                         ["lightpath.h"])
        run(*self.compiler(), "-fsyntax-only", "-x", "c", "-", *self.flags("--cflags"),
            input="#include <lightpath/lightpath.h>\n")

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
