# SPDX-License-Identifier: Apache-2.0
"""Seeds and words for fuzzing whole commands: those of the documents that name no file of a folder.

usage: commands.py FOLDER DICTIONARY"""
import pathlib
import re
import shlex
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def commands():
    """Words of each command, without the program's name."""
    found = set()
    for path in sorted([SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"^lightpath ([^|><;&$/\n]+)$", text, re.MULTILINE):
            found.add(tuple(shlex.split(line, comments=True)))
    return sorted(found)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for i, words in enumerate(commands()):
        (folder / str(i)).write_text("\n".join(words) + "\n", encoding="utf-8")
    options = set(re.findall(r"--[a-z][a-z-]+", (SOURCE / "docs/lightpath.1").read_text(encoding="utf-8").replace("\\-", "-")))
    settings = {word for words in commands() for word in words if len(word) < 40}
    pathlib.Path(sys.argv[2]).write_text(
        "".join(f'"{word}"\n' for word in sorted(options | settings) if not re.search(r'["\\]|[^ -~]', word)), encoding="utf-8")
