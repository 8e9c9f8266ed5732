"""What a search was advised is asked for once, in whichever process it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from labwright.agents.lab_calibration.sizzle import DRIVE, Agents, DriveOut, told
from labwright.agents.typed_call import Question
from labwright.graphs.lab_calibration.run_context import Laboratory
from labwright.graphs.lab_calibration.sizzle_advice_cache import Remembered
from labwright.tools.experiments.sizzle_policy import Situation
from labwright.tools.runs import create_run

NOW = Situation((4888.0, 4795.0), (-197.0, -197.0), 0.35, (), 20, 36)


class Fickle:
    """A mind that never answers the same twice."""

    def __init__(self, folder: Path) -> None:
        self.asked = 0
        self.run = create_run(folder, "lab_calibration", "Advise", {}, 0)

    def ask(self, _call: Any, _given: Any) -> object:
        self.asked += 1
        if self.asked == 1:
            return Question(text="Which qubits?")
        return DriveOut(analysis="", frequency=4700.0 + self.asked, amplitude=0.3, stop=False)


def test_advice_is_kept_across_processes_and_a_question_is_not(tmp_path: Path) -> None:
    mind = Fickle(tmp_path)
    lab = cast(Laboratory, mind)
    assert isinstance(Remembered(lab, "one").ask(DRIVE, told(NOW)), Question)
    first = Agents(Remembered(lab, "one").ask).drive(NOW)
    assert first.frequency == 4702.0
    assert Agents(Remembered(lab, "one").ask).drive(NOW) == first
    assert mind.asked == 2
    assert Agents(Remembered(lab, "another").ask).drive(NOW).frequency == 4703.0
    later = Situation(NOW.frequencies, NOW.anharmonicities, NOW.highest, (), 19, 35)
    assert Agents(Remembered(lab, "one").ask).drive(later).frequency == 4704.0
