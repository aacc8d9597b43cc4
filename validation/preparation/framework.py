# SPDX-License-Identifier: Apache-2.0
"""Whose software ran a row of measured training."""

import re

from . import sources, words


def trainer(text):
    """The framework of what trains transformers' models, if @text names one, or None."""
    its = set(words.plain(text).split())
    if not its & words.TRAINERS or its & {"megatron", "mcore"}:
        return None
    return next(name for known, name in words.SHARING if not known or set(known.split()) & its)


def known(text, program):
    """The framework that @text names, in whatever letters or by another word for it, or None."""
    lower = text.lower()
    if lower in program.frameworks:
        return lower
    own = trainer(text)
    if own is not None:
        return own
    own = said(text, program).get("framework")
    if own is not None:
        return own
    word = words.meaning("framework", text)
    return word if word in program.frameworks else None


def said(text, program):
    """The settings that @text means as the program knows it, its framework among them; of software that is not modelled
    "nearest"."""
    answer = program.ask("accepts", "framework", text)
    if "settings" in answer:
        return dict(part.split("=") for part in answer["settings"].split(" "))
    if "error" not in answer:
        return {"framework": answer["value"]}
    nearest = re.search(r'not modelled; the nearest is "([^"]+)"', answer["error"])
    return {"nearest": nearest[1]} if nearest else {}


def guessed(row, program):
    """What is left where the column says nothing that is known: what the source is named for, or none."""
    text, source = row.text("framework"), row.text("source")
    nearest = said(text, program).get("nearest") if text else None
    if nearest is not None:
        row.infer(f'framework {nearest}: the nearest to "{text}", which is not modelled')
        return nearest
    unknown = f'nothing is known of "{text}"' if text else None
    name = next((word for word in words.names(source) if word != "none" and word in program.frameworks), None)
    if name is None:
        name = known(source, program)  # "NeMo" is another word for one
    if name is None:
        row.infer(f"framework none: {unknown or 'nothing is stated'}")
        return "none"
    row.infer(f"framework {name}: the source is named so{', and ' + unknown if unknown else ''}")
    return name


def container_in(text):
    """The version of NeMo's container that @text names ("26.06.01 NeMo Container", "NeMo 24.03.01"), or None."""
    parts = re.split("[ ,;()]", text)
    if "NeMo" not in parts:
        return None
    return next((part for part in parts if re.match(r"[0-9]{2}\.[0-9]{2}(\.|$)", part)), None)


def name_of(row, program):
    text = row.text("framework")
    name = known(text, program) if text else None
    if name is None:
        name = guessed(row, program)
    elif name != text:
        row.infer(f'framework {name}: in place of "{text}"')
    container = container_in(row.text("where")) or container_in(row.text("source"))
    version = program.ask("version", name, container)["name"] if container else ""
    if version and version != name:
        row.infer(f"framework {version}: of NeMo container {container}")
        return version
    reading = sources.software(row.text("source"), name)
    if reading is None:
        return name
    row.infer(f'framework {reading}: what that source ran, in place of "{name}"')
    return reading
