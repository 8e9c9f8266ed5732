"""What surrounds a task is blanked at the same length; a quantity, a start or a wish in such a place stays."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.clean import clean
from labwright.agents.tool_forging.readers.language.furniture import without_furniture


@pytest.mark.parametrize(
    "text",
    [
        "Dear Dr. Weller,",
        "hey all!",
        "Good afternoon, Ilse.",
        "I am Pedro from the workshop.",
        "Thanks so much for your help!",
        "With warm regards,\nLotte van Dam",
        "cheers\nT. Ito",
        "From: beam line\nTo: computing\nDate: 3 May 2031",
        "12 August",
        "Tue 4/6",
        "page 31",
        "Room 2.114",
        "Ticket #881",
        "Revision 3",
        "I hope you are well.",
        "Sorry for the many questions!",
        "Please let me know if anything is unclear.",
        "We are new in this field.",
        "Requested by: Mara Silva",
        "Phone: +43 660 1234",
        "e-mail: m.silva@lab.example.org",
    ],
)
def test_nothing_of_it_is_left(text: str) -> None:
    assert not without_furniture(text).strip()
    assert len(without_furniture(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "From: |0>\nTo: |1>",
        "From: ground\nTo: excited",
        "Two qubits.\nFrom: bright\nTo: dim",
        "Hello Rabi oscillations of 5 MHz,",
        "Thanks, and please without noise.",
        "Best fidelity: 0.99",
        "Best, with 20 slices",
        "Take note 3 qubits are coupled.",
        "at 300 K in room 300 K",
        "The page holds 12 sites",
        "Regards, T = 3",
        "Sun 3.5 ns",
        "exercise 4 photons",
        "I hope this is well described with 5 sites.",
        "Sorry for the noise in the second qubit.",
        "Let me know if the fidelity drops.",
        "Here g = 3.",
        "Requested by: fidelity of the gate",
        "X@Z and Z@X",
        "version 2 qubits",
        "version 2 of the chain",
    ],
)
def test_what_could_be_of_the_task_stays(text: str) -> None:
    assert without_furniture(text) == text


def test_a_topic_is_a_heading_but_an_order_in_its_place_is_a_demand() -> None:
    assert clean("Subject: slow light in a vapour\n\nMore.").text.startswith("# ")
    wanted = demands(TaskText("Task: compute the purity of both qubits.\n"))
    assert [one.words for one in wanted] == ["Task: compute the purity of both qubits."]


def test_thanks_are_no_demand() -> None:
    assert demands(TaskText("The chain is open.\n\nThanks a lot!\n")) == []


def test_points_behind_a_range_count_it_and_points_of_an_exercise_do_not() -> None:
    assert "12 points" in clean("The distance goes from 0.9 to 2.0 angstrom (12 points).").text
    assert "20 points" not in clean("Problem 4.2 (20 points). Find the energy.").text
