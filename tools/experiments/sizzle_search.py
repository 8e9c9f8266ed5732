"""The search for siZZle gate parameters: frequencies and amplitudes by turns, and the best drive of all."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.qubit_pairs import DRIVE_LIMIT, pair_of, quarter_turns_off
from labwright.tools.experiments.sizzle_drive_trials import Trials
from labwright.tools.experiments.sizzle_finals import Finalist, finals, kept_back
from labwright.tools.experiments.sizzle_policy import Attempt

MOST_FREQUENCIES = 20
OFF = 0.5  # of <Z> after two and eight pi/2 pulses, above which they are no quarter turns
AS_LONG = 9.0  # times the first acquisition, what a look or a benchmark takes
UPDATED = ("frequency", "amplitude_first", "amplitude_second", "phase", "duration", "edge", "z_first", "z_second")


TABLE = (
    over("attempt", "frequency", "zz_rate", unit="MHz")
    | over("attempt", "amplitude", unit="full scale")
    | over("attempt", "duration", unit="us")
    | over("attempt", "gate_error", "gate_error_std", "worked")
)


class SizzleSearch(Experiment):
    """Asks for a frequency, then for amplitudes there, tries each, and again, until the advisor has seen enough."""

    name = "sizzle_search"
    needs = FINE
    arrays = TABLE
    results = in_units("MHz", "frequency", "zz_rate", "sizzle_frequency") | in_units(
        "", "amplitude", "gate_error", "sizzle_amplitude"
    )
    summary_instructions = """
    The search decides by its own benchmarks: it is a success if at least one drive gave clear lines, left the control
    alone, and was timed and benchmarked as a CZ. What it found is written to the settings of the pair; the experiments
    that follow time it finely and verify it.
    """
    causes = causes_of("no_usable_drive", pulses_off="Two and eight pi/2 pulses in a row do not end in 1 and 0.")
    writes = UPDATED

    def run(
        self,
        qubit: str,
        partner: str,
        frequencies: Annotated[int, Quantity("", 1, MOST_FREQUENCIES)] = MOST_FREQUENCIES,
        acquisitions: Annotated[int, Quantity("", 6, 200)] = 36,
        edge: Annotated[float, Quantity("us", 0.004, 0.2)] = 0.08,
        strongest: Annotated[float, Quantity("MHz", 5.0, 90.0)] = DRIVE_LIMIT,
        update: bool = True,
    ) -> None:
        """siZZle parameter search: finds frequency and amplitude of the Stark drive that makes the best CZ of a pair.

        Use it to find the gate parameters of a two-qubit siZZle gate. An agent proposes frequency and
        amplitude of a drive from what was measured before; each is tried with the conditional Stark shift, and
        benchmarked where it works. The best are timed and benchmarked again. The second qubit's amplitude follows from
        the single-qubit calibrations; the phase is fixed.

        Asked for as: siZZle parameter search, siZZle search, siZZle drive search, siZZle drive advise,
        Stark drive search, search for the siZZle drive, search for siZZle drive parameters.

        Not for: gate parameters, tune up, verify, benchmarking, tomography, amplitude attempt.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            frequencies: most drive frequencies to try. Default 20.
            acquisitions: most acquisitions to play. Default 36.
            edge: cosine edge of a Stark pulse in us. Default 0.08.
            strongest: largest Rabi rate of a drive in MHz. Default 30.
            update: whether to write the best drive to the pair's settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        pair = pair_of(self.bench, qubit, partner)
        self.qubit = pair.name
        budget = int(acquisitions) - kept_back(int(acquisitions))
        self.trials = Trials(self.bench, pair, float(edge), int(frequencies), budget, strongest=float(strongest))
        self.trials.advisor = self.bench.advisor or self.trials.advisor
        self.finalists: list[Finalist] = []
        self.off = quarter_turns_off(self.bench, pair)
        if self.off < OFF:
            self.trials.search()
            self.finalists = finals(self.trials, int(acquisitions))
        self.data = table(self.trials.attempts)

    def expected_acquisitions(self) -> float:
        """All that may be played, in acquisitions like the first, which tries the pi/2 pulses and is short."""
        return AS_LONG * float(self.arguments["acquisitions"])

    @property
    def best(self) -> Finalist | None:
        """The drive whose gate has the smallest error."""
        return self.finalists[0] if self.finalists else None

    def report(self) -> Report:
        """The best drive, and how it was found."""
        turns = Check("pi/2 pulses are quarter turns", self.off < OFF, f"off by {self.off:.2f} of 2")
        if not turns.passed:
            words = "the pi/2 pulses are no quarter turns, or readout cannot tell; calibrate the single qubits first"
            said = f"After two and eight pi/2 pulses <Z> is off by up to {self.off:.2f}."
            return Report("wrong_setup", words, said, checks=(turns,), cause="pulses_off")
        tried = self.trials.attempts
        good = [a for a in tried if a.outcome == "success"]
        counted = (
            f"{len({a.frequency for a in tried})} frequencies and {len(tried)} drives were tried in"
            f" {self.bench.acquisitions} acquisitions; {len(good)} worked."
        )
        works = Check("a drive works", bool(good), f"{len(good)} of {len(tried)}")
        if self.best is None:
            why = f" The last one: {tried[-1].reason}." if tried else ""
            words = "no drive makes a usable CZ"
            return Report("wrong_setup", words, counted + why, checks=(works,), cause="no_usable_drive")
        attempt, gate, error, spread = self.best.attempt, self.best.gate, self.best.error, self.best.spread
        analysis = (
            f"{counted} The best is {attempt.frequency:.1f} MHz at amplitude {attempt.amplitude:.4f} with a ZZ rate of"
            f" {1e3 * attempt.zz_rate:.0f} kHz and a benchmarked error of {100 * error:.2f} +- {100 * spread:.2f} %."
        )
        estimates = {
            "frequency": Estimate(attempt.frequency, 0.0, "MHz"),
            "amplitude": Estimate(attempt.amplitude, 0.0),
            "zz_rate": Estimate(attempt.zz_rate, 0.0, "MHz"),
            "gate_error": Estimate(error, spread),
        }
        updates = {name: float(getattr(gate, name)) for name in self.writes}
        variables = {"sizzle_frequency": attempt.frequency, "sizzle_amplitude": attempt.amplitude}
        checks = (works, Check("timed and benchmarked", True, f"{len(self.finalists)} drives"))
        return Report(
            "success", "siZZle drive found", analysis, estimates, checks, updates=updates, variables=variables,
        )  # fmt: skip

    @visual_inspection(
        """
        The figure shows a search for siZZle drive parameters: every drive that was tried, frequency against amplitude,
        numbered in the order of the attempts. Filled circles worked, their colour is the ZZ rate; crosses failed; the
        ring marks the best. Dashed lines are the qubits' transitions.
        A good search has looked into the regions that its frequency axis shows, and has its ring among filled circles.
        No filled circle at all is a failure.
        """
    )
    def plot(self) -> figures.Figure:
        """Drives that were tried, with outcome and ZZ rate."""
        pair = self.trials.pair
        made, (axis,) = figures.figure(f"siZZle parameter search, {pair.name}")
        draw_attempts(axis, self.trials.attempts, self.best.attempt if self.best else None)
        for name, frequency in zip(pair.names, (pair.one.frequency, pair.two.frequency), strict=True):
            axis.axvline(frequency, color="0.5", linestyle="--", linewidth=0.9)
            axis.annotate(
                name, (frequency, 1.0), xycoords=("data", "axes fraction"), fontsize=8, ha="center", va="bottom"
            )
        working = [a for a in self.trials.attempts if a.zz_rate]
        if working:
            shades = axis.collections[0]
            made.colorbar(shades, ax=axis, label="ZZ rate (kHz)")
        return made


