"""Start, resume and fork a calibration from Python; what every face of the program calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.forking import fork as fork
from labwright.graphs.lab_calibration.graph import build_graph
from labwright.graphs.lab_calibration.request_reading import SYSTEM, adapted
from labwright.graphs.lab_calibration.run_context import LABORATORIES, check_choices, limits_kept
from labwright.graphs.running import OnEvent, OnQuestion, System
from labwright.graphs.running import Outcome as Outcome

CALIBRATION = System(
    SYSTEM, build_graph, LABORATORIES, check_choices, fork, adapted, binds=limits_kept, known_by="words"
)


@dataclass(frozen=True)
class CalibrationRequest:
    """What is wanted: words, or a Markdown procedure, and the choices that go with them."""

    text: str
    choices: Choices = field(default_factory=Choices)


def start(
    request: CalibrationRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Run a calibration until it ends or waits for a person.

    Raises:
        InputError: the choices do not go together; no run is made. (A device or a lab folder that cannot be used makes
            a run that ends as refused and says why.)
        OSError: the runs folder cannot be written.
        LeaseError: another process drives the device.
        ModelUnavailable: the chosen model does not answer.
    """
    chosen = request.choices
    return CALIBRATION.start(request.text, chosen, root, seed=chosen.seed, on_event=on_event, on_question=on_question)


resume = CALIBRATION.resume
