"""Mutated protocols end as a protocol, a question or a refusal: none crashes, and no law is broken in silence.

Each of our protocols is spoilt at random, read, planned and checked. A protocol that comes out may break no law that
needs no judge (`laws_of`): what leaves the sources stands in the vials, every stated volume and portion stands in its
vial, and the vials are as many as the document expects.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import yaml
from designs import plan_of

from labwright.evaluation.protocol_reference_procedures import load_experiments
from labwright.evaluation.random_protocols import random_design
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.protocol import ProtocolSpec
from labwright.tools.specifications.yaml_files import read_document, validated

Mutation = Callable[[random.Random, list[str]], None]
UNITS = [*"mg g uL mL mM M mmol % min h degC rpm mol% mg/L ppm x uL/s stones".split(), ""]
KIND_WORDS = (
    "mass volume moles molarity fraction equivalents share remainder cross zip explicit"
    " slow normal fast dropwise liquid wall above true false"
    " mix heat cool wait add sample vortex stir w/w w/v v/v final filled"
).split()
STRANGE = (
    "🧪", "<A0>", "{{x}}", "</Name>", "\x00", "\u202e", "1e999", "-5 mg", "½", "NaN mg", "null", "true", "[]", "{}",
    "*a", "&a", "!!int", "~", "'", '"', ": :", "- -", "#", "|", ">", "overnight", "rt", "99999999999999999999",
)  # fmt: skip
TOLERANCE = 2e-3
DRAWN = 30


def _drop(rng: random.Random, lines: list[str]) -> None:
    del lines[rng.randrange(len(lines))]


def _double(rng: random.Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    lines.insert(at, lines[at])


def _swap(rng: random.Random, lines: list[str]) -> None:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _indent(rng: random.Random, lines: list[str]) -> None:
    at = rng.randrange(len(lines))
    lines[at] = rng.choice(["  " + lines[at], lines[at].removeprefix("  "), "\t" + lines[at]])


def _words(change: Callable[[random.Random, list[str]], None]) -> Mutation:
    """A change of the words of one line, of those that it can change."""

    def mutate(rng: random.Random, lines: list[str]) -> None:
        for at in rng.sample(range(len(lines)), len(lines)):
            words = lines[at].split(" ")
            change(rng, words)
            if lines[at] != " ".join(words):
                lines[at] = " ".join(words)
                return

    return mutate


def _number(rng: random.Random, words: list[str]) -> None:
    numbered = [index for index, word in enumerate(words) if any(each.isdigit() for each in word)]
    if numbered:
        at = rng.choice(numbered)
        near = re.sub(
            r"\d+(\.\d+)?", lambda found: f"{float(found[0]) * rng.uniform(0.5, 1.5):.3g}", words[at], count=1
        )
        if rng.random() < 0.6:
            words[at] = near
            return
        new = rng.choice(["0", "1", "7", "0.3", "250", "1000000", "1e5", "-2", f"{rng.uniform(0, 50):.3g}"])
        words[at] = new + "".join(each for each in words[at] if each in ",]}")


def _one_of(known: list[str], others: list[str]) -> Callable[[random.Random, list[str]], None]:
    """A word that is among `known` becomes one of `others`."""

    def change(rng: random.Random, words: list[str]) -> None:
        if places := [index for index, word in enumerate(words) if word.strip(",]}") in known]:
            at = rng.choice(places)
            words[at] = rng.choice(others) + "".join(each for each in words[at] if each in ",]}")

    return change


def _typo(rng: random.Random, words: list[str]) -> None:
    at = rng.randrange(len(words))
    letters = list(words[at]) or [""]
    letters[rng.randrange(len(letters))] = rng.choice("abcxyz019.,;:-%{}[]")
    words[at] = "".join(letters)


def _insert(rng: random.Random, words: list[str]) -> None:
    words.insert(rng.randrange(len(words) + 1), rng.choice(STRANGE))


_unit, _kind = _one_of(UNITS[:-1], UNITS), _one_of(KIND_WORDS, KIND_WORDS)
MUTATIONS: tuple[Mutation, ...] = (
    _drop, _double, _swap, _indent, *map(_words, (*[_number] * 5, _unit, _unit, _typo, _insert, _kind)),
)  # fmt: skip


@cache
def sources() -> list[str]:
    """The protocols that are spoilt: ours, those of the published experiments, and drawn ones."""
    shipped = [example("protocol", kind) for kind in KINDS["protocol"]]
    shipped += [written(random_design(random.Random(number))) for number in range(DRAWN)]
    return [*shipped, *(experiment.protocol for experiment in load_experiments())]


def written(design: ExperimentDesign) -> str:
    """A design as a person writes it: a number with its unit on one line."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and "value" in value:
            return f"{value['value']!r} {value.get('unit', '')}".strip()
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list) else value

    data = plain(design.model_dump(mode="json", exclude_defaults=True))
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120))


