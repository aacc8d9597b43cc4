#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, before anything else is included, and twice in a row; and folders
include each other only as docs/architecture.md draws it.

Environment: CC."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "model", "platforms", "workloads", "sim", "validation", "report", "cli", "tests")
PACKAGES = ("glib-2.0", "gio-2.0", "jansson", "libxml-2.0", "cunit")

BELOW = {"base": (), "model": (), "platforms": ("model", "base"), "workloads": ("model", "base"),
         "sim": ("workloads", "platforms", "model", "base")}
BELOW["validation"] = ("sim", *BELOW["sim"])
BELOW["report"] = ("validation", *BELOW["validation"])
BELOW["cli"] = ("report", *BELOW["report"])
SIMGRID = re.compile(r"sim/(engine/\w+|actors/(channel|communicator_runtime|actor_\w+)|run/(run|bare_ring))\.c$")
LIBXML = re.compile(r"base/xml(_writer)?\.[ch]$")


def wrong_includes():
    """"FILE: INCLUDE" of every include against the arrows, or past the door to a library."""
    for folder, below in BELOW.items():
        for path in sorted((SOURCE / folder).rglob("*.[ch]")):
            name = str(path.relative_to(SOURCE))
            for target in re.findall(r"^#include [<\"](.*)[>\"]", path.read_text(), re.MULTILINE):
                first = target.split("/")[0]
                if (first in BELOW and first not in (folder, *below)
                        or first in ("simgrid", "xbt") and not SIMGRID.match(name)
                        or first == "libxml" and not LIBXML.match(name)):
                    yield f"{name}: {target}"


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
    wrong = list(wrong_includes())
    for line in wrong:
        print(f"FAILED {line}: against the arrows of docs/architecture.md", file=sys.stderr)
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
