#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, before anything else is included, and twice in a row.

Environment: CC."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "model", "platforms", "workloads", "sim", "validation", "report", "api", "cli", "tests")
PACKAGES = ("glib-2.0", "gio-2.0", "jansson", "libxml-2.0", "cunit")


def check(command, header):
    text = f'#include "{header}"\n#include "{header}"\n'
    done = subprocess.run([*command, "-"], input=text, text=True, capture_output=True)
    return header, done.returncode, done.stderr


def main():
    flags = subprocess.run(["pkg-config", "--cflags", *PACKAGES], capture_output=True, text=True,
                           check=True).stdout.split()
    command = [os.environ["CC"], "-std=gnu17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-fsyntax-only", "-x", "c", f"-I{SOURCE}", *flags]
    headers = ["lightpath.h"]
    for folder in FOLDERS:
        headers += sorted(str(path.relative_to(SOURCE)) for path in (SOURCE / folder).rglob("*.h"))
    if len(headers) <= len(FOLDERS):
        print(f"only {len(headers)} headers found below {SOURCE}", file=sys.stderr)
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, status, complaint in pool.map(lambda name: check(command, name), headers):
            if status != 0:
                failed += 1
                print(f"FAILED {header}\n{complaint}", file=sys.stderr)
    print(f"{len(headers)} headers, {failed} do not compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
