"""The examples of docs/task-cards-dynamics.md against independent references; and cards broken at random."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import forge_bench
import numpy as np
import pytest
import yaml
from broken_cards import broken
from scipy.linalg import expm
from tiers import sampled

from labwright.tools.forge.tasks.dynamics import FAMILY
from labwright.tools.forge.tasks.dynamics.solver.solve import solved
from labwright.tools.forge.tasks.dynamics.spec import DynamicsSpec
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.task import read_card
from labwright.tools.specifications.yaml_files import validated

PAGE = Path(__file__).resolve().parents[5] / "docs" / "task-cards-dynamics.md"
TEXTS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
TITLES = [re.findall(r"title: (.*)", text)[0] for text in TEXTS]


def _card(number: int) -> dict[str, Any]:
    card = read_card(TEXTS[number])
    assert isinstance(card, DynamicsSpec)
    return card.card()


def _records(number: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = solved(_card(number))["records"]
    for one in found:
        size = float(np.abs(np.asarray([x for x in np.atleast_1d(one["value"]) if x is not None], dtype=float)).max())
        assert one.get("uncertainty", 0.0) <= 1e-4 * max(size, 1e-3), one["quantity"]
    return found


def _get(records: list[dict[str, Any]], quantity: str, **labels: Any) -> Any:
    found = [one for one in records if one["quantity"] == quantity and one["labels"] == labels]
    assert len(found) == 1, (quantity, labels, [one["labels"] for one in records if one["quantity"] == quantity])
    value = found[0]["value"]
    return np.array(value) if isinstance(value, list) else value


def _generator(h: Any, jumps: list[Any]) -> Any:
    """d rho/dt for rho as rows one after the other; written here once more, without QuTiP."""
    eye = np.eye(len(h))
    made = -1j * (np.kron(h, eye) - np.kron(eye, np.transpose(h)))
    for c in jumps:
        square = c.conj().T @ c
        made = made + np.kron(c, c.conj()) - 0.5 * (np.kron(square, eye) + np.kron(eye, square.T))
    return made


def _settled(generator: Any) -> Any:
    size = math.isqrt(len(generator))
    rho = np.linalg.svd(generator)[2][-1].conj().reshape(size, size)
    return rho / np.trace(rho)


def _followed(generator: Any, rho: Any, times: Any) -> list[Any]:
    return [(expm(t * generator) @ rho.ravel()).reshape(rho.shape) for t in times]


X, Y, Z = np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])
LOWER = np.array([[0, 1], [0, 0]])  # level 1 to level 0


def test_every_example_is_short() -> None:
    assert len(TEXTS) >= 10
    assert max(len(text.splitlines()) for text in TEXTS) <= 30


def test_a_qubit_alone_and_with_an_environment() -> None:
    records = _records(0)
    h, jump, t = 0.8 * X + 0.3 * Z, math.sqrt(0.15) * LOWER.T, np.linspace(0, 50, 501)
    for name, sign in (("plus", 1), ("minus", -1)):
        for way, jumps in (("unitary", []), ("lindblad", [jump])):
            states = _followed(_generator(h, jumps), (np.eye(2) + sign * X) / 2 + 0j, t[::50])
            for label, op in (("X", X), ("Z", Z)):
                made = _get(records, "expectation", observable=label, initial=name, evolution=way)
                assert made[::50] == pytest.approx([np.trace(op @ s).real for s in states], abs=1e-8)
        rho = _settled(_generator(h, [jump]))
        found = _get(records, "steady_state", observable="Z", initial=name, evolution="lindblad")
        assert found == pytest.approx(np.trace(Z @ rho).real, abs=1e-10)


def test_lossy_vacuum_rabi_oscillations() -> None:
    """With one excitation at most: the two amplitudes under an effective Hamiltonian."""
    records, t = _records(2), np.linspace(0, 0.4, 41)
    for delta in (0, 5, 10):
        h = 2 * np.pi * np.array([[delta, 5], [5, 0]]) - 0.5j * np.diag([1 / 3, 2.5])
        amplitudes = np.array([expm(-1j * h * x)[:, 0] for x in t])
        made = _get(records, "population", level="e", Delta=delta)
        assert made == pytest.approx(np.abs(amplitudes[:, 0]) ** 2, abs=1e-8)
        assert _get(records, "photons", Delta=delta) == pytest.approx(np.abs(amplitudes[:, 1]) ** 2, abs=1e-8)


def test_a_four_level_laser_medium() -> None:
    """Rate equations, solved by hand: all that leaves p comes to u, and so on."""
    records = _records(3)
    for w in np.geomspace(0.01, 1, 9):
        p, u = w / 2, w / 0.0625
        every = np.array([1, p, u, 0.05 * u * 2])
        label = next(one["labels"]["W"] for one in records if abs(one["labels"].get("W", -1) - w) < 1e-9)
        found = [_get(records, "population", level=name, W=label) for name in "gpul"]
        assert found == pytest.approx(every / every.sum(), abs=1e-10)


def test_a_swept_bias_and_a_kerr_oscillator() -> None:
    records = _records(5)
    lower, dephase = LOWER.T / math.sqrt(60), math.sqrt((1 / 40 - 1 / 120) / 2) * Z
    rho = np.diag([0, 1]).astype(complex).ravel()
    for k in range(400):  # the middle of each step of 0.01, up to t = 4
        h = 0.5 * X + 0.5 * (3 + 4 * math.sin(3 * (k + 0.5) / 100)) * Z
        rho = expm(_generator(h, [lower, dephase]) / 100) @ rho
    made = _get(records, "expectation", observable="Z", A=4)
    assert made[8] == pytest.approx(np.trace(Z @ rho.reshape(2, 2)).real, abs=2e-4)
    a = np.diag(np.sqrt(np.arange(1, 14)), 1)
    number = a.T @ a
    h = -0.5 * number + 0.4 * a.T @ a.T @ a @ a + 0.8 * (a + a.T)
    rho = _settled(_generator(h, [math.sqrt(1.15) * a, math.sqrt(0.15) * a.T]))
    records = solved(_card(8) | {"cases": {"F": [0.8]}, "wanted": {"settled": "steady(n(c))"}})["records"]
    assert records[0]["value"] == pytest.approx(np.trace(number @ rho).real, abs=1e-8)


def test_shaped_ramsey_pulses() -> None:
    """Two ideal half turns with decay exp(-t/2 T1) of the coherence between: P1 goes as a cosine of the phase."""
    records = _records(7)
    found = next(one for one in records if one["quantity"] == "final" and one["axes"])
    assert found["axes"][0]["values"] == pytest.approx(np.linspace(0, 180, 7))
    phase = np.radians(found["axes"][0]["values"])
    values = np.array(found["value"])
    fit = np.linalg.lstsq(np.stack([np.ones(7), np.cos(phase)], 1), values, rcond=None)[0]
    assert values == pytest.approx(fit[0] + fit[1] * np.cos(phase), abs=1e-6)
    # 100 ns as a coherence with T2 = 2 T1 = 4 us, then 30 ns as a population with T1 = 2 us
    assert fit[1] == pytest.approx(0.5 * math.exp(-100 / 4000) * math.exp(-30 / 2000), rel=2e-3)


def test_sudden_death_and_a_quench() -> None:
    records, t = _records(9), np.arange(31)
    a, b = np.exp(-t / 10), np.exp(-t / 15)
    for name, w in (("A", 0.75), ("B", 0.25)):  # C = 2 max(0, |rho_ge| - sqrt(rho_eg rho_ge)) of an X state
        both, one, other = w * a * b, w * a * (1 - b), w * b * (1 - a)
        exact = 2 * np.maximum(0, math.sqrt(w * (1 - w)) * np.sqrt(a * b) - np.sqrt(one * other))
        assert _get(records, "concurrence", initial=name) == pytest.approx(exact, abs=1e-7)
        assert both[0] == w
    exact = 0.6 * np.sqrt(a * b)
    assert _get(records, "concurrence", initial="C") == pytest.approx(exact, abs=1e-7)
    records = _records(10)

    def at(k: int, op: Any) -> Any:
        return np.kron(np.kron(np.eye(2**k), op), np.eye(2 ** (7 - k)))

    h = -sum(at(k, Z) @ at((k + 1) % 8, Z) + 0.8 * at(k, X) for k in range(8))
    energies, vectors = np.linalg.eigh(h)
    psi = vectors @ (np.exp(-5j * energies) * vectors[0])
    mean = sum((abs(psi) ** 2) @ np.diag(at(k, Z)) for k in range(8)) / 8
    assert _get(records, "magnetisation")[-1] == pytest.approx(mean, abs=1e-8)
    assert _get(records, "gap") == pytest.approx(energies[1] - energies[0], abs=1e-8)
    weights = np.linalg.svd(psi.reshape(16, 16))[1] ** 2
    assert _get(records, "entropy")[-1] == pytest.approx(-weights @ np.log2(weights), abs=1e-6)


@pytest.mark.parametrize("number", [1, 4, 6], ids=[TITLES[k] for k in (1, 4, 6)])
def test_the_other_examples_are_computed(number: int) -> None:
    """Their formulas stand in test_dynamics_physics."""
    assert {one["quantity"] for one in _records(number)} >= set(_card(number)["wanted"])


@pytest.mark.slow
def test_a_card_from_file_to_report(tmp_path: Path) -> None:
    """In a process of its own, with the kernel copied beside the script."""
    spec = validated(DynamicsSpec, _card(1))
    bench = forge_bench.run_spec(FAMILY, spec, tmp_path)
    assert bench.failed == []
    assert bench.figures["img/population.png"]["kind"] == "lines"
    assert "| 99.9" in bench.report or "| 100 |" in bench.report
    assert "time (us),level" in (tmp_path / "tables" / "population.csv").read_text()
    (record,) = bench.results.find("when")
    assert record.unit == "ns"
    assert record.uncertainty is not None


# ---- two hundred broken cards: each is refused, or gives the numbers of the whole one

SMALL: list[dict[str, Any]] = [
    {
        "parts": {"q": {"levels": 2}}, "parameters": {"w": "2*pi*1 MHz", "T": "3 us"}, "hamiltonian": "w/2*X(q)",
        "relaxation": {"q": {"T1": "T", "T2": "2 us"}}, "initial": "ket(0)", "times": "linspace(0, 1, 5) us",
        "wanted": {"P": {"kind": "population", "of": "q"}, "Z": "steady(Z(q))", "peak": "max(population(q, 1))"},
    },
    {
        "parts": {"a": {"levels": ["g", "e"]}, "c": {"oscillator": 3}}, "define": {"s": "ketbra(a, g, e)"},
        "hamiltonian": "G*(s*adag(c) + dag(s)*a(c))", "cases": {"G": [0.5, 1], "initial": {"one": "ket(e, 0)"}},
        "collapse": ["sqrt(0.1)*a(c)"], "times": [0, 1], "wanted": {"n": {"of": "n(c)"}, "C": "purity(a)"},
    },
    {
        "parts": {"s": {"spin": "1/2"}}, "parameters": {"w": 3}, "hamiltonian": "Sz(s)",
        "drives": {"d": "cos(w*t)*Sx(s)"},
        "initial": "ket(up)", "start": 0, "times": "[0, 0.5, 1]",
        "wanted": {"Q": {"kind": "quasi_energies", "period": "2*pi/w"}, "F": {"kind": "fidelity", "of": "ket(up)"}},
    },
]  # fmt: skip
COUNT = 200


def test_two_hundred_broken_cards_are_refused_or_computed() -> None:
    """None crashes: what is not refused with its cure gives finite numbers with their errors."""
    draw, computed, silent = random.Random(16), 0, []
    for number in range(COUNT):
        made = broken(SMALL[number % len(SMALL)], draw)
        try:
            spec = validated(DynamicsSpec, made)
        except SpecificationError as error:
            silent += [made for problem in error.problems if not problem.message]
            continue
        computed += 1
        if computed <= 25:
            _finite_results(spec.card(), made)
    assert silent == []
    assert 10 < computed < COUNT / 2


def _finite_results(card: dict[str, Any], made: dict[str, Any]) -> None:
    for one in solved(card)["records"]:
        assert one["value"] is None or np.all(np.isfinite(np.asarray(one["value"], dtype=float))), made


@pytest.mark.parametrize("change", range(6))
def test_other_words_for_one_card_give_one_result(change: int) -> None:
    """Equal cards: order of keys, blanks, other units, a parameter written out, a term split, cases as a list."""
    card = SMALL[0]
    others: list[dict[str, Any]] = [
        dict(reversed(card.items())),
        card | {"hamiltonian": "  w / 2 *X( q )"},
        card | {"times": "linspace(0, 1000, 5) ns", "parameters": {"w": "2*pi*1000 kHz", "T": "0.003 ms"}},
        card | {"hamiltonian": "pi*1 MHz*X(q)", "parameters": {"T": "3 us"}},
        card | {"hamiltonian": "w/4*X(q)", "drives": {"rest": "w/4*X(q)"}},
        card | {"initial": "dm(ket(0))", "cases": [{"name": "only"}]},
    ]
    base, other = solved(card)["records"], solved(others[change])["records"]
    wanted = sorted(str(np.round(one["value"], 7) + 0.0) for one in base if one["quantity"] in card["wanted"])
    assert wanted == sorted(str(np.round(one["value"], 7) + 0.0) for one in other if one["quantity"] in card["wanted"])


CASES = PAGE.parents[1] / "evaluation" / "cases" / "forge" / "others"
OTHERS = ["coupled_transmons", "four_level_laser", "leaky_vacuum_rabi", "entanglement_decay", "swept_bias",
          "probe_spectrum", "shelved_atom", "kerr_cavity", "four_level_pump", "warm_cavity"]  # fmt: skip


@pytest.mark.parametrize("name", sampled(OTHERS))
def test_cards_have_the_numbers_of_references_by_others(name: str) -> None:
    """Each wanted curve of the reference, made by others by other means, is among the results of the card."""
    card = read_card((CASES / name / "card.yaml").read_text(encoding="utf-8"))
    assert isinstance(card, DynamicsSpec)
    records = solved(card.card())["records"]
    for wanted in yaml.safe_load((CASES / name / "expected.yaml").read_text(encoding="utf-8"))["results"]:
        assert min(_distances(wanted, records)) < wanted["tolerance"] / 10, wanted["name"]


def _distances(wanted: dict[str, Any], records: list[dict[str, Any]]) -> list[float]:
    if "at" not in wanted:
        return [abs(one["value"] - wanted.get("value", wanted.get("values"))) for one in records if not one["axes"]]
    curves = [(one["axes"][0]["values"], one["value"]) for one in records if one["axes"]]
    inside = [(x, y) for x, y in curves if x[0] - 1e-6 <= wanted["at"][0] and wanted["at"][-1] <= x[-1] + 1e-6]
    return [float(np.abs(np.interp(wanted["at"], x, y) - wanted["values"]).max()) for x, y in inside]
