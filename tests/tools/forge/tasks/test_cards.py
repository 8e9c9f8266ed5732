"""Cards: every one that is shipped is computable, what they say is what is computed, and nonsense is refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from labwright.agents.tool_forging.known_task_types import STANDARD
from labwright.apps.cli import app
from labwright.tools.forge.tasks import expressions, families
from labwright.tools.forge.tasks.chemistry.card import ChemistryCard
from labwright.tools.forge.tasks.control.card import ControlCard
from labwright.tools.forge.tasks.results import Results
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.card_pages import page_of
from labwright.tools.specifications.examples import KINDS, conventions, example
from labwright.tools.specifications.task import FREE, TaskSpec, read_card, task_kinds
from labwright.tools.specifications.yaml_files import is_document

DOCS = Path(__file__).resolve().parents[4] / "docs"
CASES = Path(__file__).resolve().parents[4] / "evaluation" / "cases" / "forge"
SHIPPED = [kind for kind in KINDS["task"] if kind != FREE]
PAPER = sorted(path for one in ("dynamics", "chemistry") for path in (CASES / one).glob("*/card.yaml"))


def spec(kind: str, *changes: tuple[str, str]) -> Any:
    """What the example of a kind computes, after changes of its text."""
    text = example("task", kind)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    found = STANDARD.card(text)
    assert found is not None
    return found[1].compiled()


def test_every_kind_of_task_has_an_example() -> None:
    assert set(SHIPPED) >= set(task_kinds()) - {FREE}


@pytest.mark.parametrize("kind", KINDS["task"])
def test_the_page_of_cards_shows_every_example_as_it_is(kind: str) -> None:
    shown = [block.partition("```")[0] for block in (DOCS / "task-cards.md").read_text().split("```yaml\n")[1:]]
    assert example("task", kind).partition("\n")[2] in shown
    assert all(is_document(one) for one in shown)


@pytest.mark.parametrize("kind", SHIPPED)
def test_what_could_be_read_in_two_ways_stands_on_the_page_in_the_report_and_below_a_new_card(kind: str) -> None:
    page, said = page_of(kind), conventions(kind)
    assert said
    assert [one for one in said if f"- {one}\n" not in f"{page}\n"] == []
    new = CliRunner().invoke(app, ["new", "task", kind]).stdout
    assert [one for one in said if f"# {one}\n" not in new] == []
    assert is_document(new)
    found = STANDARD.card(new)
    assert found is not None


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.parent.name)
def test_every_task_of_the_paper_is_a_short_card(path: Path) -> None:
    found = STANDARD.card(path.read_text(encoding="utf-8"))
    assert found is not None
    family, card = found
    assert family.tools(card.compiled())
    assert len(path.read_text().splitlines()) <= 30
    imports = {name: f"tools.{name}" for name in family.tools(card.compiled())}
    assert [compile(script.source, "script", "exec") for script in family.scripts(card.compiled(), imports)]


def test_a_circuit_is_what_its_gates_say() -> None:
    found = spec("circuit", ("cx 0 1]", "cx 0 1, ry(2*p*pi) 1]"))
    assert [case["labels"] for case in found.cases] == [{"p": 0.0}, {"p": 0.05}, {"p": 0.1}]
    assert found.cases[2]["gates"] == [
        ("h", [0], None),
        ("cx", [0, 1], None),
        ("ry", [1], pytest.approx(0.2 * math.pi)),
    ]
    assert found.cases[1]["noise"][0]["probability"] == 0.05
    assert np.allclose(found.cases[0]["target"], [[0.5**0.5, 0], [0, 0], [0, 0], [0.5**0.5, 0]])
    turned = spec("circuit", ("ket(00) + ket(11)", "cos(p)*ket(00) + 1j*sin(p)*ket(11)"))
    assert np.allclose(turned.cases[2]["target"], [[math.cos(0.1), 0], [0, 0], [0, 0], [0, math.sin(0.1)]])


def test_a_chain_has_a_hamiltonian_for_each_case() -> None:
    found = spec("chain", ("{ZZ: -J, X: -h}", "{ZZ: -J, ZIZ: 0.5*J, X: -h, YY: {coefficient: J, power: 3}}"))
    assert [case["labels"] for case in found.cases] == [{"case": "weak field"}, {"case": "strong field"}]
    told = [
        tuple(one[key] for key in ("letters", "offsets", "coefficient", "power")) for one in found.cases[1]["patterns"]
    ]
    assert told == [("ZZ", [0, 1], -1, None), ("ZZ", [0, 2], 0.5, None), ("X", [0], -2, None), ("YY", [0, 1], 1, 3)]
    assert np.allclose(found.initial["directions"], 0)
    kicked = spec("chain", ("hamiltonian: {ZZ: -J, X: -h}", "period: [{ZZ: J}, {X: h}]"), ("time: 3\n", ""))
    assert (kicked.method, kicked.total_time) == ("floquet", 150)


def test_control_takes_kets_paulis_and_gates() -> None:
    lam = spec("control")
    assert np.allclose(np.array(lam.controls[1]["matrix"])[..., 0], [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    assert (lam.goal, lam.initial_name, lam.target_name, lam.lower) == ("state", "|1>", "|3>", -3)
    text = """system: tool_forging
