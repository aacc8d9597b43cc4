# SPDX-License-Identifier: Apache-2.0
"""Lightpath from Python: simulate, estimate, search, sweep, collective.

    import lightpath
    machine = lightpath.machine("dgx-h100", 64, oversubscription=4)
    result = lightpath.simulate("llama-3-8b", machine, tp=2, dp=32)
    print(result.iteration_time_s, result.terms["tp"])

Settings of a workload and options of a command are keywords; an underscore stands for a dash
(micro_batch=2, ignore_memory=True). What is an option of the command is one, everything else is an
attribute of the workload, as in --set; the dictionary attributes= takes names that are both. Times
are in seconds, sizes in bytes. What goes wrong raises lightpath.Error with one line."""
import html
import json
import os
import pathlib
import tempfile
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from ._library import Error, Run, library

__all__ = ["Error", "Machine", "Result", "collective", "estimate", "machine", "run", "search",
           "simulate", "sweep", "version"]

Progress = Optional[Callable[[float], Any]]
Path = Union[str, "os.PathLike[str]"]

# Options of the commands that take attributes of workloads, but for --format and --set, and for
# --kernels of estimate, which is an attribute's name, too. tests/cli/test_python.py compares.
_OPTIONS = {
    "simulate": {"fidelity", "collapse", "collapse-rounds", "plan", "framework", "memory-reserve",
                 "runs", "seed", "ignore-memory", "approximate", "no-difference", "cost", "dry-run",
                 "verbose", "report", "trace", "csv", "paje", "catalogue", "libraries", "kernels-table",
                 "products"},
    "estimate": {"model", "plan", "framework", "memory-reserve", "ignore-memory", "verbose",
                 "catalogue", "libraries", "kernels-table",
                 "products"},
    "search": {"vary", "objective", "top", "within", "budget", "jobs", "exhaustive", "export",
               "ignore-memory", "framework", "memory-reserve", "accelerator-price",
               "output", "report", "csv", "catalogue", "libraries", "kernels-table",
                 "products"},
}


class Machine:
    """A machine that is made of a system, as "lightpath platform generate" makes it."""

    def __init__(self, system: str, accelerators: int, **options: Any) -> None:
        self.words = [f"--system={system}", f"--accelerators={accelerators}",
                      *(_option(name, value) for name, value in options.items())]

    def __repr__(self) -> str:
        return " ".join(self.words)

    def describe(self) -> dict[str, Any]:
        """What "lightpath platform describe" says of it."""
        return run("platform", "describe", *self.words).to_dict()


def machine(system: str, accelerators: int, **options: Any) -> Machine:
    """A machine of @accelerators of the system of that name; @options as "platform generate" has
    them: oversubscription=4, scale_out_bandwidth="800Gbps"."""
    made = Machine(system, accelerators, **options)
    made.describe()
    return made


class Result:
    """What a command found. It prints as the command does, and shows as its page in a notebook;
    both run the command once more, which gives the same result."""

    def __init__(self, words: list[str], progress: Progress = None) -> None:
        self._run = Run(words, progress)
        self._command = words[0]

    def to_json(self) -> str:
        """The JSON that the command prints."""
        return self._run.json()

    def to_dict(self) -> dict[str, Any]:
        """The same as Python objects; docs/output.schema.json names the keys."""
        return json.loads(self._run.json())

    def __str__(self) -> str:
        return self._run.text()

    def __repr__(self) -> str:
        return f"<lightpath.Result of {self._command}>"

    def _repr_html_(self) -> str:
        try:
            page = self._run.page()
        except Error:  # commands without pages
            return f"<pre>{html.escape(str(self))}</pre>"
        return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="700"></iframe>'

    def _main(self) -> dict[str, Any]:
        document = self.to_dict()
        for key in ("simulated", "closed_form"):
            if key in document:
                return document[key]
        raise Error(f"{self._command}: got a result without an iteration, wanted one of simulate or "
                    "estimate")

    @property
    def iteration_time_s(self) -> float:
        """The time of the iteration: simulated, or, of estimate, in closed form."""
        return self._main()["iteration_time_s"]

    @property
    def terms(self) -> dict[str, float]:
        """What the time consists of, in seconds: compute, tp, pp, dp, ..."""
        return self._main()["terms_s"]


