"""The live map of a chip: where every qubit stands, on the lattice that it lies on.

Told by sign and word, not by colour alone; the colours are told apart by colour-blind readers.
"""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from labwright.apps.terminal_output import legible
from labwright.apps.watching import chip

# blue and orange from Okabe and Ito's palette
STYLES = {
    "waiting": "dim",
    "running": "bold #56B4E9",
    "complete": "#0072B2",
    "failed": "bold reverse #E69F00",
    "refused": "reverse #E69F00",
    "stopped": "#CC79A7",
}
SIGNS = {status: (*chip.SIGNS[status], style) for status, style in STYLES.items()}  # status -> sign, word, style
CELL = 15  # columns of one qubit


class ChipMap(chip.ChipMap):
    """The map as lines and a lattice of the terminal."""

    def news(self) -> list[str]:
        """Lines that were not told yet."""
        return [legible(line) for line in super().news()]

    def render(self, caption: str = "") -> Group:
        """The lattice, and below it what the signs mean."""
        rows, columns = (1 + max((place[k] for place in self.places.values()), default=0) for k in (0, 1))
        table = Table(box=None, show_header=False, padding=(0, 1))
        for _ in range(columns):
            table.add_column(width=CELL, no_wrap=True, overflow="ellipsis")
        names = {place: name for name, place in self.places.items()}
        for row in range(rows):
            table.add_row(*(self._cell(names.get((row, column), "")) for column in range(columns)))
            table.add_row()
        couplers = [self._pair(name) for name in self.pairs]
        return Group(table, *couplers, *([Text()] if couplers else []), self._legend(caption))

    def _pair(self, name: str) -> Text:
        """A chosen coupler on a line of its own: sign, name, and what is done or how good it is."""
        spot = self.pairs[name]
        sign, _, style = SIGNS.get(spot.status, SIGNS["stopped"])
        told = _told(spot, f"CZ error {100 * (spot.error or 0.0):.2f} %")
        return Text.assemble((f" {sign} {name}", style), f"  {told}")

    def _cell(self, name: str) -> Text:
        spot = self.spots.get(name)
        if spot is None:
            return Text(name, style="dim")
        sign, word, style = SIGNS.get(spot.status, SIGNS["stopped"])
        below = _told(spot, f"{spot.error or 0.0:.2e}")
        return Text.assemble((f"{sign} {name}", style), "\n", (below[:CELL], "" if word == below else "dim"))

    def _legend(self, caption: str) -> Text:
        counts = {status: sum(spot.status == status for spot in self.spots.values()) for status in SIGNS}
        told = [f"{SIGNS[status][0]} {SIGNS[status][1]} {count}" for status, count in counts.items() if count]
        line = f"{'   '.join(told)}   round {self.at} of {self.rounds}   device {self.seconds:.0f} s"
        return Text("\n".join(part for part in (line, caption) if part))


def _told(spot: chip.Spot, error: str) -> str:
    """What is measured now, how large the error is in the end, or the status in a word."""
    if spot.status == "running" and spot.doing:
        return legible(spot.doing.replace("_", " "))
    ended = spot.status == "complete" and spot.error is not None
    return error if ended else SIGNS.get(spot.status, SIGNS["stopped"])[1]
