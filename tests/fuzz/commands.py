# SPDX-License-Identifier: Apache-2.0
"""Seeds and words for fuzzing whole commands: those of the documents that name no file of a folder, and as words
the attributes of workloads, the names of what is shipped, and values that readers may trip over.

usage: commands.py FOLDER DICTIONARY"""
import pathlib
import re
import shlex
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]


VALUES = ["-1", "0", "-0", "00012", "1e308", "1e-320", "nan", "inf", "+inf", "0x10", "1,5", "4294967295", "4294967296",
          "18446744073709551615", "18446744073709551616", "1..4", "1|2", "8kB", "25GBps", "1us", "yes", "none", "auto"]


def names():
    """Attributes as settings, shipped workloads and machines, and systems."""
    attributes = re.findall(r'<attribute [^>]*?\bname="([a-z-]+)"', (SOURCE / "workloads/description/attributes.xml").read_text(encoding="utf-8"))
    systems = re.findall(r'<system [^>]*?\bname="([a-z0-9-]+)"', (SOURCE / "platforms/systems.xml").read_text(encoding="utf-8"))
    shipped = [path.stem for folder in ("workloads", "workloads/scenarios", "platforms") for path in (SOURCE / folder).glob("*.xml")]
    return {f"--set={name}=" for name in attributes} | {f"--system={name}" for name in systems} | set(shipped)


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
        "".join(f'"{word}"\n' for word in sorted(options | settings | names() | set(VALUES)) if not re.search(r'["\\]|[^ -~]', word)), encoding="utf-8")
