"""Values that belong to single sites or pairs, superpositions at the start, and what a text says is left out."""

from __future__ import annotations

import numpy as np
import pytest

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.reading_task import NoRecipe, read_task
from labwright.tools.forge.families.heom.spec import HeomSpec

COUPLINGS = "80 cm-1 between 1 and 2, -40 cm-1 between 2 and 3 and 12 cm-1 between 1 and 3"
BATHS = "reorganisation energies of 35 cm-1 for dye 1, 50 for dye 2 and 20 for dye 3"
START = "The excitation starts on dye 2."
MATRIX = [[100.0, 80.0, 12.0], [80.0, 250.0, -40.0], [12.0, -40.0, 0.0]]


def _read(couplings: str = COUPLINGS, baths: str = BATHS, start: str = START, more: str = "") -> object:
    return read_task(
        TaskText(
            "Excitons on three dyes, HEOM in QuTiP.\n\n"
            f"Site energies: 100 cm-1 on dye 1, 250 cm-1 on dye 2, 0 on dye 3. Couplings: {couplings}. "
            f"Each dye has its own Drude-Lorentz bath, {baths}. The cutoff is gamma = 53 cm-1 at 290 K. {start}\n"
            f"Depth 4, 2 Matsubara terms. Follow the populations for 500 fs, every 5 fs.{more}\n"
        )
    )


def _spec(**told: str) -> HeomSpec:
    reply = _read(**told)
    assert isinstance(reply, list), reply
    assert isinstance(reply[0].spec, HeomSpec)
    return reply[0].spec


@pytest.mark.parametrize(
    "couplings",
    [
        COUPLINGS,
        "dyes 1 and 2: 80 cm-1, dyes 2 and 3: -40 cm-1, dyes 1 and 3: 12 cm-1",
        "J_12 = 80 cm-1, J_23 = -40 cm-1, J_13 = 12 cm-1",
        "V12 = 80, V23 = -40 and V13 = 12 cm-1",
        "sites 1-2: 80, sites 2-3: -40, sites 1-3: 12 (cm-1 all of them)",
    ],
)
def test_couplings_of_pairs(couplings: str) -> None:
    assert _spec(couplings=couplings).hamiltonian == MATRIX


@pytest.mark.parametrize(
    ("baths", "expected"),
    [
        (BATHS, [35.0, 50.0, 20.0]),
        ("lambda_1 = 35, lambda_2 = 50 and lambda_3 = 20 cm^-1", [35.0, 50.0, 20.0]),
        ("the reorganisation energy of dye 1 is 35 cm-1, of dye 2 50 cm-1 and of dye 3 20 cm-1", [35.0, 50.0, 20.0]),
        ("the reorganisation energy is 35 cm-1 at every dye", [35.0] * 3),
    ],
)
def test_baths_of_sites(baths: str, expected: list[float]) -> None:
    assert [case.reorganization for case in _spec(baths=baths).cases] == [expected]


def test_the_usual_spectral_density_sets_nothing_and_another_one_is_not_passed_over() -> None:
    usual = r"J_j(\omega) = 2 \lambda_j \gamma \omega/(\omega^2+\gamma^2), where the reorganisation energy is 35 cm-1"
    assert _spec(baths=usual).cases[0].reorganization == [35.0] * 3
    assert not isinstance(_read(baths=usual.replace("2 \\lambda_j", "3 \\lambda_j")), list)


@pytest.mark.parametrize(
    ("start", "psi"),
    [
        ("At t = 0 the exciton is in (|1> - |3>)/sqrt(2).", [0.5**0.5, 0, -(0.5**0.5)]),
        ("At t = 0 the state is (|1> + |2> + |3>)/sqrt 3.", [3**-0.5] * 3),
        ("At the start the state is 0.6|1> + 0.8|2>.", [0.6, 0.8, 0]),
        ("Initially the exciton is in an equal superposition of dyes 2 and 3.", [0, 0.5**0.5, 0.5**0.5]),
        ("It begins in the antisymmetric superposition of dyes 1 and 2.", [0.5**0.5, -(0.5**0.5), 0]),
    ],
)
def test_superpositions(start: str, psi: list[float]) -> None:
    found = np.array(_spec(start=start).initial) @ [1, 1j]
    assert np.allclose(found, np.outer(psi, psi))


