"""What an experiment needs of the settings: which, how fresh and how good (Kelly et al., arXiv:1803.03226).

Experiments name the direct needs; what those need in turn follows from who writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from labwright.tools.qpu.settings import SETTING_UNITS

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Need:
    """Settings that are calibrated together, and what an experiment expects of them.

    Attributes:
        settings: fields of `QubitSettings`, of every qubit of a call; with `pair`, of `PairSettings`.
        age: s of device time for which their last result is trusted; None: whenever it was, and if nobody measured
            them, as the device's author gave them.
        error: largest one-sigma error of the last result that does no harm, in the unit of the settings; None: any.
        relative: `error` is a share of the value.
        pair: the settings are those of the pair.
    """

    settings: tuple[str, ...]
    age: float | None = None
    error: float | None = None
    relative: bool = False
    pair: bool = False

    @property
    def demands(self) -> str:
        """Such as ``within 1 h, to 0.01 MHz``."""
        unit = "" if self.pair else SETTING_UNITS.get(self.settings[0], "")
        parts = [] if self.age is None else [f"within {self.age / HOUR:g} h"]
        if self.error is not None:
            parts.append(f"to {100 * self.error:g} %" if self.relative else f"to {self.error:g} {unit}".rstrip())
        return ", ".join(parts) or "found"

    def __str__(self) -> str:
        """Such as ``frequency (within 1 h, to 0.01 MHz)``."""
        return ", ".join(self.settings) + (" of the pair" if self.pair else "") + f" ({self.demands})"


def conjoined(names: Iterable[str], word: str = "and") -> str:
    """``a, b and c``, for messages."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


PULSES = ("amplitude_pi", "amplitude_pi2")

# Found once, roughly: what makes a signal at all. A pi pulse of 30 ns loses 0.2 % of it 1 MHz off resonance, and 2 %
# if its amplitude is 10 % off; resonators are 1 to 3 MHz wide.
RESONATOR = Need(("readout_frequency",), error=1.0)
LINE = Need(("frequency",), error=1.0)
PULSE = Need(PULSES, error=0.1, relative=True)

# Fine: what gates are made of. The tolerances cost less than 1e-6, 1e-5 and 3e-5 a gate.
READOUT = Need(("readout_angle", "readout_threshold"), 12 * HOUR)
FREQUENCY = Need(("frequency",), HOUR, 0.010)
AMPLITUDE = Need(PULSES, HOUR, 0.0025, relative=True)
DRAG = Need(("drag",), 12 * HOUR, 0.05)
FINE = (FREQUENCY, AMPLITUDE, DRAG)

# A pair: the Stark drive that a search found, and the CZ that was timed with it.
STARK = Need(("frequency", "amplitude_first", "amplitude_second", "phase", "edge"), 168 * HOUR, pair=True)
CZ_GATE = Need(("duration", "z_first", "z_second"), 12 * HOUR, pair=True)
