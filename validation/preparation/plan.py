# SPDX-License-Identifier: Apache-2.0
"""What of a measured plan depends on memory: recomputation, precision of gradients, micro-batch. What was measured did
fit; what a row leaves open is found here once, and written down as inferred."""

from typing import NamedTuple

from . import padding, phrases, words
from .row import COUNT_MAX, Refusal, count_of

INFINITE = float("inf")


class Saving(NamedTuple):
    """What is chosen where the row leaves it open, or where its plan does not fit; None: as it stands."""
    recompute: str | None = None
    gradients: str | None = None
    virtual_stages: str | None = None


# Ways to save memory, the cheapest in time first.
SAVINGS = [Saving(recompute, gradients) for recompute in ("none", "light", "selective", "full")
           for gradients in (None, "bf16")]
BY_HABIT = Saving()


def settings_with(self, saving, micro_batch):
    """The settings so far, with these. They ask for no reserve of memory: what was measured ran."""
    settings = dict(self.settings)
    for name, value in (("recompute", saving.recompute), ("gradient-precision", saving.gradients),
                        ("virtual-stages", saving.virtual_stages)):
        if value is not None:
            settings[name] = value
    settings["micro-batch"] = str(micro_batch)
    settings["memory-reserve"] = "0B"
    return settings


def ask(self, saving, micro_batch):
    settings = settings_with(self, saving, micro_batch)
    return self.program.ask("plan", self.machine, " ".join(f"{name}={value}" for name, value in settings.items()))


def fits(self, saving, micro_batch):
    return ask(self, saving, micro_batch).get("fits", False)


def plan_s(self, saving, micro_batch):
    """The time of the plan by the closed form, s: infinite if it does not fit. What runs as stated, whatever our count
    of its memory, is not held against that count."""
    answer = ask(self, saving, micro_batch)
    good = self.runs_as_stated or answer.get("fits", False)
    return answer.get("seconds", INFINITE) if good else INFINITE


def fastest_micro_batch(self, saving):
    """Of the powers of two that divide a replica's batch and fit, the one that is fastest by the closed form, since
    published runs are tuned; the larger of equals. Returns: it, its time and that of the slowest, s."""
    dp = self.number("dp")
    sequences = self.number("global-batch") // dp if dp else 0
    chosen, best_s, worst_s, size = 1, INFINITE, 0.0, 1
    while sequences > 0 and sequences % size == 0:
        own_s = plan_s(self, saving, size)
        if own_s < INFINITE:
            if own_s <= best_s:
                chosen, best_s = size, own_s
            worst_s = max(worst_s, own_s)
        size *= 2
    return chosen, best_s, worst_s


def other_side(self, other, micro_batch, own_s, name):
    """What lies on the other side of a guess, which takes @own_s: how much longer @other takes, or why it may not be."""
    if own_s == INFINITE:
        return ""
    other_s = plan_s(self, other, micro_batch)
    if other_s < INFINITE:
        return f"; {name} takes {100.0 * (other_s / own_s - 1.0):+.1f} % by the closed form"
    refused = "error" in ask(self, other, micro_batch)
    return f"; {name} does not {'go with the rest of the plan' if refused else 'fit'}"


def choose_micro_batch(self, saving):
    """Where the row leaves it out."""
    if self.runs_as_stated:
        span = other_side(self, saving, 2, plan_s(self, saving, 1), "2")
        self.row.infer(f"micro-batch 1: by our count not even that fits{span}")
        return 1
    size, best_s, worst_s = fastest_micro_batch(self, saving)
    span = (f"the slowest takes {100.0 * (worst_s / best_s - 1.0):.0f} % longer" if worst_s > best_s else
            "no other does")
    self.row.infer(f"micro-batch {size}: the fastest by the closed form that fits; {span}")
    return size


