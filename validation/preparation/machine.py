# SPDX-License-Identifier: Apache-2.0
"""The machine on which a row of measured training ran, as options of "lightpath platform generate"."""

import re

from . import sources, words
from .row import COUNT_MAX, HOSTS_MAX, Refusal

GENERIC = "generic"
SAME_RATE = 0.01  # rates that differ by less are the same one, rounded
SAME_MEMORY = 0.08  # what is sold as a size has up to so much less of it, or more in units of 1000
NETWORK = ("system", "accelerators_per_domain", "scale_up_GBps", "scale_out_Gbps", "nics_per_domain")

# Shipped systems whose links between and beside accelerators are those of other machines with the accelerator, too. A800
# have NVLink as H800 have, and cards as A100 have.
PCIE_4 = ("a100-80-pcie a100-40-pcie a10 a10g a40 a6000 l4 l40 l40s rtx-3090 rtx-4090 mi210").split()
SCALE_UP = {"v100-16": "dgx-1", "v100-32": "dgx-1", "a100-40": "dgx-a100", "a100-64": "leonardo", "a100-80": "dgx-a100", "a800": "hgx-h800",
            "h100-sxm": "dgx-h100", "h100-sxm-64": "marenostrum-5", "h100-sxm-96": "dgx-h100", "h200": "dgx-h100", "h20": "dgx-h100",
            "h800": "hgx-h800", "b200": "dgx-b200", "b300": "dgx-b300", "gb200": "gb200-nvl72",
            "gb300": "gb300-nvl72", "mi300x": "mi300x-platform", "mi325x": "mi300x-platform",
            "mi350x": "mi355x-platform", "mi355x": "mi355x-platform", "mi250x-gcd": "frontier",
            "mi250-gcd": "frontier", "t4": "pcie-3", "h100-pcie": "pcie-5", "h100-nvl": "pcie-5",
            **dict.fromkeys(PCIE_4, "pcie-4")}
SCALE_OUT = {**{name: system for name, system in SCALE_UP.items() if not system.startswith("pcie-")},
             "a800": "dgx-a100"}


def rate(row, column, unit):
    """The number in @column with @unit behind it, or None."""
    value = row.number(column, 1e-3, 1e6)
    return None if value is None else f"{value:.17g}{unit}"


def whole(number):
    return f"{number:.9g}"


def other_memory(name, matched, program):
    """What is to be said where @name states a memory that the card it is taken for has not."""
    stated = re.search(r"(?<![0-9.])([0-9]+) ?Gi?B?(?![A-Za-z0-9])", name, re.IGNORECASE)
    its = next(one["memory_bytes"] for one in program.accelerators if one["name"] == matched)
    if stated is None or any(abs(its / unit / int(stated[1]) - 1) <= SAME_MEMORY for unit in (1e9, 2 ** 30)):
        return ""
    return f", which has {its / 1e9:.0f} GB: none of {stated[1]} GB is known, nor its bandwidth"


def accelerator_of(row, program, models):
    """By the name in the catalogue, another name that is listed, or the words of the text."""
    name = row.text("accelerator")
    answer = program.ask("accelerator", models.accelerator(name) or name)
    if "error" not in answer:
        if answer["name"].lower() != name.lower():
            row.infer(f'accelerator {answer["name"]}: in place of "{name}"')
        return answer
    matched = words.card(name, program.accelerators)
    if matched is None:
        raise Refusal(f"column accelerator: {answer['error']}")
    row.infer(f'accelerator {matched}: by the words of "{name}"{other_memory(name, matched, program)}')
    return program.ask("accelerator", matched)


def named_system(row, program):
    """The system of the catalogue that one of the words of the column names ("selene (dgx-a100)"), or that which the
    row's source ran on, where it is like that one or none is named; else the generic one."""
    own = sources.machine(row.text("source"))
    named = next((word for word in words.names(row.text("system")) if word in program.systems), None)
    if own is not None and (named is None or named == program.ask("system", own)["like"]):
        named = own
    return named or GENERIC


def accelerators_of(row):
    if not row.has("accelerators"):
        raise row.fault("accelerators", "their number")
    return row.count("accelerators", 1, HOSTS_MAX, words_too=True)


