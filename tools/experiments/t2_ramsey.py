"""T2 Ramsey: how long a superposition keeps its phase when nothing refocuses it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from labwright.tools.experiments import figures
from labwright.tools.experiments.base import Check, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.needs import LINE, PULSE, READOUT
from labwright.tools.experiments.ramsey import Ramsey

SHORTEST, LONGEST, WANTED = 0.7, 4.0, 1.5  # sweep length in units of the lifetime
PRECISION = 0.15  # relative error above which more shots are asked for


class T2Ramsey(Experiment):
    """Ramsey fringes followed until they die away; the frequency is left alone."""

    name = "t2_ramsey"
    needs = (READOUT, LINE, PULSE)
    arrays = Ramsey.arrays
    results = in_units("us", "t2_ramsey", "t2_ramsey_error") | in_units("", "contrast")
    summary_instructions = """
    The fit decides. The run counts as a success if the envelope of the fringes falls within the sweep and its 1/e
    time is known to 15 %. Where the fringes stand lies with the frequency and is no fault here.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "too_few_oscillations", "decay_outside_window", "gates_miscalibrated",
        "error_bar_too_wide",
        fringe_stands_still=Ramsey.causes["fringe_stands_still"],
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        stop: Annotated[float, Quantity("us", 1.0, 1000.0)] = 100.0,
        offset: Annotated[float, Quantity("MHz", 0.001, 10.0)] = 0.2,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
    ) -> None:
        """T2 Ramsey (T2*): measures how long the phase of a qubit lives without an echo, slow frequency noise included.

        Use it for the Ramsey coherence time or the dephasing time. It changes no setting: to calibrate the
        frequency, use ramsey.

        Asked for as: T2*, T2 Ramsey, T2 star, Ramsey coherence time, dephasing time, phase coherence,
        free induction decay, T2 time.

        Not for: frequency calibration, drive frequency, echo, T1.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            stop: last delay (stop time, sweep length) in us. Default 100.
            offset: set offset of the fringes in MHz. Default 0.2.
            shots: repetitions of every point. Default 2000.
        """
        self.fringes = Ramsey(self.bench)
        step = min(1 / (6 * offset), stop / 80)
        self.fringes.run(qubit, stop=stop, step=step, offset=offset, shots=shots, update=False)
        self.data = self.fringes.data

    def report(self) -> Report:
        """The 1/e time of the envelope, judged by the coverage of the sweep and its error."""
        seen = self.fringes.report()
        life = seen.estimates.get("t2_ramsey")
        if "fringe_frequency" not in seen.estimates:
            return replace(seen, proposal={}, updates={}, notes={}, variables={})
        stop = float(self.arguments["stop"])
        base = tuple(check for check in seen.checks if check.name in ("contrast above 0.2", "residuals are noise"))
        if life is None:
            longer = self.within_bounds(stop=2 * stop)
            checks = (*base, Check("envelope falls within the sweep", False, f"{stop:g} us"))
            words = f"The fringes hardly decay within {stop:g} us."
            long = "decay longer than the sweep"
            return Report("adjust", long, words, seen.estimates, checks, longer, cause="decay_outside_window")
        cover, relative = stop / life.value, life.error / life.value
        checks = (
            *base,
            Check("sweep covers 0.7 to 4 lifetimes", SHORTEST <= cover <= LONGEST, f"{cover:.2f}"),
            Check("lifetime known to 15 %", relative < PRECISION, f"{100 * relative:.1f} %"),
        )
        words = f"T2 Ramsey of {self.qubit} is {life.value:.1f} +- {life.error:.1f} us, over {cover:.1f} lifetimes."
        estimates = {"t2_ramsey": life, "contrast": seen.estimates["contrast"]}
        failed = {check.name for check in checks if not check.passed}
        if not failed:
            variables = {"t2_ramsey": life.value, "t2_ramsey_error": life.error}
            return Report("success", "fringes decay within the sweep", words, estimates, checks, variables=variables)
        if "residuals are noise" in failed:
            diagnosis = "the fringes are not one decaying cosine; calibrate the gates first"
            return Report("wrong_setup", diagnosis, words, estimates, checks, cause="gates_miscalibrated")
        if "sweep covers 0.7 to 4 lifetimes" in failed:
            wanted = self.within_bounds(stop=float(f"{WANTED * life.value:.3g}"))
            diagnosis = f"sweep too {'long' if cover > LONGEST else 'short'}, {cover:.2f} lifetimes"
            return Report("adjust", diagnosis, words, estimates, checks, wanted, cause="decay_outside_window")
        diagnosis = f"lifetime known to {100 * relative:.0f} %, not to {100 * PRECISION:.0f} %"
        more = self.within_bounds(shots=3 * self.arguments["shots"])
        return Report("bad_data", diagnosis, words, estimates, checks, more, cause="error_bar_too_wide")

    @visual_inspection(
        """
        Ramsey fringes against the delay, with error bars, a fitted decaying cosine and its residuals.
        A good measurement shows fringes of one frequency whose height falls visibly within the sweep, and residuals
        that scatter about zero. It is a failure if there are no fringes, if they do not fall at all, or if they
        are gone after the first few points.
        """
    )
    def plot(self) -> figures.Figure:
        """The fringes with their envelope's fit."""
        return self.fringes.plot()