def _option(name: str, value: Any) -> str:
    word = "--" + name.replace("_", "-")
    return word if value is True else f"{word}={_text(value)}"


def _text(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _machine_words(machines: Any) -> list[str]:
    one = machines if isinstance(machines, (list, tuple)) else [machines]
    return [word for item in one
            for word in (item.words if isinstance(item, Machine) else [os.fspath(item)])]


def _words(command: str, workload: Path, machines: Any, attributes: Optional[Mapping[str, Any]],
           settings: Mapping[str, Any]) -> list[str]:
    words = [command, os.fspath(workload), *_machine_words(machines)]
    given = dict(attributes or {})
    for name, value in settings.items():
        name = name.replace("_", "-")
        if name in _OPTIONS[command]:
            if value is not False and value is not None:
                words += ([_option(name, item) for item in value]
                          if isinstance(value, (list, tuple)) else [_option(name, value)])
        else:
            given[name] = value
    return words + [f"--set={name.replace('_', '-')}={_text(value)}" for name, value in given.items()]


def simulate(workload: Path, machine: Union[Path, Machine], *, progress: Progress = None,
             attributes: Optional[Mapping[str, Any]] = None, **settings: Any) -> Result:
    """One training iteration of @workload on @machine, simulated. @progress is told of the fraction
    that is done, -1 while nothing is known; an exception that it raises ends the run."""
    return Result(_words("simulate", workload, machine, attributes, settings), progress)


def estimate(workload: Path, machine: Union[Path, Machine], *,
             attributes: Optional[Mapping[str, Any]] = None, **settings: Any) -> Result:
    """The same iteration by the closed form."""
    return Result(_words("estimate", workload, machine, attributes, settings))


def search(workload: Path, machine: Union[Path, Machine, Sequence[Union[Path, Machine]]], *,
           vary: Union[str, Sequence[str], None] = None, progress: Progress = None,
           attributes: Optional[Mapping[str, Any]] = None, **settings: Any) -> Any:
    """The fastest plans as a pandas frame, a row each, best first: what is set, times, terms, memory.
    @vary: axes as in --vary, "tp=1,2,4". The whole answer is in the frame's attrs["lightpath"]."""
    if vary is not None:
        settings["vary"] = [vary] if isinstance(vary, str) else list(vary)
    found = Result(_words("search", workload, machine, attributes, settings), progress).to_dict()
    return _frame(found["plans"], found)


def collective(operation: str, machine: Union[Path, Machine], *, progress: Progress = None,
               **options: Any) -> Result:
    """A collective by itself, by message size; @options as "lightpath collective" has them."""
    words = ["collective", operation, *_machine_words(machine),
             *(_option(name, value) for name, value in options.items()
               if value is not False and value is not None)]
    return Result(words, progress)


def sweep(study: Path, *, store: Optional[Path] = None, progress: Progress = None,
          **options: Any) -> Any:
    """Runs the points of a study that its store does not have, and returns all of them as a pandas
    frame, a row each. @store: the SQLite file; without it the points are forgotten."""
    with tempfile.TemporaryDirectory(prefix="lightpath-") as folder:
        path = os.fspath(store) if store is not None else str(pathlib.Path(folder) / "store.sqlite")
        words = ["sweep", os.fspath(study), f"--store={path}", "--export=json",
                 *(_option(name, value) for name, value in options.items()
                   if value is not False and value is not None)]
        document = Result(words, progress).to_dict()
    return _frame(document["points"], document)


def run(*arguments: str, progress: Progress = None) -> Result:
    """Any command that takes --format=json, by the words of its command line."""
    return Result([str(word) for word in arguments], progress)


def version() -> str:
    """The version of the library."""
    return library().lp_version().decode()


def _frame(rows: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> Any:
    """@rows as a frame, nested names joined by dots, and @document beside them."""
    try:
        import pandas
    except ImportError as error:
        raise Error("pandas: it is not installed, wanted it for frames (apt install "
                    "python3-pandas)") from error
    frame = pandas.json_normalize(list(rows))
    frame.attrs["lightpath"] = document
    return frame