def draw_attempts(axis: figures.Axes, attempts: list[Attempt], best: Attempt | None, numbered: bool = True) -> None:
    """Working drives coloured by ZZ rate, failures as crosses, numbers in order, a ring around the best."""
    works = [a for a in attempts if a.outcome != "failed"]
    reach = max((abs(a.zz_rate) for a in works), default=1.0) * 1e3
    axis.scatter(
        [a.frequency for a in works], [a.amplitude for a in works], c=[1e3 * a.zz_rate for a in works], cmap="RdBu",
        vmin=-reach, vmax=reach, s=46, edgecolors=figures.BLACK, linewidths=0.7, zorder=3,
    )  # fmt: skip
    failed = [a for a in attempts if a.outcome == "failed"]
    axis.plot([a.frequency for a in failed], [a.amplitude for a in failed], "x", color=figures.BLACK, zorder=3)
    if best is not None:
        axis.plot([best.frequency], [best.amplitude], "o", color=figures.GREEN, fillstyle="none", markersize=13)
    for number, a in enumerate(attempts if numbered else (), 1):
        lift = 7 if number % 2 else -13  # neighbours on either side of their circles
        axis.annotate(
            str(number), (a.frequency, a.amplitude), (0, lift), textcoords="offset points", fontsize=6.5, ha="center"
        )
    axis.set_xlabel("drive frequency (MHz)")
    axis.set_ylabel("amplitude of the first drive (full scale)")
    axis.margins(0.08, 0.15)


def table(attempts: list[Attempt]) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """The numbers of every attempt, (n_attempts,) each."""
    names = ("frequency", "amplitude", "zz_rate", "duration", "gate_error", "gate_error_std")
    table = {name: np.array([float(getattr(a, name)) for a in attempts]) for name in names}
    return table | {"worked": np.array([float(a.outcome == "success") for a in attempts])}