task: control
qubits: 2
parameters: {J: 0.5}
drift: J/2*XX+J*YY/2
controls: {z: ZI, x: IX}
start: ket(00) + 1j*ket(11)
gate: ISWAP
time: pi
slots: 20
"""
    found = STANDARD.card(text)
    assert found is not None
    two: Any = found[1].compiled()
    assert np.allclose(np.array(two.drift)[1, 2], [0.5, 0])
    assert np.allclose(np.array(two.target)[1, 2], [0, 1])
    assert np.allclose(two.initial, [[0.5**0.5, 0], [0, 0], [0, 0], [0, 0.5**0.5]])


def test_a_gate_may_act_on_some_levels_only() -> None:
    """X of |g> and |e> of three levels: its columns say where these two go, and nothing is said of |f>."""
    ladder = {"levels": ["f", "g", "e"], "start": "g", "time": 1, "slots": 4, "controls": {"x": "hc(ket(g)*bra(e))"}}
    found = ControlCard.model_validate(ladder | {"gate": "X", "subspace": ["g", "e"]}).compiled()
    assert found.places == [1, 2]
    assert np.allclose(np.array(found.target) @ [1, 1j], [[0, 0], [0, 1], [1, 0]])
    for more, said in (
        ({"gate": "X"}, "of fewer levels than 3 names them"),
        ({"target": "e", "subspace": ["g", "e"]}, "two or more levels"),
        ({"gate": "X", "subspace": ["g", "g"]}, "each once"), ({"gate": "X", "subspace": ["g", "h"]}, "no level 'h'"),
        ({"gate": [[0, 1], [1, 0]], "subspace": ["g", "e"], "penalties": {"f": -1}}, "must be positive"),
        ({"gate": np.eye(3).tolist(), "penalties": {"f": 1}}, "Name its `subspace`"),
    ):  # fmt: skip
        with pytest.raises(ValidationError, match=said):
            ControlCard.model_validate(ladder | more).compiled()


def test_a_level_of_theory_names_its_surroundings() -> None:
    card = {"molecules": {"water": None}, "levels": ["HF/STO-3G in vacuum", "HF/STO-3G"], "solvent": "ethanol"}
    free, wet = ChemistryCard.model_validate(card).compiled().levels
    assert (free.basis, free.solvent_model, free.title) == ("STO-3G", "none", "HF/STO-3G")
    assert (wet.basis, wet.solvent, wet.solvent_model) == ("STO-3G", "ethanol", "CPCM")


def test_excitons_begin_where_they_are_said_to() -> None:
    found = spec("excitons", ("start: donor ", "start: {donor: 1, acceptor: 1} "))
    assert np.allclose(np.array(found.initial)[..., 0], 0.5)
    assert [case["labels"] for case in found.cases] == [{"temperature": 77.0}, {"temperature": 300.0}]
    assert found.cases[0]["reorganization"] == [20, 20]


def test_driven_and_ground_couplings_follow_the_sweep() -> None:
    driven = spec("driven_chain")
    assert np.allclose(driven.segments[0]["terms"][0]["weights"], [math.pi, 0.8 * math.pi])
    assert driven.pulse_angles == pytest.approx([math.pi, 0])
    ground = spec("ground_state_chain")
    assert np.allclose(ground.couplings, [[-1, -g] for g in np.linspace(0.5, 1.5, 3)])
    assert ground.conserve == "parity_x"
    assert spec("thermal_chain").chemical_potential == 2


def test_molecules_reactions_ladders_and_acids_are_made_of_few_words() -> None:
    found = spec("chemistry")
    assert [one.formula for one in found.species] == ["N2", "H2", "H3N"]
    assert list(found.reactions[0].terms.items()) == [("N2", -1), ("H2", -3), ("ammonia", 2)]
    assert found.temperatures == [298.15, 500]
    wet = spec("chemistry", ("levels:", "acids: {acetic acid: null}\nsolvent: water\nlevels:"))
    assert (wet.levels[0].dielectric, wet.proton_free_energy) == (78.3553, -265.9)
    assert [one.charge for one in wet.species if one.name == "acetic acid anion"] == [-1]
    ladder = spec("chemistry", ("figures: true", "strain_ladder: [5]"))
    assert {"cyclopentane", "methylcyclobutane"} <= {one.name for one in ladder.species}


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("circuit", ("cx 0 1]", "cx 0 2]"), "gates.1: 'cx 0 2' is no gate here. Write `cx a b` with qubits from 0"),
        ("circuit", ("h 0", "had 0"), "gates.0: There is no gate 'had 0'. Gates are: h, x,"),
        ("circuit", ("probability: p,", "probability: 3*q,"), "noise.0.probability: There is no 'q' here. Known are:"),
        ("circuit", ("0.05, 0.1]}", "0.05, 1.4]}"), "The probability is 1.4, not between 0 and 1"),
        ("circuit", ("bases: [ZZ,", "bases: [ZQ,"), "bases.0: 'ZQ' does not fit. Write 2 of X, Y, Z, one a qubit."),
        ("circuit", ("ket(11)", "ket(1)"), "target: '1' does not fit. Write 2 of 0, 1"),
        ("circuit", ("observables: [ZZ,", "observables: [YI,"), "observables.0: No basis gives it. Add YZ to `bases`."),
        ("circuit", ("place: every_gate", "qubits: [2]"), "noise.0.qubits: Qubits are [2]. Write numbers from 0 to 1."),
        ("circuit", ("target: ket(00) + ket(11)", "chsh: false"), "A fidelity is that to a `target`. Write one,"),
        ("chain", ("ZZ: -J", "Z1Z: -J"), "hamiltonian.Z1Z: 'Z1Z' is no Pauli string."),
        ("chain", ("h: 2*J", "h: 2*K"), "cases.strong field.h: There is no 'K' here. Known are: pi, e, deg, J"),
        ("chain", ("start: +z", "start: up"), "start: 'up' is no start. Write haar, neel, bits, or one of"),
        ("chain", ("h: 2*J", "h: 1/(J - 1)"), "h: '1/(J - 1)' cannot be computed: float division by zero."),
        ("chain", ("h: 2*J", "h: __import__(1)"), "There is no '__import__' here."),
        ("control", ("hc(ket(1)*bra(2))", "ket(1)*bra(2)"), "controls.pump: It is not Hermitian. Add the conjugate"),
        ("control", ("bra(3)", "bra(4)"), "controls.stokes: There is no level '4'. Levels are: 1, 2, 3."),
        ("control", ("target: 3 ", "gate: 2*identity "), "has either a `target` or a `gate`|The gate is not unitary."),
        ("control", ("bounds: [-3, 3]", "bounds: [3, -3]"), "are no bounds. Write two numbers, the lower one first."),
        ("excitons", ("[60, 0]", "[50, 0]"), "hamiltonian: 0,1 is 60, 1,0 50. Make it symmetric."),
        ("excitons", ("start: donor ", "start: [[0.7, 0], [0, 0.5]] "), "of trace one."),
        ("excitons", ("[77, 300]", "[77, -3]"), "temperatures: Temperatures must be positive."),
        ("thermal_chain", ("linspace(0, 1, 11)", "[0, 0.5, 0.2]"), "betas: Inverse temperatures must rise from 0"),
        ("vqe", ("H 0 0 d]", "H 0 0 x]"), "atoms.1: There is no 'x' here. Known are: pi, e, deg, d."),
        ("vqe", ("[0.5, 0.74, 1.2]", "[0.5, 0.5]"), "sweep.d: The values of a sweep must differ"),
        ("control", ("levels: [1, 2, 3]", "levels: [1, 2, 3, 3]"), "Two of the levels 1, 2, 3, 3 have one name."),
        ("chain", ("cuts: [3]", "cuts: [6]"), "cuts: A cut has 1 to 5 qubits left of it."),
        ("excitons", ("[[donor, acceptor]]", "[[donor, acceptor, donor]]"), "coherences: A coherence is of two sites."),
        ("ground_state_chain", ("[8, 12]", "[8, 8]"), "sizes: Two sizes are the same."),
        ("driven_chain", ("dt: 0.05", "dt: 1e-9"), "dt: That are 1.2e+10 steps; at most 1000000 are made."),
        ("vqe", ("[H 0 0 0, H 0 0 d]", "[H 0 0 0, He 0 0 d]"), "atoms: There are 3 electrons."),
        ("vqe", ("basis: sto-3g", "basis: sto3"), "basis: 'sto3' is no basis set that PySCF has for H."),
        ("chemistry", ("HF/STO-3G", "HF/STO-3G us"), "levels.0: 'STO-3G us' is no basis set"),
        ("chemistry", ("HF/STO-3G", "MP2/STO-3G"), "levels.0: 'MP2' is neither HF nor a functional."),
        ("chemistry", ("3 H2", "2 H2"), "reactions.synthesis: 'N2 + 2 H2 -> 2 ammonia' does not balance in H."),
        ("chemistry", ("N#N", "'[15N]#N'"), "molecules.N2: '[15N]#N' names isotopes."),
        (
            "chemistry",
            ("levels:", "solvent: hexane\nlevels:"),
            "The solvent 'hexane' is not known. Write one of PySCF's, such",
        ),
        (
            "chemistry",
            ("optimise: true", "scan: {molecule: H2, bond: [H, H], distances: [1]}"),
            "not reactions, enthalpy, gibbs.",
        ),
        ("chemistry", ("N#N", "N#N#"), "molecules.N2: 'N#N#' is no SMILES."),
        ("chemistry", ("  ammonia:", "  ammonia: {smiles: N, multiplicity: 2}"), "has 10 electrons, which cannot have"),
        ("chemistry", ("HF/STO-3G", "HF"), "levels.0: 'HF' is no level of theory. Write METHOD/BASIS"),
        (
            "ground_state_chain",
            ("wanted:", "named: {s: {of: correlator}}\nwanted:"),
            "named.s: This card records no correlator. There will be: bond_dimension, converged, energy,",
        ),
        (
            "ground_state_chain",
            ("wanted:", "named: {entropy: {of: magnetisation}}\nwanted:"),
            "named.entropy: 'entropy' is a quantity that this card records, too: there would be two of that name.",
        ),
        (
            "chemistry",
            ("wanted: [", "named: {r: {of: bond_length, labels: {atoms: N-H}}}\nwanted: [geometry, "),
            "named.r: No bond_length has atoms = N-H. Write one of: H-H, H-N, N-N.",
        ),
        (
            "chemistry",
            ("wanted:", "named: {r: {of: energy, labels: {name: N2}}}\nwanted:"),
            "named.r: energy has no label 'name'. Its labels are: method, basis, molecule.",
        ),
        (
            "dynamics",
            ("wanted:", "named: {a: {expression: 2*b}}\nwanted:"),
            "named.a: This card records no b. There will be: expectation,",
        ),
        ("chemistry", ("  ammonia:", "  phlogiston:"), "molecules.phlogiston: The name 'phlogiston' is not known."),
    ],
)
def test_nonsense_is_refused_with_line_field_cause_and_cure(kind: str, change: tuple[str, str], said: str) -> None:
    with pytest.raises(SpecificationError) as wrong:
        spec(kind, change)
    assert any(one in str(wrong.value) for one in said.split("|"))
    assert str(wrong.value).startswith("line ")


@pytest.mark.parametrize("text", ["().__class__", "lambda: 1", "[1 for _ in 'a']", "1 if 1 else 2", "9**9**9", "x.y"])
def test_an_expression_is_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(expressions.ExpressionError):
        expressions.value(text)


def test_grids_and_numbers() -> None:
    assert expressions.grid("linspace(0, pi, 3)") == pytest.approx([0, math.pi / 2, math.pi])
    assert expressions.grid("steps(0, 1, 0.25)") == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert expressions.number("sqrt(2)*sin(90*deg)") == pytest.approx(math.sqrt(2))
    with pytest.raises(expressions.ExpressionError, match="whole number from 1 to 20001"):
        expressions.grid("linspace(0, 1, 100001)")


def test_the_kind_of_a_task_decides_its_fields() -> None:
    assert TaskSpec.kind_for({"task": "chain"}) is task_kinds()["chain"]
    with pytest.raises(SpecificationError, match="There is no kind of task 'chian'"):
        TaskSpec.kind_for({"task": "chian"})


@pytest.mark.parametrize("path", PAPER, ids=lambda path: path.parent.name)
def test_a_report_is_written_of_whatever_results_there_are(path: Path) -> None:
    card = read_card(path.read_text())
    assert card is not None
    said = families()[card.task].report(card.compiled(), Results(), ["img/drawn.png"])
    assert "![img/drawn.png](img/drawn.png)" in said