def default_micro_batch(self, saving):
    """As many micro-batches as stages, which software takes whose batch is a replica's, if nothing is said (torchtitan
    of 2024, torchtitan/config_manager.py: pipeline_parallel_microbatches); 0 where that does not divide or fit."""
    pp, batch = self.number("pp"), self.number("global-batch")
    parts = self.number("dp") * pp
    if pp < 2 or batch < parts or batch % parts or not fits(self, saving, batch // parts):
        return 0
    self.row.infer(f"micro-batch {batch // parts}: as many micro-batches as stages")
    return batch // parts


def note_virtual_stages(self, saving, micro_batch):
    """Virtual stages that nothing states, by a framework's default or one, are a guess to one side."""
    answer = ask(self, saving, micro_batch)
    if "error" in answer or self.number("pp") < 2:
        return
    is_plain = answer["virtual_stages"] < 2
    other = saving._replace(virtual_stages="finest" if is_plain else "1")
    span = other_side(self, other, micro_batch, plan_s(self, saving, micro_batch),
                      "the finest division" if is_plain else "one")
    default = "the framework's default"
    self.row.infer(f"virtual stages {answer['virtual_stages']}: "
                   f"{'nothing is stated' if is_plain else default}{span}")


def default_recompute(self, micro_batch):
    """What a framework recomputes by default, where that fits; else None."""
    answer = ask(self, BY_HABIT, micro_batch)
    return answer.get("recompute_by_framework") if answer.get("fits", False) else None


def take_recompute(self, micro_batch):
    """Takes column "recompute", unless its own words say that the source says nothing and the framework has a default."""
    if not self.row.has("recompute"):
        return
    if "(not stated)" in self.row.text("recompute_as_stated") and default_recompute(self, micro_batch) is not None:
        return
    self.put("recompute", "recompute", phrases.recompute(self))


def saving_as_stated(self):
    """None if the row states nothing."""
    stated = self.settings.get("recompute") if self.row.has("recompute") else None
    return next((saving for saving in SAVINGS if saving.recompute == stated), None)


def stated_saving(self, micro_batch):
    """What is stated ran, whatever our count of its activations, if the states alone fit, which follow from the plan to
    the byte. Returns: None if nothing is stated."""
    saving = saving_as_stated(self)
    if saving is None:
        return None
    answer = ask(self, saving, micro_batch)
    self.runs_as_stated = not answer.get("fits", False) and answer.get("states_fit", False)
    if self.runs_as_stated:
        self.row.infer(f"recompute {saving.recompute} as stated: by our count it does not fit")
    return saving


def checkpoints_by_default(self):
    """Whether what trains transformers' models is one of those that recompute all layers by default."""
    named = set(words.plain(f"{self.row.text('framework')} {self.row.text('source')}").split())
    return self.settings.get("framework", "").startswith("transformers") and bool(named & words.CHECKPOINTING)


def choose_saving(self, micro_batch, is_open):
    """Where the row states nothing and our count says that it does not fit, gradients are in 16 bits, or more is
    recomputed; also for a larger micro-batch, if @is_open leaves that to be chosen."""
    stated = stated_saving(self, micro_batch)
    if stated is not None:
        return stated
    recompute = default_recompute(self, micro_batch)
    if recompute is not None:
        self.row.infer(f"recompute {recompute}: the framework's default")
        return BY_HABIT
    if checkpoints_by_default(self):
        self.row.infer("recompute full: its trainer's default")
        return Saving("full")
    is_wide = ask(self, Saving("full"), micro_batch).get("gradients_by_framework") == "fp32"
    first = next((i for i, saving in enumerate(SAVINGS)
                  if (saving.gradients is None or is_wide) and fits(self, saving, micro_batch)), None)
    if first is None:  # to be refused
        return SAVINGS[0]
    chosen = first
    if is_open:
        best_s = INFINITE
        for i in range(first, len(SAVINGS)):
            if (SAVINGS[i].gradients is None) != (SAVINGS[first].gradients is None):
                continue
            own_s = fastest_micro_batch(self, SAVINGS[i])[1]
            if own_s < best_s:
                chosen, best_s = i, own_s
    saving = SAVINGS[chosen]
    why = ("is fastest so by the closed form, with a larger micro-batch" if chosen > first else
           "fits so" if saving.recompute == "none" else "does not fit with less")
    self.row.infer(f"recompute {saving.recompute}: the plan {why}"
                   f"{span_of_recompute(self, saving, micro_batch, is_open)}")
    if saving.gradients is not None:
        self.row.infer("gradients in bf16: the plan does not fit with fp32")
    return saving


def span_of_recompute(self, saving, micro_batch, is_open):
    """The least recomputation that fits is a guess to one side: what all of it takes, each with the micro-batch that
    suits it if @is_open."""
    if saving.recompute == "full":
        return ""
    full = saving._replace(recompute="full")
    own_s = fastest_micro_batch(self, saving)[1] if is_open else plan_s(self, saving, micro_batch)
    size = fastest_micro_batch(self, full)[0] if is_open else micro_batch
    return other_side(self, full, size, own_s, "full")


def fits_with(self, micro_batch, anyhow):
    """Whether the plan fits with the first of SAVINGS, or with any; with what the row states, if it states any."""
    stated = saving_as_stated(self)
    if stated is not None:
        return fits(self, stated, micro_batch)
    return any(fits(self, saving, micro_batch) for saving in (SAVINGS if anyhow else SAVINGS[:1]))


def share_states(self, micro_batch):
    """Where nothing says whether replicas share states and the plan fits by it alone: first states of the optimizer,
    which costs no time, then all; all as well where nothing else helps."""
    if self.number("dp") >= 2 and not fits_with(self, micro_batch, False):
        fits_unshared = fits_with(self, micro_batch, True)
        for stage in ("1",) if fits_unshared else ("1", "3"):
            self.settings["zero"] = stage
            if fits_with(self, micro_batch, not fits_unshared):
                self.row.infer(f"zero {stage}: the plan does not fit without")
                return
        self.settings["zero"] = "0"
    self.row.infer("zero 0: nothing is stated")


def states_replica_batch(self):
    """Whether what the row states as a micro-batch is a replica's batch, which the stages cut up, and no row states
    into how much: a smaller one is what it is called."""
    try:
        stated = self.row.count("micro_batch", 1, COUNT_MAX, words_too=True, quiet=True)
    except Refusal:
        return False
    if stated is None or stated * self.number("dp") < self.number("global-batch"):
        return False
    name = self.settings.get("framework", "")
    if not self.program.ask("framework", name).get("names_replica_batch", False) or self.number("pp") < 2:
        return False
    self.row.infer(f"micro-batch not stated: {self.row.text('micro_batch')} is what {name} calls a replica's batch")
    return True


def fill_rounds(self, micro_batch):
    """Interleaved stages take micro-batches in rounds of as many as there are stages. Where these do not divide, stated
    slices have their last round filled, and what a framework's default alone would interleave is not."""
    pp, passes = self.number("pp"), self.number("dp") * micro_batch
    n = self.number("global-batch") // max(passes, 1)
    if pp < 2 or n % pp == 0 or "error" not in ask(self, SAVINGS[0], micro_batch):
        return
    if self.row.has("virtual_stages"):
        batch = -(-n // pp) * pp * passes
        self.row.infer(f"global-batch {batch}: {n} micro-batches are no multiple of the stages")
        self.settings["global-batch"] = str(batch)


def settle(self):
    """The settings of the whole plan."""
    of_replica = states_replica_batch(self)
    is_stated = self.row.has("micro_batch") and not of_replica
    micro_batch = self.row.count("micro_batch", 1, COUNT_MAX, words_too=True) if is_stated else 1
    take_recompute(self, micro_batch)
    if is_stated:
        micro_batch = padding.micro_batch(self, micro_batch)
    if not of_replica:
        fill_rounds(self, micro_batch)
    if self.shares_open:
        share_states(self, micro_batch)
    saving = choose_saving(self, micro_batch, not is_stated and not of_replica)
    if of_replica:
        micro_batch = default_micro_batch(self, saving)
    if not is_stated and (not of_replica or micro_batch == 0):
        micro_batch = choose_micro_batch(self, saving)
    if not self.row.has("virtual_stages"):
        note_virtual_stages(self, saving, micro_batch)
    answer = ask(self, saving, micro_batch)
    if "error" in answer:
        raise Refusal(answer["error"])
    return settings_with(self, saving, micro_batch)