def test_a_mixture_is_no_superposition() -> None:
    assert isinstance(_read(start="At t = 0 there is an equal incoherent mixture of dyes 1 and 2."), NoRecipe)


def test_pairs_of_coherences() -> None:
    assert _spec(more=" Also the coherences rho_12 and rho_13.").coherences == [[0, 1], [0, 2]]
    assert _spec(more=" Also the coherences between dyes 1 and 2 and between dyes 2 and 3.").coherences == [
        [0, 1],
        [1, 2],
    ]


@pytest.mark.parametrize(
    "more", [" There are no traps and no static disorder.", "\nTraps: none", " Sinks are neglected."]
)
def test_what_is_left_out_is_no_refusal(more: str) -> None:
    assert _spec(more=more).hamiltonian == MATRIX


@pytest.mark.parametrize(
    "more",
    [
        " A trap sits on dye 3.",
        " Draw the populations as bars.",
        " And the populations of the exciton states.",
        " Also the trace distance to equilibrium.",
    ],
)
def test_what_is_not_done_is_refused(more: str) -> None:
    assert isinstance(_read(more=more), NoRecipe)


def test_the_terminator_is_not_passed_over() -> None:
    told = "Depth 4, 2 Matsubara terms"
    text = (
        "A donor lies 30 meV above an acceptor, coupling 5 meV. HEOM with Drude-Lorentz baths: reorganisation energy 4 meV, "
        "1/gamma = 60 fs, {heat}. {told}. The excitation starts on the donor. Populations from 0 to 1 ps, a point every 20 fs."
    )
    for words, expected in ((" and the terminator for the rest", True), ("", False), (" but no terminator", False)):
        read = read_task(TaskText(text.format(told=told + words, heat="from 300 K down to 120 K")))
        assert isinstance(read, list), read
        spec = read[0].spec
        assert isinstance(spec, HeomSpec)
        assert (spec.terminator, spec.site_names) == (expected, ["donor", "acceptor"])
        assert [case.temperature for case in spec.cases] == [300.0, 120.0]
        assert (spec.duration, spec.n_times) == (1000.0, 51)


def test_a_coupling_without_its_pair_is_asked_about() -> None:
    assert isinstance(_read(couplings="80 cm-1 and -40 cm-1"), Question)


def test_a_step_in_another_unit_than_its_range_and_labels_as_they_are_told() -> None:
    text = (
        "Dyes P and Q, HEOM, Drude-Lorentz baths. P lies 15 meV above Q, coupled by 6 meV. 1/gamma = 70 fs, 100 K. Compare "
        "reorganisation energies of 2, 4 and 8 meV. 4 tiers. The excitation starts on P. Populations from 0 to 1.5 ps in steps "
        "of 25 fs."
    )
    read = read_task(TaskText(text))
    assert isinstance(read, list), read
    spec = read[0].spec
    assert isinstance(spec, HeomSpec)
    assert (spec.duration, spec.n_times) == (1500.0, 61)
    assert [case.labels["reorganization_energy"] for case in spec.cases] == [2.0, 4.0, 8.0]


def test_a_form_that_numbers_and_names_its_sites() -> None:
    text = (
        "job = HEOM (QuTiP), dimer\nsite 1 (donor): 12 meV\nsite 2 (acceptor): 0 meV\nJ12: 5 meV\nbath: Drude-Lorentz, one per site\n"
        "lambda: 3 meV\ntau_c = 1/gamma: 90 fs\nT: 280 K; 140 K\nmax depth: 5\nNk (Matsubara): 1\nterminator: yes\nrho(0): all on site 2\n"
        "t: 0, 10, 20, ..., 500 fs\nout 1: population of site 1 and of site 2 vs t, for each T\nout 2: population of both sites at the last time"
    )
    read = read_task(TaskText(text))
    assert isinstance(read, list), read
    spec = read[0].spec
    assert isinstance(spec, HeomSpec)
    assert (spec.site_names, spec.first_site, spec.initial_name) == (["donor", "acceptor"], 1, "site acceptor")
    assert spec.hamiltonian[0][0] == pytest.approx(96.7865, abs=1e-3)
    assert (spec.depth, spec.terms, spec.terminator, spec.n_times) == (5, 1, True, 51)
