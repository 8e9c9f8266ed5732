"""One drive frequency of a siZZle search: amplitudes by turns until the advisor is content."""

from __future__ import annotations

from typing import Annotated

from labwright.tools.experiments import figures
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.qubit_pairs import DRIVE_LIMIT, pair_of
from labwright.tools.experiments.sizzle_drive_trials import Trials
from labwright.tools.experiments.sizzle_policy import Attempt
from labwright.tools.experiments.sizzle_search import TABLE, UPDATED, table


class SizzleAmplitudeAttempt(Experiment):
    """Asks for an amplitude at one frequency, tries it, and again; every drive that works is benchmarked as a CZ."""

    name = "sizzle_amplitude_attempt"
    needs = FINE
    arrays = TABLE
    results = in_units("", "amplitude", "gate_error", "sizzle_amplitude") | in_units(
        "MHz", "zz_rate", "sizzle_frequency"
    )
    summary_instructions = """
    The attempt decides by its own benchmark: it is a success if a drive at this frequency gave clear lines, left the
    control alone and was benchmarked as a CZ. A failure says nothing against other frequencies.
    """
    causes = causes_of("no_usable_drive")
    writes = UPDATED

    def run(
        self,
        qubit: str,
        partner: str,
        frequency: Annotated[float, Quantity("MHz", 4000.0, 6000.0)],
        acquisitions: Annotated[int, Quantity("", 2, 20)] = 8,
        edge: Annotated[float, Quantity("us", 0.004, 0.2)] = 0.08,
        strongest: Annotated[float, Quantity("MHz", 5.0, 90.0)] = DRIVE_LIMIT,
        update: bool = True,
    ) -> None:
        """siZZle amplitude attempt: tries amplitudes of a Stark drive at one given frequency, as a CZ of the pair.

        Use it to see what a siZZle gate would be worth at a drive frequency of your own. An agent proposes how
        strongly to drive; each drive is tried with the conditional Stark shift, and benchmarked where it works.

        Asked for as: siZZle amplitude attempt, amplitude attempt.

        Not for: search, tune up, verify.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            frequency: of the Stark drive on both qubits, in MHz.
            acquisitions: most acquisitions to play. Default 8.
            edge: cosine edge of a Stark pulse in us. Default 0.08.
            strongest: largest Rabi rate of a drive in MHz. Default 30.
            update: whether to write the best drive to the pair's settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        pair = pair_of(self.bench, qubit, partner)
        self.qubit = pair.name
        self.trials = Trials(
            self.bench, pair, float(edge), 1, int(acquisitions), thorough=True,
            strongest=float(strongest), only=float(frequency),
        )  # fmt: skip
        self.trials.advisor = self.bench.advisor or self.trials.advisor
        self.trials.search()
        self.data = table(self.trials.attempts)

    def expected_acquisitions(self) -> float:
        """All that may be played; most are as long as the first."""
        return float(self.arguments["acquisitions"])

    @property
    def best(self) -> Attempt | None:
        """The drive whose gate has the smallest error."""
        return self.trials.now.best()

    def report(self) -> Report:
        """The best drive at this frequency."""
        tried = self.trials.attempts
        frequency, best = float(self.arguments["frequency"]), self.best
        works = Check("a drive works", best is not None, f"{sum(a.gate_error > 0 for a in tried)} of {len(tried)}")
        counted = f"{len(tried)} amplitudes were tried at {frequency:.1f} MHz."
        if best is None:
            why = f" The last one: {tried[-1].reason}." if tried else ""
            words = "no drive at this frequency makes a usable CZ"
            return Report("wrong_setup", words, counted + why, checks=(works,), cause="no_usable_drive")
        gate = self.trials.gate(best)
        analysis = (
            f"{counted} The best is {best.amplitude:.4f} with a ZZ rate of {1e3 * best.zz_rate:.0f} kHz and a"
            f" benchmarked error of {100 * best.gate_error:.2f} +- {100 * best.gate_error_std:.2f} %."
        )
        estimates = {
            "amplitude": Estimate(best.amplitude, 0.0),
            "zz_rate": Estimate(best.zz_rate, 0.0, "MHz"),
            "gate_error": Estimate(best.gate_error, best.gate_error_std),
        }
        updates = {name: float(getattr(gate, name)) for name in self.writes}
        variables = {"sizzle_frequency": best.frequency, "sizzle_amplitude": best.amplitude}
        return Report("success", "siZZle drive works", analysis, estimates, (works,), updates=updates,
                      variables=variables)  # fmt: skip

    @visual_inspection(
        """
        The figure shows the amplitudes that were tried at one drive frequency, and the ZZ rate of each: filled circles
        worked, crosses at zero failed, a ring marks the best.
        A good attempt has its ring around a filled circle. Crosses alone are a failure.
        """
    )
    def plot(self) -> figures.Figure:
        """ZZ rate against amplitude."""
        title = f"siZZle amplitude attempt, {self.trials.pair.name}, {self.arguments['frequency']:g} MHz"
        made, (axis,) = figures.figure(title)
        works = [a for a in self.trials.attempts if a.outcome != "failed"]
        failed = [a for a in self.trials.attempts if a.outcome == "failed"]
        axis.plot([a.amplitude for a in works], [1e3 * a.zz_rate for a in works], "o", color=figures.BLUE)
        axis.plot([a.amplitude for a in failed], [0.0] * len(failed), "x", color=figures.BLACK)
        if self.best is not None:
            at = ([self.best.amplitude], [1e3 * self.best.zz_rate])
            axis.plot(*at, "o", color=figures.GREEN, fillstyle="none", markersize=13)
        axis.set(xlabel="amplitude of the first drive (full scale)", ylabel="ZZ rate (kHz)")
        return made
