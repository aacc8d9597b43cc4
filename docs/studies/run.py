#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies: docs/studies/run.py NAME runs one (--help lists them), writes docs/studies/NAME.csv and
docs/studies/NAME.svg, and prints the tables of docs/studies.md and docs/network-studies.md.

--draw takes the CSV file as it is and runs nothing; --jobs=N runs so many simulations at a time (2).
Environment: LIGHTPATH (the program; else the one of the search path)."""
import argparse
import concurrent.futures
import csv
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
STUDIES = ("machines", "switching", "characterize", "days", "substrates", "mapping", "joules",
           "direct", "mixnet", "railonly", "rotors", "faults", "pods", "rings")


def csv_file(name):
    return HERE / f"{name}.csv"


def read_rows(name):
    """The rows of a study as its CSV file has them: texts by column."""
    with csv_file(name).open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(name, columns, rows):
    with csv_file(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def run_all(study, n_jobs):
    """The rows of every case of @study, in order; a terminal is told how many there are."""
    is_terminal = sys.stderr.isatty()
    with concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        rows = []
        for some in pool.map(study.run_case, study.cases()):
            rows += some
            if is_terminal:
                print(f"{len(rows)} rows", file=sys.stderr, end="\r")
    if is_terminal:
        print(file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description="Runs a study and draws it.")
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--draw", action="store_true", help="draw the stored CSV file; run nothing")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    options = parser.parse_args()
    study = importlib.import_module(options.study)
    if not options.draw:
        write_rows(options.study, study.COLUMNS, run_all(study, options.jobs))
    rows = read_rows(options.study)
    (HERE / f"{options.study}.svg").write_text(study.picture(rows))
    print(study.tables(rows), end="")


if __name__ == "__main__":
    main()
