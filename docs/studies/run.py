#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies: docs/studies/run.py NAME runs one (--help lists them), and all each of them. A study has its rows in NAME.csv and its
picture in NAME.svg beside it; NAME.md is its page, with some of its tables. All are written, and all tables printed. Those with a
NAME.xml are run by "lightpath sweep" (docs/sweep.md), and NAME.py has what follows from their rows; the others' NAME.py runs them, too.

--draw takes the CSV files as they are and runs nothing; --small runs a few cases of each study, writes nothing, and says what of
the files differs, to the last digit; --jobs=N runs so many simulations at a time (2).
Environment: LIGHTPATH (the program; else the one of the search path)."""
import argparse
import concurrent.futures
import csv
import html
import importlib
import json
import pathlib
import sys
import tempfile

from program import figures, lightpath

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENTS = HERE.parent
OPTICS = DOCUMENTS.parent / "validation/optics"
STUDIES = ("machines", "switching", "characterize", "days", "substrates", "mapping", "joules",
           "direct", "mixnet", "railonly", "rotors", "faults", "pods", "rings", "opus", "libraries", "astrasim")
ELSEWHERE = {"opus": OPTICS / "steps.csv"}
WORDS_MAX = 200
sys.path.append(str(OPTICS))


def load(name):
    return importlib.import_module(name)


def csv_file(name):
    return ELSEWHERE.get(name, HERE / f"{name}.csv")


def read_rows(name):
    """The rows of a study as its CSV file has them: texts by column."""
    with csv_file(name).open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(name, columns, rows):
    with csv_file(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def sweep_file(name):
    return HERE / f"{name}.xml"


def sweep(name, columns, n_jobs, few=()):
    """The rows of the study NAME.xml: of points for which one of the expressions of @few holds, or of all."""
    with tempfile.TemporaryDirectory() as folder:
        file = sweep_file(name)
        if few:
            # What the study names lies beside it.
            for one in HERE.glob("*.xml"):
                pathlib.Path(folder, one.name).symlink_to(one)
            only = html.escape(" or ".join(f"({one})" for one in few))
            file = pathlib.Path(folder, f"few-{file.name}")
            file.write_text(sweep_file(name).read_text().replace("</study>", f'<constraint that="{only}"/></study>'))
        points = json.loads(lightpath("sweep", file, f"--store={folder}/store", f"--jobs={n_jobs}",
                                      "--export=json"))["points"]
    study = load(name)
    derive, shown = getattr(study, "derive", lambda row: {}), getattr(study, "shown", figures)
    for point in points:
        expected = any(why in point.get("message", "") for why in getattr(study, "REFUSED", ()))
        if point["state"] != "done" and not expected:
            raise SystemExit(f"{name}: {point['set']}: {point['message']}")
    rows = [{**point["set"], **point["recorded"], **{key: point[key] for key in ("message",) if key in point}}
            for point in points]
    return [{column: shown({**row, **derive(row)}.get(column, "")) for column in columns} for row in rows]


def run_study(name, study, n_jobs, small):
    """The rows of a study, all or a few."""
    if sweep_file(name).exists():
        return sweep(name, study.COLUMNS, n_jobs, study.FEW if small else ())
    return run_cases(study, study.FEW if small else study.cases(), n_jobs)


def run_cases(study, cases, n_jobs):
    """The rows of @cases, in order; a terminal is told how many there are."""
    is_terminal = sys.stderr.isatty()
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        rows = []
        for some in pool.map(study.run_case, cases):
            rows += some
            if is_terminal:
                print(f"{len(rows)} rows", file=sys.stderr, end="\r")
    if is_terminal:
        print(file=sys.stderr)
    return rows


def parts(tables):
    """Tables as pages have them, one after the other."""
    return [part.strip("\n") for part in tables.split("\n\n") if part.strip("\n")]


def picture_file(name):
    return HERE / f"{name}.svg"


def page_file(name):
    return HERE / f"{name}.md"


def shown_tables(name):
    """The tables that the page of a study shows."""
    return [part for part in parts(page_file(name).read_text()) if part.startswith("|")]


def n_words(name):
    """Words of a study's page, its tables apart."""
    return sum(len(part.split()) for part in parts(page_file(name).read_text()) if not part.startswith("|"))


def run(name, draw, n_jobs):
    study = load(name)
    before = study.tables(read_rows(name)) if csv_file(name).exists() else ""
    if not draw:
        write_rows(name, study.COLUMNS, run_study(name, study, n_jobs, False))
    rows = read_rows(name)
    after = study.tables(rows)
    if hasattr(study, "picture"):
        picture_file(name).write_text(study.picture(rows))
    for old, new in zip(parts(before), parts(after)):
        page_file(name).write_text(page_file(name).read_text().replace(old, new))
    print(after, end="")


def differences(name, n_jobs):
    """What is otherwise in the files of a study than its small cases, picture and tables are now: lines for people."""
    study, rows = load(name), read_rows(name)
    few = run_study(name, study, n_jobs, True)
    found = [f"{name}: not in its rows: {row}" for row in few if row not in rows]
    if len(few) < len(study.FEW):
        found.append(f"{name}: {len(few)} rows of {len(study.FEW)} small cases")
    if hasattr(study, "picture") and picture_file(name).read_text() != study.picture(rows):
        found.append(f"{name}: its picture is not of its rows")
    if n_words(name) > WORDS_MAX:
        found.append(f"{name}: its page has {n_words(name)} words, at most {WORDS_MAX} wanted")
    printed = parts(study.tables(rows))
    return found + [f"{name}: its page has a table that is not of its rows: {part.splitlines()[0]}"
                    for part in shown_tables(name) if part not in printed]


def main():
    parser = argparse.ArgumentParser(description="Runs studies and draws them.")
    parser.add_argument("study", choices=(*STUDIES, "all"))
    parser.add_argument("--draw", action="store_true", help="draw the stored CSV files; run nothing")
    parser.add_argument("--small", action="store_true", help="run a few cases, compare with the files and write nothing")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    options = parser.parse_args()
    names = STUDIES if options.study == "all" else [options.study]
    if options.small:
        found = [line for name in names for line in differences(name, options.jobs)]
        print("\n".join(found) or f"{len(names)} studies are as their files say")
        return 1 if found else 0
    for name in names:
        run(name, options.draw, options.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
