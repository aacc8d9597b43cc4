# SPDX-License-Identifier: Apache-2.0
"""Rows of measured collectives: a run on a generated machine.

What rows leave open: without a size, or with "large", 4 GiB, at which only rates matter; of a range of sizes the larger;
without domains, as few as hold the ranks; without accelerator, an A100 with four cards of a domain's stated rate."""

import re

from . import sources, words
from .row import Refusal

COLUMNS = ["id", "source", "publisher", "where", "machine", "run", "seconds", "busbw_GBps", "inferred", "refused", "note"]
LARGE_BYTES = 4 << 30
BYTES_MAX = 10 ** 13
RANKS_MAX = 65536
DOMAIN_DEFAULT = 8
UNNAMED_ACCELERATOR, UNNAMED_CARDS = "a100-80", 4
NVL72_DOMAIN = 72
COLLECTIVES = ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "reduce", "send")
# By what an accelerator's name begins with; else dgx-h100.
SYSTEMS = [("gb200", "gb200-nvl72"), ("gb300", "gb300-nvl72"), ("b200", "dgx-b200"), ("b300", "dgx-b300"),
           ("v100", "dgx-a100"), ("a100", "dgx-a100"), ("a800", "dgx-a100")]
# Values that share a scale in fp8, its bytes, and a header of the low-latency kernels (deepseek-ai/DeepEP, tests/legacy);
# DeepSeek-V3's routing sends a token to at most so many domains.
SCALE_VALUES, SCALE_BYTES, HEADER_BYTES, DOMAINS_MAX = 128.0, 4.0, 16.0, 4.0


def system_of(accelerator):
    return next((system for begins, system in SYSTEMS if accelerator.startswith(begins)), "dgx-h100")


def machine_of(accelerator, size, domains, up=0.0, cards=0, card_rate=0.0):
    """Options of the machine; rates in bytes/s, rounded to nine digits: what is divided back has noise in the last."""
    system = system_of(accelerator)
    options = [f"system={system}", f"accelerators={size * domains}", f"accelerator={accelerator}"]
    if not (system.endswith("-nvl72") and size == NVL72_DOMAIN):
        options.append(f"domain-size={size}")
    if up > 0.0:
        options.append(f"domain-bandwidth={up * 1e-9:.9g}GBps")
    own = min(cards, size)
    if own and domains > 1:
        options += [f"nics-per-domain={own}", f"nic-bandwidth={card_rate * cards / own * 1e-9:.9g}GBps"]
    return " ".join(options)


def is_time(row):
    usable = row.text("usable")
    return usable == "time" or (usable != "bandwidth" and row.has("time_us"))


def parse_size(text):
    """"128M" is 128 MiB, as nccl-tests have it, and so is "128 MB"; "1G..8G" is 8 GiB. None: no size."""
    last = text.partition("..")[2] if ".." in text else text
    match = re.fullmatch(r" *([0-9.]+) *([kmg]?)i?b? *", last, re.IGNORECASE)
    try:
        size = float(match.group(1)) * 1024.0 ** ("kmg".index(match.group(2).lower()) + 1 if match.group(2) else 0)
    except (AttributeError, ValueError):
        return None
    return int(size) if 1.0 <= size <= BYTES_MAX else None


def exchange_of(row):
    """An exchange of tokens, whose copies that leave a rank DeepEP's tests count, its own among them; or None."""
    match = re.fullmatch(r" *([0-9]+) *tok(?:ens)? *x *([0-9]+) *, *top-?([0-9]+) *", row.text("bytes_as_stated"),
                         re.IGNORECASE)
    return [float(part) for part in match.groups()] if match else None


def places_hit(n, k):
    """The expected number of @n places that at least one of @k uniform draws hits."""
    return n * (1.0 - (1.0 - 1.0 / n) ** k)


def exchange(row, tokens, ranks, domains):
    """Bytes of a rank's copies. Normal kernels send one copy to each domain, over the rail, and pass it on inside; those
    of low latency send one to each expert."""
    n_tokens, hidden, top_k = tokens
    variant = row.text("variant").lower()
    apart = "low-latency" in variant
    wide = "combine" in variant or "bf16" in variant
    token = 2.0 * hidden if wide else hidden * (1.0 + SCALE_BYTES / SCALE_VALUES) + (HEADER_BYTES if apart else 0.0)
    token_bytes = n_tokens * token
    if apart:
        return f"exchange each={token_bytes * top_k:.17g}"
    reached = min(domains, DOMAINS_MAX) / domains
    inside = token_bytes * places_hit(max(ranks * reached, 1.0), top_k)
    across = token_bytes * places_hit(min(domains, DOMAINS_MAX), top_k)
    return f"exchange inside={inside:.17g} across={across:.17g}"


def accelerator_of(row, program):
    name = row.text("accelerator")
    found = words.card(name or row.text("hardware_as_stated"), program.accelerators)
    if found is None and name:
        raise row.fault("accelerator", 'one that "platform list" knows')
    return found


