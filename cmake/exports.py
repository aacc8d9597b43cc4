#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the linker's version script: the shared library exports the functions and the data that
public headers declare, which are those that lightpath.h includes, and nothing else.

usage: exports.py SOURCE_FOLDER OUTPUT"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.MULTILINE)


def public_headers(source):
    """The names of the headers that lightpath.h includes."""
    return re.findall(r'^#include "(.*)"$', (source / "lightpath.h").read_text(), re.MULTILINE)


def declared(text):
    """What a header's @text declares. No other word in a header begins with "lp_" once comments and
    directives are left out."""
    return set(re.findall(r"\blp_\w+", DIRECTIVE.sub("", COMMENT.sub("", text))))


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    names = set()
    for header in public_headers(source):
        names |= declared((source / header).read_text())
    lines = "".join(f"    {name};\n" for name in sorted(names))
    output.write_text("{\nglobal:\n" + lines + "local:\n    *;\n};\n")


if __name__ == "__main__":
    main()
