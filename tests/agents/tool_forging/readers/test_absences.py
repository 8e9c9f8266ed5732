"""Absences that a family satisfies by doing nothing; one that is limited, denied or compared with does not count."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.readers.language.absences import absences, without_absences
from labwright.agents.tool_forging.readers.language.leftover import unknown_words


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The dots are driven without any relaxation.", "without any relaxation"),
        ("Two spins, no losses, no dephasing.", "no losses, no dephasing"),
        ("ignore decoherence; be quick", "ignore decoherence"),
        ("A ring in the absence of disorder", "absence of disorder"),
        ("no noise or leakage of any kind.", "no noise or leakage of any kind"),
        ("heating: none", "heating: none"),
        ("Nothing noisy, nothing random.", "nothing random"),
        ("No damping of any kind is considered.", "No damping of any kind"),
        ("The pair is decoupled from its surroundings.", "decoupled from its surroundings"),
        ("All relaxation is neglected.", "All relaxation is neglected"),
    ],
)
def test_a_whole_absence_counts(text: str, phrase: str) -> None:
    assert phrase in [text[a:b] for a, b in absences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "It is not without loss.",
        "once with and once without dissipation",
        "compare with no dissipation",
        "no noise on the second qubit",
        "no losses in the first 3 ns",
        "no damping except from the wire",
        "no decoherence-free subspace",
        "no more than 4 photons",
        "no relaxation rate above 3",
        "noise: 0.3",
        "no random fields along x",
        "No noise is considered above 3 GHz.",
        "nothing but noise",
        "no Hadamard",
        "If there is no decay, stop.",
        "The decay is neglected for the first qubit.",
    ],
)
def test_what_is_limited_or_compared_does_not(text: str) -> None:
    assert absences(text) == []
    assert without_absences(text) == text


def test_a_reader_need_not_know_what_is_not_there() -> None:
    assert unknown_words("The chain has no disorder.", ()) == []
    assert unknown_words("The chain has disorder.", ()) == ["disorder"]
    assert unknown_words("Please double-check it; it fits on a page, no fit.", ()) == []
    assert unknown_words("Trapped ions, no traps.", ()) == []
    assert unknown_words("The atoms are trapped.", ()) == ["trapped"]
    assert unknown_words("No disorder, but leakage.", ()) == ["leakage"]
