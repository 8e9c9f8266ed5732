"""Numbers that set nothing, and their like that do."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.conventions import conventions
from labwright.agents.tool_forging.readers.language.tally import passed_over


@pytest.mark.parametrize(
    "text",
    [
        "the polarisation of all spins, Pauli matrices, from -1 to 1",
        "<Sx Sx> of spin operators (hence bounded by 1/4)",
        "Print the purity with 5 digits.",
        "The model of Weller et al. (Weller et al., 2017) is used, see arXiv:1701.01234.",
        "with S^z = sigma^z/2",
    ],
)
def test_they_need_not_be_held(text: str) -> None:
    assert conventions(text)
    assert passed_over(Body(TaskText(text)), [], {}) is None


@pytest.mark.parametrize(
    "text",
    [
        "The amplitudes lie between -7 and 7.",
        "amplitudes of the spin operators (so that they are at most 5)",
        "the magnetisation between site 3 and 7",
        "a correlator at distance 5 of spin operators",
        "Print the purity of 5 qubits.",
        "in 2017 runs",
        "S = sigma/3",
    ],
)
def test_these_do(text: str) -> None:
    assert passed_over(Body(TaskText(text)), [], {}) is not None
