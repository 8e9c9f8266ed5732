"""Time-domain scans on the fluxonium-free side of the fridge (qubit Q2).

Everything goes into the default QCoDeS database. The sequencer must already
have the right sequence uploaded, these scans only turn its knobs.
"""
import logging
import time

import matplotlib.pyplot as plt
import numpy as np
from qcodes.dataset import Measurement, do1d
from scipy.optimize import curve_fit

log = logging.getLogger(__name__)


def _gauss_exp(t, amp, t2, n):
    return amp * np.exp(-(t / t2) ** n)


class RamseyXY:
    """Signed detuning and T2* from the two transverse components.

    For each delay the final pulse is played at four phases; opposite phases
    are subtracted so that slow readout drift drops out.

    Args:
        delay: settable Parameter, free evolution time.
        phase: settable Parameter, phase of the last pi/2 pulse.
        p1: gettable Parameter, runs the sequence and returns the population.
        settle: wall-clock wait after each setting.
    """

    PHASES = (0.0, np.pi / 2, np.pi, 3 * np.pi / 2)

    def __init__(self, delay, phase, p1, experiment=None, settle=0.0):
        self.delay = delay
        self.phase = phase
        self.p1 = p1
        self.experiment = experiment
        self.settle = settle
        self.run_id = None
        self.result = {}

    def _measurement(self):
        meas = Measurement(exp=self.experiment, name="ramsey_xy")
        meas.register_parameter(self.delay)
        meas.register_parameter(self.phase)
        meas.register_parameter(self.p1, setpoints=(self.delay, self.phase))
        return meas

    def run(self, t_max=20e-6, n_points=81):
        """Take the scan and analyse it. Returns ``self.result``."""
        self.t = np.linspace(0, t_max, n_points)
        self.raw = np.full((n_points, len(self.PHASES)), np.nan)
        phase_before = self.phase()
        try:
            with self._measurement().run() as datasaver:
                for i, t in enumerate(self.t):
                    self.delay(t)
                    for j, ph in enumerate(self.PHASES):
                        self.phase(ph)
                        if self.settle:
                            time.sleep(self.settle)
                        val = self.p1()
                        self.raw[i, j] = val
                        datasaver.add_result((self.delay, t), (self.phase, ph),
                                             (self.p1, val))
                self.run_id = datasaver.run_id
        finally:
            self.phase(phase_before)
        return self.analyse()

    def analyse(self):
        c = self.raw[:, 0] - self.raw[:, 2]
        s = self.raw[:, 1] - self.raw[:, 3]
        z = c + 1j * s
        mag = np.abs(z)
        popt, pcov = curve_fit(
            _gauss_exp, self.t, mag, p0=[mag[0], self.t[-1] / 2, 1.5],
            bounds=([0, self.t[1], 0.8], [1.5, 20 * self.t[-1], 2.2]))
        # only the part with signal in it, otherwise unwrap goes wild
        good = mag > 0.2 * mag[0]
        stop = len(good) if good.all() else int(np.argmin(good))
        stop = max(stop, 3)
        ang = np.unwrap(np.angle(z[:stop]))
        slope = np.polyfit(self.t[:stop], ang, 1, w=mag[:stop])[0]
        self.result = {
            "detuning": slope / (2 * np.pi),
            "t2_star": popt[1],
            "t2_star_err": float(np.sqrt(pcov[1, 1])),
            "exponent": popt[2],
            "contrast": popt[0],
        }
        log.info("run %s: detuning %.3f kHz, T2* %.2f us", self.run_id,
                 self.result["detuning"] * 1e-3, popt[1] * 1e6)
        return self.result

    def plot(self, ax=None):
        if ax is None:
            _, ax = plt.subplots()
        ax.plot(self.t * 1e6, self.raw[:, 0] - self.raw[:, 2], "o-", label="X")
        ax.plot(self.t * 1e6, self.raw[:, 1] - self.raw[:, 3], "s-", label="Y")
        ax.set_xlabel("delay (us)")
        ax.set_ylabel("component")
        ax.set_title(f"Ramsey XY, run {self.run_id}")
        ax.legend()
        return ax


def hahn_echo_do1d(delay, p1, t_stop=80e-6, num_points=51, settle=0.0,
                   do_plot=False):
    """One Hahn echo decay with do1d, exponential fit.

    Returns:
        (t2_echo, t2_echo_err, dataset)
    """
    dataset, _, _ = do1d(delay, 0.0, t_stop, num_points, settle, p1,
                         measurement_name="hahn_echo", do_plot=do_plot)
    data = dataset.get_parameter_data(p1.full_name)[p1.full_name]
    t, y = data[delay.full_name], data[p1.full_name]

    def model(x, a, tau, b):
        return b + a * np.exp(-x / tau)

    b0 = y[-5:].mean()
    popt, pcov = curve_fit(model, t, y, p0=[y[0] - b0, t_stop / 3, b0],
                           x_scale=[1.0, t_stop, 1.0], method="trf",
                           bounds=([-1.2, t[1] / 5, -0.2], [1.2, 30 * t_stop, 1.2]))
    err = float(np.sqrt(pcov[1, 1]))
    log.info("T2 echo %.2f(%.2f) us", popt[1] * 1e6, err * 1e6)
    return float(popt[1]), err, dataset