def mutated(rng: random.Random, texts: Sequence[str]) -> str:
    """One of `texts`, spoilt one to four times; sometimes with half of another behind it."""
    lines = [line for line in rng.choice(texts).splitlines() if not line.startswith("#")]
    if rng.random() < 0.05:
        other = rng.choice(texts).splitlines()
        lines += other[rng.randrange(len(other)) :]
    before = list(lines)
    while lines == before:
        for _ in range(rng.choice((1, 1, 2, 4))):
            if lines:
                rng.choice(MUTATIONS)(rng, lines)
    return "\n".join(lines) + "\n"


def outcome(text: str) -> tuple[str, str]:
    """``protocol``, ``blocked``, ``question``, ``refusal``, or ``guess`` and what is guessed."""
    try:
        document = read_document(text)
        spec = validated(ProtocolSpec, document.data, lines=document.lines)
        made = make_protocol(spec.design)
    except InputError as wrong:
        return ("refusal", "") if str(wrong).strip() else ("guess", "a refusal without a reason")
    if not isinstance(made, Made):
        return ("refusal" if made.infeasible else "question"), ""
    if made.blocked:
        return "blocked", ""
    broken = next(laws_of(made, spec), "")
    return ("guess", broken) if broken else ("protocol", "")


def laws_of(made: Made, spec: ProtocolSpec) -> Iterator[str]:
    """Laws of a protocol that the finished vials break."""
    if spec.expect is not None and len(made.amounts.vials) != spec.expect:
        yield f"{len(made.amounts.vials)} vials instead of {spec.expect}"
    run, materials = made.case.run, made.amounts.cupboard.materials
    drawn: Counter[str] = Counter()
    for name, amount in run.drawn.items():
        for species, share in materials[name].composition.items():
            drawn[species] += amount * share  # type: ignore[assignment]
    for species, mass in drawn.items():
        arrived = sum(vial.contents.get(species, 0.0) for vial in run.vials.values())
        if abs(arrived - mass) > TOLERANCE * mass:
            yield f"{mass:g} mg of {species} are drawn and {arrived:g} mg arrive"
    if spec.sampling is not None:
        times = sum(len(one.minutes) for one in spec.conditions)
        sampled = sum(spec.sampling.concerns(vial.group) for vial in made.amounts.vials)
        if len(made.layout.twin_wells) != times * sampled:
            yield f"{len(made.layout.twin_wells)} vials for {times} samples of {sampled} vials"
    groups = {group.name: group for group in spec.groups}
    for vial, place in zip(made.amounts.vials, made.layout.wells, strict=True):
        for one in spec.conditions:
            name = one.via or one.substance or ""
            if one.kind == "add" and one.concerns(vial.group) and one.amount and name in materials:
                held = run.received.get(place, {}).get(name, 0.0)
                wanted = one.amount.to("uL") if one.amount.measures == "volume" else 0.0
                if held < wanted - 0.001 or (one.amount.value > 0 and held == 0):
                    yield f"{held:g} of {name} instead of {one.amount} in between"
        for dose in groups[vial.group].doses if vial.origin is None else ():
            if dose.kind == "volume" and dose.amount is not None and dose.substance in materials:
                held, wanted = vial.additions.get(dose.substance, 0.0), dose.amount.to("uL")
                if held < wanted - 0.001:
                    yield f"{held:g} uL of {dose.substance} instead of {wanted:g} uL"


@pytest.mark.parametrize("files", [100, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_mutated_files_end_in_a_known_way(files: int) -> None:
    ends: Counter[str] = Counter()
    for number in range(files):
        text = mutated(random.Random(f"{files} {number}"), sources())
        end, what = outcome(text)
        assert end != "guess", f"{what}\n{text}"
        ends[end] += 1
    assert min(ends["protocol"], ends["refusal"]) > 5


def test_a_vial_that_is_missing_is_a_guess() -> None:
    spec = ProtocolSpec.model_validate(read_document(sources()[0]).data)
    made = plan_of(spec.design)
    assert list(laws_of(made, spec)) == []
    assert list(laws_of(made, spec.model_copy(update={"expect": 17}))) == ["16 vials instead of 17"]
