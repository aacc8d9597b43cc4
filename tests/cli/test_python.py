#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: pip installs it, it gives what the program prints, its errors are the
program's, and the notebook of the documents runs.

Environment: BUILD (the build folder), LIGHTPATH (the built program), VERSION."""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from command import run

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JOB = ["gpt3-125m", "dgx-a100-8"]


def printed(*words):
    return run(*words, check=True).stdout


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lightpath-python-")
        os.environ["LIGHTPATH_LIBRARY"] = str(pathlib.Path(os.environ["BUILD"]) / "liblightpath.so")
        os.environ["PYTHONPATH"] = str(SOURCE / "python")
        sys.path.insert(0, str(SOURCE / "python"))
        import lightpath
        cls.lightpath = lightpath

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pip(self):
        """pip installs it, and it runs from there."""
        if importlib.util.find_spec("wheel") is None:
            self.skipTest("this Python has no wheel (python3-wheel), by which pip builds packages")
        root = pathlib.Path(self.folder.name)
        # pip builds in the folder of the sources.
        shutil.copytree(SOURCE / "python", root / "python")
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                        "--no-build-isolation", "--disable-pip-version-check",
                        "--root-user-action=ignore", "--target", root / "site", root / "python"],
                       check=True)
        done = subprocess.run([sys.executable, "-c", "import lightpath; print(lightpath.version(), "
                               "lightpath.__file__)"], capture_output=True, text=True, check=True,
                              env=dict(os.environ, PYTHONPATH=str(root / "site")))
        self.assertEqual(done.stdout.split(), [os.environ["VERSION"],
                                               str(root / "site/lightpath/__init__.py")])

    def test_simulate(self):
        """JSON, table, page, time and terms are those of the program."""
        result = self.lightpath.simulate(*JOB, tp=2, dp=4, micro_batch=2)
        words = ["simulate", *JOB, "--set=tp=2", "--set=dp=4", "--set=micro-batch=2"]
        document = json.loads(printed(*words, "--format=json"))
        self.assertEqual(result.to_json(), printed(*words, "--format=json"))
        self.assertEqual(str(result), printed(*words))
        self.assertEqual(result.to_dict(), document)
        self.assertEqual(result.iteration_time_s, document["simulated"]["iteration_time_s"])
        self.assertAlmostEqual(sum(result.terms.values()), result.iteration_time_s, places=9)
        self.assertIn("srcdoc=\"&lt;!DOCTYPE html&gt;", result._repr_html_())

    def test_estimate(self):
        result = self.lightpath.estimate(*JOB)
        self.assertEqual(result.to_json(), printed("estimate", *JOB, "--format=json"))
        self.assertGreater(result.iteration_time_s, 0.0)

    def test_machine(self):
        machine = self.lightpath.machine("dgx-a100", 16, oversubscription=2)
        self.assertEqual(machine.describe()["accelerators"], 16)
        words = ["--system=dgx-a100", "--accelerators=16", "--oversubscription=2"]
        self.assertEqual(self.lightpath.collective("all-reduce", machine).to_json(),
                         printed("collective", "all-reduce", *words, "--format=json"))
        self.assertEqual(self.lightpath.simulate(JOB[0], machine, attributes={"dp": 16}).to_json(),
                         printed("simulate", JOB[0], *words, "--set=dp=16", "--format=json"))

    def test_options(self):
        """What is taken for an option is one of the command, and all of them are."""
        for command, options in self.lightpath._OPTIONS.items():
            shown = printed("--complete", command, "--").splitlines()
            names = {line.split("\t")[0].strip("-=") for line in shown}
            self.assertEqual(options - {"catalogue", "libraries", "kernels-table", "products"},
                             names - {"set", "format", "system", "accelerators", "help", "kernels"})
        self.assertEqual(self.lightpath.simulate(*JOB, no_difference=True).iteration_time_s,
                         self.lightpath.simulate(*JOB).iteration_time_s)

    def test_errors(self):
        """The line of the program, as an exception; the process goes on."""
        for call, wanted in (
                (lambda: self.lightpath.simulate(*JOB, tp=5), "tp: got 5"),
                (lambda: self.lightpath.simulate(*JOB, tensor=5), "tensor"),
                (lambda: self.lightpath.simulate("gpt-9", JOB[1]), "gpt-9"),
                (lambda: self.lightpath.machine("dgx-z", 8), "dgx-z"),
                (lambda: self.lightpath.run("workload"), "workload")):
            with self.assertRaisesRegex(self.lightpath.Error, wanted) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        self.assertGreater(self.lightpath.simulate(*JOB).iteration_time_s, 0.0)

    def test_threads(self):
        """Runs of several threads go on side by side: the lock of the interpreter is free."""
        times, n_ticks = {}, 0
        def one(seq):
            times[seq] = self.lightpath.simulate(*JOB, seq=seq).iteration_time_s
        threads = [threading.Thread(target=one, args=[128 * (i + 1)]) for i in range(8)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            n_ticks += 1
            time.sleep(0.001)
        self.assertEqual([times[seq] for seq in sorted(times)], sorted(times.values()))
        self.assertEqual(len(times), 8)
        self.assertGreater(n_ticks, 10)

    def test_progress(self):
        """An exception of the function that is told of the progress ends the run."""
        class Enough(Exception):
            pass
        def tell(fraction):
            if fraction > 0.0:
                raise Enough
        with self.assertRaises(Enough):
            self.lightpath.simulate("gpt3-175b", "dgx-a100-1024", collapse="off", progress=tell)

    def test_interruption(self):
        """Ctrl-C ends a run as it ends any call, and leaves no process."""
        script = ("import lightpath\ntry:\n    print('runs', flush=True)\n"
                  "    lightpath.simulate('gpt3-175b', 'dgx-a100-1024', collapse='off')\n"
                  "except KeyboardInterrupt:\n    print('interrupted')\n")
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                              text=True) as process:
            self.assertEqual(process.stdout.readline(), "runs\n")
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate()[0], "interrupted\n")
        self.assertEqual(process.returncode, 0)

    def test_frames(self):
        """Searches and sweeps give pandas frames with what the program prints."""
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(self.lightpath.Error, "pandas"):
                self.lightpath.search(*JOB, vary="tp", top=3)
            self.skipTest("pandas is not installed for this Python")
        frame = self.lightpath.search(*JOB, vary="tp,micro-batch", top=3)
        document = json.loads(printed("search", *JOB, "--vary=tp,micro-batch", "--top=3",
                                      "--format=json"))
        self.assertEqual(list(frame["iteration_time_s"]),
                         [plan["iteration_time_s"] for plan in document["plans"]])
        self.assertEqual(frame.attrs["lightpath"]["considered"], document["considered"])
        study = pathlib.Path(self.folder.name) / "study.xml"
        study.write_text("""<study name="two lengths">
  <workload name="gpt3-125m"/><machine name="dgx-a100-8"/>
  <axis name="seq" values="512|1024"/>
  <record key="simulated.iteration_time_s" as="time_s"/>
</study>
""")
        store = pathlib.Path(self.folder.name) / "store.sqlite"
        frame = self.lightpath.sweep(study, store=store)
        self.assertEqual(list(frame["set.seq"]), ["512", "1024"])
        self.assertEqual(list(frame["recorded.time_s"]),
                         [self.lightpath.simulate(*JOB, seq=seq).iteration_time_s for seq in (512, 1024)])
        self.assertTrue(store.exists())

    def test_notebook(self):
        """The cells of the notebook run one after the other."""
        notebook = json.loads((SOURCE / "docs/python.ipynb").read_text())
        code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 4)
        done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("0.", done.stdout)


if __name__ == "__main__":
    sys.exit(unittest.main())