def default_system(row, system):
    """Domains of @system, all alike and as few as hold the accelerators."""
    n = accelerators_of(row)
    domains = -(-n // system["domain_size"])
    size = -(-n // domains)
    row.infer(f"machine {system['name']} in domains of {size}: nothing is stated but the accelerator")
    return {"accelerators": domains * size, "domain-size": size}


def open_domain(row, texts, system, n, size):
    """Rate and size of domains; of those that a row leaves open, as few as hold @n accelerators are taken, all alike
    where they are large. Returns: the size."""
    if not row.has("accelerators_per_domain"):
        its = system["domain_size"]
        if its > size:
            size = -(-n // -(-n // its))
        row.infer(f"{size} accelerators a domain: nothing is stated")
    if texts["domain-bandwidth"] is None:
        up = system["domain_bytes_per_s"] * 1e-9
        texts["domain-bandwidth"] = whole(up) + "GBps"
        row.infer(f"scale-up {up:.4g} GB/s an accelerator, as {system['name']}: nothing is stated")
    return size


def generic_scale_out(row, texts, size, system):
    """Rates are per accelerator; several may share a card, and more cards than accelerators act as one for each."""
    texts["scale-out-bandwidth"] = rate(row, "scale_out_Gbps", "Gbps")
    cards = row.count("nics_per_domain", 1, COUNT_MAX, size, words_too=True)
    texts["nics-per-domain"] = min(cards, size)
    if texts["scale-out-bandwidth"] is None:
        gbps = system["scale_out_bytes_per_s"] * 8e-9
        texts["scale-out-bandwidth"] = whole(gbps) + "Gbps"
        row.infer(f"scale-out {gbps:.4g} Gb/s an accelerator, as {system['name']}: nothing is stated")


def named_scale_out(row, texts, named, is_large):
    """What a row states of the network between domains counts where it is not @named's own. Its cards stay, since tables
    count those of a host, which need not be a domain."""
    own = named["scale_out_bytes_per_s"] * 8e-9
    stated = row.number("scale_out_Gbps", 1e-3, 1e6)
    row.count("nics_per_domain", 1, COUNT_MAX, words_too=True)
    if stated is None or own <= 0.0 or not is_large or abs(stated - own) <= SAME_RATE * own:
        return
    texts["scale-out-bandwidth"] = rate(row, "scale_out_Gbps", "Gbps")
    row.infer(f"scale-out {stated:.4g} Gb/s an accelerator: the row's, not {named['name']}'s {own:.4g}")


def stated(row, program, named, accelerator):
    """Of @named's domains, whose size a row may state otherwise."""
    n = accelerators_of(row)
    size = row.count("accelerators_per_domain", 1, HOSTS_MAX, max(named["domain_size"], 1), words_too=True)
    texts = {"accelerators": None, "domain-size": None, "domain-bandwidth": rate(row, "scale_up_GBps", "GBps"),
             "scale-out-bandwidth": None}
    is_generic = named["name"] == GENERIC
    if is_generic:
        size = open_domain(row, texts, program.ask("system", SCALE_UP.get(accelerator, GENERIC)), n, size)
    texts["accelerators"] = -(-n // size) * size
    texts["domain-size"] = size
    if not is_generic:
        named_scale_out(row, texts, named, n > size)
    elif n > size:
        generic_scale_out(row, texts, size, program.ask("system", SCALE_OUT.get(accelerator, GENERIC)))
        texts["port-order"] = "rail"
        texts["transport"] = words.transport(row.text("system"))
        if texts["transport"]:
            row.infer(f"transport {texts['transport']}: its system names it")
    return texts


def options_of(row, program, models):
    """The options, and the accelerator's entry."""
    accelerator = accelerator_of(row, program, models)
    is_open = not any(row.has(column) for column in NETWORK if column != "accelerators_per_domain")
    usual = program.ask("default-system", accelerator["name"]) if is_open else {}
    named = usual if usual else program.ask("system", named_system(row, program))
    if usual and not row.has("accelerators_per_domain"):
        texts = default_system(row, usual)
    else:
        texts = stated(row, program, named, accelerator["name"])
    if named["name"] == GENERIC and row.has("system"):
        row.infer("a generic machine: the catalogue has no system of that name")
    options = {"system": named["name"], "accelerators": texts.pop("accelerators"), "accelerator": accelerator["name"],
               **texts}
    return " ".join(f"{name}={value}" for name, value in options.items() if value is not None), accelerator