def unnamed_cards(row, size, cards):
    """"~800 Gb/s per node", where neither accelerator nor cards are named. Returns: cards and bytes/s of one, or None."""
    row.infer(f"accelerator not named: {UNNAMED_ACCELERATOR}")
    match = re.search(r"([0-9.]+) *Gb(?:ps|/s) +per +node", row.text("hardware_as_stated"), re.IGNORECASE)
    try:
        gbps = float(match.group(1)) if match and not cards else 0.0
    except ValueError:
        gbps = 0.0
    if not 1.0 <= gbps <= 1e6:
        return None
    own = min(UNNAMED_CARDS, size)
    row.infer(f"{gbps:g} Gb/s a domain, as {own} cards")
    return own, gbps / 8.0 * 1e9 / own


def size_of(row):
    """Bytes, and whether they lie in lists; None and the tokens of an exchange."""
    size = row.count("bytes", 1, BYTES_MAX) or parse_size(row.text("bytes_as_stated"))
    if size:
        return size, False
    tokens = exchange_of(row)
    if tokens:
        return None, tokens
    if is_time(row):
        raise row.fault("bytes", "a size, where a time was measured")
    known = sources.probe(row.text("source"))
    if known is None:
        row.infer("large: 4 GiB, at which only rates matter")
        return LARGE_BYTES, False
    size, lists = known
    row.infer(f"size not stated: {size / 2 ** 20:.0f} MiB{' in lists' if lists else ''}, what that source times")
    return size, lists


def shape_of(row):
    """Ranks, accelerators of a domain, domains, bytes/s inside one, cards, bytes/s of one."""
    ranks = row.count("ranks", 2, RANKS_MAX, 0)
    size = row.count("accelerators_per_domain", 1, RANKS_MAX, 0)
    domains = row.count("domains", 1, RANKS_MAX, 0)
    cards = row.count("nics_per_domain", 0, RANKS_MAX, 0)
    up = row.number("scale_up_GBps", 0.0, 1e6, 0.0)
    card_gbps = row.number("nic_Gbps", 0.0, 1e6, 0.0)
    if not ranks:
        raise row.fault("ranks", "how many took part")
    if not size:
        size = DOMAIN_DEFAULT
        row.infer(f"domains of {DOMAIN_DEFAULT}")
    if not domains:
        domains = -(-ranks // size)
        row.infer(f"{domains} domains")
    if size * domains > RANKS_MAX:
        raise row.fault("domains", "at most 65536 accelerators in all")
    if ranks > size * domains:
        raise row.fault("ranks", "no more than the domains hold")
    return ranks, size, domains, up * 1e9, cards if card_gbps > 0.0 else 0, card_gbps / 8.0 * 1e9


def places(row, ranks, size, domains):
    """Where fewer ranks take part than the domains hold, as many of each domain, unless the row says that they stand in
    one: the first of each; else packed."""
    if ranks == size * domains:
        return ""
    if "intra" in row.text("variant") or ranks % domains:
        return f" ranks={ranks}"
    own = ranks // domains
    return " accelerators=" + ",".join(f"{i * size}-{i * size + own - 1}" if own > 1 else f"{i * size}"
                                       for i in range(domains))


def restate_run(row, program):
    operation = row.text("operation")
    if operation not in COLLECTIVES:
        raise row.fault("operation", "a collective")
    ranks, size, domains, up, cards, card_rate = shape_of(row)
    accelerator = accelerator_of(row, program)
    if accelerator is None:
        accelerator = UNNAMED_ACCELERATOR
        cards, card_rate = unnamed_cards(row, size, cards) or (cards, card_rate)
    count, extra = size_of(row)
    system = sources.machine(row.text("source"))
    library = program.ask("system", system)["library"] if system else ""
    library = f" library={library}" if library else ""
    machine = machine_of(accelerator, size, domains, up, cards, card_rate)
    transport = words.transport(row.text("hardware_as_stated")) if domains > 1 else None
    if transport:
        row.infer(f"transport {transport}: its hardware names it")
        machine += f" transport={transport}"
    if count is None:
        if operation != "all-to-all":
            raise row.fault("bytes_as_stated", "bytes: only all-to-alls count tokens")
        if ranks != size * domains:
            raise row.fault("ranks", "all of the domains, for an exchange")
        return machine, exchange(row, extra, ranks, domains) + library
    ring = " algorithm=ring" if "NVLS off" in row.text("hardware_as_stated") else ""
    lists = " lists=yes" if extra and operation in ("all-gather", "reduce-scatter") else ""
    return machine, f"{operation} {count}{places(row, ranks, size, domains)}{ring}{library}{lists}"


def restate(row, program, models):
    """The fields of the row as a run."""
    del models
    out = {"source": row.text("source"), "publisher": sources.publisher(row.text("source")),
           "note": row.text("note"), "where": row.text("hardware_as_stated")}
    if is_time(row):
        time = row.text("time_us")
        try:
            out["seconds"] = repr(float(time) * 1e-6)
        except ValueError:
            out["seconds"] = time
    else:
        out["busbw_GBps"] = row.text("busbw_GBps")
    try:
        out["machine"], out["run"] = restate_run(row, program)
    except Refusal as refusal:
        out["refused"] = str(refusal)
    out["inferred"] = " | ".join(row.notes)
    return out
