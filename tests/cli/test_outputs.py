#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that a command writes: what cannot be written is refused before anything is computed, and
what fails later does not take the answer with it.

Environment: LIGHTPATH (the built program)."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import model_configs
import test_kineto
import test_step_lists
from command import Case, run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JOB = ["gpt3-125m", "dgx-a100-8"]
# Commands with each option that names a file.
FILES = [(["simulate", *JOB], "--report"), (["simulate", *JOB], "--trace"), (["simulate", *JOB], "--paje"),
         (["compare", *JOB, "dgx-a100-8"], "--report"), (["contention", *JOB], "--report"),
         (["workload", "kernels", *JOB], "--report"),
         (["search", *JOB, "--vary=tp"], "--report"), (["search", *JOB, "--vary=tp"], "--csv"),
         (["search", *JOB, "--vary=tp"], "--output")]
FOLDERS = [(["simulate", *JOB], "--csv")]


class Outputs(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "file").write_text("kept")
        (self.folder / "folder").mkdir()
        (self.folder / "folder/other").write_text("kept")

    def holds(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def test_refused(self):
        """Nothing is printed, so nothing was computed, and nothing is left."""
        before = self.holds()
        for words, option in FILES + FOLDERS:
            places = ["missing/new", "file/new", "n" * 252] + ["folder"] * ((words, option) in FILES)
            for place in places:
                with self.subTest(command=words[0], option=option, place=place):
                    self.refused(1, f"{self.folder}/{place}: ", *words, f"{option}={self.folder}/{place}")
        self.refused(1, "missing/c.xml: ", "calibrate", "--fit=a100-80:launch", f"--output={self.folder}/missing/c.xml",
                     f"--cases={pathlib.Path(__file__).parents[2]}/validation/training.csv")
        self.assertEqual(self.holds(), before)

    def test_links(self):
        """A link to nothing is refused, by a link to something that is written."""
        (self.folder / "dangling").symlink_to("nowhere")
        for words, option in FILES + FOLDERS:
            self.refused(1, "dangling: got a link to nothing", *words, f"{option}={self.folder}/dangling")
        self.assertEqual(os.readlink(self.folder / "dangling"), "nowhere")
        (self.folder / "link").symlink_to("file")
        self.taken("simulate", *JOB, f"--report={self.folder}/link")
        self.assertEqual(os.readlink(self.folder / "link"), "file")
        self.assertIn("</html>", (self.folder / "file").read_text(encoding="utf-8"))

    def test_in_folder(self):
        """A folder is replaced as a whole: no other file is written into it."""
        folder = self.folder / "rows"
        for place in (folder / "links.csv", folder / "new", f"{folder}/../rows/links.csv"):
            self.taken("simulate", *JOB, f"--csv={folder}")
            before = {path.name: path.read_bytes() for path in folder.iterdir()}
            self.refused(2, ", as --csv, wanted another file", "simulate", *JOB, f"--csv={folder}", f"--report={place}")
            self.assertEqual({path.name: path.read_bytes() for path in folder.iterdir()}, before)

    def test_full_disk(self):
        """Folders come whole or not at all, what was there stays, and the answer comes all the same."""
        rows = pathlib.Path(__file__).parents[2] / "validation"
        head = self.folder / "rows.csv"
        head.write_text("\n".join((rows / "gemm.csv").read_text(encoding="utf-8").splitlines()[:40]) + "\n",
                        encoding="utf-8")
        for size, n_inodes in (("16k", 1000), ("10m", 9)):
            on_small = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                        f"mount -t tmpfs -o size={size},nr_inodes={n_inodes} none {self.folder}/folder && "
                        f"cd {self.folder}/folder && mkdir there && echo kept > there/file && \"$@\"; status=$?; "
                        "find . | sort >&2; exit $status", "sh"]
            if subprocess.run([*on_small, "true"], capture_output=True).returncode != 0:
                self.skipTest("no name spaces to mount a small disk in")
            for words, option in (["simulate", *JOB], "--csv=new"), (["validate", f"--cases={head}"], "--resume=new/sub"):
                with self.subTest(size=size, option=option):
                    done = subprocess.run([*on_small, os.environ["LIGHTPATH"], *words, option], capture_output=True,
                                          text=True)
                    complaint, *left = done.stderr.splitlines()
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(complaint, "^lightpath: new.*: No space left on device$")
                    # Rows that were kept before are worth keeping.
                    rest = [name for name in left if not re.fullmatch(r"\./new(/sub(/[\w.-]+\.txt)?)?", name)]
                    self.assertEqual(left if "csv" in option else rest, [".", "./there", "./there/file"])
                    self.assertEqual(done.stdout, self.taken(*words))
            for option in ("--write-inputs=new/sub", "--write-inputs=there"):
                with self.subTest(size=size, option=option):
                    done = subprocess.run([*on_small, os.environ["LIGHTPATH"], "validate",
                                           f"--cases={rows}/training.csv", option], capture_output=True,
                                          text=True)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertEqual(done.stderr.splitlines()[1:], [".", "./there", "./there/file"])

    def test_no_temporary_folder(self):
        """What processes tell each other stays in memory."""
        bare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                "mount -t tmpfs -o ro none /tmp && mount -t tmpfs -o ro none /var/tmp && exec \"$@\"", "sh"]
        if os.environ["LIGHTPATH"].startswith("/tmp/") or subprocess.run([*bare, "true"], capture_output=True).returncode != 0:
            self.skipTest("no name spaces to mount a small disk in")
        for words in (["compare", *JOB, "dgx-a100-8"], ["search", *JOB, "--vary=tp"], ["contention", *JOB]):
            done = subprocess.run([*bare, os.environ["LIGHTPATH"], *words], capture_output=True, text=True, cwd="/")
            self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", self.taken(*words)))

    def test_trial(self):
        """The trial changes nothing of a file that is there, not even where the command then fails."""
        before = (self.folder / "file").stat()
        done = run("simulate", *JOB, "--set", "dp=3", f"--report={self.folder}/file")
        self.assertEqual(done.returncode, 1)
        after = (self.folder / "file").stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_fails_later(self):
        """The answer is printed, the other files are written, and the exit status is 1."""
        for words, option in FILES:
            with self.subTest(command=words[0], option=option):
                wanted = self.taken(*words, "--format=json")
                done = run(*words, "--format=json", f"{option}=/dev/full")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "lightpath: /dev/full: No space left on device\n")
                self.assertEqual(json.loads(done.stdout)["format_version"], json.loads(wanted)["format_version"])
                self.assertEqual(len(done.stdout), len(wanted))
        paths = {option: self.folder / option[2:] for option in ("--paje", "--csv", "--report")}
        done = run("simulate", *JOB, "--trace=/dev/full", *(f"{option}={path}" for option, path in paths.items()))
        self.assertEqual((done.returncode, done.stderr), (1, "lightpath: /dev/full: No space left on device\n"))
        self.assertEqual(done.stdout, self.taken("simulate", *JOB))
        for path in paths.values():
            self.assertTrue(path.exists(), path)

    def test_made_fails(self):
        """What was made of an input is told also where it cannot be written."""
        (self.folder / "config.json").write_text(json.dumps(model_configs.MODELS["llama-3.1-8b"][1]))
        (self.folder / "ring.xml").write_text(test_step_lists.msccl_ring(2))
        (self.folder / "profile.json").write_text(test_kineto.two_kernels().text())
        for words in (["import", "huggingface", "config.json"], ["import", "msccl", "ring.xml"],
                      ["import", "kineto", "profile.json"], ["tune", "communication", "dgx-a100-8", "--bytes=1MiB"]):
            with self.subTest(words[:2]):
                told = self.taken(*words, "-o", "made.xml", cwd=self.folder)
                done = run(*words, "-o", "/dev/full", cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (1, "lightpath: /dev/full: No space left on device\n"))
                self.assertEqual(done.stdout, told.replace("made.xml", "/dev/full"))

    def test_control_characters(self):
        """Names of files reach no terminal as commands to it, and JSON as they are."""
        name = "a\x1b[31m\nb\x9b.xml"
        (self.folder / name).write_bytes((SOURCE / "platforms/dgx-a100-8.xml").read_bytes())
        words = [os.environ["LIGHTPATH"], "estimate", "gpt3-125m", self.folder / name, "--set", "dp=8"]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        self.assertIn("a\\x1b[31m b\\u009b.xml", text)
        done = subprocess.run([*words, "--format=json"], capture_output=True, text=True, check=True)
        self.assertTrue(json.loads(done.stdout)["platform"].endswith(name))

    def test_other_bytes(self):
        """Files have names of any bytes, settings are text."""
        name = os.fsdecode(b"page\xff.html")
        self.taken("simulate", *JOB, f"--report={self.folder}/{name}")
        self.assertTrue((self.folder / name).exists())
        self.refused(2, "got an option with bytes that are not UTF-8, wanted text", "simulate", *JOB, f"--set={name}=1")

    def test_no_standard_output(self):
        """Files are written also where the answer cannot be."""
        page = self.folder / "page.html"
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([os.environ["LIGHTPATH"], "simulate", *JOB, f"--report={page}"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "lightpath: standard output: No space left on device\n"))
        self.assertIn("</html>", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
