#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Restates tables of measurements in the columns that validate reads: attributes of a workload or a run, options of a
machine, the framework, what was measured, and what was inferred and not stated.

    validation/prepare.py OLD.csv > NEW.csv

Columns of OLD.csv are those of docs/validation.md ("Columns of other tables"). A file in the new columns is copied. What
rows leave open is looked up in models.xml, or asked of the program that LIGHTPATH names (else lightpath on PATH)."""

import csv
import sys

from preparation import collectives, products, training
from preparation.models import Models
from preparation.program import Program
from preparation.row import Row

# By a table's kind: columns that tell it, and what restates a row.
KINDS = [({"iteration_s"}, training), ({"busbw_GBps"}, collectives), ({"M", "N", "K"}, products)]


def fail(text):
    sys.exit(f"lightpath: {text}")


def read(path):
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            rows, line = [], 1
            for fields in reader:
                if any(field.strip() for field in fields):
                    rows.append((line, fields))
                line = reader.line_num + 1
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        fail(f"{path}: {fault}")
    if not rows:
        fail(f"{path}: got no header, wanted one")
    return rows[0][1], rows[1:]


def main():
    if len(sys.argv) != 2:
        fail("prepare.py: wanted one file of measurements")
    path = sys.argv[1]
    header, rows = read(path)
    out = csv.writer(sys.stdout, lineterminator="\n")
    kind = next((kind for telling, kind in KINDS if telling <= set(header)), None)
    if "machine" in header or kind is None:
        out.writerows([header, *(fields for _, fields in rows)])
        return
    program = Program()
    models = Models(program)
    out.writerow(kind.COLUMNS)
    for line, fields in rows:
        row = Row(dict(zip(header, fields)), header, f"{path}:{line}")
        new = kind.restate(row, program, models)
        new["id"] = row.text("id") or str(line)
        out.writerow([new.get(column, "") for column in kind.COLUMNS])
    program.close()


if __name__ == "__main__":
    main()
